//! Reading values out of a scanned document.

use std::borrow::Cow;
use std::fmt;

use crate::document::{Document, Encoding, Node};
use crate::violation::{Violation, found};
use crate::{IntoOwned, Kind, Null, Number, SyntaxError, Undefined};

/// A value that does not fit its type. Costs nothing until it is shown:
/// [`DecodeError::locate`] turns it into a [`Violation`].
#[derive(Debug)]
pub struct DecodeError {
    node: u32,
    rule: &'static str,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Expected(&'static str),
    Missing(&'static str),
    Unexpected,
    Inside(Box<Violation>),
}

impl DecodeError {
    /// Something else stands where this was expected.
    pub fn expected(node: Node<'_, '_>, rule: &'static str, expected: &'static str) -> Self {
        Self { node: node.index(), rule, reason: Reason::Expected(expected) }
    }

    /// A map or array lacks a member.
    pub fn missing(node: Node<'_, '_>, rule: &'static str, key: &'static str) -> Self {
        Self { node: node.index(), rule, reason: Reason::Missing(key) }
    }

    /// A map or array has a member too many.
    pub fn unexpected(node: Node<'_, '_>, rule: &'static str) -> Self {
        Self { node: node.index(), rule, reason: Reason::Unexpected }
    }

    /// Something is wrong inside an embedded document.
    pub fn inside(node: Node<'_, '_>, rule: &'static str, inner: Violation) -> Self {
        Self { node: node.index(), rule, reason: Reason::Inside(Box::new(inner)) }
    }

    /// The one that got further into the document: of several alternatives that
    /// fail, it is the one that was meant.
    #[must_use]
    pub fn or_further(self, other: Self) -> Self {
        if other.node > self.node { other } else { self }
    }

    /// Says where in the document it is.
    pub fn locate(self, document: &Document<'_>) -> Violation {
        let node = document.node(self.node);
        let path = crate::path::pointer(node);
        let (expected, found) = match self.reason {
            Reason::Expected(expected) => (expected.to_owned(), found(node)),
            Reason::Missing(key) => (format!("key {key}"), "no such key".to_owned()),
            Reason::Unexpected => ("no further member".to_owned(), found(node)),
            Reason::Inside(inner) => {
                return Violation { path: path + &inner.path, ..*inner };
            }
        };
        let kind = crate::ViolationKind::Mismatch;
        Violation { kind, path, expected, found, rule: self.rule.to_owned(), others: Vec::new() }
    }
}

/// Why bytes are not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// They are no document.
    Syntax(SyntaxError),
    /// The document does not fit.
    Violation(Box<Violation>),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Violation(violation) => violation.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

/// What can be read from both encodings.
pub trait Decode<'a>: Sized {
    /// Reads the value of a node.
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError>;

    /// Reads the value of a node of a document that may go away.
    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError>;

    /// Reads one document. A key that stands twice in a map is an error.
    fn from_bytes(bytes: &'a [u8], encoding: Encoding) -> Result<Self, ReadError> {
        let document = Document::scan(bytes, encoding).map_err(ReadError::Syntax)?;
        if let Some(duplicate) = Violation::duplicate_keys(document.root(), 1).pop() {
            return Err(ReadError::Violation(Box::new(duplicate)));
        }
        Self::decode(document.root())
            .map_err(|error| ReadError::Violation(Box::new(error.locate(&document))))
    }

    /// Reads JSON text.
    fn from_json(text: &'a [u8]) -> Result<Self, ReadError> {
        Self::from_bytes(text, Encoding::Json)
    }

    /// Reads a CBOR item.
    fn from_cbor(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::from_bytes(bytes, Encoding::Cbor)
    }
}

/// Implements [`Decode`] for a type that borrows nothing or is a `Cow`.
macro_rules! decode_scalar {
    ($type:ty, $rule:literal, $expected:literal, $read:ident $(, $own:expr)?) => {
        impl<'a> Decode<'a> for $type {
            fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
                node.$read().ok_or_else(|| DecodeError::expected(node, $rule, $expected))
            }

            fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
                let value = node.$read();
                $(let value = value.map($own);)?
                value.ok_or_else(|| DecodeError::expected(node, $rule, $expected))
            }
        }
    };
}

decode_scalar!(u64, "uint", "uint", uint);
decode_scalar!(i128, "int", "int", integer);
decode_scalar!(bool, "bool", "bool", bool);
decode_scalar!(Cow<'a, str>, "tstr", "text", text, |text| Cow::Owned(text.into_owned()));
decode_scalar!(Cow<'a, [u8]>, "bstr", "bytes", bytes, |bytes| Cow::Owned(bytes.into_owned()));
decode_scalar!(Number<'a>, "number", "number", number, IntoOwned::into_owned);

impl<'a> Decode<'a> for Null {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        Self::decode_owned(node)
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        match node.kind() {
            Kind::Null => Ok(Self),
            _ => Err(DecodeError::expected(node, "null", "null")),
        }
    }
}

impl<'a> Decode<'a> for Undefined {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        Self::decode_owned(node)
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        match node.kind() {
            Kind::Undefined => Ok(Self),
            _ => Err(DecodeError::expected(node, "undefined", "undefined")),
        }
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for Vec<T> {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        if node.kind() != Kind::Array {
            return Err(DecodeError::expected(node, "array", "array"));
        }
        node.elements().map(T::decode).collect()
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        if node.kind() != Kind::Array {
            return Err(DecodeError::expected(node, "array", "array"));
        }
        node.elements().map(T::decode_owned).collect()
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for Box<T> {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        T::decode(node).map(Box::new)
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        T::decode_owned(node).map(Box::new)
    }
}

/// `null` or a value.
impl<'a, T: Decode<'a>> Decode<'a> for Option<T> {
    fn decode(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        match node.kind() {
            Kind::Null => Ok(None),
            _ => T::decode(node).map(Some),
        }
    }

    fn decode_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        match node.kind() {
            Kind::Null => Ok(None),
            _ => T::decode_owned(node).map(Some),
        }
    }
}
