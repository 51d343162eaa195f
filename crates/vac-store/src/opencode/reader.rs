//! Reads one session of a database. What cannot be read is told in its place, and the
//! rest goes on.

use std::io;

use super::database::rows;
use super::documents::{Column, Documents};
use super::row::{self, Row, column_of};
use super::tables::{OF_SESSION, PROJECT, SESSION, TODO, Tables, is};
use super::tree;
use crate::safe_path::SafePath;
use crate::sqlite;

/// See the module.
pub(super) struct Reader<'r> {
    pub connection: &'r sqlite::Database,
    pub tables: &'r Tables,
    /// Its id; `None` for what belongs to no session.
    pub session: Option<&'r str>,
    pub to: &'r mut Documents,
}

impl Reader<'_> {
    /// Writes everything, in a fixed order. `meant` stands for the session in the
    /// database, `storage` is the folder of files beside it.
    pub fn all(&mut self, meant: &[Column], storage: Option<&SafePath>) {
        for table in self.tables.missing() {
            self.trouble(table, "there is no such table");
        }
        if let Some(session) = self.session {
            self.session(meant);
            // Even newer versions keep this in a file.
            if let Some(storage) = storage {
                tree::diffs(storage, session, self.to);
            }
        }
        for table in OF_SESSION {
            if self.session.is_none() {
                let condition = self.tables.of_none(table);
                self.table(table, condition, None);
                continue;
            }
            for id in meant {
                let condition = self.tables.of_session(table, id);
                self.table(table, condition, Some(id));
            }
        }
    }

    /// The session itself, behind its project.
    fn session(&mut self, meant: &[Column]) {
        let mut sessions = Vec::new();
        for id in meant {
            sessions.extend(self.by_id(SESSION, id));
        }
        if let Some(id) = sessions.iter().find_map(|row| column_of(row, "project_id")) {
            for row in self.by_id(PROJECT, id) {
                row::project(&row, self.to);
            }
        }
        for row in &sessions {
            row::session(row, self.to);
        }
    }

    fn by_id(&mut self, table: &str, id: &Column) -> Vec<Row> {
        let mut found = Vec::new();
        if self.tables.has(table, "id") {
            let sql = self.tables.rows(table, &is("id", id));
            let read = rows(self.connection, &sql, &[&id.0], |row| found.push(row));
            self.note(table, read);
        }
        found
    }

    fn table(&mut self, table: &str, condition: Option<String>, id: Option<&Column>) {
        let Some(condition) = condition else {
            if self.tables.has_table(table) {
                self.trouble(table, "nothing in it names a session");
            }
            return;
        };
        let values: Vec<_> = id.iter().map(|id| &id.0).collect();
        let sql = self.tables.rows(table, &condition);
        let mut todos = Vec::new();
        let to = &mut *self.to;
        let read = rows(self.connection, &sql, &values, |row| {
            if table == TODO {
                todos.push(row);
            } else {
                row::data(&row, to);
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
