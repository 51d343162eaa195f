//! Exports to a folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use vac::files::{Wait, lock_folder, make_folder};
use vac::parallel::ordered_parallel_map;
use vac::tables::SessionTable;

use super::export_format::FileKind;
use super::exported_session::ExportedSession;
use super::folder_files::{exported_files, publish, remove, remove_unfinished, take_out};
use super::group::{GroupReader, GroupResult, ReadLog, ReadSession, SessionState};
use super::manifest::{self, FoundManifest, Manifest, ManifestLog, ManifestPart};
use super::part_files::{Part, Target};
use super::read_sessions::{self, ReadSessions, has_grown};
use super::{ExportOptions, groups};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::printer::Printer;
use crate::session_scan::{Scan, ScanFailure, Unit};

/// The result of an export.
#[derive(Default)]
pub struct ExportSummary {
    /// Sessions that were not in the folder.
    pub new: u64,
    /// Sessions of logs that were changed.
    pub changed: u64,
    /// Sessions that were in the folder already.
    pub unchanged: u64,
    /// The number of rows that were written, by table.
    pub rows: BTreeMap<SessionTable, u64>,
    /// The number of steps or spans that were written.
    pub parts: u64,
    /// The logs and sessions that could not be read.
    pub failures: Vec<ScanFailure>,
}

impl ExportSummary {
    /// Returns the most severe result.
    pub fn exit(&self, found: Exit) -> Exit {
        self.failures.iter().fold(found, |exit, failure| exit.max(failure.exit))
    }

    /// Counts the rows of a part.
    pub fn add_rows(&mut self, part: &Part) {
        for file in &part.files {
            match file.kind {
                FileKind::Table(table) => *self.rows.entry(table).or_default() += file.rows,
                FileKind::Session => self.parts += file.rows,
            }
        }
    }
}

/// Exports sessions to a folder, which is created if it does not exist.
pub fn export_to_folder(
    folder: &Path,
    options: &ExportOptions,
    scan: &Scan<'_>,
    mut units: Vec<Unit>,
    printer: &Printer,
) -> Result<ExportSummary> {
    // A folder that is searched may contain this one, and trajectories can be read.
    if let Ok(folder) = folder.canonicalize() {
        units.retain(|unit| !manifest::is_file_of_export(unit.log(), &folder));
    }
    read_sessions::sort(&mut units);
    if !units.is_empty() {
        make_folder(folder, options.mode.readers_of_logs(units.iter().map(Unit::log)))?;
    }
    // Two simultaneous exports would write rows of the same sessions.
    let waits = || printer.waiting_for(folder);
    let _lock = folder.is_dir().then(|| lock_folder(folder, Wait::Yes, waits)).transpose()?;
    let begun = SystemTime::now();
    let (mut earlier, leftovers) = match Manifest::read(folder)? {
        FoundManifest::None => (Manifest::new(options), Vec::new()),
        FoundManifest::Damaged(error) if !options.force => return Err(error),
        FoundManifest::Damaged(_) => (Manifest::new(options), exported_files(folder)?),
        FoundManifest::Intact(manifest) => {
            if !options.force {
                manifest.check(options, folder)?;
            }
            (manifest, Vec::new())
        }
    };
    remove_unfinished(folder)?;
    remove(folder, &earlier.superfluous_files())?;
    // Text files are written anew, and so is everything that another build wrote.
    let is_kept = !options.force && options.format.is_readable();
    let incomplete = if is_kept { earlier.take_incomplete(folder) } else { Vec::new() };
    for part in &incomplete {
        let sessions = pluralize(part.keys.len() as u64, "session");
        for path in earlier.missing_files(part, folder) {
            let path = path.display();
            printer.warn(&format!("{path} is missing ({sessions}, exported again if possible)"));
        }
    }
    let earlier = earlier;
    let is_known = is_kept && earlier.is_current();
    let known = if is_known { earlier.known_keys() } else { HashSet::new() };
    let mut export = FolderExport {
        folder,
        options,
        printer,
        begun,
        summary: ExportSummary::default(),
        earlier: &earlier,
        incomplete: &incomplete,
        leftovers: &leftovers,
        is_kept,
        by_path: earlier.by_path(),
        by_id: if is_kept { earlier.largest_sessions() } else { HashMap::new() },
        owners: earlier.owners(),
        found: units.iter().map(|unit| manifest::path(unit.log())).collect(),
        read: ReadSessions::default(),
        parts: Vec::new(),
        logs: Vec::new(),
        sessions: BTreeMap::new(),
        replaced: HashSet::new(),
        continued: HashSet::new(),
        unchanged: HashSet::new(),
    };
    let mut waiting = Vec::new();
    for unit in units {
        match export
            .unchanged_log(&unit)
            .filter(|log| is_known && log.keys.iter().all(|key| known.contains(key)))
        {
            Some(log) => export.add_unchanged(unit, log)?,
            None => waiting.push(unit),
        }
    }
    let reader = GroupReader { scan, options, known: &known };
    let make = |units: Vec<Unit>| {
        let readers = options.mode.readers_of_logs(units.iter().map(Unit::log));
        let result = reader.read(&units, &HashSet::new(), Target::Folder(folder, readers));
        (units, result)
    };
    let progress = printer.progress("exporting", waiting.len());
    let mut failed = Ok(());
    ordered_parallel_map(groups(waiting), options.jobs, make, |(units, result)| {
        for _ in &units {
            progress.step();
        }
        let units = Arc::from(units);
        let added = result.and_then(|result| export.add_group(&reader, &units, result));
        match added {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        }
    })?;
    failed.with_context(|| format!("cannot write to {}", folder.display()))?;
    export.finish()
}

/// An export to a folder, while logs are read.
struct FolderExport<'e> {
    folder: &'e Path,
    options: &'e ExportOptions,
    printer: &'e Printer,
    begun: SystemTime,
    summary: ExportSummary,
    /// The manifest of the earlier export, without the parts of which a file is missing.
    earlier: &'e Manifest,
    /// The parts of which a file is missing.
    incomplete: &'e [ManifestPart],
    /// The files of an earlier export whose manifest is damaged.
    leftovers: &'e [String],
    /// Whether sessions in the folder that are not read again are kept.
    is_kept: bool,
    /// The indices of the logs of the earlier manifest.
    by_path: HashMap<&'e str, usize>,
    /// The keys of the sessions of the earlier manifest, by agent and id.
    by_id: HashMap<(&'e str, &'e str), &'e str>,
    /// The logs of the earlier manifest that sessions were read from.
    owners: HashMap<&'e str, &'e str>,
    /// The paths of all logs that were found.
    found: HashSet<String>,
    read: ReadSessions,
    parts: Vec<Part>,
    logs: Vec<ManifestLog>,
    /// The sessions of `parts`.
    sessions: BTreeMap<String, ExportedSession>,
    /// The indices of logs of the earlier manifest that were read again.
    replaced: HashSet<usize>,
    /// The sessions in the folder that sessions of other logs continue.
    continued: HashSet<&'e str>,
    /// The sessions that are in the folder already.
    unchanged: HashSet<String>,
}

impl<'e> FolderExport<'e> {
    /// Returns what the earlier manifest states about a log, if its files are unchanged.
    fn unchanged_log(&self, unit: &Unit) -> Option<&'e ManifestLog> {
        let log = &self.earlier.logs[*self.by_path.get(&*manifest::path(unit.log()))?];
        (log.stats.is_some() && log.stats == unit.log().stats()).then_some(log)
    }

    fn add_unchanged(&mut self, unit: Unit, log: &ManifestLog) -> io::Result<()> {
        let units = Arc::from([unit]);
        for key in &log.keys {
            self.unchanged.insert(key.clone());
            if let Some(session) = self.earlier.sessions.get(key) {
                self.read.add_known(key, session, (&units, 0))?;
            }
        }
        Ok(())
    }

    /// Adds the sessions that were read in a group.
    fn add_group(
        &mut self,
        reader: &GroupReader<'_>,
        units: &Arc<[Unit]>,
        result: GroupResult,
    ) -> io::Result<()> {
        let readers = self.options.mode.readers_of_logs(units.iter().map(Unit::log));
        let target = Target::Folder(self.folder, readers);
        let result = self.read.without_repeated(reader, units, target, result)?;
        for failure in &result.failures {
            failure.report(self.printer);
        }
        self.summary.failures.extend(result.failures);
        for (unit, log) in units.iter().zip(result.logs) {
            self.add_log(unit, log)?;
        }
        for part in result.parts {
            self.summary.add_rows(&part);
            self.parts.push(part);
        }
        Ok(())
    }

    fn add_log(&mut self, unit: &Unit, log: ReadLog) -> io::Result<()> {
        let path = manifest::path(unit.log());
        let earlier = self.by_path.get(path.as_str()).copied();
        let (mut keys, mut repeated) = (Vec::new(), Vec::new());
        let mut has_written = false;
        for ReadSession { key, state, session, .. } in log.sessions {
            let is_own = match state {
                SessionState::Written => {
                    has_written = true;
                    let continued = self.continued_session(unit, &path, &session)?;
                    let is_changed = self.had_session(earlier, &session) || continued.is_some();
                    self.continued.extend(continued);
                    *(if is_changed {
                        &mut self.summary.changed
                    } else {
                        &mut self.summary.new
                    }) += 1;
                    self.sessions.insert(key.clone(), session);
                    true
                }
                SessionState::Known => {
                    let is_own = self.is_owner(&path, &key);
                    if is_own {
                        self.unchanged.insert(key.clone());
                    }
                    is_own
                }
                SessionState::Repeated => false,
            };
            if is_own { keys.push(key) } else { repeated.push(key) }
        }
        let wanted = &unit.log().wanted;
        if let (Some(wanted), Some(earlier)) = (wanted, earlier) {
            // The exported sessions of the log that are not wanted in this run stay.
            let earlier = &self.earlier.logs[earlier];
            let is_other = |key: &&String| {
                let session = self.earlier.sessions.get(*key);
                session.is_some_and(|session| !wanted.contains(&session.id))
            };
            keys.extend(earlier.keys.iter().filter(is_other).cloned());
            repeated.extend(earlier.repeated.iter().cloned());
        }
        // A session that could not be read does not replace an earlier one.
        let is_empty = keys.is_empty() && repeated.is_empty();
        if log.has_failed && !has_written && (earlier.is_some() || is_empty) {
            return Ok(());
        }
        self.replaced.extend(earlier);
        // If only some sessions of a log were wanted, the next export reads the others.
        let is_settled = |stats: &Vec<_>| {
            !log.has_failed
                && wanted.is_none()
                && stats.iter().all(|stat: &vac::store::FileStat| stat.is_older_than(self.begun))
        };
        let stats = log.stats.filter(is_settled);
        self.logs.push(ManifestLog { path, stats, keys, repeated });
        Ok(())
    }

    /// Returns whether a session of this id was read from a log of the earlier manifest.
    fn had_session(&self, log: Option<usize>, session: &ExportedSession) -> bool {
        let keys = log.map(|log| &self.earlier.logs[log]);
        let mut keys = keys.into_iter().flat_map(|log| log.keys.iter().chain(&log.repeated));
        let id = session.agent_and_id();
        keys.any(|key| self.earlier.sessions.get(key).is_none_or(|it| it.agent_and_id() == id))
    }

    /// Returns the session in the tables that a session of another log has grown from: that log was
    /// moved or came through standard input, or a record was made from it. Logs that exist count each.
    fn continued_session(
        &self,
        unit: &Unit,
        path: &str,
        session: &ExportedSession,
    ) -> io::Result<Option<&'e str>> {
        let Some(&key) = self.by_id.get(&session.agent_and_id()) else { return Ok(None) };
        let Some(earlier) = self.earlier.sessions.get(key) else { return Ok(None) };
        let owner = self.owners.get(key).copied().unwrap_or("");
        let is_of_this_log = !path.is_empty() && owner == path;
        if is_of_this_log || !(earlier.is_record || self.is_gone(owner)) {
            return Ok(None);
        }
        Ok(has_grown(unit, earlier, session)?.then_some(key))
    }

    /// Returns whether a log no longer exists. The path of a session in a store ends with `#` and
    /// its key.
    fn is_gone(&self, path: &str) -> bool {
        let stores = path.match_indices('#').map(|(end, _)| &path[..end]);
        let exists = |path: &str| Path::new(path).symlink_metadata().is_ok();
        path.is_empty() || !self.found.contains(path) && !stores.chain([path]).any(exists)
    }

    /// Whether a session in the tables belongs to a log: it was read from there, or from a log that
    /// does not exist any more.
    fn is_owner(&self, path: &str, key: &str) -> bool {
        self.owners.get(key).is_some_and(|owner| *owner == path || !self.found.contains(*owner))
    }

    /// Gives files their names, takes rows that were replaced out of earlier files, and writes the
    /// manifest. If no session was read, the folder stays as it is.
    fn finish(mut self) -> Result<ExportSummary> {
        self.summary.unchanged = self.unchanged.len() as u64;
        if self.parts.is_empty()
            && self.unchanged.is_empty()
            && (self.logs.is_empty() || !self.is_kept)
        {
            let is_replaced = !self.earlier.parts.is_empty() || !self.leftovers.is_empty();
            if is_replaced && !self.is_kept {
                let folder = self.folder.display();
                self.printer.warn(&format!("no session was read, so the export in {folder} stays"));
            }
            self.report_lost(&self.earlier.live_keys());
            return Ok(self.summary);
        }
        if self.parts.is_empty() && self.logs.is_empty() && self.incomplete.is_empty() {
            return Ok(self.summary);
        }
        let NewManifest { mut manifest, divided, lost } = self.new_manifest();
        self.report_lost(&lost.iter().map(String::as_str).collect());
        self.warn_of_differing(&manifest);
        let Self { folder, options, summary, earlier, incomplete, leftovers, parts, .. } = self;
        // Rows of a session must not be in two files for longer than this takes, so the files are
        // named before they exist and before they are removed: the next export removes what one that
        // was killed has left.
        let added = manifest.files_without(earlier);
        let mut begun = earlier.clone();
        begun.superfluous = [&added, leftovers].concat();
        begun.write(folder)?;
        let write_files = || -> Result<()> {
            for (part, kept) in &divided {
                take_out(folder, options, part, kept)?;
            }
            parts.into_iter().try_for_each(|part| publish(folder, options.format, part))
        };
        if let Err(error) = write_files() {
            // What remains is removed by the next export.
            drop(remove(folder, &added));
            return Err(error);
        }
        let mut before = earlier.clone();
        before.parts.extend_from_slice(incomplete);
        manifest.superfluous = before.files_without(&manifest);
        manifest.superfluous.extend_from_slice(leftovers);
        manifest.superfluous = manifest.superfluous_files();
        manifest.write(folder)?;
        remove(folder, &manifest.superfluous)?;
        Ok(summary)
    }

    /// Returns the manifest of what the folder is to contain.
    fn new_manifest(&self) -> NewManifest<'e> {
        let mut manifest = Manifest::new(self.options);
        if self.is_kept {
            let is_same = |(index, _): &(usize, _)| !self.replaced.contains(index);
            let kept = self.earlier.logs.iter().enumerate().filter(is_same);
            manifest.logs.extend(kept.map(|(_, log)| log.clone()));
            // The sessions of a log that was moved belong to the log at its new path.
            let moved: HashSet<_> = self.logs.iter().flat_map(|log| &log.keys).collect();
            for log in &mut manifest.logs {
                log.keys.retain(|key| !moved.contains(key));
            }
        }
        manifest.logs.extend_from_slice(&self.logs);
        manifest.logs.sort_by(|a, b| a.path.cmp(&b.path));
        for log in &mut manifest.logs {
            // A session that a session of another log continues is exported from that log.
            let keys = std::mem::take(&mut log.keys).into_iter();
            let (continued, keys) = keys.partition(|key| self.continued.contains(key.as_str()));
            log.keys = keys;
            log.repeated.extend::<Vec<_>>(continued);
        }
        let written: HashSet<&str> =
            self.parts.iter().flat_map(|part| &part.keys).map(String::as_str).collect();
        let live = manifest.live_keys();
        let is_live =
            |key: &String| self.is_kept && live.contains(&**key) && !written.contains(&**key);
        let (mut listed, mut divided) = (Vec::new(), Vec::new());
        for part in &self.earlier.parts {
            let kept: Vec<_> = part.keys.iter().filter(|key| is_live(key)).cloned().collect();
            if kept.len() == part.keys.len() {
                listed.push(part.clone());
            } else if !kept.is_empty() {
                let kept = ManifestPart { partition: part.partition.clone(), keys: kept };
                listed.push(kept.clone());
                divided.push((part, kept));
            }
        }
        listed.extend(self.parts.iter().map(|part| ManifestPart {
            partition: part.partition.clone(),
            keys: part.keys.clone(),
        }));
        let in_files: HashSet<&str> =
            listed.iter().flat_map(|part| &part.keys).map(String::as_str).collect();
        let lost = live.iter().filter(|key| !in_files.contains(*key)).map(|key| (*key).to_owned());
        let lost = lost.collect();
        for log in &mut manifest.logs {
            log.keys.retain(|key| in_files.contains(key.as_str()));
        }
        let sessions = self.earlier.sessions.iter().chain(&self.sessions);
        let sessions = sessions.filter(|(key, _)| in_files.contains(key.as_str()));
        manifest.sessions = sessions.map(|(key, it)| (key.clone(), it.clone())).collect();
        manifest.parts = listed;
        NewManifest { manifest, divided, lost }
    }

    /// Reports the sessions of files that are missing that could not be exported again.
    fn report_lost(&mut self, lost: &BTreeSet<&str>) {
        for part in self.incomplete {
            let count = part.keys.iter().filter(|key| lost.contains(key.as_str())).count();
            let missing = self.earlier.missing_files(part, self.folder).next();
            if let Some(file) = missing.filter(|_| count > 0) {
                let sessions = pluralize(count as u64, "session");
                let error = format!("the file is missing, and no log of {sessions} in it was read");
                let file = file.display().to_string();
                let failure = ScanFailure { file, error, exit: Exit::Failure };
                failure.report(self.printer);
                self.summary.failures.push(failure);
            }
        }
    }

    /// Warns of new sessions whose agent and id are those of another one.
    fn warn_of_differing(&self, manifest: &Manifest) {
        let mut counts: HashMap<_, u64> = HashMap::new();
        for session in manifest.sessions.values() {
            *counts.entry(session.agent_and_id()).or_default() += 1;
        }
        let is_differing = |it: &&ExportedSession| counts.get(&it.agent_and_id()) > Some(&1);
        let count = self.sessions.values().filter(is_differing).count();
        read_sessions::warn_of_differing(count as u64, self.printer);
    }
}

/// The manifest of what a folder is to contain.
struct NewManifest<'e> {
    manifest: Manifest,
    /// The earlier parts that lose rows, and what remains of each.
    divided: Vec<(&'e ManifestPart, ManifestPart)>,
    /// The sessions whose files are missing.
    lost: Vec<String>,
}
