//! Reads one session of a database. What cannot be read is told in its place, and the
//! rest goes on.

use std::io;

use super::documents::Documents;
use super::index::Index;
use super::row::{self, Row, column_of};
use super::tables::{OF_SESSION, PROJECT, SESSIONS, TODO, Tables};
use super::tree;
use crate::safe_path::SafePath;
use crate::sqlite;

/// See the module.
pub(super) struct Reader<'r> {
    pub connection: &'r sqlite::Database,
    pub tables: &'r Tables,
    pub index: &'r Index,
    /// Its id; `None` for what belongs to no session.
    pub session: Option<&'r str>,
    pub to: &'r mut Documents,
}

impl Reader<'_> {
    /// Writes everything, in a fixed order. `storage` is the folder of files next to the
    /// database.
    pub fn all(&mut self, storage: Option<&SafePath>) {
        for table in self.tables.missing() {
            self.trouble(table, "there is no such table");
        }
        if let Some(session) = self.session {
            self.session(session);
            // Even newer versions keep this in a file.
            if let Some(storage) = storage {
                tree::diffs(storage, session, self.to);
            }
        }
        for table in OF_SESSION {
            self.table(table);
        }
    }

    /// The session itself, after its project.
    fn session(&mut self, session: &str) {
        let sessions: Vec<_> =
            SESSIONS.iter().flat_map(|table| self.rows(table, session)).collect();
        if let Some(project) = sessions.iter().find_map(|row| column_of(row, "project_id")) {
            for row in self.rows(PROJECT, &project.text()) {
                row::project(&row, self.to);
            }
        }
        for row in &sessions {
            row::session(row, self.to);
        }
    }

    fn rows(&mut self, table: &str, key: &str) -> Vec<Row> {
        let mut found = Vec::new();
        let show = |row: &Row| found.push(row.clone());
        let read = self.index.rows(self.connection, self.tables, table, Some(key), show);
        self.note(table, read);
        found
    }

    fn table(&mut self, table: &str) {
        if !self.index.has(table) {
            if self.tables.has_table(table) {
                self.trouble(table, "nothing in it names a session");
            }
            return;
        }
        let mut todos = Vec::new();
        let to = &mut *self.to;
        let read = self.index.rows(self.connection, self.tables, table, self.session, |row| {
            if table == TODO {
                todos.push(row.clone());
            } else {
                row::data(row, to);
            }
        });
        if !todos.is_empty() {
            row::todos(&todos, to);
        }
        self.note(table, read);
    }

    fn note(&mut self, table: &str, read: io::Result<()>) {
        if let Err(error) = read {
            self.trouble(table, &error.to_string());
        }
    }

    fn trouble(&mut self, table: &str, reason: &str) {
        self.to.unreadable(self.session, &format!("table {table}"), reason);
    }
}
