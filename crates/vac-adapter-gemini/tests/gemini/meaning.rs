//! Tests annotations: authors, outcomes, usage and ends of turns.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{check, convert, corpus, fixture};
use vac_adapter_gemini::Gemini;

use crate::{GEMINI, record};

fn messages(list: &str) -> Vec<Value> {
    session("", list)
}

fn session(head: &str, list: &str) -> Vec<Value> {
    let text = format!(r#"{{"sessionId": "s", "projectHash": "p", {head}"messages": {list}}}"#);
    let mut record = record("x.json", &text);
    let Value::Array(entries) = record["session"]["entries"].take() else { panic!("no entries") };
    entries
}

fn user(text: &str) -> Value {
    let content = json!([{"type": "user", "content": [{"text": text}]}]);
    let text_alone = json!([{"type": "user", "content": text}]);
    let [one, other] = [content, text_alone].map(|list| messages(&list.to_string()).remove(0));
    assert_eq!(one["vac"], other["vac"], "{text}");
    one["vac"].clone()
}

#[test]
fn author_is_stated_by_the_text() {
    for (text, author) in [
        ("Fix it", "user"),
        ("<session_context>\nx\n</session_context>", "program"),
        ("This is the Gemini CLI. We are setting up the context for our chat.\nx", "program"),
        ("\n <hook_context>x</hook_context>", "hook"),
        ("<state_snapshot>x</state_snapshot>", "program"),
        ("<scratchpad>x</scratchpad>\n\n<state_snapshot>x</state_snapshot>", "program"),
        ("System: Please continue.", "program"),
        ("System: Potential loop detected. Details: x", "program"),
        ("<session_context>\nx", "program"),
        (
            "Background execution update:\n<background_output>\nx\n</background_output>\nx",
            "program",
        ),
        ("Please continue.", "unknown"),
        ("Please continue. And be quick.", "user"),
        ("<new_context>x</new_context>", "unknown"),
        ("<session_context>x</session_context> What is this?", "user"),
        ("Why?", "user"),
    ] {
        assert_eq!(user(text), json!({"author": author}), "{text}");
    }
}

#[test]
fn commands_for_the_program_are_marked() {
    let command = json!({"author": "user", "local-command": true});
    for text in ["/compress", "/chat save lamp", "?"] {
        assert_eq!(user(text), command, "{text}");
    }
    for text in ["/home/ada/lamp.py is broken", "// a comment", "/", "/ x", "? why"] {
        assert_eq!(user(text), json!({"author": "user"}), "{text}");
    }
    let ran = "I ran the following shell command:\n```sh\nls\n```\n\n\
        This produced the following result:\n```\nCommand exited with code 2.\n\n```";
    assert_eq!(
        user(ran),
        json!({"author": "user", "local-command": true, "outcome": "error", "exit-code": 2,
            "action": {"tool": "user_command", "category": "Execute"}})
    );
}

#[test]
fn message_with_words_of_the_user_is_the_users() {
    let entries = messages(
        r#"[{"type": "user", "content": [{"text": "Go"}, {"text": "<hook_context>x</hook_context>"}]},
            {"type": "user", "content": [{"functionResponse": {"id": "c", "response": {}}}, {"inlineData": {}}]},
            {"type": "user", "content": "Go on", "displayContent": [{"functionResponse": {"id": "c"}}]}]"#,
    );
    let authors: Vec<_> = entries.iter().map(|entry| &entry["vac"]["author"]).collect();
    assert_eq!(authors, ["user", "program", "program"]);
}

/// A fixed answer follows the text of the compressor.
#[test]
fn text_of_the_compressor_is_the_programs() {
    let entries = messages(
        r#"[{"type": "user", "content": "The user wants a lamp."},
            {"type": "gemini", "content": [{"text": "Got it. Thanks for the additional context!"}]},
            {"type": "user", "content": "Go on"}, {"type": "gemini", "content": "Got it."}]"#,
    );
    let authors: Vec<_> = entries.iter().map(|entry| &entry["vac"]["author"]).collect();
    assert_eq!(authors, [&json!("program"), &json!("program"), &json!("user"), &Value::Null]);
    let history = r#"{"history": [{"role": "user", "parts": [{"text": "setup"}]},
        {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]}]}"#;
    let record = record("x.json", history);
    assert_eq!(record["session"]["entries"][0]["vac"]["author"], "program");
}

#[test]
fn prompts_of_a_subagent_are_another_agents() {
    let list = r#"[{"type": "user", "content": "Look"}, {"type": "user", "content": "<hook_context>x</hook_context>"}]"#;
    let entries = session(r#""kind": "subagent", "#, list);
    assert_eq!(entries[0]["vac"]["author"], "other-agent");
    assert_eq!(entries[1]["vac"]["author"], "hook");
    assert_eq!(session(r#""kind": "main", "#, list)[0]["vac"]["author"], "user");
    let record = check(&GEMINI, &Gemini, &fixture(&Gemini, "jsonl/subagent")).only().value();
    let annotations = &record["session"]["vac"];
    assert_eq!(annotations["parent"], "5c8b1e6d-0012-4a00-8000-00000000a012");
    assert_eq!(annotations["relation"], "subagent");
}

#[test]
fn calls_state_their_action_and_results_their_outcome() {
    let call = |call: Value| {
        let list = json!([{"type": "gemini", "toolCalls": [call]}]);
        let mut children = messages(&list.to_string()).remove(0)["children"].take();
        let result = children.get_mut(1).map_or(Value::Null, |it| it["vac"].take());
        (children[0]["vac"].take(), result)
    };
    let response = |key: &str, text: &str| json!([{"functionResponse": {"response": {key: text}}}]);
    let (action, result) = call(json!({"name": "run_shell_command", "status": "success",
        "result": response("output", "Output: x\nExit Code: 127\nSignal: 0")}));
    assert_eq!(action, json!({"action": {"tool": "shell_exec", "category": "Execute"}}));
    assert_eq!(result, json!({"outcome": "error", "exit-code": 127}));
    let (action, result) = call(json!({"name": "look_up", "status": "cancelled",
        "displayName": "look_up (crm MCP Server)",
        "result": response("error", "[Operation Cancelled] Reason: User did not allow tool call")}));
    assert_eq!(action["action"]["server"], "crm");
    assert_eq!(
        result,
        json!({"outcome": "cancelled", "permission": {"decision": "denied", "by": "user"}})
    );
    let (call, result) = call(json!({"name": "delegate_to_agent", "status": "error"}));
    assert_eq!((&call["outcome"], result), (&json!("error"), Value::Null));
    assert_eq!(call["action"], json!({"tool": "delegation", "category": "Delegate"}));
}

#[test]
fn usage_is_in_additive_buckets() {
    let entries = messages(
        r#"[{"type": "gemini", "tokens": {"input": 100, "output": 20, "cached": 30, "thoughts": 4, "tool": 5, "total": 129}},
            {"type": "gemini", "tokens": {"input": 100, "output": 20, "cached": 0, "thoughts": 0, "tool": 0, "total": 120}}]"#,
    );
    let usage = json!({"input": 75, "cache-read": 30, "output": 24, "reasoning": 4});
    assert_eq!(entries[0]["vac"]["usage"], usage);
    assert_eq!(entries[1]["vac"]["usage"], json!({"input": 100, "output": 20}));
}

#[test]
fn turns_end_with_errors_and_cancellations() {
    let entries = messages(
        r#"[{"type": "error", "content": "[API Error: x]"}, {"type": "user", "content": "Again"},
            {"type": "info", "content": "Request cancelled."}, {"type": "info", "content": "Saved."},
            {"type": "warning", "content": "x"}, {"type": "error", "content": "No such command"}]"#,
    );
    let end = |how: &str| json!({"of": "turn", "how": how});
    assert_eq!(entries[0]["vac"]["ends"], end("failure"));
    assert_eq!(entries[2]["vac"]["ends"], end("interrupted"));
    for entry in &entries[3..] {
        assert_eq!(entry.get("vac"), None, "no turn is open");
    }
}

#[test]
fn stream_states_start_end_and_usage() {
    let lines = [
        r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"a","model":"m"}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:01Z","role":"user","content":"Run it"}"#,
        r#"{"type":"tool_use","timestamp":"2026-01-01T00:00:02Z","tool_name":"run_shell_command","tool_id":"c1","parameters":{"command":"x"}}"#,
        r#"{"type":"tool_result","timestamp":"2026-01-01T00:00:03Z","tool_id":"c1","status":"success","output":"Output: x\nExit Code: 3"}"#,
        r#"{"type":"error","timestamp":"2026-01-01T00:00:04Z","severity":"error","message":"x"}"#,
        r#"{"type":"result","timestamp":"2026-01-01T00:00:05Z","status":"success","stats":{"total_tokens":115,"input_tokens":100,"output_tokens":10,"cached":40}}"#,
    ];
    let record = record("x.jsonl", &lines.join("\n"));
    let annotations: Vec<_> = record["session"]["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| entry["vac"].clone())
        .collect();
    assert_eq!(annotations[0], json!({"starts": true}));
    assert_eq!(annotations[1], json!({"author": "user"}));
    assert_eq!(annotations[2]["action"]["tool"], "shell_exec");
    assert_eq!(annotations[3], json!({"outcome": "error", "exit-code": 3}));
    assert_eq!(annotations[4]["ends"], json!({"of": "turn", "how": "failure"}));
    assert_eq!(annotations[5]["ends"], json!({"of": "session", "how": "success"}));
    let usage = json!({"input": 60, "cache-read": 40, "output": 15});
    assert_eq!(annotations[5]["usage"], usage);
}

/// Counts annotations of an entry and its children that are part of the conversation.
fn count(entry: &Value, counts: &mut BTreeMap<String, u64>) {
    let annotations = &entry["vac"];
    if annotations.get("duplicate-of").is_some() || annotations["superseded"]["how"] == "updated" {
        return;
    }
    for key in ["author", "outcome"] {
        if let Some(value) = annotations[key].as_str() {
            *counts.entry(format!("{key} {value}")).or_default() += 1;
        }
    }
    for child in entry["children"].as_array().into_iter().flatten() {
        count(child, counts);
    }
}

#[test]
fn authors_and_outcomes_of_the_corpus_are_right() {
    for log in corpus(&Gemini) {
        let mut counts = BTreeMap::new();
        let (mut bytes, mut annotated) = (0, 0);
        for record in convert(&Gemini, &log, &RecordOptions::default()).unwrap_or_default() {
            bytes += record.text().len();
            for entry in record.entries() {
                count(&entry, &mut counts);
                annotated += size(&entry);
            }
        }
        let counts: Vec<_> = counts.iter().map(|(key, count)| format!("{key} {count}")).collect();
        let counts = counts.join(", ");
        println!("{}: {counts}; {annotated} of {bytes} bytes", log.shown);
        let expected = match log.shown.rsplit('/').next() {
            Some("m01-exit-code.json") => "author user 3, outcome error 1",
            Some("m02-rewind.jsonl") => "author program 1, author user 3, outcome success 4",
            Some("m03-compaction.jsonl") => "author program 3, author user 2",
            _ => continue,
        };
        assert_eq!(counts, expected, "{}", log.shown);
    }
}

/// Returns the size of the annotations of an entry and its children, in bytes.
fn size(entry: &Value) -> usize {
    let own = entry.get("vac").map_or(0, |it| it.to_string().len() + r#""vac":,"#.len());
    own + entry["children"].as_array().into_iter().flatten().map(size).sum::<usize>()
}
