//! The databases of Cursor.
//!
//! Of the IDE's `state.vscdb` only `composerData:*` and `bubbleId:*` of `cursorDiskKV`
//! are ever read: other rows hold credentials. Of the CLI's `store.db` only `blobs` and
//! the row `0` of `meta`.

mod chat;
mod composers;
mod document;
mod protobuf;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vac_adapter::Glimpse;
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{IntoOwned, Node};

use crate::safe_path::SafePath;
use crate::sqlite::Database;
use crate::store::Store;

/// The adapter that reads these documents.
const AGENT: &str = "cursor";

/// The store that a database is, if it is one of Cursor's; otherwise it is given back.
pub(crate) fn of_database(
    database: Database,
    path: &SafePath,
) -> io::Result<Result<Arc<dyn Store>, Database>> {
    let has = |table: &str, columns: [&str; 2]| {
        if !database.is_table(table)? {
            return Ok(false);
        }
        let there = database.columns(table)?;
        let is_there = |column: &&str| there.iter().any(|name| name == *column);
        Ok::<_, io::Error>(columns.iter().all(is_there))
    };
    // Cursor numbers its rows.
    if has("cursorDiskKV", ["key", "value"])?
        && let Some(row_id) = database.row_id("cursorDiskKV")?
    {
        return Ok(Ok(Arc::new(composers::Composers::new(database, row_id))));
    }
    if has("blobs", ["id", "data"])? && has("meta", ["key", "value"])? {
        return Ok(Ok(Arc::new(chat::Chat::new(database, path))));
    }
    Ok(Err(database))
}

/// One connection for all who ask: a copy of a large database is not made twice.
fn locked(database: &Mutex<Database>) -> MutexGuard<'_, Database> {
    // Whoever panicked has only read.
    database.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text of a document.
fn text(node: Node<'_, '_>, path: &[&str]) -> Option<String> {
    let mut node = node;
    for key in path {
        node = node.member(key)?;
    }
    node.text().map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty())
}

/// A time of a document.
fn time(node: Node<'_, '_>, key: &str) -> Option<AbstractTimestamp<'static>> {
    AbstractTimestamp::from_node(node.member(key)?).ok().map(IntoOwned::into_owned)
}

/// What a list says about a session of which nothing can be looked into.
fn unseen(variant: &'static str, session_id: &str) -> Glimpse {
    Glimpse { variant, session_id: Some(session_id.to_owned()), ..Glimpse::default() }
}
