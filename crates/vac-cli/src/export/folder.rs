//! Exports to a folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use vac::parallel::ordered_parallel_map;
use vac_table::SessionTable;
use vac_table::file_writer::{TableFileWriter, copy_without};

use super::export_format::FileKind;
use super::group::{GroupReader, GroupResult, SessionState};
use super::manifest::{self, Manifest, ManifestLog, ManifestPart};
use super::part_files::{self, Content, Part, PartFile, Target};
use super::read_sessions::ReadSessions;
use super::{ExportFormat, ExportOptions, groups, partition};
use crate::atomic_file::{AtomicFile, is_nameless, make_folder};
use crate::convert::lock::{self, Wait};
use crate::exit::Exit;
use crate::format::pluralize;
use crate::printer::Printer;
use crate::session_scan::{Scan, ScanFailure, Unit};

/// What came of an export.
#[derive(Default)]
pub struct ExportSummary {
    /// Sessions that were not in the folder.
    pub new: u64,
    /// Sessions of logs that were changed.
    pub changed: u64,
    /// Sessions that are in the folder already.
    pub unchanged: u64,
    /// The number of rows that were written, by table.
    pub rows: BTreeMap<SessionTable, u64>,
    /// The number of steps or spans that were written.
    pub parts: u64,
    /// The logs and sessions that could not be read.
    pub failures: Vec<ScanFailure>,
}

impl ExportSummary {
    /// Returns the worst of what happened.
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
    units: Vec<Unit>,
    printer: &Printer,
) -> Result<ExportSummary> {
    if !units.is_empty() {
        make_folder(folder, options.mode.readers_of_logs(units.iter().map(Unit::log)))?;
    }
    // Two exports at once would write rows of the same sessions.
    let _lock = folder.is_dir().then(|| lock::acquire(folder, Wait::Yes, printer)).transpose()?;
    let begun = SystemTime::now();
    let earlier = Manifest::read(folder)?;
    if let Some(earlier) = earlier.as_ref().filter(|_| !options.force) {
        earlier.check(options, folder)?;
    }
    let mut earlier = earlier.unwrap_or_else(|| Manifest::new(options));
    remove(folder, &earlier.superfluous_files())?;
    remove_unfinished(folder)?;
    // Text files are written anew, and so is everything that another build wrote.
    let is_kept = !options.force && options.format.is_readable();
    let incomplete = if is_kept { earlier.take_incomplete(folder) } else { Vec::new() };
    for part in &incomplete {
        let missing = earlier.paths(part).into_iter().map(|path| folder.join(path));
        let missing = missing.filter(|path| path.symlink_metadata().is_err());
        let sessions = pluralize(part.keys.len() as u64, "session");
        for path in missing {
            let path = path.display();
            printer.warn(&format!("{path} is missing ({sessions}, exported again if possible)"));
        }
    }
    let earlier = earlier;
    let is_known = is_kept && earlier.is_current();
    let known = if is_known { earlier.known_keys() } else { HashSet::new() };
    let by_path = earlier.by_path();
    let mut export = FolderExport {
        folder,
        options,
        summary: ExportSummary::default(),
        parts: Vec::new(),
        logs: Vec::new(),
        replaced: HashSet::new(),
        unchanged: HashSet::new(),
        owners: earlier.owners(),
        found: units.iter().map(|unit| manifest::path(unit.log())).collect(),
        read: ReadSessions::default(),
    };
    let mut waiting = Vec::new();
    for unit in units {
        let log =
            by_path.get(&*manifest::path(unit.log())).map(|index| (*index, &earlier.logs[*index]));
        match log.filter(|_| is_known) {
            Some((_, log))
                if log.stats.is_some()
                    && log.stats == unit.log().stats()
                    && log.keys.iter().all(|key| known.contains(key)) =>
            {
                export.unchanged.extend(log.keys.iter().cloned());
            }
            _ => waiting.push(unit),
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
        let added = result.and_then(|result| {
            let readers = options.mode.readers_of_logs(units.iter().map(Unit::log));
            let target = Target::Folder(folder, readers);
            let result = export.read.without_repeated(&reader, &units, target, result)?;
            export.add(&units, result, &by_path, begun, printer);
            Ok(())
        });
        match added {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        }
    })?;
    failed.with_context(|| format!("cannot write to {}", folder.display()))?;
    export.finish(&earlier, &incomplete, is_kept)
}

/// An export to a folder, while logs are read.
struct FolderExport<'e> {
    folder: &'e Path,
    options: &'e ExportOptions,
    summary: ExportSummary,
    parts: Vec<Part>,
    logs: Vec<ManifestLog>,
    /// The indices of logs of the earlier manifest that were read again.
    replaced: HashSet<usize>,
    /// The sessions that are in the folder already.
    unchanged: HashSet<String>,
    /// The logs of the earlier manifest that sessions were read from.
    owners: HashMap<&'e str, &'e str>,
    /// The paths of all logs that were found.
    found: HashSet<String>,
    read: ReadSessions,
}

impl FolderExport<'_> {
    fn add(
        &mut self,
        units: &[Unit],
        result: GroupResult,
        by_path: &HashMap<&str, usize>,
        begun: SystemTime,
        printer: &Printer,
    ) {
        for failure in &result.failures {
            failure.report(printer);
        }
        self.summary.failures.extend(result.failures);
        for (unit, log) in units.iter().zip(result.logs) {
            let path = manifest::path(unit.log());
            let earlier = by_path.get(path.as_str()).copied();
            let (mut keys, mut repeated) = (Vec::new(), Vec::new());
            let mut has_written = false;
            for session in log.sessions {
                let is_own = match session.state {
                    SessionState::Written => {
                        has_written = true;
                        *(match earlier {
                            Some(_) => &mut self.summary.changed,
                            None => &mut self.summary.new,
                        }) += 1;
                        true
                    }
                    SessionState::Known => {
                        let is_own = self.is_owner(&path, &session.key);
                        if is_own {
                            self.unchanged.insert(session.key.clone());
                        }
                        is_own
                    }
                    SessionState::Repeated => false,
                };
                if is_own { keys.push(session.key) } else { repeated.push(session.key) }
            }
            // What could not be read does not replace what was read before.
            if log.has_failed && !has_written && earlier.is_some() {
                continue;
            }
            self.replaced.extend(earlier);
            let is_settled = |stats: &Vec<_>| {
                !log.has_failed
                    && stats.iter().all(|stat: &vac_store::FileStat| stat.is_older_than(begun))
            };
            let stats = log.stats.filter(is_settled);
            self.logs.push(ManifestLog { path, stats, keys, repeated });
        }
        for part in result.parts {
            self.summary.add_rows(&part);
            self.parts.push(part);
        }
    }

    /// Whether a session in the tables belongs to a log: it was read from there, or from a log that
    /// does not exist any more.
    fn is_owner(&self, path: &str, key: &str) -> bool {
        self.owners.get(key).is_some_and(|owner| *owner == path || !self.found.contains(*owner))
    }

    /// Gives files their names, takes rows that were replaced out of earlier files, and writes the
    /// manifest.
    fn finish(
        self,
        earlier: &Manifest,
        incomplete: &[ManifestPart],
        is_kept: bool,
    ) -> Result<ExportSummary> {
        let Self { folder, options, mut summary, parts, logs, replaced, unchanged, .. } = self;
        summary.unchanged = unchanged.len() as u64;
        if parts.is_empty() && logs.is_empty() && incomplete.is_empty() && is_kept {
            return Ok(summary);
        }
        let mut manifest = Manifest::new(options);
        if is_kept {
            let is_same = |(index, _): &(usize, _)| !replaced.contains(index);
            let kept = earlier.logs.iter().enumerate().filter(is_same);
            manifest.logs.extend(kept.map(|(_, log)| log.clone()));
            // A log that was moved takes its sessions along.
            let moved: HashSet<_> = logs.iter().flat_map(|log| &log.keys).collect();
            for log in &mut manifest.logs {
                log.keys.retain(|key| !moved.contains(key));
            }
        }
        manifest.logs.extend(logs);
        manifest.logs.sort_by(|a, b| a.path.cmp(&b.path));
        let written: HashSet<&str> =
            parts.iter().flat_map(|part| &part.keys).map(String::as_str).collect();
        let live = manifest.live_keys();
        let is_live = |key: &String| is_kept && live.contains(&**key) && !written.contains(&**key);
        let (mut listed, mut divided) = (Vec::new(), Vec::new());
        for part in &earlier.parts {
            let kept: Vec<_> = part.keys.iter().filter(|key| is_live(key)).cloned().collect();
            if kept.len() == part.keys.len() {
                listed.push(part.clone());
            } else if !kept.is_empty() {
                let kept = ManifestPart { partition: part.partition.clone(), keys: kept };
                listed.push(kept.clone());
                divided.push((part, kept));
            }
        }
        listed.extend(parts.iter().map(|part| ManifestPart {
            partition: part.partition.clone(),
            keys: part.keys.clone(),
        }));
        manifest.parts = listed;
        // Rows of a session must not be in two files for longer than this takes, so the files are
        // named before they exist and before they are removed: the next export removes what one that
        // was killed has left.
        let mut begun = earlier.clone();
        begun.superfluous = manifest.files_without(earlier);
        begun.write(folder)?;
        let write_files = || -> Result<()> {
            for (part, kept) in &divided {
                take_out(folder, options, part, kept)?;
            }
            parts.into_iter().try_for_each(|part| publish(folder, options.format, part))
        };
        if let Err(error) = write_files() {
            // What remains is removed by the next export.
            drop(remove(folder, &begun.superfluous));
            return Err(error);
        }
        let mut before = earlier.clone();
        before.parts.extend_from_slice(incomplete);
        manifest.superfluous = before.files_without(&manifest);
        manifest.write(folder)?;
        remove(folder, &manifest.superfluous)?;
        Ok(summary)
    }
}

/// Writes the rows of some sessions of earlier files to new files.
fn take_out(
    folder: &Path,
    options: &ExportOptions,
    part: &ManifestPart,
    kept: &ManifestPart,
) -> Result<()> {
    let ExportFormat::Tables(format) = options.format else { return Ok(()) };
    let keys: BTreeSet<_> =
        part.keys.iter().filter(|key| !kept.keys.contains(key)).cloned().collect();
    for table in options.tables.iter() {
        let from = folder.join(path(table, part, format));
        let to = folder.join(path(table, kept, format));
        let copy = || -> io::Result<()> {
            let readers = options.mode.readers_of_files([&*from]);
            let file = AtomicFile::new(&to, readers)?;
            let mut out = TableFileWriter::new(BufWriter::new(file), format, table, true)?;
            copy_without(format, File::open(&from)?, &keys, &mut out)?;
            let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(true)
        };
        copy().with_context(|| format!("cannot write {} without changed rows", from.display()))?;
    }
    Ok(())
}

/// Gives the files of a part their names.
fn publish(folder: &Path, format: ExportFormat, part: Part) -> Result<()> {
    let paths: Vec<_> =
        part.files.iter().map(|file| folder.join(part.path(file.kind, format))).collect();
    for (PartFile { content, .. }, path) in part.files.into_iter().zip(paths) {
        if let Content::Nameless(file) = content {
            let persisted = file.persist(&path, true);
            persisted.with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

/// Removes files of a folder that exist.
fn remove(folder: &Path, files: &[String]) -> Result<()> {
    for file in files {
        let file = folder.join(file);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes files without a name that exports have left that were killed. The folder is locked, so
/// they are not those of another export.
fn remove_unfinished(folder: &Path) -> Result<()> {
    let is_ours = |name: &str| {
        SessionTable::parse(name).is_some() || partition::is_folder(&format!("{name}/"))
    };
    let mut waiting = vec![(folder.to_owned(), false)];
    while let Some((folder, has_files)) = waiting.pop() {
        let mut read = || -> io::Result<()> {
            for entry in folder.read_dir()? {
                let entry = entry?;
                let (name, kind) = (entry.file_name(), entry.file_type()?);
                let Some(name) = name.to_str() else { continue };
                if kind.is_dir() && is_ours(name) {
                    waiting.push((entry.path(), true));
                } else if has_files && kind.is_file() && is_nameless(name) {
                    std::fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        match read() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot clean {}", folder.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn path(
    table: SessionTable,
    part: &ManifestPart,
    format: vac_table::file_writer::FileFormat,
) -> std::path::PathBuf {
    part_files::path(table, &part.partition, &part.keys, format)
}
