//! `opencode.db`: the sessions of a database.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Statement;
use rusqlite::types::Value;
use vac_adapter::{Glimpse, Share};
use vac_record::AbstractTimestamp;

use super::documents::{Column, Documents};
use super::index::Index;
use super::reader::Reader;
use super::row::{Row, column_of};
use super::tables::{SESSIONS, Tables};
use super::{AGENT, WITHOUT};
use crate::safe_path::SafePath;
use crate::sqlite::{self, failed};
use crate::store::{Held, Store, bad_data};

/// A database.
#[derive(Debug)]
pub(super) struct Database {
    /// One connection for all who ask: a copy of a large database is not made twice.
    connection: Mutex<sqlite::Database>,
    path: SafePath,
    tables: Tables,
    index: OnceLock<Index>,
}

impl Database {
    /// A database, if it is one of `OpenCode`'s; otherwise it is given back.
    pub fn of(
        connection: sqlite::Database,
        path: &SafePath,
    ) -> io::Result<Result<Self, sqlite::Database>> {
        let tables = Tables::of(&connection)?;
        if !tables.are_ours() {
            return Ok(Err(connection));
        }
        let connection = Mutex::new(connection);
        Ok(Ok(Self { connection, path: path.clone(), tables, index: OnceLock::new() }))
    }

    fn locked(&self) -> MutexGuard<'_, sqlite::Database> {
        // Whoever panicked has only read.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the tables of sessions tell about each.
    fn told(
        &self,
        connection: &sqlite::Database,
        found: &mut BTreeMap<String, Glimpse>,
    ) -> io::Result<()> {
        for table in SESSIONS.iter().filter(|table| self.tables.has(table, "id")) {
            self.told_by(table, connection, found)?;
        }
        Ok(())
    }

    fn told_by(
        &self,
        table: &str,
        connection: &sqlite::Database,
        found: &mut BTreeMap<String, Glimpse>,
    ) -> io::Result<()> {
        let wanted = ["id", "directory", "version", "time_created"];
        let columns = wanted.into_iter().filter(|column| self.tables.has(table, column));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {columns} FROM {table} WHERE id IS NOT NULL");
        rows(connection, &sql, &[], |row| {
            let told = |name: &str| column_of(&row, name).filter(|column| !column.is_null());
            let start = told("time_created").and_then(|column| match column.0 {
                Value::Integer(time) => u64::try_from(time).ok().map(AbstractTimestamp::Uint),
                _ => None,
            });
            let text = |name: &str| told(name).map(Column::text);
            let id = text("id").unwrap_or_default();
            let (project, version) = (text("directory"), text("version"));
            found.insert(id.clone(), Glimpse { start, project, version, ..unseen(&id) });
        })
    }

    fn index(&self, connection: &sqlite::Database) -> &Index {
        self.index.get_or_init(|| Index::of(connection, &self.tables))
    }
}

impl Store for Database {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let connection = self.locked();
        let mut found = BTreeMap::new();
        let read = self.told(&connection, &mut found);
        let index = self.index(&connection);
        for id in index.sessions() {
            let id = id.unwrap_or(WITHOUT);
            if !found.contains_key(id) {
                found.insert(id.to_owned(), unseen(id));
            }
        }
        // What cannot be read is told in the sessions that can.
        match read.err().or_else(|| index.trouble()) {
            Some(error) if found.is_empty() => Err(error),
            _ => {
                let held =
                    |(key, glimpse)| Held { key, size: None, glimpse: Some((AGENT, glimpse)) };
                Ok(found.into_iter().map(held).collect())
            }
        }
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        let connection = self.locked();
        let mut documents = Documents::default();
        let mut reader = Reader {
            connection: &connection,
            tables: &self.tables,
            index: self.index(&connection),
            session: (key != WITHOUT).then_some(key),
            to: &mut documents,
        };
        let storage = self.path.parent().map(|folder| folder.join("storage"));
        reader.all(storage.as_ref());
        let bytes = documents.finish();
        if bytes.is_empty() {
            return Err(bad_data(format!("there is no session {key} in the database")));
        }
        Ok(bytes)
    }
}

/// Shows each row of a query.
pub(super) fn rows(
    connection: &sqlite::Database,
    sql: &str,
    values: &[&Value],
    show: impl FnMut(Row),
) -> io::Result<()> {
    let mut statement = connection.connection().prepare(sql).map_err(failed)?;
    rows_of(&mut statement, values, show)
}

/// Shows each row of a query that is prepared.
pub(super) fn rows_of(
    statement: &mut Statement<'_>,
    values: &[&Value],
    mut show: impl FnMut(Row),
) -> io::Result<()> {
    let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let mut columns = Row::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            columns.push((name.clone(), Column::of(row.get_ref(at).map_err(failed)?)));
        }
        show(columns);
    }
    Ok(())
}

/// What is known of a session by its id alone.
fn unseen(id: &str) -> Glimpse {
    Glimpse {
        variant: "database",
        session_id: Some(id.to_owned()),
        parent: None,
        start: None,
        project: None,
        version: None,
        share: Share::Whole,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::skipped::Skipped;

    /// A database of this many sessions with rows in every table.
    fn database(tables: &str, sessions: usize, id: impl Fn(usize) -> String) -> Database {
        let connection = rusqlite::Connection::open_in_memory().expect("a database");
        connection.execute_batch(tables).expect("SQL");
        connection.execute_batch("BEGIN").expect("SQL");
        for number in 0..sessions {
            let id = id(number);
            let sql = format!(
                "INSERT INTO project VALUES ('prj_{number}', '/w');
                INSERT INTO session VALUES ({id}, 'prj_{number}', '/w', 't');
                INSERT INTO message VALUES ('msg_{number}', {id}, '{{\"role\": \"user\"}}');
                INSERT INTO part VALUES ('prt_{number}', 'msg_{number}', {id}, '{{}}');
                INSERT INTO part VALUES ('prt_x{number}', 'msg_{number}', NULL, '{{}}');
                INSERT INTO todo VALUES ({id}, 'c', 1);"
            );
            connection.execute_batch(&sql).expect("SQL");
        }
        connection.execute_batch("COMMIT").expect("SQL");
        let path = SafePath::named("/none/o.db".as_ref(), &Skipped::default());
        let database = Database::of(sqlite::Database::of(connection), &path);
        database.expect("a database").expect("OpenCode's")
    }

    /// How many steps it takes to read all sessions.
    fn steps(database: &Database, sessions: usize) -> u64 {
        let steps = database.locked().count_steps();
        let all = database.sessions().expect("sessions");
        assert_eq!(all.len(), sessions);
        for held in all {
            let documents = database.read(&held.key).expect("documents");
            let lines = String::from_utf8_lossy(&documents).lines().count();
            assert_eq!(lines, 6, "{}", String::from_utf8_lossy(&documents));
        }
        steps.load(Ordering::Relaxed)
    }

    const WITHOUT_INDEX: &str = "
        CREATE TABLE project (id, worktree);
        CREATE TABLE session (id, project_id, directory, title);
        CREATE TABLE message (id, session_id, data);
        CREATE TABLE part (id, message_id, session_id, data);
        CREATE TABLE todo (session_id, content, position);";
    const WITHOUT_ROW_ID: &str = "
        CREATE TABLE project (id PRIMARY KEY, worktree) WITHOUT ROWID;
        CREATE TABLE session (id PRIMARY KEY, project_id, directory, title) WITHOUT ROWID;
        CREATE TABLE message (id PRIMARY KEY, session_id, data) WITHOUT ROWID;
        CREATE TABLE part (id PRIMARY KEY, message_id, session_id, data) WITHOUT ROWID;
        CREATE TABLE todo (session_id, content, position);";

    #[test]
    fn steps_grow_with_the_rows_alone() {
        let text = |number: usize| format!("'ses_{number}'");
        let integer = |number: usize| number.to_string();
        let blob = |number: usize| format!("CAST('{number}' || x'ff' AS BLOB)");
        for (name, tables, id) in [
            ("text", WITHOUT_INDEX, &text as &dyn Fn(usize) -> String),
            ("integer", WITHOUT_INDEX, &integer),
            ("blob", WITHOUT_INDEX, &blob),
            ("without row ids", WITHOUT_ROW_ID, &text),
        ] {
            let [one, four] = [50, 200].map(|count| steps(&database(tables, count, id), count));
            assert!(four < 5 * one, "{name}: {one} steps for 50 sessions, {four} for 200");
        }
    }
}
