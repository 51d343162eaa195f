//! Rows of databases: messages, models, and tokens, which each response states up to three times.

use serde_json::{Value, json};
use vac_adapter_antigravity::Antigravity;
use vac_adapter_check::{convert_full, fixture};

use crate::{convert_fixture, entries};

/// Returns a member of every entry that has it, with the entry's id.
fn members(record: &Value, path: &str) -> Vec<(String, Value)> {
    let found = entries(record).iter().filter_map(|entry| {
        let value = entry.pointer(path)?.clone();
        Some((entry["id"].as_str().expect("an id").to_owned(), value))
    });
    found.collect()
}

fn pairs<const N: usize>(pairs: [(&str, Value); N]) -> Vec<(String, Value)> {
    pairs.map(|(id, value)| (id.to_owned(), value)).to_vec()
}

#[test]
fn messages_have_the_texts_of_their_blobs() {
    let record = convert_fixture("database/basic");
    assert_eq!(record["id"], "c0ffee00-0000-4000-8000-000000000010");
    assert_eq!(record["session"]["vac"]["variant"], "database");
    let contents = pairs([
        ("step-0", json!("Which hinge fits the garden gate?")),
        ("step-3", json!("The 75 mm strap hinge fits.")),
        ("step-5", json!("And for the shed? Gr\u{f6}\u{df}e \u{201e}M\u{201c}")),
        ("step-6", json!("Two butt hinges of 60 mm.")),
    ]);
    assert_eq!(members(&record, "/content"), contents);
    let thoughts = pairs([("step-3", json!("**Measuring**\n\nThe post is 90 mm wide."))]);
    assert_eq!(members(&record, "/children/0/content"), thoughts);
    let authors = pairs([("step-0", json!("user")), ("step-5", json!("user"))]);
    assert_eq!(members(&record, "/vac/author"), authors);
    assert_eq!(record["session"]["session-start"], 1_781_946_000_250_u64);
}

#[test]
fn checkpoint_replaces_the_steps_before_it() {
    let record = convert_fixture("database/basic");
    let by = json!({"how": "compacted", "by": "step-4"});
    let replaced = pairs([("step-0", by.clone()), ("step-3", by)]);
    assert_eq!(members(&record, "/vac/superseded"), replaced);
    assert_eq!(entries(&record)[6]["event-type"], "CHECKPOINT");
}

#[test]
fn tokens_of_a_response_count_once() {
    let record = convert_fixture("database/basic");
    let model = "House Pro 2 (High)";
    let usage = pairs([
        ("step-3", json!({"input": 900, "cache-read": 8100, "output": 40, "reasoning": 30})),
        ("step-4", json!({"input": 46, "output": 5})),
        ("step-6", json!({"input": 300, "cache-read": 9000, "output": 12})),
        ("L11", json!({"input": 280, "cache-read": 8000, "output": 7, "model": model})),
    ]);
    assert_eq!(members(&record, "/vac/usage"), usage, "no step has the response of line 11");
    let models = pairs([("step-3", json!(model)), ("step-6", json!(model))]);
    assert_eq!(members(&record, "/model-id"), models);
}

#[test]
fn unknown_steps_are_events_and_counted() {
    let log = fixture(&Antigravity, "database/unknown-types");
    let records = convert_full(&Antigravity, &log).expect("a record");
    let [record] = records.as_slice() else { panic!("a database is a session") };
    let unknown: Vec<_> = record.report.unknown_types.iter().collect();
    assert_eq!(unknown, [(&"step-type-21".to_owned(), &1), (&"step-type-4711".to_owned(), &1)]);
    assert_eq!(record.report.unknown_keys["steps.shade"], 1);
    let record = record.value();
    let authors = pairs([("step-0", json!("user")), ("step-4", json!("unknown"))]);
    assert_eq!(members(&record, "/vac/author"), authors);
    let model = pairs([("step-1", json!("house-pro-default"))]);
    assert_eq!(members(&record, "/model-id"), model, "without a name for the user");
    assert_eq!(members(&record, "/vac/usage").len(), 1, "a request without an id is not counted");
}

#[test]
fn damaged_blobs_are_kept_and_counted() {
    let log = fixture(&Antigravity, "database/wrong-types");
    let records = convert_full(&Antigravity, &log).expect("a record");
    let unknown = &records[0].report.unknown_types;
    let count = |name: &str| unknown.get(&format!("a blob in {name} of another format")).copied();
    assert_eq!(count("steps.metadata"), Some(3));
    assert_eq!(count("steps.step_payload"), Some(1));
    assert_eq!(count("gen_metadata.data"), Some(2));
    let record = records[0].value();
    assert_eq!(entries(&record)[5]["step_payload"], json!({"base64": "mgH/"}));
}
