//! `opencode.db`: the sessions of a database.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::types::Value;
use vac_adapter::{Glimpse, Share};
use vac_record::AbstractTimestamp;

use super::documents::{Column, Documents};
use super::reader::Reader;
use super::row::{Row, column_of};
use super::tables::{OF_SESSION, SESSION, Tables};
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
    /// Ids of sessions that are no text.
    odd: OnceLock<Vec<Column>>,
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
        Ok(Ok(Self { connection, path: path.clone(), tables, odd: OnceLock::new() }))
    }

    fn locked(&self) -> MutexGuard<'_, sqlite::Database> {
        // Whoever panicked has only read.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the table of sessions tells about each.
    fn told(
        &self,
        connection: &sqlite::Database,
        found: &mut BTreeMap<String, Glimpse>,
    ) -> io::Result<()> {
        if !self.tables.has(SESSION, "id") {
            return Ok(());
        }
        let wanted = ["id", "directory", "version", "time_created"];
        let columns = wanted.into_iter().filter(|column| self.tables.has(SESSION, column));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {columns} FROM session WHERE id IS NOT NULL");
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

    /// The ids of sessions that a column has.
    fn ids(
        connection: &sqlite::Database,
        table: &str,
        column: &str,
        mut show: impl FnMut(Column),
    ) -> io::Result<()> {
        let sql = format!("SELECT DISTINCT {column} FROM \"{table}\" WHERE {column} IS NOT NULL");
        rows(connection, &sql, &[], |row| row.into_iter().for_each(|(_, id)| show(id)))
    }

    /// Whether there is anything that belongs to no session.
    fn has_homeless(&self, connection: &sqlite::Database) -> io::Result<bool> {
        for table in OF_SESSION {
            let Some(condition) = self.tables.of_none(table) else { continue };
            let sql = format!("SELECT 1 FROM \"{table}\" WHERE {condition}");
            let mut statement = connection.connection().prepare(&sql).map_err(failed)?;
            if statement.exists([]).map_err(failed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What stands for a session in the database.
    fn meant(&self, connection: &sqlite::Database, key: &str) -> Vec<Column> {
        let odd = self.odd.get_or_init(|| {
            let mut odd = Vec::new();
            for (table, column) in self.tables.of_ids() {
                // What cannot be read is told where its rows are read.
                let _ = Self::ids(connection, table, column, |id| {
                    if !matches!(id.0, Value::Text(_)) && !odd.contains(&id) {
                        odd.push(id);
                    }
                });
            }
            odd
        });
        let text = Column(Value::Text(key.to_owned()));
        let odd = odd.iter().filter(|id| id.text() == key).cloned();
        std::iter::once(text).chain(odd).collect()
    }
}

impl Store for Database {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let connection = self.locked();
        let mut found = BTreeMap::new();
        let mut read = vec![self.told(&connection, &mut found)];
        for (table, column) in self.tables.of_ids() {
            read.push(Self::ids(&connection, table, column, |id| {
                found.entry(id.text()).or_insert_with(|| unseen(&id.text()));
            }));
        }
        read.push(self.has_homeless(&connection).map(|homeless| {
            if homeless {
                found.insert(WITHOUT.to_owned(), unseen(WITHOUT));
            }
        }));
        // What cannot be read is told in the sessions that can.
        match read.into_iter().find_map(Result::err) {
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
        let meant = self.meant(&connection, key);
        let mut reader = Reader {
            connection: &connection,
            tables: &self.tables,
            session: (key != WITHOUT).then_some(key),
            to: &mut documents,
        };
        let storage = self.path.parent().map(|folder| folder.join("storage"));
        reader.all(&meant, storage.as_ref());
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
    mut show: impl FnMut(Row),
) -> io::Result<()> {
    let mut statement = connection.connection().prepare(sql).map_err(failed)?;
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
        start: None,
        project: None,
        version: None,
        share: Share::Whole,
    }
}
