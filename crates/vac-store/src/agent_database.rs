//! Restricts a database to the part that an agent's list of tables allows to read.
//!
//! Every table of the list is read once, for the numbers of its rows and the column that groups
//! rows. Reading a session then takes time in proportion to its own rows, whether the database has
//! an index for that column or not. Rows are then read one by one, so that a damaged page hides
//! only the rows on it.

mod groups;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Statement, params_from_iter};
use vac_adapter::container::{Cell, Database, Folder, Row, Rows, Table, bad_data};

use crate::agent_folder::AgentFolder;
use crate::safe_path::SafePath;
use crate::sqlite::{self, failed};
use crate::zstandard;
use groups::Groups;

/// A database that is restricted to the tables of an agent; see the module.
#[derive(Debug)]
pub(crate) struct AgentDatabase {
    /// One connection for all threads, so that a large database is not copied twice.
    database: Arc<Mutex<sqlite::SqliteDatabase>>,
    tables: &'static [Table],
    /// The tables of the list that the database has, by name.
    found: BTreeMap<&'static str, FoundTable>,
    /// The groups of each table of the list.
    groups: Vec<OnceLock<Groups>>,
    folder: Option<AgentFolder>,
}

/// A table of the list that the database has.
#[derive(Debug)]
struct FoundTable {
    columns: Vec<String>,
    /// The name of the column with the numbers of its rows, if its rows have numbers.
    row_id: Option<&'static str>,
}

/// The SQL expressions that select rows of a table.
struct Selected {
    /// The expression that groups rows.
    key: String,
    condition: String,
    values: Vec<Value>,
    order: Option<String>,
}

impl AgentDatabase {
    /// Restricts a database to the tables of a list.
    pub fn new(
        database: Arc<Mutex<sqlite::SqliteDatabase>>,
        tables: &'static [Table],
        path: &SafePath,
    ) -> io::Result<Self> {
        let mut found = BTreeMap::new();
        {
            let database = lock(&database);
            for table in tables {
                if !found.contains_key(table.name) && database.is_table(table.name)? {
                    let columns = database.columns(table.name)?;
                    let row_id = database.row_id(table.name)?;
                    found.insert(table.name, FoundTable { columns, row_id });
                }
            }
        }
        let folder = path.parent().map(AgentFolder::new);
        let groups = tables.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { database, tables, found, groups, folder })
    }

    /// Returns the groups of a table; `None` if the table is not in the list or does not exist.
    fn groups(&self, database: &sqlite::SqliteDatabase, table: &Table) -> Option<&Groups> {
        let position = self.tables.iter().position(|listed| listed.id() == table.id())?;
        if !self.has_rows(table) {
            return None;
        }
        Some(self.groups.get(position)?.get_or_init(|| Groups::read(self, database, table)))
    }

    fn row_id(&self, table: &Table) -> Option<&'static str> {
        self.found.get(table.name)?.row_id
    }

    fn selected(&self, table: &Table) -> Selected {
        let column = |name: &str| {
            if self.has_column(table.name, name) { quote(name) } else { "NULL".to_owned() }
        };
        let text = |text: &str| Value::Text(text.to_owned());
        let (key, condition, values, order) = match table.rows {
            Rows::By(name) | Rows::ByOrVia { column: name, .. } => {
                (column(name), String::new(), Vec::new(), None)
            }
            Rows::Prefix(name, prefix, _) => {
                let column = column(name);
                let condition = format!("WHERE {column} >= ?1 AND {column} < ?2");
                let (from, to) = range(prefix);
                (column.clone(), condition, vec![text(&from), text(&to)], Some(column))
            }
            Rows::Is(name, value) => {
                let condition = format!("WHERE {} = ?1", column(name));
                ("NULL".to_owned(), condition, vec![text(value)], None)
            }
            Rows::All => {
                let row_id = self.row_id(table).map(str::to_owned);
                ("NULL".to_owned(), String::new(), Vec::new(), row_id)
            }
        };
        Selected { key, condition, values, order }
    }

    /// Returns a query for the columns of a table that may be read. Computed columns are not read.
    fn query(&self, table: &Table) -> String {
        let all = self.found.get(table.name).into_iter().flat_map(|found| &found.columns);
        let is_listed =
            |name: &&String| table.columns.is_empty() || table.columns.contains(&name.as_str());
        let columns: Vec<_> = all.filter(is_listed).map(|name| quote(name)).collect();
        format!("SELECT {} FROM {}", columns.join(", "), quote(table.name))
    }

    /// Returns the columns that rows are ordered by, as far as a table has them; at least one.
    fn order(&self, table: &Table, columns: &[&str]) -> String {
        let columns = columns.iter().filter(|name| self.has_column(table.name, name));
        // The sign prevents SQLite from reading an index of the whole table for the order.
        let columns = columns.map(|name| format!("+{}", quote(name)));
        columns.chain(["1".to_owned()]).collect::<Vec<_>>().join(", ")
    }

    /// Sorts the numbers of rows by the order of the table. Returns them unchanged if the order
    /// cannot be read.
    fn sort_rows(
        &self,
        database: &sqlite::SqliteDatabase,
        table: &Table,
        row_id: &str,
        numbers: &[i64],
    ) -> Vec<i64> {
        if table.order.is_empty() || numbers.len() < 2 {
            return numbers.to_vec();
        }
        let list: Vec<_> = numbers.iter().map(i64::to_string).collect();
        let list = Value::Text(format!("[{}]", list.join(",")));
        let sql = format!(
            "SELECT {row_id} FROM {} WHERE {row_id} IN (SELECT value FROM json_each(?1)) \
            ORDER BY {}",
            quote(table.name),
            self.order(table, table.order)
        );
        let mut ordered = Vec::with_capacity(numbers.len());
        let read = rows(database, &sql, &[list], |row| ordered.extend(number(&row)));
        if read.is_ok() { ordered } else { numbers.to_vec() }
    }
}

impl Database for AgentDatabase {
    fn has_table(&self, table: &str) -> bool {
        self.found.contains_key(table)
    }

    fn has_column(&self, table: &str, column: &str) -> bool {
        self.found.get(table).is_some_and(|table| table.columns.iter().any(|name| name == column))
    }

    fn has_rows(&self, table: &Table) -> bool {
        let has = |column: &str| self.has_column(table.name, column);
        match table.rows {
            Rows::By(column) | Rows::Prefix(column, ..) | Rows::Is(column, _) => has(column),
            Rows::ByOrVia { column, .. } => has(column) || self.has_link(table),
            Rows::All => self.has_table(table.name),
        }
    }

    fn keys(&self, table: &Table) -> Vec<Option<String>> {
        let database = lock(&self.database);
        let groups = self.groups(&database, table);
        let mut keys: Vec<_> =
            groups.into_iter().flat_map(|it| it.numbers.keys().cloned()).collect();
        keys.sort_unstable();
        keys
    }

    fn trouble(&self) -> Option<String> {
        self.groups.iter().filter_map(OnceLock::get).find_map(|groups| groups.trouble.clone())
    }

    fn rows(&self, table: &Table, key: Option<&str>, show: &mut dyn FnMut(Row)) -> io::Result<()> {
        let show = &mut |row| show(decompress_cells(table, row));
        let database = lock(&self.database);
        let Some(groups) = self.groups(&database, table) else { return Ok(()) };
        // There are few keys, so a lookup may copy one.
        let numbers = groups.numbers.get(&key.map(str::to_owned)).map_or(&[][..], Vec::as_slice);
        match (&groups.kept, self.row_id(table)) {
            _ if numbers.is_empty() => {}
            (Some(kept), _) => {
                let positions = numbers.iter().filter_map(|number| usize::try_from(*number).ok());
                positions.filter_map(|position| kept.get(position)).cloned().for_each(show);
            }
            (None, Some(row_id)) => {
                let sql = format!("{} WHERE {row_id} = ?1", self.query(table));
                let mut statement = database.connection().prepare(&sql).map_err(failed)?;
                let mut read = Ok(());
                for number in self.sort_rows(&database, table, row_id, numbers) {
                    // Read one row at a time, so that SQLite has released it when it is passed on.
                    let mut found = None;
                    let number = Value::Integer(number);
                    let row = select_rows(&mut statement, &[number], |row| found = Some(row));
                    found.into_iter().for_each(&mut *show);
                    read = read.and(row);
                }
                read?;
            }
            (None, None) => {}
        }
        groups.trouble.clone().map_or(Ok(()), |trouble| Err(bad_data(trouble)))
    }

    fn list(
        &self,
        table: &Table,
        columns: &[&str],
        max: usize,
        show: &mut dyn FnMut(&Row),
    ) -> io::Result<()> {
        let database = lock(&self.database);
        if !self.has_rows(table) {
            return Ok(());
        }
        let is_listed = |name: &&&str| {
            self.has_column(table.name, name)
                && (table.columns.is_empty() || table.columns.contains(name))
        };
        let columns = columns.iter().filter(is_listed).map(|name| {
            let name = quote(name);
            format!("CASE WHEN octet_length({name}) <= {max} THEN {name} END AS {name}")
        });
        let columns: Vec<_> = columns.collect();
        if columns.is_empty() {
            return Ok(());
        }
        let selected = self.selected(table);
        let order = selected.order.map(|order| format!("ORDER BY {order}")).unwrap_or_default();
        let (columns, name) = (columns.join(", "), quote(table.name));
        let sql = format!("SELECT {columns} FROM {name} {} {order}", selected.condition);
        rows(&database, &sql, &selected.values, |row| show(&row))
    }

    fn folder(&self) -> Option<&dyn Folder> {
        self.folder.as_ref().map(|folder| folder as &dyn Folder)
    }
}

impl AgentDatabase {
    /// Returns whether rows without a key can be assigned by a row of another table.
    fn has_link(&self, table: &Table) -> bool {
        let Rows::ByOrVia { column, link, table: other, id } = table.rows else { return false };
        self.has_column(table.name, link)
            && self.has_column(other, id)
            && self.has_column(other, column)
    }
}

/// Returns the bounds of all texts that begin with a prefix, which ends with a colon.
fn range(prefix: &str) -> (String, String) {
    let mut end = prefix.to_owned();
    end.pop();
    end.push(';');
    (prefix.to_owned(), end)
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the number in the only column of a row.
fn number(row: &Row) -> Option<i64> {
    match row.0.as_slice() {
        [(_, Cell::Integer(number))] => Some(*number),
        _ => None,
    }
}

/// Passes each row of a query to `show`.
fn rows(
    database: &sqlite::SqliteDatabase,
    sql: &str,
    values: &[Value],
    show: impl FnMut(Row),
) -> io::Result<()> {
    let mut statement = database.connection().prepare(sql).map_err(failed)?;
    select_rows(&mut statement, values, show)
}

/// Passes each row of a prepared query to `show`.
fn select_rows(
    statement: &mut Statement<'_>,
    values: &[Value],
    mut show: impl FnMut(Row),
) -> io::Result<()> {
    let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let mut columns = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            columns.push((name.clone(), cell(row.get_ref(at).map_err(failed)?)));
        }
        show(Row(columns));
    }
    Ok(())
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => Cell::Blob(bytes.to_vec()),
        },
    }
}

/// Decompresses the cells of a row that are compressed.
fn decompress_cells(table: &Table, mut row: Row) -> Row {
    for (name, cell) in &mut row.0 {
        if let Cell::Blob(bytes) = cell
            && table.compressed.contains(&name.as_str())
            && bytes.starts_with(&zstandard::MAGIC)
            && let Ok(content) = zstandard::decompress_all(bytes)
        {
            *cell = match String::from_utf8(content) {
                Ok(text) => Cell::Text(text),
                Err(error) => Cell::Blob(error.into_bytes()),
            };
        }
    }
    row
}

fn lock(database: &Mutex<sqlite::SqliteDatabase>) -> MutexGuard<'_, sqlite::SqliteDatabase> {
    // A thread that panicked has changed nothing, because threads only read.
    database.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rusqlite::Connection;
    use vac_adapter::Adapter;
    use vac_adapter::container::SessionStore;
    use vac_adapter_antigravity::Antigravity;
    use vac_adapter_cursor::Cursor;
    use vac_adapter_opencode::OpenCode;

    use super::*;
    use crate::skipped::Skipped;

    /// Opens the sessions of an agent in a database in memory, and counts the steps of `SQLite`'s
    /// virtual machine from then on.
    fn open(adapter: &dyn Adapter, sql: &str) -> (Arc<dyn SessionStore>, Arc<AtomicU64>) {
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch(&format!("BEGIN; {sql} COMMIT;")).expect("SQL");
        let mut database = sqlite::SqliteDatabase::new(connection);
        let steps = database.count_steps();
        let path = SafePath::named("/none/o.db".as_ref(), &Skipped::default());
        let tables = adapter.stores().tables;
        let database = AgentDatabase::new(Arc::new(Mutex::new(database)), tables, &path);
        let store = (adapter.stores().open_database)(Arc::new(database.expect("a database")));
        (store.expect("the agent's"), steps)
    }

    /// Counts the steps that reading all sessions takes; each has `documents` documents.
    fn steps(adapter: &dyn Adapter, sql: &str, sessions: usize, documents: usize) -> u64 {
        let (store, steps) = open(adapter, sql);
        let all = store.sessions().expect("sessions");
        assert_eq!(all.len(), sessions);
        for session in all {
            let (bytes, _) = store.read(&session.key).expect("documents").finish();
            let text = String::from_utf8_lossy(&bytes);
            assert_eq!(text.lines().count(), documents, "{text}");
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
    fn compressed_cells_are_decompressed() {
        const EVENTS: Table = Table {
            name: "events",
            columns: &["id", "session", "data", "other"],
            rows: Rows::By("session"),
            order: &["id"],
            compressed: &["data"],
        };
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch("CREATE TABLE events (id, session, data, other)").expect("SQL");
        let zip = |text: &[u8]| zstd::encode_all(text, 1).expect("compressed");
        let (whole, text) = (zip(b"{\"a\":1}"), b"{\"b\":2}".to_vec());
        let cut = whole[..whole.len() - 3].to_vec();
        // A gigabyte, compressed to a few kilobytes.
        let bomb = zstd::encode_all(std::io::repeat(b' ').take(1 << 30), 1).expect("compressed");
        for (id, data) in (0_u32..).zip([&whole, &text, &cut, &zip(b"\xff"), &bomb]) {
            let insert = "INSERT INTO events VALUES (?1, 's', ?2, ?2)";
            connection.execute(insert, rusqlite::params![id, data]).expect("SQL");
        }
        let database = Arc::new(Mutex::new(sqlite::SqliteDatabase::new(connection)));
        let path = SafePath::named("/none/e.db".as_ref(), &Skipped::default());
        let database = AgentDatabase::new(database, &[EVENTS], &path).expect("a database");
        let mut found = Vec::new();
        let mut is_other_kept = true;
        let show = &mut |row: Row| {
            is_other_kept &= matches!(row.cell("other"), Cell::Blob(_));
            found.push(row.cell("data").clone());
        };
        database.rows(&EVENTS, Some("s"), show).expect("rows");
        let expected = [
            Cell::Text("{\"a\":1}".to_owned()),
            Cell::Blob(text),
            Cell::Blob(cut),
            Cell::Blob(b"\xff".to_vec()),
            Cell::Blob(bomb),
        ];
        assert_eq!(found, expected);
        assert!(is_other_kept);
    }

    #[test]
    fn steps_grow_with_the_rows_that_sessions_have() {
        let text = |number: usize| format!("'ses_{number}'");
        let integer = |number: usize| number.to_string();
        let blob = |number: usize| format!("CAST('{number}' || x'ff' AS BLOB)");
        for (name, tables, id) in [
            ("text", WITHOUT_INDEX, &text as &dyn Fn(usize) -> String),
            ("integer", WITHOUT_INDEX, &integer),
            ("blob", WITHOUT_INDEX, &blob),
            ("without row ids", WITHOUT_ROW_ID, &text),
        ] {
            let count = |sessions: usize| {
                let rows = (0..sessions).map(|number| {
                    let id = id(number);
                    format!(
                        "INSERT INTO project VALUES ('prj_{number}', '/w');
                        INSERT INTO session VALUES ({id}, 'prj_{number}', '/w', 't');
                        INSERT INTO message VALUES ('msg_{number}', {id}, '{{\"role\": \"user\"}}');
                        INSERT INTO part VALUES ('prt_{number}', 'msg_{number}', {id}, '{{}}');
                        INSERT INTO part VALUES ('prt_x{number}', 'msg_{number}', NULL, '{{}}');
                        INSERT INTO todo VALUES ({id}, 'c', 1);"
                    )
                });
                let sql = tables.to_owned() + &rows.collect::<String>();
                steps(&OpenCode, &sql, sessions, 6)
            };
            let [one, four] = [50, 200].map(count);
            assert!(four < 5 * one, "{name}: {one} steps for 50 sessions, {four} for 200");
        }
    }

    #[test]
    fn rows_that_name_no_session_belong_to_the_first() {
        const TABLES: &str = "
            CREATE TABLE trajectory_meta (trajectory_id PRIMARY KEY, cascade_id);
            CREATE TABLE steps (idx integer PRIMARY KEY, step_type, metadata, step_payload);
            INSERT INTO steps (idx) VALUES (1), (0);";
        for (meta, expected) in [
            ("", vec![("without-session", 2)]),
            ("INSERT INTO trajectory_meta VALUES ('t', 'c-1');", vec![("c-1", 3)]),
            (
                "INSERT INTO trajectory_meta VALUES ('t', 'c-2'), ('u', 'c-1'), ('v', 'c-1');",
                vec![("c-1", 4), ("c-2", 1)],
            ),
        ] {
            let (store, _) = open(&Antigravity, &format!("{TABLES}{meta}"));
            let found = store.sessions().expect("sessions").into_iter().map(|session| {
                assert!(session.is_replaced);
                let (bytes, _) = store.read(&session.key).expect("documents").finish();
                (session.key, String::from_utf8_lossy(&bytes).lines().count())
            });
            let expected = expected.into_iter().map(|(key, count)| (key.to_owned(), count));
            assert!(found.eq(expected), "{meta}");
            assert!(store.read("c-9").is_err(), "{meta}");
        }
    }

    const KEYS: &str =
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
    const KEYS_WITHOUT_INDEX: &str = "CREATE TABLE cursorDiskKV (key, value, rowid);";

    #[test]
    fn steps_grow_with_the_rows_of_a_prefix() {
        for table in [KEYS, KEYS_WITHOUT_INDEX] {
            let count = |sessions: usize| {
                let rows = (0..sessions).map(|number| {
                    format!(
                        "INSERT INTO cursorDiskKV (key, value) VALUES
                        ('bubbleId:{number}:b', '{{\"type\": 1}}'), ('composerData:{number}', '{{}}');"
                    )
                });
                let sql = table.to_owned() + &rows.collect::<String>();
                steps(&Cursor, &sql, sessions, 2)
            };
            let [one, four] = [50, 200].map(count);
            assert!(four < 5 * one, "{table}: {one} steps for 50 sessions, {four} for 200");
        }
    }

    #[test]
    fn rows_of_other_keys_are_not_read() {
        let other = "INSERT INTO cursorDiskKV SELECT 'secret:' || value, 'x' FROM \
            (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 5000) \
            SELECT value FROM n);";
        let rows = "INSERT INTO cursorDiskKV VALUES ('composerData:c', '{}');";
        let few = steps(&Cursor, &format!("{KEYS}{rows}"), 1, 1);
        let many = steps(&Cursor, &format!("{KEYS}{other}{rows}"), 1, 1);
        assert!(many < few + 100, "{few} steps, {many} with 5000 other rows");
    }

    #[test]
    fn range_contains_all_texts_with_a_prefix() {
        let (from, to) = range("bubbleId:c:");
        let is_inside = |key: &&str| from.as_str() <= *key && *key < to.as_str();
        assert!(["bubbleId:c:", "bubbleId:c:\u{ff}", "bubbleId:c:~"].iter().all(is_inside));
        let outside = ["bubbleId:c", "bubbleId:cc:a", "bubbleId:d:a", "bubbleId:c;"];
        assert!(!outside.iter().any(is_inside));
    }
}
