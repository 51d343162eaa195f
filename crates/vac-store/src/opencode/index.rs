//! Which rows of a database belong to which session.
//!
//! Every table is read once, for the numbers of its rows and the column that names their
//! session. So a session costs what its own rows cost, whether the database has an index for
//! that column or not.

use std::collections::{BTreeMap, HashMap};
use std::io;

use rusqlite::types::Value;

use super::database::{rows, rows_of};
use super::documents::Column;
use super::row::{Row, column_of};
use super::tables::{MESSAGE, OF_SESSION, PART, PROJECT, SESSIONS, Tables};
use crate::sqlite::{Database, failed};
use crate::store::bad_data;

/// A table whose rows have no numbers is kept in memory up to this size.
const MAX_KEPT: usize = 64 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Index(BTreeMap<&'static str, Group>);

/// The rows of a table, by the text of the column that groups them; `None` for those that
/// have nothing there.
#[derive(Debug, Default)]
struct Group {
    numbers: HashMap<Option<String>, Vec<i64>>,
    /// All rows, if they have no numbers of their own: then theirs are their places here.
    kept: Option<Vec<Row>>,
    /// Why some rows could not be read.
    trouble: Option<String>,
}

impl Index {
    /// Reads all tables.
    pub fn of(database: &Database, tables: &Tables) -> Self {
        let mut index = Self::default();
        let columns = SESSIONS.iter().chain(&[PROJECT]).map(|table| (*table, "id"));
        for (table, column) in columns.chain(OF_SESSION.iter().map(|table| (*table, "session_id")))
        {
            let is_of_messages = table == PART && tables.has_parts_of_messages();
            if tables.has(table, column) || is_of_messages {
                let mut group = Group::of(database, tables, table, column);
                if is_of_messages {
                    group.ask_messages(database, tables);
                }
                index.0.insert(table, group);
            }
        }
        index
    }

    /// Whether the rows of a table are known.
    pub fn has(&self, table: &str) -> bool {
        self.0.contains_key(table)
    }

    /// The sessions that rows name; `None` if there are rows that name none.
    pub fn sessions(&self) -> impl Iterator<Item = Option<&str>> {
        let named = self.0.iter().filter(|(table, _)| **table != PROJECT);
        named.flat_map(|(table, group)| {
            let keys = group.numbers.keys().map(Option::as_deref);
            keys.filter(|key| key.is_some() || !SESSIONS.contains(table))
        })
    }

    /// Why nothing could be read, if something could not.
    pub fn trouble(&self) -> Option<io::Error> {
        self.0.values().find_map(|group| group.trouble.clone()).map(bad_data)
    }

    /// Shows the rows of a table with this key, always in the same order.
    pub fn rows(
        &self,
        database: &Database,
        tables: &Tables,
        table: &str,
        key: Option<&str>,
        mut show: impl FnMut(&Row),
    ) -> io::Result<()> {
        let Some(group) = self.0.get(table) else { return Ok(()) };
        // Keys are few and long compared to the numbers: a lookup may copy one.
        let numbers = group.numbers.get(&key.map(str::to_owned)).map_or(&[][..], Vec::as_slice);
        match (&group.kept, tables.row_id(table)) {
            _ if numbers.is_empty() => {}
            (Some(kept), _) => {
                let places = numbers.iter().filter_map(|number| usize::try_from(*number).ok());
                places.filter_map(|place| kept.get(place)).for_each(show);
            }
            (None, Some(row_id)) => {
                let sql = format!("{} WHERE {row_id} = ?1", tables.rows(table));
                let mut statement = database.connection().prepare(&sql).map_err(failed)?;
                let mut read = Ok(());
                for number in ordered(database, tables, table, row_id, numbers) {
                    // One at a time, so that SQLite has let go of it when it is shown.
                    let mut found = None;
                    let number = Value::Integer(number);
                    let row = rows_of(&mut statement, &[&number], |row| found = Some(row));
                    found.iter().for_each(&mut show);
                    read = read.and(row);
                }
                read?;
            }
            (None, None) => {}
        }
        group.trouble.clone().map_or(Ok(()), |trouble| Err(bad_data(trouble)))
    }
}

/// The numbers of rows in the order of these rows; as they are if that cannot be read.
fn ordered(
    database: &Database,
    tables: &Tables,
    table: &str,
    row_id: &str,
    numbers: &[i64],
) -> Vec<i64> {
    let list: Vec<_> = numbers.iter().map(i64::to_string).collect();
    let list = Value::Text(format!("[{}]", list.join(",")));
    let order = tables.order(table, &["id", "position"]);
    let sql = format!(
        "SELECT {row_id} FROM \"{table}\" \
        WHERE {row_id} IN (SELECT value FROM json_each(?1)) ORDER BY {order}"
    );
    let mut ordered = Vec::with_capacity(numbers.len());
    let read = rows(database, &sql, &[&list], |row| {
        if let [(_, Column(Value::Integer(number)))] = row.as_slice() {
            ordered.push(*number);
        }
    });
    if read.is_ok() { ordered } else { numbers.to_vec() }
}

impl Group {
    fn of(database: &Database, tables: &Tables, table: &str, column: &str) -> Self {
        let mut group = Self::default();
        // Parts without such a column are all their messages'.
        let column = if tables.has(table, column) { column } else { "NULL" };
        let read = match tables.row_id(table) {
            Some(row_id) => group.read(database, table, row_id, column),
            None => group.keep(database, tables, table, column),
        };
        group.trouble = read.err().map(|error| error.to_string());
        group
    }

    /// Reads the numbers of all rows.
    fn read(
        &mut self,
        database: &Database,
        table: &str,
        row_id: &str,
        column: &str,
    ) -> io::Result<()> {
        let what = format!("SELECT {row_id} AS number, {column} AS key FROM \"{table}\"");
        let Err(error) = self.add(database, &what, i64::MIN) else { return Ok(()) };
        // What is damaged may be an index. Else it is a page: go up to it from both ends.
        self.numbers.clear();
        let forward = format!("{what} NOT INDEXED WHERE {row_id} >= ?1 ORDER BY {row_id}");
        if self.add(database, &forward, i64::MIN).is_err() {
            let last = self.numbers.values().flatten().max().copied();
            let backward = format!("{what} NOT INDEXED WHERE {row_id} > ?1 ORDER BY {row_id} DESC");
            // It ends where the other did, which is known already.
            let _ = self.add(database, &backward, last.unwrap_or(i64::MIN));
        }
        Err(error)
    }

    fn add(&mut self, database: &Database, sql: &str, from: i64) -> io::Result<()> {
        let from = Value::Integer(from);
        let values: &[_] = if sql.contains("?1") { &[&from] } else { &[] };
        rows(database, sql, values, |row| {
            if let [(_, Column(Value::Integer(number))), (_, key)] = row.as_slice() {
                self.put(key, *number);
            }
        })
    }

    fn put(&mut self, key: &Column, number: i64) {
        let key = (!key.is_null()).then(|| key.text());
        self.numbers.entry(key).or_default().push(number);
    }

    /// Keeps all rows of a table whose rows have no numbers.
    fn keep(
        &mut self,
        database: &Database,
        tables: &Tables,
        table: &str,
        column: &str,
    ) -> io::Result<()> {
        let mut kept = Vec::new();
        let mut room = MAX_KEPT;
        let mut is_too_large = false;
        let order = tables.order(table, &["id", "position", "data"]);
        let sql = format!("{} ORDER BY {order}", tables.rows(table));
        let read = rows(database, &sql, &[], |row| {
            let size = row.iter().map(|(name, value)| name.len() + value.size()).sum::<usize>();
            match room.checked_sub(size) {
                Some(left) if !is_too_large => {
                    room = left;
                    let number =
                        i64::try_from(kept.len()).expect("fewer rows than memory has bytes");
                    self.put(column_of(&row, column).unwrap_or(&Column(Value::Null)), number);
                    kept.push(row);
                }
                _ => is_too_large = true,
            }
        });
        self.kept = Some(kept);
        read?;
        if is_too_large {
            return Err(bad_data("too large for a table without row ids"));
        }
        Ok(())
    }

    /// Gives parts that name no session to that of their message.
    fn ask_messages(&mut self, database: &Database, tables: &Tables) {
        let Some(homeless) = self.numbers.remove(&None) else { return };
        let mut of_part: Vec<(i64, String)> = Vec::new();
        let mut left = Vec::new();
        let mut note = |number: i64, message: &Column| {
            if message.is_null() {
                left.push(number);
            } else {
                of_part.push((number, message.text()));
            }
        };
        let asked = match (&self.kept, tables.row_id(PART)) {
            (Some(kept), _) => {
                for number in homeless {
                    let place = usize::try_from(number).expect("a place in a list");
                    note(
                        number,
                        column_of(&kept[place], "message_id").unwrap_or(&Column(Value::Null)),
                    );
                }
                Ok(())
            }
            (None, row_id) => {
                let row_id = row_id.unwrap_or("rowid");
                let is_named = tables.has(PART, "session_id");
                let condition = if is_named { "session_id IS NULL" } else { "true" };
                let sql = format!("SELECT {row_id}, message_id FROM part WHERE {condition}");
                rows(database, &sql, &[], |row| {
                    if let [(_, Column(Value::Integer(number))), (_, message)] = row.as_slice() {
                        note(*number, message);
                    }
                })
            }
        };
        let mut sessions: HashMap<&str, Option<String>> = HashMap::new();
        sessions.extend(of_part.iter().map(|(_, message)| (message.as_str(), None)));
        let sql = "SELECT id, session_id FROM message WHERE id NOT NULL AND session_id NOT NULL";
        let read = rows(database, sql, &[], |row| {
            if let [(_, id), (_, session)] = row.as_slice()
                && let Some(known) = sessions.get_mut(id.text().as_str())
            {
                known.get_or_insert_with(|| session.text());
            }
        });
        for (number, message) in &of_part {
            let session = sessions.get(message.as_str()).cloned().flatten();
            self.numbers.entry(session).or_default().push(*number);
        }
        if !left.is_empty() {
            self.numbers.entry(None).or_default().extend(left);
        }
        let read = asked.and(read.map_err(|error| bad_data(format!("table {MESSAGE}: {error}"))));
        if let Err(error) = read {
            self.trouble.get_or_insert_with(|| error.to_string());
        }
    }
}
