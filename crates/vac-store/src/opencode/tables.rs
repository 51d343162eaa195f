//! The tables of a database that hold conversations, and what is asked of them.

use std::collections::BTreeMap;
use std::io;

use rusqlite::types::Value;

use super::documents::Column;
use crate::sqlite::{Database, failed};

pub(super) const SESSION: &str = "session";
pub(super) const MESSAGE: &str = "message";
pub(super) const PART: &str = "part";
pub(super) const TODO: &str = "todo";
pub(super) const PROJECT: &str = "project";

/// Where newer versions keep what is said.
pub(super) const SESSION_MESSAGE: &str = "session_message";

/// Those whose rows name their session.
pub(super) const OF_SESSION: &[&str] = &[TODO, MESSAGE, PART, SESSION_MESSAGE, "session_diff"];

/// The columns of the tables that are there.
#[derive(Debug)]
pub(super) struct Tables(BTreeMap<&'static str, Vec<String>>);

impl Tables {
    /// What there is in a database. A view is no table: it may compute whatever it
    /// likes, out of tables that are not to be read.
    pub fn of(database: &Database) -> io::Result<Self> {
        let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let mut is_table = database.connection().prepare(sql).map_err(failed)?;
        let mut tables = BTreeMap::new();
        for table in [SESSION, PROJECT].iter().chain(OF_SESSION) {
            if is_table.exists([table]).map_err(failed)? {
                tables.insert(*table, database.columns(table)?);
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
            || has(SESSION, &["project_id", "directory", "title"])
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
        let missing: Vec<_> = needed.iter().copied().filter(|table| !has(table)).collect();
        missing.into_iter()
    }

    /// Whether there is such a column.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.0.get(table).is_some_and(|there| there.iter().any(|name| name == column))
    }

    /// A query for rows that a condition holds for, always in the same order. Columns that
    /// are computed are not asked for, as views are not.
    pub fn rows(&self, table: &str, condition: &str) -> String {
        let order = ["id", "position", "data"].into_iter().filter(|name| self.has(table, name));
        let order: Vec<_> = order.collect();
        let order = match order.as_slice() {
            [] => String::new(),
            columns => format!(" ORDER BY {}", columns.join(", ")),
        };
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<_> = self.0.get(table).into_iter().flatten().map(quoted).collect();
        let columns = columns.join(", ");
        format!("SELECT {columns} FROM \"{table}\" WHERE {condition}{order}")
    }

    /// The columns that name sessions.
    pub fn of_ids(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let others = OF_SESSION.iter().map(|table| (*table, "session_id"));
        let all = std::iter::once((SESSION, "id")).chain(others);
        all.filter(|(table, column)| self.has(table, column))
    }

    /// What is true of rows that belong to the session `?1`. A part may leave that to
    /// its message.
    pub fn of_session(&self, table: &str, session: &Column) -> Option<String> {
        let named = self.has(table, "session_id").then(|| is("session_id", session));
        if table != PART || !self.has_messages() || !self.has(PART, "message_id") {
            return named;
        }
        let session = is("session_id", session);
        let by_message = format!("message_id IN (SELECT id FROM message WHERE {session})");
        Some(match named {
            Some(named) => format!("{named} OR (session_id IS NULL AND {by_message})"),
            None => by_message,
        })
    }

    /// What is true of rows that belong to no session.
    pub fn of_none(&self, table: &str) -> Option<String> {
        let named = self.has(table, "session_id").then(|| "session_id IS NULL".to_owned());
        if table != PART || !self.has_messages() || !self.has(PART, "message_id") {
            return named;
        }
        let known = "SELECT id FROM message WHERE id IS NOT NULL AND session_id IS NOT NULL";
        let homeless = format!("(message_id IS NULL OR message_id NOT IN ({known}))");
        Some(match named {
            Some(named) => format!("{named} AND {homeless}"),
            None => homeless,
        })
    }

    fn has_messages(&self) -> bool {
        self.has(MESSAGE, "id") && self.has(MESSAGE, "session_id")
    }
}

/// Whether a column has the value `?1`, which is this one.
pub(super) fn is(column: &str, value: &Column) -> String {
    match value.0 {
        // Text that is none cannot be asked for as text.
        Value::Blob(_) => format!("CAST({column} AS BLOB) IS ?1"),
        _ => format!("{column} IS ?1"),
    }
}
