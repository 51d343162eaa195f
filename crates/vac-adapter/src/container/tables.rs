//! Reads the sessions of a database that tables describe: which rows are a session, and which
//! documents they become.
//!
//! A row becomes `{"<table>": {"<column>": value, ...}}`, without columns that are NULL, and with the
//! JSON that columns contain as values ([`RowDocument::Members`]); or a column is the document
//! ([`RowDocument::Cell`]). An adapter reads these documents like the lines of a file.
//!
//! A database can also be one session, whose tables do not name it: all rows of a table with
//! [`Rows::All`] belong to the first session of the database.

use std::io;
use std::sync::{Arc, OnceLock};

use vac_value::{Kind, Node};

use super::{
    Cell, Database, DatabaseSessions, Documents, Row, Rows, SessionStore, SharedStore, StoreKey,
    StoredSession, Table, bad_data,
};
use crate::adapter::Preview;

/// The maximum number of bytes of a cell that is read for a list.
const MAX_LISTED: usize = 1 << 16;

/// The sessions of a database.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseTables {
    /// The variant of the sessions.
    pub variant: &'static str,
    /// Tables and columns that every database of the agent has.
    pub signs: &'static [(&'static str, &'static [&'static str])],
    /// The table of sessions, grouped by their ids.
    pub sessions: RowTable,
    /// The tables whose rows belong to sessions, in the order of the documents.
    pub rows: &'static [RowTable],
    /// The columns of sessions that a list reads.
    pub listed: &'static [&'static str],
    /// The function that adds the facts in these columns to a preview.
    pub preview: fn(&Row, &mut Preview),
    /// Whether another log of the agent, if it is found, replaces a session of the database.
    pub is_replaced: bool,
}

/// A table, and the documents that its rows become.
#[derive(Clone, Copy, Debug)]
pub struct RowTable {
    /// The rows that may be read.
    pub table: Table,
    /// The column of the session's row that names the rows; `None` if they name the session, or are
    /// [all](Rows::All) rows of the table.
    pub named_by: Option<&'static str>,
    /// The document of a row.
    pub document: RowDocument,
}

/// The document of a row.
#[derive(Clone, Copy, Debug)]
pub enum RowDocument {
    /// An object with the row under the name of the table. These columns contain JSON.
    Members(&'static [&'static str]),
    /// The first of these columns that is not NULL. The other columns are not part of it.
    Cell(&'static [&'static str]),
}

impl DatabaseTables {
    /// Returns the sessions of a database, if it is one of the agent.
    pub fn open(&'static self, database: Arc<dyn Database>) -> Option<SharedStore> {
        let has = |(table, columns): &(&'static str, &'static [&'static str])| {
            columns.iter().all(|column| database.has_column(table, column))
        };
        let is_theirs = self.signs.iter().all(has);
        let sessions = Sessions { tables: self, database, first: OnceLock::new() };
        is_theirs.then(|| Arc::new(sessions) as SharedStore)
    }

    /// Returns the tables whose rows name their session.
    fn of_session(&self) -> impl Iterator<Item = &RowTable> {
        self.rows.iter().filter(|rows| rows.named_by.is_none())
    }
}

/// Returns the row in a document, if the document is a row of this table.
///
/// ```
/// use vac_adapter::container::row_of;
/// use vac_value::Document;
///
/// let document = Document::json(br#"{"messages": {"id": 1}}"#)?;
/// let row = row_of(document.root(), "messages").ok_or("not a row")?;
/// assert!(row.member("id").is_some());
/// assert!(row_of(document.root(), "sessions").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn row_of<'d, 'a>(document: Node<'d, 'a>, table: &str) -> Option<Node<'d, 'a>> {
    let (key, row) = document.members().next()?;
    (key.is_text(table) && row.kind() == Kind::Map).then_some(row)
}

/// The sessions of a database.
#[derive(Debug)]
struct Sessions {
    tables: &'static DatabaseTables,
    database: Arc<dyn Database>,
    /// The id of the first session.
    first: OnceLock<Option<String>>,
}

impl Sessions {
    /// Returns the id of the session that rows without one belong to. Only one session has them, so
    /// that a database with many sessions is not read as many times.
    fn first(&self) -> Option<&str> {
        let ids = || self.database.keys(&self.tables.sessions.table).into_iter().flatten();
        self.first.get_or_init(|| ids().next()).as_deref()
    }

    /// Adds the documents of the rows of a table.
    fn rows(&self, rows: &RowTable, key: Option<&str>, to: &mut Documents) -> Vec<Row> {
        let table = &rows.table;
        if !self.database.has_table(table.name) {
            return Vec::new();
        }
        let what = || format!("table {}", table.name);
        if !self.database.has_rows(table) {
            to.unreadable(what(), "no column names a session");
            return Vec::new();
        }
        let mut found = Vec::new();
        let is_kept = rows.table.id() == self.tables.sessions.table.id();
        let read = self.database.rows(table, key, &mut |row| {
            document(rows, &row, to);
            if is_kept {
                found.push(row);
            }
        });
        if let Err(error) = read {
            to.unreadable(what(), error.to_string());
        }
        found
    }
}

/// Adds the document of a row.
fn document(rows: &RowTable, row: &Row, to: &mut Documents) {
    match rows.document {
        RowDocument::Members(json) => to.object(|object| {
            object.member(rows.table.name).object(|members| {
                for (column, cell) in row.iter().filter(|(_, cell)| !cell.is_null()) {
                    match cell.json().filter(|_| json.contains(&column)) {
                        Some(document) => members.member(column).json(&document),
                        None => members.member(column).cell(cell),
                    }
                }
            });
        }),
        RowDocument::Cell(columns) => {
            let cell = columns.iter().map(|column| row.cell(column)).find(|it| !it.is_null());
            match cell.and_then(Cell::json_object) {
                Some(document) => to.file(document.root().raw()),
                // A damaged compressed document, or JSON that is not an object.
                None => to.object(|object| {
                    object.member(rows.table.name).object(|members| {
                        for (column, cell) in row.iter().filter(|(_, cell)| !cell.is_null()) {
                            members.member(column).cell(cell);
                        }
                    });
                }),
            }
        }
    }
}

impl SessionStore for Sessions {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let sessions = &self.tables.sessions.table;
        let Rows::By(id) = sessions.rows else {
            return Err(bad_data("sessions are not grouped by their ids"));
        };
        let mut found = DatabaseSessions::new(self.tables.variant);
        let columns: Vec<_> = [id].into_iter().chain(self.tables.listed.iter().copied()).collect();
        let read = self.database.list(sessions, &columns, MAX_LISTED, &mut |row| {
            if !row.cell(id).is_null() {
                found.insert(row.cell(id).to_text(), |preview| (self.tables.preview)(row, preview));
            }
        });
        found.add_keys(self.database.keys(sessions).into_iter().flatten().map(StoreKey::Session));
        for rows in self.tables.of_session() {
            let keys = self.database.keys(&rows.table).into_iter();
            match rows.table.rows {
                Rows::All if self.first().is_some() => {}
                _ => found.add_keys(keys.map(StoreKey::from)),
            }
        }
        let mut sessions = found.finish(read, &*self.database)?;
        for session in &mut sessions {
            session.is_replaced = self.tables.is_replaced;
        }
        Ok(sessions)
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        let store_key = StoreKey::parse(key);
        let session = store_key.id();
        let mut documents = Documents::default();
        let rows = match session {
            Some(_) => self.rows(&self.tables.sessions, session, &mut documents),
            None => Vec::new(),
        };
        for table in self.tables.rows {
            match table.named_by {
                None if matches!(table.table.rows, Rows::All) => {
                    if self.first() == session {
                        self.rows(table, None, &mut documents);
                    }
                }
                None => {
                    self.rows(table, session, &mut documents);
                }
                Some(column) => {
                    let named = rows.iter().map(|row| row.cell(column)).find(|it| !it.is_null());
                    if let Some(name) = named {
                        self.rows(table, Some(&name.to_text()), &mut documents);
                    }
                }
            }
        }
        documents.of_session(key, "database")
    }
}
