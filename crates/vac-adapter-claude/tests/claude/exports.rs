//! Web exports.

use serde_json::{Value, json};
use vac_adapter::{Adapter, Beginning, Confidence, Memory};
use vac_adapter_claude::Claude;

use crate::{check, convert_fixture, find_entry};

#[test]
fn export_members_next_to_its_lines_are_the_sessions() {
    let converted = convert_fixture("loglines/basic");
    assert_eq!(converted.variant, "loglines");
    assert_eq!(converted.value()["session"]["title"], "An export");
    let ids: Vec<_> = converted.entries().iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(ids, ["L1", "L1.2"]);
}

#[test]
fn several_exports_are_one_session_with_unique_ids() {
    let record = convert_fixture("loglines/several-exports").value();
    let entries = record["session"]["entries"].as_array().expect("entries").clone();
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    let expected = ["L1", "L1.2", "L1.2.loglines", "u2", "L1.4", "L2"];
    assert_eq!(ids, expected.map(Some));
    assert_eq!(record["session"]["title"], "one");
    assert_eq!(find_entry(&record, "L1.2.loglines")["data"], json!({"title": "two"}));
    let said: Vec<_> = entries.iter().map(|entry| entry["content"].clone()).collect();
    assert_eq!(
        said,
        [json!("One"), json!("1"), Value::Null, json!("Two"), json!("2"), json!("Three")]
    );
}

#[test]
fn export_states_its_agent_once() {
    let log = r#"{"agentId":"ours","loglines":[{"type":"user","agentId":"x","message":{"content":"Hi"}}]}"#;
    let outcome = check("x.json", log);
    assert_eq!(outcome.only().value()["session"]["agentId"], "ours");
    assert_eq!(outcome.only().entries()[0]["agentId"], "x");
}

#[test]
fn truncated_export_is_read_as_far_as_it_goes() {
    let converted = convert_fixture("loglines/truncated");
    assert_eq!(converted.variant, "loglines");
    let record = converted.value();
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c11");
    assert_eq!(record["session"]["title"], "An export");
    assert_eq!(find_entry(&record, "u1")["content"], "Oil the gears");
    let rest = find_entry(&record, "L1.2");
    assert_eq!(rest["event-type"], "unparsed");
    let raw = rest["data"]["raw"].as_str().expect("text");
    assert!(raw.starts_with(r#"{"type":"assistant","uuid":"a1""#), "{raw}");
    assert!(raw.ends_with("Which oil"), "{raw}");
    assert_eq!(rest["vac"]["reason"], "syntax");
    assert_eq!(converted.report.unparsed.count, 1);
}

#[test]
fn damaged_export_keeps_its_intact_lines() {
    let converted = convert_fixture("loglines/damaged");
    let record = converted.value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry["id"].as_str().unwrap_or_default(), entry["type"].as_str()))
        .collect();
    let (event, user) = (Some("system-event"), Some("user"));
    let expected = [("L1", event), ("u1", user), ("u2", event), ("L1.4", event)];
    assert_eq!(found[..4], expected);
    assert_eq!(found[4], ("a1", Some("assistant")));
    assert_eq!(record["session"]["title"], Value::Null, "it says two");
    assert_eq!(find_entry(&record, "a1")["parent-id"], "u2");
    assert_eq!(converted.report.unparsed.count, 3);
}

#[test]
fn truncated_export_is_recognised_at_any_length() {
    let whole = r#"{"title": "x", "loglines": [{"type": "user", "sessionId": "s1", "message": {"content": "Hi"}}, {"type": "assistant", "message": {"content": "Ho"}}]}"#;
    let after_the_first = whole.find("}}, ").expect("a line") + 2;
    for length in after_the_first..whole.len() {
        let log = Memory { name: "x.json", bytes: &whole.as_bytes()[..length] };
        let beginning = Beginning::read(&log).expect("readable");
        let sure = Claude.detect(&beginning.sample()).confidence();
        assert!(sure >= Confidence::Likely, "cut at {length}: {sure:?}");
        let preview = Claude.preview(&beginning.sample());
        assert_eq!((preview.variant, preview.session_id.as_deref()), ("loglines", Some("s1")));
    }
}

#[test]
fn arrays_of_lines_are_read_as_lines() {
    let converted = convert_fixture("loglines/array");
    assert_eq!(converted.variant, "loglines");
    let record = converted.value();
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c23");
    assert_eq!(find_entry(&record, "u1")["content"], "How many teeth?");
    assert_eq!(find_entry(&record, "L1.3")["token-usage"]["output"], 4);
    assert_eq!(find_entry(&record, "L1.4")["data"]["value"], "a line that is none");
}

#[test]
fn arrays_of_other_agents_are_not_recognised() {
    for others in [
        r#"[{"sessionId": "s", "messageId": 0, "type": "user", "message": "Hi"}]"#,
        r#"[{"role": "user", "parts": []}]"#,
        r#"[{"type": "user", "id": "x", "content": "Hi"}]"#,
        "[]",
    ] {
        let log = Memory { name: "x.json", bytes: others.as_bytes() };
        let beginning = Beginning::read(&log).expect("readable");
        assert_eq!(Claude.detect(&beginning.sample()).confidence(), Confidence::No, "{others}");
    }
}
