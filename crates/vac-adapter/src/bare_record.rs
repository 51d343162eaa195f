//! Builds the record of a session without its entries.
//!
//! An adapter has to set every member of the schema: if the schema gets a new member, neither this
//! module nor any adapter compiles until it is set.

use vac_record::{
    AbstractTimestamp, AgentMeta, Environment, SCHEMA_VERSION, SessionId, SessionTrace, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{Map, Text};

use crate::members::Rest;
use crate::models::Models;
use crate::provider::provider;

/// The facts that a log states about its session, apart from the entries.
///
/// ```
/// use vac_adapter::bare_record::{BareRecord, agent_meta};
/// use vac_adapter::members::Rest;
/// use vac_adapter::models::Models;
///
/// let bare = BareRecord {
///     id: "s1",
///     format: None,
///     start: None,
///     end: None,
///     agent_meta: agent_meta(&Models::default(), None, None),
///     environment: None,
///     vcs: None,
///     extensions: Rest::default(),
/// };
/// let record = bare.record();
/// assert_eq!((&*record.id, &*record.session.agent_meta.model_id), ("s1", "unknown"));
/// ```
#[derive(Clone, Debug)]
pub struct BareRecord<'i> {
    /// The id of the session, which is also that of the record.
    pub id: &'i str,
    /// The format of the session.
    pub format: Option<Text<'static>>,
    /// The time at which the session began. The record states it as its creation time, too.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The time at which the session ended.
    pub end: Option<AbstractTimestamp<'static>>,
    /// The agent and its models.
    pub agent_meta: AgentMeta<'static>,
    /// The environment that the agent worked in.
    pub environment: Option<Environment<'static>>,
    /// The repository that it worked in.
    pub vcs: Option<VcsContext<'static>>,
    /// The other members of the session.
    pub extensions: Rest<'static>,
}

impl BareRecord<'_> {
    /// Returns the record, without entries.
    pub fn record(self) -> VerifiableAgentRecord<'static> {
        VerifiableAgentRecord {
            version: SCHEMA_VERSION.into(),
            id: self.id.to_owned().into(),
            session: SessionTrace {
                format: self.format,
                session_id: SessionId::Text(self.id.to_owned().into()),
                session_start: self.start.clone(),
                session_end: self.end,
                agent_meta: self.agent_meta,
                environment: self.environment,
                entries: Vec::new(),
                extensions: self.extensions,
            },
            created: self.start,
            file_attribution: None,
            vcs: self.vcs,
            recording_agent: None,
            extensions: Map::default(),
        }
    }
}

/// Returns the models of a session as its record states them, with the provider that the name of the
/// main model implies, and the program and its version.
pub fn agent_meta(
    models: &Models,
    cli_name: Option<Text<'static>>,
    cli_version: Option<Text<'static>>,
) -> AgentMeta<'static> {
    let main = models.main_or_unknown();
    AgentMeta {
        model_id: main.to_owned().into(),
        model_provider: provider(main).into(),
        models: models.listed(),
        cli_name,
        cli_version,
        extensions: Map::default(),
    }
}
