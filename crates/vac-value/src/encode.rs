//! Writing: one encoder, two encodings.

use std::fmt;
use std::ops::Range;

use data_encoding::BASE64URL_NOPAD;
use num_bigint::{BigInt, Sign};

use crate::document::{Document, Encoding, Kind, LOOSE, Node};
use crate::number::{Decimal, Number, big_integer, bignum_digits};
use crate::{cbor, json};

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// No space between tokens.
    #[default]
    Compact,
    /// Two spaces a level.
    Pretty,
}

/// Why a value cannot be written in an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The encoding has nothing for it.
    NotRepresentable {
        /// Where it cannot be written.
        encoding: Encoding,
        /// What cannot be written.
        what: &'static str,
    },
    /// A map would have the same key twice.
    DuplicateKey(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRepresentable { encoding, what } => {
                write!(f, "{encoding} cannot represent {what}")
            }
            Self::DuplicateKey(key) => write!(f, "the key {key} would stand twice in one map"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// What can be written in both encodings.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError>;

    /// The value as compact JSON.
    fn to_json(&self) -> Result<String, EncodeError> {
        let mut encoder = Encoder::json(Layout::Compact);
        self.encode(&mut encoder)?;
        Ok(String::from_utf8(encoder.finish()).unwrap_or_default())
    }

    /// The value as deterministic CBOR.
    fn to_cbor(&self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::cbor();
        self.encode(&mut encoder)?;
        Ok(encoder.finish())
    }
}

/// A key as a map's writer takes it.
#[derive(Clone, Copy)]
pub enum Key<'v> {
    /// Text.
    Text(&'v str),
    /// An integer label.
    Integer(i128),
    /// Anything else.
    Other(&'v dyn Encode),
}

/// The members of a map before they are written: CBOR sorts them.
#[derive(Default)]
pub struct MapEncoder<'v> {
    members: Vec<(Key<'v>, &'v dyn Encode)>,
    /// How many of them have keys that are known to differ.
    known: usize,
}

impl<'v> MapEncoder<'v> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { members: Vec::with_capacity(12), known: 0 }
    }

    /// Adds a member whose key the schema names. These come first.
    pub fn member(&mut self, key: Key<'v>, value: &'v dyn Encode) {
        self.members.push((key, value));
        self.known = self.members.len();
    }

    /// Adds such a member if there is a value.
    pub fn optional<T: Encode>(&mut self, key: Key<'v>, value: Option<&'v T>) {
        if let Some(value) = value {
            self.member(key, value);
        }
    }

    /// Adds a member whose key is data.
    pub fn extension(&mut self, key: Key<'v>, value: &'v dyn Encode) {
        self.members.push((key, value));
    }

    /// The keys, written one behind the other, and which bytes are whose.
    fn keys(&self, encoding: Encoding) -> Result<(Vec<u8>, Vec<Range<usize>>), EncodeError> {
        let mut encoder = Encoder::new(encoding);
        let mut ranges = Vec::with_capacity(self.members.len());
        for (key, _) in &self.members {
            let start = encoder.out.len();
            encoder.key(key)?;
            ranges.push(start..encoder.out.len());
        }
        Ok((encoder.finish(), ranges))
    }

    /// The members in the order of their written keys, none of which may be
    /// there twice.
    fn sorted(&self, encoding: Encoding) -> Result<Vec<(Vec<u8>, usize)>, EncodeError> {
        let (bytes, ranges) = self.keys(encoding)?;
        let mut order: Vec<_> =
            ranges.into_iter().enumerate().map(|(at, range)| (bytes[range].to_vec(), at)).collect();
        order.sort_unstable();
        match order.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(order),
            Some(pair) => Err(EncodeError::DuplicateKey(match self.members[pair[0].1].0 {
                Key::Text(text) => text.to_owned(),
                Key::Integer(label) => label.to_string(),
                Key::Other(_) => format!("{:02x?}", pair[0].0),
            })),
        }
    }
}

/// Writes values, JSON or deterministic CBOR (RFC 8949 section 4.2.1: shortest
/// heads, definite lengths, keys in bytewise order).
#[derive(Debug)]
pub struct Encoder {
    out: Vec<u8>,
    encoding: Encoding,
    layout: Layout,
    level: usize,
    /// Whether the innermost open JSON container has an element already.
    continued: bool,
}

impl Encoder {
    /// A writer of JSON.
    pub fn json(layout: Layout) -> Self {
        Self { out: Vec::new(), encoding: Encoding::Json, layout, level: 0, continued: false }
    }

    /// A writer of CBOR.
    pub fn cbor() -> Self {
        Self { encoding: Encoding::Cbor, ..Self::json(Layout::Compact) }
    }

    /// A writer of either; JSON is compact.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, ..Self::json(Layout::Compact) }
    }

    /// What it writes.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// What has been written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// What has been written so far.
    pub fn written(&self) -> &[u8] {
        &self.out
    }

    /// Forgets what has been written, and keeps the memory.
    pub fn clear(&mut self) {
        self.out.clear();
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.word(b"null", 0xf6);
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        if value {
            self.word(b"true", 0xf5);
        } else {
            self.word(b"false", 0xf4);
        }
    }

    /// Writes `undefined`.
    pub fn undefined(&mut self) -> Result<(), EncodeError> {
        self.cbor_only("undefined")?;
        self.out.push(0xf7);
        Ok(())
    }

    fn word(&mut self, json: &[u8], cbor: u8) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(json),
            Encoding::Cbor => self.out.push(cbor),
        }
    }

    /// Writes an integer; beyond -2^64 to 2^64 - 1 CBOR gets a bignum.
    pub fn integer(&mut self, value: i128) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(value.to_string().as_bytes()),
            Encoding::Cbor => {
                let (major, argument) = if value < 0 { (1, -1 - value) } else { (0, value) };
                match u64::try_from(argument) {
                    Ok(argument) => cbor::push_head(major, argument, &mut self.out),
                    Err(_) => self.bignum(&BigInt::from(value)),
                }
            }
        }
    }

    /// Writes a float: in JSON with the fewest digits that name it and no
    /// other, in CBOR in the shortest form that holds it.
    pub fn float(&mut self, value: f64) -> Result<(), EncodeError> {
        match self.encoding {
            Encoding::Json if !value.is_finite() => {
                return self.fail("a number that is not finite");
            }
            Encoding::Json => self.out.extend_from_slice(format!("{value:?}").as_bytes()),
            Encoding::Cbor => cbor::push_float(value, &mut self.out),
        }
        Ok(())
    }

    /// Writes a number. A decimal that no double has cannot be a CBOR number.
    pub fn number(&mut self, value: &Number<'_>) -> Result<(), EncodeError> {
        match (value, self.encoding) {
            (Number::Integer(integer), _) => self.integer(*integer),
            (Number::Float(float), _) => return self.float(*float),
            (Number::Decimal(token), Encoding::Json) => {
                self.out.extend_from_slice(token.as_bytes());
            }
            (Number::Decimal(_), Encoding::Cbor) => return self.fail("a decimal no double has"),
        }
        Ok(())
    }

    /// Writes text.
    pub fn text(&mut self, value: &str) {
        match self.encoding {
            Encoding::Json => json::push_text(value, &mut self.out),
            Encoding::Cbor => {
                cbor::push_head(3, value.len() as u64, &mut self.out);
                self.out.extend_from_slice(value.as_bytes());
            }
        }
    }

    /// Writes a byte string; JSON gets its base64url form as text.
    pub fn bytes(&mut self, value: &[u8]) {
        match self.encoding {
            Encoding::Json => self.text(&BASE64URL_NOPAD.encode(value)),
            Encoding::Cbor => {
                cbor::push_head(2, value.len() as u64, &mut self.out);
                self.out.extend_from_slice(value);
            }
        }
    }

    /// Writes the head of a tag; what it is on comes next.
    pub fn tag(&mut self, number: u64) -> Result<(), EncodeError> {
        self.cbor_only("a tag")?;
        cbor::push_head(6, number, &mut self.out);
        Ok(())
    }

    /// Writes a simple value.
    pub fn simple(&mut self, number: u8) -> Result<(), EncodeError> {
        self.cbor_only("a simple value")?;
        cbor::push_head(7, u64::from(number), &mut self.out);
        Ok(())
    }

    /// Begins an array of so many elements. Call [`Encoder::element`] before
    /// each, and [`Encoder::end_array`] behind the last.
    pub fn begin_array(&mut self, length: usize) {
        match self.encoding {
            Encoding::Json => self.begin(b'['),
            Encoding::Cbor => cbor::push_head(4, length as u64, &mut self.out),
        }
    }

    /// Goes to the next element.
    pub fn element(&mut self) {
        if self.encoding == Encoding::Json {
            if self.continued {
                self.out.push(b',');
            }
            self.line();
            self.continued = true;
        }
    }

    /// Ends an array.
    pub fn end_array(&mut self) {
        if self.encoding == Encoding::Json {
            self.end(b']');
        }
    }

    /// Writes an array.
    pub fn array<T: Encode>(&mut self, elements: &[T]) -> Result<(), EncodeError> {
        self.begin_array(elements.len());
        for element in elements {
            self.element();
            element.encode(self)?;
        }
        self.end_array();
        Ok(())
    }

    /// Writes a map: JSON in the order of the members, CBOR sorted.
    pub fn map(&mut self, map: &MapEncoder<'_>) -> Result<(), EncodeError> {
        if self.encoding == Encoding::Cbor {
            let order = map.sorted(self.encoding)?;
            cbor::push_head(5, map.members.len() as u64, &mut self.out);
            for (key, at) in order {
                self.out.extend_from_slice(&key);
                map.members[at].1.encode(self)?;
            }
            return Ok(());
        }
        if map.known < map.members.len() {
            map.sorted(self.encoding)?;
        }
        self.begin(b'{');
        for (key, value) in &map.members {
            self.element();
            self.key(key)?;
            self.colon();
            value.encode(self)?;
        }
        self.end(b'}');
        Ok(())
    }

    /// Whether bytes of an encoding can be copied as they are.
    pub(crate) fn takes_raw(&self, encoding: Encoding) -> bool {
        self.encoding == encoding && self.layout == Layout::Compact
    }

    /// Copies bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn key(&mut self, key: &Key<'_>) -> Result<(), EncodeError> {
        match (key, self.encoding) {
            (Key::Text(text), _) => self.text(text),
            (Key::Integer(_), Encoding::Json) => return self.fail("a key that is not text"),
            (Key::Integer(label), Encoding::Cbor) => self.integer(*label),
            (Key::Other(key), _) => {
                let at = self.out.len();
                key.encode(self)?;
                if self.encoding == Encoding::Json && self.out.get(at) != Some(&b'"') {
                    return self.fail("a key that is not text");
                }
            }
        }
        Ok(())
    }

    /// Writes a scanned value: the same tokens in its own encoding, the same
    /// value in the other, or an error that says what has no counterpart.
    pub fn node(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        let same = node.encoding() == self.encoding;
        if !node.flag(LOOSE) && self.takes_raw(node.encoding()) {
            self.out.extend_from_slice(node.raw());
            return Ok(());
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
            Kind::Tag if self.encoding == Encoding::Json => self.tag_in_json(node),
            Kind::Tag => {
                let Some((number, content)) = node.tag() else { return Ok(()) };
                self.tag(number)?;
                self.node(content)
            }
            _ if same && self.encoding == Encoding::Json => {
                self.out.extend_from_slice(node.raw());
                Ok(())
            }
            _ => self.scalar(node),
        }
    }

    fn node_map(&mut self, node: Node<'_, '_>) -> Result<(), EncodeError> {
        if self.encoding == Encoding::Json {
            self.begin(b'{');
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
        let mut members = Vec::new();
        for (key, value) in node.members() {
            let mut encoder = Encoder::cbor();
            encoder.node(key)?;
            members.push((encoder.finish(), value));
        }
        members.sort_by(|one, other| one.0.cmp(&other.0));
        cbor::push_head(5, members.len() as u64, &mut self.out);
        for (key, value) in members {
            self.out.extend_from_slice(&key);
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
            Kind::Text => match node.text() {
                Some(text) => self.text(&text),
                None => return self.fail("text with a lone surrogate"),
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
    fn bignum(&mut self, value: &BigInt) {
        let (tag, magnitude) = match value.sign() {
            Sign::Minus => (3, (-value - 1u8).magnitude().to_bytes_be()),
            _ => (2, value.magnitude().to_bytes_be()),
        };
        cbor::push_head(6, tag, &mut self.out);
        self.bytes(&magnitude);
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
                self.out.extend_from_slice(digits.as_bytes());
                Ok(())
            }
            None => self.fail("this tag"),
        }
    }

    fn begin(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.level += 1;
        self.continued = false;
    }

    fn end(&mut self, bracket: u8) {
        self.level -= 1;
        if self.continued {
            self.line();
        }
        self.out.push(bracket);
        self.continued = true;
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push(b'\n');
            self.out.extend(std::iter::repeat_n(b' ', 2 * self.level));
        }
    }

    fn colon(&mut self) {
        self.out.push(b':');
        if self.layout == Layout::Pretty {
            self.out.push(b' ');
        }
    }

    fn cbor_only(&self, what: &'static str) -> Result<(), EncodeError> {
        match self.encoding {
            Encoding::Json => self.fail(what),
            Encoding::Cbor => Ok(()),
        }
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::NotRepresentable { encoding: self.encoding, what })
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
    if let Some(key) = document.duplicate_keys().next() {
        let name =
            key.text().map_or_else(|| key.kind().name().to_owned(), |text| text.into_owned());
        return Err(EncodeError::DuplicateKey(name));
    }
    to.node(document.root())
}
