//! Tool calls, their results, and permissions.

use serde_json::{Value, json};

use crate::{annotated, events_of, facts, foreign_record, only, record};

#[test]
fn calls_state_what_they_act_on() {
    let call = |name: &str, input: &str| {
        only(&format!(r#"{{"type": "tool-call", "name": "{name}", "input": {input}}}"#))
    };
    let event = call("run", r#"{"cmd": ["bash", "-lc", "make pots"]}"#);
    assert_eq!((&event["command"], &event["category"]), (&json!("make pots"), &json!("Execute")));
    assert!(event.get("paths").is_none() && event.get("host").is_none());
    let event = call("glaze", r#"{"path": "a", "paths": ["b", "c"]}"#);
    assert_eq!(
        (&event["paths"], &event["canonical"]),
        (&json!(["a", "b", "c"]), &json!("file_edit"))
    );
    assert_eq!(call("fetch", r#"{"url": "https://Clay.example/x"}"#)["host"], "clay.example");
    let event = call("mcp__shop__buy", "{}");
    assert_eq!((&event["server"], &event["canonical"]), (&json!("shop"), &json!("mcp_tool")));
}

#[test]
fn annotated_action_takes_precedence_over_the_table() {
    let call = r#"{"type": "tool-call", "name": "run", "input": {"cmd": "ls"}}"#;
    let action = r#""action": {"tool": "delegation", "category": "Delegate", "server": "x"}"#;
    let event = only(&annotated(call, action));
    let found = json!([event["canonical"], event["category"], event["server"], event["command"]]);
    assert_eq!(found, json!(["delegation", "Delegate", "x", "ls"]));
    assert_eq!(only(&annotated(call, r#""delegated-to": "s2""#))["delegated-to"], "s2");
}

#[test]
fn calls_of_unknown_agents_have_their_annotations() {
    let call = r#"{"type": "tool-call", "name": "run", "input": {"cmd": "ls"}}"#;
    let event = &events_of(&foreign_record(call))[1];
    assert_eq!((&event["canonical"], &event["category"]), (&json!("unknown"), &json!("Other")));
    assert!(event.get("command").is_none());
    let action = annotated(call, r#""action": {"tool": "shell_exec", "category": "Execute"}"#);
    assert_eq!(events_of(&foreign_record(&action))[1]["canonical"], "shell_exec");
}

#[test]
fn results_have_the_tool_of_their_call() {
    let entries = r#"{"type": "tool-call", "name": "run", "input": 1, "call-id": "c1"},
        {"type": "tool-result", "output": [1.0, {"b": 1, "a": 2}], "call-id": "c1"},
        {"type": "tool-result", "output": null, "call-id": "c2"},
        {"type": "tool-result", "output": null, "vac": {"tool": "glaze"}}"#;
    let events = events_of(&record(entries));
    let members = |event: &Value| json!([event["tool"], event["canonical"], event["category"]]);
    assert_eq!(members(&events[2]), json!(["run", "shell_exec", "Execute"]));
    assert_eq!(members(&events[3]), json!([null, null, null]));
    assert!(events[3].get("tool").is_none(), "absent rather than null");
    assert_eq!(members(&events[4]), json!(["glaze", "file_edit", "Edit"]));
}

#[test]
fn result_without_id_belongs_to_the_call_before_it() {
    let entries = r#"{"type": "tool-call", "name": "run", "input": 1},
        {"type": "tool-result", "output": 1}, {"type": "tool-result", "output": 1}"#;
    let events = events_of(&record(entries));
    let tools: Vec<_> = events[1..4].iter().map(|event| event["tool"].clone()).collect();
    assert_eq!(tools, [json!("run"), json!("run"), json!(null)]);
}

#[test]
fn outcome_is_the_annotation_or_that_of_is_error() {
    let result = r#"{"type": "tool-result", "output": ""}"#;
    for outcome in ["success", "error", "cancelled", "unknown"] {
        let entry = annotated(result, &format!(r#""outcome": "{outcome}""#));
        assert_eq!(only(&entry)["outcome"], outcome);
        let stated = entry.replace("\"output\"", "\"is-error\": true, \"output\"");
        assert_eq!(only(&stated)["outcome"], outcome);
    }
    for (member, expected) in [("true", "error"), ("false", "success")] {
        let entry = format!(r#"{{"type": "tool-result", "output": "", "is-error": {member}}}"#);
        assert_eq!(only(&entry)["outcome"], expected);
    }
    let native = r#"{"type": "tool-result", "output": "", "status": "error", "exit_code": 1}"#;
    assert_eq!(only(native)["outcome"], "unknown", "the agent's words are not interpreted");
    let call = r#"{"type": "tool-call", "name": "x", "input": {}}"#;
    assert!(only(call).get("outcome").is_none());
    let event = only(&annotated(call, r#""outcome": "cancelled", "exit-code": 130"#));
    assert_eq!((&event["outcome"], &event["exit-code"]), (&json!("cancelled"), &json!(130)));
}

#[test]
fn results_have_text_and_exit_code() {
    let result = |output: &str| {
        let entry = format!(r#"{{"type": "tool-result", "output": {output}}}"#);
        only(&annotated(&entry, r#""outcome": "error", "exit-code": -1"#))
    };
    let event = result(r#""cold""#);
    let found = json!([event["text"], event["output"], event["exit-code"]]);
    assert_eq!(found, json!(["cold", "cold", -1]));
    assert_eq!(
        result(r#"[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]"#)["text"],
        "a\nb"
    );
    assert_eq!(result(r#"{"stdout": "by the adapter"}"#)["text"], "by the adapter");
    assert!(result(r#"{"pots": 3}"#).get("text").is_none());
}

#[test]
fn values_are_written_as_they_are() {
    let entry =
        r#"{"type": "tool-call", "name": "x", "input": {"n":1.0,"big":1e400,"s":"\ud800"}}"#;
    let json = record(entry);
    let document = vac_value::Document::json(json.as_bytes()).expect("JSON");
    let lines = vac_view::record::read(&document, crate::AGENTS, &mut |session| {
        crate::lines(session, &[], vac_view::EventOptions::default())
    });
    let line = lines.expect("a record").remove(1);
    assert!(line.contains(r#""input":{"n":1.0,"big":1e400,"s":"\ud800"}"#), "{line}");
}

#[test]
fn input_that_is_the_text_of_an_object_is_an_object() {
    let call =
        |input: &str| only(&format!(r#"{{"type": "tool-call", "name": "run", "input": {input}}}"#));
    let event = call(r#""{\"cmd\":\"ls\"}""#);
    assert_eq!((&event["input"], &event["command"]), (&json!({"cmd": "ls"}), &json!("ls")));
    for other in [r#""*** Begin Patch""#, r#""[1]""#, r#""{\"a\":1,\"a\":2}""#, r#"{"a":1}"#] {
        let expected: Value = serde_json::from_str(other).expect("JSON");
        assert_eq!(call(other)["input"], expected);
    }
}

#[test]
fn tools_are_counted_by_category_and_name() {
    let entries = r#"
        {"type": "tool-call", "name": "mcp__shop__buy", "input": 1, "call-id": "c1"},
        {"type": "tool-call", "name": "glaze", "input": 1, "call-id": "c2"},
        {"type": "tool-call", "name": "run", "input": {"cmd": "a"}, "call-id": "c3"},
        {"type": "tool-result", "output": 1, "call-id": "c3", "vac": {"outcome": "error"}},
        {"type": "tool-call", "name": "run", "input": {"cmd": "b"}, "call-id": "c4"},
        {"type": "tool-result", "output": 1, "call-id": "c4", "vac": {"outcome": "success"}},
        {"type": "tool-result", "output": 1, "call-id": "c2", "vac": {"outcome": "cancelled"}},
        {"type": "tool-call", "name": "other", "input": 1, "vac": {"outcome": "error"}}"#;
    let facts = facts(&record(entries));
    let tools: Vec<_> = facts
        .tools
        .iter()
        .map(|tool| (tool.category, &*tool.tool, tool.calls, tool.errors, tool.cancelled))
        .collect();
    assert_eq!(
        tools,
        [
            ("Execute", "run", 2, 1, 0),
            ("Edit", "glaze", 1, 0, 1),
            ("Other", "mcp__shop__buy", 1, 0, 0),
            ("Other", "other", 1, 1, 0),
        ]
    );
    assert_eq!(facts.tools[2].server.as_deref(), Some("shop"));
    assert_eq!((facts.commands, facts.errors, facts.cancelled), (2, 2, 1));
}

#[test]
fn permission_decisions_are_events() {
    let permission =
        r#""permission": {"decision": "denied", "by": "user", "what": "run", "call-id": "c"}"#;
    let event = annotated(r#"{"type": "system-event", "event-type": "x", "id": "e"}"#, permission);
    let found = only(&event);
    assert_eq!(
        json!([
            found["event"],
            found["decision"],
            found["by"],
            found["what"],
            found["call-id"],
            found["entry-id"]
        ]),
        json!(["permission", "denied", "user", "run", "c", "e"])
    );
    let asked = annotated(
        r#"{"type": "tool-call", "name": "run", "input": 1, "call-id": "c"}"#,
        r#""permission": {"decision": "asked"}"#,
    );
    let refused =
        annotated(r#"{"type": "tool-result", "output": "no", "call-id": "c"}"#, permission);
    let record = record(&[asked, refused].join(","));
    let names = crate::names(&record);
    assert_eq!(names, ["tool_use", "permission", "permission", "tool_result"]);
    let facts = facts(&record);
    assert_eq!((facts.permissions["asked"], facts.permissions["denied"]), (1, 1));
}
