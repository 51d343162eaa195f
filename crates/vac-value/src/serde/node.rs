//! A node as a deserializer, so that types with serde's traits can be read from a document.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{TAG, TAGGED, UNTAGGED};
use crate::Number;
use crate::document::{Encoding, Kind};
use crate::node::{Members, Node, Value};

/// The reason why a node cannot be deserialized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

fn refuse<T>(what: &str) -> Result<T, Error> {
    Err(Error(format!("serde cannot represent {what}")))
}

impl<'de> IntoDeserializer<'de, Error> for Node<'_, 'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Returns the members of a map without duplicate keys.
fn members<'d, 'de>(
    members: Members<'d, 'de>,
) -> Result<MapDeserializer<'de, Members<'d, 'de>, Error>, Error> {
    if members.clone().any(|(key, _)| key.is_duplicate_key()) {
        return Err(Error::custom("duplicate key in a map"));
    }
    Ok(MapDeserializer::new(members))
}

/// Duplicate keys are an error. See the [module](super) for what else is.
impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        self.encoding() == Encoding::Json
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value() {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Integer(value) => match (u64::try_from(value), i64::try_from(value)) {
                (Ok(value), _) => visitor.visit_u64(value),
                (_, Ok(value)) => visitor.visit_i64(value),
                _ => visitor.visit_i128(value),
            },
            Value::BigInteger(token) => match (token.parse(), token.parse()) {
                (Ok(value), _) => visitor.visit_i128(value),
                (_, Ok(value)) => visitor.visit_u128(value),
                _ => refuse("an integer beyond 128 bits"),
            },
            Value::Float(Number::Float(value)) => visitor.visit_f64(value),
            Value::Float(_) => refuse("a decimal that no double equals"),
            Value::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
            Value::Bytes(Cow::Owned(bytes)) => visitor.visit_byte_buf(bytes),
            Value::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Value::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Value::LoneSurrogate(_) => refuse("text with a lone surrogate"),
            Value::Array(elements) => SeqDeserializer::new(elements).deserialize_any(visitor),
            Value::Map(all) => members(all)?.deserialize_any(visitor),
            Value::Tag(..) => visitor.visit_enum(TagAccess::new(self)),
            Value::Undefined => refuse("undefined"),
            Value::Simple(_) => refuse("a simple value"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind() {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value() {
            _ if name == TAG => visitor.visit_enum(TagAccess::new(self)),
            Value::Text(text) => visitor.visit_enum(text.into_deserializer()),
            Value::Map(all) => visitor.visit_enum(MapAccessDeserializer::new(members(all)?)),
            _ => Err(Error::custom("expected the name of a variant, or a map with one")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A node that may have a tag, as the enum of crate `ciborium`.
struct TagAccess<'d, 'de> {
    /// The number of the tag, until it was read.
    number: Option<u64>,
    content: Option<Node<'d, 'de>>,
}

impl<'d, 'de> TagAccess<'d, 'de> {
    fn new(node: Node<'d, 'de>) -> Self {
        match node.tag() {
            Some((number, content)) => Self { number: Some(number), content: Some(content) },
            None => Self { number: None, content: Some(node) },
        }
    }
}

impl<'de> EnumAccess<'de> for TagAccess<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        let name = if self.number.is_some() { TAGGED } else { UNTAGGED };
        let name: serde::de::value::StrDeserializer<'_, Error> = name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for TagAccess<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Err(Error::custom("expected a tag"))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.content.expect("the content has not been read"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        Err(Error::custom("expected a tag"))
    }
}

impl<'de> SeqAccess<'de> for TagAccess<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if let Some(number) = self.number.take() {
            return seed.deserialize(number.into_deserializer()).map(Some);
        }
        self.content.take().map(|content| seed.deserialize(content)).transpose()
    }
}
