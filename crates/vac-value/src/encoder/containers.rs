//! Writes arrays, maps and carried values.

use std::ops::Range;

use super::Encoder;
use crate::cbor;
use crate::document::{Encoding, Kind};
use crate::encode::{Encode, EncodeError, Layout};
use crate::map_encoder::{Key, WithKey};

impl Encoder<'_> {
    /// Begins an array of `length` elements. Call [`Encoder::element`] before each, and
    /// [`Encoder::end_array`] after the last. [`Encoder::array`] is simpler, and the only way
    /// that serde supports.
    pub fn begin_array(&mut self, length: usize) {
        self.piecewise();
        match self.encoding {
            Encoding::Json => self.begin(Kind::Array, b'['),
            Encoding::Cbor => {
                self.opened(Kind::Array);
                cbor::push_head(4, length as u64, &mut self.out);
            }
        }
    }

    /// Writes the separator before the next element.
    #[inline]
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
        if let Some(sink) = &mut self.sink {
            let mut all = elements.iter().map(|element| element as &dyn Encode);
            sink.array(elements.len(), &mut all);
            return Ok(());
        }
        self.begin_array(elements.len());
        for element in elements {
            self.element();
            element.encode(self)?;
        }
        self.end_array();
        Ok(())
    }

    /// Writes the key of the next member of a JSON map and returns its range.
    pub(crate) fn member_key(&mut self, key: &Key<'_>) -> Result<Range<usize>, EncodeError> {
        if self.sink.is_some() {
            let start = self.out.len();
            key.push_cbor(&mut self.out)?;
            return Ok(start..self.out.len());
        }
        self.element();
        let start = self.out.len();
        match key {
            // The fast path for nearly all keys of typed maps.
            Key::Name(name) => self.name(name),
            key => self.key(key)?,
        }
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
        self.not_indexed();
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
        if let Some(index) = &mut self.index {
            index.begin_carried();
        }
        let written = write(self);
        if let Some(index) = &mut self.index {
            index.end_carried(start, self.out.len());
        }
        written
    }

    /// Copies the bytes of a carried value.
    #[inline]
    pub(crate) fn carried_raw(&mut self, bytes: &[u8]) {
        let start = self.out.len();
        self.out.extend_from_slice(bytes);
        self.leaf(Kind::Null, start);
    }

    /// Returns whether bytes of an encoding can be copied.
    #[inline]
    pub(crate) fn takes_raw(&self, encoding: Encoding) -> bool {
        self.encoding == encoding && self.layout == Layout::Compact && self.sink.is_none()
    }

    /// Reports an error if a value is written piece by piece to a sink, which needs whole values.
    pub(super) fn piecewise(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.unsupported();
        }
    }

    /// Returns the buffer that is written to.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        self.not_indexed();
        &mut self.out
    }

    /// Writes the head of a CBOR item with a length.
    pub(crate) fn head(&mut self, major: u8, length: usize) {
        cbor::push_head(major, length as u64, self.out());
    }

    /// Writes the head of a CBOR tag.
    pub(crate) fn tag_head(&mut self, number: u64) {
        cbor::push_head(6, number, self.out());
    }

    /// Copies bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.not_indexed();
        self.out.extend_from_slice(bytes);
    }

    /// Writes text without characters that JSON escapes as JSON.
    #[inline]
    fn name(&mut self, name: &str) {
        let start = self.out.len();
        self.out.reserve(name.len() + 3);
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'"');
        self.text_leaf(start, false);
    }

    pub(crate) fn key(&mut self, key: &Key<'_>) -> Result<(), EncodeError> {
        match (key, self.encoding) {
            (Key::Name(name), Encoding::Json) => self.name(name),
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

    #[inline]
    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.indent();
        }
    }

    #[cold]
    fn indent(&mut self) {
        self.out.push(b'\n');
        self.out.extend(std::iter::repeat_n(b' ', 2 * self.level));
    }

    #[inline]
    pub(crate) fn colon(&mut self) {
        self.out.push(b':');
        if self.layout == Layout::Pretty {
            self.out.push(b' ');
        }
    }
}
