//! Annotations: authors, outcomes, branches, forks, commands of the user, tokens.

use serde_json::{Value, json};
use vac_adapter::{Adapter, Beginning, Memory};
use vac_adapter_pi::Pi;

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
fn lines_name_the_agent_that_wrote_them() {
    let fork = |line: &str| {
        let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#;
        let bytes = format!("{header}\n{line}\n");
        let memory = Memory { name: "s.jsonl", bytes: bytes.as_bytes() };
        let beginning = Beginning::read(&memory).expect("readable");
        Pi.fork(&beginning.sample())
    };
    for (line, agent) in [
        (r#"{"type":"title","v":1,"title":"","pad":"  "}"#, Some("omp")),
        (r#"{"type":"session_init","id":"a","parentId":null}"#, Some("omp")),
        (r#"{"type":"custom_message","customType":"openclaw.context","id":"a"}"#, Some("openclaw")),
        (r#"{"type":"child_usage_attributed","id":"a"}"#, Some("prime")),
        (r#"{"type":"custom","customType":"notes","id":"a"}"#, None),
    ] {
        assert_eq!(fork(line), agent, "{line}");
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
fn line_that_an_edit_removes_from_the_context_names_the_edit() {
    let record = convert_fixture("jsonl/compaction");
    let removed = entries(&record).iter().find(|entry| entry["id"] == "000000a1").expect("a line");
    assert_eq!(removed["vac"]["superseded"], json!({"how": "compacted", "by": "000000a5"}));
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
    assert_eq!(
        annotated(&record, "stated-cost"),
        [0.01, 0.0001, 0.001],
        "of lines that are not answers"
    );
    let basic = convert_fixture("jsonl/basic");
    let first =
        json!({"input": 100, "cache-read": 300, "cache-write": 50, "output": 40, "reasoning": 12});
    assert_eq!(annotated(&basic, "usage")[0], first);
}

#[test]
fn sessions_that_prime_agent_started_count_next_to_the_message() {
    let record = convert_fixture("jsonl/prime");
    let expected = [
        json!({"input": 100, "cache-read": 4, "output": 20}),
        json!({"input": 10, "output": 2}),
        json!({"input": 30, "cache-read": 1, "output": 4}),
    ];
    assert_eq!(annotated(&record, "usage"), expected);
    let meta = &record["session"]["agent-meta"];
    assert_eq!(meta["models"], json!(["claude-sonnet-4-6"]));
}

#[test]
fn lines_before_a_reset_are_not_part_of_the_conversation() {
    let record = convert_fixture("jsonl/reset");
    let by: Vec<_> = annotated(&record, "superseded").iter().map(|it| it["by"].clone()).collect();
    assert_eq!(by, ["000000a3", "000000a3", "000000a6"], "a message can be kept");
}

#[test]
fn captured_lines_have_the_time_of_their_message() {
    let record = convert_fixture("capture/basic");
    let times: Vec<_> = entries(&record)
        .iter()
        .filter(|entry| entry["type"] != "system-event")
        .map(|entry| entry["timestamp"].clone())
        .collect();
    assert_eq!(times, [1_777_712_400_001_u64, 1_777_712_400_002]);
    assert_eq!(record["session"]["session-end"], 1_777_712_400_002_u64);
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

#[test]
fn database_of_openclaw_is_read_without_its_credentials() {
    let log = vac_adapter_check::fixtures(&vac_adapter_pi::Pi)
        .into_iter()
        .find(|case| case.name == "database/basic")
        .expect("a fixture");
    let records: Vec<_> = log
        .logs
        .iter()
        .map(|log| vac_adapter_check::convert_full(&vac_adapter_pi::Pi, log).expect("a record"))
        .map(|mut records| records.remove(0).value())
        .collect();
    let [archived, current] = &records[..] else { panic!("{} sessions", records.len()) };
    let events: Vec<_> =
        entries(archived).iter().map(|entry| entry["event-type"].clone()).collect();
    let expected = ["session_windows", "session_nodes", "session_transcript_cold_archives"];
    assert_eq!(events, expected);
    let last = entries(current).last().expect("an entry");
    assert_eq!(last["content"][0]["text"], "Two claws.", "a compressed event");
    let vac = &current["session"]["vac"];
    assert_eq!((&vac["parent"], &vac["relation"]), (&json!("claw-1"), &json!("continued")));
    assert!(!current.to_string().contains("hidden-key"));
}
