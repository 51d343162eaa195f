//! Annotations: authors, outcomes, compactions, permissions.

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
    let record = convert_fixture("jsonl/basic");
    assert_eq!(annotated(&record, "author"), ["user"], "results are not the user's words");
    assert_eq!(annotated(&record, "outcome"), ["success", "error", "error"]);
    let actions = annotated(&record, "action");
    let tools: Vec<_> = actions.iter().map(|action| action["tool"].clone()).collect();
    assert_eq!(tools, ["shell_exec", "mcp_tool", "unknown"]);
    assert_eq!(actions[1]["server"], "pond");
    assert_eq!(record["session"]["environment"]["working-dir"], "/home/ada/pond");
}

#[test]
fn database_states_the_same_and_more() {
    let record = convert_fixture("database/basic");
    let session = &record["session"];
    assert_eq!(session["vac"]["variant"], "database");
    assert_eq!(session["session-start"], "2026-05-21T08:00:00Z");
    assert_eq!(session["agent-meta"]["model-id"], "house-model-4");
    assert_eq!(session["agent-meta"]["model-provider"], "house");
    let kinds: Vec<_> = entries(&record).iter().map(|entry| entry["type"].clone()).collect();
    let expected = [
        "system-event",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "system-event",
        "system-event",
    ];
    assert_eq!(kinds, expected);
    let usage = json!({"input": 60, "cache-read": 30, "cache-write": 10, "output": 20,
        "model": "house-model-4"});
    assert_eq!(annotated(&record, "usage")[0], usage);
}

#[test]
fn messages_that_only_the_user_sees_are_compacted() {
    let record = convert_fixture("database/basic");
    let superseded = annotated(&record, "superseded");
    let by = json!({"how": "compacted", "by": "msg_p_5"});
    assert_eq!(superseded, vec![by; 4]);
    assert_eq!(annotated(&record, "author"), ["user", "program"], "the summary is not typed");
}

#[test]
fn questions_ask_for_permission() {
    let record = convert_fixture("database/basic");
    let asked = json!({"decision": "asked", "what": "developer__shell", "call-id": "call_1"});
    assert_eq!(annotated(&record, "permission"), [asked]);
}

#[test]
fn prompts_of_subagents_and_schedules_are_not_the_users() {
    for (case, author) in [("database/subagent", "other-agent"), ("database/scheduled", "program")]
    {
        assert_eq!(annotated(&convert_fixture(case), "author"), [author], "{case}");
    }
}
