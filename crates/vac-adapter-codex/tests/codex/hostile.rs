//! Damaged logs, and files that are not logs.

use serde_json::json;
use vac_adapter::{Adapter, Memory};
use vac_adapter_codex::Codex;

use crate::{check, line};

const LINE: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"error","message":"x"}}"#;

/// Values that have the wrong type for nearly every member.
const WRONG: &[&str] = &["null", "7", "\"x\"", "[]", "{}", "[{}]", "true", "1e400", r#""\ud800""#];

/// Members of payloads that the adapter reads.
const INSIDE: &[&str] = &[
    "id",
    "content",
    "summary",
    "name",
    "arguments",
    "input",
    "call_id",
    "output",
    "status",
    "action",
    "info",
    "message",
    "text",
    "item",
    "result",
    "encrypted_content",
    "git",
    "source",
    "model",
    "sandbox_policy",
    "cwd",
    "turn_id",
    "thread_settings",
];

#[test]
fn other_inputs_are_refused_with_a_reason() {
    for bytes in [&b""[..], b"\n\n", b"hello", b"[]", b"{\"role\": \"user\"}", b"\xff\xfe\0"] {
        assert_eq!(check("x", bytes).refusal(), "contains no line of a Codex CLI session");
    }
    // The agent of these lines is unknown.
    for line in [r#"{"type": "error", "message": "x"}"#, r#"{"session": {}, "items": 7}"#] {
        assert!(check("x", line.as_bytes()).is_refused());
    }
}

#[test]
fn printed_items_keep_values_of_the_wrong_type() {
    let kinds = ["command_execution", "mcp_tool_call", "todo_list", "agent_message", "error", "x"];
    for value in WRONG {
        let mut lines = vec![r#"{"type":"thread.started","thread_id":"t"}"#.to_owned()];
        for state in ["started", "updated", "completed"] {
            let members = ["id", "command", "aggregated_output", "exit_code", "status", "tool"]
                .map(|key| format!("\"{key}\":{value}"))
                .join(",");
            lines.extend(kinds.map(|kind| {
                format!(r#"{{"type":"item.{state}","item":{{"type":"{kind}",{members}}}}}"#)
            }));
            lines.push(format!(r#"{{"type":"item.{state}","item":{value}}}"#));
            lines.push(format!(r#"{{"type":"item.{state}","item":{{"type":{value}}}}}"#));
        }
        lines.push(format!(r#"{{"type":"turn.completed","usage":{value}}}"#));
        lines.push(format!(r#"{{"type":"thread.started","thread_id":{value}}}"#));
        let outcome = check("x", lines.join("\n").as_bytes());
        assert!(!outcome.is_refused(), "{value}");
    }
}

#[test]
fn typescript_sessions_keep_values_of_the_wrong_type() {
    for value in WRONG {
        for log in [
            format!(r#"{{"session":{{"id":{value},"timestamp":{value}}},"items":[{value}]}}"#),
            format!(r#"{{"session":{{}},"items":[{{"type":{value}}},{value}],"more":{value}}}"#),
            format!(r#"{{"session":{{"id":"s","timestamp":"t"}},"items":[{value}"#),
            format!(r#"{{"session":{{"id":"s","timestamp":"t"}},"items":{value},"items":[1]}}"#),
        ] {
            assert!(!check("x", log.as_bytes()).is_refused(), "{log}");
        }
    }
}

#[test]
fn damaged_typescript_item_leaves_others_alone() {
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let said = r#"{"type":"message","role":"user","content":"Hi"}"#;
    for bad in [r#"{"a":1,"a":2}"#, &*deep, r#"{"a":"\q"}"#] {
        let log = format!(
            r#"{{"session":{{"id":"s","timestamp":"2025-05-01T00:00:00Z"}},"items":[{said},{bad},{said}]}}"#
        );
        let outcome = check("x", log.as_bytes());
        let entries = outcome.only().entries();
        let users = entries.iter().filter(|entry| entry["type"] == "user").count();
        assert_eq!(users, 2, "{bad:.20}");
        assert_eq!(outcome.only().report.unparsed.count, 1, "{bad:.20}");
        assert_eq!(outcome.only().value()["id"], "s");
    }
}

#[test]
fn garbage_between_items_is_kept() {
    let said = r#"{"type":"message","role":"user","content":"Hi"}"#;
    let log = format!(
        "{{\"session\":{{\"id\":\"s\",\"timestamp\":\"2025-05-01T00:00:00Z\"}},\"items\":[{said},\u{c}{said}]}}"
    );
    let outcome = check("x", log.as_bytes());
    let raw = outcome
        .only()
        .entries()
        .iter()
        .find_map(|entry| entry["data"]["raw"].as_str().map(str::to_owned));
    assert!(raw.is_some_and(|raw| raw.contains('\u{c}')), "the form feed is there");
}

#[test]
fn many_models_turns_and_rollbacks_are_kept() {
    let mut lines = Vec::new();
    for number in 0..10_000 {
        let turn = json!({"turn_id": number, "model": format!("m{number}")});
        lines.push(line("turn_context", &turn));
        lines.push(line("event_msg", &json!({"type": "user_message", "message": number})));
        lines.push(line("event_msg", &json!({"type": "thread_rolled_back", "num_turns": 1})));
    }
    let log = lines.join("\n");
    let input = Memory { name: "x", bytes: log.as_bytes() };
    let sessions = Codex.survey(&input).expect("a log");
    let models = sessions[0].record().session.agent_meta.models.expect("models");
    assert_eq!(models.len(), 10_000);
}

#[test]
fn number_of_threads_per_file_is_limited() {
    let threads =
        (0..3_000).map(|number| format!(r#"{{"type":"thread.started","thread_id":"t{number}"}}"#));
    let log = threads.collect::<Vec<_>>().join("\n");
    let input = Memory { name: "x", bytes: log.as_bytes() };
    let sessions = Codex.survey(&input).expect("a log");
    let entries: u64 = sessions.iter().map(|session| session.count().expect("known")).sum();
    assert_eq!((sessions.len(), entries), (1_000, 3_000));
}

#[test]
fn duplicate_key_keeps_the_line_as_text() {
    let twice = LINE.replace("\"message\"", "\"type\"");
    let log = format!("{LINE}\n{twice}");
    let outcome = check("x", log.as_bytes());
    let unparsed = &outcome.only().report.unparsed;
    assert_eq!((unparsed.count, &unparsed.lines[..]), (1, &[2][..]));
}

#[test]
fn members_of_the_wrong_type_are_kept() {
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "image_generation_call",
        "user_message",
        "item_completed",
        "token_count",
    ];
    for value in WRONG {
        let with = |members: &[&str]| {
            let members: Vec<_> = members.iter().map(|key| format!("\"{key}\":{value}")).collect();
            members.join(",")
        };
        let mut lines = vec![LINE.to_owned()];
        let (outer, inner) = (with(&["timestamp", "ordinal"]), with(INSIDE));
        for line in ["response_item", "event_msg"] {
            lines.extend(kinds.map(|kind| {
                let payload = format!(r#"{{"type":"{kind}","role":"user",{inner}}}"#);
                format!(r#"{{{outer},"type":"{line}","payload":{payload}}}"#)
            }));
        }
        for line in ["session_meta", "turn_context", "event_msg", "response_item", "compacted"] {
            lines.push(format!(r#"{{{outer},"type":"{line}","payload":{value}}}"#));
            lines.push(format!(r#"{{{outer},"type":"{line}","payload":{{{inner}}}}}"#));
        }
        let log = lines.join("\n");
        assert!(!check("x", log.as_bytes()).is_refused(), "{value}");
    }
}
