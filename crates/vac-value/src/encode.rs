//! The trait of values that can be written, and its errors.

use std::fmt;

use crate::document::Encoding;
use crate::encoder::Encoder;

/// The layout of JSON text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// No space between tokens.
    #[default]
    Compact,
    /// One line for each element and member, indented by two spaces per level.
    Pretty,
}

/// The reason why a value cannot be written in an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The encoding has no representation of a value.
    NotRepresentable {
        /// The encoding.
        encoding: Encoding,
        /// The value that it cannot represent.
        what: &'static str,
    },
    /// A map would have the same key twice.
    DuplicateKey(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRepresentable { encoding, what } => {
                write!(f, "{encoding} cannot represent {what}")
            }
            Self::DuplicateKey(key) => write!(f, "duplicate key {key} in a map"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// The result of encoding.
pub type Encoded = Result<(), EncodeError>;

/// A value that can be written as JSON and as CBOR.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError>;

    /// Returns the text if this value is text that can be borrowed without decoding it. Maps
    /// compare such keys without encoding them. Other text returns `None`, such as an
    /// [`Any`](crate::Any) with escapes.
    fn as_text(&self) -> Option<&str> {
        None
    }

    /// Returns the value as compact JSON.
    fn to_json(&self) -> Result<String, EncodeError> {
        let mut encoder = Encoder::json(Layout::Compact);
        self.encode(&mut encoder)?;
        Ok(String::from_utf8(encoder.finish()).expect("JSON is written as UTF-8"))
    }

    /// Returns the value as JSON with line breaks and two spaces of indentation a level.
    fn to_json_pretty(&self) -> Result<String, EncodeError> {
        let mut encoder = Encoder::json(Layout::Pretty);
        self.encode(&mut encoder)?;
        Ok(String::from_utf8(encoder.finish()).expect("JSON is written as UTF-8"))
    }

    /// Returns the value as deterministic CBOR.
    fn to_cbor(&self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::cbor();
        self.encode(&mut encoder)?;
        Ok(encoder.finish())
    }
}
