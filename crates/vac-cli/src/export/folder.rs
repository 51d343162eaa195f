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
use vac_table::file_writer::{FileFormat, TableFileWriter, copy_without};

use super::group::{GroupReader, GroupResult, SessionState};
use super::manifest::{self, Manifest, ManifestLog, ManifestPart};
use super::part_files::{self, Content, Part, PartFile, Target};
use super::read_sessions::ReadSessions;
use super::{ExportOptions, groups};
use crate::atomic_file::{AtomicFile, make_folder};
use crate::exit::Exit;
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
            *self.rows.entry(file.table).or_default() += file.rows;
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
    let begun = SystemTime::now();
    let earlier = Manifest::read(folder)?;
    if let Some(earlier) = earlier.as_ref().filter(|_| !options.force) {
        earlier.check(options, folder)?;
    }
    let earlier = earlier.unwrap_or_else(|| Manifest::new(options));
    // Text files are written anew, and so is everything that another build wrote.
    let is_kept = !options.force && options.format.is_readable();
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
            Some((_, log)) if log.stats.is_some() && log.stats == unit.log().stats() => {
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
    if !waiting.is_empty() {
        make_folder(folder, options.mode.readers_of_logs(waiting.iter().map(Unit::log)))?;
    }
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
    export.finish(&earlier, is_kept)
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
    fn finish(self, earlier: &Manifest, is_kept: bool) -> Result<ExportSummary> {
        let Self { folder, options, mut summary, parts, logs, replaced, unchanged, .. } = self;
        summary.unchanged = unchanged.len() as u64;
        if parts.is_empty() && logs.is_empty() && is_kept {
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
        let (mut rewritten, mut superfluous) = (Vec::new(), Vec::new());
        for part in &earlier.parts {
            let kept: Vec<_> = part.keys.iter().filter(|key| is_live(key)).cloned().collect();
            if kept.len() == part.keys.len() {
                rewritten.push(part.clone());
                continue;
            }
            if !kept.is_empty() {
                let kept = ManifestPart { partition: part.partition.clone(), keys: kept };
                take_out(folder, options, part, &kept)?;
                rewritten.push(kept);
            }
            superfluous.push(part);
        }
        for part in parts {
            rewritten.push(publish(folder, options.format, part)?);
        }
        manifest.parts = rewritten;
        manifest.write(folder)?;
        remove(folder, earlier, &superfluous, &manifest)?;
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
    let keys: BTreeSet<_> =
        part.keys.iter().filter(|key| !kept.keys.contains(key)).cloned().collect();
    for table in options.tables.iter() {
        let from = folder.join(path(table, part, options.format));
        let to = folder.join(path(table, kept, options.format));
        let copy = || -> io::Result<()> {
            let readers = options.mode.readers_of_files([&*from]);
            let file = AtomicFile::new(&to, readers)?;
            let mut out = TableFileWriter::new(BufWriter::new(file), options.format, table, true)?;
            copy_without(options.format, File::open(&from)?, &keys, &mut out)?;
            let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(true)
        };
        copy().with_context(|| format!("cannot write {} without changed rows", from.display()))?;
    }
    Ok(())
}

fn publish(folder: &Path, format: FileFormat, part: Part) -> Result<ManifestPart> {
    let paths: Vec<_> =
        part.files.iter().map(|file| folder.join(part.path(file.table, format))).collect();
    for (PartFile { content, .. }, path) in part.files.into_iter().zip(paths) {
        if let Content::Nameless(file) = content {
            let persisted = file.persist(&path, true);
            persisted.with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(ManifestPart { partition: part.partition, keys: part.keys })
}

/// Removes earlier files that the manifest does not list any more.
fn remove(
    folder: &Path,
    earlier: &Manifest,
    parts: &[&ManifestPart],
    manifest: &Manifest,
) -> Result<()> {
    let files = |manifest: &Manifest, part: &ManifestPart| {
        let Some((format, tables)) = manifest.files() else { return Vec::new() };
        tables.into_iter().map(|table| path(table, part, format)).collect::<Vec<_>>()
    };
    let listed: HashSet<_> = manifest.parts.iter().flat_map(|part| files(manifest, part)).collect();
    for file in parts.iter().flat_map(|part| files(earlier, part)) {
        if listed.contains(&file) {
            continue;
        }
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

fn path(table: SessionTable, part: &ManifestPart, format: FileFormat) -> std::path::PathBuf {
    part_files::path(table, &part.partition, &part.keys, format)
}
