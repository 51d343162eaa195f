//! The error type of this crate.

use std::fmt;
use std::io;

use serde::Serialize;

/// An error of this crate: its kind, the file or log that it is about, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The file or log that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The reason, as text for display.
    pub reason: String,
}

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or stream could not be read or written.
    Io,
    /// The input is not a log of any supported agent, or not a record.
    Unrecognised,
    /// A log of an agent, or an argument, that is not accepted.
    Refused,
    /// The log was changed while it was read.
    Changed,
    /// The input is not a valid record.
    Invalid,
    /// A file that already exists.
    Exists,
    /// A folder that another process writes to.
    Locked,
    /// A defect of this program.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, place: None, reason: reason.into() }
    }

    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, reason)
    }

    /// Makes the error of something that could not be done.
    pub(crate) fn io(what: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("{what}: {error}"))
    }

    pub(crate) fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(ErrorKind::Io, error.to_string())
    }
}

impl From<vac_adapter::Error> for Error {
    fn from(error: vac_adapter::Error) -> Self {
        use vac_adapter::Error as E;
        let kind = match &error {
            // A log that needs more memory than is available was refused. No read failed.
            E::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => ErrorKind::Refused,
            E::Io(_) => ErrorKind::Io,
            E::Refused(_) => ErrorKind::Refused,
            E::Changed { .. } => ErrorKind::Changed,
            E::Invalid { .. } | E::Encode(_) | E::Miscounted { .. } => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}
