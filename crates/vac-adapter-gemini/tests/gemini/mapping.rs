//! Tests the decisions of the mapping, one test for each.

use serde_json::{Value, json};
use vac_adapter::Profile;
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{TestLog, convert};
use vac_adapter_gemini::Gemini;

use crate::record;

fn messages(list: &str) -> Value {
    let text = format!(
        r#"{{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z",
            "lastUpdated": "2026-01-05T09:35:00Z", "messages": {list}}}"#
    );
    record("x.json", &text)
}

#[test]
fn head_of_the_record_comes_from_the_top_level() {
    let record = messages(
        r#"[{"type": "gemini", "model": "gemini-2.5-pro"}, {"type": "gemini", "model": "gemma-3"}]"#,
    );
    let session = &record["session"];
    assert_eq!((&record["id"], &session["session-id"]), (&json!("s"), &json!("s")));
    assert_eq!(record["created"], "2026-01-05T09:30:00Z");
    assert_eq!(session["session-start"], "2026-01-05T09:30:00Z");
    assert_eq!(session["session-end"], "2026-01-05T09:35:00Z");
    assert_eq!(session["projectHash"], "p");
    let meta = &session["agent-meta"];
    assert_eq!(
        (&meta["cli-name"], &meta["model-provider"]),
        (&json!("gemini-cli"), &json!("google"))
    );
    assert_eq!(meta["models"], json!(["gemini-2.5-pro", "gemma-3"]));
}

#[test]
fn history_is_named_and_dated_by_its_file() {
    let text = r#"{"history": [{"role": "user", "parts": [{"text": "Hi"}]}]}"#;
    let named = record("session-2025-09-18T02-45-3b44bc68.json", text);
    assert_eq!(named["id"], "session-2025-09-18T02-45-3b44bc68");
    assert_eq!(named["session"]["session-start"], "2025-09-18T02:45:00Z");
    assert_eq!(named["session"]["entries"][0].get("timestamp"), None, "never invented");
    let other = record("session-2025-99-18T02-45-3b44bc68.json", text);
    assert_eq!(other["session"].get("session-start"), None, "not a month");
    assert_eq!(record("-", text)["id"], record("", text)["id"], "a function of the bytes");
}

#[test]
fn errors_are_stated_by_status_and_both_shapes_of_a_response() {
    for (call, is_error) in [
        (r#"{"status": "error", "result": "text"}"#, json!(true)),
        (r#"{"status": "success", "result": "text"}"#, json!(false)),
        (r#"{"result": [{"functionResponse": {"response": {"error": "E"}}}]}"#, json!(true)),
        (
            r#"{"result": [{"functionResponse": {"response": {"content": {"error": "E"}}}}]}"#,
            json!(true),
        ),
        (r#"{"result": [{"functionResponse": {"response": {"output": "error"}}}]}"#, json!(false)),
        (r#"{"status": "executing", "result": "text"}"#, Value::Null),
    ] {
        let record = messages(&format!(r#"[{{"type": "gemini", "toolCalls": [{call}]}}]"#));
        let result = &record["session"]["entries"][0]["children"][1];
        assert_eq!(result["type"], "tool-result", "{call}");
        assert_eq!(result["is-error"], is_error, "{call}");
    }
}

#[test]
fn tokens_have_their_canonical_names() {
    let record = messages(
        r#"[{"type": "gemini", "tokens": {"input": 1, "output": 2, "cached": 3, "thoughts": 4, "tool": 5, "total": 6}}]"#,
    );
    assert_eq!(
        record["session"]["entries"][0]["token-usage"],
        json!({"input": 1, "output": 2, "cached": 3, "reasoning": 4, "total": 6, "tool": 5}),
    );
}

#[test]
fn children_without_a_time_have_that_of_their_message() {
    let record = messages(
        r#"[{"type": "gemini", "timestamp": "2026-01-05T09:31:00Z", "thoughts": [{"description": "d"}],
            "toolCalls": [{"id": "c", "name": "glob", "result": "r"}]}]"#,
    );
    for child in record["session"]["entries"][0]["children"].as_array().expect("children") {
        assert_eq!(child["timestamp"], "2026-01-05T09:31:00Z");
    }
}

#[test]
fn canonical_profile_has_only_what_the_schema_names() {
    let text = br#"{"sessionId": "s", "projectHash": "p", "messages": [{"type": "gemini",
        "displayContent": "d", "toolCalls": [{"name": "glob", "result": "r", "resultDisplay": "secret"}]}]}"#;
    let options = RecordOptions { profile: Profile::Canonical, ..RecordOptions::default() };
    let records = convert(&Gemini, &TestLog::new("x.json", text), &options).expect("a session");
    let text = records[0].text();
    for native in ["projectHash", "displayContent", "resultDisplay"] {
        assert!(!text.contains(native), "{native}");
    }
}

#[test]
fn role_is_the_type_where_there_is_none() {
    let record = messages(
        r#"[{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "content": "Ho"},
            {"type": "info", "role": "user", "content": "no"}, {"role": "system", "content": "no"}]"#,
    );
    let entries = record["session"]["entries"].as_array().expect("entries");
    let types: Vec<_> = entries.iter().map(|entry| entry["type"].as_str()).collect();
    let event = Some("system-event");
    assert_eq!(types, [Some("user"), Some("assistant"), event, event]);
    assert_eq!(entries[0]["content"], json!([{"text": "Hi"}]));
    assert_eq!(entries[3]["data"]["role"], "system");
}

#[test]
fn content_of_the_api_keeps_members_that_it_does_not_have() {
    let text = r#"{"history": [{"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "user", "content": "Ho"}]}"#;
    let record = record("checkpoint-a.json", text);
    let entry = &record["session"]["entries"][1];
    assert_eq!((entry.get("content"), &entry["native:content"]), (None, &json!("Ho")));
}
