//! Reads the sessions of a group of logs, and writes its files.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;

use vac::adapter::{Error, SourceFile};
use vac::interchange::write_session;
use vac::store::FileStat;
use vac::tables::{Tables, session_key};
use vac::tables::{log_origin, record_origin};
use vac::view::FactsSink;

use super::exported_session::ExportedSession;
use super::part_files::{Part, PartFiles, Target};
use super::{ExportFormat, ExportOptions, partition};
use crate::session_scan::{Scan, ScanFailure, SessionKey, SessionSource, Unit};

/// A session of a group: the index of its log, and its index in that.
pub type SessionPlace = (usize, usize);

/// Reads groups.
pub struct GroupReader<'g> {
    pub scan: &'g Scan<'g>,
    pub options: &'g ExportOptions,
    /// The sessions that are exported already.
    pub known: &'g HashSet<String>,
}

/// The result of reading a group.
pub struct GroupResult {
    /// The logs, in order.
    pub logs: Vec<ReadLog>,
    pub failures: Vec<ScanFailure>,
    pub parts: Vec<Part>,
}

/// A log that was read.
pub struct ReadLog {
    /// The state of its files before it was read.
    pub stats: Option<Vec<FileStat>>,
    pub sessions: Vec<ReadSession>,
    pub has_failed: bool,
    /// Whether it was found rather than named.
    pub is_found: bool,
}

/// A session that was read.
pub struct ReadSession {
    pub place: SessionPlace,
    pub key: String,
    pub state: SessionState,
    pub session: ExportedSession,
}

/// What was done with a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// Its rows are in the files of the group.
    Written,
    /// Its rows were exported before.
    Known,
    /// Another log or record contains it, too, and was read first.
    Repeated,
}

impl GroupReader<'_> {
    /// Reads a group. The rows of sessions in `repeated` are not written. If a session fails, some of
    /// its rows may have been written: the group is then read again without it.
    pub fn read(
        &self,
        units: &[Unit],
        repeated: &HashSet<SessionPlace>,
        target: Target<'_>,
    ) -> io::Result<GroupResult> {
        let mut failures: Vec<ScanFailure> = Vec::new();
        let mut failed = HashSet::new();
        loop {
            let mut result = self.read_once(units, repeated, &failed, target)?;
            for failure in std::mem::take(&mut result.failures) {
                if !failures.contains(&failure) {
                    failures.push(failure);
                }
            }
            if result.failed.is_empty() {
                let RunResult { logs, parts, .. } = result;
                return Ok(GroupResult { logs, failures, parts });
            }
            failed.extend(result.failed);
        }
    }

    fn read_once(
        &self,
        units: &[Unit],
        repeated: &HashSet<SessionPlace>,
        excluded: &HashSet<SessionPlace>,
        target: Target<'_>,
    ) -> io::Result<RunResult> {
        let files = RefCell::new(PartFiles::new(self.options, target));
        let mut receive = |table, batch| {
            let written = files.borrow_mut().write(table, &batch);
            written.map_err(|error| keep(&files, error))
        };
        let mut tables = Tables::new(self.options.tables, &mut receive);
        let (mut failed, mut failures) = (Vec::new(), Vec::new());
        let mut read_keys = HashSet::new();
        let mut logs = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            let stats = unit.log().stats();
            let mut number = 0;
            let result = self.scan.read(unit, &mut |session, source| {
                let place = (index, number);
                number += 1;
                if excluded.contains(&place) {
                    return Ok(None);
                }
                let origin = match source {
                    SessionSource::Log(log) => log_origin(log)?,
                    SessionSource::Record(document) => record_origin(document),
                };
                let key = session_key(session, &origin);
                let sources = FactsSink::new(session, &origin.sources).sources().to_vec();
                let read = |state| Some(ReadState { place, key: key.clone(), state, sources });
                if self.known.contains(&key) {
                    return Ok(read(SessionState::Known));
                }
                // A session that is not written is not written from another unit either.
                if !read_keys.insert(key.clone()) || repeated.contains(&place) {
                    return Ok(read(SessionState::Repeated));
                }
                let partition = partition::folder(&self.options.partition_by, session);
                if !files.borrow().is_open(&partition) {
                    tables.flush()?;
                    let begun = files.borrow_mut().begin(&partition);
                    begun.map_err(|error| keep(&files, error))?;
                }
                files.borrow_mut().add_session(&key);
                let written = match self.options.format {
                    ExportFormat::Tables(_) => tables.read_session(session, &origin).map(drop),
                    ExportFormat::Sessions(format) => files.borrow_mut().write_session(|out| {
                        write_session(session, &origin.sources, &key, format, out)
                    }),
                };
                let written = written.and_then(|()| match source {
                    // Fails if the log was changed meanwhile.
                    SessionSource::Log(log) => log.check_unchanged(),
                    SessionSource::Record(_) => Ok(()),
                });
                if let Err(error) = written {
                    failed.push(place);
                    return Err(error);
                }
                Ok(read(SessionState::Written))
            });
            if let Some(error) = files.borrow_mut().error.take() {
                return Err(error);
            }
            let has_failed = !result.failures.is_empty();
            failures.extend(result.failures);
            let is_record = matches!(unit, Unit::Record { .. });
            let session = |(session, read): (SessionKey, Option<ReadState>)| {
                let ReadState { place, key, state, sources } = read?;
                let SessionKey { agent, id, .. } = session;
                let session = ExportedSession { agent, id, sources, is_record };
                Some(ReadSession { place, key, state, session })
            };
            logs.push(ReadLog {
                stats,
                sessions: result.sessions.into_iter().filter_map(session).collect(),
                has_failed: has_failed || excluded.iter().any(|(log, _)| *log == index),
                is_found: self.scan.is_found(unit),
            });
        }
        tables.flush().map_err(io_error)?;
        let parts = files.into_inner().finish()?;
        Ok(RunResult { logs, failures, parts, failed })
    }
}

/// The result of a session while its log is read.
struct ReadState {
    place: SessionPlace,
    key: String,
    state: SessionState,
    sources: Vec<SourceFile>,
}

/// The result of reading a group once.
struct RunResult {
    logs: Vec<ReadLog>,
    failures: Vec<ScanFailure>,
    parts: Vec<Part>,
    /// Sessions of which some rows may have been written.
    failed: Vec<SessionPlace>,
}

/// Remembers that a file cannot be written, which ends the command.
fn keep(files: &RefCell<PartFiles<'_>>, error: io::Error) -> Error {
    let message = error.to_string();
    let kind = error.kind();
    files.borrow_mut().error = Some(error);
    Error::Io(io::Error::new(kind, message))
}

fn io_error(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    }
}
