//! Writing: one encoder, two encodings.

use std::fmt;
use std::ops::Range;

use data_encoding::BASE64URL_NOPAD;
use num_bigint::BigInt;

use crate::document::{Document, Encoding, Kind};
use crate::map_encoder::{Key, WithKey};
use crate::number::{Number, shortest};
use crate::outline::Outline;
use crate::{SyntaxError, cbor, json};

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

/// What encoding returns.
pub type Encoded = Result<(), EncodeError>;

/// What can be written in both encodings.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError>;

    /// The text, if this is nothing but text: maps compare such keys unwritten.
    fn as_text(&self) -> Option<&str> {
        None
    }

    /// The value as compact JSON.
    fn to_json(&self) -> Result<String, EncodeError> {
        let mut encoder = Encoder::json(Layout::Compact);
        self.encode(&mut encoder)?;
        Ok(String::from_utf8(encoder.finish()).unwrap_or_default())
    }

    /// Returns the value as JSON with line breaks and two spaces of indentation a level.
    fn to_json_pretty(&self) -> Result<String, EncodeError> {
        let mut encoder = Encoder::json(Layout::Pretty);
        self.encode(&mut encoder)?;
        Ok(String::from_utf8(encoder.finish()).expect("JSON is written as UTF-8"))
    }

    /// The value as deterministic CBOR.
    fn to_cbor(&self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::cbor();
        self.encode(&mut encoder)?;
        Ok(encoder.finish())
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
    /// The index of what has been written, if somebody wants it.
    outline: Option<Outline>,
}

impl Encoder {
    /// A writer of JSON.
    pub fn json(layout: Layout) -> Self {
        let out = Vec::new();
        Self { out, encoding: Encoding::Json, layout, level: 0, continued: false, outline: None }
    }

    /// A writer of CBOR.
    pub fn cbor() -> Self {
        Self { encoding: Encoding::Cbor, ..Self::json(Layout::Compact) }
    }

    /// A writer of either; JSON is compact.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, ..Self::json(Layout::Compact) }
    }

    /// The same writer, with room for so many bytes.
    #[must_use]
    pub fn with_room(mut self, bytes: usize) -> Self {
        self.out.reserve(bytes);
        self
    }

    /// Lays out JSON differently from here on.
    pub fn set_layout(&mut self, layout: Layout) {
        self.layout = layout;
    }

    /// The same writer, which also keeps an [`outline`](Encoder::outline).
    #[must_use]
    pub fn outlined(self) -> Self {
        Self { outline: Some(Outline::default()), ..self }
    }

    /// Shows what has been written since it was [cleared](Encoder::clear), indexed as it
    /// was written and without a look into carried values ([`crate::Any`]), which stand
    /// there as null: what a schema says something about is left, and megabytes that it
    /// calls `any` are not.
    pub fn outline<T>(&mut self, look: impl FnOnce(&Document<'_>) -> T) -> Result<T, SyntaxError> {
        let Some(outline) = self.outline.as_mut() else {
            return Ok(look(&Document::scan(&self.out, self.encoding)?));
        };
        match outline.take() {
            Some(entries) => {
                let document = Document::of_index(&self.out, self.encoding, entries)?;
                let seen = look(&document);
                outline.give_back(document.entries);
                Ok(seen)
            }
            None => {
                // Only in JSON can a separator stand before it.
                let start = if self.encoding == Encoding::Json { outline.start() } else { 0 };
                Ok(look(&Document::scan(self.out.get(start..).unwrap_or_default(), self.encoding)?))
            }
        }
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
        if let Some(outline) = &mut self.outline {
            outline.clear();
        }
    }

    /// Notes what was written since `start`.
    #[inline]
    fn leaf(&mut self, kind: Kind, start: usize) {
        if let Some(outline) = &mut self.outline {
            outline.leaf(kind, start, self.out.len());
        }
    }

    #[inline]
    fn text_leaf(&mut self, start: usize, escaped: bool) {
        if let Some(outline) = &mut self.outline {
            outline.leaf(Kind::Text, start, self.out.len());
            if escaped {
                outline.escaped();
            }
        }
    }

    fn opened(&mut self, kind: Kind) {
        if let Some(outline) = &mut self.outline {
            outline.open(kind, self.out.len());
        }
    }

    fn closed(&mut self) {
        if let Some(outline) = &mut self.outline {
            outline.close(self.out.len());
        }
    }

    /// Notes that something is written behind the index's back.
    fn untold(&mut self) {
        if let Some(outline) = &mut self.outline {
            outline.unknown();
        }
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.word(Kind::Null, b"null", 0xf6);
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        if value {
            self.word(Kind::Bool, b"true", 0xf5);
        } else {
            self.word(Kind::Bool, b"false", 0xf4);
        }
    }

    /// Writes `undefined`.
    pub fn undefined(&mut self) -> Result<(), EncodeError> {
        self.cbor_only("undefined")?;
        self.word(Kind::Undefined, b"undefined", 0xf7);
        Ok(())
    }

    fn word(&mut self, kind: Kind, json: &[u8], cbor: u8) {
        let start = self.out.len();
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(json),
            Encoding::Cbor => self.out.push(cbor),
        }
        self.leaf(kind, start);
    }

    /// Writes an integer; beyond -2^64 to 2^64 - 1 CBOR gets a bignum.
    pub fn integer(&mut self, value: i128) {
        match self.encoding {
            Encoding::Json => {
                let start = self.out.len();
                json::push_integer(value, &mut self.out);
                let fits = u64::try_from(if value < 0 { -1 - value } else { value }).is_ok();
                self.leaf(if fits { Kind::Integer } else { Kind::BigInteger }, start);
            }
            Encoding::Cbor => {
                let (major, argument) = if value < 0 { (1, -1 - value) } else { (0, value) };
                match u64::try_from(argument) {
                    Ok(argument) => {
                        let start = self.out.len();
                        cbor::push_head(major, argument, &mut self.out);
                        self.leaf(Kind::Integer, start);
                    }
                    Err(_) => self.bignum(&BigInt::from(value)),
                }
            }
        }
    }

    /// Writes a float: in JSON with the fewest digits that name it and no
    /// other, in CBOR in the shortest form that holds it.
    pub fn float(&mut self, value: f64) -> Result<(), EncodeError> {
        let start = self.out.len();
        match self.encoding {
            Encoding::Json if !value.is_finite() => {
                return self.fail("a number that is not finite");
            }
            Encoding::Json => self.out.extend_from_slice(shortest(value).as_bytes()),
            Encoding::Cbor => cbor::push_float(value, &mut self.out),
        }
        self.leaf(Kind::Float, start);
        Ok(())
    }

    /// Writes a number. A decimal that no double has cannot be a CBOR number.
    pub fn number(&mut self, value: &Number<'_>) -> Result<(), EncodeError> {
        match (value, self.encoding) {
            (Number::Integer(integer), _) => self.integer(*integer),
            (Number::Float(float), _) => return self.float(*float),
            (Number::Decimal(token), Encoding::Json) => {
                let start = self.out.len();
                self.out.extend_from_slice(token.as_bytes());
                self.leaf(Kind::Float, start);
            }
            (Number::Decimal(_), Encoding::Cbor) => return self.fail("a decimal no double has"),
        }
        Ok(())
    }

    /// Writes text.
    pub fn text(&mut self, value: &str) {
        let start = self.out.len();
        let escaped = match self.encoding {
            Encoding::Json => json::push_text(value, &mut self.out),
            Encoding::Cbor => {
                cbor::push_head(3, value.len() as u64, &mut self.out);
                self.out.extend_from_slice(value.as_bytes());
                false
            }
        };
        self.text_leaf(start, escaped);
    }

    /// Writes a byte string; JSON gets its base64url form as text.
    pub fn bytes(&mut self, value: &[u8]) {
        match self.encoding {
            Encoding::Json => self.text(&BASE64URL_NOPAD.encode(value)),
            Encoding::Cbor => {
                let start = self.out.len();
                cbor::push_head(2, value.len() as u64, &mut self.out);
                self.out.extend_from_slice(value);
                self.leaf(Kind::Bytes, start);
            }
        }
    }

    /// Writes the head of a tag; what it is on comes next.
    pub fn tag(&mut self, number: u64) -> Result<(), EncodeError> {
        self.cbor_only("a tag")?;
        self.untold();
        cbor::push_head(6, number, &mut self.out);
        Ok(())
    }

    /// Writes a simple value.
    pub fn simple(&mut self, number: u8) -> Result<(), EncodeError> {
        self.cbor_only("a simple value")?;
        self.untold();
        cbor::push_head(7, u64::from(number), &mut self.out);
        Ok(())
    }

    /// Begins an array of so many elements. Call [`Encoder::element`] before
    /// each, and [`Encoder::end_array`] behind the last.
    pub fn begin_array(&mut self, length: usize) {
        match self.encoding {
            Encoding::Json => self.begin(Kind::Array, b'['),
            Encoding::Cbor => {
                self.opened(Kind::Array);
                cbor::push_head(4, length as u64, &mut self.out);
            }
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
        match self.encoding {
            Encoding::Json => self.end(b']'),
            Encoding::Cbor => self.closed(),
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

    /// Goes to the next member of a JSON map and writes its key; gives the place of that.
    pub(crate) fn member_key(&mut self, key: &Key<'_>) -> Result<Range<usize>, EncodeError> {
        self.element();
        let start = self.out.len();
        self.key(key)?;
        let end = self.out.len();
        self.colon();
        Ok(start..end)
    }

    /// Writes a CBOR map whose keys are text, in their order.
    pub(crate) fn sorted_map(
        &mut self,
        members: &[(Key<'_>, &dyn Encode)],
    ) -> Result<(), EncodeError> {
        self.opened(Kind::Map);
        cbor::push_head(5, members.len() as u64, &mut self.out);
        for (key, value) in members {
            self.key(key)?;
            value.encode(self)?;
        }
        self.closed();
        Ok(())
    }

    /// Writes a CBOR map whose keys have been written, in their order.
    pub(crate) fn map_with_keys(&mut self, members: Vec<WithKey<'_>>) -> Result<(), EncodeError> {
        self.untold();
        cbor::push_head(5, members.len() as u64, &mut self.out);
        for (key, value) in members {
            self.out.extend_from_slice(&key);
            value.encode(self)?;
        }
        Ok(())
    }

    /// Writes a carried value.
    pub(crate) fn carried(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let start = self.out.len();
        if let Some(outline) = &mut self.outline {
            outline.begin_carried();
        }
        let written = write(self);
        if let Some(outline) = &mut self.outline {
            outline.end_carried(start, self.out.len());
        }
        written
    }

    /// Copies a carried value as it stands.
    #[inline]
    pub(crate) fn carried_raw(&mut self, bytes: &[u8]) {
        let start = self.out.len();
        self.out.extend_from_slice(bytes);
        self.leaf(Kind::Null, start);
    }

    /// Whether bytes of an encoding can be copied as they are.
    #[inline]
    pub(crate) fn takes_raw(&self, encoding: Encoding) -> bool {
        self.encoding == encoding && self.layout == Layout::Compact
    }

    /// Where everything is written.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        self.untold();
        &mut self.out
    }

    /// Copies bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.untold();
        self.out.extend_from_slice(bytes);
    }

    pub(crate) fn key(&mut self, key: &Key<'_>) -> Result<(), EncodeError> {
        match (key, self.encoding) {
            (Key::Name(name), Encoding::Json) => {
                let start = self.out.len();
                self.out.reserve(name.len() + 3);
                self.out.push(b'"');
                self.out.extend_from_slice(name.as_bytes());
                self.out.push(b'"');
                self.text_leaf(start, false);
            }
            (Key::Name(text) | Key::Text(text), _) => self.text(text),
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

    pub(crate) fn begin(&mut self, kind: Kind, bracket: u8) {
        self.opened(kind);
        self.out.push(bracket);
        self.level += 1;
        self.continued = false;
    }

    pub(crate) fn end(&mut self, bracket: u8) {
        self.level -= 1;
        if self.continued {
            self.line();
        }
        self.out.push(bracket);
        self.closed();
        self.continued = true;
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push(b'\n');
            self.out.extend(std::iter::repeat_n(b' ', 2 * self.level));
        }
    }

    pub(crate) fn colon(&mut self) {
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

    pub(crate) fn fail<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::NotRepresentable { encoding: self.encoding, what })
    }
}
