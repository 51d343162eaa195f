//! What can be wrong with a specification.

use std::fmt;

use crate::ir::Location;

/// Why a text is not a specification that this crate understands, and where.
///
/// It is displayed as `spec.cddl:12:5: control operator .abnf is not supported`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    location: Location,
    message: String,
}

impl Error {
    pub(crate) fn at(location: Location, message: impl Into<String>) -> Self {
        Self { location, message: message.into() }
    }

    /// Where the construct stands that is wrong.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// What is wrong with it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

impl std::error::Error for Error {}
