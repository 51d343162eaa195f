//! A scanned document: the source as it is, and an index of its nodes.

use std::fmt;

use crate::node::Node;

/// How a document is written down.
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

/// What a node is, in the data model that both encodings share.
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
    /// An integer token of JSON beyond that range; CBOR has tags 2 and 3 for it.
    BigInteger,
    /// A floating-point number: in JSON every number with a fraction or an
    /// exponent, and `-0`, which no integer can be.
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
    /// A tag and what it is on (CBOR only).
    Tag,
}

impl Kind {
    /// The word a message uses for it.
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

/// JSON text that contains escapes.
pub(crate) const ESCAPED: u8 = 1;
/// JSON text with a surrogate escape that has no partner.
pub(crate) const LONE_SURROGATE: u8 = 2;
/// A CBOR string in chunks.
pub(crate) const CHUNKED: u8 = 4;
/// Not in the form our writers give it: JSON with space between its tokens,
/// CBOR that is not deterministic. Containers inherit it from their content.
pub(crate) const LOOSE: u8 = 8;
/// A key that an earlier key of its map equals.
pub(crate) const DUPLICATE: u8 = 16;

/// One node of the index: its bytes, and the index of the node behind its
/// whole subtree.
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

/// One scanned item: well-formed, valid UTF-8, within the limits. Its nodes are
/// indexed in document order, so that stepping over any of them is one look-up.
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) duplicates: Vec<u32>,
    /// How deep it was allowed to be.
    pub(crate) depth: usize,
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

    /// Scans either.
    pub fn scan(source: &'a [u8], encoding: Encoding) -> Result<Self, crate::SyntaxError> {
        crate::Scanner::default().scan(source, encoding)
    }

    /// Scans the CBOR item inside a byte string of this document. It may be a
    /// quarter as deep, so that documents inside documents come to an end.
    pub fn embedded<'b>(&self, bytes: &'b [u8]) -> Result<Document<'b>, crate::SyntaxError> {
        let limits = crate::Limits { depth: self.depth / 4, ..crate::Limits::default() };
        crate::Scanner::new(limits).cbor(bytes)
    }

    /// A document whose index is known.
    pub(crate) fn from_index(
        source: &'a [u8],
        encoding: Encoding,
        entries: Vec<Entry>,
    ) -> Result<Self, crate::SyntaxError> {
        let depth = crate::Limits::default().depth;
        let source = match encoding {
            Encoding::Json => Source::Json(crate::scan::text(source)?),
            Encoding::Cbor => Source::Cbor(source),
        };
        Ok(Self { source, entries, duplicates: Vec::new(), depth, line_ends: 0 })
    }

    /// The outermost node.
    pub fn root(&self) -> Node<'_, 'a> {
        self.node(0)
    }

    /// The node at an index that [`Node::index`] gave for this document.
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

    /// The same as [`Document::len`], in the type of an index.
    pub(crate) fn node_count(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("there are at most as many nodes as bytes")
    }

    /// Never: a document has at least one node.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How it is written down.
    pub fn encoding(&self) -> Encoding {
        match self.source {
            Source::Json(_) => Encoding::Json,
            Source::Cbor(_) => Encoding::Cbor,
        }
    }

    /// The keys that their map has had before, at every depth, in document
    /// order. Keys are compared by value: `"a"` and `"\u0061"` are one key.
    pub fn duplicate_keys(&self) -> impl ExactSizeIterator<Item = Node<'_, 'a>> {
        self.duplicates.iter().map(|&index| self.node(index))
    }

    /// How many line ends its scanner met: those between its tokens and before it. In JSON
    /// there are no others.
    pub fn line_ends(&self) -> u64 {
        self.line_ends
    }

    /// Whether its bytes (space around them aside) are exactly what our writer
    /// makes of this value: compact JSON, or deterministic CBOR.
    pub fn is_tidy(&self) -> bool {
        !self.root().flag(LOOSE) && self.duplicates.is_empty()
    }
}
