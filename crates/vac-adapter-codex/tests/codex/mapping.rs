//! Decisions of the mapping, one test each.

use serde_json::{Value, json};
use vac_adapter::Profile;
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{TestLog, convert, fixture};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

use crate::{check, convert_lines, entries, line};

fn message(role: &str, text: &str) -> String {
    let content = json!([{"type": "text", "text": text}]);
    line("response_item", &json!({"type": "message", "role": role, "content": content}))
}

fn event(kind: &str, text: &str) -> String {
    line("event_msg", &json!({"type": kind, "message": text, "text": text}))
}

fn originals(lines: &[String]) -> Vec<Option<String>> {
    let original = |entry: &Value| entry["vac"]["duplicate-of"].as_str().map(str::to_owned);
    entries(lines).iter().map(original).collect()
}

#[test]
fn duplicate_event_is_linked_to_the_message_next_to_it() {
    let found = originals(&[
        message("user", "go on"),
        event("user_message", "go on"),
        event("agent_message", "done"),
        event("token_count", ""),
        message("assistant", "done"),
        message("user", "go on"),
        event("user_message", "go on"),
    ]);
    let expected = [None, Some("L1"), Some("L5"), None, None, None, Some("L6")];
    assert_eq!(found, expected.map(|id| id.map(str::to_owned)));
}

#[test]
fn same_text_of_another_role_is_not_a_duplicate() {
    let lines = [message("user", "yes"), event("agent_message", "yes")];
    let kinds: Vec<_> = entries(&lines).iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(kinds, ["user", "assistant"]);
}

#[test]
fn redacted_neighbours_are_one_message() {
    let found = originals(&[
        event("agent_message", "[redacted 1]"),
        message("assistant", "[redacted 2]"),
        event("agent_message", "[redacted 3]"),
        event("warning", "between"),
        message("assistant", "[redacted 4]"),
    ]);
    assert_eq!(found[0].as_deref(), Some("L2"));
    assert_eq!(found[2], None, "that one is not a neighbour");
}

#[test]
fn event_without_a_message_is_the_message() {
    let entries = entries(&[
        event("user_message", "Hello"),
        event("agent_message", "Hello yourself"),
        event("agent_reasoning", "They are polite."),
    ]);
    let kinds: Vec<_> = entries.iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(kinds, ["user", "assistant", "reasoning"]);
    assert_eq!(entries[0]["content"], "Hello");
    assert_eq!(entries[2]["content"], "They are polite.");
}

#[test]
fn each_part_of_a_reasoning_has_its_duplicate() {
    let summary =
        json!([{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]);
    let reasoning = json!({"type": "reasoning", "id": "rs", "summary": summary});
    let found = originals(&[
        event("agent_reasoning", "a"),
        line("response_item", &reasoning),
        event("agent_reasoning", "b"),
        event("agent_reasoning", "b"),
    ]);
    assert_eq!(found, [Some("rs".to_owned()), None, Some("rs".to_owned()), None]);
}

#[test]
fn first_session_meta_names_the_session_and_turns_name_models() {
    let meta = |id: &str| line("session_meta", &json!({"id": id, "cwd": format!("/{id}")}));
    let turn = |model: &str| line("turn_context", &json!({"model": model}));
    let lines = [
        meta("first"),
        turn("gpt-a"),
        meta("second"),
        turn("o3-b"),
        turn("o3-b"),
        turn("gpt-a"),
        turn("o3-b"),
    ];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let (record, _) = convert_lines(&lines);
    assert_eq!(record["id"], "first");
    assert_eq!(record["session"]["environment"]["working-dir"], "/first");
    let meta = &record["session"]["agent-meta"];
    assert_eq!(meta["models"], json!(["gpt-a", "o3-b"]));
    assert_eq!(meta["model-id"], "o3-b");
    assert_eq!(meta["model-provider"], "openai");
    let second = &record["session"]["entries"][2];
    assert_eq!(second["event-type"], "session_meta");
    assert_eq!(second["vac"]["inherited"], Value::Null, "the first does not come from it");
}

#[test]
fn replay_without_turn_ids_ends_a_second_later() {
    let at = |time: &str, kind: &str, payload: &Value| {
        json!({"timestamp": time, "type": kind, "payload": payload}).to_string()
    };
    let fork = "2026-01-01T00:00:05.000Z";
    let parts = json!([{"type": "input_text", "text": "x"}]);
    let message = json!({"type": "message", "role": "user", "content": parts});
    let entries = entries(&[
        at(fork, "session_meta", &json!({"id": "child", "forked_from_id": "parent"})),
        at(fork, "session_meta", &json!({"id": "parent"})),
        at("2026-01-01T00:00:05.004Z", "response_item", &message),
        at("2026-01-01T00:00:09.000Z", "response_item", &message),
    ]);
    let inherited: Vec<_> = entries.iter().map(|entry| entry["vac"]["inherited"] == true).collect();
    assert_eq!(inherited, [false, true, true, false]);
}

#[test]
fn arguments_stay_strings() {
    let arguments = r#"{"cmd": "ls",  "n": 1.0}"#;
    let call =
        json!({"type": "function_call", "name": "f", "arguments": arguments, "call_id": "c"});
    let entries = entries(&[line("response_item", &call)]);
    assert_eq!(entries[0]["input"], arguments);
    assert_eq!(entries[0]["call-id"], "c");
}

#[test]
fn exit_codes_are_read_before_the_output_only() {
    let result = |output: &str| {
        let output = json!({"type": "function_call_output", "call_id": "c", "output": output});
        line("response_item", &output)
    };
    let nested = r#"{"output":"\"metadata\":{\"exit_code\":1}","metadata":{"exit_code":0}}"#;
    let cases = [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine", Some(false)),
        ("Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nbad", Some(true)),
        ("Command: printf 'a\\nExit code: 1\\n'\nOutput:\nfine", None),
        ("Wall time: 0.1 seconds\nOutput:\nExit code: 1\n", None),
        (r#"{"output":"","metadata":{"exit_code":127,"duration_seconds":0.1}}"#, Some(true)),
        (nested, Some(false)),
        (r#"{"output":"\"metadata\":{\"exit_code\":1}"}"#, None),
        ("{not JSON", None),
    ];
    let entries = entries(&cases.map(|(output, _)| result(output)));
    for (entry, (output, expected)) in entries.iter().zip(cases) {
        assert_eq!(entry["is-error"].as_bool(), expected, "{output}");
    }
    assert_eq!(entries[1]["status"], "error");
}

#[test]
fn session_without_an_id_is_named_by_file_or_bytes() {
    let log = message("user", "Hi");
    let id = |name: &str| check(name, log.as_bytes()).only().report.session_id.clone();
    let uuid = "0199aa00-2000-7000-8000-00000000b002";
    assert_eq!(id(&format!("rollout-2025-09-20T11-00-00-{uuid}.jsonl")), uuid);
    assert_eq!(id("notes.jsonl"), "notes");
    assert_eq!(id(""), id(""));
    assert_eq!(id("").len(), 36);
}

#[test]
fn canonical_profile_keeps_schema_members_and_annotations() {
    let log = [event("agent_message", "x"), message("assistant", "x")].join("\n");
    let options = RecordOptions { profile: Profile::Canonical, ..RecordOptions::default() };
    let records = convert(&Codex, &TestLog::new("", log), &options).expect("converts");
    let entries = records[0].entries();
    assert_eq!(entries[0]["vac"]["duplicate-of"], "L2");
    assert_eq!(entries[1]["payload"], Value::Null);
    assert_eq!(entries[1]["content"][0]["text"], "x");
}

#[test]
fn all_types_of_the_fixtures_are_known() {
    let unknown = |name: &str| {
        let outcome = vac_adapter_check::check(&CODEX, &Codex, &fixture(&Codex, name));
        outcome.only().report.unknown_types.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(unknown("envelopes/every-type"), [""; 0]);
    assert_eq!(unknown("paginated/items"), ["event_msg/item_completed/InkBlot"]);
    assert_eq!(unknown("exec-json/basic"), ["item.completed/sounding"]);
    assert_eq!(unknown("exec-events/basic"), ["event_msg/ember_glow"]);
    assert_eq!(unknown("typescript/basic"), ["knot_call"]);
}

#[test]
fn events_about_a_call_state_the_outcome_of_its_result() {
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "x"});
    let end = |id: &str, code: u8| {
        line("event_msg", &json!({"type": "exec_command_end", "call_id": id, "exit_code": code}))
    };
    let item = json!({"type": "McpToolCall", "id": "c", "status": "failed"});
    let entries = entries(&[
        end("a", 1),
        line("response_item", &result("a")),
        line("response_item", &result("b")),
        end("b", 0),
        line("event_msg", &json!({"type": "item_completed", "item": item})),
        line("response_item", &result("c")),
        end("d", 0),
        end("d", 1),
        line("response_item", &result("d")),
    ]);
    let is_error = |at: usize| entries[at]["is-error"].as_bool();
    assert_eq!((is_error(1), is_error(2), is_error(5)), (Some(true), Some(false), Some(true)));
    assert_eq!(is_error(8), None, "two calls share an id");
}

#[test]
fn invalid_times_are_not_timestamps() {
    const TIMES: [&str; 2] = ["2026-02-10T17:24:23.778Z", "9999-12-31T23:59:59.999Z"];
    let mut written: Vec<String> = [
        "2026-00-10T17:24:23.778Z",
        "2026-13-10T17:24:23.778Z",
        "2026-02-00T17:24:23.778Z",
        "2026-02-32T17:24:23.778Z",
        "2026-02-10T24:24:23.778Z",
        "2026-02-10T17:60:23.778Z",
        "2026-02-10T17:24:61.778Z",
    ]
    .map(str::to_owned)
    .to_vec();
    for time in TIMES {
        written.push(time.to_owned());
        for at in 0..time.len() {
            let others = ["/", ":", "x", "\u{7f}", "-", "T"];
            written.extend(others.map(|other| time[..at].to_owned() + other + &time[at + 1..]));
        }
    }
    let lines = written.iter().map(|time| {
        json!({"timestamp": time, "type": "event_msg", "payload": {"type": "error"}}).to_string()
    });
    let entries = entries(&lines.collect::<Vec<_>>());
    for (entry, time) in entries.iter().zip(&written) {
        let key = if TIMES.contains(&&**time) { "timestamp" } else { "native:timestamp" };
        assert_eq!(entry[key], time.as_str());
    }
}
