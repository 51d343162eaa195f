//! Errors in the bytes of a document.

use std::fmt;

/// The error that bytes are not a well-formed document within the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The offset of the byte at which the error was found.
    pub offset: usize,
    /// The kind of error.
    pub problem: Problem,
}

/// The kind of a [`SyntaxError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The input is empty.
    Empty,
    /// The input ends inside the document.
    Truncated,
    /// There are bytes after the document.
    Trailing,
    /// A byte-order mark before JSON.
    ByteOrderMark,
    /// The bytes are not UTF-8.
    Utf8,
    /// Something other than the named syntax was found.
    Expected(&'static str),
    /// A control character that JSON requires to be escaped.
    ControlCharacter,
    /// A backslash that does not begin an escape.
    Escape,
    /// A number that JSON's grammar does not allow.
    Number,
    /// An initial byte that CBOR does not allow there.
    InitialByte(u8),
    /// A simple value below 32 in two bytes.
    SimpleValue(u8),
    /// A chunk of another kind inside a string of indefinite length.
    Chunk,
    /// A map of indefinite length that ends after a key.
    OddMap,
    /// A length or count that is larger than the input.
    Length(u64),
    /// Deeper nesting than the limit.
    Depth(usize),
    /// Containers inside keys, nested deeper than the limit.
    KeyDepth(usize),
    /// A longer document than the limit.
    Size(usize),
    /// More values and keys than the limit.
    Nodes(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the input is empty"),
            Self::Truncated => f.write_str("the input ends inside the document"),
            Self::Trailing => f.write_str("unexpected bytes after the document"),
            Self::ByteOrderMark => f.write_str("a byte-order mark precedes the JSON text"),
            Self::Utf8 => f.write_str("the text is not valid UTF-8"),
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::ControlCharacter => f.write_str("a control character in text must be escaped"),
            Self::Escape => f.write_str("not an escape sequence of JSON"),
            Self::Number => f.write_str("not a number of JSON"),
            Self::InitialByte(byte) => write!(f, "0x{byte:02x} cannot begin an item here"),
            Self::SimpleValue(value) => {
                write!(f, "simple value {value} must not take a second byte")
            }
            Self::Chunk => f.write_str("a chunk must be a definite-length string of the same kind"),
            Self::OddMap => f.write_str("the map ends after a key"),
            Self::Length(length) => {
                write!(f, "a length of {length} is more than the input holds")
            }
            Self::Depth(limit) => write!(f, "nested deeper than {limit} levels"),
            Self::KeyDepth(limit) => {
                write!(f, "keys nested inside keys deeper than {limit} levels")
            }
            Self::Size(limit) => write!(f, "longer than {limit} bytes"),
            Self::Nodes(limit) => write!(f, "more than {limit} values and keys"),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.problem)
    }
}

impl std::error::Error for SyntaxError {}
