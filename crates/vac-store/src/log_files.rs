//! Describes a log as data: its files, so that another process can open it again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vac_adapter::Adapter;
use vac_adapter::container::{Container, SessionStore, bad_data};

use crate::database_store::DatabaseStore;
use crate::find::open_folder;
use crate::log::{Part, Place, Stored, StoredLog, folder, name};
use crate::prompts::Prompts;
use crate::safe_path::SafePath;
use crate::skipped::Skipped;
use crate::source::SourceFiles;

/// The files of a log, or its session in a store, as paths. Opening them follows the same rules for
/// links and special files as when the log was found, so that the same bytes are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LogFiles {
    /// The folder that relative paths are relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<NativePath>,
    /// Whether the paths are names in a source, and not on disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_source: bool,
    parts: Vec<LogFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<LogFile>,
    /// The ids of the records of the wanted sessions, if the log also contains others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wanted: Option<BTreeSet<String>>,
    /// The name of the home folder in which the log was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    home: Option<String>,
}

/// One file of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct LogFile {
    /// The path that was named. Links in it are followed.
    root: NativePath,
    /// The path below it. Links in it are not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    below: Option<NativePath>,
    /// The name, if it is not that of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    kind: FileKind,
}

/// The way in which a file is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileKind {
    File,
    CompressedFile,
    Note,
    Session(StoredKey),
}

/// A session in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct StoredKey {
    store: StoreKind,
    adapter: String,
    key: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoreKind {
    Database,
    Folder,
    Prompts,
}

/// A path: text, or the native form of one that is not Unicode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum NativePath {
    Text(String),
    Native(OsString),
}

impl From<&Path> for NativePath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Native(path.as_os_str().to_owned()),
        }
    }
}

impl AsRef<Path> for NativePath {
    fn as_ref(&self) -> &Path {
        match self {
            Self::Text(text) => text.as_ref(),
            Self::Native(path) => path.as_ref(),
        }
    }
}

impl StoredLog {
    /// Returns the files of the log as data. `None` if it is in memory or came through standard
    /// input.
    ///
    /// # Errors
    /// If the log's paths are relative to a working directory that does not exist.
    pub fn to_files(&self) -> io::Result<Option<LogFiles>> {
        let mut all = self.parts.iter().chain(&self.attachments);
        if all.any(|part| part.safe_path().is_none()) {
            return Ok(None);
        }
        let files = |parts: &[Part]| {
            let files = parts.iter().filter_map(|part| Some(LogFile::new(part, part.safe_path()?)));
            files.collect::<io::Result<Vec<_>>>()
        };
        let (parts, attachments) = (files(&self.parts)?, files(&self.attachments)?);
        let is_relative = |file: &LogFile| file.root.as_ref().is_relative();
        let mut paths = self.parts.iter().chain(&self.attachments).filter_map(Part::safe_path);
        let in_source = paths.any(SafePath::is_in_source);
        let directory = if !in_source && parts.iter().chain(&attachments).any(is_relative) {
            Some(NativePath::from(std::env::current_dir()?.as_path()))
        } else {
            None
        };
        let (wanted, home) = (self.wanted.clone(), self.home.clone());
        Ok(Some(LogFiles { directory, in_source, parts, attachments, wanted, home }))
    }
}

/// The stores that have been opened. Logs that are opened with the same value share them.
#[derive(Debug, Default)]
pub struct OpenStores {
    /// The source of the files, unless they are on disk.
    source: Option<Arc<SourceFiles>>,
    skipped: Skipped,
    /// The open stores by root, path, kind and adapter. Links are followed only in the root.
    opened: HashMap<(PathBuf, PathBuf, StoreKind, &'static str), Arc<dyn SessionStore>>,
}

impl OpenStores {
    /// Creates an empty list of open stores in `source`, or on disk if that is `None`.
    pub fn new(source: Option<Arc<SourceFiles>>) -> Self {
        Self { source, ..Self::default() }
    }

    /// Opens a session of a store.
    fn open(
        &mut self,
        path: SafePath,
        key: &StoredKey,
        agents: &[&dyn Adapter],
    ) -> io::Result<Stored> {
        let adapter = agents.iter().find(|adapter| adapter.name() == key.adapter);
        let unknown = || bad_data(format!("unknown adapter `{}`", key.adapter));
        let adapter = *adapter.ok_or_else(unknown)?;
        let name = adapter.name();
        let place = (path.root().to_owned(), path.as_path().to_owned(), key.store, name);
        let store = match self.opened.entry(place) {
            Entry::Occupied(opened) => opened.get().clone(),
            Entry::Vacant(place) => {
                let is_gone = || bad_data(format!("not a store of sessions of `{name}` any more"));
                place.insert(key.store.open(&path, adapter)?.ok_or_else(is_gone)?).clone()
            }
        };
        let container = match key.store {
            StoreKind::Database => Container::Database,
            StoreKind::Folder => Container::Folder,
            StoreKind::Prompts => Container::File,
        };
        Ok(Stored { store, adapter: name, container, path, key: key.key.clone() })
    }
}

impl StoreKind {
    /// Opens a store of an adapter's agent. `None` if it is not one.
    fn open(
        self,
        path: &SafePath,
        adapter: &dyn Adapter,
    ) -> io::Result<Option<Arc<dyn SessionStore>>> {
        Ok(match self {
            Self::Database => {
                DatabaseStore::open(path, &[adapter])?.map(|store| Arc::new(store) as _)
            }
            Self::Folder => open_folder(path, &[adapter])?.map(|(_, store)| store),
            Self::Prompts => {
                let prompts = adapter.companions().prompts.map(|rule| Prompts::read(path, rule));
                prompts.transpose()?.flatten().map(|store| Arc::new(store) as _)
            }
        })
    }
}

impl LogFiles {
    /// Opens the log. `shown` is its name in messages. The store that it is in, if any, is opened
    /// by the adapter of that name among `agents`, unless it is open.
    ///
    /// # Errors
    /// If the store cannot be opened, or the log is in a source and `stores` are on disk. Files
    /// are opened when the log is read.
    pub fn open(
        &self,
        shown: String,
        agents: &[&dyn Adapter],
        stores: &mut OpenStores,
    ) -> io::Result<StoredLog> {
        if self.in_source && stores.source.is_none() {
            return Err(bad_data("the log is not on disk: its source is needed"));
        }
        let mut files = |files: &[LogFile]| {
            let parts = files.iter().map(|file| file.open(self.directory.as_ref(), agents, stores));
            parts.collect::<io::Result<Vec<_>>>()
        };
        let mut parts = files(&self.parts)?.into_iter();
        let first = parts.next().ok_or_else(|| bad_data("a log without a file"))?;
        let mut log = StoredLog::new(first, shown, false);
        log.parts.extend(parts);
        log.attachments = files(&self.attachments)?;
        log.wanted.clone_from(&self.wanted);
        log.home.clone_from(&self.home);
        Ok(log)
    }

    /// Returns the path of the store that the log is in, if it is in one.
    pub fn store(&self) -> Option<PathBuf> {
        let first = self.parts.first()?;
        let is_stored = matches!(first.kind, FileKind::Session(_));
        let path = first.safe_path(self.directory.as_ref(), &OpenStores::default());
        is_stored.then(|| path.into())
    }

    /// Returns the name of the home folder in which the log was found.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// Returns the paths of the files, or of the store.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.parts.iter().chain(&self.attachments);
        let stores = OpenStores::default();
        files.map(move |file| file.safe_path(self.directory.as_ref(), &stores).into())
    }

    /// Returns whether the files are in a source, and not on disk.
    pub fn is_in_source(&self) -> bool {
        self.in_source
    }
}

impl LogFile {
    fn new(part: &Part, path: &SafePath) -> io::Result<Self> {
        let kind = match &part.place {
            Place::Compressed(_) => FileKind::CompressedFile,
            Place::Note(_) => FileKind::Note,
            Place::Stored(stored) => FileKind::Session(StoredKey {
                store: match stored.container {
                    Container::Database => StoreKind::Database,
                    Container::Folder => StoreKind::Folder,
                    Container::File | Container::CompressedFile => StoreKind::Prompts,
                },
                adapter: stored.adapter.to_owned(),
                key: stored.key.clone(),
            }),
            Place::File(_) | Place::Kept(_) | Place::KeptCompressed(_) => FileKind::File,
        };
        let is_stored = matches!(part.place, Place::Stored(_));
        let has_own_name = !is_stored && part.name != name(path.as_path());
        let below = (!path.is_root()).then(|| path.below_root()).transpose()?;
        Ok(Self {
            root: path.root().into(),
            below: below.as_deref().map(NativePath::from),
            name: has_own_name.then(|| part.name.clone()),
            kind,
        })
    }

    fn open(
        &self,
        directory: Option<&NativePath>,
        agents: &[&dyn Adapter],
        stores: &mut OpenStores,
    ) -> io::Result<Part> {
        let path = self.safe_path(directory, stores);
        // Keep the names of folders as when the log was found, because adapters read them.
        let stated = self.stated_path();
        let folder = folder(&stated);
        let (name, place) = match &self.kind {
            FileKind::File => (self.name(&stated), Place::File(path)),
            FileKind::CompressedFile => (self.name(&stated), Place::Compressed(path)),
            FileKind::Note => (name(&stated), Place::Note(path)),
            FileKind::Session(key) => {
                (key.key.clone(), Place::Stored(stores.open(path, key, agents)?))
            }
        };
        Ok(Part::new(name, folder, place))
    }

    fn name(&self, path: &Path) -> String {
        self.name.clone().unwrap_or_else(|| name(path))
    }

    /// Returns the path as it was named or found.
    fn stated_path(&self) -> PathBuf {
        match &self.below {
            Some(below) => self.root.as_ref().join(below),
            None => self.root.as_ref().to_owned(),
        }
    }

    /// Returns the path in the directory of the log.
    fn safe_path(&self, directory: Option<&NativePath>, stores: &OpenStores) -> SafePath {
        let root = match directory {
            Some(directory) => directory.as_ref().join(self.root.as_ref()),
            None => self.root.as_ref().to_owned(),
        };
        let root = SafePath::named_in(stores.source.as_ref(), &root, &stores.skipped);
        match &self.below {
            Some(below) => root.join(below),
            None => root,
        }
    }
}
