//! Annotations: authors, outcomes, rewinds, compactions, subagents, permissions, and captures.

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

fn kinds(record: &Value) -> Vec<&str> {
    entries(record).iter().map(|entry| entry["type"].as_str().expect("a type")).collect()
}

#[test]
fn authors_actions_and_outcomes_are_stated() {
    let record = convert_fixture("updates-folder/basic");
    assert_eq!(annotated(&record, "author"), ["user"]);
    assert_eq!(annotated(&record, "outcome"), ["success", "success", "error", "success", "error"]);
    assert_eq!(annotated(&record, "exit-code"), [2], "that of a search is not a command's");
    let actions = annotated(&record, "action");
    let tools: Vec<_> = actions.iter().map(|action| action["tool"].clone()).collect();
    let expected =
        ["file_read", "file_edit", "shell_exec", "file_search", "file_write", "mcp_tool"];
    assert_eq!(tools, expected);
    let turn = json!({"of": "turn", "how": "success"});
    assert_eq!(annotated(&record, "ends"), [turn]);
    let usage = json!({"input": 300, "cache-read": 500, "cache-write": 100, "output": 60,
        "reasoning": 20, "model": "grok-9-fast"});
    assert_eq!(annotated(&record, "usage"), [usage]);
}

#[test]
fn summary_states_working_directory_and_repository() {
    let record = convert_fixture("updates-folder/basic");
    let session = &record["session"];
    assert_eq!(session["environment"]["working-dir"], "/home/ada/garden");
    assert_eq!(record["vcs"]["repository"], "https://example.com/garden.git");
    assert_eq!(session["session-start"], "2026-08-17T20:53:19.500000000Z");
    assert_eq!(session["agent-meta"]["model-provider"], "xai");
    let files: Vec<_> =
        entries(&record).iter().filter(|entry| entry["event-type"] == "file").collect();
    assert_eq!(files.len(), 2, "the plan and the compaction, not `chat_history.jsonl`");
}

#[test]
fn subagent_names_its_session() {
    let record = convert_fixture("updates-folder/subagent");
    let vac = &record["session"]["vac"];
    assert_eq!(vac["parent"], "88888888-0000-7000-8000-000000000001");
    assert_eq!(vac["relation"], "subagent");
    assert_eq!(annotated(&record, "author"), ["other-agent"]);
    let parent = convert_fixture("updates/subagents");
    let child = "88888888-0000-7000-8000-000000000002";
    assert_eq!(annotated(&parent, "delegated-to"), [child]);
    assert_eq!(annotated(&parent, "subagent"), [json!({"id": child})]);
    let asked = json!({"decision": "asked", "call-id": "call-1"});
    assert_eq!(annotated(&parent, "permission"), [asked]);
}

#[test]
fn prompts_that_were_taken_back_are_rewound() {
    let record = convert_fixture("updates/rewound");
    let marker = "88888888-0000-7000-8000-000000000001-6";
    let rewound = json!({"how": "rewound", "by": marker});
    let superseded = vec![rewound; 3];
    assert_eq!(annotated(&record, "superseded"), superseded);
    assert_eq!(entries(&record)[2]["vac"]["superseded"]["by"], entries(&record)[5]["id"]);
}

#[test]
fn messages_before_a_checkpoint_are_compacted() {
    let record = convert_fixture("updates/compaction");
    let by = |entry: &Value| entry["vac"]["superseded"]["by"].clone();
    let checkpoint = entries(&record)[3]["id"].clone();
    assert_eq!(by(&entries(&record)[0]), checkpoint);
    assert_eq!(by(&entries(&record)[1]), checkpoint);
    assert_eq!(annotated(&record, "superseded").len(), 2);
    let models: Vec<_> =
        annotated(&record, "usage").iter().map(|usage| usage["model"].clone()).collect();
    assert_eq!(models, ["grok-9-fast", "grok-9-mini"]);
}

#[test]
fn captured_chunks_are_one_message() {
    let record = convert_fixture("acp/basic");
    let count = |kind: &str| kinds(&record).iter().filter(|it| **it == kind).count();
    assert_eq!((count("user"), count("assistant"), count("reasoning")), (1, 1, 1));
    assert_eq!((count("tool-call"), count("tool-result")), (2, 1), "one result is a child");
    let thought = entries(&record).iter().find(|entry| entry["type"] == "reasoning");
    let thought = thought.expect("reasoning");
    assert_eq!(thought["content"], json!([{"type": "text", "text": "Pears are green."}]));
    assert_eq!(thought["chunks"].as_array().map(Vec::len), Some(3));
    let answer = entries(&record).iter().find(|entry| entry["type"] == "assistant");
    let blocks = answer.expect("an answer")["content"].as_array().expect("blocks");
    assert_eq!(blocks.len(), 3);
    assert_eq!(blocks[0]["text"], "I start ");
    let meta = &record["session"]["agent-meta"];
    assert_eq!((&meta["cli-name"], &meta["cli-version"]), (&json!("easel"), &json!("0.3.1")));
    assert_eq!(record["session"]["session-start"], Value::Null, "no time is invented");
}

#[test]
fn responses_to_requests_are_decisions() {
    let record = convert_fixture("acp/basic");
    let permissions = annotated(&record, "permission");
    let decisions: Vec<_> = permissions.iter().map(|it| it["decision"].clone()).collect();
    assert_eq!(decisions, ["asked", "allowed", "asked", "denied", "asked", "unknown"]);
    assert_eq!(permissions[1]["what"], "Write `pear.txt`");
    let calls: Vec<_> = permissions.iter().map(|it| it["call-id"].clone()).collect();
    assert_eq!(calls, ["t1", "t1", "t2", "t2", "t3", "t3"]);
}

#[test]
fn whole_messages_without_an_envelope_are_read() {
    let record = convert_fixture("acp/bare");
    let calls = ["tool-call", "tool-result", "tool-call"];
    assert_eq!(kinds(&record), [&["user", "assistant", "reasoning"], &calls[..]].concat());
    let calls = &entries(&record)[3..];
    assert_eq!((&calls[0]["name"], &calls[0]["input"]), (&json!("execute"), &json!({"cmd": "ls"})));
    assert_eq!(calls[0]["call-id"], calls[1]["call-id"]);
    assert_eq!(calls[2]["children"][0]["output"], json!({"text": "Blue"}), "a call that has ended");
}

#[test]
fn responses_state_tokens_and_meta_the_tool() {
    let record = convert_fixture("acp/usage");
    let expected = [
        json!({"input": 1000, "cache-read": 800, "output": 10}),
        json!({"input": 100, "cache-read": 200, "output": 10, "reasoning": 4}),
    ];
    assert_eq!(annotated(&record, "usage"), expected, "`usage_update` is not about requests");
    let call = entries(&record).iter().find(|entry| entry["type"] == "tool-call");
    assert_eq!(call.expect("a call")["name"], "Edit");
    assert_eq!(annotated(&record, "outcome"), ["error"]);
    let meta = &record["session"]["agent-meta"];
    assert_eq!(meta["cli-name"], "codex-acp");
}
