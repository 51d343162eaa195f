//! Small types that generated types consist of.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use data_encoding::HEXLOWER;

use crate::encode::{Encode, EncodeError, Encoded};
use crate::encoder::Encoder;

/// Text, borrowed from its source if possible.
pub type Text<'a> = Cow<'a, str>;

/// A byte string, borrowed from its source if possible.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes<'a>(Cow<'a, [u8]>);

impl Bytes<'_> {
    /// Returns the bytes, copied if they are borrowed.
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_owned()
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes<'_> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "h'{}'", HEXLOWER.encode(&self.0))
    }
}

impl<'a> From<Cow<'a, [u8]>> for Bytes<'a> {
    fn from(bytes: Cow<'a, [u8]>) -> Self {
        Self(bytes)
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Bytes<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Bytes<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Cow::Owned(bytes))
    }
}

impl Encode for Bytes<'_> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.bytes(&self.0);
        Ok(())
    }
}

impl IntoOwned for Bytes<'_> {
    type Owned = Bytes<'static>;

    fn into_owned(self) -> Self::Owned {
        Bytes(Cow::Owned(self.0.into_owned()))
    }
}

/// A value that can be made independent of the source that it borrows from.
pub trait IntoOwned {
    /// The same type without borrowed data.
    type Owned: 'static;

    /// Returns the value with copies of borrowed data.
    fn into_owned(self) -> Self::Owned;
}

/// Makes a value independent of the source that it borrows from.
pub fn into_owned<T: IntoOwned>(value: T) -> T::Owned {
    value.into_owned()
}

/// The value `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Null;

/// The value `undefined`, which only CBOR has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undefined;

/// A value with a CBOR tag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tagged<const NUMBER: u64, T>(pub T);

impl<const NUMBER: u64, T: Encode> Encode for Tagged<NUMBER, T> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.tagged(NUMBER, &self.0)
    }
}

impl<const NUMBER: u64, T: IntoOwned> IntoOwned for Tagged<NUMBER, T> {
    type Owned = Tagged<NUMBER, T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Tagged(self.0.into_owned())
    }
}

/// A byte string that contains a CBOR item (`bstr .cbor T`): the value, and the bytes that it
/// was read from. The bytes are written unchanged, because a signature may cover them.
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
    #[doc(hidden)] // the caller has to ensure that the bytes encode the value
    pub fn with_bytes(value: T, bytes: Bytes<'a>) -> Self {
        Self { value, bytes: Some(bytes) }
    }

    /// Returns the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the value and drops the bytes.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T: Encode> Embedded<'_, T> {
    /// Returns the bytes: as they were read, or as they will be written.
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
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.bytes(&self.bytes()?);
        Ok(())
    }
}

impl<T: IntoOwned> IntoOwned for Embedded<'_, T> {
    type Owned = Embedded<'static, T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Embedded { value: self.value.into_owned(), bytes: self.bytes.map(IntoOwned::into_owned) }
    }
}
