//! The bridge to serde, for those who have a serializer of their own.
//!
//! serde has no place for what its data model does not know: a number that no
//! 64-bit type holds, a lone surrogate or a tag is an error here, never a
//! changed value. Reading and writing through [`Document`] and
//! [`crate::Encode`] has no such limits.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::document::{Document, Encoding, Kind, Node};
use crate::encode::{Encode, Encoder};
use crate::{Number, cbor};

/// Serializes a value: as its JSON form for readable formats, otherwise as its
/// CBOR form.
pub fn serialize<T: Encode, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let encoding = if serializer.is_human_readable() { Encoding::Json } else { Encoding::Cbor };
    let mut encoder = Encoder::new(encoding);
    value.encode(&mut encoder).map_err(ser::Error::custom)?;
    let bytes = encoder.finish();
    let document = Document::scan(&bytes, encoding).map_err(ser::Error::custom)?;
    Walk(document.root()).serialize(serializer)
}

struct Walk<'d, 'a>(Node<'d, 'a>);

impl Serialize for Walk<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.0;
        match node.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool => serializer.serialize_bool(node.bool().unwrap_or_default()),
            Kind::Integer => {
                let value = node.integer().unwrap_or_default();
                match (u64::try_from(value), i64::try_from(value)) {
                    (Ok(value), _) => serializer.serialize_u64(value),
                    (_, Ok(value)) => serializer.serialize_i64(value),
                    _ => serializer.serialize_i128(value),
                }
            }
            Kind::Float => match node.number() {
                Some(Number::Float(value)) => serializer.serialize_f64(value),
                _ => Err(ser::Error::custom("serde has no such number")),
            },
            Kind::Text => match node.text() {
                Some(text) => serializer.serialize_str(&text),
                None => Err(ser::Error::custom("serde has no text with a lone surrogate")),
            },
            Kind::Bytes => serializer.serialize_bytes(&node.bytes().unwrap_or_default()),
            Kind::Array => {
                let mut array = serializer.serialize_seq(Some(node.elements().count()))?;
                for element in node.elements() {
                    array.serialize_element(&Walk(element))?;
                }
                array.end()
            }
            Kind::Map => {
                let mut map = serializer.serialize_map(Some(node.members().count()))?;
                for (key, value) in node.members() {
                    map.serialize_entry(&Walk(key), &Walk(value))?;
                }
                map.end()
            }
            Kind::Undefined | Kind::BigInteger | Kind::Simple | Kind::Tag => {
                Err(ser::Error::custom(format!("serde has no {}", node.kind().name())))
            }
        }
    }
}

/// Collects what a deserializer contains as CBOR.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let mut bytes = Vec::new();
    Build(&mut bytes).deserialize(deserializer)?;
    Ok(bytes)
}

/// Writes what a deserializer says as CBOR, containers of indefinite length.
struct Build<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Build<'_> {
    fn integer(self, value: i128) {
        let mut encoder = Encoder::cbor();
        encoder.integer(value);
        self.0.extend_from_slice(encoder.written());
    }
}

impl<'de> Visitor<'de> for Build<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.push(0xf4 + u8::from(value));
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.integer(i128::from(value));
        Ok(())
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.integer(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.integer(i128::from(value));
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        cbor::push_float(value, self.0);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        cbor::push_head(3, value.len() as u64, self.0);
        self.0.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<(), E> {
        cbor::push_head(2, value.len() as u64, self.0);
        self.0.extend_from_slice(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push(0xf6);
        Ok(())
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.0.push(0x9f);
        while elements.next_element_seed(Build(self.0))?.is_some() {}
        self.0.push(0xff);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.push(0xbf);
        while members.next_key_seed(Build(self.0))?.is_some() {
            members.next_value_seed(Build(self.0))?;
        }
        self.0.push(0xff);
        Ok(())
    }
}
