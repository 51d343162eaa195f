//! The result of converting many logs.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use vac_adapter::report::Report;

use crate::Error;

/// The result of converting many logs.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[must_use]
pub struct OutputReport {
    /// The sessions that have a record now: those that are unchanged, then the others in the order
    /// of their logs.
    pub sessions: Vec<OutputSession>,
    /// The errors of logs and sessions that could not be converted.
    pub failed: Vec<Error>,
    /// The number of files that are not logs.
    pub skipped: u64,
    /// The number of unchanged sessions whose logs were not fully understood, or that could not be
    /// converted again; 0 unless they are [examined](super::UnchangedLogs::Examined).
    pub unchanged_unknown: usize,
    /// The error that prevented writing the index of the folder. Without it, the next run takes
    /// longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_error: Option<Error>,
}

/// A session, and the result for its record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OutputSession {
    /// The name of the session's log.
    pub log: String,
    /// The id of the session.
    pub session_id: String,
    /// The change of the output.
    #[serde(flatten)]
    pub change: RecordChange,
    /// The report on the conversion. `None` if the session is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
}

/// The change of an output by the record of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum RecordChange {
    /// The record was written to the end of a file or a stream.
    Appended,
    /// The record is a new file.
    New {
        /// The file.
        #[serde(serialize_with = "write_path")]
        record: PathBuf,
        /// The record of another log that has a session of the same id and labels. Both may be right:
        /// the session may have been copied, or continued in two places.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_optional_path")]
        same_session: Option<PathBuf>,
    },
    /// The record replaced an earlier one of the session.
    Changed {
        /// The file.
        #[serde(serialize_with = "write_path")]
        record: PathBuf,
    },
    /// The existing record is up to date.
    Unchanged {
        /// The file.
        #[serde(serialize_with = "write_path")]
        record: PathBuf,
    },
    /// The record is a new file next to an earlier one, which is kept.
    KeptEarlier {
        /// The new file.
        #[serde(serialize_with = "write_path")]
        record: PathBuf,
        /// The earlier file.
        #[serde(serialize_with = "write_path")]
        earlier: PathBuf,
        /// The reason.
        because: KeptBecause,
    },
}

/// The reason for which an earlier file keeps the name that was intended for a new record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptBecause {
    /// The earlier file is not a record of the session, or cannot be read.
    OtherFile,
    /// The earlier file is a record of the session that the new one does not contain.
    NotContained,
    /// It is a record of the session with other labels.
    OtherLabels,
}

/// The numbers of records of a folder, by their change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FolderChanges {
    /// Records that are new files.
    pub new: u64,
    /// Records that replaced earlier ones.
    pub changed: u64,
    /// Records that are up to date.
    pub unchanged: u64,
    /// Earlier files that were not replaced, so that the new record got another name.
    pub kept: u64,
}

impl OutputReport {
    /// Counts the changes of a folder.
    pub fn changes(&self) -> FolderChanges {
        let mut changes = FolderChanges::default();
        for session in &self.sessions {
            match session.change {
                RecordChange::Appended => {}
                RecordChange::New { .. } => changes.new += 1,
                RecordChange::Changed { .. } => changes.changed += 1,
                RecordChange::Unchanged { .. } => changes.unchanged += 1,
                RecordChange::KeptEarlier { .. } => {
                    changes.new += 1;
                    changes.kept += 1;
                }
            }
        }
        changes
    }
}

impl RecordChange {
    /// Returns the file of the record. `None` if it is in a file or a stream with others.
    pub fn record(&self) -> Option<&Path> {
        match self {
            Self::Appended => None,
            Self::New { record, .. }
            | Self::Changed { record }
            | Self::Unchanged { record }
            | Self::KeptEarlier { record, .. } => Some(record),
        }
    }
}

#[expect(clippy::ref_option, reason = "serde calls it with this type")]
fn write_optional_path<S: Serializer>(path: &Option<PathBuf>, out: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => write_path(path, out),
        None => out.serialize_none(),
    }
}

fn write_path<S: Serializer>(path: &Path, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&path.to_string_lossy())
}
