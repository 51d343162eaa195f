//! From entries to events.

use serde_json::{Value, json};
use vac_view::Options;

use crate::{names, record, told, told_with};

/// The one event of a record with one entry.
#[track_caller]
fn only(cli_name: &str, entry: &str) -> Value {
    let mut events = told(&record(cli_name, entry));
    assert_eq!(events.len(), 3, "{events:?}");
    events.remove(1)
}

#[test]
fn children_are_events_of_their_own_with_the_id_and_time_of_their_message() {
    let entry = r#"{"type": "assistant", "content": [{"type": "text", "text": "Look"}], "id": "a1",
        "timestamp": "2026-01-05T09:30:00Z", "children": [
        {"type": "tool-call", "name": "Read", "input": {}, "call-id": "c1"},
        {"type": "reasoning", "content": "Hm", "timestamp": "2026-01-05T09:29:00Z", "id": "t1"},
        {"type": "tool-call", "name": "Bash", "input": {}, "call-id": "c2"}]}"#;
    let events = told(&record("claude-code", entry));
    let seen: Vec<_> = events[1..events.len() - 1]
        .iter()
        .map(|event| {
            json!([event["event"], event["entry-id"], event["timestamp"], event["call-id"]])
        })
        .collect();
    let (at, before) = ("2026-01-05T09:30:00Z", "2026-01-05T09:29:00Z");
    assert_eq!(
        seen,
        [
            json!(["reasoning", "t1", before, null]),
            json!(["assistant_text", "a1", at, null]),
            json!(["tool_use", "a1", at, "c1"]),
            json!(["tool_use", "a1", at, "c2"]),
        ]
    );
}

#[test]
fn results_come_before_the_words_beside_them() {
    let entry = r#"{"type": "user", "content": [{"type": "tool_result"}, {"type": "text", "text": "No"}],
        "children": [{"type": "tool-result", "output": "x", "call-id": "c"}]}"#;
    assert_eq!(names(&record("claude-code", entry)), ["tool_result", "user_prompt"]);
}

#[test]
fn what_stands_beside_a_result_and_is_no_text_is_no_prompt() {
    let entry = r#"{"type": "user", "content": [{"functionResponse": {}}, {"inlineData": {}}],
        "children": [{"type": "tool-result", "output": "x"}]}"#;
    assert_eq!(names(&record("gemini-cli", entry)), ["tool_result"]);
    let entry = r#"{"type": "user", "content": [{"inlineData": {}}]}"#;
    let prompt = only("gemini-cli", entry);
    assert_eq!((&prompt["text"], &prompt["left-out"]), (&json!(""), &json!({"inlineData": 1})));
}

#[test]
fn messages_without_words_are_no_events() {
    let entries = r#"{"type": "assistant", "content": ""}, {"type": "user"},
        {"type": "assistant", "id": "m"}, {"type": "user", "content": null}"#;
    assert!(names(&record("opencode", entries)).is_empty());
}

#[test]
fn a_result_is_told_with_the_tool_that_was_called() {
    let entries = r#"{"type": "tool-call", "name": "grep", "input": 1, "call-id": "c1"},
        {"type": "tool-result", "output": [1.0, {"b": 1, "a": 2}], "call-id": "c1", "is-error": true},
        {"type": "tool-result", "output": null, "call-id": "c2"},
        {"type": "tool-result", "output": null, "functionResponse": {"name": "glob"}}"#;
    let events = told(&record("opencode", entries));
    let of = |event: &Value| {
        json!([event["tool"], event["canonical"], event["category"], event["outcome"]])
    };
    assert_eq!(of(&events[2]), json!(["grep", "file_search", "Search", "error"]));
    assert_eq!(of(&events[3]), json!([null, "unknown", "Other", "unknown"]));
    assert_eq!(of(&events[4]), json!(["glob", "file_search", "Search", "unknown"]));
}

#[test]
fn a_result_without_an_id_is_that_of_the_call_before_it() {
    let entries = r#"{"type": "tool-call", "name": "grep", "input": 1},
        {"type": "tool-result", "output": 1}, {"type": "tool-result", "output": 1},
        {"type": "tool-result", "output": 1, "name": "Read"}"#;
    let events = told(&record("cursor", entries));
    let tools: Vec<_> = events[1..5].iter().map(|event| event["tool"].clone()).collect();
    assert_eq!(tools, [json!("grep"), json!("grep"), json!(null), json!("Read")]);
}

#[test]
fn a_turn_of_the_old_text_form_is_told_without_what_its_children_tell() {
    let entry = r#"{"type": "assistant", "content": "[Thinking] Hm\nLet me.\n[Tool call] Read\n  path: a\n",
        "children": [{"type": "reasoning", "content": "Hm"}, {"type": "tool-call", "name": "Read", "input": {}}]}"#;
    let events = told(&record("cursor", entry));
    assert_eq!(events[2]["text"], "Let me.");
    assert_eq!(events.len(), 5);
    let plain = r#"{"type": "assistant", "content": "[Tool call] is how a call begins"}"#;
    assert_eq!(only("cursor", plain)["text"], "[Tool call] is how a call begins");
}

#[test]
fn values_are_carried_to_the_letter() {
    let entry =
        r#"{"type": "tool-call", "name": "x", "input": {"n":1.0,"big":1e400,"s":"\ud800"}}"#;
    let document = record("claude-code", entry);
    let document = vac_value::Document::json(document.as_bytes()).expect("JSON");
    let lines = vac_view::record::read(&document, &mut |session| {
        crate::lines(session, &[], Options::default())
    });
    let line = lines.expect("a record").remove(1);
    assert!(line.contains(r#""input":{"n":1.0,"big":1e400,"s":"\ud800"}"#), "{line}");
}

#[test]
fn objects_that_are_written_as_text_are_objects() {
    let call =
        |input: &str| format!(r#"{{"type": "tool-call", "name": "shell", "input": {input}}}"#);
    let text = r#""{\"cmd\":\"ls\"}""#;
    assert_eq!(only("codex-cli", &call(text))["input"], json!({"cmd": "ls"}));
    assert_eq!(only("cursor", &call(text))["input"], json!({"cmd": "ls"}));
    for other in [r#""*** Begin Patch""#, r#""[1]""#, r#""{\"a\":1,\"a\":2}""#, r#"{"a":1}"#] {
        let expected: Value = serde_json::from_str(other).expect("JSON");
        assert_eq!(only("codex-cli", &call(other))["input"], expected);
    }
}

#[test]
fn outcomes_are_what_the_log_says() {
    let result = |members: &str| format!(r#"{{"type": "tool-result", "output": "" {members}}}"#);
    for (agent, members, expected) in [
        ("codex-cli", "", "unknown"),
        ("claude-code", "", "success"),
        ("claude-code", r#", "is-error": true"#, "error"),
        ("gemini-cli", r#", "status": "success""#, "success"),
        ("gemini-cli", r#", "status": "error""#, "error"),
        ("gemini-cli", r#", "status": "cancelled", "is-error": true"#, "cancelled"),
        ("gemini-cli", r#", "status": "executing", "is-error": true"#, "error"),
        ("opencode", r#", "status": "completed", "is-error": false"#, "success"),
    ] {
        assert_eq!(only(agent, &result(members))["outcome"], expected, "{agent} {members}");
    }
}

#[test]
fn a_call_without_a_result_can_say_how_it_ended() {
    let call = |status: &str| {
        format!(r#"{{"type": "tool-call", "name": "x", "input": {{}}, "status": "{status}"}}"#)
    };
    assert_eq!(only("gemini-cli", &call("cancelled"))["outcome"], "cancelled");
    assert_eq!(only("gemini-cli", &call("error"))["outcome"], "error");
    assert!(only("codex-cli", &call("completed")).get("outcome").is_none());
}

#[test]
fn what_codex_tells_about_a_call_before_its_result_counts() {
    let result = r#"{"type": "tool-result", "output": "", "call-id": "c"}"#;
    for (data, expected) in [
        (r#"{"exit_code": 0}"#, "success"),
        (r#"{"exit_code": 1}"#, "error"),
        (r#"{"success": false}"#, "error"),
        (r#"{"result": {"Ok": {"content": []}}}"#, "success"),
        (r#"{"result": {"Ok": {"isError": true}}}"#, "error"),
        (r#"{"result": {"Err": "no"}}"#, "error"),
        (
            r#"{"item": {"type": "CommandExecution", "exit_code": 2, "status": "completed"}}"#,
            "error",
        ),
        (r#"{"item": {"type": "FileChange", "status": "declined"}}"#, "cancelled"),
        (r#"{"duration": 1}"#, "unknown"),
    ] {
        let event = format!(
            r#"{{"type": "system-event", "event-type": "e", "call-id": "c", "data": {data}}}"#
        );
        let events = told(&record("codex-cli", &format!("{event},{result}")));
        assert_eq!(events[1]["outcome"], expected, "{data}");
    }
}

#[test]
fn reasoning_that_cannot_be_read_is_told_as_such() {
    let hidden = r#"{"type": "reasoning", "content": null, "encrypted": "gAAA"}"#;
    let event = only("codex-cli", hidden);
    assert_eq!((&event["text"], &event["encrypted"]), (&json!(""), &json!(true)));
    let signed = r#"{"type": "reasoning", "content": "", "signature": "c2ln"}"#;
    assert_eq!(only("claude-code", signed)["encrypted"], true);
    let open = r#"{"type": "reasoning", "content": [{"type": "summary_text", "text": "Hm"}], "subject": "S"}"#;
    let event = only("codex-cli", open);
    assert_eq!((&event["text"], &event["subject"]), (&json!("Hm"), &json!("S")));
    assert!(event.get("encrypted").is_none());
}

#[test]
fn a_prompt_inside_an_event_is_a_prompt() {
    let entry = r#"{"type": "system-event", "event-type": "attachment/queued_command", "id": "e1",
        "children": [{"type": "user", "content": "And this"}]}"#;
    let event = only("claude-code", entry);
    assert_eq!((&event["text"], &event["entry-id"]), (&json!("And this"), &json!("e1")));
}

#[test]
fn commands_and_subagents_say_so() {
    let command = r#"{"type": "user", "content": "<command-name>/model</command-name>"}"#;
    let event = only("claude-code", command);
    assert_eq!((&event["text"], &event["command"]), (&json!("/model"), &json!(true)));
    let side = r#"{"type": "user", "content": "Look", "isSidechain": true, "agentId": "a7"}"#;
    assert_eq!(only("claude-code", side)["subagent"], "a7");
    let side = r#"{"type": "user", "content": "Look", "isSidechain": true}"#;
    assert_eq!(only("claude-code", side)["subagent"], true);
    assert!(only("codex-cli", side).get("subagent").is_none());
}

#[test]
fn only_what_was_asked_for_is_told() {
    let entries = r#"{"type": "user", "content": "a"}, {"type": "assistant", "content": "b"},
        {"type": "reasoning", "content": "c"}, {"type": "tool-call", "name": "x", "input": 1},
        {"type": "tool-result", "output": 1}"#;
    let record = record("codex-cli", entries);
    let of = |options: Options| -> Vec<String> {
        let events = told_with(&record, options);
        events.iter().map(|event| event["event"].as_str().expect("a name").to_owned()).collect()
    };
    let none = Options::NOTHING;
    assert_eq!(of(Options { prompts: true, ..none }), ["user_prompt"]);
    assert_eq!(of(Options { tools: true, ..none }), ["tool_use", "tool_result"]);
    assert_eq!(of(Options { text: true, ..none }), ["assistant_text"]);
    assert_eq!(of(Options { reasoning: true, ..none }), ["reasoning"]);
    assert_eq!(of(Options { boundaries: true, ..none }), ["session_start", "session_end"]);
}
