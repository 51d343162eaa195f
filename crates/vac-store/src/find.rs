//! The logs in the paths that somebody named.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vac_adapter::Adapter;

use crate::database_store::DatabaseStore;
use crate::layout;
use crate::log::{Log, Part, Place, Standing};
use crate::prompts::Prompts;
use crate::safe_path::{Kind, SafePath};
use crate::skipped::Skipped;
use crate::store::{self, Held, Store, bad_data};
use crate::{opencode, sqlite, zstandard};

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Logs, and files that may be logs, in the order given, directories in the order of
    /// their names.
    pub logs: Vec<Log>,
    /// What could not be looked into, and why.
    pub troubles: Vec<String>,
    /// Links and special files that were not opened. Reading the logs can add more.
    pub skipped: Skipped,
}

/// Finds logs: in files, in directories at any depth, and for `-` in standard input. The databases
/// and folders of `agents` are recognized as stores.
pub fn find(paths: &[PathBuf], agents: &[&dyn Adapter]) -> Found {
    let mut search = Search::new(agents);
    for path in paths {
        if path.as_os_str() == "-" {
            search.stdin();
        } else {
            search.named(path);
        }
    }
    search.finish()
}

/// What has been found so far.
pub(crate) struct Search<'a> {
    agents: &'a [&'a dyn Adapter],
    found: Found,
    is_stdin_read: bool,
    /// The agent whose place is being searched.
    pub origin: Option<Origin>,
}

/// The agent that keeps a log in one of its places, and the adapter that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub agent: &'static str,
    pub adapter: &'static str,
}

impl<'a> Search<'a> {
    pub fn new(agents: &'a [&'a dyn Adapter]) -> Self {
        Self { agents, found: Found::default(), is_stdin_read: false, origin: None }
    }

    /// All of it. What is read with a session is not a session as well.
    pub fn finish(mut self) -> Found {
        let logs = &mut self.found.logs;
        let further = logs.iter().flat_map(Log::further_paths).map(Path::to_owned);
        let further: HashSet<_> = further.collect();
        logs.retain(|log| log.first_path().is_none_or(|path| !further.contains(path)));
        self.found
    }

    /// Notes what could not be looked into.
    pub fn trouble(&mut self, path: &Path, error: &io::Error) {
        self.found.troubles.push(format!("{}: {error}", path.to_string_lossy()));
    }

    fn stdin(&mut self) {
        let path = Path::new("-");
        if std::mem::replace(&mut self.is_stdin_read, true) {
            return self.trouble(path, &bad_data("standard input can be read only once"));
        }
        self.keep(path, || Ok(io::stdin().lock()));
    }

    /// Takes what can be read only once.
    fn keep<R: Read>(&mut self, path: &Path, open: impl FnOnce() -> io::Result<R>) {
        let keep = |mut input| {
            let mut file = tempfile::tempfile().map_err(|error| {
                let folder = tempfile::env::temp_dir();
                let words = format!("cannot be kept in {}: {error}", folder.display());
                io::Error::new(error.kind(), words)
            })?;
            io::copy(&mut input, &mut file)?;
            Ok::<_, io::Error>(file)
        };
        match open().and_then(keep) {
            Ok(file) => {
                let place = Place::Kept(file);
                let part = Part { name: String::new(), folder: String::new(), place };
                self.found.logs.push(Log::of(part, path.to_string_lossy().into_owned(), true));
            }
            Err(error) => self.trouble(path, &error),
        }
    }

    /// A path that is a root: links in it are followed, none below it are.
    pub fn root(&self, path: &Path) -> SafePath {
        SafePath::named(path, &self.found.skipped)
    }

    /// Takes a path that the user named.
    fn named(&mut self, path: &Path) {
        let path = self.root(path);
        match path.kind() {
            Err(error) => self.trouble(path.as_path(), &error),
            Ok(Kind::Folder) => self.folder(&path, true),
            Ok(Kind::File) => {
                self.session(&path, layout::own_folder_of(&path).as_ref(), true);
            }
            // A pipe that has a name.
            Ok(Kind::Special | Kind::Link) => self.keep(path.as_path(), || path.open_named()),
        }
    }

    /// Takes a path in a folder.
    fn entry(&mut self, path: &SafePath) {
        match path.kind() {
            Err(error) => self.trouble(path.as_path(), &error),
            Ok(Kind::Folder) => self.folder(path, false),
            Ok(Kind::File) => {
                self.session(path, None, false);
            }
            Ok(Kind::Link) => {}
            Ok(Kind::Special) => path.skip_special(),
        }
    }

    fn folder(&mut self, path: &SafePath, named: bool) {
        match store::of_folder(path) {
            Ok(Some(store)) => return self.store(path, &store, Container::Tree, named),
            Ok(None) => {}
            Err(error) => return self.trouble(path.as_path(), &error),
        }
        let entries = match path.entries() {
            Ok(entries) => entries,
            Err(error) => return self.trouble(path.as_path(), &error),
        };
        let mut taken = HashSet::new();
        for entry in &entries {
            // A session's own folder is read with the session.
            if let Some(own) = layout::own_folder(entry, &entries)
                && entry.is_file()
            {
                taken.insert(entry.as_path().to_owned());
                if self.session(entry, Some(&own), false) {
                    taken.insert(own.as_path().to_owned());
                }
            }
        }
        for entry in entries.iter().filter(|entry| !taken.contains(entry.as_path())) {
            self.entry(entry);
        }
    }

    /// Takes a file, with the folder that is its own; false if there is no session in it.
    pub fn session(&mut self, path: &SafePath, own: Option<&SafePath>, named: bool) -> bool {
        let Some(mut log) = self.file(path, named) else { return false };
        if let Some(own) = own {
            for (path, error) in layout::fill(&mut log, own) {
                self.trouble(&path, &error);
            }
        }
        self.found.logs.push(log);
        true
    }

    /// A file as a log; the sessions of a database are added at once.
    fn file(&mut self, path: &SafePath, named: bool) -> Option<Log> {
        let mut part = Part::file(path);
        match beginning(path) {
            Ok(bytes) if bytes.starts_with(&zstandard::MAGIC) => {
                part.place = Place::Compressed(path.clone());
            }
            Ok(bytes) if bytes == *sqlite::MAGIC => match DatabaseStore::open(path) {
                Ok(Some(store)) => {
                    self.database_store(path, store, named);
                    return None;
                }
                Ok(None) => {}
                Err(error) => {
                    self.trouble(path.as_path(), &error);
                    return None;
                }
            },
            Ok(_) => {}
            Err(error) => {
                self.trouble(path.as_path(), &error);
                return None;
            }
        }
        let mut log = Log::of(part, path.as_path().to_string_lossy().into_owned(), named);
        log.origin = self.origin;
        Some(log)
    }

    /// Takes a file that has to be a database with sessions.
    pub fn database(&mut self, path: &SafePath) {
        let store = beginning(path).and_then(|bytes| {
            if bytes != *sqlite::MAGIC {
                return Err(bad_data("not a SQLite database"));
            }
            DatabaseStore::open(path)?.ok_or_else(|| bad_data("a database without any sessions"))
        });
        match store {
            Ok(store) => self.database_store(path, store, false),
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    /// Takes a folder that may be a store, and otherwise has nothing in it.
    pub fn known_folder(&mut self, path: &SafePath) {
        match store::of_folder(path) {
            Ok(Some(store)) => self.store(path, &store, Container::Tree, false),
            Ok(None) => {}
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    /// Takes a file with what was asked in several sessions.
    pub fn prompts(&mut self, path: &SafePath) {
        match Prompts::of(path) {
            Ok(Some(prompts)) => {
                let store: Arc<dyn Store> = Arc::new(prompts);
                self.store(path, &store, Container::Prompts, false);
            }
            // Whatever it is, its adapter may know.
            Ok(None) => {
                self.session(path, None, false);
            }
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn database_store(&mut self, path: &SafePath, store: DatabaseStore, named: bool) {
        let store = Arc::new(store);
        match store.sessions() {
            Ok(sessions) => {
                // Cursor has a database for each chat: fewer files can be open at once.
                if sessions.len() == 1 {
                    store.close();
                }
                self.sessions(
                    path,
                    &(store as Arc<dyn Store>),
                    sessions,
                    Container::Database,
                    named,
                );
            }
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn store(
        &mut self,
        path: &SafePath,
        store: &Arc<dyn Store>,
        container: Container,
        named: bool,
    ) {
        match store.sessions() {
            Ok(sessions) => self.sessions(path, store, sessions, container, named),
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn sessions(
        &mut self,
        path: &SafePath,
        store: &Arc<dyn Store>,
        sessions: Vec<Held>,
        container: Container,
        named: bool,
    ) {
        for held in sessions {
            let place = Place::Stored(store.clone(), path.clone(), held.key.clone());
            let folder = crate::log::folder(path.as_path());
            let part = Part { name: held.key.clone(), folder, place };
            let shown = format!("{}#{}", path.as_path().to_string_lossy(), held.key);
            let mut log = Log::of(part, shown, named);
            log.standing = container.standing(&held.key);
            log.held = Some(held);
            log.origin = self.origin;
            self.found.logs.push(log);
        }
    }
}

/// What holds several sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Tree,
    Database,
    Prompts,
}

impl Container {
    fn standing(self, key: &str) -> Standing {
        match self {
            // A database that came later has taken it over.
            Self::Tree if key != opencode::WITHOUT => Standing::Older,
            Self::Prompts => Standing::Prompts,
            Self::Tree | Self::Database => Standing::Own,
        }
    }
}

/// The first bytes of a file, as many as tell a container.
fn beginning(path: &SafePath) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    path.open()?.take(sqlite::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
