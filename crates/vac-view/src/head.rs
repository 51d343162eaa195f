//! What is known of a session before its entries.

use vac_adapter::Session;
use vac_adapter::report::Source;
use vac_record::{AbstractTimestamp, Any, SessionId, VerifiableAgentRecord};
use vac_value::{Encode, Node};

use crate::agent::Agent;

/// What is known of a session before its entries.
#[derive(Debug)]
pub(crate) struct Head {
    pub agent: Agent,
    /// The agent's name; of one that is not known here, the one it gives itself.
    pub agent_name: String,
    pub record: VerifiableAgentRecord<'static>,
    /// The files it comes from.
    pub sources: Vec<Source>,
}

impl Head {
    /// `sources` are those of a log; a record says itself what it was made from.
    pub fn of(session: &dyn Session, sources: &[Source]) -> Self {
        let record = session.record();
        let agent = Agent::of_name(session.agent());
        let cli_name = record.session.agent_meta.cli_name.as_deref();
        let agent_name = match agent {
            Agent::Other => cli_name.unwrap_or("unknown"),
            known => known.name(),
        };
        let agent_name = agent_name.to_owned();
        let sources = if sources.is_empty() { stated_sources(&record) } else { sources.to_vec() };
        Self { agent, agent_name, record, sources }
    }

    /// The session's id as text; bytes are in base64url.
    pub fn session_id(&self) -> String {
        match &self.record.session.session_id {
            SessionId::Text(text) => text.clone().into_owned(),
            bytes @ SessionId::Bytes(_) => {
                let text = bytes.to_json().unwrap_or_default();
                text.trim_matches('"').to_owned()
            }
        }
    }

    pub fn start(&self) -> Option<&AbstractTimestamp<'static>> {
        self.record.session.session_start.as_ref()
    }

    pub fn end(&self) -> Option<&AbstractTimestamp<'static>> {
        self.record.session.session_end.as_ref()
    }

    /// Whether its start is nothing but the minute in the name of its file.
    pub fn starts_by_file_name(&self) -> bool {
        let is_so = |start| {
            let is_name = |source: &Source| crate::moment::is_from_file_name(start, &source.name);
            self.sources.iter().any(is_name)
        };
        self.start().is_some_and(is_so)
    }
}

/// What a record says about the files it was made from.
fn stated_sources(record: &VerifiableAgentRecord<'_>) -> Vec<Source> {
    /// More are not looked at.
    const MOST: usize = 10_000;
    let stated = |any: &Any<'_>| {
        let document = any.document().ok()?;
        let source = |node: Node<'_, '_>| {
            let text = |key: &str| node.member(key).and_then(Node::text);
            Some(Source {
                name: text("name")?.into_owned(),
                size: node.member("size").and_then(Node::uint)?,
                sha_256: text("sha-256")?.into_owned(),
            })
        };
        Some(document.root().elements().take(MOST).filter_map(source).collect())
    };
    let recording = record.recording_agent.as_ref();
    recording.and_then(|agent| agent.extensions.get("sources")).and_then(stated).unwrap_or_default()
}
