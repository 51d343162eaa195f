//! Defines the formats of an export: tables of all sessions, or a document for each session.

use std::fmt;
use std::path::PathBuf;

use vac::interchange::InterchangeFormat;
use vac::tables::file_writer::FileFormat;
use vac::tables::{SessionTable, TableSet};

use super::part_files;

/// The format of an export.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Tables with the rows of many sessions.
    Tables(FileFormat),
    /// A document for each session.
    Sessions(InterchangeFormat),
}

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Rows of a table.
    Table(SessionTable),
    /// One session.
    Session,
}

impl ExportFormat {
    /// Parses the name of a format.
    pub fn parse(name: &str) -> Option<Self> {
        let sessions = || InterchangeFormat::parse(name).map(Self::Sessions);
        FileFormat::parse(name).map(Self::Tables).or_else(sessions)
    }

    /// Returns whether sessions can be removed from earlier files.
    pub fn is_readable(self) -> bool {
        match self {
            Self::Tables(format) => format.is_readable(),
            // A file contains one session, and is removed with it.
            Self::Sessions(_) => true,
        }
    }

    /// Returns the kinds of files that some sessions have.
    pub fn kinds(self, tables: TableSet) -> Vec<FileKind> {
        match self {
            Self::Tables(_) => tables.iter().map(FileKind::Table).collect(),
            Self::Sessions(_) => vec![FileKind::Session],
        }
    }

    /// Returns the path of a file with these sessions.
    pub fn path(self, kind: FileKind, partition: &str, keys: &[String]) -> PathBuf {
        match (self, kind) {
            (Self::Tables(format), FileKind::Table(table)) => {
                part_files::path(table, partition, keys, format)
            }
            (Self::Sessions(format), _) => {
                PathBuf::from(format!("{partition}{}.{}", keys.concat(), format.extension()))
            }
            (Self::Tables(_), FileKind::Session) => unreachable!("tables have no such files"),
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tables(format) => format.fmt(f),
            Self::Sessions(format) => format.fmt(f),
        }
    }
}
