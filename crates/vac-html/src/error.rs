//! The error of this crate.

use std::fmt;

use vac_sign::KeyError;

use crate::page::{MAX_ENTRIES, MAX_RECORD};

/// The reason why a page cannot be made or read.
#[derive(Debug)]
pub enum PageError {
    /// The record has more bytes than [`MAX_RECORD`](crate::MAX_RECORD).
    TooLarge {
        /// The number of bytes of the record.
        size: usize,
    },
    /// The record has more entries than [`MAX_ENTRIES`](crate::MAX_ENTRIES).
    TooManyEntries {
        /// The number of entries of the record, with children.
        entries: u64,
    },
    /// The document is not a record, or its record is not valid.
    Record(vac_adapter::Error),
    /// The envelope does not contain the record, and it was not given.
    RecordMissing,
    /// The key cannot be written as PEM.
    Key(KeyError),
    /// The bytes are not a page of `vac`, or the page is damaged.
    NotAPage(String),
}

impl PageError {
    /// Creates the error about a document that is neither a record nor an envelope.
    pub(crate) fn not_a_record(reason: impl fmt::Display) -> Self {
        Self::Record(vac_adapter::Error::Refused(format!("not a record: {reason}")))
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size } => write!(
                f,
                "the record has {size} bytes, more than a browser can show (limit: {MAX_RECORD}); \
                 `vac events` prints it as a stream"
            ),
            Self::TooManyEntries { entries } => write!(
                f,
                "the record has {entries} entries, more than a page can list (limit: \
                 {MAX_ENTRIES}); `vac events` prints it as a stream"
            ),
            Self::Record(error) => error.fmt(f),
            Self::RecordMissing => {
                f.write_str("the envelope does not contain the record: pass --record FILE")
            }
            Self::Key(error) => error.fmt(f),
            Self::NotAPage(reason) => write!(f, "not a page of vac: {reason}"),
        }
    }
}

impl std::error::Error for PageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Record(error) => Some(error),
            Self::Key(error) => Some(error),
            _ => None,
        }
    }
}
