//! Reads the sessions of a database `opencode.db`.

use std::io;
use std::sync::Arc;

use vac_adapter::Parent;
use vac_adapter::container::{
    Cell, Database, DatabaseSessions, Documents, Row, Rows, SessionStore, StoreKey, StoredSession,
    Table,
};
use vac_record::AbstractTimestamp;
use vac_record::annotations::Relation;

use super::{row, tree};

/// The column by which the rows of every table are assigned to a session.
const SESSION_ID: &str = "session_id";

const fn table(name: &'static str, rows: Rows) -> Table {
    Table { name, columns: &[], rows, order: &["id", "position"], compressed: &[] }
}

const SESSION: Table = table("session", Rows::By("id"));
/// The table of sessions of the v2 branch (August 2026), with the columns of `session` and more.
const SESSION_V2: Table = table("session_v2", Rows::By("id"));
const PROJECT: Table = table("project", Rows::By("id"));
const TODO: Table = table("todo", Rows::By(SESSION_ID));
const MESSAGE: Table = table("message", Rows::By(SESSION_ID));
/// Parts that name no session belong to that of their message.
const PART: Table = table(
    "part",
    Rows::ByOrVia { column: SESSION_ID, link: "message_id", table: "message", id: "id" },
);
/// The table in which newer versions keep messages with their parts.
const SESSION_MESSAGE: Table = table("session_message", Rows::By(SESSION_ID));

/// The tables that may be read.
pub(super) const TABLES: &[Table] = &[
    SESSION,
    SESSION_V2,
    PROJECT,
    TODO,
    MESSAGE,
    PART,
    SESSION_MESSAGE,
    table("session_diff", Rows::By(SESSION_ID)),
    // Prompts wait in these two.
    table("session_inbox", Rows::By(SESSION_ID)),
    table("session_pending", Rows::By(SESSION_ID)),
];

/// The tables of sessions.
const SESSIONS: &[Table] = &[SESSION, SESSION_V2];

/// Returns the tables whose rows name their session.
fn tables_of_session() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().skip(SESSIONS.len() + 1)
}

/// The columns of a session that a list of sessions reads, and their maximum length in bytes.
const LISTED: &[&str] =
    &["id", "directory", "version", "time_created", "parent_id", "fork_session_id"];
const MAX_LISTED: usize = 1 << 20;

/// A database of `OpenCode`.
#[derive(Debug)]
pub(super) struct Sessions(Arc<dyn Database>);

impl Sessions {
    /// Returns the sessions of a database if it is one of `OpenCode`.
    pub fn open(database: Arc<dyn Database>) -> Option<Self> {
        let has = |table: &str, columns: &[&str]| {
            columns.iter().all(|column| database.has_column(table, column))
        };
        let is_ours = has("message", &["session_id", "data"])
            || has("part", &["message_id", "data"])
            || has("session_message", &["session_id", "type", "data"])
            || SESSIONS.iter().any(|it| has(it.name, &["project_id", "directory", "title"]));
        is_ours.then_some(Self(database))
    }

    /// Reads the previews of sessions from the tables of sessions.
    fn list(&self, found: &mut DatabaseSessions) -> io::Result<()> {
        for table in SESSIONS {
            self.0.list(table, LISTED, MAX_LISTED, &mut |row| {
                if row.cell("id").is_null() {
                    return;
                }
                let text = |column: &str| {
                    let cell = row.get(column).filter(|cell| !cell.is_null());
                    cell.map(Cell::to_text)
                };
                let start = match row.cell("time_created") {
                    Cell::Integer(time) => u64::try_from(*time).ok().map(AbstractTimestamp::Uint),
                    _ => None,
                };
                let (project, version) = (text("directory"), text("version"));
                let fork = text("fork_session_id").map(|id| (id, Relation::Fork));
                let parent = fork.or_else(|| Some((text("parent_id")?, Relation::Subagent)));
                let parent = parent.filter(|(id, _)| !id.is_empty());
                let parent = parent.map(|(session_id, relation)| Parent { session_id, relation });
                found.insert(row.cell("id").to_text(), |preview| {
                    preview.start = start;
                    preview.project = project;
                    preview.version = version;
                    preview.parent = parent;
                });
            })?;
        }
        Ok(())
    }

    /// Returns the required tables that do not exist. The newest versions store everything in one
    /// table and need no others.
    fn missing_tables(&self) -> impl Iterator<Item = &'static str> {
        let has = |table: Table| self.0.has_table(table.name);
        let is_newest = has(SESSION_MESSAGE) && !has(MESSAGE) && !has(PART);
        let needed: &[Table] = if is_newest { &[SESSION] } else { &[SESSION, MESSAGE, PART] };
        let is_there = |table: &Table| has(*table) || table.name == SESSION.name && has(SESSION_V2);
        let missing: Vec<_> =
            needed.iter().filter(|table| !is_there(table)).map(|table| table.name).collect();
        missing.into_iter()
    }

    /// Writes the project of a session and then the session itself.
    fn session(&self, session: &str, to: &mut Documents) {
        let mut sessions = Vec::new();
        for table in SESSIONS {
            let read = self.0.rows(table, Some(session), &mut |row| sessions.push(row));
            note(table, read, to);
        }
        if let Some(project) = sessions.iter().find_map(|row: &Row| row.get("project_id")) {
            let mut projects = Vec::new();
            let id = project.to_text();
            let read = self.0.rows(&PROJECT, Some(&id), &mut |row| projects.push(row));
            note(&PROJECT, read, to);
            for project in &projects {
                row::project(project, to);
            }
        }
        for session in &sessions {
            row::session(session, to);
        }
    }

    /// Writes the rows of a table that belong to a session.
    fn table(&self, table: &Table, session: Option<&str>, to: &mut Documents) {
        if !self.0.has_rows(table) {
            if self.0.has_table(table.name) {
                to.unreadable(format!("table {}", table.name), "no column names a session");
            }
            return;
        }
        let mut todos = Vec::new();
        let read = self.0.rows(table, session, &mut |row| {
            if table.name == TODO.name {
                todos.push(row);
            } else {
                row::data(&row, to);
            }
        });
        if !todos.is_empty() {
            row::todos(&todos, to);
        }
        note(table, read, to);
    }
}

fn note(table: &Table, read: io::Result<()>, to: &mut Documents) {
    if let Err(error) = read {
        to.unreadable(format!("table {}", table.name), error.to_string());
    }
}

impl SessionStore for Sessions {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let mut found = DatabaseSessions::new("database");
        let read = self.list(&mut found);
        for table in SESSIONS {
            found.add_keys(self.0.keys(table).into_iter().flatten().map(StoreKey::Session));
        }
        for table in tables_of_session() {
            found.add_keys(self.0.keys(table).into_iter().map(StoreKey::from));
        }
        found.finish(read, &*self.0)
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        let store_key = StoreKey::parse(key);
        let session = store_key.id();
        let mut documents = Documents::default();
        for table in self.missing_tables() {
            documents.unreadable(format!("table {table}"), "there is no such table");
        }
        if let Some(session) = session {
            self.session(session, &mut documents);
            // Newer versions, too, keep this in a file.
            if let Some(folder) = self.0.folder() {
                tree::diffs(folder, session, &mut documents);
            }
        }
        for table in tables_of_session() {
            self.table(table, session, &mut documents);
        }
        documents.of_session(key, "database")
    }
}
