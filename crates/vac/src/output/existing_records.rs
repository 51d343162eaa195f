//! Reads the records that an output folder contains, so that only new and changed logs are
//! converted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use vac_adapter::SourceFile;
use vac_adapter::adapter::Profile;
use vac_adapter::report::Report;
use vac_store::{FileStat, StoredLog};
use vac_value::Encoding;

use super::earlier_labels::EarlierLabels;
use super::event::{OutputEvent, OutputObserver, OutputStage};
use super::existing_record::{ExistingRecord, are_among, has_other_label};
use super::found_log::FoundLog;
use super::index::{self, Entry, Index};
use super::options::OutputOptions;
use crate::ConvertOptions;
use crate::parallel::ordered_parallel_map;

/// The records in a folder.
pub struct ExistingRecords {
    records: Vec<Record>,
    /// The records whose first source has this name.
    by_source: HashMap<String, Vec<usize>>,
    /// The records of a session.
    by_id: HashMap<String, Vec<usize>>,
    by_path: HashMap<PathBuf, usize>,
    /// The records that are up to date, or have been replaced.
    settled: HashSet<usize>,
    /// Those that were up to date when the logs were compared.
    unchanged: HashSet<usize>,
    index: Index,
    /// Whether the index has to be written.
    is_index_old: bool,
    encoding: Encoding,
    /// The labels that state the home of a log.
    /// What is asked for.
    options: ConvertOptions,
    /// The time before the logs were searched.
    searched: Option<SystemTime>,
    /// The program that writes the index.
    build: String,
}

/// A record in the folder.
#[allow(clippy::struct_field_names)] // a record states a record
pub struct Record {
    /// The file of the record.
    pub path: PathBuf,
    stat: Option<FileStat>,
    /// The facts that it states.
    pub record: ExistingRecord,
    /// The state of its sources when it was made or compared.
    source_stats: Option<Vec<FileStat>>,
    /// The number of sessions in its log, if that is known.
    session_count: Option<usize>,
    /// Whether everything in its log was understood, if that is known.
    is_understood: Option<bool>,
}

/// The logs to convert, and those whose records are up to date.
#[derive(Default)]
pub struct DividedLogs {
    /// The logs to convert, or of which some sessions are to be converted.
    pub due: Vec<FoundLog>,
    /// The logs whose records are up to date.
    pub unchanged: Vec<UnchangedLog>,
    /// The names of logs to convert of which other sessions have records that are up to date, with the
    /// numbers of these.
    pub partly: Vec<(String, Vec<usize>)>,
}

/// A log whose records are up to date.
pub struct UnchangedLog {
    /// The log.
    pub log: FoundLog,
    /// The numbers of its records.
    pub records: Vec<usize>,
}

/// A file of the folder, and what the index states about it.
struct Listed {
    path: PathBuf,
    stat: Option<FileStat>,
    entry: Option<Entry>,
}

impl ExistingRecords {
    /// Lists the records in a folder. Those that are not in the index are opened.
    pub fn in_folder(
        folder: &Path,
        options: &OutputOptions,
        jobs: usize,
        observe: &mut OutputObserver<'_>,
    ) -> io::Result<Self> {
        let encoding = options.convert.record.encoding;
        let build = index::build(options.convert.record.build.as_deref());
        let mut index = Index::read(folder, &build);
        let mut names = HashSet::new();
        let listed = list(folder, options, &index, &mut names)?;
        let before = index.len();
        index.retain(|name| names.contains(name));
        let mut existing = Self {
            records: Vec::with_capacity(listed.len()),
            by_source: HashMap::new(),
            by_id: HashMap::new(),
            by_path: HashMap::new(),
            settled: HashSet::new(),
            unchanged: HashSet::new(),
            is_index_old: index.len() != before,
            index,
            encoding,
            options: options.convert.clone(),
            searched: options.searched,
            build,
        };
        observe(OutputEvent::Begins(OutputStage::ReadingRecords, listed.len()));
        // A file that cannot be read is not replaced.
        let read = |Listed { path, stat, entry }: Listed| match entry {
            Some(Entry { record, source_stats, session_count, is_understood, .. }) => {
                Some(Record { path, stat, record, source_stats, session_count, is_understood })
            }
            None => {
                let record = ExistingRecord::read(&path, encoding).ok().flatten()?;
                Some(Record {
                    path,
                    stat,
                    record,
                    source_stats: None,
                    session_count: None,
                    is_understood: None,
                })
            }
        };
        ordered_parallel_map(listed, jobs, read, |record| {
            observe(OutputEvent::Step);
            if let Some(record) = record {
                existing.add(record);
            }
            ControlFlow::Continue(())
        })?;
        Ok(existing)
    }

    fn add(&mut self, added: Record) {
        let number = self.records.len();
        let Record { path, stat, record, source_stats, session_count, is_understood } = &added;
        if let Some(first) = record.sources.first() {
            self.by_source.entry(first.name.clone()).or_default().push(number);
        }
        self.by_id.entry(record.id.clone()).or_default().push(number);
        self.by_path.insert(path.clone(), number);
        if let (Some(name), Some(stat)) = (name(path), *stat) {
            let entry = Entry {
                stat,
                record: record.clone(),
                source_stats: source_stats.clone(),
                session_count: *session_count,
                is_understood: *is_understood,
            };
            if self.index.get(name, &stat) != Some(&entry) {
                self.is_index_old = true;
                self.index.insert(name.to_owned(), entry);
            }
        }
        self.records.push(added);
    }

    /// Divides logs into those to convert and those whose records are up to date. Of a log with
    /// several sessions, only those are converted that have no record yet.
    pub fn divide(
        &mut self,
        logs: Vec<FoundLog>,
        jobs: usize,
        observe: &mut OutputObserver<'_>,
    ) -> io::Result<DividedLogs> {
        observe(OutputEvent::Begins(OutputStage::Comparing, logs.len()));
        let mut divided = DividedLogs::default();
        let mut settled = Vec::new();
        let compare = |mut log: FoundLog| {
            let compared = self.compare(&mut log);
            (log, compared)
        };
        ordered_parallel_map(logs, jobs, compare, |(log, compared)| {
            observe(OutputEvent::Step);
            let Compared { records, stats, is_complete } = compared;
            let count = log.log().and_then(StoredLog::session_count);
            if !records.is_empty() {
                settled.push((records.clone(), stats, count));
            }
            if is_complete {
                divided.unchanged.push(UnchangedLog { log, records });
            } else {
                if !records.is_empty() {
                    divided.partly.push((log.name().to_owned(), records));
                }
                divided.due.push(log);
            }
            ControlFlow::Continue(())
        })?;
        for (records, stats, count) in settled {
            for number in records {
                self.settled.insert(number);
                self.unchanged.insert(number);
                let stats = self.trusted(stats.clone());
                let record = &mut self.records[number];
                let is_new_stat = stats.is_some() && record.source_stats != stats;
                let is_new_count = count.is_some() && record.session_count != count;
                if is_new_stat {
                    record.source_stats = stats;
                }
                if is_new_count {
                    record.session_count = count;
                }
                if is_new_stat || is_new_count {
                    self.update_index(number);
                }
            }
        }
        Ok(divided)
    }

    /// Finds the records of the wanted sessions of a log that were made from exactly its current
    /// files. A log whose files have not changed since then is not read. If some of its sessions
    /// have no record, only these are converted.
    fn compare(&self, found: &mut FoundLog) -> Compared {
        let Some(log) = found.log() else { return Compared::none() };
        let first = log.source_name();
        let named = self.by_source.get(&first).into_iter().flatten();
        // A log without the home that labels ask for is reported when it is converted.
        let Ok(options) = self.options.with_home(log) else { return Compared::none() };
        let is_as_asked = |number: &&usize| {
            self.is_as_asked(&self.records[**number].record, &options.record.labels)
        };
        let named = named.filter(is_as_asked);
        let mut compared = Compared::none();
        let mut sources: Option<&[SourceFile]> = None;
        for number in named {
            if compared.stats.is_none() {
                compared.stats = log.stats();
            }
            let Record { record, source_stats, .. } = &self.records[*number];
            let is_same_stat = || {
                source_stats.is_some()
                    && *source_stats == compared.stats
                    && log.has_sources(record.sources.iter().map(|source| source.name.as_str()))
            };
            // A log that cannot be read is reported when it is converted.
            let is_made = sources == Some(&record.sources)
                || is_same_stat()
                || log.is_made_of(&record.sources).unwrap_or(false);
            if is_made {
                sources = Some(&record.sources);
                compared.records.push(*number);
            }
        }
        let count = compared.records.iter().find_map(|number| self.records[*number].session_count);
        compared.records.retain(|number| log.is_wanted(&self.records[*number].record.id));
        if compared.records.is_empty() {
            return compared;
        }
        if let Some(count) = count {
            log.note_session_count(count);
        }
        let ids = compared.records.iter().map(|number| self.records[*number].record.id.as_str());
        let missing = found.missing(&ids.collect());
        compared.is_complete = missing.is_empty();
        if !compared.is_complete {
            found.narrow(missing);
        }
        compared
    }

    /// Returns whether a record has these labels, and keeps as much of its log as is asked for.
    fn is_as_asked(&self, record: &ExistingRecord, labels: &BTreeMap<String, String>) -> bool {
        let is_enough = !record.is_canonical || self.options.record.profile == Profile::Canonical;
        is_enough && are_among(labels, &record.labels)
    }

    /// Returns the state of files if these have not been changed since the logs were
    /// searched.
    fn trusted(&self, stats: Option<Vec<FileStat>>) -> Option<Vec<FileStat>> {
        let searched = self.searched?;
        stats.filter(|stats| stats.iter().all(|stat| stat.is_older_than(searched)))
    }

    /// Returns whether the logs of records were understood: by the number of the record, if it is
    /// known of all of them.
    pub fn are_understood(&self, records: &[usize]) -> Option<Vec<bool>> {
        records.iter().map(|number| self.records[*number].is_understood).collect()
    }

    /// Stores whether the logs of records were understood, by the ids of their sessions.
    pub fn set_understood(&mut self, records: &[usize], by_id: &BTreeMap<String, bool>) {
        for number in records.iter().copied() {
            let record = &mut self.records[number];
            record.is_understood = by_id.get(&record.record.id).copied();
            self.update_index(number);
        }
    }

    /// Writes the known facts about a record to its entry in the index.
    fn update_index(&mut self, number: usize) {
        let Record { path, source_stats, session_count, is_understood, .. } = &self.records[number];
        let entry = name(path).and_then(|name| self.index.get_mut(name));
        if let Some(entry) = entry {
            entry.source_stats.clone_from(source_stats);
            entry.session_count = *session_count;
            entry.is_understood = *is_understood;
            self.is_index_old = true;
        }
    }

    /// Adds a record that was just written to the index.
    pub fn add_to_index(&mut self, path: &Path, report: &Report, log: &StoredLog) {
        let stat = path.symlink_metadata().ok().and_then(|metadata| FileStat::new(&metadata));
        let (Some(name), Some(stat)) = (name(path), stat) else { return };
        let record = ExistingRecord {
            id: report.session_id.clone(),
            sources: report.sources.clone(),
            labels: report.labels.clone(),
            is_canonical: self.options.record.profile == Profile::Canonical,
        };
        let source_stats = self.trusted(log.stats());
        let is_understood = Some(!report.has_unknown());
        let session_count = log.session_count();
        let entry = Entry { stat, record, source_stats, session_count, is_understood };
        self.index.insert(name.to_owned(), entry);
        self.is_index_old = true;
    }

    /// Writes the index of the folder, if it is useful and not up to date.
    pub fn write_index(&self, folder: &Path) -> io::Result<()> {
        if self.is_index_old && self.index.is_useful() {
            self.index.write(folder, &self.build)
        } else {
            Ok(())
        }
    }

    /// Returns the records of the session of a report that are neither up to date nor replaced, and
    /// whose labels it has, those first that a new record probably contains. `is_name` says which
    /// file names are the session's. With `overwrite`, a record may have further labels.
    pub fn of_session(
        &self,
        report: &Report,
        overwrite: bool,
        is_name: impl Fn(&str) -> bool,
    ) -> Vec<usize> {
        let has_labels = |labels: &BTreeMap<String, String>| {
            if overwrite {
                !has_other_label(labels, &report.labels)
            } else {
                are_among(labels, &report.labels)
            }
        };
        let is_candidate = |number: &&usize| {
            let Record { path, record, .. } = self.record(**number);
            !self.settled.contains(number)
                && has_labels(&record.labels)
                && path.file_stem().is_some_and(|stem| is_name(&stem.to_string_lossy()))
        };
        let same_id = self.by_id.get(&report.session_id).into_iter().flatten();
        let mut candidates: Vec<_> = same_id.filter(is_candidate).copied().collect();
        let name = |sources: &[SourceFile]| sources.first().map(|source| source.name.clone());
        candidates.sort_by_cached_key(|number| {
            let Record { path, record, .. } = self.record(*number);
            let size = record.sources.iter().fold(0_u64, |sum, it| sum.saturating_add(it.size));
            let is_labelled = record.labels != report.labels;
            let is_other = record.sources != report.sources;
            let is_elsewhere = name(&record.sources) != name(&report.sources);
            let order = (is_labelled, is_other, is_elsewhere);
            (order, Reverse(size), path.as_os_str().len(), path.clone())
        });
        candidates
    }

    /// Returns the labels of all records, for new ones to keep.
    pub fn labels(&self) -> EarlierLabels {
        let mut labels = EarlierLabels::default();
        for Record { record, .. } in &self.records {
            labels.add(&record.id, &record.labels);
        }
        labels
    }

    /// Returns the record in a file.
    pub fn in_file(&self, path: &Path) -> Option<&ExistingRecord> {
        self.by_path.get(path).map(|number| &self.records[*number].record)
    }

    /// Returns the file of a record of this session with the same labels that was up to date when this
    /// run began.
    pub fn unchanged_of(&self, report: &Report, is_name: impl Fn(&str) -> bool) -> Option<&Path> {
        let same_id = self.by_id.get(&report.session_id).into_iter().flatten();
        let found = same_id.map(|number| (number, self.record(*number))).find(|(number, it)| {
            self.unchanged.contains(number)
                && it.record.labels == report.labels
                && it.path.file_stem().is_some_and(|stem| is_name(&stem.to_string_lossy()))
        });
        found.map(|(_, it)| it.path.as_path())
    }

    /// Returns a record by its number.
    pub fn record(&self, number: usize) -> &Record {
        &self.records[number]
    }

    /// Returns whether a record, which is to be replaced, states what is known of it. The index may
    /// be wrong about it.
    pub fn is_as_known(&self, number: usize) -> bool {
        let Record { path, record, .. } = &self.records[number];
        ExistingRecord::read(path, self.encoding).is_ok_and(|read| read.as_ref() == Some(record))
    }

    /// Stores that a record is up to date, or has been replaced.
    pub fn settle(&mut self, number: usize) {
        self.settled.insert(number);
    }

    /// Returns whether a file is a record that is up to date, or has been replaced.
    pub fn is_settled(&self, path: &Path) -> bool {
        self.by_path.get(path).is_some_and(|number| self.settled.contains(number))
    }
}

/// The records of a log that is unchanged.
struct Compared {
    records: Vec<usize>,
    /// The state of the log's files before they were compared.
    stats: Option<Vec<FileStat>>,
    /// Whether every session of the log has a record.
    is_complete: bool,
}

impl Compared {
    fn none() -> Self {
        Self { records: Vec::new(), stats: None, is_complete: false }
    }
}

/// Lists the files that may be records, in the order of their paths, with their entries in the
/// index. `names` receives the names of all files.
fn list(
    folder: &Path,
    options: &OutputOptions,
    index: &Index,
    names: &mut HashSet<String>,
) -> io::Result<Vec<Listed>> {
    let ending = match options.convert.record.encoding {
        Encoding::Json => "json",
        Encoding::Cbor => "cbor",
    };
    let mut listed = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        names.extend(name(&path).map(str::to_owned));
        let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
        let is_named = path.extension().is_some_and(|extension| extension == ending);
        let Some(metadata) = metadata.filter(|_| is_named) else { continue };
        let stat = FileStat::new(&metadata);
        let known = match (name(&path), &stat) {
            (Some(name), Some(stat)) if !options.rehash => index.get(name, stat).cloned(),
            _ => None,
        };
        listed.push(Listed { path, stat, entry: known });
    }
    listed.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(listed)
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
