//! Builds values from parts, and from types of the standard library.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use super::{Any, Built, Carried, Parts, max_depth};
use crate::document::Encoding;
use crate::encode::Encode;
use crate::encoder::Encoder;
use crate::{Bytes, IntoOwned, Map, Number, Text, cbor};

impl<'a> Any<'a> {
    /// Returns `null`.
    pub fn null() -> Self {
        Self::from_raw(&b"null"[..], Encoding::Json, true)
    }

    /// Returns `undefined`, which only CBOR has.
    pub fn undefined() -> Self {
        Self::from_raw(&b"\xf7"[..], Encoding::Cbor, true)
    }

    /// Builds an array.
    pub fn array<T: Into<Any<'a>>>(elements: impl IntoIterator<Item = T>) -> Self {
        let elements: Vec<Any<'a>> = elements.into_iter().map(Into::into).collect();
        let depth = elements.iter().map(Self::depth).max();
        Self::built(Parts::Array(elements), depth)
    }

    /// Builds a map whose keys are text. A duplicate key is an error when the map is written.
    pub fn members<K: Into<Cow<'a, str>>, V: Into<Any<'a>>>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let members: Vec<(Cow<'a, str>, Any<'a>)> =
            members.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        let depth = members.iter().map(|(_, value)| value.depth()).max();
        Self::built(Parts::Members(members), depth)
    }

    /// Builds a map with keys of any type. JSON can represent it only if all keys are text. A
    /// duplicate key is an error when the map is written.
    pub fn map<K: Into<Any<'a>>, V: Into<Any<'a>>>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let members: Vec<(Any<'a>, Any<'a>)> =
            members.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        let depth = members.iter().map(|(key, value)| key.depth().max(value.depth())).max();
        Self::built(Parts::Map(members), depth)
    }

    /// Builds a tagged value. JSON represents bignums (tags 2 and 3) and decimal fractions (tag 4)
    /// as numbers, and has no other tags.
    pub fn tag(number: u64, content: impl Into<Any<'a>>) -> Self {
        let content = content.into();
        // A bignum is normalized when it is written, like one from a document.
        if let (2 | 3, Some((raw @ [0x40..=0x5f, ..], Encoding::Cbor))) = (number, content.source())
        {
            let mut bytes = Vec::with_capacity(raw.len() + 1);
            cbor::push_head(6, number, &mut bytes);
            bytes.extend_from_slice(raw);
            return Self::from_raw(bytes, Encoding::Cbor, false);
        }
        let depth = content.depth();
        Self::built(Parts::Tag(number, content), Some(depth))
    }

    /// Builds a byte string.
    pub fn bytes(bytes: impl AsRef<[u8]>) -> Self {
        Self::encoded(bytes.as_ref(), Encoding::Cbor)
    }

    /// Returns the number of levels of built containers in this value.
    fn depth(&self) -> usize {
        match &self.0 {
            Carried::Built(built) => built.depth,
            _ => 0,
        }
    }

    /// Builds a container. `inner` is the depth of the values in it.
    fn built(parts: Parts<'a>, inner: Option<usize>) -> Self {
        let depth = inner.unwrap_or(0) + 1;
        let (parts, depth) = if depth > max_depth() {
            (Parts::TooDeep(Arc::new(())), max_depth())
        } else {
            (parts, depth)
        };
        Self(Carried::Built(Box::new(Built { parts, depth, written: OnceLock::new() })))
    }

    /// Creates a value that carries a scalar in an encoding that can represent it.
    fn encoded<T: Encode + ?Sized>(value: &T, encoding: Encoding) -> Self {
        let mut encoder = Encoder::new(encoding);
        value.encode(&mut encoder).expect("the encoding represents every value of this type");
        Self::from_written(encoder)
    }
}

/// Implements `From` for types whose values JSON can represent.
macro_rules! from_json_scalars {
    ($($type:ty => $written:ty),*) => {$(
        impl From<$type> for Any<'_> {
            fn from(value: $type) -> Self {
                Self::encoded(&<$written>::from(value), Encoding::Json)
            }
        }
    )*};
}

from_json_scalars!(
    bool => bool, u8 => i128, u16 => i128, u32 => i128, u64 => i128, i8 => i128, i16 => i128,
    i32 => i128, i64 => i128, i128 => i128, char => String, String => Text<'_>, &String => Text<'_>
);

/// Implements `From` for integers whose size depends on the platform.
macro_rules! from_sizes {
    ($($type:ty),*) => {$(
        impl From<$type> for Any<'_> {
            fn from(value: $type) -> Self {
                Self::from(i128::try_from(value).expect("no platform has 128-bit pointers"))
            }
        }
    )*};
}

from_sizes!(usize, isize);

/// `null`.
impl From<()> for Any<'_> {
    fn from((): ()) -> Self {
        Self::null()
    }
}

/// `null`.
impl Default for Any<'_> {
    fn default() -> Self {
        Self::null()
    }
}

impl From<&str> for Any<'_> {
    fn from(text: &str) -> Self {
        Self::encoded(text, Encoding::Json)
    }
}

impl From<Text<'_>> for Any<'_> {
    fn from(text: Text<'_>) -> Self {
        Self::from(&*text)
    }
}

/// A float that is not finite is carried as CBOR, which JSON cannot represent.
impl From<f64> for Any<'_> {
    fn from(value: f64) -> Self {
        Self::encoded(&value, if value.is_finite() { Encoding::Json } else { Encoding::Cbor })
    }
}

impl From<f32> for Any<'_> {
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}

impl From<Number<'_>> for Any<'_> {
    fn from(value: Number<'_>) -> Self {
        match value {
            Number::Integer(integer) => integer.into(),
            Number::Float(float) => float.into(),
            Number::Decimal(_) => Self::encoded(&value, Encoding::Json),
        }
    }
}

impl From<Bytes<'_>> for Any<'_> {
    fn from(bytes: Bytes<'_>) -> Self {
        Self::bytes(&*bytes)
    }
}

impl<'a, T: Into<Any<'a>>> From<Vec<T>> for Any<'a> {
    fn from(elements: Vec<T>) -> Self {
        Self::array(elements)
    }
}

impl<'a, T: Into<Any<'a>>, const N: usize> From<[T; N]> for Any<'a> {
    fn from(elements: [T; N]) -> Self {
        Self::array(elements)
    }
}

impl<'a, T: Clone + Into<Any<'a>>> From<&[T]> for Any<'a> {
    fn from(elements: &[T]) -> Self {
        Self::array(elements.iter().cloned())
    }
}

/// Collects values into an array.
impl<'a, T: Into<Any<'a>>> FromIterator<T> for Any<'a> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::array(elements)
    }
}

/// Collects keys and values into a map.
impl<'a, K: Into<Any<'a>>, V: Into<Any<'a>>> FromIterator<(K, V)> for Any<'a> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::map(members)
    }
}

impl<'a, K: Into<Any<'a>>, V: Into<Any<'a>>> From<BTreeMap<K, V>> for Any<'a> {
    fn from(members: BTreeMap<K, V>) -> Self {
        Self::map(members)
    }
}

/// The members are in no particular order.
impl<'a, K: Into<Any<'a>>, V: Into<Any<'a>>, S> From<HashMap<K, V, S>> for Any<'a> {
    fn from(members: HashMap<K, V, S>) -> Self {
        Self::map(members)
    }
}

/// Converts `None` to `null`, and a value like itself.
impl<'a, T: Into<Any<'a>>> From<Option<T>> for Any<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::null, Into::into)
    }
}

impl<'a, K: Into<Any<'a>>, V: Into<Any<'a>>> From<Map<K, V>> for Any<'a> {
    fn from(members: Map<K, V>) -> Self {
        Self::map(members)
    }
}

/// A copy that does not borrow from the node's document.
impl From<crate::Node<'_, '_>> for Any<'static> {
    fn from(node: crate::Node<'_, '_>) -> Self {
        node.lift().into_owned()
    }
}
