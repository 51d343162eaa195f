//! Tests the mapping of captures (`stream-json`).

use serde_json::{Value, json};
use vac_adapter_check::{Tokens, fixture, tokens};
use vac_adapter_cursor::Cursor;

use crate::{check, convert_one};

fn line(kind: &str, rest: &str) -> String {
    format!(r#"{{"type":"{kind}","session_id":"s-1",{rest}}}"#)
}

fn delta(text: &str) -> String {
    line("thinking", &format!(r#""subtype":"delta","text":{text},"timestamp_ms":5"#))
}

fn call(subtype: &str, id: &str, inside: &str) -> String {
    let tool = format!(r#""tool_call":{{"lsToolCall":{{"args":{{"path":"."}}{inside}}}}}"#);
    line("tool_call", &format!(r#""subtype":"{subtype}","call_id":"{id}",{tool}"#))
}

#[test]
fn stream_names_its_session_and_its_model() {
    let log = fixture(&Cursor, "stream-json/basic");
    let outcome = check(&log.parts[0].name, log.first());
    let record = outcome.only().value();
    assert_eq!(outcome.only().variant, "stream-json");
    assert_eq!(record["session"]["session-id"], "66666666-ffff-4fff-8fff-000000000006");
    assert_eq!(record["session"]["agent-meta"]["model-id"], "Composer 2");
    assert_eq!(record["session"]["environment"]["working-dir"], "/home/ada/kettle");
    assert_eq!(record["session"]["session-start"], 1_786_000_001_000_u64);
}

#[test]
fn deltas_are_one_thought_and_all_are_kept() {
    let log = [delta(r#""A""#), delta(r#"" \"b""#), delta(r#""\ud83e""#), delta(r#""\uded6""#)];
    let (record, _) = convert_one(log.join("\n").as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["content"], "A \"b🫖", "the halves of a character meet");
    assert_eq!(entries[0]["deltas"].as_array().map(Vec::len), Some(4));
    assert_eq!(entries[0]["deltas"][0], json!({"text": "A", "timestamp_ms": 5}));
}

#[test]
fn thought_ends_where_something_else_begins() {
    let done = line("thinking", r#""subtype":"completed","timestamp_ms":9"#);
    let said = line("assistant", r#""message":{"content":"so"}"#);
    let log = [delta(r#""a""#), said.clone(), delta(r#""b""#), done, delta(r#""c""#), said];
    let (record, _) = convert_one(log.join("\n").as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let contents: Vec<_> = entries.iter().map(|entry| entry["content"].clone()).collect();
    assert_eq!(contents, ["a", "so", "b", "c", "so"]);
    assert_eq!(entries[2]["completed"], json!({"timestamp_ms": 9}));
    assert_eq!(entries[0].get("completed"), None);
}

#[test]
fn started_and_completed_are_one_call_and_one_result() {
    let log = [
        call("started", "a\\nb", ""),
        call("started", "c", ""),
        call("completed", "a\\nb", r#","result":{"success":{"files":[]}}"#),
        call("completed", "d", r#","result":{"error":{"message":"no"}}"#),
    ];
    let (record, report) = convert_one(log.join("\n").as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let found = entries.iter().map(|entry| (entry["type"].as_str(), entry["call-id"].as_str()));
    let expected = [
        (Some("tool-call"), Some("a\nb")),
        (Some("tool-call"), Some("c")),
        (Some("tool-result"), Some("a\nb")),
        (Some("tool-call"), Some("d")),
        (Some("tool-result"), Some("d")),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(entries[0]["name"], "lsToolCall");
    assert_eq!(
        (&entries[2]["status"], &entries[2]["is-error"]),
        (&"success".into(), &false.into())
    );
    assert_eq!((&entries[4]["status"], &entries[4]["is-error"]), (&"error".into(), &true.into()));
    assert_eq!(entries[3]["input"], json!({"path": "."}), "the call that was never started");
    assert_eq!(report.warnings, ["a tool call is completed and was never started"]);
}

#[test]
fn success_with_an_exit_code_is_an_error() {
    let log = [
        call("completed", "a", r#","result":{"success":{"exitCode":0}}"#),
        call("completed", "b", r#","result":{"success":{"exitCode":2,"stderr":"no"}}"#),
        call("completed", "c", r#","result":{"success":{"content":[],"isError":true}}"#),
        call("completed", "d", r#","result":{"rejected":{"reason":"no"}}"#),
    ];
    let (record, _) = convert_one(log.join("\n").as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let results = entries.iter().filter(|entry| entry["type"] == "tool-result");
    let errors: Vec<_> = results.map(|entry| entry["is-error"].as_bool()).collect();
    assert_eq!(errors, [Some(false), Some(true), Some(true), None]);
}

#[test]
fn unknown_lines_are_events_and_counted() {
    let (record, report) = convert_one(
        [
            line("system", r#""subtype":"init","model":"m""#),
            line("retry", r#""subtype":"starting","attempt":2"#),
            line("tool_call", r#""subtype":"paused","call_id":"x","tool_call":{}"#),
        ]
        .join("\n")
        .as_bytes(),
    );
    let entries = &record["session"]["entries"];
    assert_eq!(entries[0]["event-type"], "system/init");
    assert_eq!(entries[1]["event-type"], "retry/starting");
    assert_eq!(entries[1]["data"], json!({"attempt": 2}));
    let unknown: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(unknown, ["retry/starting", "tool_call/paused"]);
}

#[test]
fn usage_of_a_stream_is_counted_once() {
    let log = fixture(&Cursor, "stream-json/basic");
    let record = check("capture.jsonl", log.first()).only().value();
    let lines = log.first().split(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let sum = |key: &str| lines.clone().filter_map(|line| line["usage"][key].as_u64()).sum::<u64>();
    let expected = Tokens {
        input: sum("inputTokens"),
        output: sum("outputTokens"),
        cached: sum("cacheReadTokens"),
        ..Tokens::default()
    };
    assert_eq!(tokens(&record), expected);
    assert!(expected.output > 0);
}
