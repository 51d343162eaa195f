//! The error type of this crate.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveErrorKind {
    /// A file could not be read or written.
    Io,
    /// The folder is not an archive, or is one of a later format.
    NotAnArchive,
    /// The folder is not empty.
    Exists,
    /// The key is not that of the archive.
    Key,
    /// The archive is damaged, so that it is not written to.
    Damaged,
    /// Another process writes to the archive.
    Locked,
    /// No session has this id, or several have.
    Session,
    /// An argument is not accepted.
    Refused,
    /// A defect of this program.
    Internal,
}

/// An error of this crate: its kind, the file that it is about, and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ArchiveErrorKind,
    /// The file that it is about.
    pub path: Option<PathBuf>,
    /// The reason, as text for display.
    pub reason: String,
}

/// The result of a function of this crate.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ArchiveErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, path: None, reason: reason.into() }
    }

    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::new(ArchiveErrorKind::Io, error.to_string()).at(path)
    }
}

/// Returns the error about a folder that contains none of the files of an archive.
pub(crate) fn not_an_archive(folder: &Path) -> Error {
    let reason = "not an archive (see `vac archive init`)";
    Error::new(ArchiveErrorKind::NotAnArchive, reason).at(folder)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(ArchiveErrorKind::Io, error.to_string())
    }
}

impl From<vac::Error> for Error {
    fn from(error: vac::Error) -> Self {
        Self::new(ArchiveErrorKind::Refused, error.to_string())
    }
}

impl From<vac_sign::sign::SignError> for Error {
    fn from(error: vac_sign::sign::SignError) -> Self {
        Self::new(ArchiveErrorKind::Key, error.to_string())
    }
}
