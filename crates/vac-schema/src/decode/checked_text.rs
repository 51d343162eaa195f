//! Text that a regular expression of the schema restricts.

use std::borrow::Cow;
use std::fmt;

use vac_value::printable;

use crate::tables::{PatternId, Schema};

/// The maximum number of characters of a text that a message shows.
const MAX_CHARACTERS: usize = 60;

/// A text that does not match the regular expression of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidText {
    /// The beginning of the text.
    pub text: String,
    /// The name of the expression, or the expression itself.
    pub pattern: String,
}

impl fmt::Display for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" does not match {}", self.text, self.pattern)
    }
}

impl std::error::Error for InvalidText {}

/// Checks that a text matches a regular expression. Generated code calls it.
#[doc(hidden)]
pub fn check_text<'a>(
    schema: &Schema,
    PatternId(id): PatternId,
    text: Cow<'a, str>,
) -> Result<Cow<'a, str>, InvalidText> {
    let pattern = &schema.patterns[id as usize];
    if pattern.is_match(&text, schema.patterns.len()) {
        return Ok(text);
    }
    let name = if pattern.name.is_empty() { &pattern.source } else { &pattern.name };
    Err(InvalidText { text: printable(&text, MAX_CHARACTERS), pattern: name.to_string() })
}

/// Implements a type that contains a text which matches a regular expression.
#[macro_export]
macro_rules! checked_text {
    ($name:ident, $schema:path, $pattern:literal) => {
        impl<'a> $name<'a> {
            /// Checks that a text matches.
            pub fn new(
                text: impl ::std::convert::Into<::std::borrow::Cow<'a, str>>,
            ) -> ::std::result::Result<Self, $crate::InvalidText> {
                $crate::check_text(&$schema, $crate::PatternId($pattern), text.into()).map(Self)
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::ops::Deref for $name<'_> {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl ::std::convert::AsRef<str> for $name<'_> {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl ::std::fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl ::std::cmp::PartialEq<str> for $name<'_> {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl ::std::cmp::PartialEq<&str> for $name<'_> {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl ::std::str::FromStr for $name<'_> {
            type Err = $crate::InvalidText;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                Self::new(::std::borrow::ToOwned::to_owned(text))
            }
        }

        impl<'a> ::std::convert::TryFrom<&'a str> for $name<'a> {
            type Error = $crate::InvalidText;

            fn try_from(text: &'a str) -> ::std::result::Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl ::std::convert::TryFrom<::std::string::String> for $name<'_> {
            type Error = $crate::InvalidText;

            fn try_from(text: ::std::string::String) -> ::std::result::Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl<'a> ::std::convert::From<$name<'a>> for ::std::borrow::Cow<'a, str> {
            fn from(text: $name<'a>) -> Self {
                text.0
            }
        }

        impl $crate::Encode for $name<'_> {
            fn encode(&self, to: &mut $crate::Encoder) -> $crate::Encoded {
                $crate::Encode::encode(&self.0, to)
            }

            fn as_text(&self) -> ::std::option::Option<&str> {
                ::std::option::Option::Some(&self.0)
            }
        }

        impl $crate::IntoOwned for $name<'_> {
            type Owned = $name<'static>;

            fn into_owned(self) -> Self::Owned {
                $name($crate::IntoOwned::into_owned(self.0))
            }
        }

        impl<'a> $crate::Build<'a> for $name<'a> {
            fn build(
                reader: &mut $crate::Reader<'_>,
                node: $crate::Node<'_, 'a>,
            ) -> $crate::Built<Self> {
                reader.build(node).map(Self)
            }
        }
    };
}
