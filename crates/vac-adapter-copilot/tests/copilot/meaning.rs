//! Annotations: authors, outcomes, permissions, subagents, commands of the user, tokens.

use serde_json::{Value, json};

use crate::{convert_fixture, entries};

/// Returns an annotation of every entry that has it, with the entry's id.
fn annotated(record: &Value, key: &str) -> Vec<(String, Value)> {
    let found = entries(record).iter().filter(|entry| !entry["vac"][key].is_null());
    found
        .map(|entry| (entry["id"].as_str().expect("an id").to_owned(), entry["vac"][key].clone()))
        .collect()
}

#[test]
fn authors_are_stated_by_fields_or_texts() {
    let record = convert_fixture("events/authors");
    let authors: Vec<_> =
        annotated(&record, "author").into_iter().map(|(_, author)| author).collect();
    assert_eq!(authors, ["user", "program", "program", "program", "program", "user"]);
    let ends: Vec<_> = annotated(&record, "ends").into_iter().map(|(_, it)| it).collect();
    let turn = |how: &str| json!({"of": "turn", "how": how});
    assert_eq!(ends, [turn("interrupted"), turn("failure")]);
}

#[test]
fn permissions_state_the_decision_the_call_and_who_decided() {
    let record = convert_fixture("events/permissions");
    let found: Vec<_> = annotated(&record, "permission")
        .into_iter()
        .map(|(_, it)| {
            let text = |key: &str| it[key].as_str().unwrap_or("-").to_owned();
            [text("decision"), text("by"), text("what"), text("call-id")].join(" ")
        })
        .collect();
    assert_eq!(
        found,
        [
            "asked - shell c0",
            "allowed - shell c0",
            "asked - shell c1",
            "denied user shell c1",
            "asked - shell c2",
            "denied policy shell c2",
            "asked - shell c3",
            "denied hook shell c3",
            "asked - shell c4",
            "allowed - shell c4",
            "asked - shell c5",
            "unknown - shell c5",
        ]
    );
    let basic = convert_fixture("events/basic");
    let all = json!({"decision": "allowed", "by": "user", "what": "all"});
    assert_eq!(annotated(&basic, "permission"), [("e2".to_owned(), all)]);
}

#[test]
fn results_have_outcomes_and_exit_codes() {
    let outcomes = |case: &str| -> Vec<String> {
        annotated(&convert_fixture(case), "outcome")
            .into_iter()
            .map(|(_, it)| it.as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(outcomes("events/basic"), ["error", "error"]);
    let expected = ["success", "cancelled", "cancelled", "cancelled", "success", "success"];
    assert_eq!(outcomes("events/permissions"), expected);
    let basic = convert_fixture("events/basic");
    assert_eq!(annotated(&basic, "exit-code"), [("e10".to_owned(), json!(2))]);
}

#[test]
fn starts_of_requested_calls_are_duplicates_and_others_are_calls() {
    let record = convert_fixture("events/subagents");
    let calls: Vec<_> =
        entries(&record).iter().filter(|entry| entry["type"] == "tool-call").collect();
    let [call] = calls[..] else { panic!("{} calls of the user", calls.len()) };
    assert_eq!(
        (call["call-id"].as_str(), &call["vac"]["action"]["tool"]),
        (Some("u1"), &json!("user_command"))
    );
    let duplicates: Vec<_> =
        annotated(&record, "duplicate-of").into_iter().map(|(_, it)| it).collect();
    assert_eq!(duplicates, ["t1", "n1", "t2"]);
}

#[test]
fn lines_of_a_subagent_name_it_and_its_call() {
    let record = convert_fixture("events/subagents");
    let subagents = annotated(&record, "subagent");
    assert_eq!(subagents.len(), 8);
    assert!(subagents.iter().all(|(_, it)| *it == json!({"id": "t1", "call-id": "t1"})));
    let started = &entries(&record)[2]["children"][0];
    assert_eq!((&started["vac"]["delegated-to"], &started["name"]), (&json!("t1"), &json!("task")));
    let server = &entries(&record)[2]["children"][1]["vac"]["action"];
    assert_eq!(*server, json!({"tool": "mcp_tool", "category": "Other", "server": "pots"}));
    assert_eq!(record["session"]["agent-meta"]["model-id"], "gpt-5-mini");
}

#[test]
fn shutdown_states_tokens_of_each_model() {
    let record = convert_fixture("events/subagents");
    let shutdown = entries(&record).last().expect("a shutdown");
    let usage: Vec<_> = shutdown["children"]
        .as_array()
        .expect("a child for each model")
        .iter()
        .map(|child| child["vac"]["usage"].clone())
        .collect();
    let nano = json!({"input": 100, "cache-read": 300, "reasoning": 4, "model": "gpt-5-nano"});
    assert_eq!(usage, [json!({"input": 900, "model": "gpt-5-mini"}), nano]);
    assert_eq!(shutdown["vac"]["ends"], json!({"of": "session", "how": "success"}));
}

#[test]
fn companion_files_are_events_and_the_last_context_counts() {
    let record = convert_fixture("events-folder/basic");
    let files: Vec<_> = entries(&record)
        .iter()
        .filter(|entry| entry["event-type"] == "file")
        .map(|entry| entry["data"]["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(files.len(), 3, "{files:?}");
    let resumed = convert_fixture("events/resumed");
    assert_eq!(resumed["session"]["environment"]["working-dir"], "/home/ada/kiln/lid");
    assert_eq!(resumed["vcs"]["branch"], "lid");
}

#[test]
fn transcript_of_vscode_keeps_arguments_as_text() {
    let record = convert_fixture("vscode/basic");
    assert_eq!(record["session"]["vac"]["variant"], "vscode");
    assert_eq!(record["session"]["agent-meta"]["cli-name"], "copilot-chat");
    assert!(entries(&record)[3]["children"][1]["input"].is_string());
}

#[test]
fn later_version_states_who_decided_and_what_was_cleared() {
    let record = convert_fixture("events/later-version");
    let found: Vec<_> = annotated(&record, "permission")
        .into_iter()
        .map(|(_, it)| {
            let text = |key: &str| it[key].as_str().unwrap_or("-").to_owned();
            [text("decision"), text("by"), text("what"), text("call-id")].join(" ")
        })
        .collect();
    let expected = [
        "asked - shell c1",
        "allowed user shell c1",
        "asked hook shell c2",
        "allowed policy shell c2",
        "unknown - - -",
    ];
    assert_eq!(found, expected);
    let cleared: Vec<_> = annotated(&record, "superseded").into_iter().map(|(id, _)| id).collect();
    assert_eq!(cleared, ["e2", "e3", "e4", "e7", "e10"]);
    let thought = &entries(&record)[2];
    assert_eq!((&thought["type"], &thought["id"]), (&json!("reasoning"), &json!("e3")));
    let outcomes: Vec<_> = annotated(&record, "outcome").into_iter().map(|(_, it)| it).collect();
    assert_eq!(outcomes, ["success", "error"]);
}
