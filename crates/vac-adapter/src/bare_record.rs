//! The record of a session before its entries are written.

use vac_record::{
    AbstractTimestamp, AgentMeta, SCHEMA_VERSION, SessionId, SessionTrace, VerifiableAgentRecord,
};

use crate::models::Models;
use crate::provider::provider;

/// Returns the record of a session without entries. The session's id is that of the record, too, and
/// the record was created when the session began.
///
/// ```
/// use vac_adapter::bare_record::{agent_meta, bare_record};
/// use vac_adapter::models::Models;
///
/// let record = bare_record("s1", agent_meta(&Models::default()), None, None);
/// assert_eq!((&*record.id, &*record.session.agent_meta.model_id), ("s1", "unknown"));
/// ```
pub fn bare_record(
    id: &str,
    agent_meta: AgentMeta<'static>,
    start: Option<AbstractTimestamp<'static>>,
    end: Option<AbstractTimestamp<'static>>,
) -> VerifiableAgentRecord<'static> {
    let session_id = SessionId::Text(id.to_owned().into());
    let session = SessionTrace {
        session_start: start.clone(),
        session_end: end,
        ..SessionTrace::new(session_id, agent_meta, [])
    };
    VerifiableAgentRecord {
        created: start,
        ..VerifiableAgentRecord::new(SCHEMA_VERSION, id.to_owned(), session)
    }
}

/// Returns the models of a session as its record states them, with the provider that the name of the
/// main model implies.
pub fn agent_meta(models: &Models) -> AgentMeta<'static> {
    let main = models.main_or_unknown();
    AgentMeta { models: models.listed(), ..AgentMeta::new(main.to_owned(), provider(main)) }
}
