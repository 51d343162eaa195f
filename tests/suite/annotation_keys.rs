//! Native keys with the names of annotations mean nothing: a log with all of them in every
//! object has the same events and facts.

use serde_json::{Map, Value, json};
use vac_adapter::{Adapter, Input, Session};
use vac_adapter_check::{Log, fixture_logs};
use vac_record::annotations::{EntryAnnotations, SessionAnnotations};
use vac_view::{Options, events, inspect};

use crate::adapters::ADAPTERS;

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

/// Adds the keys to every object that does not have them.
fn add_keys(value: &mut Value, added: &Map<String, Value>) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|it| add_keys(it, added)),
        Value::Object(members) => {
            members.values_mut().for_each(|it| add_keys(it, added));
            for (key, value) in added {
                members.entry(key).or_insert_with(|| value.clone());
            }
        }
        _ => {}
    }
}

/// Rewrites the documents of a log, or else those of its lines that are documents.
fn rewrite(log: &Log, change: impl Fn(&mut Value)) -> Log {
    let mut log = log.clone();
    for part in &mut log.parts {
        let documents = serde_json::Deserializer::from_slice(&part.bytes).into_iter::<Value>();
        let documents: Result<Vec<_>, _> = documents.collect();
        let mut lines: Vec<Result<Value, &[u8]>> = match documents {
            Ok(documents) => documents.into_iter().map(Ok).collect(),
            Err(_) => {
                let lines = part.bytes.split(|byte| *byte == b'\n');
                lines.map(|line| serde_json::from_slice(line).map_err(|_| line)).collect()
            }
        };
        lines.iter_mut().flatten().for_each(&change);
        let bytes = |line: &Result<Value, &[u8]>| match line {
            Ok(document) => document.to_string().into_bytes(),
            Err(bytes) => bytes.to_vec(),
        };
        let lines: Vec<_> = lines.iter().map(bytes).collect();
        part.bytes = lines.join(&b'\n');
    }
    log
}

/// What events and facts say, without what the log itself contains.
fn statements(adapter: &dyn Adapter, log: &Log) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    let sessions = adapter.survey(log as &dyn Input).ok()?;
    for session in &sessions {
        found.extend(session_statements(&**session));
    }
    Some(found)
}

fn session_statements(session: &dyn Session) -> Vec<Value> {
    let mut found = Vec::new();
    events(session, &[], Options::everything(), &mut |event| {
        found.push(serde_json::from_slice::<Value>(&event.line()).expect("JSON"));
        Ok(())
    })
    .expect("events");
    let facts = inspect(session, &[]).expect("facts");
    found.push(serde_json::to_value(facts).expect("JSON"));
    for statement in &mut found {
        let members = statement.as_object_mut().expect("an object");
        // Values of the log contain the keys, some ids are digests of its bytes, and some objects
        // become an event because of a key that is not known.
        for key in ["input", "output", "paths", "session-id", "entry-id", "entries"] {
            members.remove(key);
        }
    }
    found
}

/// Checks logs of an agent. `native` are keys that the agent's own logs have with a meaning.
/// Returns the number of logs that were checked.
pub fn check(adapter: &dyn Adapter, logs: &[Log], native: &[&str]) -> usize {
    let mut added = Map::new();
    for annotations in [entry_annotations(), session_annotations()] {
        added.extend(annotations.as_object().expect("an object").clone());
    }
    added.insert("vac".to_owned(), entry_annotations());
    added.retain(|key, _| !native.contains(&key.as_str()));
    let (mut checked, mut changes) = (0, Vec::new());
    for log in logs {
        let Some(expected) = statements(adapter, &rewrite(log, |_| {})) else { continue };
        for (key, value) in &added {
            let one = Map::from_iter([(key.clone(), value.clone())]);
            let changed = rewrite(log, |document| add_keys(document, &one));
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

/// Keys that logs of an agent have with a meaning of their own.
fn native_keys(agent: &str) -> &'static [&'static str] {
    match agent {
        _ => &[],
    }
}

#[test]
fn native_keys_with_the_names_of_annotations_mean_nothing() {
    for adapter in ADAPTERS {
        let checked = check(adapter, &fixture_logs(adapter), native_keys(adapter.name()));
        println!("{}: {checked} logs", adapter.name());
        assert!(checked > 0, "{}", adapter.name());
    }
}
