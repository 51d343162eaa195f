//! Reads many sessions in parallel, of logs and of records, for `vac search`, `vac usage` and
//! `vac export`.
//!
//! Results are passed on in the order of the logs. A session that cannot be read does not stop the
//! others.
//!
//! A session is passed on only once, even if its log is named and also in its place, or if a record
//! of it is in the folder of records. An id alone does not identify a session: different agents can
//! use the same id, and a folder of records can contain those of several machines.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac::adapter::time::instant;
use vac::adapter::{Error, Session, SourceFile};
use vac::convert::read_log;
use vac::parallel::{ordered_parallel_map, with_stack};
use vac::read::source_names;
use vac::record::{SessionId, VerifiableAgentRecord};
use vac::record_documents::{each_document, encoding_of_record};
use vac::session_filter::{FilteredLogs, SessionFilter};
use vac::store::join::{DetectedLog, UnusedReason};
use vac::store::{Found, Loaded, MemoryBudget, StoredLog, UnreadPath, find_all, find_with};
use vac::text_search::may_match;
use vac::value::{Document, Encoding};
use vac::view::byte_filter::ByteFilter;
use vac::view::record;
use vac::{AGENTS, Agent, Search, when};
use vac_archive::ArchiveFolders;

use crate::exit::Exit;
use crate::format::{pluralize, truncate};
use crate::printer::Printer;
use crate::session_names::{self, Last, Named, records_folder};
use crate::sessions;
use crate::size;
use crate::skipped;

/// The sessions to read.
#[derive(Args)]
pub struct Scope {
    /// Session logs or records (JSON, CBOR, signed), directories or archives of them, - for stdin,
    /// ARCHIVE/SESSION, or ids of sessions that agents keep (at least 4 characters)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    last: Last,
    /// Read the sessions that agents keep on this machine, and records in the folder that the
    /// variable `VAC_RECORDS` names; the default without PATH
    #[arg(long)]
    discover: bool,
    /// Search this folder instead: a home folder, a folder of homes, or a copy of an agent's
    /// folder (repeatable)
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// Agent that wrote the logs
    #[arg(short, long, default_value = "auto", value_parser = sessions::agents())]
    agent: String,
    /// Only sessions of projects whose path contains this text
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// Maximum size of a line or message of a log that is parsed (1KiB to 2GiB)
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse)]
    max_event: usize,
}

/// From when sessions have to be, and which logs need not be parsed.
#[derive(Clone, Copy, Default)]
pub struct Limits<'f> {
    /// Only sessions that began then or later, in nanoseconds since 1970.
    pub since: Option<i128>,
    /// Only sessions that began then or earlier.
    pub until: Option<i128>,
    /// Logs whose bytes do not pass are skipped.
    pub filter: Option<&'f ByteFilter>,
}

/// A session that was read.
pub struct ScannedSession<T> {
    /// Its name for other commands: its id if they find it by that, else the path of its log.
    /// `None` for standard input.
    pub name: Option<String>,
    /// The value that was read.
    pub result: T,
}

/// The outcome of reading the sessions.
pub struct Scanned {
    /// The most severe result.
    pub exit: Exit,
    /// The number of logs and files with records.
    pub logs: usize,
}

/// The origin of a session.
#[derive(Clone, Copy)]
pub enum SessionSource<'s> {
    /// A log.
    Log(&'s Loaded<'s>),
    /// A record.
    Record(&'s Document<'s>),
}

/// Receives a session.
type Work<'w, T> = dyn FnMut(&dyn Session, SessionSource<'_>) -> Result<T, Error> + 'w;

/// One thing to read.
pub enum Unit {
    Log(Box<DetectedLog>),
    Record { log: Box<StoredLog>, encoding: Encoding, is_kept: bool },
}

impl Unit {
    /// Returns the files that it is in.
    pub fn log(&self) -> &StoredLog {
        match self {
            Self::Log(known) => &known.log,
            Self::Record { log, .. } => log,
        }
    }
}

/// The identity of a session: its agent, the id of its record, and its start.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The agent that wrote the log.
    pub agent: String,
    /// The id of its record.
    pub id: String,
    start: Option<i128>,
}

impl SessionKey {
    fn new(session: &dyn Session, record: &VerifiableAgentRecord<'_>) -> Self {
        Self {
            agent: session.agent().into_owned(),
            id: record.id.to_string(),
            start: record.session.session_start.as_ref().and_then(instant),
        }
    }
}

/// The sessions of a unit.
pub struct UnitResult<T> {
    /// Each with what identifies it.
    pub sessions: Vec<(SessionKey, T)>,
    /// Those that could not be read.
    pub failures: Vec<ScanFailure>,
}

/// A session that could not be read.
#[derive(Clone, PartialEq, Eq)]
pub struct ScanFailure {
    /// The log.
    pub file: String,
    /// The reason.
    pub error: String,
    /// The exit code.
    pub exit: Exit,
}

impl ScanFailure {
    /// Prints it.
    pub fn report(&self, printer: &Printer) {
        printer.error(&format!("{}: {}", self.file, self.error));
    }
}

/// The logs and records to read, in order.
pub struct Scan<'s> {
    reader: Reader<'s>,
    /// The paths that are in places of agents on this machine.
    in_places: HashSet<PathBuf>,
    /// The most severe result so far.
    pub exit: Exit,
}

impl Scan<'_> {
    /// Reads the sessions of a unit.
    pub fn read<T>(
        &self,
        unit: &Unit,
        work: &mut dyn FnMut(&dyn Session, SessionSource<'_>) -> Result<T, Error>,
    ) -> UnitResult<T> {
        self.reader.read(unit, &self.in_places, work)
    }

    /// Returns whether a unit was found where agents or the user keep sessions, rather than named.
    /// A session of it that was read before is not meant again.
    pub fn is_found(&self, unit: &Unit) -> bool {
        let is_kept = matches!(unit, Unit::Record { is_kept: true, .. });
        is_kept || unit.log().paths().any(|path| self.in_places.contains(path))
    }
}

/// Reads one unit after the other.
struct Reader<'s> {
    scope: &'s Scope,
    limits: Limits<'s>,
    agent: Option<Agent>,
    named: Named,
    printer: &'s Printer,
}

impl Scope {
    /// Reads the sessions: calls `work` with each, several in parallel, and `take` with the results
    /// in order.
    ///
    /// # Errors
    /// If the name of a session is ambiguous, or the sessions cannot be searched.
    pub fn each<T: Send>(
        &self,
        limits: Limits<'_>,
        printer: &Printer,
        work: impl Fn(&dyn Session, &[SourceFile]) -> Result<T, Error> + Sync,
        take: &mut dyn FnMut(ScannedSession<T>) -> io::Result<()>,
    ) -> Result<Scanned> {
        let (scan, units) = self.scan(limits, printer)?;
        scan.each(units, work, take)
    }

    /// Finds what to read.
    ///
    /// # Errors
    /// As of [`each`](Self::each).
    pub fn scan<'s>(
        &'s self,
        limits: Limits<'s>,
        printer: &'s Printer,
    ) -> Result<(Scan<'s>, Vec<Unit>)> {
        when::check_span(limits.since, limits.until)?;
        let agent = sessions::agent(&self.agent);
        let named = with_stack(|| session_names::resolve(&self.paths, self.last, agent))??;
        let reader = Reader { scope: self, limits, agent, named, printer };
        let mut exit = Exit::Success;
        let (units, in_places) = reader.find(jobs(), &mut exit)?;
        Ok((Scan { reader, in_places, exit }, units))
    }

    /// Returns the folders and files that are searched.
    pub fn inputs(&self) -> Result<Vec<PathBuf>> {
        let records = if self.discovers() { records_folder()? } else { None };
        Ok(self.paths.iter().chain(&self.root).cloned().chain(records).collect())
    }

    /// Returns whether the places of agents are searched.
    fn discovers(&self) -> bool {
        let has_paths = !self.paths.is_empty() || self.last.last.is_some();
        self.discover || !has_paths || !self.root.is_empty()
    }
}

/// Returns how many units are read at once.
fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

impl Scan<'_> {
    fn each<T: Send>(
        self,
        units: Vec<Unit>,
        work: impl Fn(&dyn Session, &[SourceFile]) -> Result<T, Error> + Sync,
        take: &mut dyn FnMut(ScannedSession<T>) -> io::Result<()>,
    ) -> Result<Scanned> {
        let (mut exit, mut logs, mut broken) = (self.exit, 0, Ok(()));
        let (mut read_keys, mut read_logs) = (HashSet::new(), HashSet::new());
        let printer = self.reader.printer;
        let progress = printer.progress("reading", units.len());
        let read = |unit: Unit| {
            let result = self.read(&unit, &mut |session, source| {
                let names = match source {
                    SessionSource::Log(loaded) => source_names(loaded),
                    SessionSource::Record(_) => Vec::new(),
                };
                work(session, &names)
            });
            (unit, result)
        };
        ordered_parallel_map(units, jobs(), read, |(unit, result)| {
            progress.step();
            logs += 1;
            for failure in result.failures {
                failure.report(printer);
                exit = exit.max(failure.exit);
            }
            let is_kept = matches!(unit, Unit::Record { is_kept: true, .. });
            let is_found = self.is_found(&unit);
            let path = unit
                .log()
                .paths()
                .next()
                .map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
            for (key, result) in result.sessions {
                let is_known = !read_keys.insert(key.clone());
                // The same log, named and in its place. Two logs can have one session.
                let is_same_log =
                    path.clone().is_some_and(|path| !read_logs.insert((path, key.clone())));
                if is_known && (is_kept || is_same_log) {
                    continue;
                }
                let name = self.reader.name(unit.log(), key.id, is_found);
                broken = take(ScannedSession { name, result });
                if broken.is_err() || printer.is_closed() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        broken?;
        Ok(Scanned { exit, logs })
    }
}

impl Reader<'_> {
    /// Finds what to read, and the paths that are in places of agents on this machine.
    fn find(&self, jobs: usize, exit: &mut Exit) -> Result<(Vec<Unit>, HashSet<PathBuf>)> {
        let mut units = Vec::new();
        let mut others = Vec::new();
        let mut in_places = HashSet::new();
        let Found { logs, troubles, skipped } =
            find_with(&self.named.paths, AGENTS, &ArchiveFolders);
        self.trouble(troubles, exit);
        self.separate(logs, jobs, exit, false, &mut units, &mut others)?;
        skipped::warn(&skipped, self.printer);
        let discovers = self.scope.discovers();
        let search = Search {
            roots: self.scope.root.clone(),
            discover: discovers && self.scope.root.is_empty(),
            agents: self.agent.iter().map(|agent| agent.name.to_owned()).collect(),
            jobs,
            ..Search::default()
        };
        if discovers {
            let Found { logs, troubles, skipped } = find_all(&[], &search.roots()?, AGENTS);
            self.trouble(troubles, exit);
            if self.scope.root.is_empty() {
                in_places.extend(logs.iter().flat_map(StoredLog::paths).map(PathBuf::from));
            }
            others.extend(logs);
            skipped::warn(&skipped, self.printer);
        }
        let budget = MemoryBudget::new(self.scope.max_event);
        let mut detected = search.detect(others, &budget, &mut |_| {})?;
        if let Some(agent) = self.agent {
            // The name that the user gave decides how a named file is read.
            let is_unknown = |it: &&mut DetectedLog| it.log.named && it.agent.is_none();
            for known in detected.iter_mut().filter(is_unknown).filter(|it| it.trouble.is_none()) {
                known.agent = Some(agent.name);
            }
        }
        for known in &detected {
            for left_out in &known.left_out {
                if let UnusedReason::Unreadable(_) = left_out.reason {
                    self.printer.error(&left_out.to_string());
                    *exit = Exit::Error;
                } else {
                    self.printer.detail(&left_out.to_string());
                }
            }
        }
        detected.retain(|known| self.is_session(known, exit));
        let FilteredLogs { logs, unknown_start, excluded } = self.filter().apply(detected, jobs)?;
        units.extend(logs.into_iter().map(|known| Unit::Log(Box::new(known))));
        if unknown_start > 0 {
            let sessions = pluralize(unknown_start, "session");
            self.printer.warn(&format!("{sessions} of unknown start included"));
        }
        if discovers
            && self.scope.root.is_empty()
            && let Some(folder) = records_folder()?
        {
            let Found { logs, troubles, .. } = find_with(&[folder], AGENTS, &ArchiveFolders);
            self.trouble(troubles, exit);
            self.separate(logs, jobs, exit, true, &mut units, &mut Vec::new())?;
        }
        if units.is_empty() && *exit == Exit::Success {
            let message = match excluded {
                0 => sessions::none_found(&self.named.paths),
                1 => "no session selected: the one found is of another time or project".to_owned(),
                count => {
                    format!("no session selected: all {count} found are of other times or projects")
                }
            };
            if self.named.paths.is_empty() {
                self.printer.info(&message);
            } else {
                self.printer.error(&message);
                *exit = Exit::Failure;
            }
        }
        Ok((units, in_places))
    }

    fn trouble(&self, troubles: Vec<UnreadPath>, exit: &mut Exit) {
        for trouble in troubles {
            self.printer.error(&trouble.to_string());
            *exit = Exit::Error;
        }
    }

    /// Separates records from other files.
    fn separate(
        &self,
        logs: Vec<StoredLog>,
        jobs: usize,
        exit: &mut Exit,
        is_kept: bool,
        units: &mut Vec<Unit>,
        others: &mut Vec<StoredLog>,
    ) -> Result<()> {
        let is_log = self.agent.is_some() && !is_kept;
        let work = |log: StoredLog| {
            let encoding = encoding_of_record(&log, is_log);
            (log, encoding)
        };
        ordered_parallel_map(logs, jobs, work, |(log, encoding)| {
            match encoding {
                Ok(Some(encoding)) => {
                    units.push(Unit::Record { log: Box::new(log), encoding, is_kept });
                }
                Ok(None) => others.push(log),
                Err(error) => {
                    self.printer.error(&format!("{}: {error}", log.shown));
                    *exit = Exit::Error;
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(())
    }

    /// Returns whether a log is one of a session, and reports why not.
    fn is_session(&self, known: &DetectedLog, exit: &mut Exit) -> bool {
        let log = &known.log;
        if let Some(trouble) = &known.trouble {
            self.printer.error(&format!("{}: {trouble}", log.shown));
            *exit = Exit::Error;
            return false;
        }
        if self.agent_of(known).is_none() {
            if log.named {
                let names = vac::agent_names();
                let reason = format!("neither a record nor a session log (supported: {names})");
                let reason = known.looks_like.as_deref().unwrap_or(&reason);
                self.printer.error(&format!("{}: {reason}", log.shown));
                *exit = (*exit).max(Exit::Failure);
            } else {
                self.printer.detail(&format!("{}: skipped", log.shown));
            }
            return false;
        }
        true
    }

    fn agent_of(&self, known: &DetectedLog) -> Option<Agent> {
        self.agent.filter(|_| known.log.named).or_else(|| sessions::named(known))
    }

    /// Returns the filter of the sessions that are meant.
    fn filter(&self) -> SessionFilter {
        let Limits { since, until, .. } = self.limits;
        SessionFilter { since, until, project: self.scope.project.clone() }
    }

    fn read<T>(
        &self,
        unit: &Unit,
        in_places: &HashSet<PathBuf>,
        work: &mut Work<'_, T>,
    ) -> UnitResult<T> {
        let mut result = UnitResult { sessions: Vec::new(), failures: Vec::new() };
        match unit {
            Unit::Log(known) => {
                let is_in_place = known.log.paths().any(|path| in_places.contains(path));
                self.read_log(known, is_in_place, work, &mut result);
            }
            Unit::Record { log, encoding, is_kept } => {
                let read = each_document(&log.unread(), *encoding, &mut |document| {
                    match document {
                        Ok(document) => {
                            self.read_record(log, document, *is_kept, work, &mut result);
                        }
                        Err(reason) => result.fail(log, &Error::Refused(reason)),
                    }
                    ControlFlow::Continue(())
                });
                if let Err(error) = read {
                    result.fail(log, &Error::Io(error));
                }
            }
        }
        result
    }

    fn read_log<T>(
        &self,
        known: &DetectedLog,
        is_in_place: bool,
        work: &mut Work<'_, T>,
        result: &mut UnitResult<T>,
    ) {
        let log = &known.log;
        let Some(agent) = self.agent_of(known) else { return };
        if let Some(filter) = self.limits.filter {
            match may_match(log, agent.adapter, filter) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return result.fail(log, &Error::Io(error)),
            }
        }
        let read = read_log(log, agent, self.scope.max_event, &mut |session, loaded| {
            let record = session.record();
            let session_id = id_of(&record);
            // All sessions of a place are meant, also if one of them is named, too.
            if is_in_place || self.named.selects(log, &[&record.id, &session_id]) {
                match work(session, SessionSource::Log(loaded)) {
                    Ok(read) => result.sessions.push((SessionKey::new(session, &record), read)),
                    Err(error) => result.fail(log, &error),
                }
            }
        });
        if let Err(error) = read {
            result.fail(log, &error);
        }
    }

    fn read_record<T>(
        &self,
        log: &StoredLog,
        document: &Document<'_>,
        is_kept: bool,
        work: &mut Work<'_, T>,
        result: &mut UnitResult<T>,
    ) {
        let filter = self.filter();
        let read = record::read(document, AGENTS, &mut |session| {
            let record = session.record();
            let trace = &record.session;
            let project = trace.environment.as_ref().map(|it| &*it.working_dir);
            let is_of_agent = self.agent.is_none_or(|agent| session.agent() == agent.name);
            let is_wanted =
                (!is_kept || is_of_agent) && filter.selects(trace.session_start.as_ref(), project);
            let key = SessionKey::new(session, &record);
            let source = SessionSource::Record(document);
            is_wanted.then(|| Ok((key, work(session, source)?))).transpose()
        });
        match read {
            Ok(read) => result.sessions.extend(read),
            Err(error) => result.fail(log, &error),
        }
    }

    fn name(&self, log: &StoredLog, id: String, is_found: bool) -> Option<String> {
        if is_found || self.named.is_by_id(log) {
            return Some(id);
        }
        (log.paths().next().is_some()).then(|| log.shown.clone())
    }
}

impl<T> UnitResult<T> {
    fn fail(&mut self, log: &StoredLog, error: &Error) {
        let exit = if let Error::Io(_) = error { Exit::Error } else { Exit::Failure };
        let error = truncate(&error.to_string(), 400);
        self.failures.push(ScanFailure { file: log.shown.clone(), error, exit });
    }
}

/// Returns the id of a session as text; empty if it is bytes.
fn id_of(record: &VerifiableAgentRecord<'_>) -> String {
    match &record.session.session_id {
        SessionId::Text(id) => id.to_string(),
        SessionId::Bytes(_) => String::new(),
    }
}
