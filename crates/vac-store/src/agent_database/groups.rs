//! Groups the rows of a table that belong together.

use std::collections::HashMap;
use std::io;

use rusqlite::types::Value;
use vac_adapter::container::{Cell, Database as _, Row, Rows, Table, bad_data};

use super::{AgentDatabase, Selected, quote, rows};
use crate::sqlite;

/// The maximum number of bytes of the rows of a table without row ids that are kept in memory.
const MAX_KEPT: usize = 64 << 20;

/// The groups of rows of a table, by their key.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The numbers of the rows of each key.
    pub numbers: HashMap<Option<String>, Vec<i64>>,
    /// All rows, if they have no numbers. Their positions in this list are then their numbers.
    pub kept: Option<Vec<Row>>,
    /// The reason why some rows could not be read.
    pub trouble: Option<String>,
}

impl Groups {
    /// Reads the groups of a table.
    pub fn read(all: &AgentDatabase, database: &sqlite::SqliteDatabase, table: &Table) -> Self {
        let mut groups = Self::default();
        let read = match all.row_id(table) {
            Some(row_id) => groups.read_numbers(all, database, table, row_id),
            None => groups.keep(all, database, table),
        };
        groups.trouble = read.err().map(|error| error.to_string());
        if all.has_link(table) {
            groups.follow_links(all, database, table);
        }
        groups
    }

    /// Reads the numbers of all rows.
    fn read_numbers(
        &mut self,
        all: &AgentDatabase,
        database: &sqlite::SqliteDatabase,
        table: &Table,
        row_id: &str,
    ) -> io::Result<()> {
        let Selected { key, condition, values, order } = all.selected(table);
        let what = format!("SELECT {row_id}, {key} FROM {}", quote(table.name));
        let order = order.map(|order| format!("ORDER BY {order}")).unwrap_or_default();
        let Err(error) = self.add(database, table, &format!("{what} {condition} {order}"), &values)
        else {
            return Ok(());
        };
        if !condition.is_empty() {
            return Err(error);
        }
        // An index may be damaged, so try without it. If a page is damaged, read up to it from both
        // ends.
        self.numbers.clear();
        let from = [Value::Integer(i64::MIN)];
        let forward = format!("{what} NOT INDEXED WHERE {row_id} >= ?1 ORDER BY {row_id}");
        if self.add(database, table, &forward, &from).is_err() {
            let last = self.numbers.values().flatten().max().copied();
            let backward = format!("{what} NOT INDEXED WHERE {row_id} > ?1 ORDER BY {row_id} DESC");
            // The error at its end is that of the other direction, which is already known.
            let from = [Value::Integer(last.unwrap_or(i64::MIN))];
            let _ = self.add(database, table, &backward, &from);
        }
        Err(error)
    }

    fn add(
        &mut self,
        database: &sqlite::SqliteDatabase,
        table: &Table,
        sql: &str,
        values: &[Value],
    ) -> io::Result<()> {
        rows(database, sql, values, |row| {
            if let [(_, Cell::Integer(number)), (_, key)] = row.0.as_slice() {
                self.insert(table, key, *number);
            }
        })
    }

    fn insert(&mut self, table: &Table, key: &Cell, number: i64) {
        let key = match table.rows {
            Rows::Prefix(_, prefix, group) => {
                let key = key.to_text();
                // A key without the prefix, or one that names no group, belongs to no session.
                match key.strip_prefix(prefix).and_then(group) {
                    Some(group) => Some(group.to_owned()),
                    None => return,
                }
            }
            _ => (!key.is_null()).then(|| key.to_text()),
        };
        self.numbers.entry(key).or_default().push(number);
    }

    /// Keeps all rows of a table whose rows have no numbers.
    fn keep(
        &mut self,
        all: &AgentDatabase,
        database: &sqlite::SqliteDatabase,
        table: &Table,
    ) -> io::Result<()> {
        let selected = all.selected(table);
        let order: Vec<_> = table.order.iter().copied().chain(["id", "data"]).collect();
        let order = all.order(table, &order);
        let column = match table.rows {
            Rows::By(column) | Rows::ByOrVia { column, .. } | Rows::Prefix(column, ..) => column,
            Rows::Is(..) | Rows::All => "",
        };
        let sql = format!("{} {} ORDER BY {order}", all.query(table), selected.condition);
        let mut kept = Vec::new();
        let mut room = MAX_KEPT;
        let mut is_too_large = false;
        let read = rows(database, &sql, &selected.values, |row| {
            let size = row.iter().map(|(name, cell)| name.len() + cell.size()).sum::<usize>();
            match room.checked_sub(size) {
                Some(left) if !is_too_large => {
                    room = left;
                    let number =
                        i64::try_from(kept.len()).expect("fewer rows than memory has bytes");
                    self.insert(table, row.cell(column), number);
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

    /// Assigns rows without a key to the group of the row of another table that they name.
    fn follow_links(
        &mut self,
        all: &AgentDatabase,
        database: &sqlite::SqliteDatabase,
        table: &Table,
    ) {
        let Rows::ByOrVia { column, link, table: other, id } = table.rows else { return };
        let Some(without_key) = self.numbers.remove(&None) else { return };
        let mut linked: Vec<(i64, String)> = Vec::new();
        let mut left = Vec::new();
        let mut note = |number: i64, link: &Cell| {
            if link.is_null() {
                left.push(number);
            } else {
                linked.push((number, link.to_text()));
            }
        };
        let asked = match (&self.kept, all.row_id(table)) {
            (Some(kept), _) => {
                for number in without_key {
                    let position = usize::try_from(number).expect("a position in a list");
                    note(number, kept[position].cell(link));
                }
                Ok(())
            }
            (None, row_id) => {
                let row_id = row_id.unwrap_or("rowid");
                let is_null = if all.has_column(table.name, column) {
                    format!("{} IS NULL", quote(column))
                } else {
                    "true".to_owned()
                };
                let (link, name) = (quote(link), quote(table.name));
                let sql = format!("SELECT {row_id}, {link} FROM {name} WHERE {is_null}");
                rows(database, &sql, &[], |row| {
                    if let [(_, Cell::Integer(number)), (_, link)] = row.0.as_slice() {
                        note(*number, link);
                    }
                })
            }
        };
        let mut keys: HashMap<&str, Option<String>> = HashMap::new();
        keys.extend(linked.iter().map(|(_, link)| (link.as_str(), None)));
        let (id, key) = (quote(id), quote(column));
        let sql = format!(
            "SELECT {id}, {key} FROM {} WHERE {id} NOT NULL AND {key} NOT NULL",
            quote(other)
        );
        let read = rows(database, &sql, &[], |row| {
            if let [(_, id), (_, key)] = row.0.as_slice()
                && let Some(known) = keys.get_mut(id.to_text().as_str())
            {
                known.get_or_insert_with(|| key.to_text());
            }
        });
        for (number, link) in &linked {
            let key = keys.get(link.as_str()).cloned().flatten();
            self.numbers.entry(key).or_default().push(*number);
        }
        if !left.is_empty() {
            self.numbers.entry(None).or_default().extend(left);
        }
        let read = asked.and(read.map_err(|error| bad_data(format!("table {other}: {error}"))));
        if let Err(error) = read {
            self.trouble.get_or_insert_with(|| error.to_string());
        }
    }
}
