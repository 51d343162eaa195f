//! Writes both encodings.

mod containers;

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use num_bigint::BigInt;

use crate::document::{Document, Encoding, Kind};
use crate::encode::{Encode, EncodeError, Layout};
use crate::map_encoder::Key;
use crate::node::Value;
use crate::number::{Number, shortest};
use crate::write_index::WriteIndex;
use crate::{SyntaxError, cbor, json};

/// The receiver of values that are not written as bytes: a serializer of serde. It keeps errors,
/// because they have the serializer's own type.
pub(crate) trait Sink {
    /// Takes a value.
    fn value(&mut self, value: Value<'_, '_>);

    /// Takes an array.
    fn array(&mut self, length: usize, elements: &mut dyn Iterator<Item = &dyn Encode>);

    /// Takes the number of a tag and its content.
    fn tagged(&mut self, number: u64, content: &dyn Encode);

    /// Begins a map.
    fn begin_map(&mut self);

    /// Takes a member of the map.
    fn member(&mut self, key: &Key<'_>, value: &dyn Encode);

    /// Ends the map.
    fn end_map(&mut self);

    /// Stores the error that a value was written piece by piece.
    fn unsupported(&mut self);
}

/// Writes values as JSON or as deterministic CBOR (RFC 8949 section 4.2.1: shortest heads,
/// definite lengths, keys in bytewise order).
pub struct Encoder<'s> {
    out: Vec<u8>,
    encoding: Encoding,
    layout: Layout,
    level: usize,
    /// Whether the innermost open JSON container already has an element.
    continued: bool,
    /// The index of the written values, if it was requested.
    index: Option<WriteIndex>,
    /// The receiver of values instead of `out`.
    sink: Option<&'s mut (dyn Sink + 's)>,
}

impl fmt::Debug for Encoder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("encoding", &self.encoding)
            .field("layout", &self.layout)
            .field("written", &self.out.len())
            .finish_non_exhaustive()
    }
}

impl<'s> Encoder<'s> {
    /// Creates a writer of JSON.
    pub fn json(layout: Layout) -> Self {
        Self {
            out: Vec::new(),
            encoding: Encoding::Json,
            layout,
            level: 0,
            continued: false,
            index: None,
            sink: None,
        }
    }

    /// Creates a writer of CBOR.
    pub fn cbor() -> Self {
        Self::new(Encoding::Cbor)
    }

    /// Creates a writer of an encoding; JSON is compact.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, ..Self::json(Layout::Compact) }
    }

    /// Creates a writer that passes values on. The sink accepts what `encoding` can represent.
    pub(crate) fn with_sink(encoding: Encoding, sink: &'s mut (dyn Sink + 's)) -> Self {
        Self { sink: Some(sink), ..Self::new(encoding) }
    }

    /// Reserves memory for a number of bytes.
    #[must_use]
    pub fn with_capacity(mut self, bytes: usize) -> Self {
        self.out.reserve(bytes);
        self
    }

    /// Changes the layout of the JSON that follows.
    pub fn set_layout(&mut self, layout: Layout) {
        self.layout = layout;
    }

    /// Makes the encoder build an index while it writes, which [`Encoder::read_index`] reads.
    #[must_use]
    pub fn indexed(self) -> Self {
        Self { index: Some(WriteIndex::default()), ..self }
    }

    /// Calls a function with the document that has been written since the encoder was
    /// [cleared](Encoder::clear). If the encoder is [`indexed`](Encoder::indexed), the document
    /// is not scanned again, and every carried value ([`crate::Any`]) in it, which can be large, is
    /// a null. A schema in which its type is `any` accepts that as well.
    pub fn read_index<T>(
        &mut self,
        read: impl FnOnce(&Document<'_>) -> T,
    ) -> Result<T, SyntaxError> {
        let Some(index) = self.index.as_mut() else {
            return Ok(read(&Document::scan(&self.out, self.encoding)?));
        };
        match index.take() {
            Some(entries) => {
                let document = Document::from_index(&self.out, self.encoding, entries)?;
                let result = read(&document);
                index.give_back(document.entries);
                Ok(result)
            }
            None => {
                // In JSON a separator can precede the item.
                let start = if self.encoding == Encoding::Json { index.start() } else { 0 };
                Ok(read(&Document::scan(&self.out[start..], self.encoding)?))
            }
        }
    }

    /// Returns the encoding that is written.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the written bytes.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Returns the bytes written so far.
    pub fn written(&self) -> &[u8] {
        &self.out
    }

    /// Discards the written bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.out.clear();
        if let Some(index) = &mut self.index {
            index.clear();
        }
    }

    /// Passes a value to the sink, if there is one.
    #[inline]
    fn sink<'d, 'a: 'd>(&mut self, value: impl FnOnce() -> Value<'d, 'a>) -> bool {
        let Some(sink) = &mut self.sink else { return false };
        sink.value(value());
        true
    }

    pub(crate) fn sink_mut(&mut self) -> Option<&mut (dyn Sink + 's)> {
        self.sink.as_deref_mut()
    }

    /// Adds the value that was written since `start` to the index.
    #[inline]
    fn leaf(&mut self, kind: Kind, start: usize) {
        if let Some(index) = &mut self.index {
            index.leaf(kind, start, self.out.len());
        }
    }

    #[inline]
    fn text_leaf(&mut self, start: usize, escaped: bool) {
        if let Some(index) = &mut self.index {
            index.leaf(Kind::Text, start, self.out.len());
            if escaped {
                index.escaped();
            }
        }
    }

    fn opened(&mut self, kind: Kind) {
        if let Some(index) = &mut self.index {
            index.open(kind, self.out.len());
        }
    }

    fn closed(&mut self) {
        if let Some(index) = &mut self.index {
            index.close(self.out.len());
        }
    }

    /// Marks the index as incomplete, because a value is written that it cannot represent.
    fn not_indexed(&mut self) {
        if let Some(index) = &mut self.index {
            index.unknown();
        }
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        if self.sink(|| Value::Null) {
            return;
        }
        self.word(Kind::Null, b"null", 0xf6);
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        if self.sink(|| Value::Bool(value)) {
            return;
        }
        if value {
            self.word(Kind::Bool, b"true", 0xf5);
        } else {
            self.word(Kind::Bool, b"false", 0xf4);
        }
    }

    /// Writes `undefined`.
    pub fn undefined(&mut self) -> Result<(), EncodeError> {
        self.cbor_only("undefined")?;
        if self.sink(|| Value::Undefined) {
            return Ok(());
        }
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

    /// Writes an integer. Outside of -2^64 to 2^64 - 1 it is a bignum in CBOR.
    pub fn integer(&mut self, value: i128) {
        if self.sink(|| Value::Integer(value)) {
            return;
        }
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

    /// Writes a float: in JSON with the fewest digits that identify it, in CBOR in the shortest
    /// form that holds it.
    pub fn float(&mut self, value: f64) -> Result<(), EncodeError> {
        let start = self.out.len();
        match self.encoding {
            Encoding::Json if !value.is_finite() => {
                return self.fail("a number that is not finite");
            }
            _ if self.sink.is_some() => {
                self.sink(|| Value::Float(Number::Float(value)));
                return Ok(());
            }
            Encoding::Json => self.out.extend_from_slice(shortest(value).as_bytes()),
            Encoding::Cbor => cbor::push_float(value, &mut self.out),
        }
        self.leaf(Kind::Float, start);
        Ok(())
    }

    /// Writes a number. Fails in CBOR for a [`Number::Decimal`].
    pub fn number(&mut self, value: &Number<'_>) -> Result<(), EncodeError> {
        match (value, self.encoding) {
            (Number::Integer(integer), _) => self.integer(*integer),
            (Number::Float(float), _) => return self.float(*float),
            (Number::Decimal(decimal), Encoding::Json) => {
                if self.sink(|| Value::Float(value.clone())) {
                    return Ok(());
                }
                let start = self.out.len();
                self.out.extend_from_slice(decimal.as_str().as_bytes());
                self.leaf(Kind::Float, start);
            }
            (Number::Decimal(_), Encoding::Cbor) => {
                return self.fail("a decimal that no double equals");
            }
        }
        Ok(())
    }

    /// Writes text.
    pub fn text(&mut self, value: &str) {
        if self.sink(|| Value::Text(value.into())) {
            return;
        }
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

    /// Writes a byte string; in JSON, base64url text without padding.
    pub fn bytes(&mut self, value: &[u8]) {
        match self.encoding {
            Encoding::Json => self.text(&BASE64URL_NOPAD.encode(value)),
            Encoding::Cbor => {
                if self.sink(|| Value::Bytes(value.into())) {
                    return;
                }
                let start = self.out.len();
                cbor::push_head(2, value.len() as u64, &mut self.out);
                self.out.extend_from_slice(value);
                self.leaf(Kind::Bytes, start);
            }
        }
    }

    /// Writes a tag and its content.
    pub fn tagged(&mut self, number: u64, content: &dyn Encode) -> Result<(), EncodeError> {
        self.cbor_only("a tag")?;
        if let Some(sink) = &mut self.sink {
            sink.tagged(number, content);
            return Ok(());
        }
        self.tag(number)?;
        content.encode(self)
    }

    /// Writes the head of a tag. The content has to be written next.
    pub fn tag(&mut self, number: u64) -> Result<(), EncodeError> {
        self.cbor_only("a tag")?;
        self.piecewise();
        self.not_indexed();
        cbor::push_head(6, number, &mut self.out);
        Ok(())
    }

    /// Writes a simple value.
    pub fn simple(&mut self, number: u8) -> Result<(), EncodeError> {
        self.cbor_only("a simple value")?;
        if self.sink(|| Value::Simple(number)) {
            return Ok(());
        }
        self.not_indexed();
        cbor::push_head(7, u64::from(number), &mut self.out);
        Ok(())
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
