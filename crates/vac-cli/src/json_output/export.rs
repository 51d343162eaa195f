//! The document of `vac export`.

use serde::Serialize;

use super::FailedFile;

/// The result of `vac export`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportOutput {
    /// Number of sessions that were not in the folder.
    pub new: u64,
    /// Number of sessions whose logs were changed.
    pub changed: u64,
    /// Number of sessions that are in the folder already.
    pub unchanged: u64,
    /// The tables that were written.
    pub tables: Vec<ExportedTable>,
    /// Number of steps of trajectories that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Number of spans that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<u64>,
    /// Logs and sessions that could not be exported.
    pub failed: Vec<FailedFile>,
}

/// A table that was written.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExportedTable {
    /// The name of the table.
    pub table: &'static str,
    /// Number of rows that were written.
    pub rows: u64,
}
