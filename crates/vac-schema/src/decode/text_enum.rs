//! Enums whose values are texts of the schema.

use std::fmt;

use vac_value::found_text;

/// A text that is not among the values of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownText {
    /// A description of the text, which shows it if it is short and not a likely secret.
    pub found: String,
    /// The values of the enum.
    pub expected: &'static [&'static str],
}

impl UnknownText {
    /// Creates the error for a text.
    pub fn new(text: &str, expected: &'static [&'static str]) -> Self {
        Self { found: found_text(text), expected }
    }
}

impl fmt::Display for UnknownText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = self.expected.iter().map(|value| format!("{value:?}"));
        let expected = crate::describe::list(expected);
        write!(f, "expected {expected}, found {}", self.found)
    }
}

impl std::error::Error for UnknownText {}

/// Implements the conversions between an enum and the texts of its values.
#[macro_export]
macro_rules! text_enum {
    ($name:ident: $($variant:ident = $text:literal),+ $(,)?) => {
        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The texts of all values, in the same order.
            pub const TEXTS: &'static [&'static str] = &[$($text),+];

            /// Returns the text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::convert::AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownText;

            fn from_str(text: &str) -> ::std::result::Result<Self, $crate::UnknownText> {
                match text {
                    $($text => ::std::result::Result::Ok(Self::$variant),)+
                    _ => ::std::result::Result::Err($crate::UnknownText::new(text, Self::TEXTS)),
                }
            }
        }

        impl ::std::convert::TryFrom<&str> for $name {
            type Error = $crate::UnknownText;

            fn try_from(text: &str) -> ::std::result::Result<Self, $crate::UnknownText> {
                text.parse()
            }
        }
    };
}

/// Implements [`std::str::FromStr`] for types that are maps or arrays: it decodes JSON text.
#[macro_export]
macro_rules! parsed_as_json {
    ($($name:ident $(<$life:lifetime>)?;)*) => {$(
        $crate::parsed_as_json!(@one $name, ($($life)?));
    )*};
    (@one $name:ident, ($life:lifetime)) => {
        impl ::std::str::FromStr for $name<'static> {
            type Err = $crate::DecodeError;

            /// Decodes JSON text.
            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                $crate::parse_owned(text)
            }
        }
    };
    (@one $name:ident, ()) => {
        impl ::std::str::FromStr for $name {
            type Err = $crate::DecodeError;

            /// Decodes JSON text.
            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                $crate::parse_owned(text)
            }
        }
    };
}
