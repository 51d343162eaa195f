//! A log as data: the files it is in, so that another process can open it again.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vac_adapter::Adapter;
use vac_adapter::container::{Container, SessionStore, bad_data};

use crate::database_store::DatabaseStore;
use crate::find::open_folder;
use crate::log::{Log, Part, Place, Stored, folder, name};
use crate::prompts::Prompts;
use crate::safe_path::SafePath;
use crate::skipped::Skipped;

/// The files of a log, or its session in a store, as paths. What is read from them is the same as
/// from the log: links and special files are treated as they were when it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LogFiles {
    /// The folder that relative paths are relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<NativePath>,
    parts: Vec<LogFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<LogFile>,
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

/// How a file is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileKind {
    File,
    CompressedFile,
    Note,
    Database(StoredKey),
    Folder(StoredKey),
    Prompts(StoredKey),
}

/// A session in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct StoredKey {
    adapter: String,
    key: String,
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

impl Log {
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
        let directory = if parts.iter().chain(&attachments).any(is_relative) {
            Some(NativePath::from(std::env::current_dir()?.as_path()))
        } else {
            None
        };
        Ok(Some(LogFiles { directory, parts, attachments }))
    }
}

impl LogFiles {
    /// Opens the log. `shown` is what messages call it. The store that it is in, if any, is opened
    /// by the adapter of that name among `agents`.
    ///
    /// # Errors
    /// If the store cannot be opened. Files are opened when the log is read.
    pub fn open(&self, shown: String, agents: &[&dyn Adapter]) -> io::Result<Log> {
        let skipped = Skipped::default();
        let files = |files: &[LogFile]| {
            let parts =
                files.iter().map(|file| file.open(self.directory.as_ref(), agents, &skipped));
            parts.collect::<io::Result<Vec<_>>>()
        };
        let mut parts = files(&self.parts)?.into_iter();
        let first = parts.next().ok_or_else(|| bad_data("a log without a file"))?;
        let mut log = Log::of(first, shown, false);
        log.parts.extend(parts);
        log.attachments = files(&self.attachments)?;
        Ok(log)
    }

    /// Returns the paths of the files, or of the store.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.parts.iter().chain(&self.attachments);
        files.map(|file| file.safe_path(self.directory.as_ref(), &Skipped::default()).into())
    }
}

impl LogFile {
    fn new(part: &Part, path: &SafePath) -> io::Result<Self> {
        let key = |stored: &Stored| StoredKey {
            adapter: stored.adapter.to_owned(),
            key: stored.key.clone(),
        };
        let kind = match &part.place {
            Place::Compressed(_) => FileKind::CompressedFile,
            Place::Note(_) => FileKind::Note,
            Place::Stored(stored) => match stored.container {
                Container::Database => FileKind::Database(key(stored)),
                Container::Folder => FileKind::Folder(key(stored)),
                Container::File | Container::CompressedFile => FileKind::Prompts(key(stored)),
            },
            Place::File(_) | Place::Kept(_) | Place::Memory(_) | Place::CompressedMemory(_) => {
                FileKind::File
            }
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
        skipped: &Skipped,
    ) -> io::Result<Part> {
        let path = self.safe_path(directory, skipped);
        // Adapters read names of folders, so these are the same as when the log was found.
        let stated = self.stated_path();
        let folder = folder(&stated);
        let (name, place) = match &self.kind {
            FileKind::File => (self.name(&stated), Place::File(path)),
            FileKind::CompressedFile => (self.name(&stated), Place::Compressed(path)),
            FileKind::Note => (name(&stated), Place::Note(path)),
            FileKind::Database(key) => {
                let adapter = key.adapter(agents)?;
                let store = DatabaseStore::open(&path, &[adapter])?;
                let store = store.map(|store| Arc::new(store) as Arc<dyn SessionStore>);
                key.stored(path, adapter, store, Container::Database)?
            }
            FileKind::Folder(key) => {
                let adapter = key.adapter(agents)?;
                let store = open_folder(&path, &[adapter])?.map(|(_, store)| store);
                key.stored(path, adapter, store, Container::Folder)?
            }
            FileKind::Prompts(key) => {
                let adapter = key.adapter(agents)?;
                let rule = adapter.companions().prompts;
                let prompts = rule.map(|rule| Prompts::read(&path, rule)).transpose()?.flatten();
                let store = prompts.map(|store| Arc::new(store) as Arc<dyn SessionStore>);
                key.stored(path, adapter, store, Container::File)?
            }
        };
        Ok(Part::new(name, folder, place))
    }

    fn name(&self, path: &Path) -> String {
        self.name.clone().unwrap_or_else(|| name(path))
    }

    /// The path as it was named or found.
    fn stated_path(&self) -> PathBuf {
        match &self.below {
            Some(below) => self.root.as_ref().join(below),
            None => self.root.as_ref().to_owned(),
        }
    }

    /// The path in the directory of the log.
    fn safe_path(&self, directory: Option<&NativePath>, skipped: &Skipped) -> SafePath {
        let root = match directory {
            Some(directory) => directory.as_ref().join(self.root.as_ref()),
            None => self.root.as_ref().to_owned(),
        };
        let root = SafePath::named(&root, skipped);
        match &self.below {
            Some(below) => root.join(below),
            None => root,
        }
    }
}

impl StoredKey {
    fn adapter<'a>(&self, agents: &[&'a dyn Adapter]) -> io::Result<&'a dyn Adapter> {
        let adapter = agents.iter().find(|adapter| adapter.name() == self.adapter);
        adapter.copied().ok_or_else(|| bad_data(format!("unknown adapter `{}`", self.adapter)))
    }

    /// Returns the session in a store, with its name.
    fn stored(
        &self,
        path: SafePath,
        adapter: &dyn Adapter,
        store: Option<Arc<dyn SessionStore>>,
        container: Container,
    ) -> io::Result<(String, Place)> {
        let adapter = adapter.name();
        let is_gone = || bad_data(format!("not a store of sessions of `{adapter}` any more"));
        let store = store.ok_or_else(is_gone)?;
        let stored = Stored { store, adapter, container, path, key: self.key.clone() };
        Ok((self.key.clone(), Place::Stored(stored)))
    }
}
