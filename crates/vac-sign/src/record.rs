//! Validates a record before signing or when verifying, and reads the facts that it states.

use sha2::{Digest as _, Sha256};
use vac_record::keys::{agent_meta, message_entry, session_trace, verifiable_agent_record};
use vac_record::{AbstractTimestamp, Decode as _, SessionId};
use vac_validate::signed::unreadable;
use vac_validate::{MAX_VIOLATIONS, Violations, rules, validate_document};
use vac_value::{Document, Encoding, Node, path};

/// The result of validating a record, and the facts that it states.
#[derive(Clone, Debug)]
#[must_use = "the record may not be valid"]
pub struct Examined {
    /// Whether it matches the schema and has no duplicate keys.
    pub verdict: Result<(), Violations>,
    /// The facts that trace metadata is made from, as far as the record states them.
    pub facts: RecordFacts,
}

impl Examined {
    /// Validates the bytes of a record and reads its facts.
    pub fn new(bytes: &[u8], encoding: Encoding) -> Self {
        examine(bytes, encoding).0
    }

    fn from_document(document: &Document<'_>) -> Self {
        let verdict = validate_document(document, rules::VERIFIABLE_AGENT_RECORD, MAX_VIOLATIONS);
        Self { verdict, facts: RecordFacts::from_record(document.root()) }
    }
}

/// Validates the bytes of a record and reads its facts. Returns its document as well, if it is one.
pub(crate) fn examine(bytes: &[u8], encoding: Encoding) -> (Examined, Option<Document<'_>>) {
    match Document::scan(bytes, encoding) {
        Ok(document) => (Examined::from_document(&document), Some(document)),
        Err(error) => {
            let verdict = Err(unreadable(encoding, &error));
            (Examined { verdict, facts: RecordFacts::default() }, None)
        }
    }
}

/// Returns the SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns the path of the first duplicate key.
pub(crate) fn duplicate_key(document: &Document<'_>) -> Option<String> {
    let key = document.duplicate_keys().next()?;
    Some(path::pointer(document.node(key.after())))
}

/// The facts that a record states about its session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFacts {
    /// The session's id.
    pub session_id: Option<SessionId<'static>>,
    /// The provider of the model.
    pub model_provider: Option<String>,
    /// The start of the session.
    pub session_start: Option<AbstractTimestamp<'static>>,
    /// The end of the session.
    pub session_end: Option<AbstractTimestamp<'static>>,
    /// The time at which the record was created.
    pub created: Option<AbstractTimestamp<'static>>,
    /// The first timestamp of an entry.
    pub first_timestamp: Option<AbstractTimestamp<'static>>,
}

impl RecordFacts {
    fn from_record(record: Node<'_, '_>) -> Self {
        let time = |node: Node<'_, '_>| AbstractTimestamp::from_node_owned(node).ok();
        let session = record.member(verifiable_agent_record::SESSION);
        let of_session = |key: &str| session.and_then(|session| session.member(key));
        let entries = vac_validate::entries(record).into_iter().flat_map(Node::elements);
        Self {
            session_id: of_session(session_trace::SESSION_ID)
                .and_then(|node| SessionId::from_node_owned(node).ok()),
            model_provider: of_session(session_trace::AGENT_META)
                .and_then(|meta| meta.member(agent_meta::MODEL_PROVIDER))
                .and_then(|node| node.text().map(std::borrow::Cow::into_owned)),
            session_start: of_session(session_trace::SESSION_START).and_then(time),
            session_end: of_session(session_trace::SESSION_END).and_then(time),
            created: record.member(verifiable_agent_record::CREATED).and_then(time),
            first_timestamp: entries
                .filter_map(|entry| entry.member(message_entry::TIMESTAMP))
                .find_map(time),
        }
    }

    /// Returns the start of the session: as stated, or else the creation of the record, or else
    /// the first timestamp of an entry.
    pub(crate) fn start(&self) -> Option<&AbstractTimestamp<'static>> {
        self.session_start.as_ref().or(self.created.as_ref()).or(self.first_timestamp.as_ref())
    }
}
