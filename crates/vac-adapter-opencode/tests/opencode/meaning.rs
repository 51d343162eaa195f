//! Tests annotations: authors, actions, outcomes and usage.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter::{Adapter, Beginning};
use vac_adapter_check::{ConvertedRecord, TestLog, convert_full, corpus, fixture_logs, fixtures};
use vac_adapter_opencode::OpenCode;
use vac_record::annotations::Relation;

use crate::convert_one;

/// Returns the records of a fixture.
fn records(name: &str) -> Vec<ConvertedRecord> {
    let mut cases = fixtures(&OpenCode);
    cases.retain(|case| case.name == name);
    let logs = cases.iter().flat_map(|case| &case.logs);
    logs.flat_map(|log| convert_full(&OpenCode, log).expect("records")).collect()
}

/// Finds the only entry with an id.
fn find_entry<'e>(entries: &'e [Value], id: &str) -> &'e Value {
    let mut found = entries.iter().filter(|entry| entry["id"] == id);
    let entry = found.next().unwrap_or_else(|| panic!("no {id}"));
    assert!(found.next().is_none(), "{id} twice");
    entry
}

/// Returns the texts of user messages that are part of the conversation, with their authors.
fn prompts(entries: &[Value]) -> Vec<(&str, &str)> {
    let prompts = entries.iter().filter(|entry| entry["type"] == "user");
    let current = prompts.filter(|entry| {
        let vac = &entry["vac"];
        vac.get("superseded").is_none() && vac.get("duplicate-of").is_none()
    });
    current
        .filter_map(|entry| Some((entry["vac"]["author"].as_str()?, entry["content"].as_str()?)))
        .collect()
}

/// Returns the native name, canonical tool, outcome and exit code of calls.
fn calls(entries: &[Value]) -> Vec<(&str, &str, Option<&str>, Option<i64>)> {
    let calls = entries.iter().filter(|entry| entry["type"] == "tool-call");
    let of_call = |call: &'_ Value| {
        let id = call["call-id"].clone();
        entries.iter().find(move |it| it["type"] == "tool-result" && it["call-id"] == id)
    };
    let all = calls.map(|call| {
        let result = of_call(call);
        (
            call["name"].as_str().expect("a name"),
            call["vac"]["action"]["tool"].as_str().expect("a tool"),
            result.and_then(|result| result["vac"]["outcome"].as_str()),
            result.and_then(|result| result["vac"]["exit-code"].as_i64()),
        )
    });
    all.collect()
}

#[test]
fn only_the_users_words_are_the_users() {
    let entries = records("export/actions")[0].entries();
    let own: Vec<_> =
        prompts(&entries).into_iter().filter(|(author, _)| *author == "user").collect();
    assert_eq!(
        own,
        [
            ("user", "Count the herons at the mill pond."),
            ("user", "Now write the number down, and nothing else."),
        ]
    );
    let program = prompts(&entries).iter().filter(|(author, _)| *author == "program").count();
    assert_eq!(program, 5);
    let repeated = find_entry(&entries, "prt_f70000000022001MillpondPart22");
    assert_eq!(repeated["vac"]["duplicate-of"], "prt_f70000000019001MillpondPart19");
    let rewound = find_entry(&entries, "prt_f70000000029001MillpondPart29");
    assert_eq!(rewound["vac"]["superseded"]["how"], "rewound");
}

#[test]
fn actions_and_outcomes_are_stated() {
    let entries = records("export/actions")[0].entries();
    let found = calls(&entries);
    let expected = [
        ("task", "delegation", Some("success"), None),
        ("bash", "shell_exec", Some("error"), Some(127)),
        ("bash", "shell_exec", Some("success"), Some(0)),
        ("bash", "shell_exec", Some("cancelled"), None),
        ("bash", "shell_exec", Some("error"), None),
        ("birdbook_find-species", "mcp_tool", Some("success"), None),
        ("invalid", "unknown", Some("error"), None),
        ("edit", "file_edit", Some("cancelled"), None),
        ("webfetch", "web_access", Some("error"), None),
        ("read", "file_read", Some("error"), None),
        ("grep", "file_search", Some("cancelled"), None),
        ("bash", "user_command", Some("unknown"), None),
    ];
    assert_eq!(found, expected);
    let result = find_entry(&entries, "prt_f70000000007001MillpondPart07:result");
    assert_eq!((&result["status"], &result["is-error"]), (&json!("completed"), &json!(false)));
    let task = find_entry(&entries, "prt_f70000000006001MillpondPart06");
    assert_eq!(task["vac"]["delegated-to"], "ses_0d00000000ffeReedScout000006");
    let denied: Vec<_> =
        entries.iter().filter_map(|entry| entry["vac"]["permission"]["by"].as_str()).collect();
    assert_eq!(denied, ["user", "policy"]);
}

#[test]
fn usage_has_buckets_that_add_up() {
    let entries = records("export/actions")[0].entries();
    let usage = |id: &str| find_entry(&entries, id)["vac"]["usage"].clone();
    // The stated totals show that the output contains the reasoning.
    assert_eq!(
        usage("msg_f70000000002001MillpondMsg02"),
        json!({"input": 900, "cache-read": 4000, "cache-write": 200, "output": 120, "reasoning": 30})
    );
    let next = records("database/v2")[1].entries();
    let usage = find_entry(&next, "msg_g14")["vac"]["usage"].clone();
    assert_eq!(
        usage,
        json!({"input": 700, "cache-read": 300, "cache-write": 50, "output": 70, "reasoning": 10})
    );
}

#[test]
fn turns_end_as_the_log_says() {
    let entries = records("export/actions")[0].entries();
    let ends: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some((entry["id"].as_str()?, entry["vac"]["ends"]["how"].as_str()?)))
        .collect();
    assert_eq!(
        ends,
        [
            ("prt_f70000000016001MillpondPart16:result", "interrupted"),
            ("prt_f70000000030001MillpondPart30", "failure"),
        ]
    );
}

#[test]
fn forks_and_subagents_name_their_parents() {
    let [child, fork] = &records("database/v2")[..] else { panic!("two sessions") };
    let parent = |record: &ConvertedRecord| {
        let vac = record.value()["session"]["vac"].clone();
        (vac["parent"].clone(), vac["relation"].clone())
    };
    assert_eq!(parent(child), (json!("ses_0e00000000ffeWeirFork0000007"), json!("subagent")));
    assert_eq!(parent(fork), (json!("ses_0e00000000ffeWeirOrigin00006"), json!("fork")));
    let entries = child.entries();
    assert_eq!(prompts(&entries)[0].0, "other-agent");
    let entries = fork.entries();
    let inherited: Vec<_> =
        entries.iter().filter(|entry| entry["vac"].get("inherited").is_some()).collect();
    let texts: Vec<_> = inherited.iter().filter_map(|entry| entry["content"].as_str()).collect();
    assert_eq!(texts, ["How high is the weir?", "I measure it.", "Two metres."]);
}

#[test]
fn queued_prompts_are_the_users_and_reported_once() {
    let entries = records("database/v2")[1].entries();
    assert_eq!(
        prompts(&entries),
        [
            ("user", "How high is the weir?"),
            ("user", "And how wide?"),
            ("program", "<shell id=\"sh_9\">The tape is mended.</shell>"),
            ("user", "Paint it green."),
            ("program", "The subagent has finished."),
            ("user", "And then blue."),
        ]
    );
}

#[test]
fn queued_prompts_stay_prompts_next_to_older_tables() {
    let (record, _) = convert_one(
        br#"
        {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 5}}
        {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "One"}
        {"id": "msg_1", "sessionID": "ses_1", "type": "user", "seq": 1, "time_created": 5,
         "text": "One"}
        {"id": "msg_2", "sessionID": "ses_1", "type": "user", "delivery": "queue",
         "time_created": 9, "text": "Two"}
    "#,
    );
    let entries = record["session"]["entries"].as_array().expect("entries");
    assert_eq!(prompts(entries), [("user", "One"), ("user", "Two")]);
}

#[test]
fn user_commands_of_newer_versions_have_exit_codes() {
    let entries = records("database/v2")[1].entries();
    assert_eq!(
        calls(&entries),
        [
            ("shell", "user_command", Some("error"), Some(3)),
            ("shell", "user_command", Some("cancelled"), None),
            ("subagent", "delegation", Some("success"), None),
            ("shell", "shell_exec", Some("error"), Some(1)),
            ("edit", "file_edit", Some("error"), None),
            ("read", "file_read", Some("cancelled"), None),
        ]
    );
}

#[test]
fn exports_of_version_2_have_the_entries_of_the_database() {
    let entries = |record: &ConvertedRecord, is_dropped: fn(&str) -> bool| -> Vec<Value> {
        let mut entries = record.entries();
        // Only the database contains queues, and times and numbers of rows.
        entries.retain(|entry| {
            let id = entry["id"].as_str().expect("an id");
            let is_queued = entry.get("delivery").or(entry["data"].get("delivery")).is_some();
            !is_dropped(id) && !is_queued
        });
        for entry in &mut entries {
            for key in ["seq", "time_created", "time_updated"] {
                entry.as_object_mut().expect("an object").remove(key);
                entry.get_mut("data").and_then(Value::as_object_mut).map(|data| data.remove(key));
            }
        }
        entries
    };
    let export = &records("export/v2")[0];
    assert_eq!(export.variant, "export");
    let of_export = entries(export, |_| false);
    let of_database = entries(&records("database/v2")[1], |id| id == "msg_q21");
    assert_eq!(of_export, of_database);
    let value = export.value();
    assert_eq!(value["session"]["environment"]["working-dir"], "/home/ada/weir");
    assert_eq!(value["session"]["vac"]["relation"], "fork");
}

#[test]
fn native_annotations_mean_nothing() {
    let (record, _) = convert_one(
        br#"
        {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 5},
         "vac": {"author": "hook"}, "author": "hook", "superseded": {"how": "rewound"}}
        {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "Hi",
         "vac": {"author": "program"}, "duplicate-of": "msg_9"}
        {"id": "prt_2", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool", "tool": "bash",
         "callID": "c", "outcome": "error", "vac": 7,
         "state": {"status": "completed", "input": {}, "output": "", "vac": {"outcome": "error"}}}
        {"id": "ses_1", "projectID": "p", "title": "t", "vac": {"parent": "ses_2"}}
    "#,
    );
    let entries = record["session"]["entries"].as_array().expect("entries");
    assert_eq!(entries[0]["vac"], json!({"author": "user"}));
    assert_eq!(entries[0]["native:vac"], json!({"author": "hook"}));
    assert_eq!(entries[1]["vac"], json!({"author": "user"}));
    assert_eq!(entries[3]["vac"], json!({"outcome": "success"}));
    assert_eq!(record["session"]["vac"].get("parent"), None);
    assert_eq!(record["session"]["native:vac"]["parent"], "ses_2");
}

#[test]
fn decisions_about_permissions_are_stated() {
    let (record, _) = convert_one(
        br#"
        {"id": "msg_1", "sessionID": "ses_1", "role": "assistant", "time": {"created": 5}}
        {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "permission",
         "permission": "bash", "callID": "c1", "reply": "always"}
        {"type": "permission.asked", "timestamp": 7, "sessionID": "ses_1", "permission": "edit"}
        {"type": "permission.replied", "timestamp": 8, "sessionID": "ses_1", "reply": "reject"}
    "#,
    );
    let entries = record["session"]["entries"].as_array().expect("entries");
    let permission = |at: usize| entries[at]["vac"]["permission"].clone();
    assert_eq!(
        permission(1),
        json!({"decision": "allowed", "by": "user", "what": "bash", "call-id": "c1"})
    );
    assert_eq!(permission(2), json!({"decision": "asked", "what": "edit"}));
    assert_eq!(permission(3), json!({"decision": "denied", "by": "user"}));
}

#[test]
fn preview_names_the_parent() {
    let log = br#"{"id": "ses_2", "projectID": "p", "parentID": "ses_1", "time": {"created": 1}}"#;
    let log = TestLog::new("s.json", &log[..]);
    let beginning = Beginning::read(&log).expect("memory");
    let parent = OpenCode.preview(&beginning.sample()).parent.expect("a parent");
    assert_eq!((parent.session_id.as_str(), parent.relation), ("ses_1", Relation::Subagent));
}

/// Replaces all ids of an export, and changes nothing else.
fn scrub(export: &mut Value) {
    let scrub_ids = |object: &mut Value| {
        for key in ["id", "sessionID", "messageID", "parentID", "callID"] {
            if let Some(id) = object.get_mut(key) {
                *id = json!("REDACTED");
            }
        }
    };
    scrub_ids(&mut export["info"]);
    for message in export["messages"].as_array_mut().expect("messages") {
        scrub_ids(message);
        message.get_mut("info").map(scrub_ids);
        let parts = message.get_mut("parts").and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(scrub_ids);
    }
}

/// Returns the values that must not depend on ids: types, texts, authors, actions, outcomes and
/// tokens, in order.
fn without_ids(log: &TestLog) -> Vec<Value> {
    let [record] = &convert_full(&OpenCode, log).expect("a record")[..] else {
        panic!("one session")
    };
    let entries = record.entries().into_iter().map(|entry| {
        let vac = &entry["vac"];
        json!([
            entry["type"],
            entry["event-type"],
            entry["name"],
            entry["content"],
            entry["input"],
            entry["output"],
            entry["timestamp"],
            entry["token-usage"],
            vac["author"],
            vac["action"],
            vac["outcome"],
            vac["usage"],
            vac["ends"],
        ])
    });
    entries.collect()
}

/// Returns the exports among the fixtures and the corpus.
fn exports() -> impl Iterator<Item = (TestLog, Value)> {
    let logs = fixture_logs(&OpenCode).into_iter().chain(corpus(&OpenCode));
    logs.filter(|log| log.parts.len() == 1).filter_map(|log| {
        let export: Value = serde_json::from_slice(log.first()).ok()?;
        let is_export = export["info"].is_object() && export["messages"].is_array();
        is_export.then_some((log, export))
    })
}

#[test]
fn scrubbed_ids_change_neither_order_nor_owner_nor_tokens() {
    let mut count = 0;
    for (log, mut export) in exports() {
        let expected = without_ids(&log);
        scrub(&mut export);
        let scrubbed = log.with_bytes(serde_json::to_vec(&export).expect("JSON"));
        assert_eq!(without_ids(&scrubbed), expected, "{}", log.shown);
        count += 1;
    }
    println!("{count} exports");
    assert!(count >= 3);
}

#[test]
fn meaning_of_the_corpus_is_stated() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut size, mut annotated) = (0, 0);
    for log in corpus(&OpenCode) {
        for record in convert_full(&OpenCode, &log).expect("records") {
            let mut count = |what: String| *counts.entry(what).or_default() += 1;
            let session = record.value()["session"]["vac"].clone();
            count(format!("relation {}", session["relation"].as_str().unwrap_or("none")));
            size += record.text().len();
            annotated += session.to_string().len();
            for entry in record.entries() {
                let vac = &entry["vac"];
                annotated += if vac.is_null() { 0 } else { vac.to_string().len() + 7 };
                match entry["type"].as_str().expect("a type") {
                    "user" if entry.get("content").is_some() => {
                        let author = vac["author"].as_str().expect("an author");
                        count(format!("prompt {author}"));
                    }
                    "tool-call" => {
                        let tool = vac["action"]["tool"].as_str().expect("an action");
                        count(format!("tool {tool}"));
                    }
                    "tool-result" => {
                        let outcome = vac["outcome"].as_str().expect("an outcome");
                        count(format!("outcome {outcome}"));
                        let exit = vac["exit-code"].as_i64();
                        assert!(exit.is_none_or(|code| (code == 0) == (outcome == "success")));
                    }
                    _ => {}
                }
            }
        }
    }
    println!("{counts:#?}, {annotated} of {size} bytes are annotations");
    assert!(annotated * 20 <= size, "{annotated} of {size} bytes are annotations");
    if !counts.is_empty() {
        assert!(counts["prompt other-agent"] >= 8 && counts["relation subagent"] >= 8);
        assert!(counts["outcome error"] >= 1 && !counts.contains_key("prompt unknown"));
    }
}
