//! Tests annotations: authors, outcomes, usage and ends of turns.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter::container::{RowProblem, Trouble};
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{TestLog, convert, corpus, fixture};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

use crate::check;

fn record(lines: &[Value]) -> Value {
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    check("x.jsonl", lines.join("\n").as_bytes()).only().value()
}

/// Returns the annotations of the entries of a log.
fn annotations(lines: &[Value]) -> Vec<Value> {
    let record = record(lines);
    let entries = record["session"]["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["vac"].clone()).collect()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "message": {"content": [{"type": "text", "text": text}]}})
}

#[test]
fn follow_ups_of_cursor_are_not_the_users() {
    let log = fixture(&Cursor, "transcript/follow-up");
    let record = check("x.jsonl", log.first()).only().value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let users = entries.iter().filter(|entry| entry["type"] == "user");
    let authors: Vec<_> = users.map(|entry| &entry["vac"]["author"]).collect();
    assert_eq!(authors, ["user", "program", "program", "user", "unknown"]);
}

#[test]
fn context_next_to_a_prompt_is_not_a_prompt() {
    let lines = [
        json!({"role": "user", "message": {"content": [
            {"type": "text", "text": "<user_info>x</user_info>"},
            {"type": "text", "text": "<user_query>Go</user_query>"}]}}),
        user("<user_info>x</user_info>"),
    ];
    let found = annotations(&lines);
    assert_eq!(found, [json!({"author": "user"}), json!({"author": "program"})]);
}

#[test]
fn lines_of_a_stream_state_start_outcome_usage_and_end() {
    let call = |subtype: &str, id: &str, result: Value| {
        json!({"type": "tool_call", "subtype": subtype, "call_id": id, "session_id": "s",
            "tool_call": {"shellToolCall": {"args": {"command": "x"}, "result": result}}})
    };
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}),
        json!({"type": "user", "message": {"content": [{"type": "text", "text": "Go"}]}, "session_id": "s"}),
        call("started", "a", Value::Null),
        call("completed", "a", json!({"success": {"exitCode": 2}})),
        call("started", "b", Value::Null),
        call("completed", "b", json!({"rejected": {"reason": "no"}})),
        call("started", "c", Value::Null),
        call("completed", "c", json!({"success": {"exitCode": 0}})),
        call("started", "d", Value::Null),
        call("completed", "d", json!({"failure": {"exitCode": 1}})),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s",
            "usage": {"inputTokens": 5, "outputTokens": 6, "cacheReadTokens": 7, "cacheWriteTokens": 0}}),
    ];
    let found = annotations(&lines);
    assert_eq!(found[0], json!({"starts": true}));
    assert_eq!(found[1], json!({"author": "user"}));
    assert_eq!(found[2], json!({"action": {"tool": "shell_exec", "category": "Execute"}}));
    assert_eq!(found[3], json!({"outcome": "error", "exit-code": 2}));
    let denied = json!({"decision": "denied", "by": "user"});
    assert_eq!(found[5], json!({"outcome": "cancelled", "permission": denied}));
    assert_eq!(found[7], json!({"outcome": "success", "exit-code": 0}));
    assert_eq!(found[9], json!({"outcome": "error", "exit-code": 1}));
    assert_eq!(
        found[10],
        json!({"ends": {"of": "session", "how": "success"},
            "usage": {"input": 5, "cache-read": 7, "output": 6, "model": "m"}})
    );
}

#[test]
fn answers_repeated_after_their_pieces_are_duplicates() {
    let answer = |text: &str, more: Value| {
        let mut line = json!({"type": "assistant", "session_id": "s",
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}});
        line.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        line
    };
    let piece = |text: &str| answer(text, json!({"timestamp_ms": 1}));
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}),
        piece("I'll "),
        piece("look."),
        answer("I'll look.", json!({"timestamp_ms": 2, "model_call_id": "m"})),
        piece("Done."),
        answer("Done.", json!({})),
        answer("I'll look.Done.", json!({})),
        answer("Something else.", json!({})),
    ];
    let found = annotations(&lines);
    let originals: Vec<_> = found.iter().map(|it| it["duplicate-of"].as_str()).collect();
    let expected = [None, None, None, Some("L2"), None, Some("L5"), Some("L2"), None];
    assert_eq!(originals, expected);
}

#[test]
fn turns_end_as_stated() {
    let lines = [
        user("Go"),
        json!({"type": "turn_ended", "status": "success"}),
        json!({"type": "turn_ended", "status": "aborted", "error": "User aborted"}),
        json!({"type": "turn_ended", "status": "new-status"}),
        json!({"type": "error", "error": "boom"}),
    ];
    let ends: Vec<_> = annotations(&lines).iter().map(|it| it["ends"].clone()).collect();
    assert_eq!(ends[1], json!({"of": "turn", "how": "success"}));
    assert_eq!(ends[2], json!({"of": "turn", "how": "interrupted"}));
    assert_eq!(ends[3], json!({"of": "turn"}));
    assert_eq!(ends[4], json!({"of": "turn", "how": "failure"}));
}

fn bubble(id: &str, value: &Value) -> Value {
    json!({"key": format!("bubbleId:c:{id}"), "value": value})
}

#[test]
fn simulated_bubbles_are_the_programs() {
    let headers = json!([{"bubbleId": "b", "type": 1, "grouping": {"isSimulatedMsg": true}}]);
    let lines = [
        json!({"key": "composerData:c", "value": {"fullConversationHeadersOnly": headers}}),
        bubble("a", &json!({"type": 1, "text": "Go"})),
        bubble("b", &json!({"type": 1, "text": "Go on"})),
        bubble("d", &json!({"type": 1, "text": "Continue", "isSimulatedMsg": true})),
    ];
    let authors: Vec<_> = annotations(&lines)[1..].iter().map(|it| it["author"].clone()).collect();
    assert_eq!(authors, ["user", "program", "program"]);
}

#[test]
fn composers_and_chats_name_their_parent() {
    let parent = |value: Value| {
        let key = value.get("agentId").map_or("key", |_| "meta");
        let name = if key == "key" { "composerData:c" } else { "0" };
        let prompt = bubble("a", &json!({"type": 1, "text": "Go"}));
        let chat = json!({"blob": "a", "value": {"role": "user", "content": "Go"}});
        let lines = [json!({key: name, "value": value}), if key == "key" { prompt } else { chat }];
        let record = record(&lines);
        let session = &record["session"];
        let annotations = &session["vac"];
        let author = session["entries"][1]["vac"]["author"].clone();
        [annotations["parent"].clone(), annotations["relation"].clone(), author]
    };
    let subagent = [json!("p"), json!("subagent"), json!("other-agent")];
    assert_eq!(parent(json!({"subagentInfo": {"parentComposerId": "p"}})), subagent);
    assert_eq!(parent(json!({"agentId": "c", "subagentInfo": {"parentAgentId": "p"}})), subagent);
    let best_of = json!({"isBestOfNSubcomposer": true, "subagentInfo": {"parentComposerId": "p"}});
    assert_eq!(parent(best_of), [json!("p"), json!("fork"), json!("user")]);
    assert_eq!(parent(json!({})), [Value::Null, Value::Null, json!("user")]);
}

#[test]
fn calls_of_bubbles_state_decision_and_exit_code() {
    let call = |data: Value| {
        let lines = [bubble("a", &json!({"type": 2, "toolFormerData": data}))];
        let record = record(&lines);
        let children = record["session"]["entries"][0]["children"].clone();
        [children[0]["vac"].clone(), children[1]["vac"].clone()]
    };
    let [action, result] = call(json!({"name": "run_terminal_cmd", "status": "completed",
        "userDecision": "accepted", "result": r#"{"output": "x", "exitCodeV2": 1}"#}));
    assert_eq!(
        action,
        json!({"action": {"tool": "shell_exec", "category": "Execute"},
            "permission": {"decision": "allowed", "by": "user"}})
    );
    assert_eq!(result, json!({"outcome": "error", "exit-code": 1}));
    let [_, result] = call(json!({"name": "read_file", "status": "completed",
        "result": r#"{"exitCodeV2": 1}"#}));
    assert_eq!(result, json!({"outcome": "success"}));
    let [_, result] = call(json!({"name": "run_terminal_cmd", "status": "cancelled"}));
    assert_eq!(result, json!({"outcome": "cancelled"}));
    let [_, result] = call(json!({"name": "run_terminal_cmd", "status": "completed",
        "result": r#"{"rejected": true}"#}));
    assert_eq!(result["outcome"], "cancelled");
}

#[test]
fn results_of_a_chat_state_their_outcome() {
    let result = |block: Value, high_level: Value| {
        let meta = json!({"meta": "0", "value": {"agentId": "c"}});
        let message = json!({"role": "tool", "content": [block],
            "providerOptions": {"cursor": {"highLevelToolCallResult": high_level}}});
        annotations(&[meta, json!({"blob": "a", "value": message})]).remove(1)
    };
    let block = |tool: &str, text: &str| json!({"type": "tool-result", "toolCallId": "c", "toolName": tool, "result": text});
    let failed = "Exit code: 2\n\nCommand output:\n\nno";
    for (tool, text, high_level, expected) in [
        ("Shell", failed, Value::Null, json!({"outcome": "error", "exit-code": 2})),
        ("Read", failed, Value::Null, json!({"outcome": "unknown"})),
        ("Read", "x", json!({"output": {"success": {}}}), json!({"outcome": "success"})),
        ("Read", "x", json!({"output": {"error": {}}}), json!({"outcome": "error"})),
        ("Read", "x", json!({"output": [], "isError": true}), json!({"outcome": "error"})),
        (
            "Shell",
            "x",
            json!({"output": {"success": {"exitCode": 3}, "isError": false}}),
            json!({"outcome": "error", "exit-code": 3}),
        ),
    ] {
        assert_eq!(result(block(tool, text), high_level.clone()), expected, "{high_level}");
    }
}

#[test]
fn summaries_of_a_chat_are_the_programs() {
    let user = |options: Value| {
        json!({"blob": "a", "value": {"role": "user", "content": "So far:",
            "providerOptions": {"cursor": options}}})
    };
    let lines = [user(json!({"isSummary": true})), user(json!({"requestId": "r"}))];
    let authors: Vec<_> = annotations(&lines).iter().map(|it| it["author"].clone()).collect();
    assert_eq!(authors, ["program", "user"]);
}

#[test]
fn missing_and_unlisted_rows_are_annotated() {
    let lines = [
        (json!({"key": "composerData:c", "value": {}}), None),
        (json!({"key": "bubbleId:c:a", "value": null}), Some(RowProblem::RowMissing)),
        (
            json!({"key": "bubbleId:c:b", "value": {"type": 2, "text": "x"}}),
            Some(RowProblem::RowUnlisted),
        ),
        (json!({"key": "bubbleId:c:d", "text": "{not json"}), None),
    ];
    let (mut bytes, mut troubles) = (Vec::new(), Vec::new());
    for (line, problem) in lines {
        let offset = bytes.len() as u64;
        troubles.extend(problem.map(|problem| Trouble { offset, problem }));
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }
    let mut log = TestLog::new("state.vscdb", bytes);
    log.parts[0].troubles = troubles;
    let record = vac_adapter_check::check(&CURSOR, &Cursor, &log).only().value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let found: Vec<_> = entries.iter().map(|entry| entry["vac"].clone()).collect();
    assert_eq!(found[1], json!({"reason": "row-missing"}));
    assert_eq!(found[2], json!({"superseded": {"how": "other"}}));
    assert_eq!(found[3], json!({"reason": "syntax"}));
}

/// Counts annotations of an entry and its children.
fn count(entry: &Value, counts: &mut BTreeMap<String, u64>) {
    for key in ["author", "outcome"] {
        if let Some(value) = entry["vac"][key].as_str() {
            *counts.entry(format!("{key} {value}")).or_default() += 1;
        }
    }
    if let Some(tool) = entry["vac"]["action"]["tool"].as_str() {
        *counts.entry(format!("action {tool}")).or_default() += 1;
    }
    for child in entry["children"].as_array().into_iter().flatten() {
        count(child, counts);
    }
}

#[test]
fn authors_and_outcomes_of_the_corpus_are_right() {
    for log in corpus(&Cursor) {
        let mut counts = BTreeMap::new();
        let (mut bytes, mut annotated) = (0, 0);
        for record in convert(&Cursor, &log, &RecordOptions::default()).unwrap_or_default() {
            bytes += record.text().len();
            for entry in record.entries() {
                count(&entry, &mut counts);
                annotated += size(&entry);
            }
        }
        let shown: Vec<_> = counts.iter().map(|(key, count)| format!("{key} {count}")).collect();
        println!("{}: {}; {annotated} of {bytes} bytes", log.shown, shown.join(", "));
        let of = |key: &str| counts.get(key).copied().unwrap_or_default();
        match log.shown.rsplit('/').next() {
            Some("m01-follow-up.jsonl") => {
                assert_eq!((of("author user"), of("author program")), (9, 1));
            }
            Some("k05_stream_direct-sleep.jsonl") => assert_eq!(of("outcome success"), 2),
            Some("k08_store.db") => {
                assert_eq!((of("author user"), of("author program")), (1, 1));
            }
            _ => {}
        }
    }
}

/// Returns the size of the annotations of an entry and its children, in bytes.
fn size(entry: &Value) -> usize {
    let own = entry.get("vac").map_or(0, |it| it.to_string().len() + r#""vac":,"#.len());
    own + entry["children"].as_array().into_iter().flatten().map(size).sum::<usize>()
}
