//! The logs in the paths that somebody named.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::layout;
use crate::log::{Log, Part, Place};
use crate::store::{self, Store};
use crate::{sqlite, zstandard};

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Logs, and files that may be logs, in the order given, directories in the order of
    /// their names.
    pub logs: Vec<Log>,
    /// What could not be looked into, and why.
    pub troubles: Vec<String>,
}

/// Finds logs: in files, in directories at any depth, and for `-` in standard input.
pub fn find(paths: &[PathBuf]) -> Found {
    let mut search = Search { found: Found::default() };
    for path in paths {
        if path.as_os_str() == "-" {
            search.stdin();
        } else {
            search.path(path, true);
        }
    }
    search.found
}

struct Search {
    found: Found,
}

impl Search {
    fn stdin(&mut self) {
        let keep = || {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut io::stdin().lock(), &mut file)?;
            Ok::<_, io::Error>(file)
        };
        match keep() {
            Ok(file) => {
                let place = Place::Kept(file);
                let part = Part { name: String::new(), folder: String::new(), place };
                self.found.logs.push(Log::of(part, "-".to_owned(), true));
            }
            Err(error) => self.trouble(Path::new("-"), &error),
        }
    }

    fn path(&mut self, path: &Path, named: bool) {
        let metadata = if named { path.metadata() } else { path.symlink_metadata() };
        match metadata {
            Err(error) => self.trouble(path, &error),
            Ok(metadata) if metadata.is_dir() => self.folder(path, named),
            Ok(metadata) if metadata.is_file() || named => {
                let log = self.file(path, named);
                self.found.logs.extend(log);
            }
            Ok(_) => {}
        }
    }

    fn folder(&mut self, path: &Path, named: bool) {
        match store::of_folder(path) {
            Ok(Some(store)) => return self.store(path, store, named),
            Ok(None) => {}
            Err(error) => return self.trouble(path, &error),
        }
        let entries = match entries(path) {
            Ok(entries) => entries,
            Err(error) => return self.trouble(path, &error),
        };
        let mut taken = HashSet::new();
        for entry in &entries {
            // A session's own folder is read with the session.
            if let Some(own) = layout::own_folder(entry, &entries)
                && entry.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
                && let Some(mut log) = self.file(entry, false)
            {
                match layout::fill(&mut log, &own) {
                    Ok(()) => {
                        taken.insert(own);
                    }
                    Err(error) => self.trouble(&own, &error),
                }
                self.found.logs.push(log);
                taken.insert(entry.clone());
            }
        }
        for entry in entries.iter().filter(|entry| !taken.contains(*entry)) {
            self.path(entry, false);
        }
    }

    /// A file as a log; the sessions of a database are added at once.
    fn file(&mut self, path: &Path, named: bool) -> Option<Log> {
        let mut part = Part::file(path);
        match beginning(path) {
            Ok(bytes) if bytes.starts_with(&zstandard::MAGIC) => {
                part.place = Place::Compressed(path.to_owned());
            }
            Ok(bytes) if bytes == *sqlite::MAGIC => match store::of_database(path) {
                Ok(Some(store)) => {
                    self.store(path, store, named);
                    return None;
                }
                Ok(None) => {}
                Err(error) => {
                    self.trouble(path, &error);
                    return None;
                }
            },
            Ok(_) => {}
            Err(error) => {
                self.trouble(path, &error);
                return None;
            }
        }
        Some(Log::of(part, path.to_string_lossy().into_owned(), named))
    }

    fn store(&mut self, path: &Path, store: std::sync::Arc<dyn Store>, named: bool) {
        let sessions = match store.sessions() {
            Ok(sessions) => sessions,
            Err(error) => return self.trouble(path, &error),
        };
        for held in sessions {
            let place = Place::Stored(store.clone(), path.to_owned(), held.key.clone());
            let folder = crate::log::folder(path);
            let part = Part { name: held.key.clone(), folder, place };
            let shown = format!("{}#{}", path.to_string_lossy(), held.key);
            let mut log = Log::of(part, shown, named);
            log.held = Some(held);
            self.found.logs.push(log);
        }
    }

    fn trouble(&mut self, path: &Path, error: &io::Error) {
        self.found.troubles.push(format!("{}: {error}", path.to_string_lossy()));
    }
}

/// The first bytes of a file, as many as tell a container.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(sqlite::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in folder.read_dir()? {
        entries.push(entry?.path());
    }
    entries.sort();
    Ok(entries)
}
