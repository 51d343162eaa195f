//! Annotations: authors, outcomes, subagents, and what is read of the settings.

use serde_json::{Value, json};

use crate::{convert_fixture, entries};

/// Returns an annotation of every entry and child that has it.
fn annotated(record: &Value, key: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in entries(record) {
        let children = entry["children"].as_array().into_iter().flatten();
        let all = [entry].into_iter().chain(children);
        found.extend(all.map(|it| it["vac"][key].clone()).filter(|it| !it.is_null()));
    }
    found
}

#[test]
fn authors_actions_and_outcomes_are_stated() {
    let record = convert_fixture("jsonl-settings/basic");
    assert_eq!(annotated(&record, "author"), ["user"], "results are not the user's words");
    assert_eq!(annotated(&record, "outcome"), ["success", "success", "error", "success"]);
    let tools: Vec<_> =
        annotated(&record, "action").iter().map(|action| action["tool"].clone()).collect();
    assert_eq!(tools, ["file_read", "planning", "shell_exec", "mcp_tool"]);
}

#[test]
fn settings_state_model_and_tokens() {
    let record = convert_fixture("jsonl-settings/basic");
    let settings = entries(&record).last().expect("an event");
    assert_eq!(settings["event-type"], "settings");
    assert_eq!(settings["vac"]["usage"]["model"], "custom:house-model-0");
    assert_eq!(record["session"]["agent-meta"]["model-id"], "custom:house-model-0");
    let stated = convert_fixture("jsonl-settings/usage-in-messages");
    assert_eq!(annotated(&stated, "usage"), [json!({"input": 40, "output": 4})]);
    assert_eq!(annotated(&stated, "author"), ["user", "program"]);
}

#[test]
fn subagent_names_the_session_that_called_it() {
    let record = convert_fixture("jsonl/subagent");
    assert_eq!(record["session"]["vac"]["parent"], "77777777-0000-4000-8000-0000000000f7");
    assert_eq!(annotated(&record, "author"), ["other-agent"]);
}

#[test]
fn captured_lines_are_calls_results_and_messages() {
    let record = convert_fixture("stream-json/basic");
    let kinds: Vec<_> = entries(&record).iter().map(|entry| entry["type"].clone()).collect();
    let expected = [
        "system-event",
        "user",
        "tool-call",
        "tool-result",
        "tool-call",
        "tool-result",
        "assistant",
        "system-event",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(annotated(&record, "outcome"), ["success", "error"]);
}
