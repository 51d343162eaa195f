//! The facts about a session that are known before its entries are read.

use std::collections::BTreeMap;

use vac_adapter::Session;
use vac_adapter::provider::UNKNOWN;
use vac_view::FactsSink;

/// The facts about a session that are known before its entries are read.
pub(crate) struct SessionHead {
    /// The key of the session, 32 hexadecimal digits.
    pub key: String,
    pub session_id: String,
    pub agent: String,
    pub cli_name: Option<String>,
    pub cli_version: Option<String>,
    pub model: Option<String>,
    pub provider: Option<String>,
    pub working_dir: Option<String>,
    /// The labels of the record, by key.
    pub labels: BTreeMap<String, String>,
}

impl SessionHead {
    pub fn new(session: &dyn Session, facts: &FactsSink, key: &str) -> Self {
        let record = facts.record();
        let meta = &record.session.agent_meta;
        let known = |name: &str| Some(name.to_owned()).filter(|name| name != UNKNOWN);
        let environment = record.session.environment.as_ref();
        Self {
            key: key.to_owned(),
            session_id: facts.session_id(),
            agent: session.agent().into_owned(),
            cli_name: meta.cli_name.as_deref().map(str::to_owned),
            cli_version: meta.cli_version.as_deref().map(str::to_owned),
            model: known(&meta.model_id),
            provider: known(&meta.model_provider),
            working_dir: environment.map(|environment| environment.working_dir.to_string()),
            labels: facts.labels().clone(),
        }
    }
}
