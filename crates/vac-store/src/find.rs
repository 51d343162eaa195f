//! Finds logs in the paths that the user named.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vac_adapter::Adapter;
use vac_adapter::container::{Container, SessionStore, StoredSession, bad_data};

use crate::agent_folder::AgentFolder;
use crate::database_store::DatabaseStore;
use crate::endless::{check_stdin, refuse_device};
use crate::log::{Part, Place, Rank, Stored, StoredLog};
use crate::places::{AgentRoot, fork_of_path};
use crate::prompts::Prompts;
use crate::record_folder::RecordFolders;
use crate::safe_path::{PathKind, SafePath};
use crate::session_folder::{self, OwnFolder};
use crate::skipped::Skipped;
use crate::source::SourceFiles;
use crate::walk::{MAX_DEPTH, Visitor, walk};
use crate::{sqlite, zstandard};

/// The logs that a search has found.
#[derive(Debug, Default)]
pub struct Found {
    /// Logs, and files that may be logs, in the order of the paths; the content of folders is in
    /// the order of names.
    pub logs: Vec<StoredLog>,
    /// Paths that could not be read.
    pub troubles: Vec<UnreadPath>,
    /// Links and special files that were not opened. Reading the logs can add more.
    pub skipped: Skipped,
}

/// A path that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadPath {
    /// The path; empty for a whole source.
    pub shown: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for UnreadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.shown.is_empty() {
            write!(f, "{}: ", self.shown)?;
        }
        f.write_str(&self.reason)
    }
}

/// Finds logs: in files, in directories at any depth, and for `-` in standard input. The databases
/// and folders of `agents` are recognized as stores.
pub fn find(paths: &[PathBuf], agents: &[&dyn Adapter]) -> Found {
    find_all(paths, &[], agents)
}

/// Finds logs, as [`find`] does, and records. If `record_folders` opens a folder, the result
/// contains its records, also if the folder is below a named one.
pub fn find_with(
    paths: &[PathBuf],
    agents: &[&dyn Adapter],
    record_folders: &dyn RecordFolders,
) -> Found {
    let search = Search { record_folders: Some(record_folders), ..Search::new(agents, None) };
    search.find_each(paths, &[])
}

/// Finds logs in the files and folders of a source, and in the places of agents there. An empty path
/// means the whole source. A name that cannot be a path is reported as a trouble.
pub fn find_in(
    source: &Arc<SourceFiles>,
    paths: &[PathBuf],
    roots: &[AgentRoot],
    agents: &[&dyn Adapter],
) -> Found {
    let mut search = Search::new(agents, Some(source.clone()));
    match source.refused() {
        Ok(names) => {
            for (name, reason) in names {
                search.trouble(Path::new(name), &bad_data(*reason));
            }
        }
        Err(error) => {
            let reason = format!("the files cannot be listed: {error}");
            search.found.troubles.push(UnreadPath { shown: String::new(), reason });
            return search.finish();
        }
    }
    for path in paths {
        search.find_named(path);
    }
    search.discover(roots);
    search.finish()
}

/// Finds logs in paths ([`find`]) and in the places of agents ([`discover`](crate::discover())).
pub fn find_all(paths: &[PathBuf], roots: &[AgentRoot], agents: &[&dyn Adapter]) -> Found {
    Search::new(agents, None).find_each(paths, roots)
}

/// A search for logs, with what it has found so far.
pub(crate) struct Search<'a> {
    pub agents: &'a [&'a dyn Adapter],
    /// The source of the files, unless they are on disk.
    source: Option<Arc<SourceFiles>>,
    /// Opens folders that keep records in a form of their own.
    record_folders: Option<&'a dyn RecordFolders>,
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
    fn new(agents: &'a [&'a dyn Adapter], source: Option<Arc<SourceFiles>>) -> Self {
        Self {
            agents,
            source,
            record_folders: None,
            found: Found::default(),
            is_stdin_read: false,
            origin: None,
        }
    }

    /// Searches paths on disk and standard input, and places of agents.
    fn find_each(mut self, paths: &[PathBuf], roots: &[AgentRoot]) -> Found {
        for path in paths {
            if path.as_os_str() == "-" {
                self.stdin();
            } else {
                self.find_named(path);
            }
        }
        self.discover(roots);
        self.finish()
    }

    /// Returns the result so far.
    pub fn found(&mut self) -> &mut Found {
        &mut self.found
    }

    /// Ends the search. Removes files that are read with another session from the list.
    pub fn finish(mut self) -> Found {
        let logs = &mut self.found.logs;
        let further = logs.iter().flat_map(StoredLog::further_paths).map(Path::to_owned);
        let further: HashSet<_> = further.collect();
        logs.retain(|log| log.first_path().is_none_or(|path| !further.contains(path)));
        self.found
    }

    /// Adds a path that could not be read.
    pub fn trouble(&mut self, path: &Path, error: &io::Error) {
        let shown = path.to_string_lossy().into_owned();
        self.found.troubles.push(UnreadPath { shown, reason: error.to_string() });
    }

    fn stdin(&mut self) {
        let path = Path::new("-");
        if std::mem::replace(&mut self.is_stdin_read, true) {
            return self.trouble(path, &bad_data("standard input can be read only once"));
        }
        self.keep(path, || check_stdin().map(|_| io::stdin().lock()));
    }

    /// Returns the place of an input that was copied to a temporary file.
    fn kept_place(mut file: File) -> io::Result<Place> {
        let mut beginning = Vec::new();
        file.rewind()?;
        file.by_ref().take(sqlite::MAGIC.len() as u64).read_to_end(&mut beginning)?;
        if beginning == *sqlite::MAGIC {
            let words = "a database cannot be read from there: pass its path";
            return Err(bad_data(words));
        }
        Ok(if beginning.starts_with(&zstandard::MAGIC) {
            Place::KeptCompressed(file)
        } else {
            Place::Kept(file)
        })
    }

    /// Copies an input that can be read only once to a temporary file.
    fn keep<R: Read>(&mut self, path: &Path, open: impl FnOnce() -> io::Result<R>) {
        let keep = |mut input| {
            let mut file = tempfile::tempfile().map_err(|error| {
                let folder = tempfile::env::temp_dir();
                let words = format!("cannot be copied to {}: {error}", folder.display());
                io::Error::new(error.kind(), words)
            })?;
            io::copy(&mut input, &mut file)?;
            Ok::<_, io::Error>(file)
        };
        match open().and_then(keep).and_then(Self::kept_place) {
            Ok(place) => {
                let part = Part::new(String::new(), String::new(), place);
                self.found.logs.push(StoredLog::new(
                    part,
                    path.to_string_lossy().into_owned(),
                    true,
                ));
            }
            Err(error) => self.trouble(path, &error),
        }
    }

    /// Returns a path as a root: links in it are followed, but none below it.
    pub fn root(&self, path: &Path) -> SafePath {
        SafePath::named_in(self.source.as_ref(), path, &self.found.skipped)
    }

    /// Searches a path that the user named.
    fn find_named(&mut self, path: &Path) {
        let path = self.root(path);
        if !path.is_file() && self.records(path.as_path(), true) {
            return;
        }
        match path.kind() {
            Err(error) => self.trouble(path.as_path(), &error),
            Ok(PathKind::Folder) => walk(&path, MAX_DEPTH, self),
            Ok(PathKind::File) => {
                let own = session_folder::find_for(self.agents, &path);
                self.session(&path, own.as_ref(), true);
            }
            // A named pipe, or a link to one.
            Ok(PathKind::Special | PathKind::Link) => {
                self.keep(path.as_path(), || {
                    let file = path.open_named()?;
                    refuse_device(&file)?;
                    Ok(file)
                });
            }
        }
    }

    /// Adds the records of a folder that keeps records in its own format. Returns false if it is
    /// not such a folder.
    fn records(&mut self, path: &Path, named: bool) -> bool {
        match self.record_folders.and_then(|folders| folders.open(path)) {
            Some(Ok(records)) => self.found.logs.extend(records.into_logs(named)),
            Some(Err(error)) => self.trouble(path, &error),
            None => return false,
        }
        true
    }

    /// Adds a file, with its session folder. Returns false if it contains no session.
    pub fn session(&mut self, path: &SafePath, own: Option<&OwnFolder>, named: bool) -> bool {
        let Some(mut log) = self.open_log(path, named) else { return false };
        if let Some(own) = own {
            for (path, error) in session_folder::fill(&mut log, own) {
                self.trouble(&path, &error);
            }
        }
        self.found.logs.push(log);
        true
    }

    /// Opens a file as a log. The sessions of a database are added to the search instead.
    fn open_log(&mut self, path: &SafePath, named: bool) -> Option<StoredLog> {
        let mut part = Part::file(path);
        match beginning(path) {
            Ok(bytes) if bytes.starts_with(&zstandard::MAGIC) => {
                part.place = Place::Compressed(path.clone());
            }
            Ok(bytes) if bytes == *sqlite::MAGIC => match DatabaseStore::open(path, self.agents) {
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
        let mut log = StoredLog::new(part, path.as_path().to_string_lossy().into_owned(), named);
        log.origin = self.find_origin(path);
        Some(log)
    }

    /// Returns the agent in whose place a file is.
    fn find_origin(&self, path: &SafePath) -> Option<Origin> {
        self.origin.or_else(|| fork_of_path(self.agents, path))
    }

    /// Adds the sessions of a file that has to be a database.
    pub fn database(&mut self, path: &SafePath) {
        let store = beginning(path).and_then(|bytes| {
            if bytes != *sqlite::MAGIC {
                return Err(bad_data("not a SQLite database"));
            }
            DatabaseStore::open(path, self.agents)?
                .ok_or_else(|| bad_data("a database without any sessions"))
        });
        match store {
            Ok(store) => self.database_store(path, store, false),
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    /// Adds the sessions of a folder if it is a store. Its content is not searched otherwise.
    pub fn known_folder(&mut self, path: &SafePath) {
        self.folder_store(path, false);
    }

    /// Adds the sessions of a folder that is a store, or the error if it cannot be opened. Returns
    /// false if it is not a store.
    fn folder_store(&mut self, path: &SafePath, named: bool) -> bool {
        match open_folder(path, self.agents) {
            Ok(Some((adapter, store))) => {
                self.store(path, &store, adapter, Container::Folder, named);
            }
            Ok(None) => return false,
            Err(error) => self.trouble(path.as_path(), &error),
        }
        true
    }

    /// Adds the sessions of a file with the prompts of several sessions.
    pub fn prompts(&mut self, path: &SafePath) {
        let agent = self.origin.and_then(|origin| {
            let adapter = self.agents.iter().find(|adapter| adapter.name() == origin.adapter)?;
            Some((adapter.name(), adapter.companions().prompts?))
        });
        let Some((adapter, rule)) = agent else { return };
        match Prompts::read(path, rule) {
            Ok(Some(prompts)) => {
                let store: Arc<dyn SessionStore> = Arc::new(prompts);
                let first = self.found.logs.len();
                self.store(path, &store, adapter, Container::File, false);
                let logs = self.found.logs.iter_mut().skip(first);
                logs.for_each(|log| log.rank = Rank::Prompts);
            }
            // The file may be another log of the adapter.
            Ok(None) => {
                self.session(path, None, false);
            }
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn database_store(&mut self, path: &SafePath, store: DatabaseStore, named: bool) {
        let (adapter, store) = (store.adapter(), Arc::new(store));
        match store.sessions() {
            Ok(sessions) => {
                // Close a database with one session: if each session has a database, too many files
                // would be open at once.
                if sessions.len() == 1 {
                    store.close();
                }
                let store: Arc<dyn SessionStore> = store;
                self.sessions(path, &store, sessions, adapter, Container::Database, named);
            }
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn store(
        &mut self,
        path: &SafePath,
        store: &Arc<dyn SessionStore>,
        adapter: &'static str,
        container: Container,
        named: bool,
    ) {
        match store.sessions() {
            Ok(sessions) => self.sessions(path, store, sessions, adapter, container, named),
            Err(error) => self.trouble(path.as_path(), &error),
        }
    }

    fn sessions(
        &mut self,
        path: &SafePath,
        store: &Arc<dyn SessionStore>,
        sessions: Vec<StoredSession>,
        adapter: &'static str,
        container: Container,
        named: bool,
    ) {
        let origin = self.find_origin(path);
        let is_database = container == Container::Database;
        let known = self.agents.iter().find(|it| it.name() == adapter && is_database);
        let agent = known.and_then(|it| it.stores().database_agent);
        let writer = agent.map(|agent| Origin { agent, adapter });
        for session in sessions {
            let key = session.key.clone();
            let stored = Stored {
                store: store.clone(),
                adapter,
                container,
                path: path.clone(),
                key: key.clone(),
            };
            let folder = crate::log::folder(path.as_path());
            let shown = format!("{}#{key}", path.as_path().to_string_lossy());
            let part = Part::new(key, folder, Place::Stored(stored));
            let mut log = StoredLog::new(part, shown, named);
            if session.is_replaced {
                log.rank = Rank::Replaced;
            }
            log.stored = Some((adapter, session));
            log.origin = origin.filter(|origin| origin.adapter == adapter).or(writer);
            self.found.logs.push(log);
        }
    }
}

impl Visitor for Search<'_> {
    fn folder(&mut self, folder: &SafePath, mut entries: Vec<SafePath>) -> Vec<SafePath> {
        let is_taken = !folder.is_root() && self.records(folder.as_path(), false);
        if is_taken || self.folder_store(folder, folder.is_root()) {
            return Vec::new();
        }
        let mut taken = HashSet::new();
        for entry in &entries {
            // A session's own folder is read with the session.
            if let Some(own) = session_folder::find(self.agents, entry, &entries)
                && entry.is_file()
            {
                taken.insert(entry.as_path().to_owned());
                if self.session(entry, Some(&own), false) {
                    taken.insert(own.path.as_path().to_owned());
                }
            }
        }
        entries.retain(|entry| !taken.contains(entry.as_path()));
        entries
    }

    fn visit(&mut self, path: SafePath, kind: PathKind) {
        match kind {
            PathKind::File => {
                self.session(&path, None, false);
            }
            PathKind::Special => path.skip_special(),
            PathKind::Folder | PathKind::Link => {}
        }
    }

    fn failed(&mut self, path: &Path, error: io::Error) {
        self.trouble(path, &error);
    }
}

/// Opens a folder as the store of an agent, if it is one. Returns it with the name of the adapter.
pub(crate) fn open_folder(
    path: &SafePath,
    agents: &[&dyn Adapter],
) -> io::Result<Option<(&'static str, Arc<dyn SessionStore>)>> {
    for adapter in agents {
        let folder = AgentFolder::new(path.clone());
        if let Some(store) = (adapter.stores().open_folder)(Arc::new(folder))? {
            return Ok(Some((adapter.name(), store)));
        }
    }
    Ok(None)
}

/// Returns the first bytes of a file, which identify its container.
pub(crate) fn beginning(path: &SafePath) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    path.reader()?.take(sqlite::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
