//! Finds sessions in the places where agents keep them.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vac_adapter::Adapter;
use vac_adapter::places::{Keep, KeepKind};

use crate::find::{Found, Origin, Search, find_all, find_in};
use crate::pattern::matches;
use crate::places::{AgentRoot, roots_below, roots_of_home};
use crate::safe_path::{PathKind, SafePath};
use crate::session_folder;
use crate::skipped::Skipped;
use crate::source::SourceFiles;
use crate::walk::{Visitor, walk};

/// The maximum depth of a place.
const MAX_PLACE_DEPTH: usize = 16;

/// Finds the sessions in some places. Opens only files and folders with names of sessions.
///
/// Links are followed up to the folder in which an agent keeps its sessions (`~/.claude` and
/// `projects` in it), and not below. Below a folder that the user named, no link is followed.
pub fn discover(roots: &[AgentRoot], agents: &[&dyn Adapter]) -> Found {
    find_all(&[], roots, agents)
}

impl Search<'_> {
    /// Adds the sessions in some places.
    pub fn discover(&mut self, roots: &[AgentRoot]) {
        let mut seen = HashSet::new();
        let mut failed = HashSet::new();
        for root in roots {
            let place = match &root.below {
                None => self.root(&root.path),
                Some((folder, names)) => self.root(folder).join(names),
            };
            match place.kind() {
                Ok(PathKind::Link) => continue,
                Err(error) if is_absent(&error) => continue,
                // Any other error is reported when the place is read.
                _ => {}
            }
            let real = match place.to_real_path(&root.path) {
                Ok(real) => real,
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    // All places in a folder that cannot be read fail, which is reported once.
                    let path = unreadable_folder(root).unwrap_or_else(|| root.path.clone());
                    if failed.insert(path.clone()) {
                        self.trouble(&path, &error);
                    }
                    continue;
                }
            };
            let first = self.found().logs.len();
            for keep in root.keeps {
                // Two paths can lead to the same place.
                if seen.insert((real.clone(), root.agent, keep.folders, keep.names)) {
                    let origin = Origin { agent: root.agent, adapter: root.adapter };
                    let mut keep_search = KeepSearch { search: self, origin, keep };
                    let (place, folders) = match root.below {
                        None => own_place(&place, keep.folders),
                        Some(_) => (place.clone(), keep.folders),
                    };
                    keep_search.folders(&place, folders);
                }
            }
            if let Some(home) = root.home_name() {
                for log in &mut self.found().logs[first..] {
                    log.home = Some(home.clone());
                }
            }
        }
    }
}

/// Returns the places of agents in a folder that the user named: a home folder, a copy of an
/// agent's folder, or a folder of homes such as `/home`. A folder without a place of an agent is
/// treated as a folder of homes.
///
/// The folder is in `source`, or on disk if that is `None`.
///
/// # Errors
/// If the folder cannot be read.
pub fn roots_in(
    source: Option<&Arc<SourceFiles>>,
    agents: &[&dyn Adapter],
    folder: &Path,
) -> io::Result<Vec<AgentRoot>> {
    let own = roots_below(agents, folder);
    let top = SafePath::named_in(source, folder, &Skipped::default());
    let entries = top.entries()?;
    let has_place = |root: &AgentRoot| match &root.below {
        Some((_, names)) => !names.as_os_str().is_empty() && top.join(names).exists(),
        None => true,
    };
    // A copy of an agent's folder contains the agent's sessions.
    let has_logs = || match source {
        Some(source) => !find_in(source, &[], &own, agents).logs.is_empty(),
        None => !discover(&own, agents).logs.is_empty(),
    };
    if own.iter().any(has_place) || has_logs() {
        return Ok(own);
    }
    let homes = entries.iter().filter(|entry| entry.is_folder());
    let names = homes.filter_map(|home| home.as_path().file_name());
    let roots = names.flat_map(|name| roots_of_home(agents, folder, Path::new(name)));
    Ok(own.into_iter().chain(roots).collect())
}

/// Returns the first folder on the way from the folder that the user named to a place that cannot
/// be read, if there is one.
fn unreadable_folder(root: &AgentRoot) -> Option<PathBuf> {
    let (folder, names) = root.below.as_ref()?;
    let mut path = SafePath::named(folder, &Skipped::default());
    for name in names {
        if path.entries().is_err() {
            return Some(path.as_path().to_owned());
        }
        path = path.join(name);
    }
    None
}

/// Returns the folder of a user's own place that has a fixed name, and the names below it.
fn own_place(
    place: &SafePath,
    folders: &'static [&'static str],
) -> (SafePath, &'static [&'static str]) {
    let fixed = folders.iter().take_while(|name| !name.contains('*')).count();
    let (fixed, rest) = folders.split_at(fixed);
    (fixed.iter().fold(place.clone(), |place, name| place.join_root(name)), rest)
}

/// Searches for the files and folders that one [`Keep`] names.
struct KeepSearch<'s, 'a> {
    search: &'s mut Search<'a>,
    origin: Origin,
    keep: &'static Keep,
}

impl KeepSearch<'_, '_> {
    fn folders(&mut self, folder: &SafePath, names: &[&str]) {
        match names.split_first() {
            None if self.keep.names.is_empty() => self.take(folder, &[]),
            None => {
                let entries = self.entries(folder);
                self.names(&entries);
            }
            Some((&"*", rest)) => {
                let mut below = self.entries(folder);
                below.retain(SafePath::is_folder);
                for below in below {
                    self.folders(&below, rest);
                }
            }
            Some((&"**", rest)) => {
                walk(folder, MAX_PLACE_DEPTH, &mut AnyFolders { keep: self, rest });
            }
            Some((name, rest)) => {
                let below = folder.join(name);
                match below.kind() {
                    Ok(PathKind::Folder) => self.folders(&below, rest),
                    Ok(_) => {}
                    Err(error) => self.trouble(below.as_path(), &error),
                }
            }
        }
    }

    fn entries(&mut self, folder: &SafePath) -> Vec<SafePath> {
        folder.entries().unwrap_or_else(|error| {
            self.trouble(folder.as_path(), &error);
            Vec::new()
        })
    }

    /// Adds an error, unless the folder does not exist any more.
    fn trouble(&mut self, path: &Path, error: &io::Error) {
        if !is_absent(error) {
            self.search.trouble(path, error);
        }
    }

    /// Adds the entries of a folder that have one of the names.
    fn names(&mut self, entries: &[SafePath]) {
        for entry in entries {
            let name = entry.as_path().file_name().unwrap_or_default().to_string_lossy();
            if self.keep.names.iter().any(|pattern| matches(pattern, &name)) {
                self.take(entry, entries);
            }
        }
    }

    fn take(&mut self, path: &SafePath, siblings: &[SafePath]) {
        let kind = match path.kind() {
            Ok(kind) => kind,
            Err(error) => return self.search.trouble(path.as_path(), &error),
        };
        self.search.origin = Some(self.origin);
        match (self.keep.kind, kind) {
            (_, PathKind::Special) => path.skip_special(),
            (KeepKind::Log, PathKind::File) => {
                let own = session_folder::find(self.search.agents, path, siblings);
                self.search.session(path, own.as_ref(), false);
            }
            (KeepKind::Prompts, PathKind::File) => self.search.prompts(path),
            (KeepKind::Store, PathKind::Folder) => self.search.known_folder(path),
            (KeepKind::Store, PathKind::File) => match path.size() {
                // A database that was just created is still empty.
                Ok(0) => {}
                _ => self.search.database(path),
            },
            (_, PathKind::Link) | (KeepKind::Log | KeepKind::Prompts, PathKind::Folder) => {}
        }
        self.search.origin = None;
    }
}

/// Searches a folder and the folders below it, each for the remaining names.
struct AnyFolders<'k, 's, 'a> {
    keep: &'k mut KeepSearch<'s, 'a>,
    rest: &'k [&'k str],
}

impl Visitor for AnyFolders<'_, '_, '_> {
    fn folder(&mut self, folder: &SafePath, entries: Vec<SafePath>) -> Vec<SafePath> {
        if self.rest.is_empty() && !self.keep.keep.names.is_empty() {
            self.keep.names(&entries);
        } else {
            self.keep.folders(folder, self.rest);
        }
        entries
    }

    /// Does nothing: files with the name of a session were taken with their folder.
    fn visit(&mut self, _: SafePath, _: PathKind) {}

    fn failed(&mut self, path: &Path, error: io::Error) {
        self.keep.trouble(path, &error);
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
