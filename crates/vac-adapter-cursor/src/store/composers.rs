//! Reads the IDE's `state.vscdb`: conversations of the composer, each a row of its own with a row
//! for every bubble.
//!
//! A session is its composer, the bubbles in the order in which the composer names them, and then
//! those it does not name ([`RowProblem::RowUnlisted`]). A named bubble that does not exist is a
//! row without a value ([`RowProblem::RowMissing`]). If no composer lists the conversation, all
//! bubbles belong to it, in the order of their creation.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use vac_adapter::Preview;
use vac_adapter::container::{
    Cell, Database, Documents, Row, RowProblem, Rows, SessionStore, StoredSession, Table, bad_data,
};
use vac_value::{Document, Kind, Node};

use super::{by_id, put, put_name, stored, text, time};
use crate::line::{BUBBLE, COMPOSER};

const VARIANT: &str = "composer";
const COLUMNS: &[&str] = &["key", "value"];

/// The table with the rows of conversations.
pub(super) const COMPOSERS: Table = Table {
    name: "cursorDiskKV",
    columns: COLUMNS,
    rows: Rows::Prefix("key", COMPOSER, |id| Some(id)),
    order: &[],
    compressed: &[],
};
/// The table with the rows of bubbles. In a key, the id of the composer is followed by that of the
/// bubble.
pub(super) const BUBBLES: Table = Table {
    name: "cursorDiskKV",
    columns: COLUMNS,
    rows: Rows::Prefix("key", BUBBLE, |rest| Some(rest.split_once(':')?.0)),
    order: &[],
    compressed: &[],
};

/// Maximum size in bytes of a composer that is read for a list of sessions.
const MAX_LISTED: usize = 4 << 20;

/// The composers of a database.
#[derive(Debug)]
pub(super) struct Composers(Arc<dyn Database>);

impl Composers {
    pub fn new(database: Arc<dyn Database>) -> Self {
        Self(database)
    }
}

impl SessionStore for Composers {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let mut sessions = Vec::new();
        self.0.list(&COMPOSERS, COLUMNS, MAX_LISTED, &mut |row| {
            let id = name(row, COMPOSER);
            let composer = row.cell("value").json();
            let preview = composer.map(|composer| preview(composer.root(), &id));
            let preview = preview.unwrap_or_else(|| by_id(VARIANT, &id));
            sessions.push(stored(id, preview));
        })?;
        let known: HashSet<_> = sessions.iter().map(|session| session.key.clone()).collect();
        for id in self.0.keys(&BUBBLES).into_iter().flatten().filter(|id| !known.contains(id)) {
            let preview = by_id(VARIANT, &id);
            sessions.push(stored(id, preview));
        }
        // Unreadable parts are an error of the sessions that they belong to.
        match self.0.trouble() {
            Some(trouble) if sessions.is_empty() => Err(bad_data(trouble)),
            _ => Ok(sessions),
        }
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        let mut documents = Documents::default();
        let mut composer = Composer::None;
        self.0.rows(&COMPOSERS, Some(key), &mut |row| {
            add_composer(&row, &mut composer, &mut documents);
        })?;
        let mut bubbles = Vec::new();
        let prefix = format!("{BUBBLE}{key}:");
        self.0.rows(&BUBBLES, Some(key), &mut |mut row| {
            bubbles.push(Bubble::new(name(&row, &prefix), row.take("value")));
        })?;
        if composer == Composer::None && bubbles.is_empty() {
            return Err(bad_data(format!("no composer `{key}` in the database")));
        }
        put_in_order(key, &composer, bubbles, &mut documents);
        Ok(documents)
    }
}

/// Returns the key of a row without this prefix.
fn name(row: &Row, prefix: &str) -> String {
    let key = row.cell("key").to_text();
    key.strip_prefix(prefix).unwrap_or(&key).to_owned()
}

fn preview(composer: Node<'_, '_>, id: &str) -> Preview {
    Preview {
        start: time(composer, "createdAt"),
        project: text(composer, &["workspaceIdentifier", "uri", "fsPath"]),
        ..by_id(VARIANT, id)
    }
}

/// A composer, and the bubbles that it names.
#[derive(PartialEq, Eq)]
enum Composer {
    /// The composer does not exist.
    None,
    /// The composer names no bubbles.
    Silent,
    /// The ids of the bubbles, in order.
    Names(Vec<String>),
}

/// Adds the row of a composer, and stores the bubbles that it names if no earlier row named any.
fn add_composer(row: &Row, composer: &mut Composer, documents: &mut Documents) {
    put(documents, "key", &row.cell("key").to_text(), row.cell("value"));
    let names = row.cell("value").json().and_then(|composer| headers(&composer));
    match (&composer, names) {
        (Composer::Names(_), _) => {}
        (_, Some(names)) => *composer = Composer::Names(names),
        (_, None) => *composer = Composer::Silent,
    }
}

fn headers(composer: &Document<'_>) -> Option<Vec<String>> {
    let list = |key: &str| composer.root().member(key).filter(|it| it.kind() == Kind::Array);
    let headers = list("fullConversationHeadersOnly");
    // The first versions stored the bubbles in the composer.
    if headers.is_none() && list("conversation").is_none() {
        return None;
    }
    let ids = headers.into_iter().flat_map(Node::elements);
    let ids = ids.filter_map(|header| header.member("bubbleId").and_then(Node::text));
    Some(ids.map(Cow::into_owned).collect())
}

/// A bubble as it is stored.
struct Bubble {
    /// The part of its key after the composer's id.
    id: String,
    /// The id that its value states.
    own_id: Option<String>,
    /// The time at which it was created, as its value states it.
    created: Option<String>,
    value: Cell,
}

impl Bubble {
    fn new(id: String, value: Cell) -> Self {
        let bubble = value.json();
        let text = |key: &str| {
            let text = bubble.as_ref().and_then(|bubble| bubble.root().member(key)?.text());
            text.map(Cow::into_owned)
        };
        let (own_id, created) = (text("bubbleId"), text("createdAt"));
        drop(bubble);
        Self { id, own_id, created, value }
    }
}

/// Adds bubbles in the order in which the composer names them: by key, otherwise by the id that
/// they state.
fn put_in_order(
    id: &str,
    composer: &Composer,
    mut bubbles: Vec<Bubble>,
    documents: &mut Documents,
) {
    let (named, is_listed): (&[_], _) = match composer {
        Composer::Names(named) => (named, true),
        Composer::None | Composer::Silent => {
            bubbles.sort_by(|one, other| one.created.cmp(&other.created));
            (&[], false)
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
    let key = |bubble: &str| format!("{BUBBLE}{id}:{bubble}");
    let mut is_put = vec![false; bubbles.len()];
    let mut missing = HashSet::new();
    for name in named.iter().map(String::as_str) {
        match by_key.get(name).or_else(|| by_own_id.get(name)) {
            Some(place) if is_put[*place] => {}
            Some(place) => {
                is_put[*place] = true;
                put(documents, "key", &key(&bubbles[*place].id), &bubbles[*place].value);
            }
            None if missing.insert(name) => {
                documents.note(RowProblem::RowMissing);
                put_name(documents, "key", &key(name));
            }
            None => {}
        }
    }
    for (bubble, _) in bubbles.iter().zip(&is_put).filter(|(_, is_put)| !**is_put) {
        if is_listed {
            documents.note(RowProblem::RowUnlisted);
        }
        put(documents, "key", &key(&bubble.id), &bubble.value);
    }
}
