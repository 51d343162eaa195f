//! A record that is signed or was signed: whether it is valid, and what it states.

use sha2::{Digest as _, Sha256};
use vac_record::keys::{agent_meta, message_entry, session_trace, verifiable_agent_record};
use vac_record::{AbstractTimestamp, Decode as _, SessionId};
use vac_validate::signed::unreadable;
use vac_validate::{MAX_VIOLATIONS, Violations, rules, validate_document};
use vac_value::{Document, Encoding, Node, path};

/// A record that has been validated, and what it states.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Whether it matches the schema and has no duplicate keys.
    pub verdict: Result<(), Violations>,
    /// What trace metadata is made from, as far as the record states it.
    pub facts: Facts,
}

impl Examined {
    /// Validates the bytes of a record and reads its facts.
    pub fn new(bytes: &[u8], encoding: Encoding) -> Self {
        match Document::scan(bytes, encoding) {
            Ok(document) => {
                let rule = rules::VERIFIABLE_AGENT_RECORD;
                let verdict = validate_document(&document, rule, MAX_VIOLATIONS);
                Self { verdict, facts: Facts::of(document.root()) }
            }
            Err(error) => {
                Self { verdict: Err(unreadable(encoding, &error)), facts: Facts::default() }
            }
        }
    }
}

/// The SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The place of the first key that its map has had before.
pub(crate) fn duplicate_key(document: &Document<'_>) -> Option<String> {
    let key = document.duplicate_keys().next()?;
    Some(path::pointer(document.node(key.after())))
}

/// What a record says of its session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Which session.
    pub session_id: Option<SessionId<'static>>,
    /// Who runs the model.
    pub model_provider: Option<String>,
    /// When the session began.
    pub session_start: Option<AbstractTimestamp<'static>>,
    /// When it ended.
    pub session_end: Option<AbstractTimestamp<'static>>,
    /// When the record came to be.
    pub created: Option<AbstractTimestamp<'static>>,
    /// The first time that an entry has.
    pub first_timestamp: Option<AbstractTimestamp<'static>>,
}

impl Facts {
    fn of(record: Node<'_, '_>) -> Self {
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

    /// When the session began, as far as the record knows.
    pub(crate) fn start(&self) -> Option<&AbstractTimestamp<'static>> {
        self.session_start.as_ref().or(self.created.as_ref()).or(self.first_timestamp.as_ref())
    }
}
