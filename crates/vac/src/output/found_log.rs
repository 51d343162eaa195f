//! Represents a log that a search has found.

use std::collections::BTreeSet;
use std::sync::Arc;

use vac_adapter::Preview;
use vac_store::StoredLog;
use vac_store::join::DetectedLog;

use crate::error::{Error, ErrorKind};
use crate::files::Readers;
use crate::search::unrecognised;
use crate::session_filter::missing_sessions;
use crate::{Agent, Task};

/// A log to convert, or a file that is not a log.
#[derive(Debug)]
pub struct FoundLog {
    name: String,
    /// The opened log; `None` only if it could not be opened.
    log: Option<Arc<StoredLog>>,
    detection: Detection,
    preview: Preview,
    /// The ids of the records of the sessions to convert; `None` for all.
    wanted: Option<BTreeSet<String>>,
}

/// The result of detecting the agent of a log.
#[derive(Debug)]
pub(super) enum Detection {
    /// It is a log of this agent.
    Agent(Agent),
    /// It could not be read.
    Failed(Error),
    /// The user named it, but it is not a log.
    NotALog(Error),
    /// It is not a log. Contains a description of it.
    Skipped(Option<String>),
}

impl FoundLog {
    /// Creates a found log from a log whose agent was detected. A given agent takes precedence.
    pub fn new(detected: DetectedLog, agent: Option<Agent>) -> Self {
        let DetectedLog { log, agent: found, preview, looks_like, trouble, .. } = detected;
        let agent = agent.or_else(|| found.and_then(crate::agent));
        let detection = match (trouble, agent) {
            (Some(reason), _) => {
                Detection::Failed(Error::new(ErrorKind::Io, reason).at(log.shown.clone()))
            }
            (None, Some(agent)) => Detection::Agent(agent),
            (None, None) if log.named => Detection::NotALog(unrecognised(&log, looks_like)),
            (None, None) => Detection::Skipped(looks_like),
        };
        let (name, wanted) = (log.shown.clone(), log.wanted.clone());
        Self { name, log: Some(Arc::new(log)), detection, preview, wanted }
    }

    /// Returns the name of the log: the path as it was given or found.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn log(&self) -> Option<&StoredLog> {
        self.log.as_deref()
    }

    /// Returns the ids of the records of the sessions to convert; `None` for all.
    pub(super) fn wanted(&self) -> Option<&BTreeSet<String>> {
        self.wanted.as_ref()
    }

    /// Returns the sessions to convert of which none of these is the record.
    pub(super) fn missing(&self, record_ids: &BTreeSet<&str>) -> BTreeSet<String> {
        match (&self.log, &self.detection) {
            (Some(log), Detection::Agent(agent)) => {
                missing_sessions(log, *agent, &self.preview, record_ids)
            }
            _ => BTreeSet::new(),
        }
    }

    /// Converts only these sessions, by the ids of their records.
    pub(super) fn narrow(&mut self, wanted: BTreeSet<String>) {
        self.wanted = Some(wanted);
    }

    pub(super) fn detection(&self) -> &Detection {
        &self.detection
    }

    /// Returns whether records may be made from it.
    pub(super) fn is_source(&self) -> bool {
        matches!(self.detection, Detection::Agent(_))
            || self.log.as_ref().is_some_and(|it| it.named)
    }
}

impl From<&Task> for FoundLog {
    /// A task that cannot be opened fails when it is converted.
    fn from(task: &Task) -> Self {
        let name = task.name.clone();
        match task.open() {
            Ok((log, agent)) => {
                let (wanted, detection) = (log.wanted.clone(), Detection::Agent(agent));
                Self { name, log: Some(log), detection, preview: task.preview(), wanted }
            }
            Err(error) => Self {
                name,
                log: None,
                detection: Detection::Failed(error),
                preview: Preview::default(),
                wanted: None,
            },
        }
    }
}

/// Returns the users who can read all logs; only the owner if there are none.
pub fn readers_of_found(logs: &[FoundLog]) -> Readers {
    Readers::of_logs(logs.iter().filter(|log| log.is_source()).filter_map(FoundLog::log))
}
