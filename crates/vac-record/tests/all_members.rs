//! Values in which every member of the schema has a different value: decoding and encoding must not
//! mix up or drop any of them.

use std::collections::BTreeSet;

use vac_record::{
    AgentMeta, Any, Contributor, Conversation, CoseCertHash, CoseCertHashAlg, CoseX509, CwtClaims,
    Decode, Embedded, Encode, Environment, EventEntry, File, FileAttributionRecord, Label,
    MessageEntry, ProtectedHeader, ProtectedHeaderContentType, Range, ReasoningEntry,
    RecordingAgent, Resource, SessionTrace, SignedAgentRecordContent, Start, Tagged, TokenUsage,
    ToolCallEntry, ToolResultEntry, TraceMetadata, UnprotectedHeader, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{Document, Kind, Node};

const RECORD: &str = r#"{
  "version": "v", "id": "i", "session": {
    "format": "f", "session-id": "s", "session-start": 1, "session-end": "2026-01-01T00:00:00Z",
    "agent-meta": {"model-id": "am", "model-provider": "ap", "models": ["a1", "a2"],
                   "cli-name": "ac", "cli-version": "av", "x": "ax"},
    "environment": {"working-dir": "ew", "sandboxes": ["es"], "x": "ex", "vcs":
      {"type": "vt", "revision": "vr", "branch": "vb", "repository": "vp", "x": "vx"}},
    "entries": [
      {"type": "user", "content": "mc", "timestamp": 11, "id": "mi", "model-id": "mm",
       "parent-id": "mp", "x": "mx", "token-usage": {"input": 1, "output": 2, "cached": 3,
       "reasoning": 4, "total": 5, "cost": 6.5, "x": 7}, "children": [
        {"type": "tool-call", "name": "cn", "input": "ci", "call-id": "cc", "timestamp": 12,
         "id": "cd", "children": [{"type": "assistant", "id": "c0"}], "x": "cx"}]},
      {"type": "tool-result", "output": "ro", "call-id": "rc", "status": "rs", "is-error": true,
       "timestamp": 13, "id": "ri", "children": [{"type": "assistant", "id": "r0"}], "x": "rx"},
      {"type": "reasoning", "content": "gc", "encrypted": "ge", "subject": "gs", "timestamp": 14,
       "id": "gi", "children": [{"type": "assistant", "id": "g0"}], "x": "gx"},
      {"type": "system-event", "event-type": "ve", "data": {"k": "vd"}, "timestamp": 15,
       "id": "vi", "children": [{"type": "assistant", "id": "v0"}], "x": "vx"}],
    "x": "sx"},
  "created": 2,
  "file-attribution": {"files": [{"path": "p", "conversations": [{"url": "u:1",
    "contributor": {"type": "human", "model-id": "k1"},
    "ranges": [{"start-line": 1, "end-line": 2, "content-hash": "h", "content-hash-alg": "g",
                "contributor": {"type": "ai", "model-id": "k2"}}],
    "related": [{"type": "t", "url": "u:2"}]}]}]},
  "vcs": {"type": "wt", "revision": "wr", "branch": "wb", "repository": "wp", "x": "wx"},
  "recording-agent": {"name": "n", "version": "o", "x": "nx"},
  "x": {"y": [1, null]}
}"#;

/// Collects the sets of text keys of all maps inside a node.
fn key_sets(node: Node<'_, '_>, sets: &mut Vec<BTreeSet<String>>) {
    match node.kind() {
        Kind::Map => {
            let keys = node.members().filter_map(|(key, _)| key.text());
            sets.push(keys.map(std::borrow::Cow::into_owned).collect());
            node.members().for_each(|(_, value)| key_sets(value, sets));
        }
        _ => node.elements().for_each(|element| key_sets(element, sets)),
    }
}

#[test]
fn the_record_has_every_member_of_the_schema() {
    let document = Document::json(RECORD.as_bytes()).expect("JSON");
    let mut sets = Vec::new();
    key_sets(document.root(), &mut sets);
    for keys in [
        &VerifiableAgentRecord::KEYS[..],
        &SessionTrace::KEYS,
        &AgentMeta::KEYS,
        &RecordingAgent::KEYS,
        &Environment::KEYS,
        &VcsContext::KEYS,
        &MessageEntry::KEYS,
        &ToolCallEntry::KEYS,
        &ToolResultEntry::KEYS,
        &ReasoningEntry::KEYS,
        &EventEntry::KEYS,
        &TokenUsage::KEYS,
        &FileAttributionRecord::KEYS,
        &File::KEYS,
        &Conversation::KEYS,
        &Range::KEYS,
        &Contributor::KEYS,
        &Resource::KEYS,
    ] {
        let has_all = |set: &BTreeSet<String>| keys.iter().all(|key| set.contains(*key));
        assert!(sets.iter().any(has_all), "no map has all of {keys:?}");
    }
}

#[test]
fn records_keep_every_member_in_its_place() {
    let record = VerifiableAgentRecord::from_json(RECORD).unwrap_or_else(|error| panic!("{error}"));
    let expected = Any::from_json(RECORD).expect("JSON");
    let (json, cbor) = (record.to_json().expect("JSON"), record.to_cbor().expect("CBOR"));
    assert_eq!(Any::from_json(&json).expect("JSON"), expected);
    assert_eq!(Any::from_cbor(&cbor).expect("CBOR"), expected);
    assert_eq!(VerifiableAgentRecord::from_cbor(&cbor), Ok(record.clone()));
    assert_eq!(Start::from_json(RECORD), Ok(Start::VerifiableAgentRecord(record)));
}

#[test]
fn signed_records_keep_every_member_in_its_place() {
    let extension = |text: &'static str| [(Label::from(7), Any::from(text))].into_iter().collect();
    let signed = Tagged(SignedAgentRecordContent {
        protected: Embedded::new(ProtectedHeader {
            cwt_claims: CwtClaims { iss: "i".into(), sub: "s".into(), extensions: extension("c") },
            alg: Some(-8),
            content_type: Some(ProtectedHeaderContentType::Uint(50)),
            kid: Some(b"kid".into()),
            x5t: Some(CoseCertHash {
                hash_alg: CoseCertHashAlg::Int(-16),
                hash_value: b"hash".into(),
            }),
            x5chain: Some(CoseX509::Array(vec![b"c1".into(), b"c2".into()])),
            extensions: extension("p"),
        }),
        unprotected: UnprotectedHeader {
            trace_metadata_key: Some(TraceMetadata {
                session_id: "id".into(),
                agent_vendor: "vendor".into(),
                trace_format: "format".into(),
                timestamp_start: 1.into(),
                timestamp_end: Some(2.into()),
                content_hash: Some("hash".into()),
                content_hash_alg: Some("alg".into()),
            }),
            x5chain: Some(CoseX509::Bytes(b"c3".into())),
            receipts: None,
            extensions: extension("u"),
        },
        payload: Some(b"payload".into()),
        signature: b"signature".into(),
    });
    let cbor = signed.to_cbor().expect("CBOR");
    let start = Start::from_cbor(&cbor).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(start, Start::SignedAgentRecord(signed));
    // The bytes up to the trace metadata: no member is encoded under the label of another one.
    let expected = b"\xd2\x84\x58\x2b\xa7\x01\x27\x03\x18\x32\x04\x43kid\x07\x61p\x0f\xa3\x01\x61i\
        \x02\x61s\x07\x61c\x18\x21\x82\x42c1\x42c2\x18\x22\x82\x2f\x44hash\xa3\x07\x61u\x18\x21\
        \x42c3\x18\x64\xa7";
    let shown = hex(&cbor[..expected.len()]);
    assert_eq!(shown, hex(expected));
}

fn hex(bytes: &[u8]) -> String {
    format!("{bytes:02x?}")
}
