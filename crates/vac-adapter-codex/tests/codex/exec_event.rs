//! Tests the output of `codex exec --json` before October 2025.

use serde_json::{Value, json};
use vac_adapter_check::{convert_full, fixture};
use vac_adapter_codex::Codex;

use crate::{check, entries};

fn setup() -> String {
    json!({
        "workdir": "/w", "model": "m", "provider": "p", "approval": "never",
        "sandbox": "workspace-write [workdir, /tmp]",
    })
    .to_string()
}

fn prompt(text: &str) -> String {
    json!({"prompt": text}).to_string()
}

fn event(msg: &Value) -> String {
    json!({"id": "0", "msg": msg}).to_string()
}

#[test]
fn configuration_and_prompt_describe_the_session() {
    let said = event(&json!({"type": "agent_message", "message": "Hello"}));
    let outcome = check("x.jsonl", [setup(), prompt("Hi"), said].join("\n").as_bytes());
    let record = outcome.only().value();
    let session = &record["session"];
    assert_eq!(session["format"], "autonomous");
    let environment = json!({"working-dir": "/w", "sandboxes": ["workspace-write"]});
    assert_eq!(session["environment"], environment);
    assert_eq!(session["agent-meta"]["model-id"], "m");
    assert_eq!(session["agent-meta"]["model-provider"], "p");
    let entries = outcome.only().entries();
    assert_eq!(entries[0]["event-type"], "config");
    assert_eq!((&entries[1]["type"], &entries[1]["content"]), (&json!("user"), &json!("Hi")));
    assert_eq!(entries[2]["type"], "assistant");
    assert_eq!((&entries[2]["content"], &entries[2]["model-id"]), (&json!("Hello"), &json!("m")));
}

#[test]
fn prompt_that_an_event_repeats_is_one_message() {
    let entries = entries(&[
        setup(),
        prompt("Hi"),
        event(&json!({"type": "task_started"})),
        event(&json!({"type": "user_message", "message": "Hi"})),
    ]);
    assert_eq!(entries[3]["type"], "system-event");
    assert_eq!(entries[3]["vac"]["duplicate-of"], entries[1]["id"]);
    let echo = event(&json!({"type": "user_message", "message": "Hi"}));
    let entries = crate::entries(&[prompt("Hi"), echo]);
    assert_eq!(entries[1]["vac"]["duplicate-of"], entries[0]["id"], "without the text before it");
}

#[test]
fn begin_and_end_events_are_call_and_result() {
    let entries = entries(&[
        event(
            &json!({"type": "exec_command_begin", "call_id": "c", "command": ["ls"], "cwd": "/"}),
        ),
        event(&json!({"type": "exec_command_end", "call_id": "c", "stdout": "a", "stderr": "b",
            "exit_code": 3})),
    ]);
    let [call, result] = &entries[..] else { panic!("two entries") };
    assert_eq!((&call["type"], &call["name"]), (&json!("tool-call"), &json!("exec_command")));
    assert_eq!((&call["input"], &call["msg"]["cwd"]), (&json!(["ls"]), &json!("/")));
    assert_eq!(result["type"], "tool-result");
    assert_eq!(result["output"], json!({"stdout": "a", "stderr": "b"}));
    assert_eq!((&result["is-error"], &result["msg"]["exit_code"]), (&json!(true), &json!(3)));
    assert_eq!((&call["call-id"], &result["call-id"]), (&json!("c"), &json!("c")));
}

#[test]
fn mcp_tool_has_its_own_name() {
    let arguments = json!({"cone": 10});
    let call = |msg: &Value| entries(&[event(msg)]).remove(0);
    let invocation = json!({"server": "s", "tool": "t", "arguments": arguments});
    let now = call(&json!({"type": "mcp_tool_call_begin", "invocation": invocation}));
    let first = call(&json!({"type": "mcp_tool_call_begin", "server": "s", "tool": "t",
        "arguments": arguments}));
    for call in [&now, &first] {
        assert_eq!((&call["name"], &call["input"]), (&json!("t"), &arguments));
    }
    assert_eq!(now["invocation"], json!({"server": "s"}));
    assert_eq!(first["msg"]["server"], "s");
}

#[test]
fn each_run_is_a_session() {
    let records = convert_full(&Codex, &fixture(&Codex, "exec-events/two-runs")).expect("converts");
    let sessions: Vec<_> = records
        .iter()
        .map(|record| {
            let value = record.value();
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&value["id"]), text(&value["session"]["agent-meta"]["model-id"]))
        })
        .collect();
    let sessions: Vec<_> =
        sessions.iter().map(|(id, model)| (id.as_str(), model.as_str())).collect();
    assert_eq!(sessions, [("nightly", "o4-mini"), ("nightly.2", "o3")]);
}

#[test]
fn tool_events_of_a_rollout_stay_events() {
    let line = crate::line("event_msg", &json!({"type": "exec_command_end", "call_id": "c"}));
    assert_eq!(entries(&[line])[0]["type"], "system-event");
}

#[test]
fn prompt_object_in_a_rollout_is_an_event() {
    let first = crate::line("session_meta", &json!({"id": "s"}));
    let entries = entries(&[first, prompt("Hi")]);
    assert_eq!(entries[1]["event-type"], "unknown");
}
