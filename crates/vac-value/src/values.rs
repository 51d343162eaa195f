//! The small types that generated code is made of.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use crate::encode::{Encode, EncodeError, Encoder};
use crate::map_encoder::{Key, MapEncoder};

/// Text, borrowed from its source where it can be.
pub type Text<'a> = Cow<'a, str>;

/// Bytes, borrowed from their source where they can be.
pub type Bytes<'a> = Cow<'a, [u8]>;

/// A value that can be made independent of the source it borrows from.
pub trait IntoOwned {
    /// The same type, borrowing nothing.
    type Owned: 'static;

    /// Copies whatever is borrowed.
    fn into_owned(self) -> Self::Owned;
}

/// Makes a value independent of the source it borrows from.
pub fn into_owned<T: IntoOwned>(value: T) -> T::Owned {
    value.into_owned()
}

/// Members beyond those a schema names, in the order of the source.
#[derive(Clone, Debug)]
pub struct Extensions<K, V>(pub Vec<(K, V)>);

/// As maps: the same members, in whatever order.
impl<K: PartialEq, V: PartialEq> PartialEq for Extensions<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let in_other = |(key, value): &(K, V)| {
            other.0.iter().any(|(other_key, other_value)| key == other_key && value == other_value)
        };
        self.0 == other.0 || (self.0.len() == other.0.len() && self.0.iter().all(in_other))
    }
}

impl<K, V> Default for Extensions<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V> Deref for Extensions<K, V> {
    type Target = Vec<(K, V)>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K, V> DerefMut for Extensions<K, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<V> Extensions<Text<'_>, V> {
    /// The value of a text key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<K, V> FromIterator<(K, V)> for Extensions<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl<K: Encode, V: Encode> Extensions<K, V> {
    /// Adds the members to a map that is being written.
    pub fn add_to<'v>(&'v self, map: &mut MapEncoder<'_, 'v>) -> Result<(), EncodeError> {
        for (key, value) in &self.0 {
            let key = key.as_text().map_or(Key::Other(key), Key::Text);
            map.extension(key, value)?;
        }
        Ok(())
    }
}

/// As a whole map.
impl<K: Encode, V: Encode> Encode for Extensions<K, V> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        let mut map = MapEncoder::new(to);
        self.add_to(&mut map)?;
        map.end()
    }
}

impl<K: IntoOwned, V: IntoOwned> IntoOwned for Extensions<K, V> {
    type Owned = Extensions<K::Owned, V::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.0.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
    }
}

/// `null`, where nothing else is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Null;

/// `undefined`, where nothing else is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undefined;

/// A value under a CBOR tag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tagged<const NUMBER: u64, T>(pub T);

impl<const NUMBER: u64, T: Encode> Encode for Tagged<NUMBER, T> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        to.tag(NUMBER)?;
        self.0.encode(to)
    }
}

impl<const NUMBER: u64, T: IntoOwned> IntoOwned for Tagged<NUMBER, T> {
    type Owned = Tagged<NUMBER, T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Tagged(self.0.into_owned())
    }
}

/// A byte string that holds a CBOR item (`bstr .cbor T`): the value, and the
/// bytes it was read from, which a signature may cover and which are written
/// again as they were.
#[derive(Clone, Debug)]
pub struct Embedded<'a, T> {
    value: T,
    bytes: Option<Bytes<'a>>,
}

impl<'a, T> Embedded<'a, T> {
    /// Embeds a value; it is written in deterministic CBOR.
    pub fn new(value: T) -> Self {
        Self { value, bytes: None }
    }

    /// Embeds a value together with the bytes that it was read from.
    #[doc(hidden)] // the bytes have to encode the value, which decoders see to
    pub fn with_bytes(value: T, bytes: Bytes<'a>) -> Self {
        Self { value, bytes: Some(bytes) }
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value alone.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T: Encode> Embedded<'_, T> {
    /// The bytes: as they were read, or as they will be written.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, EncodeError> {
        match &self.bytes {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => self.value.to_cbor().map(Cow::Owned),
        }
    }
}

impl<T: PartialEq> PartialEq for Embedded<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Encode> Encode for Embedded<'_, T> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        to.bytes(&self.bytes()?);
        Ok(())
    }
}

impl<T: IntoOwned> IntoOwned for Embedded<'_, T> {
    type Owned = Embedded<'static, T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Embedded {
            value: self.value.into_owned(),
            bytes: self.bytes.map(|bytes| Cow::Owned(bytes.into_owned())),
        }
    }
}
