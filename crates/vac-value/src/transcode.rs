//! Rewrites scanned values in either encoding.

use num_bigint::{BigInt, Sign};

use crate::cbor;
use crate::document::{Document, Encoding, Kind, LOOSE};
use crate::encode::EncodeError;
use crate::encoder::Encoder;
use crate::json;
use crate::node::{Node, Value};
use crate::number::{DecimalParts, Number, big_integer, bignum_digits};

impl Encoder<'_> {
    /// Writes a scanned value: the same tokens if it has the encoding that is written, otherwise
    /// the same value. Fails if the value cannot be represented.
    pub fn node(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        if let Some(sink) = self.sink_mut() {
            sink.value(node.value());
            return Ok(());
        }
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
            _ if same && self.encoding() == Encoding::Json => {
                self.raw(node.raw());
                Ok(())
            }
            _ => self.scalar(node),
        }
    }

    /// Copies JSON without the white space between its tokens.
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
            // A shorter text comes first, because its head is less.
            members.sort_unstable_by_key(|(plain, ..)| plain.map(|plain| (plain.len(), plain)));
            for (plain, _, value) in members {
                self.text(plain.expect("all keys are plain text"));
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

    /// Writes a value that is neither an array nor a map.
    pub(crate) fn scalar(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        // Most scalars are text or integers, which need no intermediate value.
        if let Some(text) = node.text() {
            self.text(&text);
            return Ok(());
        }
        if let Some(integer) = node.integer() {
            self.integer(integer);
            return Ok(());
        }
        match node.value() {
            Value::Null => self.null(),
            Value::Undefined => return self.undefined(),
            Value::Bool(value) => self.bool(value),
            Value::Simple(number) => return self.simple(number),
            Value::Integer(integer) => self.integer(integer),
            Value::Bytes(bytes) => self.bytes(&bytes),
            Value::LoneSurrogate(_) => return self.fail("text with a lone surrogate"),
            Value::Text(text) => self.text(&text),
            Value::BigInteger(token) => match big_integer(token) {
                Some(integer) => self.bignum(&integer),
                None => return self.fail("an integer of more than 4096 digits"),
            },
            Value::Float(Number::Decimal(decimal)) => {
                return self.decimal_fraction(decimal.as_str());
            }
            Value::Float(number) => return self.number(&number),
            Value::Tag(number @ (2 | 3), content) if content.kind() == Kind::Bytes => {
                let magnitude = content.bytes().expect("the kind is that of bytes");
                self.magnitude(number == 3, &magnitude);
            }
            Value::Tag(number, content) => {
                self.tag(number)?;
                return self.node(content);
            }
            Value::Array(_) | Value::Map(_) => unreachable!("containers are written before"),
        }
        Ok(())
    }

    /// Writes an integer as a bignum, or as an integer if it fits.
    pub(crate) fn bignum(&mut self, value: &BigInt) {
        match value.sign() {
            Sign::Minus => self.magnitude(true, &(-value - 1u8).magnitude().to_bytes_be()),
            _ => self.magnitude(false, &value.magnitude().to_bytes_be()),
        }
    }

    /// Writes a bignum in its preferred form: an integer if it fits, otherwise a tag on bytes
    /// without leading zeros.
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

    /// Writes a decimal fraction, tag 4: an exponent of ten and a mantissa.
    pub(crate) fn decimal_fraction(&mut self, token: &str) -> Result<(), EncodeError> {
        let Some(decimal) = DecimalParts::parse(token) else {
            return self.fail("a number whose exponent exceeds 64 bits");
        };
        let Some(mantissa) = decimal.mantissa() else {
            return self.fail("a number of more than 4096 digits");
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

    /// Writes a bignum or a decimal fraction as a JSON number, and refuses other tags.
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

/// Returns the deterministic form of a CBOR node.
pub(crate) fn deterministic(node: Node<'_, '_>) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    encoder.node(node).expect("CBOR can represent every value that was read from CBOR");
    encoder.finish()
}

/// Rewrites a document in another encoding or layout. Fails if the other encoding cannot
/// represent a value, so that nothing is lost.
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

/// Returns whether there is a byte string that is not the magnitude of a bignum.
fn has_bytes(document: &Document<'_>) -> bool {
    let mut number = None;
    (0..document.node_count()).any(|index| {
        let node = document.node(index);
        if let Some((2 | 3, content)) = node.tag() {
            number = Some(content.index());
        }
        node.kind() == Kind::Bytes && number != Some(node.index())
    })
}

/// Rewrites a part of a document. Byte strings become base64url text in JSON (RFC 8949 section
/// 6.1), which is only for display, because it is read as text.
pub(crate) fn transcode_node(node: Node<'_, '_>, to: &mut Encoder) -> Result<(), EncodeError> {
    if let Some(key) = node.duplicate_keys().next() {
        let name =
            key.text().map_or_else(|| key.kind().name().to_owned(), std::borrow::Cow::into_owned);
        return Err(EncodeError::DuplicateKey(name));
    }
    to.node(node)
}
