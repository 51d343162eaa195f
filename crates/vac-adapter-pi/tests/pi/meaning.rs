//! Annotations: authors, outcomes, branches, forks, commands of the user, tokens.

use serde_json::{Value, json};

use crate::{convert_fixture, entries};

/// Returns an annotation of every entry that has it.
fn annotated(record: &Value, key: &str) -> Vec<Value> {
    let found = entries(record).iter().map(|entry| entry["vac"][key].clone());
    found.filter(|it| !it.is_null()).collect()
}

#[test]
fn authors_outcomes_and_ends_are_stated() {
    let record = convert_fixture("jsonl/outcomes");
    assert_eq!(annotated(&record, "author"), ["user", "program", "unknown", "user", "user"]);
    let outcomes = ["error", "cancelled", "error", "success", "unknown"];
    assert_eq!(annotated(&record, "outcome"), outcomes);
    assert_eq!(annotated(&record, "exit-code"), [1]);
    let turn = |how: &str| json!({"of": "turn", "how": how});
    assert_eq!(annotated(&record, "ends"), [turn("failure"), turn("interrupted")]);
}

#[test]
fn commands_of_the_user_are_calls_with_results() {
    let record = convert_fixture("jsonl/outcomes");
    let calls: Vec<_> =
        entries(&record).iter().filter(|entry| entry["type"] == "tool-call").collect();
    assert_eq!(calls.len(), 2);
    for (call, input, outcome) in
        [(calls[0], "make", json!("error")), (calls[1], "sleep 9", json!("cancelled"))]
    {
        assert_eq!(call["vac"]["action"]["tool"], "user_command");
        assert_eq!((&call["input"], &call["call-id"]), (&json!(input), &call["id"]));
        assert_eq!(call["children"][0]["vac"]["outcome"], outcome);
    }
}

#[test]
fn abandoned_messages_name_the_line_that_replaced_them() {
    let record = convert_fixture("jsonl/branches");
    let superseded: Vec<_> = entries(&record)
        .iter()
        .filter(|entry| !entry["vac"]["superseded"].is_null())
        .map(|entry| (entry["id"].clone(), entry["vac"]["superseded"].clone()))
        .collect();
    let by = json!({"how": "rewound", "by": "000000a6"});
    assert_eq!(superseded, [(json!("000000a3"), by.clone()), (json!("000000a4"), by)]);
    let claw = convert_fixture("jsonl/openclaw");
    assert!(annotated(&claw, "superseded").is_empty(), "unknown parents are the lines before");
}

#[test]
fn copied_lines_are_inherited_and_their_tokens_do_not_count() {
    let record = convert_fixture("jsonl/forked");
    let parent = "019a0000-1111-7000-8000-0000000000e1";
    assert_eq!(record["session"]["vac"]["parent"], parent);
    assert_eq!(record["session"]["vac"]["relation"], "fork");
    assert_eq!(annotated(&record, "inherited"), [parent, parent]);
    assert_eq!(annotated(&record, "usage"), [json!({"input": 70, "output": 6})]);
}

#[test]
fn usage_counts_wherever_it_is_stated() {
    let record = convert_fixture("jsonl/compaction");
    let output: u64 =
        annotated(&record, "usage").iter().filter_map(|usage| usage["output"].as_u64()).sum();
    assert_eq!(output, 50 + 80 + 3 + 5 + 20 + 5);
    let models: Vec<_> = annotated(&record, "usage")
        .into_iter()
        .filter_map(|usage| usage["model"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(models, ["claude-haiku-4-5"]);
    let basic = convert_fixture("jsonl/basic");
    let first =
        json!({"input": 100, "cache-read": 300, "cache-write": 50, "output": 40, "reasoning": 12});
    assert_eq!(annotated(&basic, "usage")[0], first);
}

#[test]
fn subagent_of_oh_my_pi_names_its_session() {
    let record = convert_fixture("jsonl/omp-subagent");
    let vac = &record["session"]["vac"];
    let parent = "019a0000-1111-7000-8000-0000000000e1";
    assert_eq!((&vac["parent"], &vac["relation"]), (&json!(parent), &json!("subagent")));
    assert_eq!(annotated(&record, "author"), ["other-agent"]);
    assert_eq!(record["session"]["agent-meta"]["model-provider"], "google");
}
