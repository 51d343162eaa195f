//! Tests that neither escapes in the keys of a log nor native keys with the names of annotations
//! have an effect.

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value, json};
use vac::AGENTS;
use vac_adapter::Adapter;
use vac_adapter_check::{ConvertedRecord, TestLog, convert_full, fixture_logs};
use vac_record::annotations::{EntryAnnotations, SessionAnnotations};
use vac_value::{Document, Kind, Node};
use vac_view::{EventOptions, events, inspect};

/// A change to the bytes of a log.
struct Edit {
    offset: usize,
    removed: usize,
    added: String,
}

/// Returns a log with changes. `edits` returns them in the order of their offsets.
fn edit_log(log: &TestLog, edits: impl Fn(&[u8]) -> Vec<Edit>) -> TestLog {
    let mut log = log.clone();
    for part in &mut log.parts {
        let mut written = Vec::with_capacity(part.bytes.len() * 2);
        let mut troubles = part.troubles.iter_mut().peekable();
        let mut from = 0;
        for edit in edits(&part.bytes) {
            while let Some(trouble) = troubles.next_if(|it| it.offset <= edit.offset as u64) {
                trouble.offset += written.len() as u64 - from as u64;
            }
            written.extend_from_slice(&part.bytes[from..edit.offset]);
            written.extend_from_slice(edit.added.as_bytes());
            from = edit.offset + edit.removed;
        }
        troubles.for_each(|trouble| trouble.offset += written.len() as u64 - from as u64);
        written.extend_from_slice(&part.bytes[from..]);
        part.bytes = written;
    }
    log
}

/// Returns changes that write the first character of every key as an escape. Keys with an escape
/// are not changed, because a key that is not Unicode is kept as it is written.
fn escapes(bytes: &[u8]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = if rest[0] == b'"' { text_length(rest) } else { 1 };
        let after = rest[length..].iter().find(|byte| !byte.is_ascii_whitespace());
        if let [b'"', first, ..] = &rest[..length]
            && after == Some(&b':')
            && first.is_ascii_alphanumeric()
            && !rest[..length].contains(&b'\\')
        {
            let added = format!("\\u{first:04x}");
            edits.push(Edit { offset: at + 1, removed: 1, added });
        }
        at += length;
    }
    edits
}

/// Returns the length of the text at the beginning of JSON; the whole length if the text does not
/// end.
fn text_length(json: &[u8]) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    json[1..].iter().position(is_end).map_or(json.len(), |at| at + 2)
}

/// Removes the members that depend on the bytes of a log: unparsed text, sizes and digests of it,
/// and ids that are made from them.
fn remove_bytes(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for key in ["raw", "raw-base64", "offset", "bytes", "size", "sha-256"] {
                members.remove(key);
            }
            members.values_mut().for_each(remove_bytes);
        }
        Value::Array(elements) => elements.iter_mut().for_each(remove_bytes),
        _ => {}
    }
}

fn records(adapter: &dyn Adapter, log: &TestLog) -> Vec<Value> {
    let records = convert_full(adapter, log).unwrap_or_default();
    let mut records: Vec<_> = records.iter().map(ConvertedRecord::value).collect();
    for record in &mut records {
        remove_bytes(record);
        record["id"] = Value::Null;
        record["session"]["session-id"] = Value::Null;
    }
    records
}

/// Returns the first difference between two values.
fn difference(expected: &Value, found: &Value) -> String {
    match (expected, found) {
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let mut both = (0..).zip(expected.iter().zip(found));
            let differ = both.find(|(_, (expected, found))| expected != found);
            differ.map_or_else(String::new, |(at, (expected, found))| {
                format!("/{at}{}", difference(expected, found))
            })
        }
        (Value::Object(expected), Value::Object(found)) if expected.keys().eq(found.keys()) => {
            let differ = expected.iter().find(|(key, value)| found[*key] != **value);
            differ.map_or_else(String::new, |(key, value)| {
                format!("/{key}{}", difference(value, &found[key]))
            })
        }
        _ => {
            let short = |value: &Value| value.to_string().chars().take(400).collect::<String>();
            format!(": expected {}, found {}", short(expected), short(found))
        }
    }
}

#[test]
fn escapes_in_keys_do_not_change_a_record() {
    let mut problems = Vec::new();
    for adapter in AGENTS.iter().copied() {
        for log in fixture_logs(adapter) {
            let expected = records(adapter, &log);
            assert!(!expected.is_empty(), "{}", log.shown);
            let expected = Value::from(expected);
            let found = Value::from(records(adapter, &edit_log(&log, escapes)));
            if expected != found {
                problems.push(format!("{}{}", log.shown, difference(&expected, &found)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns annotations of an entry that would change every event.
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
        "stated-cost": 9,
        "reason": "syntax",
        "starts": true,
        "ends": {"of": "session", "how": "failure"},
    })
}

fn session_annotations() -> Value {
    json!({"agent": "x", "adapter": "x", "variant": "x", "parent": "x", "relation": "fork"})
}

/// Returns changes that add a member to every object without its key: in the whole document,
/// otherwise in each line that is a document.
fn additions(bytes: &[u8], key: &str, value: &str) -> Vec<Edit> {
    let mut documents = Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    let (mut spans, mut from, mut is_json) = (Vec::new(), 0, true);
    while let Some(document) = documents.next() {
        is_json &= document.is_ok();
        if !is_json {
            break;
        }
        spans.push(from..documents.byte_offset());
        from = documents.byte_offset();
    }
    if !is_json {
        let mut from = 0;
        let line = |line: &[u8]| {
            from += line.len();
            from - line.len()..from
        };
        spans = bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect();
    }
    let mut edits = Vec::new();
    for span in spans {
        let space = bytes[span.clone()].iter().take_while(|byte| byte.is_ascii_whitespace());
        let start = span.start + space.count();
        if let Ok(document) = Document::json(bytes[start..span.end].trim_ascii_end()) {
            add_members(document.root(), key, value, start, &mut edits);
        }
    }
    edits.sort_by_key(|edit| edit.offset);
    edits
}

fn add_members(node: Node<'_, '_>, key: &str, value: &str, start: usize, edits: &mut Vec<Edit>) {
    node.elements().for_each(|element| add_members(element, key, value, start, edits));
    node.members().for_each(|(_, member)| add_members(member, key, value, start, edits));
    if node.kind() == Kind::Map && node.member(key).is_none() {
        let comma = if node.members().next().is_some() { "," } else { "" };
        let offset = start + node.offset() + node.raw().len() - 1;
        edits.push(Edit { offset, removed: 0, added: format!("{comma}\"{key}\":{value}") });
    }
}

/// Returns the annotations, the events and the facts of a log, without values that are copied from
/// the log.
fn statements(adapter: &dyn Adapter, log: &TestLog) -> Option<Value> {
    let mut found = Vec::new();
    for record in convert_full(adapter, log).ok()? {
        let record = record.value();
        found.push(record["session"]["vac"].clone());
        add_annotations(&record["session"]["entries"], &mut found);
    }
    for session in adapter.survey(log).ok()? {
        events(&*session, &[], EventOptions::everything(), &mut |event| {
            found.push(statement(&event.line()));
            Ok(())
        })
        .expect("events");
        let facts = inspect(&*session, &[]).expect("facts");
        found.push(statement(&serde_json::to_vec(&facts).expect("JSON")));
    }
    Some(found.into())
}

fn add_annotations(entries: &Value, found: &mut Vec<Value>) {
    for entry in entries.as_array().into_iter().flatten() {
        found.extend(entry.get("vac").cloned());
        add_annotations(&entry["children"], found);
    }
}

/// Returns an event or the facts as they are written, without values that are copied from the log.
fn statement(json: &[u8]) -> Value {
    let document = Document::json(json).expect("JSON");
    let members = document.root().members().map(|(key, value)| {
        let key = key.text().expect("a key").into_owned();
        (key, Value::from(String::from_utf8_lossy(value.raw())))
    });
    let mut members: Map<_, _> = members.collect();
    // Values of the log contain the keys, some ids are digests of its bytes, and some objects
    // become an entry because of an unknown key.
    for key in ["input", "output", "paths", "session-id", "entry-id", "entries"] {
        members.remove(key);
    }
    members.into()
}

/// Checks that native keys with the names of annotations have no effect in logs of an agent, and
/// returns the number of checked logs.
pub fn check_annotation_keys(adapter: &dyn Adapter, logs: &[TestLog]) -> usize {
    let mut added = Map::new();
    for annotations in [entry_annotations(), session_annotations()] {
        added.extend(annotations.as_object().expect("an object").clone());
    }
    added.insert("vac".to_owned(), entry_annotations());
    let (mut checked, mut problems) = (0, Vec::new());
    for log in logs {
        let Some(expected) = statements(adapter, log) else { continue };
        for (key, value) in &added {
            let value = value.to_string();
            let changed = edit_log(log, |bytes| additions(bytes, key, &value));
            let found = statements(adapter, &changed).unwrap_or_default();
            if found != expected {
                let difference = difference(&expected, &found);
                problems.push(format!("{}: key `{key}`: {difference}", log.shown));
            }
        }
        checked += 1;
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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

#[test]
fn annotation_keys_in_logs_of_every_agent_mean_nothing() {
    for adapter in AGENTS.iter().copied() {
        let checked = check_annotation_keys(adapter, &fixture_logs(adapter));
        println!("{}: {checked} logs", adapter.name());
        assert!(checked > 0, "{}", adapter.name());
    }
}
