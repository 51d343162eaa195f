//! From bytes to [`Document`]: limits, and the index both scanners fill.

use std::str::Utf8Error;

use crate::document::{Document, Encoding, Entry, Kind, LOOSE, Source};
use crate::{Problem, SyntaxError, cbor, duplicates, json};

/// How much of a document is accepted. Beyond is an error, never a crash.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Containers and tags inside each other.
    pub depth: usize,
    /// Bytes of one document.
    pub size: usize,
    /// Nodes of one document: values and keys. Each takes 16 bytes of memory. Asked of JSON,
    /// where two bytes are enough for one.
    pub nodes: usize,
}

impl Default for Limits {
    /// 256 levels, and what 32-bit offsets reach (4 GiB).
    fn default() -> Self {
        Self { depth: 256, size: u32::MAX as usize, nodes: u32::MAX as usize }
    }
}

/// Scans documents, one after the other, and reuses its memory when it is given
/// them back.
#[derive(Debug, Default)]
pub struct Scanner {
    limits: Limits,
    spare: Vec<Entry>,
}

impl Scanner {
    /// With other limits than the default.
    pub fn new(limits: Limits) -> Self {
        Self { limits, spare: Vec::new() }
    }

    /// Scans JSON text: one document, and space around it.
    pub fn json<'a>(&mut self, source: &'a [u8]) -> Result<Document<'a>, SyntaxError> {
        let (document, end) = self.json_prefix(source)?;
        match source[end..].iter().position(|byte| !json::is_space(*byte)) {
            None => Ok(document),
            Some(more) => Err(SyntaxError { offset: end + more, problem: Problem::Trailing }),
        }
    }

    /// Scans the JSON document that the input begins with; also gives the
    /// offset behind it. The whole input must be UTF-8.
    pub fn json_prefix<'a>(
        &mut self,
        source: &'a [u8],
    ) -> Result<(Document<'a>, usize), SyntaxError> {
        self.json_text_prefix(text(source)?)
    }

    /// The same for text that is known to be text.
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

    /// Scans the CBOR item that the input begins with; also gives the offset
    /// behind it.
    pub fn cbor_prefix<'a>(
        &mut self,
        source: &'a [u8],
    ) -> Result<(Document<'a>, usize), SyntaxError> {
        let mut index = self.index(Source::Cbor(source))?;
        let end = cbor::scan(source, &mut index)?;
        Ok((index.finish(), end))
    }

    /// Scans either.
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

    /// Takes a document's memory back for the next one.
    pub fn recycle(&mut self, document: Document<'_>) {
        if document.entries.capacity() > self.spare.capacity() {
            self.spare = document.entries;
        }
    }

    /// Gives a document an index of just its own size, to be kept, and takes the memory
    /// it grew in back for the next one.
    pub fn settle<'a>(&mut self, mut document: Document<'a>) -> Document<'a> {
        let entries = document.entries.as_slice().to_vec();
        self.spare = std::mem::replace(&mut document.entries, entries);
        document
    }

    fn index<'a>(&mut self, source: Source<'a>) -> Result<Index<'a>, SyntaxError> {
        let limit = self.limits.size.min(u32::MAX as usize);
        if source.bytes().len() > limit {
            return Err(SyntaxError { offset: limit, problem: Problem::Size(limit) });
        }
        let mut entries = std::mem::take(&mut self.spare);
        entries.clear();
        let depth = self.limits.depth;
        Ok(Index {
            document: Document { source, entries, duplicates: Vec::new(), depth, line_ends: 0 },
            depth,
            nodes: self.limits.nodes,
        })
    }
}

/// Bytes that have to be text.
pub(crate) fn text(source: &[u8]) -> Result<&str, SyntaxError> {
    known_text(source).map_err(|error| SyntaxError {
        offset: error.valid_up_to(),
        problem: if error.error_len().is_some() { Problem::Utf8 } else { Problem::Truncated },
    })
}

/// The same as [`std::str::from_utf8`], and much faster on text that is not only ASCII.
pub fn known_text(bytes: &[u8]) -> Result<&str, Utf8Error> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // It does not say where.
        Err(_) => std::str::from_utf8(bytes),
    }
}

/// A document while a scanner fills its index.
pub(crate) struct Index<'a> {
    document: Document<'a>,
    pub depth: usize,
    /// How many nodes there may be.
    pub nodes: usize,
}

impl<'a> Index<'a> {
    /// A node without children.
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

    /// A node whose end is not known yet; [`Index::close`] completes it.
    #[inline]
    pub fn open(&mut self, kind: Kind, start: usize) -> u32 {
        let index = self.here();
        self.document.entries.push(Entry { start: narrow(start), end: 0, next: 0, kind, flags: 0 });
        index
    }

    /// Completes an opened node and looks for keys that a map has twice.
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

    /// Whether there are as many nodes as there may be.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.document.entries.len() >= self.nodes
    }

    #[inline]
    pub fn here(&self) -> u32 {
        narrow(self.document.entries.len())
    }

    /// What kind the node at an index is.
    pub fn kind(&self, index: u32) -> Kind {
        self.document.entries[index as usize].kind
    }

    /// Whether the node at an index is loose.
    pub fn is_loose(&self, index: u32) -> bool {
        self.document.entries[index as usize].flags & LOOSE != 0
    }

    /// Whether the node at an index is a bignum that fewer bytes could say: one with a zero
    /// in front, or one that an integer has room for (RFC 8949 section 3.4.3).
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
