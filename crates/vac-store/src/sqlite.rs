//! Databases, read without leaving a trace.
//!
//! A database without a journal is opened as immutable: no lock is taken, no file is made
//! beside it, and whoever has locked it does not matter. One with a journal (a write-ahead
//! log, or what a crash left) is only right together with it, and reading that changes
//! files: so both are copied to a folder of their own, and the copy is read.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::store::bad_data;

/// What databases begin with.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How often a database that is being written is copied before that is given up.
const TRIES: usize = 5;

/// An open database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    /// The copy's folder, as long as it is needed.
    _folder: Option<TempDir>,
}

impl Database {
    /// Opens a database for reading.
    pub fn open(path: &Path) -> io::Result<Self> {
        let journals: Vec<_> = ["-wal", "-journal"]
            .iter()
            .map(|ending| with_ending(path, ending))
            .filter(|journal| fs::metadata(journal).is_ok_and(|metadata| metadata.len() > 0))
            .collect();
        if journals.is_empty() {
            let connection = connect(path, true)?;
            return Ok(Self { connection, _folder: None });
        }
        let folder = TempDir::new()?;
        let copy = folder.path().join("copy");
        copy_all(path, &journals, &copy)?;
        let connection = connect(&copy, false)?;
        Ok(Self { connection, _folder: Some(folder) })
    }

    /// To ask it something.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The names of a table's columns; empty if there is no such table.
    pub fn columns(&self, table: &str) -> io::Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")
            .map_err(failed)?;
        let names = statement.query_map([table], |row| row.get(0)).map_err(failed)?;
        names.collect::<Result<_, _>>().map_err(failed)
    }
}

/// What went wrong in a database.
#[allow(clippy::needless_pass_by_value)] // for map_err
pub fn failed(error: rusqlite::Error) -> io::Error {
    bad_data(format!("database: {error}"))
}

fn connect(path: &Path, immutable: bool) -> io::Result<Connection> {
    let flags = if immutable {
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI
    } else {
        // The copy is ours: SQLite may put it in order.
        OpenFlags::SQLITE_OPEN_READ_WRITE
    };
    let connection = if immutable {
        Connection::open_with_flags(immutable_uri(path)?, flags)
    } else {
        Connection::open_with_flags(path, flags)
    };
    let connection = connection.map_err(failed)?;
    // A hostile schema must not run anything of its own.
    connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    Ok(connection)
}

/// A path as `SQLite` wants it to hear that nobody writes to it.
fn immutable_uri(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?;
    // As bytes: names need not be text everywhere.
    let path = path.as_os_str().as_encoded_bytes();
    let mut uri = String::from("file:");
    if !path.starts_with(b"/") {
        uri.push('/');
    }
    for &byte in path {
        match char::from(byte) {
            std::path::MAIN_SEPARATOR => uri.push('/'),
            kept if kept.is_ascii_alphanumeric() || "/-_.~:".contains(kept) => uri.push(kept),
            _ => write!(uri, "%{byte:02X}").unwrap_or_default(),
        }
    }
    uri.push_str("?immutable=1");
    Ok(uri)
}

/// Copies a database and its journals while nobody writes to them.
fn copy_all(path: &Path, journals: &[PathBuf], copy: &Path) -> io::Result<()> {
    for _ in 0..TRIES {
        let before = state(path, journals);
        fs::copy(path, copy)?;
        for journal in journals {
            let ending = journal.to_string_lossy();
            let ending = if ending.ends_with("-wal") { "-wal" } else { "-journal" };
            fs::copy(journal, with_ending(copy, ending))?;
        }
        if state(path, journals) == before {
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "the database is being written to"))
}

fn state(path: &Path, journals: &[PathBuf]) -> Vec<Option<(u64, Option<SystemTime>)>> {
    let of = |metadata: Metadata| (metadata.len(), metadata.modified().ok());
    let files = std::iter::once(path).chain(journals.iter().map(PathBuf::as_path));
    files.map(|file| fs::metadata(file).ok().map(of)).collect()
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}
