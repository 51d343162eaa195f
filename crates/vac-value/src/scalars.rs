//! [`Encode`] and [`IntoOwned`] for standard types.

use std::borrow::Cow;

use crate::encode::{Encode, Encoded};
use crate::encoder::Encoder;
use crate::{IntoOwned, Null, Number, Undefined};

impl Encode for u64 {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.integer(i128::from(*self));
        Ok(())
    }
}

impl Encode for i128 {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.integer(*self);
        Ok(())
    }
}

impl Encode for f64 {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.float(*self)
    }
}

impl Encode for bool {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.bool(*self);
        Ok(())
    }
}

impl Encode for str {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.text(self);
        Ok(())
    }

    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Encode for String {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.text(self);
        Ok(())
    }

    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Encode for [u8] {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.bytes(self);
        Ok(())
    }
}

impl<T: Encode + ToOwned + ?Sized> Encode for Cow<'_, T> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        (**self).encode(to)
    }

    fn as_text(&self) -> Option<&str> {
        (**self).as_text()
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        (**self).encode(to)
    }

    fn as_text(&self) -> Option<&str> {
        (**self).as_text()
    }
}

impl Encode for Number<'_> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.number(self)
    }
}

impl Encode for Null {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.null();
        Ok(())
    }
}

impl Encode for Undefined {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.undefined()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        to.array(self)
    }
}

impl<T: Encode + ?Sized> Encode for Box<T> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        (**self).encode(to)
    }

    fn as_text(&self) -> Option<&str> {
        (**self).as_text()
    }
}

/// Writes `None` as `null`, and a value like itself.
impl<T: Encode> Encode for Option<T> {
    fn encode(&self, to: &mut Encoder<'_>) -> Encoded {
        if let Some(value) = self {
            return value.encode(to);
        }
        to.null();
        Ok(())
    }
}

/// Implements [`IntoOwned`] for types that borrow nothing.
macro_rules! owned_already {
    ($($type:ty),*) => {$(
        impl IntoOwned for $type {
            type Owned = Self;

            fn into_owned(self) -> Self {
                self
            }
        }
    )*};
}

owned_already!(u64, i128, f64, bool, String, Null, Undefined);

impl<T: ToOwned + ?Sized + 'static> IntoOwned for Cow<'_, T> {
    type Owned = Cow<'static, T>;

    fn into_owned(self) -> Cow<'static, T> {
        Cow::Owned(Cow::into_owned(self))
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(IntoOwned::into_owned).collect()
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(IntoOwned::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Box<T> {
    type Owned = Box<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Box::new((*self).into_owned())
    }
}
