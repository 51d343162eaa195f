//! The storage tree: one JSON document a file.
//!
//! | folders | what is in them |
//! |---|---|
//! | `session/<project>/<session>` | what is true of a session |
//! | `message/<session>/<message>` | messages |
//! | `part/<message>/<part>` | their parts |
//! | `project/<project>`, `session_diff/<session>`, `todo/<session>`, `session_share/<session>` | what is beside them |
//!
//! In the first months it was `session/info/<session>`,
//! `session/message/<session>/<message>`, `session/part/<session>/<message>/<part>` and
//! `session/share/<session>`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::OnceLock;

use vac_adapter::{Glimpse, Share};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Node};

use super::documents::Documents;
use super::files::{Files, folder_entries, is_name};
use super::{AGENT, WITHOUT};
use crate::safe_path::SafePath;
use crate::store::{Held, Store, bad_data};

/// Larger files are not read.
const MAX_DOCUMENT: u64 = 256 << 20;

/// A tree.
#[derive(Debug)]
pub(super) struct Tree {
    root: SafePath,
    is_early: bool,
    index: OnceLock<Index>,
}

/// Which files there are, as far as that has to be known before one is read.
#[derive(Debug, Default)]
struct Index {
    /// The files of sessions, by their ids. A session whose file is missing has none.
    sessions: BTreeMap<String, Vec<SafePath>>,
    /// Folders of parts whose message is missing, by session.
    orphans: BTreeMap<String, Vec<SafePath>>,
}

impl Tree {
    /// The tree that a folder is the root of, if it is one.
    pub fn of(root: &SafePath) -> io::Result<Option<Self>> {
        let has = |name: &str| root.join(name).is_folder();
        let is_early = has("session/info") && has("session/message");
        let is_tree = is_early
            || ((has("session") && has("message") || has("message") && has("part"))
                && holds_documents(&root.join("message"))?);
        let root = root.clone();
        Ok(is_tree.then(|| Self { root, is_early, index: OnceLock::new() }))
    }

    fn messages(&self) -> SafePath {
        self.root.join(if self.is_early { "session/message" } else { "message" })
    }

    fn index(&self) -> io::Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let index = self.indexed()?;
        Ok(self.index.get_or_init(|| index))
    }

    fn indexed(&self) -> io::Result<Index> {
        let mut index = Index::default();
        let folders = if self.is_early {
            vec![self.root.join("session/info")]
        } else {
            folder_entries(&self.root.join("session"))?
        };
        for folder in folders.iter().filter(|folder| folder.is_folder()) {
            // One that cannot be looked into hides its sessions' names, not their messages.
            for (id, path) in Files::of(folder).documents {
                index.sessions.entry(id).or_default().push(path);
            }
        }
        let mut messages = BTreeSet::new();
        for folder in folder_entries(&self.messages())? {
            if let (true, Some(id)) = (folder.is_folder(), name(&folder)) {
                index.sessions.entry(id).or_default();
                if !self.is_early {
                    messages.extend(Files::of(&folder).documents.into_iter().map(|(id, _)| id));
                }
            }
        }
        if self.is_early {
            return Ok(index);
        }
        for folder in folder_entries(&self.root.join("part"))? {
            let is_known = name(&folder).is_some_and(|id| messages.contains(&id));
            if !is_known && folder.is_folder() {
                let session = session_of(&folder);
                index.sessions.entry(session.clone()).or_default();
                index.orphans.entry(session).or_default().push(folder);
            }
        }
        Ok(index)
    }

    fn write(&self, key: &str, index: &Index, to: &mut Documents) {
        let files = index.sessions.get(key).map(Vec::as_slice).unwrap_or_default();
        let mut writer = Writer { root: &self.root, session: key, to };
        let folder = |file: &SafePath| file.parent().as_ref().and_then(name);
        let mut projects: BTreeSet<_> = files.iter().filter_map(folder).collect();
        projects.extend(files.iter().filter_map(project_of));
        for project in projects.iter().filter(|_| !self.is_early) {
            writer.optional(&format!("project/{project}.json"), project);
        }
        let share = if self.is_early { "session/share" } else { "session_share" };
        writer.optional(&format!("{share}/{key}.json"), key);
        for file in files {
            writer.file(file);
        }
        writer.optional(&format!("session_diff/{key}.json"), key);
        writer.optional(&format!("todo/{key}.json"), key);
        if is_name(key) {
            let parts = self.root.join(if self.is_early { "session/part" } else { "part" });
            let parts = if self.is_early { parts.join(key) } else { parts };
            writer.messages(&self.messages().join(key), &parts);
        }
        for folder in index.orphans.get(key).into_iter().flatten() {
            writer.folder(folder);
        }
    }
}

/// Writes the files of one session.
struct Writer<'w> {
    root: &'w SafePath,
    session: &'w str,
    to: &'w mut Documents,
}

impl Writer<'_> {
    /// Messages, each before the parts that the folder of its name has.
    fn messages(&mut self, folder: &SafePath, parts: &SafePath) {
        if !folder.is_folder() {
            return;
        }
        let files = Files::of(folder);
        for (message, file) in &files.documents {
            self.file(file);
            let parts = parts.join(message);
            if parts.is_folder() {
                self.folder(&parts);
            }
        }
        self.troubles(&files);
    }

    /// All documents of a folder.
    fn folder(&mut self, folder: &SafePath) {
        let files = Files::of(folder);
        files.documents.iter().for_each(|(_, file)| self.file(file));
        self.troubles(&files);
    }

    fn troubles(&mut self, files: &Files) {
        for (path, reason) in &files.troubles {
            self.trouble(path, reason);
        }
    }

    /// A file that need not be there; `name` is what its name is made of.
    fn optional(&mut self, file: &str, name: &str) {
        let path = self.root.join(file);
        let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        // A link on the way is reported like a file that cannot be read.
        if is_name(name) && !path.kind().is_err_and(|error| is_absent(&error)) {
            self.file(&path);
        }
    }

    fn file(&mut self, path: &SafePath) {
        match read(path) {
            Ok(bytes) => self.to.file(&bytes),
            Err(error) => self.trouble(path, &error.to_string()),
        }
    }

    fn trouble(&mut self, path: &SafePath, reason: &str) {
        let path = path.as_path();
        let file = path.strip_prefix(self.root.as_path()).unwrap_or(path);
        let names = file.components().map(|name| name.as_os_str().to_string_lossy());
        let file = names.collect::<Vec<_>>().join("/");
        let session = (self.session != WITHOUT).then_some(self.session);
        self.to.unreadable(session, &file, reason);
    }
}

fn read(path: &SafePath) -> io::Result<Vec<u8>> {
    let bytes = path.read(MAX_DOCUMENT)?;
    if bytes.trim_ascii().is_empty() {
        return Err(bad_data("it is empty"));
    }
    Ok(bytes)
}

/// Adds what a session has changed, where a tree keeps it.
pub(super) fn diffs(root: &SafePath, session: &str, to: &mut Documents) {
    Writer { root, session, to }.optional(&format!("session_diff/{session}.json"), session);
}

impl Store for Tree {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let held = self.index()?.sessions.iter().map(|(id, files)| Held {
            key: id.clone(),
            size: None,
            glimpse: Some((AGENT, self.glimpse(id, files.first()))),
        });
        Ok(held.collect())
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        let mut documents = Documents::default();
        self.write(key, self.index()?, &mut documents);
        let bytes = documents.finish();
        if bytes.is_empty() {
            return Err(bad_data(format!("there is no session {key} in the tree")));
        }
        Ok(bytes)
    }
}

impl Tree {
    /// What the file of a session tells; its name, if it tells nothing.
    fn glimpse(&self, id: &str, file: Option<&SafePath>) -> Glimpse {
        let variant = if self.is_early { "early" } else { "tree" };
        let session_id = Some(id.to_owned());
        let mut glimpse =
            Glimpse { variant, session_id, share: Share::Whole, ..Glimpse::default() };
        let Some(bytes) = file.and_then(|file| read(file).ok()) else { return glimpse };
        let Ok(document) = Document::json(&bytes) else { return glimpse };
        let root = document.root();
        let created = root.member("time").and_then(|time| time.member("created"));
        let start = created.and_then(|time| AbstractTimestamp::from_node(time).ok());
        glimpse.start = start.map(IntoOwned::into_owned);
        glimpse.project = text(root, "directory");
        glimpse.version = text(root, "version");
        glimpse
    }
}

/// The session that parts name.
fn session_of(parts: &SafePath) -> String {
    let named = Files::of(parts).documents.iter().find_map(|(_, path)| {
        let bytes = read(path).ok()?;
        text(Document::json(&bytes).ok()?.root(), "sessionID")
    });
    named.unwrap_or_else(|| WITHOUT.to_owned())
}

/// The project that the file of a session names.
fn project_of(file: &SafePath) -> Option<String> {
    let bytes = read(file).ok()?;
    text(Document::json(&bytes).ok()?.root(), "projectID")
}

fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    Some(node.member(key)?.text()?.into_owned())
}

fn name(path: &SafePath) -> Option<String> {
    Some(path.as_path().file_name()?.to_str()?.to_owned())
}

/// Whether a folder of messages is one: folders of JSON files, or nothing yet.
fn holds_documents(folder: &SafePath) -> io::Result<bool> {
    let folders = folder_entries(folder)?;
    let mut folders = folders.iter().filter(|folder| folder.is_folder()).peekable();
    let is_empty = folders.peek().is_none();
    Ok(is_empty || folders.any(|folder| !Files::of(folder).documents.is_empty()))
}
