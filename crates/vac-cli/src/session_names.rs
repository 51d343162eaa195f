//! Names of sessions: ids, unique beginnings of ids, and the latest sessions.
//!
//! Where a command reads files, the name of a session is accepted in place of a path. A file of
//! that name takes precedence. Sessions are searched where agents keep them, and records in the
//! folder or archive that the variable `VAC_RECORDS` names. A name becomes the paths of the files that its
//! session is in, and the id of the session if those files can contain others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use vac::output::existing_record;
use vac::parallel::ordered_parallel_map;
use vac::session_filter::{SessionFacts, keep_sessions, sessions_of};
use vac::store::join::DetectedLog;
use vac::store::{MemoryBudget, RecordFolders as _, StoredLog};
use vac::value::Encoding;
use vac::{Agent, Search};
use vac_archive::ArchiveFolders;

use crate::input::{self, Input};
use crate::json_output::ListedSession;
use crate::printer::Printer;
use crate::size;

/// The variable that names a folder with records.
const RECORDS: &str = "VAC_RECORDS";
/// Minimum length of a name of a session, in characters.
const MIN_LENGTH: usize = 4;
/// Maximum number of candidates that are listed for an ambiguous name.
const MAX_CANDIDATES: usize = 10;

/// The option that selects the latest sessions.
#[derive(Args, Clone, Copy, Default)]
pub struct Last {
    /// Read the latest session that an agent keeps, or the N latest
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "1",
        value_parser = size::count
    )]
    pub last: Option<usize>,
}

/// Paths to read, and which sessions of them are meant.
#[derive(Debug, Default)]
pub struct Named {
    /// The paths, with those of named sessions in place of their names.
    pub paths: Vec<PathBuf>,
    /// The ids of sessions that are meant, by a path of their log. Of other logs, all are meant.
    ids: HashMap<PathBuf, HashSet<String>>,
}

impl Named {
    /// Returns whether a session of a log is meant.
    pub fn selects(&self, log: &StoredLog, ids: &[&str]) -> bool {
        let mut wanted = log.paths().filter_map(|path| self.ids.get(path));
        wanted.next().is_none_or(|wanted| ids.iter().any(|id| wanted.contains(*id)))
    }

    /// Keeps the logs with sessions that are meant, and stores which of their sessions are meant.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn keep_meant(&self, logs: Vec<DetectedLog>, jobs: usize) -> Result<Vec<DetectedLog>> {
        if self.ids.is_empty() {
            return Ok(logs);
        }
        let mut kept = Vec::with_capacity(logs.len());
        let work = |mut known: DetectedLog| self.is_meant(&mut known).then_some(known);
        ordered_parallel_map(logs, jobs, work, |known| {
            kept.extend(known);
            ControlFlow::Continue(())
        })?;
        Ok(kept)
    }

    fn is_meant(&self, known: &mut DetectedLog) -> bool {
        let meant = known.log.paths().find_map(|path| self.ids.get(path));
        let (Some(meant), Some(agent)) = (meant, known.agent.and_then(vac::agent)) else {
            return true;
        };
        // A log that cannot be read is reported when it is converted.
        if known.log.is_one_session(agent.adapter, &known.preview).unwrap_or(true) {
            return known.preview.session_id.as_ref().is_none_or(|id| meant.contains(id));
        }
        let Ok(sessions) = sessions_of(known, agent) else { return true };
        let is_meant =
            |it: &SessionFacts| meant.contains(&it.record_id) || meant.contains(&it.session_id);
        keep_sessions(known, &sessions, is_meant)
    }

    /// Returns whether a log was found by the id of its session.
    pub fn is_by_id(&self, log: &StoredLog) -> bool {
        log.paths().any(|path| self.ids.contains_key(path))
    }

    /// Returns whether exactly one session is meant, whatever else its files contain.
    pub fn is_one_session(&self) -> bool {
        self.one_session().is_some()
    }

    /// Returns the id of the session if exactly one is meant, whatever else its files contain.
    pub fn one_session(&self) -> Option<&str> {
        let ids: HashSet<_> = self.ids.values().flatten().collect();
        let is_one = ids.len() == 1 && self.paths.iter().all(|path| self.ids.contains_key(path));
        ids.into_iter().next().filter(|_| is_one).map(String::as_str)
    }

    fn push(&mut self, session: &ListedSession) {
        for file in &session.files {
            let path = PathBuf::from(file);
            if let Some(id) = &session.session_id {
                self.ids.entry(path.clone()).or_default().insert(id.clone());
            }
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }
}

/// An ambiguous name. Its candidates are printed as lines of their own.
#[derive(Debug)]
pub struct Ambiguous {
    name: String,
    candidates: Vec<String>,
}

impl Ambiguous {
    /// Prints the error with its candidates.
    pub fn print(&self, printer: &Printer) {
        printer.error(&self.to_string());
        for candidate in self.candidates.iter().take(MAX_CANDIDATES) {
            printer.excerpt(&format!("  {candidate}"));
        }
        if self.candidates.len() > MAX_CANDIDATES {
            printer.excerpt(&format!("  and {} more", self.candidates.len() - MAX_CANDIDATES));
        }
    }
}

impl std::fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.candidates.len();
        write!(f, "`{}` is the beginning of {count} session ids (type more of it):", self.name)
    }
}

impl std::error::Error for Ambiguous {}

/// Resolves paths of logs or records: names of sessions become the paths of their files. Texts
/// that are neither stay as they are, and are reported when they are opened.
///
/// # Errors
/// If a name is [ambiguous](Ambiguous), or the sessions cannot be searched.
pub fn resolve(paths: &[PathBuf], last: Last, agent: Option<Agent>) -> Result<Named> {
    if let [path] = paths
        && let Some(name) = path.to_str().filter(|name| is_short(name))
        && path.symlink_metadata().is_err()
    {
        bail!(
            "{name}: not a file; at least {MIN_LENGTH} characters of an id name a session (see `vac list`)"
        );
    }
    let mut named = Named::default();
    if paths.iter().all(|path| name(path).is_none()) && last.last.is_none() {
        named.paths = paths.to_vec();
        return Ok(named);
    }
    let sessions = index(agent)?;
    if let Some(count) = last.last {
        latest(&sessions, count).for_each(|session| named.push(session));
    }
    for path in paths {
        let Some(name) = name(path) else {
            named.paths.push(path.clone());
            continue;
        };
        let ids =
            sessions.iter().filter_map(|session| Some((session.session_id.as_deref()?, session)));
        let mut found: BTreeMap<&str, Vec<&ListedSession>> = BTreeMap::new();
        for (id, session) in ids.filter(|(id, _)| id.starts_with(name)) {
            found.entry(id).or_default().push(session);
        }
        let records = records_named(name)?;
        let mut candidates: BTreeMap<&str, String> = BTreeMap::new();
        for (id, record) in &records {
            candidates.insert(id, format!("{id}  {}", record.display()));
        }
        for (id, sessions) in &found {
            candidates.insert(id, describe(id, sessions));
        }
        // A whole id is not the beginning of others.
        let chosen = match candidates.len() {
            0 if paths.len() == 1 => {
                bail!(
                    "{name}: neither a file nor the beginning of the id of a session; upper and lower case differ (see `vac list`)"
                )
            }
            0 => None,
            1 => candidates.keys().next().copied(),
            _ if candidates.contains_key(name) => Some(name),
            _ => {
                let candidates = candidates.into_values().collect();
                return Err(Ambiguous { name: name.to_owned(), candidates }.into());
            }
        };
        match chosen.map(|id| (found.get(id), records.get(id))) {
            Some((Some(sessions), _)) => sessions.iter().for_each(|session| named.push(session)),
            Some((None, Some(record))) => named.paths.push(record.clone()),
            _ => named.paths.push(path.clone()),
        }
    }
    Ok(named)
}

/// Resolves the path of a record: a name is that of a record in the folder of records.
///
/// # Errors
/// If the name is [ambiguous](Ambiguous), or the folder cannot be read.
pub fn resolve_record(path: &Path) -> Result<PathBuf> {
    let Some(name) = name(path) else { return Ok(path.to_owned()) };
    let mut records = records_named(name)?;
    if let Some(record) = records.remove(name) {
        return Ok(record);
    }
    match records.len() {
        0 => Ok(path.to_owned()),
        1 => Ok(records.into_values().next().expect("one record")),
        _ => {
            let line = |(id, record): (String, PathBuf)| format!("{id}  {}", record.display());
            let candidates = records.into_iter().map(line).collect();
            Err(Ambiguous { name: name.to_owned(), candidates }.into())
        }
    }
}

/// Resolves several paths as [`resolve_record`] does.
///
/// # Errors
/// As of [`resolve_record`].
pub fn resolve_records(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    paths.iter().map(|path| resolve_record(path)).collect()
}

/// Returns the text of a path that can be the name of a session: it is not a file, and it has
/// neither a folder nor an ending.
fn name(path: &Path) -> Option<&str> {
    let name = path.to_str()?;
    let is_name = name.len() >= MIN_LENGTH && name.bytes().all(is_in_id);
    (is_name && path.symlink_metadata().is_err()).then_some(name)
}

/// Returns whether a text could be the beginning of an id, but is too short for a name.
fn is_short(name: &str) -> bool {
    let is_id = name.bytes().all(is_in_id) && name.bytes().any(|byte| byte != b'-');
    name.len() < MIN_LENGTH && is_id
}

fn is_in_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Finds the sessions that agents keep.
fn index(agent: Option<Agent>) -> Result<Vec<ListedSession>> {
    let agents = agent.iter().map(|agent| agent.name.to_owned()).collect();
    let search = Search { discover: true, agents, ..Search::default() };
    let found = search.find(&MemoryBudget::none(), &mut |_| {})?;
    let jobs = std::thread::available_parallelism().map_or(1, Into::into);
    let mut sessions = Vec::new();
    let read = |known| ListedSession::from_log(known, false);
    ordered_parallel_map(&found.logs, jobs, read, |found| {
        sessions.extend(found);
        ControlFlow::Continue(())
    })?;
    Ok(sessions)
}

/// Returns the sessions that began last, the latest first.
fn latest(sessions: &[ListedSession], count: usize) -> impl Iterator<Item = &ListedSession> {
    let mut sessions: Vec<_> = sessions.iter().filter(|it| it.start.is_some()).collect();
    sessions.sort_by(|a, b| b.start.cmp(&a.start).then_with(|| a.session_id.cmp(&b.session_id)));
    sessions.into_iter().take(count)
}

fn describe(id: &str, sessions: &[&ListedSession]) -> String {
    let session = sessions.first();
    let text = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let agent = text(session.map(|session| session.agent.as_str()));
    let start = text(session.and_then(|session| session.start.as_deref()));
    let project = text(session.and_then(|session| session.project.as_deref()));
    format!("{id}  {agent}  {start}  {project}")
}

/// Returns the folder of records, if the user names one.
///
/// # Errors
/// If it does not exist.
pub fn records_folder() -> Result<Option<PathBuf>> {
    let Some(folder) = std::env::var_os(RECORDS).filter(|folder| !folder.is_empty()) else {
        return Ok(None);
    };
    let folder = PathBuf::from(folder);
    folder.metadata().with_context(|| format!("{RECORDS}: {}", folder.display()))?;
    Ok(Some(folder))
}

/// Returns the records in the folder of records whose ids, or whose file names, begin with a name.
fn records_named(name: &str) -> Result<BTreeMap<String, PathBuf>> {
    let mut records = BTreeMap::new();
    let Some(folder) = records_folder()? else { return Ok(records) };
    if let Some(kept) = ArchiveFolders.open(&folder) {
        let kept = kept.with_context(|| format!("{RECORDS}: {}", folder.display()))?;
        let named = kept.records.into_iter().filter(|it| it.session_id.starts_with(name));
        records.extend(named.map(|it| (it.session_id, PathBuf::from(it.shown))));
        return Ok(records);
    }
    for input in input::find(&[folder]) {
        let Input::File(path) = input else { continue };
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_cbor = path.extension().is_some_and(|ending| ending == "cbor");
        let encoding = if is_cbor { Encoding::Cbor } else { Encoding::Json };
        // A file that cannot be read is not a record.
        let id = existing_record::read_id(&path, encoding).ok().flatten();
        let id = id.filter(|id| id.starts_with(name));
        let by_file = || Some(stem.to_owned()).filter(|stem| stem.starts_with(name));
        if let Some(id) = id.or_else(by_file) {
            records.entry(id).or_insert(path);
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_neither_files_nor_paths() {
        let is_name = |text: &str| name(Path::new(text)).is_some();
        assert!(is_name("0a0a") && is_name("ses_0a1b2c3d") && is_name("0a0a0a0a-0000"));
        for text in ["", "-", "0a0", "a.json", "a/bcde", "./abcd", "src", "Cargo.toml", "täst"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
