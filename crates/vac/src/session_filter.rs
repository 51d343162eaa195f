//! Selects sessions by the facts that they state.
//!
//! A log can contain several sessions, of which only some are wanted. Only this module decides
//! which: the ids of these sessions are stored with their log ([`StoredLog::wanted`]) and with its
//! [`Task`](crate::Task). All readers of the log then receive only these sessions.
//!
//! [`StoredLog::wanted`]: vac_store::StoredLog::wanted

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use vac_adapter::session::Named;
use vac_adapter::time::instant;
use vac_adapter::{Error as ReadError, Preview, Session as _, frame};
use vac_record::{AbstractTimestamp, SessionId, VerifiableAgentRecord};
use vac_store::StoredLog;
use vac_store::join::DetectedLog;

use crate::Agent;
use crate::error::Result;
use crate::parallel::ordered_parallel_map;

/// A filter of sessions by the facts that their records state. The default selects all sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Only sessions that began then or later, in nanoseconds since 1970. Sessions of unknown start
    /// are included.
    pub since: Option<i128>,
    /// Only sessions that began then or earlier, in nanoseconds since 1970. Sessions of unknown
    /// start are included.
    pub until: Option<i128>,
    /// Only sessions of projects whose path contains this text.
    pub project: Option<String>,
}

/// The facts about a session of a log by which it can be selected.
#[derive(Clone, Debug)]
pub struct SessionFacts {
    /// The id of the session's record.
    pub record_id: String,
    /// The id of the session; empty if it is bytes.
    pub session_id: String,
    /// The time at which the session began.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The working directory of the agent.
    pub project: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
}

/// The logs with sessions that are wanted.
#[derive(Debug, Default)]
pub struct FilteredLogs {
    /// The logs, each with its wanted sessions, and files that are not logs.
    pub logs: Vec<DetectedLog>,
    /// The number of wanted sessions that do not state their start, if the filter limits the start.
    pub unknown_start: usize,
    /// The number of sessions that are not wanted.
    pub excluded: usize,
}

/// Whether a session is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    No,
    Yes,
    /// The session does not state its start, and is included.
    UnknownStart,
}

impl SessionFacts {
    /// Returns the facts that a record states.
    pub fn new(record: &VerifiableAgentRecord<'static>) -> Self {
        let trace = &record.session;
        let session_id = match &trace.session_id {
            SessionId::Text(id) => id.to_string(),
            SessionId::Bytes(_) => String::new(),
        };
        Self {
            record_id: record.id.to_string(),
            session_id,
            start: trace.session_start.clone(),
            project: trace.environment.as_ref().map(|it| it.working_dir.to_string()),
            version: trace.agent_meta.cli_version.as_ref().map(ToString::to_string),
        }
    }
}

impl SessionFilter {
    /// Returns whether every session is wanted.
    pub fn is_everything(&self) -> bool {
        !self.has_times() && self.project.is_none()
    }

    /// Returns whether a session that states these facts is wanted. A session of unknown start is
    /// wanted.
    pub fn selects(&self, start: Option<&AbstractTimestamp<'_>>, project: Option<&str>) -> bool {
        self.verdict(start, project) != Wanted::No
    }

    /// Keeps the logs with sessions that are wanted, and stores which of their sessions are wanted.
    ///
    /// The beginning of a log decides if it states everything, and the log is certainly one session.
    /// Otherwise all of it is read. A log that cannot be read is kept, so that the error is reported.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn apply(&self, logs: Vec<DetectedLog>, jobs: usize) -> Result<FilteredLogs> {
        let mut filtered = FilteredLogs::default();
        if self.is_everything() {
            filtered.logs = logs;
            return Ok(filtered);
        }
        let work = |mut known: DetectedLog| {
            let verdicts = self.narrow(&mut known);
            (known, verdicts)
        };
        ordered_parallel_map(logs, jobs, work, |(known, verdicts)| {
            let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
            filtered.unknown_start += count(Wanted::UnknownStart);
            filtered.excluded += count(Wanted::No);
            if verdicts.is_empty() || count(Wanted::No) < verdicts.len() {
                filtered.logs.push(known);
            }
            ControlFlow::Continue(())
        })?;
        Ok(filtered)
    }

    /// Stores which sessions of a log are wanted, and returns whether each of them is. The result
    /// is empty if the file is not a log, or cannot be read.
    fn narrow(&self, known: &mut DetectedLog) -> Vec<Wanted> {
        let agent = known.agent.and_then(crate::agent).filter(|_| known.trouble.is_none());
        let Some(agent) = agent else { return Vec::new() };
        match self.by_beginning(known, agent) {
            Err(_) => Vec::new(),
            Ok(Some(verdict)) => vec![verdict],
            Ok(None) => {
                let Ok(sessions) = sessions_of(known, agent) else { return Vec::new() };
                let verdict =
                    |it: &SessionFacts| self.verdict(it.start.as_ref(), it.project.as_deref());
                let verdicts: Vec<_> = sessions.iter().map(verdict).collect();
                let is_wanted = |it: &SessionFacts| verdict(it) != Wanted::No;
                keep_sessions(known, &sessions, is_wanted);
                verdicts
            }
        }
    }

    /// Returns whether the session of a log is wanted, by the facts at its beginning. `None` if
    /// these do not decide it.
    fn by_beginning(&self, known: &DetectedLog, agent: Agent) -> std::io::Result<Option<Wanted>> {
        let preview = &known.preview;
        let is_unstated = self.has_times() && preview.start.is_none()
            || self.project.is_some() && preview.project.is_none();
        // A log can begin with entries that it has inherited from another session.
        let is_inherited = preview.parent.is_some() && !known.log.is_in_store();
        if is_unstated || is_inherited || !known.log.is_one_session(agent.adapter, preview)? {
            return Ok(None);
        }
        Ok(Some(self.verdict(preview.start.as_ref(), preview.project.as_deref())))
    }

    fn verdict(&self, start: Option<&AbstractTimestamp<'_>>, project: Option<&str>) -> Wanted {
        let wanted = self.project.as_deref();
        if !wanted.is_none_or(|wanted| project.is_some_and(|project| project.contains(wanted))) {
            return Wanted::No;
        }
        if !self.has_times() {
            return Wanted::Yes;
        }
        match start.and_then(instant) {
            None => Wanted::UnknownStart,
            Some(start) => {
                let is_late = self.since.is_none_or(|since| start >= since);
                let is_early = self.until.is_none_or(|until| start <= until);
                if is_late && is_early { Wanted::Yes } else { Wanted::No }
            }
        }
    }

    fn has_times(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }
}

/// Reads a log and returns its sessions. If the only session of a log does not state a fact, it is
/// that of the beginning. Has to be called on a thread with a large stack, as
/// [`read_log`](crate::convert::read_log).
///
/// # Errors
/// If the log cannot be read or is refused.
pub fn sessions_of(
    known: &DetectedLog,
    agent: Agent,
) -> std::result::Result<Vec<SessionFacts>, ReadError> {
    let loaded = known.log.load_within(frame::MAX_EVENT)?;
    let sessions = agent.adapter.survey(&loaded)?;
    known.log.note_session_count(sessions.len());
    let is_only = sessions.len() == 1;
    let facts = sessions.iter().map(|session| {
        let mut facts = SessionFacts::new(&Named::new(&**session, agent.name).record());
        if is_only {
            facts.start = facts.start.or_else(|| known.preview.start.clone());
            facts.project = facts.project.or_else(|| known.preview.project.clone());
        }
        facts
    });
    Ok(facts.collect())
}

/// Stores which of the previously wanted sessions of a log are wanted, and returns whether there
/// are any. The preview becomes that of the first one.
pub fn keep_sessions(
    known: &mut DetectedLog,
    sessions: &[SessionFacts],
    is_wanted: impl Fn(&SessionFacts) -> bool,
) -> bool {
    let before = |it: &&SessionFacts| known.log.is_wanted(&it.record_id);
    let kept: Vec<_> = sessions.iter().filter(before).filter(|it| is_wanted(it)).collect();
    if kept.len() == sessions.len() {
        return !kept.is_empty();
    }
    if let Some(first) = kept.first() {
        known.preview.session_id = Some(first.record_id.clone());
        known.preview.start.clone_from(&first.start);
        known.preview.project.clone_from(&first.project);
        known.preview.version.clone_from(&first.version);
        known.preview.parent = None;
    }
    let ids: BTreeSet<_> = kept.into_iter().map(|it| it.record_id.clone()).collect();
    let is_any = !ids.is_empty();
    known.log.wanted = Some(ids);
    is_any
}

/// Returns the ids of the records of the wanted sessions of a log that are not among these. A log
/// that cannot be read has none: the error is reported when it is converted.
///
/// Has to be called on a thread with a large stack, as [`read_log`](crate::convert::read_log).
pub fn missing_sessions(
    log: &StoredLog,
    agent: Agent,
    preview: &Preview,
    record_ids: &BTreeSet<&str>,
) -> BTreeSet<String> {
    let is_missing = |id: &&String| !record_ids.contains(id.as_str());
    if let Some(wanted) = &log.wanted {
        return wanted.iter().filter(is_missing).cloned().collect();
    }
    if log.session_count().is_some_and(|count| record_ids.len() >= count)
        || log.is_one_session(agent.adapter, preview).unwrap_or(true)
    {
        return BTreeSet::new();
    }
    let read = || {
        let loaded = log.load_within(frame::MAX_EVENT)?;
        let sessions = agent.adapter.survey(&loaded)?;
        log.note_session_count(sessions.len());
        Ok::<_, ReadError>(sessions.iter().map(|it| it.record().id.to_string()).collect())
    };
    let sessions: BTreeSet<String> = read().unwrap_or_else(|_| BTreeSet::new());
    sessions.into_iter().filter(|id| is_missing(&id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i128 {
        instant(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn session_without_a_start_is_neither_inside_nor_outside() {
        let filter = SessionFilter {
            since: Some(at("2026-03-01T00:00:00Z")),
            until: Some(at("2026-03-03T00:00:00Z") - 1),
            project: None,
        };
        let verdict = |text: &str| filter.verdict(Some(&text.parse().unwrap()), None);
        assert_eq!(verdict("2026-02-28T23:59:59.999Z"), Wanted::No);
        assert_eq!(verdict("2026-03-01T00:00:00Z"), Wanted::Yes);
        assert_eq!(verdict("2026-03-02T23:59:59.999Z"), Wanted::Yes);
        assert_eq!(verdict("2026-03-03T00:00:00Z"), Wanted::No);
        assert_eq!(filter.verdict(None, None), Wanted::UnknownStart);
        let milliseconds = AbstractTimestamp::Uint(1_772_323_200_000);
        assert_eq!(filter.verdict(Some(&milliseconds), None), Wanted::Yes);
        assert!(!filter.is_everything() && SessionFilter::default().is_everything());
    }

    #[test]
    fn session_without_a_project_is_of_none() {
        let project = Some("wheel".to_owned());
        let filter = SessionFilter { project, ..SessionFilter::default() };
        assert!(filter.selects(None, Some("/home/ada/wheel")));
        assert!(!filter.selects(None, Some("/home/ada/loom")));
        assert!(!filter.selects(None, None) && !filter.is_everything());
    }
}
