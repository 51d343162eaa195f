//! Decoding: the matcher decides whether a document is valid, then generated code builds the
//! value.
//!
//! What a type decodes is therefore exactly what its rule accepts. [`Build`] is implemented
//! by generated types and by the types that they consist of; it expects a valid node.
//! [`Decode`] is the interface for users: it scans, checks and builds.
//!
//! A rule that is only another name for a type (`pub type` in generated code) has no
//! [`Decode`] of its own; [`Schema::decode`] decodes it by its [`RuleId`].

mod array;
mod build;
mod checked_text;
mod error;
mod macros;
mod map;
mod reader;
mod text_enum;

pub use array::ArrayReader;
pub use build::{Build, BuildOwned, Built};
pub use checked_text::{InvalidText, check_text};
pub use error::{DecodeError, Mismatch};
pub use map::MapReader;
pub use reader::Reader;
pub use text_enum::UnknownText;

use serde::Deserializer;
use vac_value::{Document, Encode, Encoding, Node};

use crate::Violations;
use crate::matcher::{Budget, Matcher};
use crate::tables::{RuleId, Schema, TypeId};

/// The maximum number of violations that a [`DecodeError`] lists. It also states the number of all.
pub const MAX_VIOLATIONS: usize = 20;

/// A type that can be decoded from JSON and CBOR.
///
/// The value borrows from its source; [`vac_value::IntoOwned`] makes it independent.
pub trait Decode<'a>: Build<'a> + BuildOwned {
    /// The rule that the type is, or is part of.
    const RULE: RuleId;

    /// The type in the schema's tables.
    const TYPE: TypeId;

    /// Returns the schema that the type was generated from.
    fn schema() -> &'static Schema;

    /// Decodes JSON text.
    fn from_json<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, DecodeError> {
        Self::from_bytes(text.as_ref(), Encoding::Json)
    }

    /// Decodes a CBOR item.
    fn from_cbor<T: AsRef<[u8]> + ?Sized>(bytes: &'a T) -> Result<Self, DecodeError> {
        Self::from_bytes(bytes.as_ref(), Encoding::Cbor)
    }

    /// Decodes a document in the given encoding.
    fn from_bytes(bytes: &'a [u8], encoding: Encoding) -> Result<Self, DecodeError> {
        Self::from_node(Document::scan(bytes, encoding)?.root())
    }

    /// Decodes a node of a scanned document.
    fn from_node(node: Node<'_, 'a>) -> Result<Self, DecodeError> {
        Reader::read(Self::schema(), Self::RULE, Self::TYPE, node, |reader| {
            Self::build(reader, node)
        })
    }

    /// Checks that the value satisfies its rule. Decoded values do; values that were
    /// built or changed may violate constraints that the type does not express, such as the
    /// number of elements.
    fn validate(&self) -> Result<(), Violations>
    where
        Self: Encode,
    {
        // A value that CBOR cannot represent is checked as JSON.
        let (bytes, encoding) = match self.to_cbor() {
            Ok(bytes) => (bytes, Encoding::Cbor),
            Err(error) => match self.to_json() {
                Ok(text) => (text.into_bytes(), Encoding::Json),
                Err(_) => return Err(error::unencodable(&error)),
            },
        };
        let document = Document::scan(&bytes, encoding).expect("an encoder writes documents");
        let mut budget = Budget::new(document.root());
        let mut matcher = Matcher::new(Self::schema(), MAX_VIOLATIONS, &mut budget);
        matcher.validate(Self::RULE, Self::TYPE, document.root())
    }

    /// Decodes a node of a scanned document into a value that borrows nothing.
    fn from_node_owned(node: Node<'_, '_>) -> Result<Self, DecodeError> {
        Reader::read(Self::schema(), Self::RULE, Self::TYPE, node, |reader| {
            Self::build_owned(reader, node)
        })
    }
}

impl Schema {
    /// Decodes a node as a value of a rule, whose Rust type is `T`.
    pub fn decode<'a, T: Build<'a>>(
        &self,
        rule: RuleId,
        node: Node<'_, 'a>,
    ) -> Result<T, DecodeError> {
        let type_id = self.rules[rule.0 as usize].body;
        Reader::read(self, rule, type_id, node, |reader| T::build(reader, node))
    }
}

/// Decodes JSON text into a value that borrows nothing. Generated code calls it.
#[doc(hidden)]
pub fn parse_owned<'a, T: Decode<'a>>(text: &str) -> Result<T, DecodeError> {
    T::from_node_owned(Document::json(text.as_bytes())?.root())
}

/// Deserializes a value with serde, by way of CBOR. Generated code calls it.
#[doc(hidden)]
pub fn deserialize<'de, 'a, T: Decode<'a>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let bytes = vac_value::serde::deserialize_to_cbor(deserializer)?;
    let document = Document::cbor(&bytes).map_err(serde::de::Error::custom)?;
    T::from_node_owned(document.root()).map_err(serde::de::Error::custom)
}

impl Reader<'_> {
    /// Checks a node and builds its value.
    fn read<T>(
        schema: &Schema,
        rule: RuleId,
        type_id: TypeId,
        node: Node<'_, '_>,
        build: impl FnOnce(&mut Reader<'_>) -> Built<T>,
    ) -> Result<T, DecodeError> {
        let mut budget = Budget::new(node);
        let mut matcher = Matcher::new(schema, MAX_VIOLATIONS, &mut budget);
        matcher.validate(rule, type_id, node)?;
        // Building repeats parts of the check.
        *matcher.budget = Budget::new(node);
        let mut reader = Reader { matcher };
        match build(&mut reader) {
            Ok(value) => Ok(value),
            Err(mismatch) => match reader.matcher.budget.violation() {
                Some(stopped) => Err(DecodeError::Invalid(Violations::from(stopped))),
                None => Err(DecodeError::Internal(mismatch)),
            },
        }
    }
}
