//! How the keys of a log are written, and keys that only annotations have, mean nothing.

use vac::AGENTS;
use vac_adapter::Adapter;
use vac_adapter_check::{Converted, Log, Value, fixture_logs, full};

/// Returns a log in which one character of every key is written as an escape.
fn escaped(log: &Log) -> Log {
    let mut log = log.clone();
    for part in &mut log.parts {
        let mut written = Vec::with_capacity(part.bytes.len() * 2);
        let mut troubles = part.troubles.iter_mut().peekable();
        let mut at = 0;
        while at < part.bytes.len() {
            while let Some(trouble) = troubles.next_if(|it| it.offset <= at as u64) {
                trouble.offset = written.len() as u64;
            }
            let rest = &part.bytes[at..];
            let length = if rest[0] == b'"' { text_length(rest) } else { 1 };
            let after = rest[length..].iter().find(|byte| !byte.is_ascii_whitespace());
            match &rest[..length] {
                [b'"', first, others @ ..]
                    if after == Some(&b':') && first.is_ascii_alphanumeric() =>
                {
                    written.extend_from_slice(format!("\"\\u{:04x}", first).as_bytes());
                    written.extend_from_slice(others);
                }
                other => written.extend_from_slice(other),
            }
            at += length;
        }
        troubles.for_each(|trouble| trouble.offset = written.len() as u64);
        part.bytes = written;
    }
    log
}

/// Returns the length of the text that JSON begins with; all of it if it has no end.
fn text_length(json: &[u8]) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    json[1..].iter().position(is_end).map_or(json.len(), |at| at + 2)
}

/// Removes what states the bytes of a log: unparsed text, sizes and digests of it, and ids that
/// are made of them.
fn without_bytes(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for key in ["raw", "raw-base64", "offset", "bytes", "size", "sha-256"] {
                members.remove(key);
            }
            members.values_mut().for_each(without_bytes);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_bytes),
        _ => {}
    }
}

fn records(adapter: &dyn Adapter, log: &Log) -> Vec<Value> {
    let records = full(adapter, log).unwrap_or_else(|error| panic!("{}: {error}", log.shown));
    records.iter().map(Converted::value).collect()
}

/// Returns the fixtures of an agent that are JSON.
fn logs(adapter: &dyn Adapter) -> Vec<Log> {
    let mut logs = fixture_logs(adapter);
    logs.retain(|log| !log.shown.contains("cursor/text"));
    logs
}

/// Fixtures whose records depend on how keys are written: a key that is not Unicode is kept as it
/// is written; the others are read by code that still compares the bytes of keys.
const SPELLED: &[&str] =
    &["claude/lone-surrogate/", "claude/loglines-", "codex/", "cursor/capture"];

#[test]
fn escapes_in_keys_do_not_change_a_record() {
    let mut problems = Vec::new();
    for adapter in AGENTS.iter().copied() {
        for log in logs(adapter) {
            let mut expected = records(adapter, &log);
            let found = full(adapter, &escaped(&log));
            let found = found.unwrap_or_default();
            let mut found: Vec<_> = found.iter().map(Converted::value).collect();
            for record in expected.iter_mut().chain(&mut found) {
                without_bytes(record);
                // It may be made of the bytes.
                record["id"] = Value::Null;
                record["session"]["session-id"] = Value::Null;
            }
            if expected != found && !SPELLED.iter().any(|name| log.shown.contains(name)) {
                problems.push(log.shown.clone());
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Members of annotations. Agents have keys `action`, `permission`, `reason`, `tool` and `usage` of
/// their own, which mean what the agent says: those are only inside `vac`.
const ANNOTATIONS: &str = r#"{
    "vac": {"author": "hook", "superseded": {"how": "rewound"}, "duplicate-of": "x",
        "inherited": true, "subagent": {"id": "x"}, "outcome": "error", "exit-code": 7,
        "action": {"tool": "x", "category": "Edit"}, "tool": "x", "local-command": true,
        "permission": {"decision": "denied"}, "usage": {"input": 7}, "reason": "syntax",
        "starts": true, "ends": {"of": "session"}},
    "author": "hook", "local-command": true, "superseded": {"how": "rewound"},
    "duplicate-of": "x", "inherited": true, "subagent": {"id": "x"}, "outcome": "error",
    "exit-code": 7, "starts": true, "ends": {"of": "session", "how": "failure"}
}"#;

/// Fixtures in which whole objects are compared: an element of a shared session has two members,
/// and a message of Gemini that is set again is a duplicate if it is the same.
const COMPARED: &[&str] = &["opencode/share/", "gemini/jsonl/kept/"];

/// Adds annotations to an object and to all objects in it, where it has no such keys.
fn annotate(value: &mut Value, annotations: &Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|value| annotate(value, annotations));
            for (key, value) in annotations.as_object().into_iter().flatten() {
                members.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|value| annotate(value, annotations));
        }
        _ => {}
    }
}

/// Returns a log with its documents written again, after a change. `None` if something in it is
/// not JSON.
fn rewritten(log: &Log, change: &dyn Fn(&mut Value)) -> Option<Log> {
    let mut log = log.clone();
    for part in &mut log.parts {
        let mut written = Vec::new();
        let mut documents = serde_json::Deserializer::from_slice(&part.bytes).into_iter::<Value>();
        while let Some(document) = documents.next() {
            let mut document = document.ok()?;
            change(&mut document);
            written.extend_from_slice(document.to_string().as_bytes());
            written.push(b'\n');
        }
        part.bytes = written;
        part.troubles.clear();
    }
    Some(log)
}

/// Returns the annotations of a record's session and of all its entries.
fn annotations(record: &Value) -> Vec<Value> {
    fn add(entry: &Value, found: &mut Vec<Value>) {
        found.extend(entry.get("vac").cloned());
        let children = entry["children"].as_array();
        children.into_iter().flatten().for_each(|child| add(child, found));
    }
    let mut found = vec![record["session"]["vac"].clone()];
    let entries = record["session"]["entries"].as_array();
    entries.into_iter().flatten().for_each(|entry| add(entry, &mut found));
    found
}

#[test]
fn annotations_in_a_log_are_not_annotations_of_its_record() {
    let added: Value = serde_json::from_str(ANNOTATIONS).expect("JSON");
    let (mut problems, mut count) = (Vec::new(), 0);
    for adapter in AGENTS.iter().copied() {
        for log in logs(adapter) {
            let Some(plain) = rewritten(&log, &|_| ()) else { continue };
            let changed = rewritten(&log, &|document| annotate(document, &added)).expect("JSON");
            let read = |log: &Log| {
                let records = full(adapter, log).ok()?;
                Some(records.iter().map(|record| annotations(&record.value())).collect::<Vec<_>>())
            };
            let (expected, found) = (read(&plain), read(&changed));
            if expected != found && !COMPARED.iter().any(|name| log.shown.contains(name)) {
                problems.push(log.shown.clone());
            }
            count += 1;
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(count > 40, "only {count} logs");
}
