//! Deserializes values by writing CBOR while a deserializer reads.

use std::fmt;

use num_bigint::BigInt;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::TAGGED;
use crate::encoder::Encoder;
use crate::{Limits, cbor};

/// Reads a value from a deserializer and writes it as CBOR, with containers of indefinite
/// length. Fails if the value is nested deeper than a document may be.
pub fn deserialize_to_cbor<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<u8>, D::Error> {
    let mut bytes = Vec::new();
    CborWriter { out: &mut bytes, depth: 0 }.deserialize(deserializer)?;
    Ok(bytes)
}

struct CborWriter<'o> {
    out: &'o mut Vec<u8>,
    /// The number of containers and tags around the value.
    depth: usize,
}

impl CborWriter<'_> {
    /// Returns a writer of the values inside this one.
    fn inner<E: Error>(&mut self) -> Result<CborWriter<'_>, E> {
        let limit = Limits::default().depth;
        if self.depth == limit {
            return Err(E::custom(format_args!("nested deeper than {limit} levels")));
        }
        Ok(CborWriter { out: self.out, depth: self.depth + 1 })
    }

    fn encode(self, write: impl FnOnce(&mut Encoder<'_>)) {
        let mut encoder = Encoder::cbor();
        write(&mut encoder);
        self.out.extend_from_slice(encoder.written());
    }
}

impl<'de> DeserializeSeed<'de> for CborWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CborWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.out.push(0xf4 + u8::from(value));
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.encode(|encoder| encoder.integer(i128::from(value)));
        Ok(())
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.encode(|encoder| encoder.integer(value));
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        cbor::push_head(0, value, self.out);
        Ok(())
    }

    fn visit_u128<E>(self, value: u128) -> Result<(), E> {
        self.encode(|encoder| encoder.bignum(&BigInt::from(value)));
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        cbor::push_float(value, self.out);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        cbor::push_head(3, value.len() as u64, self.out);
        self.out.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<(), E> {
        cbor::push_head(2, value.len() as u64, self.out);
        self.out.extend_from_slice(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.out.push(0xf6);
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.out.push(0x9f);
        while elements.next_element_seed(self.inner()?)?.is_some() {}
        self.out.push(0xff);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.out.push(0xbf);
        while members.next_key_seed(self.inner()?)?.is_some() {
            members.next_value_seed(self.inner()?)?;
        }
        self.out.push(0xff);
        Ok(())
    }

    /// Writes a tag, as crate `ciborium` represents it.
    fn visit_enum<A: EnumAccess<'de>>(mut self, data: A) -> Result<(), A::Error> {
        let (name, variant) = data.variant::<String>()?;
        if name != TAGGED {
            return Err(A::Error::custom("enums cannot be represented"));
        }
        let writer = self.inner()?;
        variant.tuple_variant(2, TagWriter(writer))
    }
}

/// Writes the number of a tag and its content.
struct TagWriter<'o>(CborWriter<'o>);

impl<'de> Visitor<'de> for TagWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag and its content")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<(), A::Error> {
        let number: u64 =
            parts.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &"a tag"))?;
        cbor::push_head(6, number, self.0.out);
        let content = parts.next_element_seed(self.0)?;
        content.ok_or_else(|| A::Error::invalid_length(1, &"the content of a tag"))
    }
}
