//! Annotations: authors, outcomes, rewinds, forks, subagents, permissions.

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
    let record = convert_fixture("jsonl/authors");
    let authors: Vec<_> =
        annotated(&record, "author").into_iter().map(|(_, author)| author).collect();
    assert_eq!(
        authors,
        [
            "user", "user", "program", "unknown", "user", "program", "program", "program", "user",
            "unknown"
        ]
    );
    assert_eq!(annotated(&record, "local-command"), [("l11".to_owned(), json!(true))]);
}

#[test]
fn results_have_outcomes_exit_codes_and_permissions() {
    let record = convert_fixture("jsonl/outcomes");
    let results: Vec<_> = entries(&record)
        .iter()
        .filter(|entry| entry["type"] == "tool-result")
        .map(|entry| format!("{} {}", entry["call-id"], entry["vac"]["outcome"]).replace('"', ""))
        .collect();
    let expected = [
        "c0 error",
        "c1 success",
        "c2 cancelled",
        "c3 success",
        "c4 success",
        "c5 success",
        "c9 error",
    ];
    assert_eq!(results, expected);
    let denied = json!({"decision": "denied", "by": "user"});
    assert_eq!(annotated(&record, "permission"), [("l5".to_owned(), denied)]);
    let basic = convert_fixture("jsonl/basic");
    assert_eq!(annotated(&basic, "exit-code"), [("l9".to_owned(), json!(2))]);
    let by: Vec<_> = annotated(&basic, "permission").into_iter().map(|(_, it)| it).collect();
    assert_eq!(
        by,
        [
            json!({"decision": "allowed", "by": "policy", "what": "read_file"}),
            json!({"decision": "allowed", "by": "user", "what": "run_shell_command"}),
        ]
    );
}

#[test]
fn response_among_other_parts_keeps_all_of_them() {
    let record = convert_fixture("jsonl/outcomes");
    let entry = entries(&record).iter().find(|entry| entry["call-id"] == "c5").expect("a result");
    assert_eq!(entry["output"].as_array().map(Vec::len), Some(4));
    assert_eq!(entry["children"][0]["call-id"], "c6");
}

#[test]
fn rewound_lines_are_superseded_by_their_rewind() {
    let record = convert_fixture("jsonl/rewound");
    let by: Vec<_> = annotated(&record, "superseded")
        .into_iter()
        .map(|(id, it)| format!("{id} {} {}", it["how"].as_str().unwrap_or(""), it["by"]))
        .collect();
    let expected = [
        "l1 rewound \"l8\"",
        "l2 rewound \"l5\"",
        "l3 rewound \"l5\"",
        "l4 rewound \"l5\"",
        "l5 rewound \"l8\"",
        "l6 rewound \"l8\"",
        "l7 rewound \"l8\"",
    ];
    assert_eq!(by, expected);
}

#[test]
fn copied_lines_are_inherited_and_their_tokens_do_not_count() {
    let record = convert_fixture("jsonl/forked");
    let parent = "11111111-0000-4000-8000-0000000000a1";
    assert_eq!(record["session"]["vac"]["parent"], parent);
    assert_eq!(record["session"]["vac"]["relation"], "fork");
    let inherited: Vec<_> = annotated(&record, "inherited").into_iter().map(|(id, _)| id).collect();
    assert_eq!(inherited, ["l1", "l2"]);
    let usage: Vec<_> = annotated(&record, "usage").into_iter().map(|(id, _)| id).collect();
    assert_eq!(usage, ["l4"]);
}

#[test]
fn repeated_id_counts_its_last_tokens_and_names_its_first_line() {
    let record = convert_fixture("jsonl/repeated-ids");
    let ids: Vec<_> = entries(&record).iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(ids, ["l1", "twice", "L3", "l4", "l5"]);
    assert_eq!(entries(&record)[2]["uuid"], "twice");
    let usage: Vec<_> = annotated(&record, "usage").into_iter().map(|(id, _)| id).collect();
    assert_eq!(usage, ["L3", "l5"]);
}

#[test]
fn subagent_is_a_session_of_its_own_with_a_parent() {
    let record = convert_fixture("subagent/basic");
    assert_eq!(record["id"], "explore-7f3c");
    assert_eq!(record["session"]["vac"]["parent"], "11111111-0000-4000-8000-0000000000a1");
    assert_eq!(record["session"]["vac"]["relation"], "subagent");
    assert_eq!(annotated(&record, "subagent").len(), 5);
    assert_eq!(annotated(&record, "author")[0].1, "other-agent");
}

#[test]
fn usage_is_in_buckets_that_can_be_added_up() {
    let record = convert_fixture("jsonl/basic");
    let usage = annotated(&record, "usage");
    let expected = [
        json!({"input": 644, "cache-read": 256, "output": 48, "reasoning": 20}),
        json!({"input": 100, "cache-read": 900, "output": 40, "reasoning": 10}),
        json!({"input": 1100, "output": 25}),
    ];
    assert_eq!(usage.into_iter().map(|(_, it)| it).collect::<Vec<_>>(), expected);
}
