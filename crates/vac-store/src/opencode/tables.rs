//! The tables of a database that hold conversations, and what is asked of them.

use std::collections::BTreeMap;
use std::io;

use crate::sqlite::Database;

pub(super) const SESSION: &str = "session";
/// The table of sessions of the v2 branch (August 2026), with the columns of `session` and
/// more.
pub(super) const SESSION_V2: &str = "session_v2";
/// The tables of sessions.
pub(super) const SESSIONS: &[&str] = &[SESSION, SESSION_V2];
pub(super) const MESSAGE: &str = "message";
pub(super) const PART: &str = "part";
pub(super) const TODO: &str = "todo";
pub(super) const PROJECT: &str = "project";

/// Where newer versions keep what is said.
pub(super) const SESSION_MESSAGE: &str = "session_message";

/// Those whose rows name their session. Prompts wait in the last two of them.
pub(super) const OF_SESSION: &[&str] =
    &[TODO, MESSAGE, PART, SESSION_MESSAGE, "session_diff", "session_inbox", "session_pending"];

/// The tables that are there.
#[derive(Debug)]
pub(super) struct Tables(BTreeMap<&'static str, Table>);

/// A table.
#[derive(Debug)]
struct Table {
    columns: Vec<String>,
    /// What the numbers of its rows are called, if they have any.
    row_id: Option<&'static str>,
}

impl Tables {
    /// Reads which tables a database has.
    pub fn of(database: &Database) -> io::Result<Self> {
        let mut tables = BTreeMap::new();
        for table in SESSIONS.iter().chain(&[PROJECT]).chain(OF_SESSION) {
            if database.is_table(table)? {
                let columns = database.columns(table)?;
                tables.insert(*table, Table { columns, row_id: database.row_id(table)? });
            }
        }
        Ok(Self(tables))
    }

    /// Whether they are `OpenCode`'s.
    pub fn are_ours(&self) -> bool {
        let has = |table: &str, columns: &[&str]| columns.iter().all(|name| self.has(table, name));
        has(MESSAGE, &["session_id", "data"])
            || has(PART, &["message_id", "data"])
            || has(SESSION_MESSAGE, &["session_id", "type", "data"])
            || SESSIONS.iter().any(|table| has(table, &["project_id", "directory", "title"]))
    }

    /// Whether there is such a table.
    pub fn has_table(&self, table: &str) -> bool {
        self.0.contains_key(table)
    }

    /// Tables that should be there and are not. The newest versions say everything in one of
    /// their own, and need no others.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> + use<> {
        let has = |table: &str| self.has_table(table);
        let is_newest = has(SESSION_MESSAGE) && !has(MESSAGE) && !has(PART);
        let needed: &[&str] = if is_newest { &[SESSION] } else { &[SESSION, MESSAGE, PART] };
        let is_there = |table: &str| has(table) || table == SESSION && has(SESSION_V2);
        let missing: Vec<_> = needed.iter().copied().filter(|table| !is_there(table)).collect();
        missing.into_iter()
    }

    /// Whether there is such a column.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.0.get(table).is_some_and(|table| table.columns.iter().any(|name| name == column))
    }

    /// What the numbers of a table's rows are called, if they have any.
    pub fn row_id(&self, table: &str) -> Option<&'static str> {
        self.0.get(table)?.row_id
    }

    /// The columns that rows are ordered by, as far as a table has them; at least one.
    pub fn order(&self, table: &str, columns: &[&str]) -> String {
        let columns = columns.iter().copied().filter(|name| self.has(table, name));
        // The sign keeps SQLite from walking through an index of the whole table for it.
        columns
            .map(|column| format!("+{column}"))
            .chain(["1".to_owned()])
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A query for all columns of rows. Columns that are computed are not asked for, as views
    /// are not.
    pub fn rows(&self, table: &str) -> String {
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let columns = self.0.get(table).into_iter().flat_map(|table| &table.columns);
        let columns = columns.map(quoted).collect::<Vec<_>>().join(", ");
        format!("SELECT {columns} FROM \"{table}\"")
    }

    /// Whether parts may leave it to their message which session they belong to.
    pub fn has_parts_of_messages(&self) -> bool {
        self.has(PART, "message_id") && self.has(MESSAGE, "id") && self.has(MESSAGE, "session_id")
    }
}
