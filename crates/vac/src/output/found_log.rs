//! A log that a search has found.

use std::sync::Arc;

use vac_store::StoredLog;
use vac_store::join::DetectedLog;

use crate::error::{Error, ErrorKind};
use crate::files::Readers;
use crate::search::unrecognised;
use crate::{Agent, Task};

/// A log to convert, or a file that turned out not to be one.
#[derive(Debug)]
pub struct FoundLog {
    name: String,
    /// `None` only if it could not be opened.
    log: Option<Arc<StoredLog>>,
    detection: Detection,
}

/// The result of detecting whose log it is.
#[derive(Debug)]
pub(super) enum Detection {
    /// This agent's.
    Agent(Agent),
    /// It could not be read.
    Failed(Error),
    /// The user named it, and it is not a log.
    NotALog(Error),
    /// It is not a log. Contains a description of it.
    Skipped(Option<String>),
}

impl FoundLog {
    /// Makes one of a log whose agent was detected. An agent that is given takes precedence.
    pub fn new(detected: DetectedLog, agent: Option<Agent>) -> Self {
        let DetectedLog { log, agent: found, looks_like, trouble, .. } = detected;
        let agent = agent.or_else(|| found.and_then(crate::agent));
        let detection = match (trouble, agent) {
            (Some(reason), _) => {
                Detection::Failed(Error::new(ErrorKind::Io, reason).at(log.shown.clone()))
            }
            (None, Some(agent)) => Detection::Agent(agent),
            (None, None) if log.named => Detection::NotALog(unrecognised(&log, looks_like)),
            (None, None) => Detection::Skipped(looks_like),
        };
        Self { name: log.shown.clone(), log: Some(Arc::new(log)), detection }
    }

    /// Returns its name: the path as it was given or found.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn log(&self) -> Option<&StoredLog> {
        self.log.as_deref()
    }

    pub(super) fn detection(&self) -> &Detection {
        &self.detection
    }

    /// Returns whether something may be made from it.
    fn is_source(&self) -> bool {
        matches!(self.detection, Detection::Agent(_))
            || self.log.as_ref().is_some_and(|it| it.named)
    }
}

impl From<&Task> for FoundLog {
    /// A task that cannot be opened fails when it is converted.
    fn from(task: &Task) -> Self {
        let name = task.name.clone();
        match task.open() {
            Ok((log, agent)) => Self { name, log: Some(log), detection: Detection::Agent(agent) },
            Err(error) => Self { name, log: None, detection: Detection::Failed(error) },
        }
    }
}

/// Returns the users who can read all logs; only the owner if there are none.
pub fn readers_of_found(logs: &[FoundLog]) -> Readers {
    Readers::of_logs(logs.iter().filter(|log| log.is_source()).filter_map(FoundLog::log))
}
