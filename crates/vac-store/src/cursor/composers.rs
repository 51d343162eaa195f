//! The IDE's `state.vscdb`: conversations of the composer, each a row of its own with a
//! row for every bubble.
//!
//! A session reads as its composer, the bubbles in the order in which the composer names
//! them, and then those it does not name (`orphan`). A bubble that it names and that is
//! not there is a document without a value (`missing`). Where no composer tells what the
//! conversation is, all bubbles are, in the order of their creation.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::{Mutex, OnceLock};

use rusqlite::Row;
use rusqlite::types::{Value, ValueRef};
use vac_adapter::Glimpse;
use vac_value::{Document, Kind, Node};

use super::document::{Documents, json, owned};
use super::{AGENT, locked, text, time, unseen};
use crate::sqlite::{Database, failed};
use crate::store::{Held, Store, bad_data};

const COMPOSER: &str = "composerData:";
const BUBBLE: &str = "bubbleId:";
const VARIANT: &str = "composer";

/// All that is ever asked, and never for the value of other rows. `rowid` stands for what
/// the numbers of rows are called.
const LIST: &str = "SELECT key, CASE WHEN octet_length(value) <= ?3 THEN value END \
    FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY key";
const NUMBERS: &str = "SELECT key, rowid FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 \
    ORDER BY key";
const ROW: &str = "SELECT key, value FROM cursorDiskKV WHERE rowid = ?1";

/// A list does not look into composers that are larger.
const MOST_LISTED: i64 = 4 << 20;

/// The composers of a database.
#[derive(Debug)]
pub(super) struct Composers {
    database: Mutex<Database>,
    /// What the numbers of rows are called.
    row_id: &'static str,
    index: OnceLock<Index>,
}

/// The numbers of rows by the id of their composer, in the order of their keys. So a session costs what its own rows
/// cost, whether the database has an index of keys or not.
#[derive(Debug)]
struct Index {
    composers: BTreeMap<String, Vec<i64>>,
    bubbles: BTreeMap<String, Vec<i64>>,
}

impl Composers {
    pub fn new(database: Database, row_id: &'static str) -> Self {
        Self { database: Mutex::new(database), row_id, index: OnceLock::new() }
    }

    fn index(&self, database: &Database) -> io::Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let composers = self.numbers(database, COMPOSER, |rest| Some(rest))?;
        // A bubble's key goes on with its own id.
        let bubbles = self.numbers(database, BUBBLE, |rest| Some(rest.split_once(':')?.0))?;
        Ok(self.index.get_or_init(|| Index { composers, bubbles }))
    }

    /// The numbers of the rows whose keys begin with this, by what `composer` finds in the
    /// rest of the key.
    fn numbers(
        &self,
        database: &Database,
        beginning: &str,
        composer: fn(&str) -> Option<&str>,
    ) -> io::Result<BTreeMap<String, Vec<i64>>> {
        let sql = NUMBERS.replace("rowid", self.row_id);
        let mut statement = database.connection().prepare(&sql).map_err(failed)?;
        let mut rows = statement.query(range(beginning)).map_err(failed)?;
        let mut numbers: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let key = key(row).map_err(failed)?;
            if let Some(composer) = key.strip_prefix(beginning).and_then(composer) {
                let number = row.get(1).map_err(failed)?;
                match numbers.get_mut(composer) {
                    Some(known) => known.push(number),
                    None => drop(numbers.insert(composer.to_owned(), vec![number])),
                }
            }
        }
        Ok(numbers)
    }

    /// Shows the keys and values of rows.
    fn rows(
        &self,
        database: &Database,
        numbers: Option<&Vec<i64>>,
        mut show: impl FnMut(&str, ValueRef<'_>),
    ) -> io::Result<()> {
        let sql = ROW.replace("rowid", self.row_id);
        let mut statement = database.connection().prepare(&sql).map_err(failed)?;
        for number in numbers.into_iter().flatten() {
            let mut rows = statement.query([number]).map_err(failed)?;
            if let Some(row) = rows.next().map_err(failed)? {
                show(&key(row).map_err(failed)?, row.get_ref(1).map_err(failed)?);
            }
        }
        Ok(())
    }
}

impl Store for Composers {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let database = locked(&self.database);
        let mut sessions = composers(&database)?;
        let known: HashSet<_> = sessions.iter().map(|held| held.key.clone()).collect();
        for id in self.index(&database)?.bubbles.keys().filter(|id| !known.contains(*id)) {
            let glimpse = Some((AGENT, unseen(VARIANT, id)));
            sessions.push(Held { key: id.clone(), size: None, glimpse });
        }
        Ok(sessions)
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        let database = locked(&self.database);
        let index = self.index(&database)?;
        let mut documents = Documents::new();
        let mut composer = Composer::None;
        self.rows(&database, index.composers.get(key), |key, value| {
            add_composer(key, value, &mut composer, &mut documents);
        })?;
        let mut bubbles = Vec::new();
        let beginning = format!("{BUBBLE}{key}:");
        self.rows(&database, index.bubbles.get(key), |key, value| {
            bubbles.push(bubble(key.strip_prefix(&beginning).unwrap_or(key), value));
        })?;
        if composer == Composer::None && bubbles.is_empty() {
            return Err(bad_data(format!("no composer {key} in the database")));
        }
        put_in_order(key, &composer, bubbles, &mut documents);
        Ok(documents.finish())
    }
}

/// The rows whose keys begin with this, which ends with a colon: a range of the index.
fn range(beginning: &str) -> (String, String) {
    let mut end = beginning.to_owned();
    end.pop();
    end.push(';');
    (beginning.to_owned(), end)
}

/// A key as text; what is no text is mended, and nobody will find it.
fn key(row: &Row<'_>) -> rusqlite::Result<String> {
    Ok(match row.get_ref(0)? {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    })
}

/// The sessions that have a composer.
fn composers(database: &Database) -> io::Result<Vec<Held>> {
    let mut statement = database.connection().prepare(LIST).map_err(failed)?;
    let (from, to) = range(COMPOSER);
    let held = statement.query_map((from, to, MOST_LISTED), |row| {
        let key = key(row)?;
        let id = key.strip_prefix(COMPOSER).unwrap_or(&key).to_owned();
        let glimpse = match row.get_ref(1)? {
            ValueRef::Text(value) | ValueRef::Blob(value) => {
                json(value).map(|composer| glimpse(composer.root(), &id))
            }
            _ => None,
        };
        let glimpse = glimpse.unwrap_or_else(|| unseen(VARIANT, &id));
        Ok(Held { key: id, size: None, glimpse: Some((AGENT, glimpse)) })
    });
    held.and_then(Iterator::collect).map_err(failed)
}

fn glimpse(composer: Node<'_, '_>, id: &str) -> Glimpse {
    Glimpse {
        start: time(composer, "createdAt"),
        project: text(composer, &["workspaceIdentifier", "uri", "fsPath"]),
        ..unseen(VARIANT, id)
    }
}

/// What a composer tells about its conversation.
#[derive(PartialEq, Eq)]
enum Composer {
    /// There is none.
    None,
    /// Nothing.
    Silent,
    /// The bubbles it is made of, in order.
    Names(Vec<String>),
}

/// Adds the row of a composer, and notes the bubbles that it names if no row before did.
fn add_composer(
    key: &str,
    value: ValueRef<'_>,
    composer: &mut Composer,
    documents: &mut Documents,
) {
    documents.begin("key", key);
    documents.value(value);
    documents.end();
    let names = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            json(bytes).and_then(|composer| headers(&composer))
        }
        _ => None,
    };
    match (&composer, names) {
        (Composer::Names(_), _) => {}
        (_, Some(names)) => *composer = Composer::Names(names),
        (_, None) => *composer = Composer::Silent,
    }
}

fn headers(composer: &Document<'_>) -> Option<Vec<String>> {
    let list = |key: &str| composer.root().member(key).filter(|it| it.kind() == Kind::Array);
    let headers = list("fullConversationHeadersOnly");
    // At first, the bubbles were inside.
    if headers.is_none() && list("conversation").is_none() {
        return None;
    }
    let ids = headers.into_iter().flat_map(Node::elements);
    let ids = ids.filter_map(|header| header.member("bubbleId").and_then(Node::text));
    Some(ids.map(Cow::into_owned).collect())
}

/// A bubble as it is stored.
struct Bubble {
    /// Its key behind the composer's id.
    id: String,
    /// What it calls itself.
    own_id: Option<String>,
    /// When it came to be, as it is written.
    created: Option<String>,
    value: Value,
}

fn bubble(id: &str, value: ValueRef<'_>) -> Bubble {
    let bubble = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => json(bytes),
        _ => None,
    };
    let text = |key: &str| {
        let text = bubble.as_ref().and_then(|bubble| bubble.root().member(key)?.text());
        text.map(Cow::into_owned)
    };
    let (own_id, created) = (text("bubbleId"), text("createdAt"));
    Bubble { id: id.to_owned(), own_id, created, value: owned(value) }
}

/// Adds bubbles as the composer names them: by key, else by what they call themselves.
fn put_in_order(
    id: &str,
    composer: &Composer,
    mut bubbles: Vec<Bubble>,
    documents: &mut Documents,
) {
    let (named, other): (&[_], _) = match composer {
        Composer::Names(named) => (named, Some("orphan")),
        Composer::None | Composer::Silent => {
            bubbles.sort_by(|one, other| one.created.cmp(&other.created));
            (&[], None)
        }
    };
    let mut by_key = HashMap::new();
    let mut by_own_id = HashMap::new();
    for (place, bubble) in bubbles.iter().enumerate() {
        by_key.insert(bubble.id.as_str(), place);
        if let Some(own_id) = &bubble.own_id {
            by_own_id.entry(own_id.as_str()).or_insert(place);
        }
    }
    let mut put = |bubble: &str, mark: Option<&str>, value: Option<&Value>| {
        documents.begin("key", &format!("{BUBBLE}{id}:{bubble}"));
        if let Some(mark) = mark {
            documents.mark(mark);
        }
        if let Some(value) = value {
            documents.value(value.into());
        }
        documents.end();
    };
    let mut is_told = vec![false; bubbles.len()];
    let mut missing = HashSet::new();
    for name in named.iter().map(String::as_str) {
        match by_key.get(name).or_else(|| by_own_id.get(name)) {
            Some(place) if is_told[*place] => {}
            Some(place) => {
                is_told[*place] = true;
                put(&bubbles[*place].id, None, Some(&bubbles[*place].value));
            }
            None if missing.insert(name) => put(name, Some("missing"), None),
            None => {}
        }
    }
    for (bubble, _) in bubbles.iter().zip(&is_told).filter(|(_, is_told)| !**is_told) {
        put(&bubble.id, other, Some(&bubble.value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
    const WITHOUT_INDEX: &str = "CREATE TABLE cursorDiskKV (key, value, rowid);";

    #[test]
    fn the_table_is_never_walked_through() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE).unwrap();
        for sql in [LIST, NUMBERS, ROW] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next().unwrap() {
                let step: String = row.get(3).unwrap();
                assert!(step.starts_with("SEARCH cursorDiskKV USING"), "{sql}: {step}");
            }
        }
    }

    /// How many steps it takes to read so many sessions of a bubble each.
    fn steps(table: &str, sessions: usize) -> u64 {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(table).unwrap();
        for number in 0..sessions {
            let sql = "INSERT INTO cursorDiskKV (key, value) VALUES
                ('bubbleId:' || ?1 || ':b', '{\"type\": 1}'), ('composerData:' || ?1, '{}')";
            connection.execute(sql, [number.to_string()]).unwrap();
        }
        let mut database = Database::of(connection);
        let steps = database.count_steps();
        let row_id = database.row_id("cursorDiskKV").unwrap().unwrap();
        let composers = Composers::new(database, row_id);
        let all = composers.sessions().unwrap();
        assert_eq!(all.len(), sessions);
        for held in all {
            let documents = String::from_utf8(composers.read(&held.key).unwrap()).unwrap();
            assert_eq!(documents.lines().count(), 2, "{documents}");
        }
        steps.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[test]
    fn steps_grow_with_the_rows_alone() {
        for table in [TABLE, WITHOUT_INDEX] {
            let [one, four] = [50, 200].map(|count| steps(table, count));
            assert!(four < 5 * one, "{table}: {one} steps for 50 sessions, {four} for 200");
        }
    }

    #[test]
    fn a_range_is_all_keys_with_a_beginning() {
        let (from, to) = range("bubbleId:c:");
        assert!(
            ["bubbleId:c:", "bubbleId:c:\u{ff}", "bubbleId:c:~"]
                .iter()
                .all(|key| { from.as_str() <= *key && *key < to.as_str() })
        );
        assert!(
            ["bubbleId:c", "bubbleId:cc:a", "bubbleId:d:a", "bubbleId:c;"]
                .iter()
                .all(|key| { !(from.as_str() <= *key && *key < to.as_str()) })
        );
    }
}
