//! A scanned document: its source, and an index of its nodes.

use std::fmt;

use crate::node::Node;

/// The encoding of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// JSON text (RFC 8259).
    Json,
    /// CBOR bytes (RFC 8949).
    Cbor,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Cbor => "CBOR",
        })
    }
}

/// The kind of a node, in the data model that both encodings share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `undefined` (CBOR only).
    Undefined,
    /// `true` or `false`.
    Bool,
    /// An integer of -2^64 to 2^64 - 1.
    Integer,
    /// An integer token of JSON outside of -2^64 to 2^64 - 1. CBOR has tags 2 and 3 for it.
    BigInteger,
    /// A floating-point number: in JSON every number with a fraction or an
    /// exponent, and `-0`, which is not an integer.
    Float,
    /// A simple value without a name (CBOR only).
    Simple,
    /// A byte string (CBOR only).
    Bytes,
    /// Text.
    Text,
    /// An array.
    Array,
    /// A map.
    Map,
    /// A tag and its content (CBOR only).
    Tag,
}

impl Kind {
    /// Returns the name of the kind in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Undefined => "undefined",
            Self::Bool => "bool",
            Self::Integer => "integer",
            Self::BigInteger => "big integer",
            Self::Float => "float",
            Self::Simple => "simple value",
            Self::Bytes => "bytes",
            Self::Text => "text",
            Self::Array => "array",
            Self::Map => "map",
            Self::Tag => "tag",
        }
    }
}

/// The flag of JSON text that contains escapes.
pub(crate) const ESCAPED: u8 = 1;
/// JSON text with a surrogate escape that is not part of a pair.
pub(crate) const LONE_SURROGATE: u8 = 2;
/// The flag of a CBOR string in chunks.
pub(crate) const CHUNKED: u8 = 4;
/// The flag of a node that is not in the form that the encoder writes: JSON with white space
/// between its tokens, or CBOR that is not deterministic. Containers inherit it from their content.
pub(crate) const LOOSE: u8 = 8;
/// The flag of a key that equals an earlier key of its map.
pub(crate) const DUPLICATE: u8 = 16;

/// One node of the index: its bytes, and the index of the first node after its subtree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub start: u32,
    pub end: u32,
    pub next: u32,
    pub kind: Kind,
    pub flags: u8,
}

/// The bytes a document was scanned from. JSON is known to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Json(&'a str),
    Cbor(&'a [u8]),
}

impl<'a> Source<'a> {
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Json(text) => text.as_bytes(),
            Self::Cbor(bytes) => bytes,
        }
    }
}

/// One scanned document: well-formed, valid UTF-8 and within the limits. Its nodes are indexed in
/// document order, so that skipping a node takes one lookup.
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) duplicates: Vec<u32>,
    pub(crate) line_ends: u64,
}

impl<'a> Document<'a> {
    /// Scans JSON text with the default limits.
    pub fn json(source: &'a [u8]) -> Result<Self, crate::SyntaxError> {
        crate::Scanner::default().json(source)
    }

    /// Scans one CBOR item with the default limits.
    pub fn cbor(source: &'a [u8]) -> Result<Self, crate::SyntaxError> {
        crate::Scanner::default().cbor(source)
    }

    /// Scans a document in an encoding with the default limits.
    pub fn scan(source: &'a [u8], encoding: Encoding) -> Result<Self, crate::SyntaxError> {
        crate::Scanner::default().scan(source, encoding)
    }

    /// Creates a document from its index.
    pub(crate) fn from_index(
        source: &'a [u8],
        encoding: Encoding,
        entries: Vec<Entry>,
    ) -> Result<Self, crate::SyntaxError> {
        let source = match encoding {
            Encoding::Json => Source::Json(crate::scan::text(source)?),
            Encoding::Cbor => Source::Cbor(source),
        };
        Ok(Self { source, entries, duplicates: Vec::new(), line_ends: 0 })
    }

    /// Returns the outermost node.
    pub fn root(&self) -> Node<'_, 'a> {
        self.node(0)
    }

    /// Returns the node at an index that [`Node::index`] returned for this document.
    ///
    /// # Panics
    /// If this document has no such node.
    pub fn node(&self, index: u32) -> Node<'_, 'a> {
        assert!((index as usize) < self.entries.len(), "no node {index}");
        Node::new(self, index)
    }

    /// Returns the number of nodes, including keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns [`Document::len`] in the type of an index.
    pub(crate) fn node_count(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("there are at most as many nodes as bytes")
    }

    /// Returns false, because a document has at least one node.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the encoding.
    pub fn encoding(&self) -> Encoding {
        match self.source {
            Source::Json(_) => Encoding::Json,
            Source::Cbor(_) => Encoding::Cbor,
        }
    }

    /// Returns the keys that equal an earlier key of their map, at every depth, in document
    /// order. Keys are compared by value: `"a"` and `"\u0061"` are equal.
    pub fn duplicate_keys(&self) -> impl ExactSizeIterator<Item = Node<'_, 'a>> {
        self.duplicates.iter().map(|&index| self.node(index))
    }

    /// Returns the number of line ends before and inside the document. JSON has them only between
    /// tokens. For CBOR, returns 0.
    pub fn line_ends(&self) -> u64 {
        self.line_ends
    }

    /// Returns whether the bytes are exactly those that [`Encoder`](crate::Encoder) writes for this
    /// value: compact JSON, or deterministic CBOR. White space around the document is ignored.
    pub fn is_tidy(&self) -> bool {
        !self.root().flag(LOOSE) && self.duplicates.is_empty()
    }
}
