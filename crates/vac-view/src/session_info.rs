//! The facts about a session that are known before its entries are read.

use std::collections::BTreeMap;

use vac_adapter::report::SourceFile;
use vac_adapter::{Adapter, Session, annotation, session};
use vac_record::annotations::SessionAnnotations;
use vac_record::{AbstractTimestamp, Any, SessionId, VerifiableAgentRecord};
use vac_value::{Encode, Node};

/// The facts about a session that are known before its entries are read.
pub(crate) struct SessionInfo {
    /// The adapter whose tables apply.
    pub adapter: Option<&'static dyn Adapter>,
    /// The name of the agent.
    pub agent: String,
    /// The record without entries.
    pub record: VerifiableAgentRecord<'static>,
    /// The annotations of the session.
    pub annotations: Option<SessionAnnotations<'static>>,
    /// Whether the session has annotations that are not valid.
    pub has_invalid_annotations: bool,
    /// The labels that the record states.
    pub labels: BTreeMap<String, String>,
    /// The files that it comes from.
    pub sources: Vec<SourceFile>,
}

impl SessionInfo {
    /// Reads the head of a session. `sources` are the files of a log; a record states them
    /// itself.
    pub fn new(session: &dyn Session, sources: &[SourceFile]) -> Self {
        let record = session::head(session);
        let annotations = annotation::session_annotations(&record);
        let sources = if sources.is_empty() { stated_sources(&record) } else { sources.to_vec() };
        Self {
            adapter: session.adapter(),
            agent: session.agent().into_owned(),
            has_invalid_annotations: annotations.is_err(),
            annotations: annotations.ok().flatten(),
            labels: stated_labels(&record),
            record,
            sources,
        }
    }

    /// Returns the session's id as text; bytes are in base64url.
    pub fn session_id(&self) -> String {
        match &self.record.session.session_id {
            SessionId::Text(text) => text.clone().into_owned(),
            bytes @ SessionId::Bytes(_) => {
                let text = bytes.to_json().expect("JSON has a text for bytes");
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

    /// Returns whether the start was derived from the name of a file.
    pub fn starts_by_file_name(&self) -> bool {
        let named = |source: &SourceFile| self.adapter?.start_in_name(&source.name);
        let start = self.start();
        start.is_some() && self.sources.iter().any(|source| named(source).as_ref() == start)
    }
}

/// Returns the files that a record states it was made from.
fn stated_sources(record: &VerifiableAgentRecord<'_>) -> Vec<SourceFile> {
    const MAX_SOURCES: usize = 10_000;
    let read = |any: &Any<'_>| {
        let document = any.document().ok()?;
        let source = |node: Node<'_, '_>| {
            let text = |key: &str| node.member(key).and_then(Node::text);
            Some(SourceFile {
                name: text("name")?.into_owned(),
                size: node.member("size").and_then(Node::uint)?,
                sha_256: text("sha-256")?.into_owned(),
            })
        };
        Some(document.root().elements().take(MAX_SOURCES).filter_map(source).collect())
    };
    let recording = record.recording_agent.as_ref();
    recording.and_then(|agent| agent.extensions.get("sources")).and_then(read).unwrap_or_default()
}

/// Returns the labels that a record states: members of `recording-agent.labels` that are text.
fn stated_labels(record: &VerifiableAgentRecord<'_>) -> BTreeMap<String, String> {
    const MAX_LABELS: usize = 1000;
    let read = |any: &Any<'_>| {
        let document = any.document().ok()?;
        let text = |node: Node<'_, '_>| Some(node.text()?.into_owned());
        let members = document.root().members().take(MAX_LABELS);
        Some(members.filter_map(|(key, value)| Some((text(key)?, text(value)?))).collect())
    };
    let recording = record.recording_agent.as_ref();
    recording.and_then(|agent| agent.extensions.get("labels")).and_then(read).unwrap_or_default()
}
