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

#[test]
fn captured_call_and_result_are_paired_by_their_id() {
    let record = convert_fixture("stream-json/ids-of-calls");
    let kinds: Vec<_> = entries(&record)
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
            [text("type"), text("id"), text("call-id")].join(" ")
        })
        .collect();
    let expected = [
        "system-event L1 -",
        "user m1 -",
        "reasoning r1 -",
        "reasoning L4 -",
        "reasoning L5 -",
        "tool-call L6 call-1",
        "tool-call L7 call-2",
        "tool-result L8 call-2",
        "tool-result L9 call-1",
        "assistant m4 -",
        "system-event L11 -",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(annotated(&record, "outcome"), ["error", "success"]);
    assert_eq!(annotated(&record, "duplicate-of"), ["r1"], "it is printed twice");
    let usage =
        json!({"input": 100, "cache-read": 50, "cache-write": 10, "output": 20, "reasoning": 5});
    assert_eq!(annotated(&record, "usage"), [usage]);
    assert_eq!(record["session"]["vac"]["variant"], "stream-json");
}

#[test]
fn later_version_states_hooks_context_thoughts_and_ends_of_turns() {
    let record = convert_fixture("jsonl/later-version");
    assert_eq!(annotated(&record, "author"), ["program", "user", "hook", "user"]);
    let turn = |how: &str| json!({"of": "turn", "how": how});
    let ends = [turn("interrupted"), turn("success"), json!({"of": "turn"})];
    assert_eq!(annotated(&record, "ends"), ends);
    assert_eq!(annotated(&record, "outcome"), ["error"]);
    let thoughts: Vec<_> = entries(&record)
        .iter()
        .flat_map(|entry| entry["children"].as_array().into_iter().flatten())
        .filter(|child| child["type"] == "reasoning")
        .map(|child| [child["content"].clone(), child["encrypted"].clone()])
        .collect();
    let said = |text: &str| [json!(text), Value::Null];
    let sealed = [Value::Null, json!("c2VhbGVk")];
    assert_eq!(thoughts, [said("Hens like corn."), sealed, said("The shop is open.")]);
}
