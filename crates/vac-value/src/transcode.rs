//! From one encoding to the other, node by node.

use num_bigint::{BigInt, Sign};

use crate::cbor;
use crate::document::{Document, Encoding, Kind, LOOSE, Node};
use crate::encode::{EncodeError, Encoder};
use crate::json;
use crate::number::{Decimal, Number, big_integer, bignum_digits};

impl Encoder {
    /// Writes a scanned value: the same tokens in its own encoding, the same
    /// value in the other, or an error that says what has no counterpart.
    pub fn node(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        let same = node.encoding() == self.encoding();
        if self.takes_raw(node.encoding()) {
            if !node.flag(LOOSE) {
                self.raw(node.raw());
                return Ok(());
            }
            if node.encoding() == Encoding::Json {
                self.tidied(node);
                return Ok(());
            }
        }
        match node.kind() {
            Kind::Array => {
                self.begin_array(node.elements().count());
                for element in node.elements() {
                    self.element();
                    self.node(element)?;
                }
                self.end_array();
                Ok(())
            }
            Kind::Map => self.node_map(node),
            Kind::Tag if self.encoding() == Encoding::Json => self.tag_in_json(node),
            Kind::Tag => {
                let Some((number, content)) = node.tag() else { return Ok(()) };
                match (number, content.bytes()) {
                    (2 | 3, Some(magnitude)) => self.magnitude(number == 3, &magnitude),
                    _ => {
                        self.tag(number)?;
                        self.node(content)?;
                    }
                }
                Ok(())
            }
            _ if same && self.encoding() == Encoding::Json => {
                self.raw(node.raw());
                Ok(())
            }
            _ => self.scalar(node),
        }
    }

    /// Copies JSON without the space between its tokens.
    fn tidied(&mut self, node: Node<'_, '_>) {
        let (raw, offset) = (node.raw(), node.offset());
        let out = self.out();
        let mut at = 0;
        for (start, token) in node.tokens() {
            json::copy_between(raw, at..start - offset, out);
            out.extend_from_slice(token);
            at = start - offset + token.len();
        }
        json::copy_between(raw, at..raw.len(), out);
    }

    fn node_map(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        if self.encoding() == Encoding::Json {
            self.begin(Kind::Map, b'{');
            for (key, value) in node.members() {
                self.element();
                if key.kind() != Kind::Text {
                    return self.fail("a key that is not text");
                }
                self.node(key)?;
                self.colon();
                self.node(value)?;
            }
            self.end(b'}');
            return Ok(());
        }
        let mut members: Vec<_> =
            node.members().map(|(key, value)| (key.plain(), key, value)).collect();
        cbor::push_head(5, members.len() as u64, self.out());
        if members.iter().all(|(plain, ..)| plain.is_some()) {
            // Of texts the shorter comes first, because its head does.
            members.sort_unstable_by_key(|(plain, ..)| plain.map(|plain| (plain.len(), plain)));
            for (plain, _, value) in members {
                self.text(plain.unwrap_or_default());
                self.node(value)?;
            }
            return Ok(());
        }
        let mut written = Vec::with_capacity(members.len());
        for (_, key, value) in members {
            let mut encoder = Encoder::cbor();
            encoder.node(key)?;
            written.push((encoder.finish(), value));
        }
        written.sort_by(|one, other| one.0.cmp(&other.0));
        for (key, value) in written {
            self.raw(&key);
            self.node(value)?;
        }
        Ok(())
    }

    fn scalar(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        match node.kind() {
            Kind::Null => self.null(),
            Kind::Undefined => return self.undefined(),
            Kind::Bool => self.bool(node.bool().unwrap_or_default()),
            Kind::Simple => return self.simple(node.simple().unwrap_or_default()),
            Kind::Integer => self.integer(node.integer().unwrap_or_default()),
            Kind::Bytes => self.bytes(&node.bytes().unwrap_or_default()),
            Kind::Text if node.has_lone_surrogate() => {
                return self.fail("text with a lone surrogate");
            }
            Kind::Text => match node.text() {
                Some(text) => self.text(&text),
                None => return self.fail("text that is none"),
            },
            Kind::BigInteger => match big_integer(&String::from_utf8_lossy(node.raw())) {
                Some(integer) => self.bignum(&integer),
                None => return self.fail("an integer of so many digits"),
            },
            Kind::Float => match node.number() {
                Some(Number::Decimal(token)) => return self.decimal_fraction(&token),
                Some(number) => return self.number(&number),
                None => {}
            },
            Kind::Array | Kind::Map | Kind::Tag => {}
        }
        Ok(())
    }

    /// A tag on an integer in bytes.
    pub(crate) fn bignum(&mut self, value: &BigInt) {
        match value.sign() {
            Sign::Minus => self.magnitude(true, &(-value - 1u8).magnitude().to_bytes_be()),
            _ => self.magnitude(false, &value.magnitude().to_bytes_be()),
        }
    }

    /// The integer of a bignum's bytes in the only form it has: an integer if there is room
    /// for it, a tag on bytes without zeros in front otherwise.
    fn magnitude(&mut self, negative: bool, bytes: &[u8]) {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let bytes = &bytes[zeros..];
        if bytes.len() <= 8 {
            let argument = bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            cbor::push_head(u8::from(negative), argument, self.out());
        } else {
            cbor::push_head(6, 2 + u64::from(negative), self.out());
            self.bytes(bytes);
        }
    }

    /// Tag 4: ten to the power of the first, times the second.
    fn decimal_fraction(&mut self, token: &str) -> Result<(), EncodeError> {
        let Some(decimal) = Decimal::parse(token) else {
            return self.fail("a number with such an exponent");
        };
        let Some(mantissa) = decimal.mantissa() else {
            return self.fail("a number of so many digits");
        };
        self.tag(4)?;
        self.begin_array(2);
        self.integer(i128::from(decimal.exponent));
        match i128::try_from(&mantissa) {
            Ok(small) => self.integer(small),
            Err(_) => self.bignum(&mantissa),
        }
        Ok(())
    }

    /// The tags that JSON has a number for.
    fn tag_in_json(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        let digits = bignum_text(node).or_else(|| {
            let (4, content) = node.tag()? else { return None };
            let mut parts = content.elements();
            let (exponent, mantissa) = (parts.next()?.integer()?, parts.next()?);
            let mantissa = match mantissa.integer() {
                Some(small) => small.to_string(),
                None => bignum_text(mantissa)?,
            };
            parts.next().is_none().then(|| format!("{mantissa}e{exponent}"))
        });
        match digits {
            Some(digits) => {
                self.raw(digits.as_bytes());
                Ok(())
            }
            None => self.fail("this tag"),
        }
    }
}

fn bignum_text(node: Node<'_, '_>) -> Option<String> {
    match node.tag()? {
        (2, content) => bignum_digits(false, &content.bytes()?),
        (3, content) => bignum_digits(true, &content.bytes()?),
        _ => None,
    }
}

/// The deterministic form of a CBOR node. Writing CBOR as CBOR cannot fail.
pub(crate) fn deterministic(node: Node<'_, '_>) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    match encoder.node(node) {
        Ok(()) => encoder.finish(),
        Err(_) => node.raw().to_vec(),
    }
}

/// Rewrites a document in another encoding or layout, without loss or with an
/// error that says what has no counterpart there.
///
/// ```
/// use vac_value::{Document, Encoder, Layout, transcode};
///
/// let json = Document::json(br#"{"b": 18446744073709551617, "a": 1.0}"#)?;
/// let mut encoder = Encoder::cbor();
/// transcode(&json, &mut encoder)?;
/// let bytes = encoder.finish();
///
/// let cbor = Document::cbor(&bytes)?;
/// let mut encoder = Encoder::json(Layout::Compact);
/// transcode(&cbor, &mut encoder)?;
/// assert_eq!(encoder.finish(), br#"{"a":1.0,"b":18446744073709551617}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transcode(document: &Document<'_>, to: &mut Encoder) -> Result<(), EncodeError> {
    if to.encoding() == Encoding::Json && has_bytes(document) {
        return to.fail("a byte string");
    }
    transcode_node(document.root(), to)
}

/// Whether there is a byte string that is not the magnitude of a number.
fn has_bytes(document: &Document<'_>) -> bool {
    let mut number = None;
    (0..document.len()).any(|index| {
        let node = document.node(u32::try_from(index).unwrap_or_default());
        if let Some((2 | 3, content)) = node.tag() {
            number = Some(content.index());
        }
        node.kind() == Kind::Bytes && number != Some(node.index())
    })
}

/// The same for a part of a document; byte strings become text in JSON (RFC 8949
/// section 6.1), for those who look at values and do not read them back.
pub(crate) fn transcode_node(node: Node<'_, '_>, to: &mut Encoder) -> Result<(), EncodeError> {
    let inside = node.index()..node.after();
    let mut doubles = node.document().duplicate_keys();
    if let Some(key) = doubles.find(|key| inside.contains(&key.index())) {
        let name =
            key.text().map_or_else(|| key.kind().name().to_owned(), std::borrow::Cow::into_owned);
        return Err(EncodeError::DuplicateKey(name));
    }
    to.node(node)
}
