//! Tests the entries that steps become, and their annotations.

use serde_json::{Value, json};
use vac_adapter_atif::Atif;
use vac_adapter_check::{convert_full, fixture};

use crate::{convert_fixture, entries};

fn types(record: &Value) -> Vec<&str> {
    entries(record).iter().map(|entry| entry["type"].as_str().expect("a type")).collect()
}

#[test]
fn steps_are_messages_with_calls_and_results() {
    let record = convert_fixture("trajectory/basic");
    assert_eq!(types(&record), ["system-event", "system-event", "user", "assistant", "assistant"]);
    let meta = &record["session"]["agent-meta"];
    assert_eq!((&meta["cli-name"], &meta["cli-version"]), (&json!("kiln-agent"), &json!("0.4.1")));
    assert_eq!(meta["model-id"], "house-model-2");
    assert_eq!(record["session"]["vac"]["agent"], "atif");
    assert_eq!(entries(&record)[2]["vac"]["author"], "user");
    let answer = &entries(&record)[3];
    let children: Vec<_> = answer["children"]
        .as_array()
        .expect("children")
        .iter()
        .map(|child| (child["type"].as_str().expect("a type"), child["call-id"].as_str()))
        .collect();
    let expected = [
        ("reasoning", None),
        ("tool-call", Some("c1")),
        ("tool-call", Some("c2")),
        ("tool-result", Some("c1")),
        ("tool-result", Some("c2")),
    ];
    assert_eq!(children, expected);
    assert_eq!(answer["children"][1]["vac"]["action"]["tool"], "shell_exec");
    assert_eq!(answer["children"][3]["output"], "ash\ncobalt\n");
    assert_eq!(answer["vac"]["usage"], json!({"input": 320, "cache-read": 200, "output": 80}));
    assert_eq!(answer["token-usage"]["cost"], json!(0.00045));
}

#[test]
fn subagents_are_named_with_the_call_that_started_them() {
    let record = convert_fixture("trajectory/subagents");
    let call = &entries(&record)[2]["children"];
    assert_eq!(call[0]["vac"]["delegated-to"], "sub-1");
    assert_eq!(call[1]["vac"]["delegated-to"], "weigh/trajectory.json");
    let of_subagent: Vec<_> =
        entries(&record).iter().filter(|entry| !entry["vac"]["subagent"].is_null()).collect();
    assert_eq!(of_subagent.len(), 3);
    for entry in &of_subagent {
        assert_eq!(entry["vac"]["subagent"], json!({"id": "sub-1", "call-id": "d1"}));
    }
    assert_eq!(of_subagent[1]["vac"]["author"], "other-agent");
}

#[test]
fn copied_steps_are_inherited_and_dispatches_are_of_the_program() {
    let record = convert_fixture("trajectory/copied-context");
    let inherited: Vec<_> =
        entries(&record).iter().map(|entry| entry["vac"]["inherited"] == true).collect();
    assert_eq!(inherited, [false, true, true, false, false, false]);
    assert_eq!(entries(&record)[4]["vac"]["author"], "program");
    assert_eq!(entries(&record)[5]["children"][0]["output"], "3 steps removed");
}

#[test]
fn trajectories_with_other_ids_are_other_sessions() {
    let records = convert_full(&Atif, &fixture(&Atif, "trajectory/two-sessions")).expect("records");
    let ids: Vec<_> = records.iter().map(|it| it.value()["id"].clone()).collect();
    assert_eq!(ids, ["kiln-run-0011", "kiln-run-0012"]);
    let damaged = convert_fixture("trajectory/damaged");
    let prompts = entries(&damaged).iter().filter(|entry| entry["type"] == "user").count();
    assert_eq!(prompts, 2, "the same id is one session");
}

#[test]
fn time_without_an_offset_is_kept_and_not_used() {
    let record = convert_fixture("trajectory/wrong-types");
    let prompt = &entries(&record)[1];
    assert!(prompt["timestamp"].is_null());
    assert_eq!(prompt["native:timestamp"], "2026-05-02T09:00:00");
}
