//! `vac export`: tables of many sessions, or a document for each, as files or as a stream.
//!
//! Logs are divided into groups, by their order and size alone. A worker reads the sessions of a
//! group and writes its files, so that the same logs give the same files with any number of jobs.
//! Files get their names when everything was read. A manifest in the folder states which sessions
//! of which logs are in which files: later runs read what is new or was changed, and take the rows
//! of sessions that grew out of earlier files.

mod export_format;
mod exported_session;
mod folder;
mod folder_files;
mod group;
mod manifest;
mod part_files;
mod partition;
mod read_sessions;
mod stdout;

use vac::tables::TableSet;
use vac::tables::divide;

pub use export_format::ExportFormat;
pub use folder::{ExportSummary, export_to_folder};
pub use partition::PartitionColumn;
pub use stdout::export_to_stdout;

use crate::mode_option::ModeOption;
use crate::session_scan::Unit;

/// The content and the form of an export.
pub struct ExportOptions {
    /// The tables.
    pub tables: TableSet,
    /// The format of the files.
    pub format: ExportFormat,
    /// The columns whose values are names of folders.
    pub partition_by: Vec<PartitionColumn>,
    /// Whether to write everything again.
    pub force: bool,
    /// The number of groups that are read at once.
    pub jobs: usize,
    /// The users who may read the files.
    pub mode: ModeOption,
}

/// Divides logs into groups, in order.
fn groups(units: Vec<Unit>) -> Vec<Vec<Unit>> {
    divide(units, |unit| unit.log().size())
}
