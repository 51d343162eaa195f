//! serde's traits for the types of this crate.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use data_encoding::BASE64URL_NOPAD;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::ser::{Serialize, Serializer};

use super::{TAG, TAGGED, UNTAGGED, deserialize_to_cbor, serialize};
use crate::document::{Document, Encoding};
use crate::encode::Encode;
use crate::{Any, Bytes, Embedded, Map, Null, Number, Tagged, Undefined};

/// Serializes types as they are encoded.
macro_rules! serialize_as_encoded {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize(self, serializer)
            }
        }
    )*};
}

serialize_as_encoded! {
    [] Any<'_>;
    [] Number<'_>;
    [] Bytes<'_>;
    [] Null;
    [] Undefined;
    [const NUMBER: u64, T: Encode] Tagged<NUMBER, T>;
    [T: Encode] Embedded<'_, T>;
    [K: Encode, V: Encode] Map<K, V>;
}

impl<'de> Deserialize<'de> for Any<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserialize_to_cbor(deserializer)?;
        Ok(Self::from_raw(bytes, Encoding::Cbor, false))
    }
}

impl<'de> Deserialize<'de> for Number<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = Number<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(value.into())
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(value.into())
            }

            fn visit_i128<E: Error>(self, value: i128) -> Result<Self::Value, E> {
                let argument = if value < 0 { -1 - value } else { value };
                match u64::try_from(argument) {
                    Ok(_) => Ok(Number::Integer(value)),
                    Err(_) => Err(E::custom("an integer outside of -2^64 to 2^64 - 1")),
                }
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Number::Float(value))
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}

/// Readable formats have byte strings as base64url text without padding.
impl<'de> Deserialize<'de> for Bytes<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;

        impl<'de> Visitor<'de> for BytesVisitor {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a byte string")
            }

            fn visit_bytes<E>(self, value: &[u8]) -> Result<Vec<u8>, E> {
                Ok(value.to_vec())
            }

            fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(value)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Vec<u8>, A::Error> {
                let mut all = Vec::new();
                while let Some(byte) = bytes.next_element()? {
                    all.push(byte);
                }
                Ok(all)
            }
        }

        if deserializer.is_human_readable() {
            let text = Cow::<str>::deserialize(deserializer)?;
            let bytes = BASE64URL_NOPAD.decode(text.as_bytes());
            return bytes.map(Self::from).map_err(|_| {
                D::Error::invalid_value(Unexpected::Str(&text), &"base64url text without padding")
            });
        }
        deserializer.deserialize_byte_buf(BytesVisitor).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for Null {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Self)
    }
}

/// Always fails, because serde has no `undefined`.
impl<'de> Deserialize<'de> for Undefined {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("serde cannot represent undefined"))
    }
}

impl<'de, const NUMBER: u64, T: Deserialize<'de>> Deserialize<'de> for Tagged<NUMBER, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TagVisitor<const NUMBER: u64, T>(PhantomData<T>);

        impl<'de, const NUMBER: u64, T: Deserialize<'de>> Visitor<'de> for TagVisitor<NUMBER, T> {
            type Value = Tagged<NUMBER, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "tag {NUMBER}")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Self::Value, A::Error> {
                let (name, variant) = data.variant::<String>()?;
                if name != TAGGED {
                    return Err(A::Error::custom(format_args!("expected tag {NUMBER}")));
                }
                variant.tuple_variant(2, self)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
                if parts.next_element::<u64>()? != Some(NUMBER) {
                    return Err(A::Error::custom(format_args!("expected tag {NUMBER}")));
                }
                let content = parts.next_element()?;
                content.map(Tagged).ok_or_else(|| A::Error::invalid_length(1, &self))
            }
        }

        deserializer.deserialize_enum(TAG, &[UNTAGGED, TAGGED], TagVisitor(PhantomData))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Embedded<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Bytes::deserialize(deserializer)?;
        let document = Document::cbor(&bytes).map_err(D::Error::custom)?;
        let value = T::deserialize(document.root()).map_err(D::Error::custom)?;
        drop(document);
        Ok(Self::with_bytes(value, bytes))
    }
}

impl<'de, K, V> Deserialize<'de> for Map<K, V>
where
    K: Deserialize<'de> + Encode,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K, V> Visitor<'de> for MapVisitor<K, V>
        where
            K: Deserialize<'de> + Encode,
            V: Deserialize<'de>,
        {
            type Value = Map<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut map = Map::new();
                while let Some((key, value)) = members.next_entry()? {
                    if map.insert(key, value).is_some() {
                        return Err(A::Error::custom("duplicate key in a map"));
                    }
                }
                Ok(map)
            }
        }

        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}
