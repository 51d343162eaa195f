//! The document of `vac convert`, which is also its report.

use serde::Serialize;
use vac::adapter::report::Report;
use vac::output::FolderChanges;
use vac::search::Duplicate;

use super::FailedFile;

/// The result of `vac convert`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConvertOutput<'s> {
    /// Sessions that were converted.
    pub sessions: &'s [Report],
    /// Logs and sessions that could not be converted.
    pub failed: &'s [FailedFile],
    /// Number of files in directories that are not logs.
    pub skipped: u64,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: &'s [Duplicate],
    /// Number of symbolic links that were not followed.
    pub links_skipped: usize,
    /// Number of pipes, sockets and devices that were not opened.
    pub special_files_skipped: usize,
    /// Changes of the output folder.
    #[serde(flatten)]
    pub changes: Option<FolderChanges>,
}
