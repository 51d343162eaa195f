//! The CLI's `store.db`: one conversation, a list of blobs that are named by their hash.
//!
//! The session reads as the row of `meta`, the `meta.json` beside the database if there
//! is one, the root, the messages in the order in which the root names them, the other
//! blobs that lead from the root (`linked`), and then those that nothing leads to any more
//! (`orphan`). A blob that the root names and that is not there is a document without a
//! value (`missing`). Where the root cannot be read, messages stand in the order in which
//! they were stored.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Mutex;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{OptionalExtension, Row};
use vac_adapter::Glimpse;
use vac_value::{Kind, Node};

use super::document::{Documents, json, owned};
use super::protobuf::{self, Content, Problem};
use super::{AGENT, locked, text, time, unseen};
use crate::safe_path::SafePath;
use crate::sqlite::{Database, failed};
use crate::store::{Held, Store};

const VARIANT: &str = "chat";
/// The only row of `meta` that is read.
const META: &str = "0";
/// What stands beside the database.
const BESIDE: &str = "meta.json";
/// A larger one is none.
const MOST_BESIDE: u64 = 1 << 20;
/// The field of the root that lists messages.
const MESSAGES: u64 = 1;
/// The length of a blob's id.
const ID: usize = 32;
/// References are looked for in messages inside messages, so deep.
const MOST_LEVELS: usize = 8;
/// So many bytes of blobs that stand in the list again are told again: a short list can
/// name a long blob very often.
const MOST_AGAIN: usize = 16 << 20;

/// A conversation.
#[derive(Debug)]
pub(super) struct Chat {
    database: Mutex<Database>,
    folder: Option<SafePath>,
}

impl Chat {
    pub fn new(database: Database, path: &SafePath) -> Self {
        Self { database: Mutex::new(database), folder: path.parent() }
    }

    /// What is told beside the database, if that is what it is.
    fn beside(&self) -> Option<Vec<u8>> {
        let bytes = self.folder.as_ref()?.join(BESIDE).read(MOST_BESIDE).ok()?;
        let is_it = json(&bytes).is_some_and(|document| {
            let has = |key: &str| document.root().member(key).is_some();
            has("schemaVersion") && has("createdAtMs")
        });
        is_it.then_some(bytes)
    }
}

impl Store for Chat {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let meta = meta(&locked(&self.database))?;
        let meta = meta.as_ref().and_then(decoded);
        let meta = meta.as_deref().and_then(json);
        let folder = self.folder.as_ref().and_then(|folder| folder.as_path().file_name());
        let folder = folder.map(|name| name.to_string_lossy().into_owned());
        let id = meta.as_ref().and_then(|meta| text(meta.root(), &["agentId"])).or(folder);
        let id = id.unwrap_or_else(|| VARIANT.to_owned());
        let mut glimpse = unseen(VARIANT, &id);
        glimpse.start = meta.as_ref().and_then(|meta| time(meta.root(), "createdAt"));
        if let Some(beside) = self.beside().as_deref().and_then(json) {
            complete(&mut glimpse, beside.root());
        }
        Ok(vec![Held { key: id, size: None, glimpse: Some((AGENT, glimpse)) }])
    }

    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        let database = locked(&self.database);
        let meta = meta(&database)?;
        let blobs = Blobs::of(&database)?;
        let mut documents = Documents::new();
        let mut root = None;
        if let Some(meta) = &meta {
            documents.begin("meta", META);
            match decoded(meta) {
                Some(bytes) => {
                    root = json(&bytes).and_then(|meta| text(meta.root(), &["latestRootBlobId"]));
                    documents.content(&bytes);
                }
                None => documents.value(meta.into()),
            }
            documents.end();
        }
        if let Some(beside) = self.beside() {
            documents.begin("file", BESIDE);
            documents.content(&beside);
            documents.end();
        }
        blobs.put(root.as_deref(), &mut documents);
        Ok(documents.finish())
    }
}

fn complete(glimpse: &mut Glimpse, beside: Node<'_, '_>) {
    glimpse.project = text(beside, &["cwd"]);
    if glimpse.start.is_none() {
        glimpse.start = time(beside, "createdAtMs");
    }
}

/// The row of `meta`, if there is one.
fn meta(database: &Database) -> io::Result<Option<Value>> {
    let mut statement =
        database.connection().prepare("SELECT value FROM meta WHERE key = ?1").map_err(failed)?;
    let value = statement.query_row([META], |row| Ok(owned(row.get_ref(0)?)));
    value.optional().map_err(failed)
}

/// The JSON that is written in hexadecimal.
fn decoded(meta: &Value) -> Option<Vec<u8>> {
    let Value::Blob(hex) = meta else { return None };
    let bytes = HEXLOWER_PERMISSIVE.decode(hex).ok()?;
    json(&bytes).is_some_and(|meta| meta.root().kind() == Kind::Map).then_some(bytes)
}

/// All blobs, in the order in which they were stored.
struct Blobs {
    blobs: Vec<(String, Value)>,
    places: HashMap<String, usize>,
}

impl Blobs {
    fn of(database: &Database) -> io::Result<Self> {
        let connection = database.connection();
        let mut statement = connection
            .prepare("SELECT id, data FROM blobs ORDER BY rowid")
            // A table need not count its rows.
            .or_else(|_| connection.prepare("SELECT id, data FROM blobs ORDER BY id"))
            .map_err(failed)?;
        let blob = |row: &Row<'_>| Ok((id(row.get_ref(0)?), owned(row.get_ref(1)?)));
        let blobs = statement.query_map([], blob).and_then(Iterator::collect).map_err(failed)?;
        let mut blobs = Self { blobs, places: HashMap::new() };
        for (place, (id, _)) in blobs.blobs.iter().enumerate() {
            blobs.places.entry(id.clone()).or_insert(place);
        }
        Ok(blobs)
    }

    fn bytes(&self, place: usize) -> Option<&[u8]> {
        match self.blobs.get(place) {
            Some((_, Value::Blob(bytes))) => Some(bytes),
            _ => None,
        }
    }

    /// Adds all of them.
    fn put(&self, root: Option<&str>, documents: &mut Documents) {
        let mut told = HashMap::new();
        let mut is_root_read = false;
        if let Some(root) = root {
            match self.places.get(root) {
                None => missing(root, "root", documents),
                Some(place) => {
                    told.insert(*place, 1);
                    is_root_read = self.root(*place, &mut told, documents);
                }
            }
        }
        for place in 0..self.blobs.len() {
            if told.contains_key(&place) {
                continue;
            }
            self.begin(place, documents);
            if is_root_read {
                documents.mark("orphan");
            }
            self.end(place, documents);
        }
    }

    /// Adds the root and what it leads to; false if it is no list of messages.
    fn root(
        &self,
        place: usize,
        told: &mut HashMap<usize, u64>,
        documents: &mut Documents,
    ) -> bool {
        let fields = match self.bytes(place) {
            // A message that stands alone.
            Some(bytes) if json(bytes).is_some() => Ok(Vec::new()),
            Some(bytes) => protobuf::fields(bytes).map_err(Problem::text),
            None => Err("it is not bytes"),
        };
        self.begin(place, documents);
        documents.mark("root");
        if let Err(problem) = &fields {
            documents.text("problem", problem);
        }
        self.end(place, documents);
        let Ok(fields) = fields else { return false };
        let ids = fields.iter().filter_map(|field| match field.content {
            Content::Bytes(bytes) if field.number == MESSAGES && bytes.len() == ID => Some(bytes),
            _ => None,
        });
        let mut room = MOST_AGAIN;
        for id in ids.map(|id| HEXLOWER.encode(id)) {
            match self.places.get(&id) {
                None => missing(&id, "listed", documents),
                Some(place) => self.listed(*place, told, &mut room, documents),
            }
        }
        for place in self.linked(place) {
            if told.insert(place, 1).is_none() {
                self.begin(place, documents);
                documents.mark("linked");
                self.end(place, documents);
            }
        }
        true
    }

    /// Adds a message of the list, which may stand there more than once.
    fn listed(
        &self,
        place: usize,
        told: &mut HashMap<usize, u64>,
        room: &mut usize,
        documents: &mut Documents,
    ) {
        let times = told.entry(place).or_default();
        *times += 1;
        self.begin(place, documents);
        if *times > 1 {
            documents.count("time", *times);
            let length = self.bytes(place).unwrap_or_default().len();
            match room.checked_sub(length) {
                Some(left) => *room = left,
                None => {
                    documents.mark("repeated");
                    return documents.end();
                }
            }
        }
        self.end(place, documents);
    }

    /// What leads from a blob, each once, the nearest first; blobs may lead in circles.
    fn linked(&self, root: usize) -> Vec<usize> {
        let mut seen = HashSet::from([root]);
        let mut found = vec![root];
        let mut next = 0;
        while let Some(place) = found.get(next).copied() {
            next += 1;
            let bytes = self.bytes(place).filter(|bytes| json(bytes).is_none());
            self.references(bytes.unwrap_or_default(), MOST_LEVELS, &mut |place| {
                if seen.insert(place) {
                    found.push(place);
                }
            });
        }
        found
    }

    /// The blobs that bytes name, if they are a message.
    fn references(&self, bytes: &[u8], levels: usize, tell: &mut dyn FnMut(usize)) {
        for field in protobuf::fields(bytes).unwrap_or_default() {
            let Content::Bytes(inside) = field.content else { continue };
            let named = (inside.len() == ID).then(|| self.places.get(&HEXLOWER.encode(inside)));
            match named.flatten() {
                Some(place) => tell(*place),
                None if levels > 0 => self.references(inside, levels - 1, tell),
                None => {}
            }
        }
    }

    fn begin(&self, place: usize, documents: &mut Documents) {
        if let Some((id, _)) = self.blobs.get(place) {
            documents.begin("blob", id);
        }
    }

    fn end(&self, place: usize, documents: &mut Documents) {
        if let Some((_, value)) = self.blobs.get(place) {
            documents.value(value.into());
            documents.end();
        }
    }
}

/// Adds a blob that is named and not there.
fn missing(id: &str, mark: &str, documents: &mut Documents) {
    documents.begin("blob", id);
    documents.mark(mark);
    documents.mark("missing");
    documents.end();
}

/// A blob's id: the hash in hexadecimal, or whatever there is.
fn id(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(bytes) => HEXLOWER.encode(bytes),
    }
}
