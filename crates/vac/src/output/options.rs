//! Options for converting many logs.

use std::time::SystemTime;

use crate::ConvertOptions;
use crate::files::{Readers, Wait};

/// Options for converting many logs. The default converts new and changed logs.
#[derive(Clone, Debug, Default)]
pub struct OutputOptions {
    /// Options for reading logs and writing records.
    pub convert: ConvertOptions,
    /// The users who may read new files; by default, those who can read all sources of a record.
    pub readers: Option<Readers>,
    /// The number of logs to convert in parallel. 0 means one for each processor.
    pub jobs: usize,
    /// Whether a record in a folder is replaced by one that does not contain it.
    pub overwrite: bool,
    /// The treatment of logs whose records in a folder are up to date.
    pub unchanged: UnchangedLogs,
    /// Whether records and logs are read that are unchanged according to the index of the folder.
    pub rehash: bool,
    /// Whether to wait for another process that writes to the folder.
    pub wait: Wait,
    /// The time before the logs were searched. The index states the state of logs that have not
    /// been changed since then, so that the next run need not read them. Without this time, the
    /// index does not state it.
    pub searched: Option<SystemTime>,
}

/// The treatment of logs whose records are up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnchangedLogs {
    /// They are not converted.
    #[default]
    Kept,
    /// They are converted only if that is necessary to determine whether they are fully understood.
    Examined,
    /// They are converted as if they had changed.
    Converted,
}
