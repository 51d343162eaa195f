//! The facts about a session that are known before its entries are read.

use std::collections::BTreeMap;

use vac_adapter::Session;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::report::SourceFile;
use vac_record::annotations::Relation;

use crate::event_time::to_utc;
use crate::session_info::SessionInfo;

/// The facts about a session that are known before its entries are read.
#[derive(Clone, Debug)]
pub struct Head {
    /// The session's id; bytes are in base64url.
    pub session_id: String,
    /// The agent's name.
    pub agent: String,
    /// The version of the agent's program.
    pub cli_version: Option<String>,
    /// The main model, if it is known.
    pub model: Option<String>,
    /// The working directory.
    pub working_dir: Option<String>,
    /// The time at which it began, in UTC.
    pub start: Option<String>,
    /// The time at which it ended, in UTC.
    pub end: Option<String>,
    /// The id of the session that this one came from.
    pub parent: Option<String>,
    /// The relation to that session.
    pub relation: Option<Relation>,
    /// The labels of the record, by key.
    pub labels: BTreeMap<String, String>,
}

impl Head {
    /// Returns the head of a session. `sources` are the files of a log; a record states them
    /// itself.
    pub fn new(session: &dyn Session, sources: &[SourceFile]) -> Self {
        Self::from_info(&SessionInfo::new(session, sources))
    }

    pub(crate) fn from_info(info: &SessionInfo) -> Self {
        let session = &info.record.session;
        let meta = &session.agent_meta;
        let annotations = info.annotations.as_ref();
        Self {
            session_id: info.session_id(),
            agent: info.agent.clone(),
            cli_version: meta.cli_version.as_deref().map(str::to_owned),
            model: Some(&*meta.model_id).filter(|model| *model != UNKNOWN).map(str::to_owned),
            working_dir: session.environment.as_ref().map(|it| it.working_dir.to_string()),
            start: info.start().and_then(to_utc),
            end: info.end().and_then(to_utc),
            parent: annotations.and_then(|it| it.parent.as_deref()).map(str::to_owned),
            relation: annotations.and_then(|it| it.relation),
            labels: info.labels.clone(),
        }
    }
}
