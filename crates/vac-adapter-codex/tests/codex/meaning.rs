//! Annotations: authors, actions, outcomes and usage.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter::Adapter;
use vac_adapter_check::{check, convert_full, corpus, fixture};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;
use vac_value::Map;

use crate::{convert_lines, entries, line};

/// Returns the record of a fixture.
fn record(name: &str) -> Value {
    check(&CODEX, &Codex, &fixture(&Codex, name)).only().value()
}

/// Returns the entries of a fixture.
fn fixture_entries(name: &str) -> Vec<Value> {
    record(name)["session"]["entries"].as_array().expect("entries").clone()
}

/// Returns an annotation of the entries of a type.
fn annotations(entries: &[Value], kind: &str, key: &str) -> Vec<Value> {
    let of_kind = entries.iter().filter(|entry| entry["type"] == kind);
    of_kind.map(|entry| entry["vac"][key].clone()).collect()
}

/// Calls `visit` with each entry of a record, children included.
fn for_each<'v>(entries: &'v [Value], visit: &mut impl FnMut(&'v Value)) {
    for entry in entries {
        visit(entry);
        for_each(entry["children"].as_array().map_or(&[], Vec::as_slice), visit);
    }
}

#[test]
fn corpus_states_authors_outcomes_and_actions() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut annotated, mut total) = (0, 0);
    let logs = corpus(&Codex);
    for log in &logs {
        for record in convert_full(&Codex, log).expect("converts") {
            let value = record.value();
            total += record.text().len();
            let all = value["session"]["entries"].as_array().expect("entries");
            let is_subagent = value["session"]["vac"]["relation"] == "subagent";
            if let Some(relation) = value["session"]["vac"]["relation"].as_str() {
                *counts.entry(format!("relation {relation}")).or_default() += 1;
            }
            for_each(all, &mut |entry| {
                let vac = &entry["vac"];
                annotated += if vac.is_null() { 0 } else { vac.to_string().len() + 7 };
                let mut count = |what: String| {
                    // History of another session counts there.
                    let whose = if vac["inherited"].is_null() { "" } else { " (inherited)" };
                    *counts.entry(what + whose).or_default() += 1;
                };
                let text = |value: &Value| value.as_str().unwrap_or("absent").to_owned();
                match entry["type"].as_str() {
                    Some("user") => {
                        assert!(vac["author"].is_string(), "{}: {entry}", log.shown);
                        count(format!("author {}", text(&vac["author"])));
                        let is_own = vac["inherited"].is_null() && vac["local-command"].is_null();
                        let is_users = is_own && vac["author"] == "user";
                        assert!(!is_subagent || !is_users, "{}: {entry}", log.shown);
                    }
                    Some("tool-call") => count(format!("tool {}", text(&vac["action"]["tool"]))),
                    Some("tool-result") => {
                        count(format!("outcome {}", text(&vac["outcome"])));
                        match vac["exit-code"].as_i64() {
                            Some(0) => assert_eq!(vac["outcome"], "success"),
                            Some(code) => {
                                assert_eq!(vac["outcome"], "error", "{code}");
                                count("exit code not 0".to_owned());
                            }
                            None => {}
                        }
                    }
                    _ => {}
                }
                if vac["usage"].is_object() {
                    count(format!("usage of {}", text(&vac["usage"]["model"])));
                }
            });
        }
    }
    if logs.is_empty() {
        return;
    }
    println!("{counts:#?}\n{annotated} of {total} bytes are annotations");
    assert!(annotated * 20 <= total, "{annotated} of {total} bytes are annotations");
}

#[test]
fn messages_in_the_users_name_state_their_author() {
    let authors = annotations(&fixture_entries("envelopes/annotations"), "user", "author");
    let expected = [
        // Plugins, AGENTS.md and the environment; text that no event repeats; an unknown tag.
        "program",
        "unknown",
        "unknown",
        // The request, the command, the notification, the hook, the interruption, the request.
        "user",
        "user",
        "other-agent",
        "hook",
        "program",
        "user",
    ];
    assert_eq!(authors, expected);
}

#[test]
fn users_words_are_without_files_and_output() {
    let entries = fixture_entries("envelopes/annotations");
    let users: Vec<_> = entries.iter().filter(|entry| entry["vac"]["author"] == "user").collect();
    let words = users.iter().map(|entry| {
        let text = entry["content"][0]["text"].as_str().expect("a text");
        let typed = Codex.typed(text, &Map::default());
        typed.map_or(text.to_owned(), |typed| typed.text)
    });
    let words: Vec<_> = words.collect();
    assert_eq!(words, ["Which row has the most pears?", "!wc -l rows.txt", "And the fewest?"]);
}

#[test]
fn command_that_the_user_ran_is_an_action_of_the_user() {
    let entries = fixture_entries("envelopes/annotations");
    let command = entries.iter().find(|entry| entry["vac"]["local-command"] == true);
    let expected = json!({
        "author": "user",
        "local-command": true,
        "outcome": "error",
        "exit-code": 1,
        "action": {"tool": "user_command", "category": "Execute"},
    });
    assert_eq!(command.expect("a command")["vac"], expected);
}

#[test]
fn scripts_and_refusals_state_outcomes() {
    let entries = fixture_entries("envelopes/annotations");
    let outcomes = annotations(&entries, "tool-result", "outcome");
    let expected = [
        json!("success"),
        json!("error"),
        json!("error"),
        Value::Null,
        json!("cancelled"),
        json!("success"),
        Value::Null,
        json!("cancelled"),
    ];
    assert_eq!(outcomes, expected);
    let codes = annotations(&entries, "tool-result", "exit-code");
    assert_eq!(codes[1], 2);
    let permission = &annotations(&entries, "tool-result", "permission")[7];
    let expected = json!({"decision": "denied", "by": "user", "call-id": "call_h"});
    assert_eq!(*permission, expected);
}

#[test]
fn reviews_of_actions_are_permissions() {
    let entries = fixture_entries("envelopes/annotations");
    let found: Vec<_> = annotations(&entries, "system-event", "permission");
    let expected =
        json!({"decision": "denied", "by": "program", "what": "shell_exec", "call-id": "call_h"});
    assert_eq!(found.iter().filter(|it| !it.is_null()).collect::<Vec<_>>(), [&expected]);
}

#[test]
fn requests_for_approval_and_declined_items_are_permissions() {
    let printed =
        |kind: &str| json!({"id": "0", "msg": {"type": kind, "call_id": "c"}}).to_string();
    let declined = json!({"type": "item.completed", "item": {"id": "item_0",
        "type": "command_execution", "command": "rm x", "status": "declined", "exit_code": null}});
    let asked = |what: &str| json!({"decision": "asked", "what": what, "call-id": "c"});
    let found =
        entries(&[printed("exec_approval_request"), printed("apply_patch_approval_request")]);
    assert_eq!(found[0]["vac"]["permission"], asked("shell_exec"));
    assert_eq!(found[1]["vac"]["permission"], asked("file_edit"));
    let started = json!({"type": "thread.started", "thread_id": "t"}).to_string();
    let found = entries(&[started, declined.to_string()]);
    let result = &found[1]["children"][0];
    assert_eq!(result["vac"]["outcome"], "cancelled");
    assert_eq!(result["vac"]["permission"]["decision"], "denied");
}

#[test]
fn calls_have_canonical_tools_and_servers() {
    let entries = fixture_entries("envelopes/annotations");
    let actions = annotations(&entries, "tool-call", "action");
    let tools: Vec<_> = actions.iter().map(|action| action["tool"].as_str()).collect();
    let expected = [
        "shell_exec",
        "shell_exec",
        "shell_exec",
        "shell_exec",
        "shell_exec",
        "delegation",
        "mcp_tool",
        "shell_exec",
    ];
    assert_eq!(tools, expected.map(Some));
    assert_eq!(actions[6]["server"], "scales");
    assert_eq!(actions[5]["category"], "Delegate");
}

#[test]
fn usage_is_in_buckets_that_add_up_with_the_model_of_the_turn() {
    let entries = fixture_entries("envelopes/annotations");
    let count = entries.iter().find(|entry| entry["vac"]["usage"].is_object()).expect("a count");
    let expected = json!({
        "input": 300, "cache-read": 600, "cache-write": 100, "output": 50, "reasoning": 20,
        "model": "gpt-5.9-pear",
    });
    assert_eq!(count["vac"]["usage"], expected);
    assert_eq!(count["token-usage"]["input"], 1000, "as the agent states it");
}

#[test]
fn ends_of_turns_are_stated() {
    let entries = fixture_entries("envelopes/annotations");
    let ends: Vec<_> = entries.iter().map(|entry| &entry["vac"]["ends"]).collect();
    let ends: Vec<_> = ends.into_iter().filter(|end| !end.is_null()).collect();
    let end = |how: &str| json!({"of": "turn", "how": how});
    let expected = [&end("interrupted"), &end("interrupted"), &end("failure")];
    assert_eq!(ends, expected, "the message, the event, the task with an error");
    assert_eq!(entries[0]["vac"]["starts"], true);
}

#[test]
fn errors_that_leave_a_turn_running_end_nothing() {
    let error = |info: Value| {
        line("event_msg", &json!({"type": "error", "message": "x", "codex_error_info": info}))
    };
    let entries = entries(&[
        error(json!("thread_rollback_failed")),
        error(json!({"active_turn_not_steerable": {"turn_kind": "review"}})),
        error(json!("usage_limit_exceeded")),
        line("event_msg", &json!({"type": "turn_aborted", "reason": "review_ended"})),
        line("event_msg", &json!({"type": "task_complete", "error": null})),
    ]);
    let ends: Vec<_> = entries.iter().map(|entry| entry["vac"]["ends"].clone()).collect();
    let turn = json!({"of": "turn"});
    let failure = json!({"of": "turn", "how": "failure"});
    assert_eq!(ends, [Value::Null, Value::Null, failure, turn.clone(), turn]);
}

#[test]
fn copies_of_delivered_messages_are_superseded() {
    let entries = fixture_entries("envelopes/annotations");
    let superseded = annotations(&entries, "assistant", "superseded");
    assert_eq!(superseded, [json!({"how": "other"}), Value::Null]);
}

#[test]
fn types_of_0_166_are_known() {
    let outcome = check(&CODEX, &Codex, &fixture(&Codex, "envelopes/annotations"));
    assert!(outcome.only().report.unknown_types.is_empty());
}

#[test]
fn subagent_names_its_parent_who_wrote_its_prompts() {
    let record = record("envelopes/subagent");
    let vac = &record["session"]["vac"];
    assert_eq!(vac["parent"], "01a0d110-0000-7000-8000-00000000b00f");
    assert_eq!(vac["relation"], "subagent");
    let entries = record["session"]["entries"].as_array().expect("entries");
    assert_eq!(annotations(entries, "user", "author"), ["program", "other-agent", "other-agent"]);
    let assistant = annotations(entries, "assistant", "author");
    assert_eq!(assistant, [json!("other-agent"), Value::Null], "a message of another agent");
}

#[test]
fn sessions_state_how_they_came_from_another() {
    let meta = |more: Value| {
        let mut payload = json!({"id": "own"});
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        let line = line("session_meta", &payload);
        let (record, _) = convert_lines(&[&line]);
        let vac = &record["session"]["vac"];
        (vac["parent"].clone(), vac["relation"].clone())
    };
    let spawn = json!({"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}});
    for (more, parent, relation) in [
        (json!({"source": spawn, "forked_from_id": "f"}), "p", "subagent"),
        (json!({"source": {"subagent": "review"}, "session_id": "r"}), "r", "subagent"),
        (json!({"forked_from_id": "f"}), "f", "fork"),
        (json!({"history_base": {"thread_id": "f"}}), "f", "fork"),
    ] {
        assert_eq!(meta(more.clone()), (json!(parent), json!(relation)), "{more}");
    }
    assert_eq!(meta(json!({"session_id": "r"})).0, Value::Null);
    assert_eq!(meta(json!({"history_base": {"thread_id": "own"}})).0, Value::Null, "reverted");
}

#[test]
fn native_keys_of_annotations_mean_nothing() {
    let payload = json!({
        "type": "message", "role": "user", "vac": {"author": "hook"}, "author": "hook",
        "duplicate-of": "x", "inherited": true, "superseded": {"how": "other"}, "outcome": "error",
        "content": [{"type": "input_text", "text": "Hi"}],
    });
    let enveloped = line("response_item", &payload);
    let bare = payload.to_string();
    for line in [enveloped, bare] {
        let entries = entries(&[line]);
        assert_eq!(entries[0]["vac"], json!({"author": "user"}), "{}", entries[0]);
    }
}
