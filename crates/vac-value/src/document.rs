//! A scanned document: the source as it is, and an index of its nodes.

use std::borrow::Cow;
use std::fmt;

use crate::any::Any;
use crate::cbor;
use crate::json;
use crate::number::Number;

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
    pub(crate) fn of_index(
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
        Node { document: self, index }
    }

    /// How many nodes there are; keys count.
    pub fn len(&self) -> usize {
        self.entries.len()
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

/// A position in a document. `'a` is the life of the source, `'d` that of the
/// index over it.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d, 'a> {
    document: &'d Document<'a>,
    index: u32,
}

impl<'d, 'a> Node<'d, 'a> {
    #[inline]
    fn entry(self) -> &'d Entry {
        &self.document.entries[self.index as usize]
    }

    #[inline]
    pub(crate) fn flag(self, flag: u8) -> bool {
        self.entry().flags & flag != 0
    }

    /// Whether it is a key that an earlier key of its map equals.
    #[inline]
    pub fn is_duplicate_key(self) -> bool {
        self.flag(DUPLICATE)
    }

    /// The duplicate keys at any depth inside this node, in document order.
    pub fn duplicate_keys(self) -> impl ExactSizeIterator<Item = Node<'d, 'a>> {
        let document = self.document;
        let from = |index: u32| document.duplicates.partition_point(|&key| key < index);
        let inside = from(self.index)..from(self.after());
        document.duplicates[inside].iter().map(|&index| document.node(index))
    }

    /// Whether its bytes are exactly what our writer makes of it. One that has a key twice
    /// is not.
    #[inline]
    pub(crate) fn is_tidy(self) -> bool {
        !self.flag(LOOSE)
    }

    /// The document it is in.
    pub fn document(self) -> &'d Document<'a> {
        self.document
    }

    /// Its place in document order; the root is 0.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }

    /// What it is.
    #[inline]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// How its document is written down.
    #[inline]
    pub fn encoding(self) -> Encoding {
        self.document.encoding()
    }

    /// The offset of its first byte in the source.
    pub fn offset(self) -> usize {
        self.entry().start as usize
    }

    /// Its bytes in the source: the whole token, item or container.
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        let entry = self.entry();
        &self.document.source.bytes()[entry.start as usize..entry.end as usize]
    }

    /// The value as it stands, to be carried elsewhere unread while its document is
    /// there.
    pub fn carry(self) -> Any<'d> {
        Any::carried(self)
    }

    /// The value as it stands, carried away from its document: whoever writes it in
    /// another form has to scan it again.
    pub fn lift(self) -> Any<'a> {
        Any::bytes(self.raw(), self.encoding(), self.is_tidy())
    }

    #[inline]
    fn json_token(self, text: &'a str) -> &'a str {
        let entry = self.entry();
        &text[entry.start as usize..entry.end as usize]
    }

    /// Whether it is `true`, if it is a bool.
    pub fn bool(self) -> Option<bool> {
        if self.kind() != Kind::Bool {
            return None;
        }
        Some(match self.document.source {
            Source::Json(_) => self.raw() == b"true",
            Source::Cbor(_) => self.raw() == [0xf5],
        })
    }

    /// The integer, if it is one of -2^64 to 2^64 - 1.
    pub fn integer(self) -> Option<i128> {
        if self.kind() != Kind::Integer {
            return None;
        }
        match self.document.source {
            Source::Json(text) => {
                let token = self.json_token(text);
                // Nearly all are short, and much faster so.
                token.parse::<i64>().map_or_else(|_| token.parse().ok(), |it| Some(it.into()))
            }
            Source::Cbor(bytes) => cbor::integer_at(bytes, self.offset()),
        }
    }

    /// The integer, if it is one of 0 to 2^64 - 1.
    pub fn uint(self) -> Option<u64> {
        self.integer().and_then(|value| u64::try_from(value).ok())
    }

    /// The number as a double: exact in CBOR, the nearest one in JSON, where
    /// [`Node::number`] tells whether that is the same.
    pub fn float(self) -> Option<f64> {
        if self.kind() != Kind::Float {
            return None;
        }
        match self.document.source {
            Source::Json(text) => self.json_token(text).parse().ok(),
            Source::Cbor(bytes) => cbor::float_at(bytes, self.offset()),
        }
    }

    /// The exact number, if it is an integer or a float.
    pub fn number(self) -> Option<Number<'a>> {
        match (self.kind(), self.document.source) {
            (Kind::Integer, _) => self.integer().map(Number::Integer),
            (Kind::Float, Source::Cbor(_)) => self.float().map(Number::Float),
            (Kind::Float, Source::Json(text)) => Some(Number::of_token(self.json_token(text))),
            _ => None,
        }
    }

    /// The text. `None` for other kinds, and for JSON text that is no Unicode
    /// text because of a lone surrogate escape.
    #[inline]
    pub fn text(self) -> Option<Cow<'a, str>> {
        let entry = self.entry();
        if entry.kind != Kind::Text {
            return None;
        }
        match self.document.source {
            Source::Json(text) => {
                let inner = &text[entry.start as usize + 1..entry.end as usize - 1];
                if entry.flags & (ESCAPED | LONE_SURROGATE) == 0 {
                    Some(Cow::Borrowed(inner))
                } else if entry.flags & LONE_SURROGATE != 0 {
                    None
                } else {
                    String::from_utf8(json::unescape(inner)).ok().map(Cow::Owned)
                }
            }
            Source::Cbor(_) => match self.string_bytes() {
                Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
                Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
            },
        }
    }

    /// Whether it is this text.
    #[inline]
    pub fn is_text(self, expected: &str) -> bool {
        // A JSON token says by its length that it is another.
        let entry = self.entry();
        if matches!(self.document.source, Source::Json(_))
            && entry.flags & ESCAPED == 0
            && (entry.end - entry.start) as usize != expected.len() + 2
        {
            return false;
        }
        match self.text_bytes() {
            Some(bytes) => bytes == expected.as_bytes(),
            None if self.kind() != Kind::Text => false,
            None => self.text().is_some_and(|text| text == expected),
        }
    }

    /// The text of a JSON token that has no escapes.
    #[inline]
    pub(crate) fn plain(self) -> Option<&'a str> {
        let entry = self.entry();
        match self.document.source {
            Source::Json(text) if entry.kind == Kind::Text && entry.flags & ESCAPED == 0 => {
                Some(&text[entry.start as usize + 1..entry.end as usize - 1])
            }
            _ => None,
        }
    }

    /// The bytes of a text that stands in the source just as it is; `None` for any other
    /// node, also for text with escapes or in chunks.
    #[inline]
    pub fn text_bytes(self) -> Option<&'a [u8]> {
        let entry = self.entry();
        if entry.kind != Kind::Text || entry.flags & (ESCAPED | CHUNKED) != 0 {
            return None;
        }
        let (start, end) = (entry.start as usize, entry.end as usize);
        match self.document.source {
            Source::Json(text) => text.as_bytes().get(start + 1..end - 1),
            // Behind the head, which has 1, 2, 3, 5 or 9 bytes.
            Source::Cbor(bytes) => bytes.get(start + cbor::head_length(bytes, start)..end),
        }
    }

    /// Whether it is JSON text with a surrogate escape that has no partner.
    pub fn has_lone_surrogate(self) -> bool {
        self.flag(LONE_SURROGATE)
    }

    /// The byte string, if it is one.
    pub fn bytes(self) -> Option<Cow<'a, [u8]>> {
        (self.kind() == Kind::Bytes).then(|| self.string_bytes())
    }

    fn string_bytes(self) -> Cow<'a, [u8]> {
        cbor::string_at(self.document.source.bytes(), self.offset(), self.flag(CHUNKED))
    }

    /// The number of a simple value: also of `false` (20), `true`, `null` and
    /// `undefined` (23).
    pub fn simple(self) -> Option<u8> {
        match self.kind() {
            Kind::Bool => Some(20 + u8::from(self.bool()?)),
            Kind::Null => Some(22),
            Kind::Undefined => Some(23),
            Kind::Simple => self.raw().last().map(|last| match self.raw().len() {
                1 => last & 0x1f,
                _ => *last,
            }),
            _ => None,
        }
    }

    /// The number of a tag and what it is on.
    pub fn tag(self) -> Option<(u64, Node<'d, 'a>)> {
        if self.kind() != Kind::Tag {
            return None;
        }
        let number = cbor::argument_at(self.document.source.bytes(), self.offset())?;
        Some((number, self.at(self.index + 1)))
    }

    /// The elements of an array; of anything else none.
    #[inline]
    pub fn elements(self) -> Elements<'d, 'a> {
        Elements {
            document: self.document,
            next: self.index + 1,
            end: if self.kind() == Kind::Array { self.entry().next } else { self.index + 1 },
        }
    }

    /// The members of a map, keys and values; of anything else none.
    #[inline]
    pub fn members(self) -> Members<'d, 'a> {
        Members {
            document: self.document,
            next: self.index + 1,
            end: if self.kind() == Kind::Map { self.entry().next } else { self.index + 1 },
        }
    }

    /// The value of the first member with this text key.
    pub fn member(self, key: &str) -> Option<Node<'d, 'a>> {
        self.members().find(|(name, _)| name.is_text(key)).map(|(_, value)| value)
    }

    /// The tokens of a JSON value that are neither brackets nor what is between them, in
    /// order and with the place where each begins.
    pub(crate) fn tokens(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let (inside, source) = (self.index as usize..self.after() as usize, self.document.source);
        let tokens = self.document.entries[inside].iter();
        tokens.filter(|entry| !matches!(entry.kind, Kind::Array | Kind::Map)).map(move |entry| {
            let (start, end) = (entry.start as usize, entry.end as usize);
            (start, &source.bytes()[start..end])
        })
    }

    /// The index of the first node behind this one's subtree.
    #[inline]
    pub fn after(self) -> u32 {
        self.entry().next
    }

    #[inline]
    fn at(self, index: u32) -> Self {
        Node { document: self.document, index }
    }
}

/// Iterator over the elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'d, 'a> {
    document: &'d Document<'a>,
    next: u32,
    end: u32,
}

impl<'d, 'a> Iterator for Elements<'d, 'a> {
    type Item = Node<'d, 'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        let node = Node { document: self.document, index: self.next };
        self.next = node.entry().next;
        Some(node)
    }
}

/// Iterator over the members of a map.
#[derive(Clone, Debug)]
pub struct Members<'d, 'a> {
    document: &'d Document<'a>,
    next: u32,
    end: u32,
}

impl<'d, 'a> Iterator for Members<'d, 'a> {
    type Item = (Node<'d, 'a>, Node<'d, 'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        let key = Node { document: self.document, index: self.next };
        let value = Node { document: self.document, index: key.entry().next };
        self.next = value.entry().next;
        Some((key, value))
    }
}
