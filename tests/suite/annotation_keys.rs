//! Native keys with the names of annotations mean nothing: a log with all of them in every
//! object has the same events and facts.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value, json};
use vac::AGENTS;
use vac_adapter::{Adapter, Input, Session};
use vac_adapter_check::{Log, fixture_logs};
use vac_record::annotations::{EntryAnnotations, SessionAnnotations};
use vac_value::{Document, Kind, Node};
use vac_view::{Options, events, inspect};

/// Annotations of an entry that would change every event.
fn entry_annotations() -> Value {
    json!({
        "author": "program",
        "local-command": true,
        "superseded": {"how": "updated", "by": "x"},
        "duplicate-of": "x",
        "inherited": "x",
        "subagent": {"id": "x", "call-id": "x"},
        "outcome": "cancelled",
        "exit-code": 99,
        "action": {"tool": "x", "category": "Think", "server": "x"},
        "tool": "x",
        "delegated-to": "x",
        "permission": {"decision": "denied", "by": "hook", "what": "x", "call-id": "x"},
        "usage": {"input": 9, "cache-read": 9, "cache-write": 9, "output": 9, "model": "x"},
        "reason": "syntax",
        "starts": true,
        "ends": {"of": "session", "how": "failure"},
    })
}

fn session_annotations() -> Value {
    json!({"agent": "x", "adapter": "x", "variant": "x", "parent": "x", "relation": "fork"})
}

/// Adds a member to the end of every object of a document that does not have its key.
fn add_member(document: &[u8], key: &str, value: &Value) -> Vec<u8> {
    let Ok(scanned) = Document::json(document) else { return document.to_vec() };
    let mut ends = Vec::new();
    add_ends(scanned.root(), key, &mut ends);
    ends.sort_unstable();
    let mut changed = Vec::new();
    let mut from = 0;
    for (end, is_empty) in ends {
        changed.extend(&document[from..end]);
        let comma = if is_empty { "" } else { "," };
        changed.extend(format!("{comma}\"{key}\":{value}").bytes());
        from = end;
    }
    changed.extend(&document[from..]);
    changed
}

/// Collects where objects without a key end, and whether they are empty.
fn add_ends(node: Node<'_, '_>, key: &str, ends: &mut Vec<(usize, bool)>) {
    node.elements().for_each(|element| add_ends(element, key, ends));
    node.members().for_each(|(_, value)| add_ends(value, key, ends));
    if node.kind() == Kind::Map && node.member(key).is_none() {
        let is_empty = node.members().next().is_none();
        ends.push((node.offset() + node.raw().len() - 1, is_empty));
    }
}

/// Rewrites the documents of a log, or else those of its lines that are documents.
fn rewrite(log: &Log, change: impl Fn(&[u8]) -> Vec<u8>) -> Log {
    let mut log = log.clone();
    for part in &mut log.parts {
        let mut documents = Deserializer::from_slice(&part.bytes).into_iter::<IgnoredAny>();
        let (mut from, mut changed, mut is_json) = (0, Vec::new(), true);
        while let Some(document) = documents.next() {
            is_json &= document.is_ok();
            if !is_json {
                break;
            }
            let to = documents.byte_offset();
            let space = part.bytes[from..to].iter().take_while(|it| it.is_ascii_whitespace());
            let start = from + space.count();
            changed.extend(&part.bytes[from..start]);
            changed.extend(change(&part.bytes[start..to]));
            from = to;
        }
        if is_json {
            changed.extend(&part.bytes[from..]);
        } else {
            let lines: Vec<_> = part.bytes.split(|byte| *byte == b'\n').map(&change).collect();
            changed = lines.join(&b'\n');
        }
        part.bytes = changed;
    }
    log
}

/// What events and facts say, without what the log itself contains.
fn statements(adapter: &dyn Adapter, log: &Log) -> Option<Vec<Statement>> {
    let mut found = Vec::new();
    let sessions = adapter.survey(log as &dyn Input).ok()?;
    for session in &sessions {
        found.extend(session_statements(&**session));
    }
    Some(found)
}

/// The members of an event or of the facts, as they are written.
type Statement = BTreeMap<String, String>;

fn session_statements(session: &dyn Session) -> Vec<Statement> {
    let mut found = Vec::new();
    events(session, &[], Options::everything(), &mut |event| {
        found.push(statement(&event.line()));
        Ok(())
    })
    .expect("events");
    let facts = inspect(session, &[]).expect("facts");
    found.push(statement(&serde_json::to_vec(&facts).expect("JSON")));
    found
}

fn statement(json: &[u8]) -> Statement {
    let document = Document::json(json).expect("JSON");
    let member = |(key, value): (Node<'_, '_>, Node<'_, '_>)| {
        let key = key.text().expect("a key").into_owned();
        (key, String::from_utf8_lossy(value.raw()).into_owned())
    };
    let mut members: Statement = document.root().members().map(member).collect();
    // Values of the log contain the keys, some ids are digests of its bytes, and some objects
    // become an event because of a key that is not known.
    for key in ["input", "output", "paths", "session-id", "entry-id", "entries"] {
        members.remove(key);
    }
    members
}

/// Checks logs of an agent. Returns the number of logs that were checked.
pub fn check(adapter: &dyn Adapter, logs: &[Log]) -> usize {
    let mut added = Map::new();
    for annotations in [entry_annotations(), session_annotations()] {
        added.extend(annotations.as_object().expect("an object").clone());
    }
    added.insert("vac".to_owned(), entry_annotations());
    let (mut checked, mut changes) = (0, Vec::new());
    for log in logs {
        let Some(expected) = statements(adapter, log) else { continue };
        for (key, value) in &added {
            let changed = rewrite(log, |document| add_member(document, key, value));
            let found = statements(adapter, &changed).unwrap_or_default();
            let differ = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            if found.len() != expected.len() || differ.is_some() {
                changes.push(format!("{}: key `{key}`: {differ:#?}", log.shown));
            }
        }
        checked += 1;
    }
    assert!(changes.is_empty(), "{}", changes.join("\n"));
    checked
}

#[test]
fn every_annotation_is_tried() {
    let has = |annotations: &Value, keys: &[&str]| {
        let members = annotations.as_object().expect("an object");
        keys.len() == members.len() && keys.iter().all(|key| members.contains_key(*key))
    };
    assert!(has(&entry_annotations(), &EntryAnnotations::KEYS));
    assert!(has(&session_annotations(), &SessionAnnotations::KEYS));
}

/// Fixtures in which any key has a native meaning.
const EXCEPTIONS: &[&str] = &[
    // A line is a prompt only if it has no other key than `prompt`.
    "codex/exec-events-runs",
    // The rows of the database are objects that the container makes, not the log.
    "cursor/chat/",
    // The key of an object in a call names the tool.
    "cursor/capture-awkward",
    // `tool` of a bubble is the number of its tool.
    "cursor/composer",
    // Versions of a message are compared as a whole.
    "gemini/jsonl/kept",
    // The keys of an object are the ids of messages.
    "opencode/share/",
];

#[test]
fn annotation_keys_in_logs_of_every_agent_mean_nothing() {
    for adapter in AGENTS {
        let mut logs = fixture_logs(*adapter);
        logs.retain(|log| !EXCEPTIONS.iter().any(|it| log.shown.contains(it)));
        let checked = check(*adapter, &logs);
        println!("{}: {checked} logs", adapter.name());
        assert!(checked > 0, "{}", adapter.name());
    }
}
