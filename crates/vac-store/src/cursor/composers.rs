//! The IDE's `state.vscdb`: conversations of the composer, each a row of its own with a
//! row for every bubble.
//!
//! A session reads as its composer, the bubbles in the order in which the composer names
//! them, and then those it does not name (`orphan`). A bubble that it names and that is
//! not there is a document without a value (`missing`). Where no composer tells what the
//! conversation is, all bubbles are, in the order of their creation.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Mutex;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{OptionalExtension, Row};
use vac_adapter::Glimpse;
use vac_value::{Document, Kind, Node};

use super::document::{Documents, json, owned};
use super::{AGENT, locked, text, time, unseen};
use crate::sqlite::{Database, failed};
use crate::store::{Held, Store, bad_data};

const COMPOSER: &str = "composerData:";
const BUBBLE: &str = "bubbleId:";
const VARIANT: &str = "composer";

/// All that is ever asked: by the index of keys, and never for the value of other rows.
const LIST: &str = "SELECT key, CASE WHEN octet_length(value) <= ?3 THEN value END \
    FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY key";
const KEYS: &str = "SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY key";
const ONE: &str = "SELECT value FROM cursorDiskKV WHERE key = ?1";
const RANGE: &str = "SELECT key, value FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY key";

/// A list does not look into composers that are larger.
const MOST_LISTED: i64 = 4 << 20;

/// The composers of a database.
#[derive(Debug)]
pub(super) struct Composers {
    database: Mutex<Database>,
}

impl Composers {
    pub fn new(database: Database) -> Self {
        Self { database: Mutex::new(database) }
    }
}

impl Store for Composers {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let database = locked(&self.database);
        let mut sessions = composers(&database)?;
        let known: HashSet<_> = sessions.iter().map(|held| held.key.clone()).collect();
        for id in composers_of_bubbles(&database)? {
            if !known.contains(&id) {
                let glimpse = Some((AGENT, unseen(VARIANT, &id)));
                sessions.push(Held { key: id, size: None, glimpse });
            }
        }
        Ok(sessions)
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        let database = locked(&self.database);
        let mut documents = Documents::new();
        let composer = composer(&database, key, &mut documents)?;
        let bubbles = bubbles(&database, key)?;
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

/// The composers that bubbles are of, by keys alone.
fn composers_of_bubbles(database: &Database) -> io::Result<Vec<String>> {
    let mut statement = database.connection().prepare(KEYS).map_err(failed)?;
    let mut rows = statement.query(range(BUBBLE)).map_err(failed)?;
    let mut found: Vec<String> = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let key = key(row).map_err(failed)?;
        let rest = key.strip_prefix(BUBBLE).unwrap_or_default();
        let Some((composer, _)) = rest.split_once(':') else { continue };
        if found.last().is_none_or(|last| last != composer) {
            found.push(composer.to_owned());
        }
    }
    // Of one composer all keys stand together.
    Ok(found)
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

/// Adds the composer, if there is one.
fn composer(database: &Database, id: &str, documents: &mut Documents) -> io::Result<Composer> {
    let key = format!("{COMPOSER}{id}");
    let mut statement = database.connection().prepare(ONE).map_err(failed)?;
    let told = statement.query_row([&key], |row| {
        let value = row.get_ref(0)?;
        documents.begin("key", &key);
        documents.value(value);
        documents.end();
        let names = match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                json(bytes).and_then(|composer| headers(&composer))
            }
            _ => None,
        };
        Ok(names.map_or(Composer::Silent, Composer::Names))
    });
    Ok(told.optional().map_err(failed)?.unwrap_or(Composer::None))
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

fn bubbles(database: &Database, composer: &str) -> io::Result<Vec<Bubble>> {
    let mut statement = database.connection().prepare(RANGE).map_err(failed)?;
    let beginning = format!("{BUBBLE}{composer}:");
    let bubbles = statement.query_map(range(&beginning), |row| {
        let key = key(row)?;
        let value = row.get_ref(1)?;
        let bubble = match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => json(bytes),
            _ => None,
        };
        let says = |key: &str| {
            let said = bubble.as_ref().and_then(|bubble| bubble.root().member(key)?.text());
            said.map(Cow::into_owned)
        };
        let (own_id, created) = (says("bubbleId"), says("createdAt"));
        let id = key.strip_prefix(&beginning).unwrap_or(&key).to_owned();
        Ok(Bubble { id, own_id, created, value: owned(value) })
    });
    bubbles.and_then(Iterator::collect).map_err(failed)
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

    #[test]
    fn the_table_is_never_walked_through() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
            )
            .unwrap();
        for sql in [LIST, KEYS, ONE, RANGE] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next().unwrap() {
                let step: String = row.get(3).unwrap();
                assert!(step.starts_with("SEARCH cursorDiskKV USING"), "{sql}: {step}");
            }
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
