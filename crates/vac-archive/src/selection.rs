//! Selects the logs that have to be read: those that are new, or have changed since they were last
//! read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use vac::{AGENTS, Search};
use vac_store::join::{DetectedLog, UnusedFile, join_homes};
use vac_store::{FileStat, Found, MemoryBudget, StoredLog, find_all};

use crate::archive::Archive;
use crate::error::Result;
use crate::index::KnownLog;

/// The logs that were found.
pub(crate) struct Selection {
    /// The logs to read.
    pub due: Vec<DetectedLog>,
    /// The logs that are unchanged, as the index states them.
    pub settled: Vec<KnownLog>,
    /// Unused files: duplicates, and companion files that could not be read.
    pub left_out: Vec<UnusedFile>,
    /// Descriptions of folders and files that could not be searched.
    pub troubles: Vec<String>,
    /// The keys of logs that were read, by which the index knows them.
    firsts: HashSet<String>,
}

/// A group of logs that the index states to be one.
#[derive(Default)]
struct Group {
    logs: Vec<StoredLog>,
    files: BTreeMap<String, FileStat>,
    is_changed: bool,
}

impl Selection {
    /// Searches for logs, and detects the agents of those that the index does not know.
    pub fn find(
        search: &Search,
        known: &[KnownLog],
        max_event: usize,
        step: &mut dyn FnMut(usize),
    ) -> Result<Self> {
        let roots = search.roots()?;
        let Found { mut logs, troubles, .. } = find_all(&search.paths, &roots, AGENTS);
        let mut troubles: Vec<_> = troubles.iter().map(ToString::to_string).collect();
        let mut archives = ArchiveSearch::default();
        for path in search.paths.iter().filter(|path| is_in_archive(path)) {
            let shown = path.display();
            troubles.push(format!("{shown}: part of an archive, which keeps no logs to add"));
        }
        logs.retain(|log| !log.paths().next().is_some_and(|path| archives.is_part(path)));
        let by_member: HashMap<&str, usize> = known
            .iter()
            .enumerate()
            .flat_map(|(at, log)| log.members.iter().map(move |member| (member.as_str(), at)))
            .collect();
        let mut due = Vec::new();
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for mut log in logs {
            match log.key().and_then(|key| by_member.get(key.as_str())) {
                // A file that the user names is always read, so that the result includes it.
                Some(at) if !log.named => {
                    let group = groups.entry(*at).or_default();
                    match state(&mut log, &known[*at]) {
                        Some(files) => group.files.extend(files),
                        None => group.is_changed = true,
                    }
                    group.logs.push(log);
                }
                _ => due.push(log),
            }
        }
        let mut settled = Vec::new();
        for (at, group) in groups {
            let log = &known[at];
            let is_same = !group.is_changed
                && group.logs.len() == log.members.len()
                && group.files.len() == log.files.len()
                && log.files.iter().all(|(path, stat)| group.files.get(path) == Some(stat));
            if is_same { settled.push((log, group.logs)) } else { due.extend(group.logs) }
        }
        let budget = MemoryBudget::new(max_event);
        let mut detected = search.detect_each(due, &budget, step)?;
        // Files of one session are joined, so those that are unchanged are read with the others.
        let ids: HashSet<_> =
            detected.iter().filter_map(|known| known.preview.session_id.clone()).collect();
        let is_related =
            |log: &KnownLog| log.session_id.as_ref().is_some_and(|id| ids.contains(id));
        let (related, settled): (Vec<_>, Vec<_>) =
            settled.into_iter().partition(|(log, _)| is_related(log));
        let related = related.into_iter().flat_map(|(_, logs)| logs).collect();
        detected.extend(search.detect_each(related, &budget, step)?);
        let firsts = detected.iter().filter_map(|known| known.log.key()).collect();
        let due = search.filter().apply(join_homes(detected, search.homes()), search.jobs())?.logs;
        Ok(Self {
            left_out: due.iter().flat_map(|known| &known.left_out).cloned().collect(),
            due,
            settled: settled.into_iter().map(|(log, _)| log.clone()).collect(),
            troubles,
            firsts,
        })
    }

    /// Returns what the index states about a log that was read, if nothing of it was changed
    /// since the run began.
    pub fn known_log(&self, known: &DetectedLog, state: &LogState) -> Option<KnownLog> {
        let files = state.files.as_ref()?;
        // If only some sessions of a log are wanted, another run adds the others.
        if known.log.wanted.is_some() {
            return None;
        }
        if !files.iter().all(|(_, stat)| stat.is_older_than(state.started)) {
            return None;
        }
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let files = files.iter().map(|(path, stat)| Some((text(path)?, *stat)));
        let own = known.log.key()?;
        let joined = known.log.paths().filter_map(Path::to_str).map(str::to_owned);
        let mut members: Vec<_> = joined.filter(|path| self.firsts.contains(path)).collect();
        // A session of a store is not named by its path alone.
        if !members.contains(&own) {
            members.push(own);
        }
        Some(KnownLog {
            members,
            files: files.collect::<Option<_>>()?,
            adapter: known.adapter.map(str::to_owned),
            variant: known.preview.variant.to_owned(),
            session_id: known.preview.session_id.clone(),
        })
    }
}

/// The maximum depth of files below the folder of an archive: `objects/ab/cdef...`.
const ARCHIVE_DEPTH: usize = 3;

/// Finds folders that are parts of archives. Their files are not archived again: objects would be
/// detected as logs, and every run would add those of the previous one.
#[derive(Default)]
struct ArchiveSearch {
    folders: HashMap<PathBuf, bool>,
}

impl ArchiveSearch {
    /// Returns whether a file may be one of an archive.
    fn is_part(&mut self, file: &Path) -> bool {
        let Some(folder) = file.parent() else { return false };
        if let Some(is_part) = self.folders.get(folder) {
            return *is_part;
        }
        let is_part = is_in_archive(folder);
        self.folders.insert(folder.to_owned(), is_part);
        is_part
    }
}

/// Returns whether a folder or a file is an archive or a part of one.
fn is_in_archive(path: &Path) -> bool {
    let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolved = named.canonicalize();
    resolved.is_ok_and(|path| path.ancestors().take(ARCHIVE_DEPTH + 1).any(Archive::is_archive))
}

/// The files of a log before it was read.
pub(crate) struct LogState {
    files: Option<Vec<(PathBuf, FileStat)>>,
    started: SystemTime,
}

impl LogState {
    pub fn new(log: &StoredLog, started: SystemTime) -> Self {
        Self { files: log.file_stats(), started }
    }
}

/// Returns the state of the files of a log that was found.
fn state(log: &mut StoredLog, known: &KnownLog) -> Option<Vec<(String, FileStat)>> {
    let files = match &known.adapter {
        None => log.file_stats()?,
        Some(name) => {
            let adapter = AGENTS.iter().find(|adapter| adapter.name() == name)?;
            log.stats_with_companions(*adapter, &known.variant, known.session_id.as_deref())?
        }
    };
    files.into_iter().map(|(path, stat)| Some((path.to_str()?.to_owned(), stat))).collect()
}
