//! Reads the storage tree: one JSON document in each file.
//!
//! | folders | content |
//! |---|---|
//! | `session/<project>/<session>` | the data of a session |
//! | `message/<session>/<message>` | messages |
//! | `part/<message>/<part>` | their parts |
//! | `project/<project>`, `session_diff/<session>`, `todo/<session>`, `session_share/<session>` | the project, the changes, the tasks and the share of a session |
//!
//! In the first months it was `session/info/<session>`,
//! `session/message/<session>/<message>`, `session/part/<session>/<message>/<part>` and
//! `session/share/<session>`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, OnceLock};

use vac_adapter::Preview;
use vac_adapter::container::{
    Documents, Folder, SessionStore, StoreKey, StoredSession, bad_data, is_file_name,
};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Node};

use super::MAX_DOCUMENT;
use crate::classify::Facts;

/// The extension of all files.
const JSON: &str = ".json";

/// A tree.
#[derive(Debug)]
pub(super) struct Tree {
    root: Arc<dyn Folder>,
    is_early: bool,
    index: OnceLock<Index>,
}

/// An index of the files that are needed before a session is read.
#[derive(Debug, Default)]
struct Index {
    /// The files of sessions. A session whose file is missing has no element here.
    sessions: BTreeMap<StoreKey, Vec<String>>,
    /// The folders of parts whose message is missing, by session.
    orphans: BTreeMap<StoreKey, Vec<String>>,
}

impl Tree {
    /// Returns the tree whose root is this folder, if there is one.
    pub fn open(root: Arc<dyn Folder>) -> io::Result<Option<Self>> {
        let has = |name: &str| root.is_folder(name);
        let is_early = has("session/info") && has("session/message");
        let is_tree = is_early
            || ((has("session") && has("message") || has("message") && has("part"))
                && has_documents(&*root, "message")?);
        Ok(is_tree.then(|| Self { root, is_early, index: OnceLock::new() }))
    }

    fn messages(&self) -> &'static str {
        if self.is_early { "session/message" } else { "message" }
    }

    fn index(&self) -> io::Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let index = self.read_index()?;
        Ok(self.index.get_or_init(|| index))
    }

    fn read_index(&self) -> io::Result<Index> {
        let mut index = Index::default();
        let folders = if self.is_early {
            vec!["session/info".to_owned()]
        } else {
            let names = self.root.folders("session")?;
            names.iter().map(|name| format!("session/{name}")).collect()
        };
        for folder in folders {
            // If a folder cannot be read, the names of its sessions are unknown, but their messages
            // are found.
            for id in self.root.files(&folder, JSON).names {
                let path = format!("{folder}/{id}{JSON}");
                index.sessions.entry(StoreKey::Session(id)).or_default().push(path);
            }
        }
        let mut messages = BTreeSet::new();
        for id in self.root.folders(self.messages())? {
            if !self.is_early {
                let folder = format!("{}/{id}", self.messages());
                messages.extend(self.root.files(&folder, JSON).names);
            }
            index.sessions.entry(StoreKey::Session(id)).or_default();
        }
        if self.is_early {
            return Ok(index);
        }
        for message in self.root.folders("part")? {
            if !messages.contains(&message) {
                let folder = format!("part/{message}");
                let session = self.session_of(&folder);
                index.sessions.entry(session.clone()).or_default();
                index.orphans.entry(session).or_default().push(folder);
            }
        }
        Ok(index)
    }

    /// Returns the session that the parts in a folder name.
    fn session_of(&self, parts: &str) -> StoreKey {
        let named = self.root.files(parts, JSON).names.iter().find_map(|part| {
            let bytes = read(&*self.root, &format!("{parts}/{part}{JSON}")).ok()?;
            text(Document::json(&bytes).ok()?.root(), "sessionID")
        });
        named.into()
    }

    fn write(&self, key: &StoreKey, index: &Index, to: &mut Documents) {
        let files = index.sessions.get(key).map(Vec::as_slice).unwrap_or_default();
        let mut writer = Writer { root: &*self.root, to };
        if let Some(id) = key.id() {
            self.write_session(id, files, &mut writer);
        }
        for folder in index.orphans.get(key).into_iter().flatten() {
            writer.folder(folder);
        }
    }

    /// Writes the documents that are named after a session.
    fn write_session(&self, id: &str, files: &[String], writer: &mut Writer<'_>) {
        let folder = |file: &String| Some(file.rsplit('/').nth(1)?.to_owned());
        let mut projects: BTreeSet<_> = files.iter().filter_map(folder).collect();
        projects.extend(files.iter().filter_map(|file| project_of(&*self.root, file)));
        for project in projects.iter().filter(|_| !self.is_early) {
            writer.optional("project", project);
        }
        writer.optional(if self.is_early { "session/share" } else { "session_share" }, id);
        for file in files {
            writer.file(file);
        }
        writer.optional("session_diff", id);
        writer.optional("todo", id);
        if is_file_name(id) {
            let parts =
                if self.is_early { format!("session/part/{id}") } else { "part".to_owned() };
            writer.messages(&format!("{}/{id}", self.messages()), &parts);
        }
    }
}

/// Writes the files of one session.
struct Writer<'w> {
    root: &'w dyn Folder,
    to: &'w mut Documents,
}

impl Writer<'_> {
    /// Writes messages, each followed by the parts in the folder with its name.
    fn messages(&mut self, folder: &str, parts: &str) {
        if !self.root.is_folder(folder) {
            return;
        }
        let files = self.root.files(folder, JSON);
        for message in &files.names {
            self.file(&format!("{folder}/{message}{JSON}"));
            let parts = format!("{parts}/{message}");
            if self.root.is_folder(&parts) {
                self.folder(&parts);
            }
        }
        self.unreadable(files.unreadable);
    }

    /// Writes all documents of a folder.
    fn folder(&mut self, folder: &str) {
        let files = self.root.files(folder, JSON);
        files.names.iter().for_each(|name| self.file(&format!("{folder}/{name}{JSON}")));
        self.unreadable(files.unreadable);
    }

    fn unreadable(&mut self, paths: Vec<(String, String)>) {
        for (path, reason) in paths {
            self.to.unreadable(path, reason);
        }
    }

    /// Writes a file if it exists.
    fn optional(&mut self, folder: &str, name: &str) {
        let path = format!("{folder}/{name}{JSON}");
        if is_file_name(name) && self.root.exists(&path) {
            self.file(&path);
        }
    }

    fn file(&mut self, path: &str) {
        match read(self.root, path) {
            Ok(bytes) => self.to.file(&bytes),
            Err(error) => self.to.unreadable(path, error.to_string()),
        }
    }
}

fn read(root: &dyn Folder, path: &str) -> io::Result<Vec<u8>> {
    let bytes = root.read(path, MAX_DOCUMENT)?;
    if bytes.trim_ascii().is_empty() {
        return Err(bad_data("it is empty"));
    }
    Ok(bytes)
}

/// Writes the changes of a session, which a tree next to a database contains.
pub(super) fn diffs(folder: &dyn Folder, session: &str, to: &mut Documents) {
    Writer { root: folder, to }.optional("storage/session_diff", session);
}

impl SessionStore for Tree {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let stored = self.index()?.sessions.iter().map(|(key, files)| StoredSession {
            key: key.to_string(),
            size: None,
            preview: self.preview(key, files.first()),
            // A later database contains the session.
            is_replaced: *key != StoreKey::Without,
        });
        Ok(stored.collect())
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        let mut documents = Documents::default();
        self.write(&StoreKey::parse(key), self.index()?, &mut documents);
        documents.of_session(key, "tree")
    }
}

impl Tree {
    /// Returns the preview that the file of a session gives; of its name alone if the file states
    /// nothing.
    fn preview(&self, key: &StoreKey, file: Option<&String>) -> Preview {
        let mut preview = key.preview(if self.is_early { "early" } else { "tree" });
        let bytes = file.and_then(|file| read(&*self.root, file).ok());
        let Some(bytes) = bytes else { return preview };
        let Ok(document) = Document::json(&bytes) else { return preview };
        let root = document.root();
        let created = root.member("time").and_then(|time| time.member("created"));
        let start = created.and_then(|time| AbstractTimestamp::from_node(time).ok());
        preview.start = start.map(IntoOwned::into_owned);
        preview.project = text(root, "directory");
        preview.version = text(root, "version");
        preview.parent = Facts::new(root).session_parent();
        preview
    }
}

/// Returns the project that the file of a session names.
fn project_of(root: &dyn Folder, file: &str) -> Option<String> {
    let bytes = read(root, file).ok()?;
    text(Document::json(&bytes).ok()?.root(), "projectID")
}

fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    Some(node.member(key)?.text()?.into_owned())
}

/// Returns whether a folder has the structure of a folder of messages: it contains folders of JSON
/// files, or nothing.
fn has_documents(root: &dyn Folder, folder: &str) -> io::Result<bool> {
    let folders = root.folders(folder)?;
    let has = |name: &String| !root.files(&format!("{folder}/{name}"), JSON).names.is_empty();
    Ok(folders.is_empty() || folders.iter().any(has))
}
