//! Describes sessions that are not files of their own: rows of a database, or many small files.
//!
//! The crate of an agent states which [`Table`]s and columns may be read, which rows are a session,
//! and which [`Documents`] they become. `vac-store` has the mechanism: it opens databases and
//! folders read-only, and gives an adapter a [`Database`] that contains nothing but the tables of
//! its list, or a [`Folder`] from which no path leads out. Adapters therefore do no IO, and a table
//! that no adapter lists is never read.
//!
//! Problems that occurred while a session was read are not part of its documents, but are kept
//! separately ([`Trouble`], [`Input::troubles`](crate::Input::troubles)).

mod documents;
mod row;
mod store_key;
mod tables;
mod trouble;

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::adapter::Preview;

pub use documents::{Documents, ObjectWriter, ValueWriter};
pub use row::{Cell, Row};
pub use store_key::{DatabaseSessions, StoreKey};
pub use tables::{DatabaseTables, RowDocument, RowTable, row_of};
pub use trouble::{RowProblem, Trouble, troubles_at};

/// The container that a log was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// A file, or bytes in memory.
    #[default]
    File,
    /// A compressed file.
    CompressedFile,
    /// A session of a folder of small files.
    Folder,
    /// A session of a database.
    Database,
}

/// Sessions in a container, for several threads.
pub type SharedStore = Arc<dyn SessionStore>;

/// The databases and folders in which an agent keeps several sessions.
#[derive(Clone, Copy, Debug)]
pub struct Stores {
    /// The tables of its databases, and the rows in them, that may be read.
    pub tables: &'static [Table],
    /// The function that opens a database. It returns `None` if the database is not one of the
    /// agent.
    pub open_database: fn(Arc<dyn Database>) -> Option<SharedStore>,
    /// The agent that writes such databases, if it is not the adapter's own.
    pub database_agent: Option<&'static str>,
    /// The function that opens a folder whose files are sessions. It returns `None` if the folder
    /// is not one of the agent.
    pub open_folder: fn(Arc<dyn Folder>) -> io::Result<Option<SharedStore>>,
}

impl Stores {
    /// The rules of an agent that keeps each session in files of its own.
    pub const NONE: Self = Self {
        tables: &[],
        open_database: |_| None,
        database_agent: None,
        open_folder: |_| Ok(None),
    };
}

/// Several sessions in one container.
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Returns the sessions, in a fixed order.
    fn sessions(&self) -> io::Result<Vec<StoredSession>>;

    /// Returns the documents of a session, by its key.
    fn read(&self, key: &str) -> io::Result<Documents>;
}

/// A session in a container.
#[derive(Clone, Debug)]
pub struct StoredSession {
    /// The key of the session in the container. It is the text of a [`StoreKey`] if the container
    /// can have rows or files that name no session.
    pub key: String,
    /// The size of the session in bytes, if it is known without reading the session.
    pub size: Option<u64>,
    /// The preview of the session, for a list.
    pub preview: Preview,
    /// Whether another log of the agent that has the session, too, replaces this one.
    pub is_replaced: bool,
}

/// The rows of a table that may be read. Rows and tables that no `Table` of the adapter names are
/// never read.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of the table.
    pub name: &'static str,
    /// The columns to read; all of them if empty.
    pub columns: &'static [&'static str],
    /// The rows that may be read, and the way in which they are grouped.
    pub rows: Rows,
    /// The columns that rows which belong together are ordered by. If empty, they are in the
    /// order in which they were stored.
    pub order: &'static [&'static str],
    /// The columns of which blobs are compressed with Zstandard. A blob that cannot be decompressed
    /// is returned as it is stored.
    pub compressed: &'static [&'static str],
}

/// The rows of a table that may be read, and the way in which they are grouped.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// All rows. Rows with the same text in this column belong together.
    By(&'static str),
    /// As `By`, but a row with NULL in the column belongs to the rows with the value that a row of
    /// another table has in the column.
    ByOrVia {
        /// The column.
        column: &'static str,
        /// The column that names a row of the other table, by `id`.
        link: &'static str,
        /// The other table, which has the same `column`.
        table: &'static str,
        /// The column of the other table that `link` names.
        id: &'static str,
    },
    /// The rows whose text in the column (the first text) starts with a prefix (the second), which
    /// ends with a colon. Rows for which the function returns the same part of the remaining text
    /// belong together.
    Prefix(&'static str, &'static str, fn(&str) -> Option<&str>),
    /// The rows with a text (the second) in a column (the first).
    Is(&'static str, &'static str),
    /// All rows, which belong together.
    All,
}

impl Table {
    /// Returns the name of the table, and the text that distinguishes its rows from those of other
    /// `Table`s with the same name.
    pub fn id(&self) -> (&'static str, &'static str) {
        match self.rows {
            Rows::Prefix(_, prefix, _) => (self.name, prefix),
            Rows::Is(_, value) => (self.name, value),
            _ => (self.name, ""),
        }
    }
}

/// A database of which only the tables in an adapter's list can be read. Methods must not be
/// called inside `show`.
pub trait Database: fmt::Debug + Send + Sync {
    /// Returns whether the table exists. Views and virtual tables are not tables.
    fn has_table(&self, table: &str) -> bool;

    /// Returns whether the column exists.
    fn has_column(&self, table: &str, column: &str) -> bool;

    /// Returns whether the rows of a table can be found, because the columns for that exist.
    fn has_rows(&self, table: &Table) -> bool;

    /// Returns the keys of rows that belong together, in order; `None` for rows without a key.
    fn keys(&self, table: &Table) -> Vec<Option<String>>;

    /// Returns the reason why some rows of the tables could not be found.
    fn trouble(&self) -> Option<String>;

    /// Passes the rows of a key to `show`, in order. An error states the reason why some are
    /// missing.
    fn rows(&self, table: &Table, key: Option<&str>, show: &mut dyn FnMut(Row)) -> io::Result<()>;

    /// Passes some columns of all rows to `show`. Columns that the table does not have are left
    /// out, and cells of more than `max` bytes are NULL.
    fn list(
        &self,
        table: &Table,
        columns: &[&str],
        max: usize,
        show: &mut dyn FnMut(&Row),
    ) -> io::Result<()>;

    /// Returns the folder that the database is in.
    fn folder(&self) -> Option<&dyn Folder>;
}

/// A folder. Paths are relative and have `/` between the names; none leads out of the folder,
/// and no symbolic link is followed.
pub trait Folder: fmt::Debug + Send + Sync {
    /// Returns the name of the folder itself.
    fn name(&self) -> &str;

    /// Returns whether a folder has this path.
    fn is_folder(&self, path: &str) -> bool;

    /// Returns whether anything has this path, even if it cannot be read.
    fn exists(&self, path: &str) -> bool;

    /// Returns the names of the folders in a folder, in order. Empty if the folder does not exist.
    fn folders(&self, path: &str) -> io::Result<Vec<String>>;

    /// Returns the names of the files in a folder that end with `ending`, without it. Anything else
    /// with such a name, and a folder that cannot be read, is listed in [`Files::unreadable`].
    fn files(&self, path: &str, ending: &str) -> Files;

    /// Reads a file of at most `max` bytes.
    fn read(&self, path: &str, max: u64) -> io::Result<Vec<u8>>;
}

/// The files in a folder.
#[derive(Debug, Default)]
pub struct Files {
    /// The names of the files, in order.
    pub names: Vec<String>,
    /// The paths that cannot be read, each with the reason.
    pub unreadable: Vec<(String, String)>,
}

/// Returns whether text is the name of one file, and not a path.
pub fn is_file_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\', ':', '\0'])
}

/// Returns an error of the kind `InvalidData`.
pub fn bad_data(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}
