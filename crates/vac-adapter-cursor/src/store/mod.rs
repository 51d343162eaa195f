//! Reads the databases of Cursor.
//!
//! In the IDE's `state.vscdb`, only `composerData:*` and `bubbleId:*` of `cursorDiskKV` are read:
//! other rows contain credentials. In the CLI's `store.db`, only `blobs` and the row `0` of `meta`
//! are read.
//!
//! A row is an object that names it (`key`, `meta`, `file` or `blob`) and has one more member:
//!
//! | member | content of the row |
//! |---|---|
//! | `value` | JSON, as the row writes it; null, or a number; null if the row does not exist |
//! | `text` | text that is not JSON |
//! | `base64` | bytes that are not text, or long text that is mostly control characters |

mod chat;
mod composers;
mod protobuf;

use std::sync::Arc;

use vac_adapter::Preview;
use vac_adapter::container::{
    Cell, Database, Documents, RowProblem, SessionStore, StoredSession, Stores, Table,
};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{IntoOwned, Node};

/// The databases of Cursor.
pub(crate) const STORES: Stores = Stores {
    tables: &[composers::COMPOSERS, composers::BUBBLES, chat::META, chat::BLOBS],
    open_database: open,
    ..Stores::NONE
};

/// Returns the sessions of a database, if it is one of Cursor's.
fn open(database: Arc<dyn Database>) -> Option<Arc<dyn SessionStore>> {
    let has = |table: &Table| table.columns.iter().all(|it| database.has_column(table.name, it));
    if has(&composers::COMPOSERS) {
        Some(Arc::new(composers::Composers::new(database)))
    } else if has(&chat::BLOBS) && has(&chat::META) {
        Some(Arc::new(chat::Chat::new(database)))
    } else {
        None
    }
}

/// Writes a row and its problems.
fn put(documents: &mut Documents, table: &str, name: &str, cell: &Cell) {
    if cell.is_null() {
        documents.note(RowProblem::RowNull);
    } else if cell.bytes().is_some() && cell.json().is_none() {
        documents.note(RowProblem::RowNotJson);
    }
    documents.object(|row| {
        row.text(table, name);
        row.content(cell);
    });
}

/// Writes a row without its value, because it is missing or repeated too often.
fn put_name(documents: &mut Documents, table: &str, name: &str) {
    documents.object(|row| {
        row.text(table, name);
        row.member("value").null();
    });
}

fn stored(key: String, preview: Preview) -> StoredSession {
    StoredSession { key, size: None, preview, is_replaced: false }
}

/// Returns the text at a path of a document, if it is not empty.
fn text(node: Node<'_, '_>, path: &[&str]) -> Option<String> {
    let mut node = node;
    for key in path {
        node = node.member(key)?;
    }
    node.text().map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty())
}

/// Returns the time that a member of a document states.
fn time(node: Node<'_, '_>, key: &str) -> Option<AbstractTimestamp<'static>> {
    AbstractTimestamp::from_node(node.member(key)?).ok().map(IntoOwned::into_owned)
}

/// Returns the preview of a session of which only the id is known.
fn by_id(variant: &'static str, session_id: &str) -> Preview {
    Preview { variant, session_id: Some(session_id.to_owned()), ..Preview::default() }
}
