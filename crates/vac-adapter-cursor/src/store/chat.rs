//! The CLI's `store.db`: one conversation, a list of blobs that are named by their hash.
//!
//! The session is the row of `meta`, the `meta.json` next to the database if there is one, the
//! root ([`RowProblem::RowLists`]), the messages in the order in which the root names them, the other
//! blobs that the root leads to ([`RowProblem::RowLinked`]), and then those that nothing leads to any
//! more ([`RowProblem::RowUnlisted`]). A named blob that does not exist is a row without a value
//! ([`RowProblem::RowMissing`]). If the root cannot be read, messages are in the order in which
//! they were stored.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use vac_adapter::Preview;
use vac_adapter::container::{
    Cell, Database, Documents, RowProblem, Rows, SessionStore, StoredSession, Table,
};
use vac_value::{Document, Node};

use super::protobuf::{self, Content};
use super::{by_id, put, put_name, stored, text, time};

const VARIANT: &str = "chat";
/// The key of the only row of `meta` that is read.
const META_KEY: &str = "0";
/// The name of the file with metadata next to the database.
const META_FILE: &str = "meta.json";
/// Maximum size of this file in bytes. A larger one is not read.
const MAX_META_FILE: u64 = 1 << 20;
/// The number of the field of the root that lists messages.
const MESSAGES: u64 = 1;
/// The length of a blob's id in bytes.
const ID: usize = 32;
/// The depth to which messages inside messages are searched for references.
const MAX_LEVELS: usize = 8;
/// Maximum number of bytes of repeated blobs that are written: a short list can name a long blob
/// very often.
const MAX_REPEATED: usize = 16 << 20;

/// The table with the metadata of the conversation.
pub(super) const META: Table = Table {
    name: "meta",
    columns: &["key", "value"],
    rows: Rows::Is("key", META_KEY),
    order: &[],
    compressed: &[],
};
/// The blobs.
pub(super) const BLOBS: Table =
    Table { name: "blobs", columns: &["id", "data"], rows: Rows::All, order: &[], compressed: &[] };

/// A conversation.
#[derive(Debug)]
pub(super) struct Chat(Arc<dyn Database>);

impl Chat {
    pub fn new(database: Arc<dyn Database>) -> Self {
        Self(database)
    }

    /// Returns the row of `meta`, if there is one.
    fn meta(&self) -> io::Result<Option<Cell>> {
        let mut meta = None;
        self.0.rows(&META, None, &mut |mut row| {
            meta.get_or_insert_with(|| row.take("value"));
        })?;
        Ok(meta)
    }

    /// Returns the file next to the database, if it contains metadata.
    fn meta_file(&self) -> Option<Cell> {
        let bytes = self.0.folder()?.read(META_FILE, MAX_META_FILE).ok()?;
        let cell = Cell::Blob(bytes);
        let is_it = cell.json().is_some_and(|document| {
            let has = |key: &str| document.root().member(key).is_some();
            has("schemaVersion") && has("createdAtMs")
        });
        is_it.then_some(cell)
    }
}

impl SessionStore for Chat {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let meta = self.meta()?.as_ref().and_then(decoded);
        let meta = meta.as_ref().and_then(Cell::json);
        let folder = self.0.folder().map(|folder| folder.name().to_owned());
        let folder = folder.filter(|name| !name.is_empty());
        let id = meta.as_ref().and_then(|meta| text(meta.root(), &["agentId"])).or(folder);
        let id = id.unwrap_or_else(|| VARIANT.to_owned());
        let mut preview = by_id(VARIANT, &id);
        preview.start = meta.as_ref().and_then(|meta| time(meta.root(), "createdAt"));
        if let Some(file) = self.meta_file().as_ref().and_then(Cell::json) {
            complete(&mut preview, file.root());
        }
        Ok(vec![stored(id, preview)])
    }

    fn read(&self, _: &str) -> io::Result<Documents> {
        let blobs = Blobs::read(&*self.0)?;
        let mut documents = Documents::default();
        let mut root = None;
        if let Some(meta) = self.meta()? {
            let meta = decoded(&meta).unwrap_or(meta);
            root = meta.json().and_then(|meta| text(meta.root(), &["latestRootBlobId"]));
            put(&mut documents, "meta", META_KEY, &meta);
        }
        if let Some(file) = self.meta_file() {
            put(&mut documents, "file", META_FILE, &file);
        }
        blobs.put(root.as_deref(), &mut documents);
        Ok(documents)
    }
}

fn complete(preview: &mut Preview, file: Node<'_, '_>) {
    preview.project = text(file, &["cwd"]);
    if preview.start.is_none() {
        preview.start = time(file, "createdAtMs");
    }
}

/// Returns the JSON object that a cell contains in hexadecimal.
fn decoded(meta: &Cell) -> Option<Cell> {
    let bytes = Cell::Blob(hex_decoded(meta.bytes()?)?);
    bytes.json_object().is_some().then_some(bytes)
}

fn hex_decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

fn hex_encoded(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).expect("less than 16");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The blobs of a database, in the order in which they were stored.
struct Blobs {
    blobs: Vec<(String, Cell)>,
    places: HashMap<String, usize>,
}

impl Blobs {
    fn read(database: &dyn Database) -> io::Result<Self> {
        let mut blobs = Vec::new();
        database.rows(&BLOBS, None, &mut |mut row| {
            // The hash in hexadecimal; any other value as text.
            let id = match row.cell("id") {
                Cell::Blob(bytes) => hex_encoded(bytes),
                other => other.to_text(),
            };
            blobs.push((id, row.take("data")));
        })?;
        let mut places = HashMap::new();
        for (place, (id, _)) in blobs.iter().enumerate() {
            places.entry(id.clone()).or_insert(place);
        }
        Ok(Self { blobs, places })
    }

    fn bytes(&self, place: usize) -> Option<&[u8]> {
        self.blobs.get(place).and_then(|(_, cell)| cell.bytes())
    }

    fn json(&self, place: usize) -> Option<Document<'_>> {
        self.blobs.get(place).and_then(|(_, cell)| cell.json())
    }

    /// Writes all blobs. `root` is the id of the root.
    fn put(&self, root: Option<&str>, documents: &mut Documents) {
        let mut counts = HashMap::new();
        let mut is_root_read = false;
        if let Some(root) = root {
            match self.places.get(root) {
                None => {
                    documents.note(RowProblem::RowLists);
                    missing(root, documents);
                }
                Some(place) => {
                    counts.insert(*place, 1);
                    is_root_read = self.put_root(*place, &mut counts, documents);
                }
            }
        }
        for place in 0..self.blobs.len() {
            if counts.contains_key(&place) {
                continue;
            }
            if is_root_read {
                documents.note(RowProblem::RowUnlisted);
            }
            self.put_blob(place, documents);
        }
    }

    /// Writes the root and the blobs that it refers to. Returns false if it is not a list of
    /// messages.
    fn put_root(
        &self,
        place: usize,
        counts: &mut HashMap<usize, u64>,
        documents: &mut Documents,
    ) -> bool {
        let fields = match self.bytes(place) {
            // The root is itself the only message.
            Some(_) if self.json(place).is_some() => Ok(Vec::new()),
            Some(bytes) => protobuf::fields(bytes).map_err(protobuf::Problem::text),
            None => Err("it is not bytes"),
        };
        documents.note(RowProblem::RowLists);
        if let Err(problem) = &fields {
            documents.unreadable("the list of messages", *problem);
        }
        self.put_blob(place, documents);
        let Ok(fields) = fields else { return false };
        let ids = fields.iter().filter_map(|field| match field.content {
            Content::Bytes(bytes) if field.number == MESSAGES && bytes.len() == ID => Some(bytes),
            _ => None,
        });
        let mut room = MAX_REPEATED;
        for id in ids.map(hex_encoded) {
            match self.places.get(&id) {
                None => missing(&id, documents),
                Some(place) => self.put_listed(*place, counts, &mut room, documents),
            }
        }
        for place in self.linked(place) {
            if counts.insert(place, 1).is_none() {
                documents.note(RowProblem::RowLinked);
                self.put_blob(place, documents);
            }
        }
        true
    }

    /// Writes a message of the list, which may name it more than once.
    fn put_listed(
        &self,
        place: usize,
        counts: &mut HashMap<usize, u64>,
        room: &mut usize,
        documents: &mut Documents,
    ) {
        let time = counts.entry(place).or_default();
        *time += 1;
        if *time > 1 {
            let length = self.bytes(place).unwrap_or_default().len();
            let is_left_out = match room.checked_sub(length) {
                Some(left) => {
                    *room = left;
                    false
                }
                None => true,
            };
            documents.note(RowProblem::RowRepeated { time: *time, is_left_out });
            if is_left_out {
                return put_name(documents, "blob", &self.blobs[place].0);
            }
        }
        self.put_blob(place, documents);
    }

    /// Returns the blobs that a blob refers to, directly or indirectly, each once and the nearest
    /// first. References may be circular.
    fn linked(&self, root: usize) -> Vec<usize> {
        let mut seen = HashSet::from([root]);
        let mut found = vec![root];
        let mut next = 0;
        while let Some(place) = found.get(next).copied() {
            next += 1;
            let bytes = self.bytes(place).filter(|_| self.json(place).is_none());
            self.references(bytes.unwrap_or_default(), MAX_LEVELS, &mut |place| {
                if seen.insert(place) {
                    found.push(place);
                }
            });
        }
        found
    }

    /// Passes the blobs that these bytes name to `add`, if the bytes are a message.
    fn references(&self, bytes: &[u8], levels: usize, add: &mut dyn FnMut(usize)) {
        for field in protobuf::fields(bytes).unwrap_or_default() {
            let Content::Bytes(inside) = field.content else { continue };
            let named = (inside.len() == ID).then(|| self.places.get(&hex_encoded(inside)));
            match named.flatten() {
                Some(place) => add(*place),
                None if levels > 0 => self.references(inside, levels - 1, add),
                None => {}
            }
        }
    }

    fn put_blob(&self, place: usize, documents: &mut Documents) {
        let (id, cell) = &self.blobs[place];
        put(documents, "blob", id, cell);
    }
}

/// Writes a blob that is referred to and does not exist.
fn missing(id: &str, documents: &mut Documents) {
    documents.note(RowProblem::RowMissing);
    put_name(documents, "blob", id);
}
