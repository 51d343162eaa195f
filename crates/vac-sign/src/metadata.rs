//! Reads and compares trace metadata: facts about a record in the unprotected header.

use std::borrow::Cow;

use data_encoding::HEXLOWER;
use vac_record::{AbstractTimestamp, Decode as _, DecodeError, SessionId, TraceMetadata};
use vac_value::{Document, printable};

use crate::header::labelled;
use crate::label::TRACE_METADATA;
use crate::record::RecordFacts;

/// The format of a record of this schema.
const RECORD_FORMAT: &str = "ietf-vac-v3.0";
/// The only supported hash.
const SHA_256: &str = "sha-256";

/// Returns the metadata of a record. `None` if the record does not state a session id, a
/// provider or any time.
pub(crate) fn from_facts(
    facts: &RecordFacts,
    content_hash: &[u8; 32],
) -> Option<TraceMetadata<'static>> {
    Some(TraceMetadata {
        session_id: facts.session_id.clone()?,
        agent_vendor: Cow::Owned(facts.model_provider.clone()?),
        trace_format: Cow::Borrowed(RECORD_FORMAT),
        timestamp_start: facts.start()?.clone(),
        timestamp_end: facts.session_end.clone(),
        content_hash: Some(Cow::Owned(HEXLOWER.encode(content_hash))),
        content_hash_alg: Some(Cow::Borrowed(SHA_256)),
    })
}

/// The trace metadata of an unprotected header about its record.
pub(crate) enum Stated {
    /// No trace metadata is stated.
    Nothing,
    /// A value that is not trace metadata.
    Malformed(Box<DecodeError>),
    /// Trace metadata.
    Metadata(Box<TraceMetadata<'static>>),
}

impl Stated {
    /// Returns whether the metadata states this hash for the payload.
    pub fn has_hash(&self, hash: &[u8; 32]) -> bool {
        self.check_hash(hash) == Some(Ok(()))
    }

    /// Compares the stated hash with that of a payload; `None` if no hash is stated.
    pub fn check_hash(&self, hash: &[u8; 32]) -> Option<Result<(), String>> {
        match self {
            Self::Metadata(metadata) => check_hash(metadata, hash),
            Self::Nothing | Self::Malformed(_) => None,
        }
    }
}

/// Reads the trace metadata of an unprotected header.
pub(crate) fn read_metadata(unprotected: &Document<'_>) -> Stated {
    let Some(node) = labelled(unprotected.root(), TRACE_METADATA) else { return Stated::Nothing };
    match TraceMetadata::from_node_owned(node) {
        Ok(metadata) => Stated::Metadata(Box::new(metadata)),
        Err(error) => Stated::Malformed(Box::new(error)),
    }
}

/// Compares the hash in trace metadata with that of a payload; `None` if it states none.
pub(crate) fn check_hash(
    metadata: &TraceMetadata<'_>,
    content_hash: &[u8; 32],
) -> Option<Result<(), String>> {
    let stated = metadata.content_hash.as_deref();
    match (metadata.content_hash_alg.as_deref(), stated) {
        (Some(SHA_256) | None, Some(stated)) if stated == HEXLOWER.encode(content_hash) => {
            Some(Ok(()))
        }
        (Some(SHA_256) | None, Some(stated)) => {
            Some(Err(format!("content-hash is {}", printable(stated, 64))))
        }
        (Some(other), _) if other != SHA_256 => {
            let other = printable(other, 24);
            Some(Err(format!("content-hash-alg is \"{other}\" instead of \"{SHA_256}\"")))
        }
        _ => None,
    }
}

/// The differences between metadata and the record, as text, and the members that could not
/// be compared because the record does not have them.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub differences: Vec<String>,
    pub unknown: Vec<&'static str>,
}

/// Compares metadata with the record it is for.
pub(crate) fn compare(metadata: &TraceMetadata<'_>, facts: &RecordFacts) -> Comparison {
    let mut differences = Vec::new();
    let mut unknown = Vec::new();
    let mut differ = |key: &str, stated: String, record: Option<String>| {
        differences.push(match record {
            Some(record) => format!("{key} is {stated}, in the record {record}"),
            None => format!("{key} is {stated}, which the record does not state"),
        });
    };
    if Some(&metadata.session_id) != facts.session_id.as_ref() {
        let record = facts.session_id.as_ref().map(session_text);
        differ("session-id", session_text(&metadata.session_id), record);
    }
    if facts.model_provider.as_deref() != Some(&*metadata.agent_vendor) {
        let record = facts.model_provider.as_deref().map(quote);
        differ("agent-vendor", quote(&metadata.agent_vendor), record);
    }
    if metadata.trace_format != RECORD_FORMAT {
        differ("trace-format", quote(&metadata.trace_format), Some(quote(RECORD_FORMAT)));
    }
    let start = &metadata.timestamp_start;
    match facts.session_start.as_ref().or(facts.created.as_ref()) {
        Some(record) if record == start => {}
        Some(record) => differ("timestamp-start", time_text(start), Some(time_text(record))),
        // If a record states neither, other tools write the time of signing.
        None if facts.first_timestamp.as_ref() == Some(start) => {}
        None => unknown.push("timestamp-start"),
    }
    if let Some(end) = &metadata.timestamp_end
        && facts.session_end.as_ref() != Some(end)
    {
        differ("timestamp-end", time_text(end), facts.session_end.as_ref().map(time_text));
    }
    Comparison { differences, unknown }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", printable(text, 40))
}

fn session_text(id: &SessionId<'_>) -> String {
    match id {
        SessionId::Text(text) => quote(text),
        SessionId::Bytes(bytes) => {
            format!("h'{}'", HEXLOWER.encode(bytes.get(..40).unwrap_or(bytes)))
        }
    }
}

fn time_text(time: &AbstractTimestamp<'_>) -> String {
    match time {
        AbstractTimestamp::Text(text) => quote(text),
        AbstractTimestamp::Uint(number) => number.to_string(),
    }
}
