//! Scans bytes into a [`Document`]: limits, and the index that both scanners fill.

use std::str::Utf8Error;

use crate::document::{Document, Encoding, Entry, Kind, LOOSE, Source};
use crate::{Problem, SyntaxError, cbor, duplicates, json};

/// Limits of documents. Exceeding one is an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of nested containers and tags.
    pub depth: usize,
    /// The maximum number of bytes of one document.
    pub size: usize,
    /// The maximum number of nodes (values and keys) of one JSON document. Each takes 16 bytes of
    /// memory, and two bytes of JSON are enough for one.
    pub nodes: usize,
}

impl Default for Limits {
    /// Returns the limits of 256 levels and 4 GiB, the range of 32-bit offsets.
    fn default() -> Self {
        Self { depth: 256, size: u32::MAX as usize, nodes: u32::MAX as usize }
    }
}

/// Scans documents one after the other. It reuses the memory of documents that are
/// [recycled](Scanner::recycle).
#[derive(Debug, Default)]
pub struct Scanner {
    limits: Limits,
    spare: Vec<Entry>,
}

/// The assumed number of bytes of JSON per node. Few documents have more nodes.
const BYTES_PER_NODE: usize = 6;
/// The maximum number of nodes that memory is reserved for before they are found.
const FIRST_NODES: usize = 64;

impl Scanner {
    /// Creates a scanner with the given limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, spare: Vec::new() }
    }

    /// Scans JSON text: one document, and white space around it.
    pub fn json<'a>(&mut self, source: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        let (document, end) = self.json_prefix(source)?;
        match source[end..].iter().position(|byte| !json::is_space(*byte)) {
            None => Ok(document),
            Some(more) => Err(SyntaxError { offset: end + more, problem: Problem::Trailing }),
        }
    }

    /// Scans the JSON document at the beginning of the input and returns it with the offset of
    /// its end. The whole input must be UTF-8.
    pub fn json_prefix<'a>(
        &mut self,
        source: &'a [u8],
    ) -> Result<(Document<'a>, usize), SyntaxError> {
        self.json_text_prefix(text(source)?)
    }

    /// Does the same as [`Scanner::json_prefix`] for text that is known to be UTF-8.
    pub fn json_text_prefix<'a>(
        &mut self,
        text: &'a str,
    ) -> Result<(Document<'a>, usize), SyntaxError> {
        let mut index = self.index(Source::Json(text))?;
        let end = json::scan(text, &mut index)?;
        Ok((index.finish(), end))
    }

    /// Scans CBOR: exactly one item.
    pub fn cbor<'a>(&mut self, source: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        let (document, end) = self.cbor_prefix(source)?;
        if end < source.len() {
            return Err(SyntaxError { offset: end, problem: Problem::Trailing });
        }
        Ok(document)
    }

    /// Scans the CBOR item at the beginning of the input and returns it with the offset of its
    /// end.
    pub fn cbor_prefix<'a>(
        &mut self,
        source: &'a [u8],
    ) -> Result<(Document<'a>, usize), SyntaxError> {
        let mut index = self.index(Source::Cbor(source))?;
        let end = cbor::scan(source, &mut index)?;
        Ok((index.finish(), end))
    }

    /// Scans a document in an encoding.
    pub fn scan<'a>(
        &mut self,
        source: &'a [u8],
        encoding: Encoding,
    ) -> Result<Document<'a>, SyntaxError> {
        match encoding {
            Encoding::Json => self.json(source),
            Encoding::Cbor => self.cbor(source),
        }
    }

    /// Keeps the memory of a document to use it for the next one.
    pub fn recycle(&mut self, document: Document<'_>) {
        if document.entries.capacity() > self.spare.capacity() {
            self.spare = document.entries;
        }
    }

    /// Moves the index of a document to a buffer of the size that it needs, and keeps the larger
    /// one for the next document.
    pub fn settle<'a>(&mut self, mut document: Document<'a>) -> Document<'a> {
        let entries = document.entries.as_slice().to_vec();
        self.spare = std::mem::replace(&mut document.entries, entries);
        document
    }

    /// Returns empty memory for an index: that of a recycled document, if there is one.
    pub(crate) fn take_spare(&mut self) -> Vec<Entry> {
        let mut entries = std::mem::take(&mut self.spare);
        entries.clear();
        entries
    }

    fn index<'a>(&mut self, source: Source<'a>) -> Result<Index<'a>, SyntaxError> {
        let limit = self.limits.size.min(u32::MAX as usize);
        if source.bytes().len() > limit {
            return Err(SyntaxError { offset: limit, problem: Problem::Size(limit) });
        }
        let mut entries = self.take_spare();
        if entries.capacity() == 0 {
            // Most documents that are scanned on their own are small values, for which one
            // allocation is enough.
            entries.reserve((source.bytes().len() / BYTES_PER_NODE).clamp(1, FIRST_NODES));
        }
        Ok(Index {
            document: Document { source, entries, duplicates: Vec::new(), line_ends: 0 },
            depth: self.limits.depth,
            nodes: self.limits.nodes,
        })
    }
}

/// Checks that bytes are UTF-8.
pub(crate) fn text(source: &[u8]) -> Result<&str, SyntaxError> {
    known_text(source).map_err(|error| SyntaxError {
        offset: error.valid_up_to(),
        problem: if error.error_len().is_some() { Problem::Utf8 } else { Problem::Truncated },
    })
}

/// Converts bytes to text like [`std::str::from_utf8`], but faster for text that is not only ASCII.
pub fn known_text(bytes: &[u8]) -> Result<&str, Utf8Error> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // The fast check does not return the position of the error.
        Err(_) => std::str::from_utf8(bytes),
    }
}

/// A document whose index a scanner fills.
pub(crate) struct Index<'a> {
    document: Document<'a>,
    pub depth: usize,
    /// The limit of nodes.
    pub nodes: usize,
}

impl<'a> Index<'a> {
    /// Adds a node without children.
    #[inline]
    pub fn leaf(&mut self, kind: Kind, start: usize, end: usize, flags: u8) {
        let next = self.here() + 1;
        self.document.entries.push(Entry {
            start: narrow(start),
            end: narrow(end),
            next,
            kind,
            flags,
        });
    }

    /// Adds a node whose end is not known yet; [`Index::close`] completes it.
    #[inline]
    pub fn open(&mut self, kind: Kind, start: usize) -> u32 {
        let index = self.here();
        self.document.entries.push(Entry { start: narrow(start), end: 0, next: 0, kind, flags: 0 });
        index
    }

    /// Completes an opened node and finds the duplicate keys of a map.
    #[inline]
    pub fn close(&mut self, index: u32, end: usize, flags: u8) {
        let next = self.here();
        let entry = &mut self.document.entries[index as usize];
        entry.end = narrow(end);
        entry.next = next;
        entry.flags = flags;
        if entry.kind == Kind::Map {
            duplicates::find(&mut self.document, index);
        }
    }

    /// Counts a line end between tokens.
    #[inline]
    pub fn line_end(&mut self) {
        self.document.line_ends += 1;
    }

    /// Returns whether the limit of nodes is reached.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.document.entries.len() >= self.nodes
    }

    #[inline]
    pub fn here(&self) -> u32 {
        narrow(self.document.entries.len())
    }

    /// Returns the kind of the node at an index.
    pub fn kind(&self, index: u32) -> Kind {
        self.document.entries[index as usize].kind
    }

    /// Returns whether the node at an index is loose.
    pub fn is_loose(&self, index: u32) -> bool {
        self.document.entries[index as usize].flags & LOOSE != 0
    }

    /// Returns whether the node at an index is a bignum that is longer than necessary: one with a
    /// leading zero, or one that fits into an integer (RFC 8949 section 3.4.3).
    pub fn is_long_bignum(&self, index: u32) -> bool {
        let entry = &self.document.entries[index as usize];
        let source = self.document.source.bytes();
        let is_bignum = entry.kind == Kind::Tag
            && matches!(cbor::argument_at(source, entry.start as usize), Some(2 | 3));
        match self.document.entries.get(index as usize + 1) {
            Some(content) if is_bignum && content.kind == Kind::Bytes => {
                let start = content.start as usize;
                let first = start + cbor::head_length(source, start);
                content.end as usize - first <= 8 || source.get(first) == Some(&0)
            }
            _ => false,
        }
    }

    fn finish(mut self) -> Document<'a> {
        self.document.duplicates.sort_unstable();
        self.document
    }
}

/// Offsets fit because [`Scanner::index`] has checked the size, and there are
/// never more nodes than bytes.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn narrow(offset: usize) -> u32 {
    offset as u32
}
