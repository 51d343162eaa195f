//! `vac export`: tables of many sessions, or a document for each, as files or as a stream.
//!
//! Logs are divided into groups, by their order and size alone. A worker reads the sessions of a
//! group and writes its files, so that the same logs give the same files with any number of jobs.
//! Files get their names when everything was read. A manifest in the folder states which sessions
//! of which logs are in which files: later runs read what is new or was changed, and take the rows
//! of sessions that grew out of earlier files.

mod export_format;
mod folder;
mod group;
mod manifest;
mod part_files;
mod partition;
mod read_sessions;
mod stdout;

use vac_table::TableSet;

pub use export_format::ExportFormat;
pub use folder::{ExportSummary, export_to_folder};
pub use partition::PartitionColumn;
pub use stdout::export_to_stdout;

use crate::readers::ModeOption;
use crate::session_scan::Unit;

/// A group of logs has at least this many bytes, or this many logs.
const GROUP_BYTES: u64 = 16 << 20;
const GROUP_LOGS: usize = 128;
/// The size of a log that is not known.
const UNKNOWN_SIZE: u64 = 1 << 20;

/// What to write.
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
    /// Who may read the files.
    pub mode: ModeOption,
}

/// Divides logs into groups, in order.
fn groups(units: Vec<Unit>) -> Vec<Vec<Unit>> {
    let mut groups = Vec::new();
    let (mut group, mut size) = (Vec::new(), 0_u64);
    for unit in units {
        size = size.saturating_add(unit.log().size().unwrap_or(UNKNOWN_SIZE));
        group.push(unit);
        if size >= GROUP_BYTES || group.len() >= GROUP_LOGS {
            groups.push(std::mem::take(&mut group));
            size = 0;
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}
