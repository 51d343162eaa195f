//! Annotations: authors, outcomes, what was superseded, parents.

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
    let record = convert_fixture("database/basic");
    assert_eq!(annotated(&record, "author"), ["user", "program", "user"]);
    assert_eq!(annotated(&record, "outcome"), ["success", "error", "error", "unknown"]);
    assert_eq!(annotated(&record, "exit-code"), [0, 3]);
    let actions = annotated(&record, "action");
    let tools: Vec<_> = actions.iter().map(|action| action["tool"].clone()).collect();
    assert_eq!(tools, ["shell_exec", "shell_exec", "file_read", "mcp_tool"]);
    let calls = entries(&record).iter().filter_map(|it| it["children"].as_array()).flatten();
    let call = calls.clone().find(|it| it["type"] == "tool-call").expect("a call");
    assert_eq!(call["input"], json!({"command": "ls harbour"}), "the value in the text");
}

#[test]
fn inactive_messages_are_compacted_or_rewound() {
    let record = convert_fixture("database/basic");
    let how: Vec<_> = annotated(&record, "superseded").iter().map(|it| it["how"].clone()).collect();
    assert_eq!(how, ["compacted", "rewound"]);
}

#[test]
fn session_states_model_branch_and_times() {
    let record = convert_fixture("database/basic");
    let session = &record["session"];
    assert_eq!(session["session-start"], 1_785_800_000_250_u64);
    assert_eq!(session["environment"]["working-dir"], "/home/ada/harbour");
    assert_eq!(record["vcs"]["branch"], "main");
    assert_eq!(session["agent-meta"]["model-id"], "house-model-5");
    let prompt = entries(&record).iter().find(|it| it["event-type"] == "system_prompt");
    assert_eq!(prompt.expect("a prompt")["data"]["prompt"], "You are at sea.");
    let all = record.to_string();
    assert!(!all.contains("person-7") && !all.contains("chat-7"), "persons are not read");
}

#[test]
fn parents_are_those_that_delegated_branched_or_were_compressed() {
    for (case, relation, author) in [
        ("database/delegated", "subagent", "other-agent"),
        ("database/branched", "fork", "user"),
        ("database/continued", "continued", "user"),
    ] {
        let record = convert_fixture(case);
        let vac = &record["session"]["vac"];
        assert_eq!((&vac["parent"], &vac["relation"]), (&json!("p1"), &json!(relation)), "{case}");
        assert_eq!(annotated(&record, "author"), [author], "{case}");
    }
}

#[test]
fn times_that_are_not_times_are_kept() {
    let record = convert_fixture("database/wrong-types");
    let first = entries(&record).iter().find(|it| it["type"] == "user").expect("a prompt");
    assert_eq!(first["timestamp"], Value::Null);
    assert!(first["native:timestamp"].as_f64().is_some_and(|time| time > 1e246), "{first}");
}
