//! A position in a scanned document.

use std::borrow::Cow;

use crate::any::Any;
use crate::cbor;
use crate::document::{
    CHUNKED, DUPLICATE, Document, ESCAPED, Encoding, Entry, Kind, LONE_SURROGATE, LOOSE, Source,
};
use crate::json;
use crate::number::Number;

/// A position in a document. `'a` is the lifetime of the source, `'d` that of the index.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d, 'a> {
    document: &'d Document<'a>,
    index: u32,
}

/// The value of a [`Node`]: one variant for each [`Kind`].
#[derive(Clone, Debug)]
pub enum Value<'d, 'a> {
    /// `null`.
    Null,
    /// `undefined` (CBOR only).
    Undefined,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of -2^64 to 2^64 - 1.
    Integer(i128),
    /// The digits of an integer outside of that range (JSON only).
    BigInteger(&'a str),
    /// A float, or a decimal number of JSON that no double equals.
    Float(Number<'a>),
    /// A simple value other than `false`, `true`, `null` and `undefined` (CBOR only).
    Simple(u8),
    /// A byte string (CBOR only).
    Bytes(Cow<'a, [u8]>),
    /// Text.
    Text(Cow<'a, str>),
    /// JSON text with a surrogate escape that is not part of a pair: the content of the
    /// token, with its escapes.
    LoneSurrogate(&'a str),
    /// The elements of an array.
    Array(Elements<'d, 'a>),
    /// The members of a map.
    Map(Members<'d, 'a>),
    /// The number of a tag and its content (CBOR only).
    Tag(u64, Node<'d, 'a>),
}

impl<'d, 'a> Node<'d, 'a> {
    pub(crate) fn new(document: &'d Document<'a>, index: u32) -> Self {
        Self { document, index }
    }

    /// Returns the value, to match on it. Scalars are decoded, containers are not.
    #[allow(clippy::missing_panics_doc)] // the scanner has checked every node
    pub fn value(self) -> Value<'d, 'a> {
        const SCANNED: &str = "the scanner has checked the bytes of every node";
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Undefined => Value::Undefined,
            Kind::Bool => Value::Bool(self.bool().expect(SCANNED)),
            Kind::Integer => Value::Integer(self.integer().expect(SCANNED)),
            Kind::BigInteger => Value::BigInteger(self.json_token(self.json_source())),
            Kind::Float => Value::Float(self.number().expect(SCANNED)),
            Kind::Simple => Value::Simple(self.simple().expect(SCANNED)),
            Kind::Bytes => Value::Bytes(self.string_bytes()),
            Kind::Text if self.has_lone_surrogate() => {
                let token = self.json_token(self.json_source());
                Value::LoneSurrogate(&token[1..token.len() - 1])
            }
            Kind::Text => Value::Text(self.text().expect(SCANNED)),
            Kind::Array => Value::Array(self.elements()),
            Kind::Map => Value::Map(self.members()),
            Kind::Tag => {
                let (number, content) = self.tag().expect(SCANNED);
                Value::Tag(number, content)
            }
        }
    }

    /// Returns the source of a node of a kind that only JSON has.
    fn json_source(self) -> &'a str {
        match self.document.source {
            Source::Json(text) => text,
            Source::Cbor(_) => unreachable!("CBOR has no such node"),
        }
    }

    #[inline]
    fn entry(self) -> &'d Entry {
        &self.document.entries[self.index as usize]
    }

    #[inline]
    pub(crate) fn flag(self, flag: u8) -> bool {
        self.entry().flags & flag != 0
    }

    /// Returns whether it is a key that equals an earlier key of its map.
    #[inline]
    pub fn is_duplicate_key(self) -> bool {
        self.flag(DUPLICATE)
    }

    /// Returns the duplicate keys at any depth inside this node, in document order.
    pub fn duplicate_keys(self) -> impl ExactSizeIterator<Item = Node<'d, 'a>> {
        let document = self.document;
        let from = |index: u32| document.duplicates.partition_point(|&key| key < index);
        let inside = from(self.index)..from(self.after());
        document.duplicates[inside].iter().map(|&index| document.node(index))
    }

    /// Returns whether its bytes are exactly those that the encoder writes for it. False if it has
    /// duplicate keys.
    #[inline]
    pub(crate) fn is_tidy(self) -> bool {
        !self.flag(LOOSE)
    }

    /// Returns the document that contains it.
    pub fn document(self) -> &'d Document<'a> {
        self.document
    }

    /// Returns its index in document order; the root is 0.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns its kind.
    #[inline]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// Returns the encoding of its document.
    #[inline]
    pub fn encoding(self) -> Encoding {
        self.document.encoding()
    }

    /// Returns the offset of its first byte in the source.
    pub fn offset(self) -> usize {
        self.entry().start as usize
    }

    /// Returns its bytes in the source: the whole token, item or container.
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        let entry = self.entry();
        &self.document.source.bytes()[entry.start as usize..entry.end as usize]
    }

    /// Borrows this value as an [`Any`] without decoding it, for as long as its document
    /// exists.
    pub fn carry(self) -> Any<'d> {
        Any::from_node(self)
    }

    /// Borrows this value as an [`Any`] that needs only the source, not the document. Writing it in
    /// another form scans it again.
    pub fn lift(self) -> Any<'a> {
        Any::from_raw(self.raw(), self.encoding(), self.is_tidy())
    }

    #[inline]
    fn json_token(self, text: &'a str) -> &'a str {
        let entry = self.entry();
        &text[entry.start as usize..entry.end as usize]
    }

    /// Returns the value of a bool.
    pub fn bool(self) -> Option<bool> {
        if self.kind() != Kind::Bool {
            return None;
        }
        Some(match self.document.source {
            Source::Json(_) => self.raw() == b"true",
            Source::Cbor(_) => self.raw() == [0xf5],
        })
    }

    /// Returns an integer of -2^64 to 2^64 - 1.
    pub fn integer(self) -> Option<i128> {
        if self.kind() != Kind::Integer {
            return None;
        }
        match self.document.source {
            Source::Json(text) => {
                let token = self.json_token(text);
                // Nearly all integers fit, and parsing 64 bits is much faster.
                token.parse::<i64>().map_or_else(|_| token.parse().ok(), |it| Some(it.into()))
            }
            Source::Cbor(bytes) => cbor::integer_at(bytes, self.offset()),
        }
    }

    /// Returns an integer of 0 to 2^64 - 1.
    pub fn uint(self) -> Option<u64> {
        self.integer().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns a float as a double: exact in CBOR, the nearest one in JSON. [`Node::number`] is
    /// exact in both.
    pub fn float(self) -> Option<f64> {
        if self.kind() != Kind::Float {
            return None;
        }
        match self.document.source {
            Source::Json(text) => self.json_token(text).parse().ok(),
            Source::Cbor(bytes) => cbor::float_at(bytes, self.offset()),
        }
    }

    /// Returns the exact number of an integer or a float.
    pub fn number(self) -> Option<Number<'a>> {
        match (self.kind(), self.document.source) {
            (Kind::Integer, _) => self.integer().map(Number::Integer),
            (Kind::Float, Source::Cbor(_)) => self.float().map(Number::Float),
            (Kind::Float, Source::Json(text)) => Some(Number::from_token(self.json_token(text))),
            _ => None,
        }
    }

    /// Returns the text; `None` for other kinds, and for JSON text with a lone surrogate, which is
    /// not Unicode.
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

    /// Returns whether it is this text.
    #[inline]
    pub fn is_text(self, expected: &str) -> bool {
        let entry = self.entry();
        if let Source::Json(text) = self.document.source
            && entry.flags & ESCAPED == 0
        {
            // The length rules out most texts.
            let token = &text.as_bytes()[entry.start as usize..entry.end as usize];
            return token.len() == expected.len() + 2
                && entry.kind == Kind::Text
                && &token[1..token.len() - 1] == expected.as_bytes();
        }
        match self.text_bytes() {
            Some(bytes) => bytes == expected.as_bytes(),
            None if self.kind() != Kind::Text => false,
            None => self.text().is_some_and(|text| text == expected),
        }
    }

    /// Returns the text of a JSON token that has no escapes.
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

    /// Returns the bytes of a text that the source contains unescaped and in one piece; `None` for
    /// any other node.
    #[inline]
    pub fn text_bytes(self) -> Option<&'a [u8]> {
        let entry = self.entry();
        if entry.kind != Kind::Text || entry.flags & (ESCAPED | CHUNKED) != 0 {
            return None;
        }
        let (start, end) = (entry.start as usize, entry.end as usize);
        match self.document.source {
            Source::Json(text) => text.as_bytes().get(start + 1..end - 1),
            Source::Cbor(bytes) => bytes.get(start + cbor::head_length(bytes, start)..end),
        }
    }

    /// Returns whether it is JSON text with a surrogate escape that is not part of a pair.
    pub fn has_lone_surrogate(self) -> bool {
        self.flag(LONE_SURROGATE)
    }

    /// Returns a byte string.
    pub fn bytes(self) -> Option<Cow<'a, [u8]>> {
        (self.kind() == Kind::Bytes).then(|| self.string_bytes())
    }

    fn string_bytes(self) -> Cow<'a, [u8]> {
        cbor::string_at(self.document.source.bytes(), self.offset(), self.flag(CHUNKED))
    }

    /// Returns the number of a simple value, including `false` (20), `true`, `null` and
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

    /// Returns the number of a tag and its content.
    pub fn tag(self) -> Option<(u64, Node<'d, 'a>)> {
        if self.kind() != Kind::Tag {
            return None;
        }
        let number = cbor::argument_at(self.document.source.bytes(), self.offset())?;
        Some((number, self.at(self.index + 1)))
    }

    /// Returns the elements of an array; none for other kinds.
    #[inline]
    pub fn elements(self) -> Elements<'d, 'a> {
        Elements {
            document: self.document,
            next: self.index + 1,
            end: if self.kind() == Kind::Array { self.entry().next } else { self.index + 1 },
        }
    }

    /// Returns the members of a map, keys and values; none for other kinds.
    #[inline]
    pub fn members(self) -> Members<'d, 'a> {
        Members {
            document: self.document,
            next: self.index + 1,
            end: if self.kind() == Kind::Map { self.entry().next } else { self.index + 1 },
        }
    }

    /// Returns the value of the first member with this text key.
    pub fn member(self, key: &str) -> Option<Node<'d, 'a>> {
        self.members().find(|(name, _)| name.is_text(key)).map(|(_, value)| value)
    }

    /// Returns the scalars and keys of a JSON value as tokens with their offsets.
    pub(crate) fn tokens(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let (inside, source) = (self.index as usize..self.after() as usize, self.document.source);
        let tokens = self.document.entries[inside].iter();
        tokens.filter(|entry| !matches!(entry.kind, Kind::Array | Kind::Map)).map(move |entry| {
            let (start, end) = (entry.start as usize, entry.end as usize);
            (start, &source.bytes()[start..end])
        })
    }

    /// Returns the index of the first node after this one's subtree.
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
