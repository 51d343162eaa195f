//! Adds sessions to an archive.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::Serialize;
use vac::containment::contains_entries;
use vac::convert::{HOME, convert_each};
use vac::files::{FolderLock, Wait};
use vac::parallel::ordered_parallel_map;
use vac::search::Duplicate;
use vac::session_filter::missing_sessions;
use vac::{Agent, ConvertOptions, RecordOptions, Search};
use vac_adapter::report::Report;
use vac_sign::Signer;
use vac_sign::merkle::Hash;
use vac_store::join::DetectedLog;
use vac_store::recorded::SourceState;
use vac_store::{Sha256, StoredLog};
use vac_value::{Document, Encoding};

use crate::archive::Archive;
use crate::catalog::{ArchivedVersion, Catalog, RecordDetails, SourceLine};
use crate::claims::StatementClaim;
use crate::disk::Disk;
use crate::error::{ArchiveErrorKind, Error, Result};
use crate::index::KnownLog;
use crate::objects::{MAX_RECORD, StoreError};
use crate::origin::Origin;
use crate::selection::{LogState, Selection};
use crate::writer::Writer;

mod run;

use run::{Run, discontinued};

/// The number of sessions whose statements are written together.
const BATCH: usize = 64;
/// Maximum size of the id and the path of a session, in bytes. A log can contain any id, and the
/// header of a statement is limited.
const MAX_NAMES: usize = 24 << 10;
/// Maximum size of all labels, in bytes.
const MAX_LABELS: usize = 16 << 10;
/// The maximum number of times that a log is read if it changes while it is read.
const MAX_TRIES: usize = 3;

/// Options for adding sessions to an archive.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// The search for logs.
    pub search: Search,
    /// Labels of the records, in addition to those of the archive.
    pub labels: BTreeMap<String, String>,
    /// Whether to keep logs in the archive.
    pub keep_logs: bool,
    /// Whether to read logs even if the state of their files is unchanged, and to store missing or
    /// damaged objects of them again.
    pub rehash: bool,
    /// Whether to acknowledge versions of earlier runs that do not contain the previous versions.
    /// Versions of this run are not acknowledged, because they have not been reported yet. If it
    /// cannot be determined whether a new version contains the previous one, because the archive
    /// has lost that one, it becomes a first version.
    pub acknowledge: bool,
    /// The time, in seconds since 1970; `None` to state none.
    pub time: Option<u64>,
    /// The time at which the run began.
    pub started: SystemTime,
    /// The build of the program.
    pub build: Option<String>,
    /// The maximum number of bytes of a line or message that is parsed.
    pub max_event: usize,
    /// Whether to wait for another writer.
    pub wait: Wait,
}

impl AddOptions {
    /// Returns options without places to search, which keep logs and state no time.
    pub fn new(started: SystemTime) -> Self {
        Self {
            search: Search::default(),
            labels: BTreeMap::new(),
            keep_logs: true,
            rehash: false,
            acknowledge: false,
            time: None,
            started,
            build: None,
            max_event: ConvertOptions::default().max_event,
            wait: Wait::Yes,
        }
    }
}

/// The progress of adding sessions.
#[derive(Debug)]
pub enum AddProgress<'p> {
    /// Waiting, because another process writes to the archive.
    Waiting,
    /// The agent of one more log was detected. The value is the number of all logs.
    Detected(usize),
    /// One more log was read. The value is the number of all logs to read.
    Read(usize),
    /// A session was added. It is certain to be on disk only when the run has ended.
    Added(&'p ArchivedVersion),
}

/// The result of adding sessions.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AddSummary {
    /// The versions that were added.
    pub added: Vec<ArchivedVersion>,
    /// The number of logs that are unchanged.
    pub unchanged: usize,
    /// The number of files that are not logs.
    pub skipped: usize,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<Duplicate>,
    /// Logs that could not be added, each with the reason.
    pub failed: Vec<(String, String)>,
    /// Descriptions of files and folders that could not be searched or read.
    pub troubles: Vec<String>,
    /// Descriptions of what an interrupted run had left and this one has repaired.
    pub repaired: Vec<String>,
    /// Versions that do not contain the previous ones and are not acknowledged, each with the
    /// previous one.
    pub discontinued: Vec<(ArchivedVersion, ArchivedVersion)>,
    /// Versions of earlier runs that do not contain the previous ones and that this run has
    /// acknowledged, each with the previous one.
    pub acknowledged: Vec<(ArchivedVersion, ArchivedVersion)>,
    /// Files that are not logs any more and were acknowledged in this run, each with what is kept
    /// of it. Only the index states this.
    pub accepted: Vec<(String, String)>,
    /// The number of statements in the archive.
    pub size: u64,
}

/// Adds the sessions whose logs are new or have changed. Only one process can add at a time.
///
/// # Errors
/// If the archive is damaged, locked or cannot be written, or the key is not that of the archive.
/// Sessions that were added before the error are kept.
pub fn add(
    archive: &Archive,
    signer: &dyn Signer,
    options: &AddOptions,
    disk: &Disk,
    progress: &mut dyn FnMut(AddProgress<'_>),
) -> Result<AddSummary> {
    let lock =
        FolderLock::acquire(&archive.folder, options.wait, || progress(AddProgress::Waiting))
            .map_err(Error::io(&archive.folder))?;
    let lock = lock.ok_or_else(|| {
        Error::new(ArchiveErrorKind::Locked, "another process writes to it").at(&archive.folder)
    })?;
    let mut writer = Writer::open(archive, disk, signer, options.time, lock)?;
    let build = options.build.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned());
    let is_same_build = writer.index_build == build;
    // Another build may recognise logs that the build of the index did not.
    let incomplete = if options.keep_logs { without_logs(&writer.catalog) } else { HashSet::new() };
    let is_known = |log: &&KnownLog| {
        let mut names = log.members.iter().chain(&log.session_id);
        !options.rehash
            && (is_same_build || log.adapter.is_some())
            && !names.any(|name| incomplete.contains(name.as_str()))
    };
    let known: Vec<_> = writer.logs.iter().filter(is_known).cloned().collect();
    let mut step = |total| progress(AddProgress::Detected(total));
    let mut selection = Selection::find(&options.search, &known, options.max_event, &mut step)?;
    let mut summary = AddSummary {
        repaired: std::mem::take(&mut writer.repaired),
        troubles: std::mem::take(&mut selection.troubles),
        unchanged: selection.settled.iter().filter(|log| log.adapter.is_some()).count(),
        skipped: selection.settled.iter().filter(|log| log.adapter.is_none()).count(),
        acknowledged: if options.acknowledge { discontinued(&writer.catalog) } else { Vec::new() },
        ..AddSummary::default()
    };
    for file in &selection.left_out {
        match Duplicate::from_unused(file.clone()) {
            Ok(duplicate) => summary.duplicates.push(duplicate),
            Err(_) => summary.troubles.push(file.to_string()),
        }
    }
    let due = std::mem::take(&mut selection.due);
    // Without new logs, the versions are not needed.
    let catalog = if due.is_empty() { Catalog::default() } else { writer.catalog.clone() };
    let converter = Converter::new(archive, options, disk, catalog);
    check_labels(&converter.convert.record.labels)?;
    let total = due.len();
    let acknowledges = options.acknowledge;
    let (logs, seen) = (Vec::new(), HashSet::new());
    let mut run = Run { writer, selection, summary, acknowledges, logs, seen };
    let mut failure = None;
    let mut count = 0;
    ordered_parallel_map(
        due,
        options.search.jobs(),
        |known| converter.work(known),
        |worked| {
            progress(AddProgress::Read(total));
            count += 1;
            let taken = run
                .take(worked, progress)
                .and_then(|()| if count % BATCH == 0 { run.writer.flush() } else { Ok(()) });
            match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    )?;
    run.finish(failure, &build)
}

/// The result of adding one log.
struct Worked {
    known: DetectedLog,
    state: LogState,
    outcome: Outcome,
}

enum Outcome {
    Unchanged,
    NotALog,
    /// The file is not a log any more, although an earlier version of a session was made from it.
    NotALogAnyMore(String),
    Sessions(Vec<Result<NewVersion, String>>),
    Failed(String),
    /// The archive cannot be written.
    Broken(Error),
}

/// A version whose objects are stored.
struct NewVersion {
    session_id: String,
    claim: StatementClaim,
    record: Hash,
    details: RecordDetails,
    folders: Vec<PathBuf>,
    /// Whether the previous version has the same record and logs, so that no statement is needed.
    is_stated: bool,
}

/// A record that a log was converted to.
struct Converted<'r> {
    log: &'r StoredLog,
    report: &'r Report,
    bytes: &'r [u8],
    /// SHA-256 of the bytes.
    record: Hash,
}

/// Converts logs and stores their records and sources. Several threads share it.
struct Converter<'c> {
    archive: &'c Archive,
    options: &'c AddOptions,
    disk: &'c Disk,
    /// The versions before this run.
    catalog: Catalog,
    convert: ConvertOptions,
}

/// Checks that labels fit in the header of a statement.
pub(crate) fn check_labels(labels: &BTreeMap<String, String>) -> Result<()> {
    if labels.values().any(|value| value.contains(HOME)) {
        let reason = format!(
            "`{HOME}` is not a label of an archive: add each home by itself (--root and --label)"
        );
        return Err(Error::new(ArchiveErrorKind::Refused, reason));
    }
    let size: usize = labels.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size <= MAX_LABELS {
        return Ok(());
    }
    let reason = format!("the labels have {size} bytes, more than {MAX_LABELS}");
    Err(Error::new(ArchiveErrorKind::Refused, reason))
}

impl<'c> Converter<'c> {
    fn new(
        archive: &'c Archive,
        options: &'c AddOptions,
        disk: &'c Disk,
        catalog: Catalog,
    ) -> Self {
        let mut labels = archive.description.labels.clone();
        labels.extend(options.labels.clone());
        let record = RecordOptions {
            encoding: archive.description.encoding(),
            labels,
            build: options.build.clone(),
            ..RecordOptions::default()
        };
        let convert = ConvertOptions { record, max_event: options.max_event };
        Self { archive, options, disk, catalog, convert }
    }

    fn work(&self, known: DetectedLog) -> Worked {
        let state = LogState::new(&known.log, self.options.started);
        let outcome = self.outcome(&known);
        Worked { known, state, outcome }
    }

    fn outcome(&self, known: &DetectedLog) -> Outcome {
        if let Some(trouble) = &known.trouble {
            return Outcome::Failed(trouble.clone());
        }
        let origin = Origin::text_of(&known.log);
        let Some(agent) = known.agent.and_then(vac::agent) else {
            return match self.catalog.latest_of_origin(&origin).last() {
                Some(version) => Outcome::NotALogAnyMore(lost(version)),
                None if known.log.named => {
                    let unknown = || "unrecognised log format".to_owned();
                    Outcome::Failed(known.looks_like.clone().unwrap_or_else(unknown))
                }
                None => Outcome::NotALog,
            };
        };
        let same = self.same_versions(known, &origin);
        // If an earlier run kept no logs, add a new version with them.
        let are_complete = !self.options.keep_logs || same.iter().all(|version| version.logs);
        let are_intact = || same.iter().all(|version| self.is_intact(version));
        if !same.is_empty() && are_complete && (!self.options.rehash || are_intact()) {
            return Outcome::Unchanged;
        }
        for _ in 0..MAX_TRIES {
            match self.convert(&known.log, agent, &origin) {
                Err(StoreError::Changed) => {}
                Err(StoreError::Io(error)) => {
                    return Outcome::Broken(Error::from(error).at(&self.archive.folder));
                }
                Ok(outcome) => return outcome,
            }
        }
        Outcome::Failed("the log changes while it is read".to_owned())
    }

    /// Returns the latest versions of a log if they were made from exactly its bytes.
    fn same_versions(&self, known: &DetectedLog, origin: &str) -> Vec<&ArchivedVersion> {
        let log = &known.log;
        let is_all = |ids: &BTreeSet<&str>| {
            let agent = known.agent.and_then(vac::agent);
            let missing = |agent| missing_sessions(log, agent, &known.preview, ids);
            agent.is_none_or(|agent| missing(agent).is_empty())
        };
        let here: Vec<_> = self.catalog.latest_of_origin(origin).collect();
        if !here.is_empty() {
            let are_same = here.iter().all(|version| is_same(log, version));
            let ids = || here.iter().map(|version| version.session_id.as_str()).collect();
            let are_all = are_same && is_all(&ids());
            return if are_all { here } else { Vec::new() };
        }
        // The log may have been moved or copied.
        let id = known.preview.session_id.as_deref();
        let mut moved = id.into_iter().flat_map(|id| self.catalog.latest_of_session(id));
        let is_one = |version: &ArchivedVersion| is_all(&[version.session_id.as_str()].into());
        moved.find(|version| is_same(log, version) && is_one(version)).into_iter().collect()
    }

    /// Returns whether the record and the logs of a version can be read.
    fn is_intact(&self, version: &ArchivedVersion) -> bool {
        let objects = &self.archive.objects;
        let is_source = |source: &SourceLine| objects.is_intact(&source.sha_256, source.size);
        objects.is_intact(&version.record_sha_256, MAX_RECORD)
            && (!version.logs || version.details.sources.iter().all(is_source))
    }

    fn convert(&self, log: &StoredLog, agent: Agent, origin: &str) -> Result<Outcome, StoreError> {
        let complete = |mut bytes: Vec<u8>| {
            // Store the bytes that `vac convert` writes: a JSON record ends with a line end, a CBOR
            // item does not.
            if self.convert.record.encoding == Encoding::Json {
                bytes.push(b'\n');
            }
            Ok(bytes)
        };
        let written = match convert_each(log, agent, &self.convert, Vec::new, complete) {
            Ok(written) => written,
            Err(vac_adapter::Error::Changed { .. }) => return Err(StoreError::Changed),
            Err(error) => return Ok(Outcome::Failed(error.to_string())),
        };
        let mut sessions = Vec::with_capacity(written.len());
        for session in written {
            sessions.push(match session {
                Ok((report, bytes)) => self.store(log, agent, origin, &report, &bytes)?,
                Err(error) => Err(error.to_string()),
            });
        }
        Ok(Outcome::Sessions(sessions))
    }

    /// Stores a record and its sources.
    fn store(
        &self,
        log: &StoredLog,
        agent: Agent,
        origin: &str,
        report: &Report,
        bytes: &[u8],
    ) -> Result<Result<NewVersion, String>, StoreError> {
        let document = match Document::scan(bytes, self.convert.record.encoding) {
            Ok(document) => document,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let details = match RecordDetails::read(&document, bytes.len()) {
            Ok(details) => details,
            Err(reason) => return Ok(Err(reason)),
        };
        drop(document);
        let names = report.session_id.len() + origin.len();
        if names > MAX_NAMES {
            let reason = format!(
                "the id and the path of a session have {names} bytes, more than {MAX_NAMES}"
            );
            return Ok(Err(reason));
        }
        let record = Sha256::digest(bytes);
        let converted = Converted { log, report, bytes, record };
        let previous = match self.previous(&converted, origin) {
            Ok(previous) => previous,
            Err(_) if self.options.acknowledge => None,
            Err(reason) => return Ok(Err(reason)),
        };
        let objects = &self.archive.objects;
        let mut folders = Vec::new();
        let base = previous.and_then(|(version, _)| objects.whole_base(&version.record_sha_256));
        folders.extend(objects.store_record(self.disk, bytes, &record, base)?);
        if self.options.keep_logs {
            let before = previous.map(|(version, _)| &version.details.sources[..]);
            for (number, source) in details.sources.iter().enumerate() {
                let base = before.and_then(|before| base_of(before, number, source));
                let open = || -> std::io::Result<Box<dyn Read + '_>> { log.read_source(number) };
                let stored =
                    objects.store_source(self.disk, (source.size, &source.sha_256), base, &open)?;
                folders.extend(stored);
            }
        }
        let claim = StatementClaim {
            archive: self.archive.description.id.clone(),
            number: 0,
            agent: agent.name.to_owned(),
            origin: origin.to_owned(),
            labels: self.convert.record.labels.clone(),
            logs: self.options.keep_logs,
            version: previous.map_or(1, |(version, _)| version.version.saturating_add(1)),
            previous: previous.map(|(version, _)| version.number),
            continues: previous.map(|(_, continues)| continues),
        };
        let session_id = report.session_id.clone();
        let is_stated = previous.is_some_and(|(version, _)| {
            version.record_sha_256 == record && (version.logs || !self.options.keep_logs)
        });
        Ok(Ok(NewVersion { session_id, claim, record, details, folders, is_stated }))
    }

    /// Finds the previous version of a session, and whether the new one contains it. Fails if that
    /// cannot be determined, because the answer is signed and no later check could refute it.
    fn previous(
        &self,
        converted: &Converted<'_>,
        origin: &str,
    ) -> Result<Option<(&ArchivedVersion, bool)>, String> {
        let session_id = &converted.report.session_id;
        let mut candidates: Vec<_> = self.catalog.latest_of_session(session_id).collect();
        candidates.reverse();
        let place = Origin::parse(origin, Some(&converted.log.source_name()));
        let is_here = |it: &&&ArchivedVersion| it.origin == origin;
        let is_same_place = |it: &&&ArchivedVersion| it.place().is_same_place(&place);
        let here = candidates.iter().find(is_here);
        if let Some(here) = here.or_else(|| candidates.iter().find(is_same_place)) {
            return Ok(Some((here, self.contains(converted, here)?)));
        }
        let mut unknown = None;
        for version in &candidates {
            match self.contains(converted, version) {
                Ok(true) => return Ok(Some((version, true))),
                Ok(false) => {}
                Err(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        if let Some(reason) = unknown {
            return Err(reason);
        }
        // If the log of an earlier version is gone, this log continues it. If that log still
        // exists, this is another one.
        let gone = candidates.into_iter().find(|version| version.place().is_gone());
        Ok(gone.map(|version| (version, false)))
    }

    /// Returns whether a new record contains a version.
    fn contains(
        &self,
        converted: &Converted<'_>,
        version: &ArchivedVersion,
    ) -> Result<bool, String> {
        let Converted { log, report, bytes, record } = converted;
        // The archive may have lost the object, which is then stored again.
        if version.record_sha_256 == *record {
            return Ok(true);
        }
        let unknown = |reason: &dyn std::fmt::Display| {
            format!(
                "it cannot be compared with version {} of session {}: {reason} (restore that, or \
                 use --acknowledge to add it without a previous version)",
                version.version, version.session_id
            )
        };
        let earlier = version.details.source_files();
        if !earlier.is_empty()
            && log.has_grown(&earlier, &report.sources).map_err(|error| unknown(&error))?
        {
            return Ok(true);
        }
        let earlier = self.archive.record(version).map_err(|error| unknown(&error))?;
        contains_entries(bytes, &earlier, self.convert.record.encoding)
            .map_err(|error| unknown(&error))
    }
}

/// Returns the ids and places of sessions whose logs are not kept.
fn without_logs(catalog: &Catalog) -> HashSet<&str> {
    let incomplete = catalog.latest().filter(|version| !version.logs);
    incomplete.flat_map(|version| [&*version.session_id, &*version.origin]).collect()
}

/// Returns the description of a file that was a log and is not one any more.
fn lost(version: &ArchivedVersion) -> String {
    format!(
        "it is not a log any more; version {} of session {}, which was made from it, is kept",
        version.version, version.session_id
    )
}

/// Returns whether a version was made from the bytes of a log, ignoring the names of its files.
fn is_same(log: &StoredLog, version: &ArchivedVersion) -> bool {
    let sources = version.details.source_files();
    let is_size = || {
        let total = sources.iter().map(|source| source.size).sum::<u64>();
        // The size of a session in a database is not that of its documents.
        log.files().is_none() || log.size().is_none_or(|size| size == total)
    };
    !sources.is_empty()
        && is_size()
        && log.compare_sources(&sources).is_ok_and(|compared| {
            compared.added == 0
                && compared.sources.iter().all(|source| source.state == SourceState::Same)
        })
}

/// Returns the earlier source that a source may begin with.
fn base_of(before: &[SourceLine], number: usize, source: &SourceLine) -> Option<(u64, Hash)> {
    let same_name = before.iter().find(|earlier| earlier.name == source.name);
    let base = same_name.or_else(|| before.get(number))?;
    Some((base.size, base.sha_256))
}
