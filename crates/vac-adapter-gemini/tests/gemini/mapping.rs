//! Decisions that a reader of the record relies on.

use serde_json::{Value, json};
use vac_adapter::session::Options;
use vac_adapter::{Memory, Profile, detect};
use vac_adapter_gemini::Gemini;

use crate::{check, convert, leaves, record};

fn messages(list: &str) -> Value {
    let text = format!(
        r#"{{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T09:30:00Z",
            "lastUpdated": "2026-01-05T09:35:00Z", "messages": {list}}}"#
    );
    record("x.json", &text)
}

#[test]
fn the_head_of_the_record_comes_from_the_top_level() {
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
fn a_history_is_named_by_its_file_and_starts_in_its_name() {
    let text = r#"{"history": [{"role": "user", "parts": [{"text": "Hi"}]}]}"#;
    let named = record("session-2025-09-18T02-45-3b44bc68.json", text);
    assert_eq!(named["id"], "session-2025-09-18T02-45-3b44bc68");
    assert_eq!(named["session"]["session-start"], "2025-09-18T02:45:00Z");
    assert_eq!(named["session"]["entries"][0].get("timestamp"), None, "never invented");
    let other = record("session-2025-99-18T02-45-3b44bc68.json", text);
    assert_eq!(other["session"].get("session-start"), None, "that is no month");
    assert_eq!(record("-", text)["id"], record("", text)["id"], "a function of the bytes");
}

#[test]
fn errors_are_told_by_status_and_by_both_shapes_of_a_response() {
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
fn an_empty_info_marks_a_compression() {
    let record = messages(r#"[{"type": "info", "content": ""}, {"type": "info", "content": "x"}]"#);
    let entries = &record["session"]["entries"];
    assert_eq!(
        (&entries[0]["event-type"], &entries[0]["marker"]),
        (&json!("info"), &json!("compression"))
    );
    assert_eq!((&entries[1]["event-type"], &entries[1]["marker"]), (&json!("info"), &Value::Null));
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
fn the_canonical_profile_has_only_what_the_schema_names() {
    let text = br#"{"sessionId": "s", "projectHash": "p", "messages": [{"type": "gemini",
        "displayContent": "d", "toolCalls": [{"name": "glob", "result": "r", "resultDisplay": "secret"}]}]}"#;
    let options = Options { profile: Profile::Canonical, ..Options::default() };
    let records = convert("x.json", text, &options).expect("a session");
    let text = String::from_utf8_lossy(&records[0].0);
    for native in ["projectHash", "displayContent", "resultDisplay"] {
        assert!(!text.contains(native), "{native}");
    }
}

#[test]
fn logs_of_others_are_not_ours() {
    for bytes in [
        &br#"{"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": "Hi"}}"#[..],
        br#"{"timestamp": "2026-01-05T09:31:00Z", "type": "session_meta", "payload": {"id": "s"}}"#,
        br#"{"role": "user", "message": {"content": []}}"#,
        br#"{"info": {"id": "ses_1"}, "messages": [{"info": {"role": "user"}, "parts": []}]}"#,
    ] {
        let found = detect(&Memory { name: "x", bytes }, &[&Gemini]).expect("readable");
        assert!(found.is_none(), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_session_of_three_documents_keeps_all_that_they_say() {
    let part = |hour: u8| {
        format!(
            r#"{{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T{hour:02}:00:00Z",
                "lastUpdated": "2026-01-05T{hour:02}:30:00Z", "messages": [{{"id": "m{hour}", "type": "user"}}]}}"#
        )
    };
    let text = [part(12), part(10), part(11)].concat();
    let records = check("x.json", text.as_bytes()).expect("a session");
    let outcome = leaves::compare(text.as_bytes(), &records);
    assert!(outcome.missing.is_empty(), "{:?}", outcome.missing);
    let record = record("x.json", &text);
    let session = &record["session"];
    assert_eq!(session["session-start"], "2026-01-05T10:00:00Z");
    assert_eq!(session["lastUpdated"], "2026-01-05T10:30:00Z");
    assert_eq!(session["session-end"], "2026-01-05T12:30:00Z");
    let entries = session["entries"].as_array().expect("entries");
    let types: Vec<_> = entries.iter().map(|entry| &entry["event-type"]).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "session-continued").count(), 2);
    let ids: Vec<_> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
    assert_eq!([ids[0], ids[2], ids[4]], ["m10", "m11", "m12"]);
}
