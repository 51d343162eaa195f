//! Tests annotations: authors, outcomes, subagents, permissions.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vac_adapter_check::{convert_full, corpus};
use vac_adapter_claude::Claude;

use crate::{check, convert_fixture, find_entry};

/// Counts what the annotations of real sessions state.
#[test]
fn real_sessions_are_annotated() {
    let mut total: BTreeMap<String, u64> = BTreeMap::new();
    let (mut annotations, mut bytes) = (0, 0);
    for log in corpus(&Claude) {
        let Ok(records) = convert_full(&Claude, &log) else { continue };
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for record in &records {
            bytes += record.text().len();
            let mut entries = record.entries();
            while let Some(mut entry) = entries.pop() {
                count(&entry, &mut counts);
                let vac = &entry["vac"];
                annotations += if vac.is_null() { 0 } else { vac.to_string().len() + 7 };
                if let Value::Array(children) = entry["children"].take() {
                    entries.extend(children);
                }
            }
        }
        println!("{}: {counts:?}", log.shown);
        for (key, count) in counts {
            *total.entry(key).or_default() += count;
        }
    }
    println!("total: {total:?}; annotations {annotations} of {bytes} bytes");
    if bytes > 0 {
        assert!(annotations * 20 <= bytes, "{annotations} of {bytes} bytes are annotations");
    }
}

fn count(entry: &Value, counts: &mut BTreeMap<String, u64>) {
    let vac = &entry["vac"];
    let kind = entry["type"].as_str().unwrap_or_default();
    let mut add = |key: String| *counts.entry(key).or_default() += 1;
    if let Some(author) = vac["author"].as_str() {
        add(format!("{kind} by {author}"));
    }
    if let Some(outcome) = vac["outcome"].as_str() {
        add(format!("outcome {outcome}"));
    }
    if kind == "tool-call" {
        add(format!("call {}", vac["action"]["tool"].as_str().unwrap_or("none")));
    }
    for key in [
        "exit-code",
        "permission",
        "subagent",
        "superseded",
        "duplicate-of",
        "inherited",
        "starts",
        "ends",
        "usage",
    ] {
        if !vac[key].is_null() {
            add(key.to_owned());
            if ["permission", "ends"].contains(&key) {
                add(format!("{key} {}", vac[key]));
            }
        }
    }
}

fn vac(record: &Value, id: &str) -> Value {
    find_entry(record, id)["vac"].clone()
}

#[test]
fn authors_are_stated_by_fields_and_texts() {
    let record = convert_fixture("jsonl/authors").value();
    for (id, author) in [
        ("u1", "user"),
        ("u2", "program"),
        ("u3", "other-agent"),
        ("u4", "other-agent"),
        ("u5", "program"),
        ("u6", "program"),
        ("u7", "hook"),
        ("u8", "hook"),
        ("u9", "program"),
        ("u10", "other-agent"),
        ("u11", "unknown"),
        ("u12", "unknown"),
        ("u13", "user"),
        ("u14", "user"),
        ("u15", "program"),
        ("u16", "user"),
        ("u17", "user"),
        ("u18", "program"),
        ("s1", "user"),
        ("q1", "program"),
        ("q2", "user"),
        ("q3", "other-agent"),
        ("u19", "user"),
        ("u20", "program"),
        ("u21", "user"),
        ("L28", "unknown"),
    ] {
        assert_eq!(vac(&record, id)["author"], author, "{id}");
    }
    assert_eq!(find_entry(&record, "L27")["type"], "system-event");
    assert_eq!(find_entry(&record, "s2")["event-type"], "system/local_command");
    for id in ["u14", "u17", "s1"] {
        assert_eq!(vac(&record, id)["local-command"], true, "{id}");
    }
    assert_eq!(vac(&record, "u16")["local-command"], Value::Null);
    let action = json!({"tool": "user_command", "category": "Execute"});
    assert_eq!(vac(&record, "u17")["action"], action);
    let interrupted = json!({"of": "turn", "how": "interrupted"});
    for id in ["u8", "u20"] {
        assert_eq!(vac(&record, id)["ends"], interrupted, "{id}");
    }
}

#[test]
fn prompts_that_are_put_back_are_one_prompt() {
    let record = convert_fixture("jsonl/requeued-prompts").value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let users = entries.iter().filter(|entry| entry["type"] == "user");
    let ids: Vec<_> = users.map(|entry| entry["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["u1", "L2", "L4", "u2", "L15"]);
}

#[test]
fn outcomes_are_stated_for_every_result() {
    let record = convert_fixture("jsonl/outcomes").value();
    let child = |id: &str, at: usize| find_entry(&record, id)["children"][at]["vac"].clone();
    for (id, expected) in [
        ("r1", json!({"outcome": "error", "exit-code": 2})),
        ("r2", json!({"outcome": "success"})),
        ("r3", json!({"outcome": "cancelled", "permission": {"decision": "denied", "by": "user"}})),
        ("r4", json!({"outcome": "cancelled"})),
        ("r5", json!({"outcome": "error"})),
        ("r6", json!({"outcome": "success"})),
        ("r7", json!({"outcome": "error", "exit-code": 3})),
        ("r8", json!({"outcome": "error"})),
        (
            "r9",
            json!({"outcome": "cancelled", "permission": {"decision": "denied", "by": "policy"}}),
        ),
        ("r10", json!({"outcome": "success", "permission": {"decision": "allowed", "by": "user"}})),
    ] {
        assert_eq!(child(id, 0), expected, "{id}");
    }
    assert_eq!(child("r5", 1)["outcome"], "cancelled", "the call next to it failed");
    let server = json!({"tool": "mcp_tool", "category": "Other", "server": "moon_base"});
    assert_eq!(child("a6", 0)["action"], server);
}

#[test]
fn permission_lines_are_permissions() {
    let record = convert_fixture("jsonl/outcomes").value();
    let permission = |id: &str| vac(&record, id)["permission"].clone();
    assert_eq!(permission("h1"), json!({"decision": "denied", "by": "hook", "call-id": "t12"}));
    assert_eq!(
        permission("h2"),
        json!({"decision": "allowed", "by": "policy", "what": "Bash(git add:*), Read"})
    );
    let entries = record["session"]["entries"].as_array().expect("entries");
    let modes = entries.iter().filter(|entry| entry["event-type"] == "permission-mode");
    let modes: Vec<_> = modes.map(|entry| entry["vac"]["permission"].clone()).collect();
    assert_eq!(
        modes,
        [
            json!({"decision": "asked", "by": "user", "what": "default"}),
            Value::Null,
            json!({"decision": "allowed", "by": "user", "what": "acceptEdits"}),
        ]
    );
    assert_eq!(vac(&record, "d1")["ends"], json!({"of": "turn"}));
}

#[test]
fn retracted_messages_are_superseded() {
    let converted = convert_fixture("jsonl/version-2.1.325");
    assert!(converted.report.unknown_types.is_empty(), "{:?}", converted.report.unknown_types);
    let record = converted.value();
    for id in ["u1", "a1"] {
        let superseded = json!({"how": "retracted", "by": "s1"});
        assert_eq!(vac(&record, id)["superseded"], superseded, "{id}");
    }
    for id in ["u2", "a2"] {
        assert_eq!(vac(&record, id)["superseded"], Value::Null, "compaction preserves it");
    }
    let failure = json!({"of": "turn", "how": "failure"});
    assert_eq!(vac(&record, "s2")["ends"], failure);
}

#[test]
fn sidechains_name_the_call_with_their_prompt() {
    let record = convert_fixture("jsonl/sidechain").value();
    for (ids, call) in [(&["x1", "x2", "x3", "x4"][..], "toolu_b"), (&["y1", "y2"], "toolu_a")] {
        for id in ids {
            assert_eq!(vac(&record, id)["subagent"], json!({"call-id": call}), "{id}");
        }
    }
    assert_eq!(vac(&record, "x1")["author"], "other-agent");
    assert_eq!(vac(&record, "a2")["subagent"], Value::Null);
    let agent = &record["session"]["agent-meta"];
    assert_eq!(agent["model-id"], "claude-opus-5", "the subagents wrote more lines");
}

#[test]
fn calls_in_progress_lines_are_entries_once() {
    let record = convert_fixture("jsonl-folder/agent-progress").value();
    for (id, of) in [("p1", "s1"), ("p2", "s2"), ("p3", "s3")] {
        assert_eq!(vac(&record, id)["duplicate-of"], of, "{id}");
    }
    let moon = json!({"id": "a02", "call-id": "toolu_2"});
    for id in ["p4", "p5", "p6"] {
        let vac = vac(&record, id);
        assert_eq!((&vac["subagent"], &vac["duplicate-of"]), (&moon, &Value::Null), "{id}");
    }
    assert_eq!(vac(&record, "p4")["author"], "other-agent");
    let call = find_entry(&record, "p5")["children"][0].clone();
    assert_eq!((&call["type"], &call["call-id"]), (&json!("tool-call"), &json!("toolu_m")));
    let result = find_entry(&record, "p6")["children"][0]["vac"].clone();
    assert_eq!(result, json!({"outcome": "error", "exit-code": 1}));
    assert_eq!(find_entry(&record, "p7")["event-type"], "progress/agent_progress");
    let sun = json!({"id": "a01", "call-id": "toolu_1"});
    for id in ["s1", "s2", "s3", "s4"] {
        assert_eq!(vac(&record, id)["subagent"], sun, "{id}");
    }
}

#[test]
fn usage_is_in_buckets() {
    let record = convert_fixture("jsonl/sidechain").value();
    let usage = json!({"input": 10, "cache-read": 6, "cache-write": 4, "output": 2});
    assert_eq!(vac(&record, "a1")["usage"], usage);
}

#[test]
fn sessions_name_their_parents() {
    for (case, parent, relation) in [
        ("jsonl/forked", "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c20", "fork"),
        ("jsonl/resumed", "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c20", "resumed"),
        ("subagent/basic", "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c04", "subagent"),
    ] {
        let vac = convert_fixture(case).value()["session"]["vac"].clone();
        assert_eq!(
            (&vac["parent"], &vac["relation"]),
            (&json!(parent), &json!(relation)),
            "{case}"
        );
    }
    assert_eq!(
        convert_fixture("jsonl-folder/basic").value()["session"]["vac"]["parent"],
        Value::Null
    );
}

#[test]
fn streams_state_where_they_start_and_end() {
    let record = convert_fixture("stream/basic").value();
    let entries = record["session"]["entries"].as_array().expect("entries");
    let starts = entries.iter().filter(|entry| entry["vac"]["starts"] == true).count();
    assert_eq!(starts, 1);
    assert_eq!(vac(&record, "r1")["ends"], json!({"of": "session", "how": "success"}));
}

#[test]
fn calls_in_progress_lines_of_real_sessions_are_entries() {
    for (name, calls) in [("c06_v2.1.19_agent_progress", 18), ("m03-agent-progress", 14)] {
        let Some(log) = corpus(&Claude).into_iter().find(|log| log.shown.contains(name)) else {
            println!("{name} is absent");
            continue;
        };
        let records = convert_full(&Claude, &log).expect("a record");
        let entries = records[0].entries();
        let of_subagents = entries.iter().filter(|entry| !entry["vac"]["subagent"].is_null());
        let children =
            of_subagents.flat_map(|entry| entry["children"].as_array().into_iter().flatten());
        let found = children.filter(|child| child["type"] == "tool-call").count();
        assert_eq!(found, calls, "{name}");
    }
}

#[test]
fn prompts_of_real_sessions_are_the_users() {
    for (name, prompts) in
        [("m01-queue-task-id", 3), ("m02-background-subagent", 1), ("m03-agent-progress", 9)]
    {
        let Some(log) = corpus(&Claude).into_iter().find(|log| log.shown.contains(name)) else {
            println!("{name} is absent");
            continue;
        };
        let records = convert_full(&Claude, &log).expect("a record");
        let entries = records[0].entries();
        let found = entries
            .iter()
            .filter(|entry| entry["type"] == "user" && entry["vac"]["author"] == "user");
        assert_eq!(found.count(), prompts, "{name}");
    }
}

/// iFlow CLI writes such lines.
#[test]
fn call_that_the_message_before_ended_with_is_a_duplicate() {
    let message = |id: &str, calls: &[&str]| {
        let calls: Vec<_> = calls
            .iter()
            .map(|call| json!({"type": "tool_use", "id": call, "name": "Read", "input": {}}))
            .collect();
        json!({"type": "assistant", "uuid": id, "sessionId": "s", "message": {"content": calls}})
            .to_string()
    };
    let log = [message("a1", &["c1"]), message("a2", &["c1", "c2"]), message("a3", &["c1", "c2"])];
    let outcome = check("s.jsonl", &log.join("\n"));
    let entries = outcome.only().entries();
    let calls = entries.iter().flat_map(|entry| entry["children"].as_array().expect("calls"));
    let duplicates: Vec<_> = calls.map(|call| &call["vac"]["duplicate-of"]).collect();
    let (none, first) = (&Value::Null, &json!("c1"));
    assert_eq!(duplicates, [none, first, none, none, none], "c1 is not the last call before a3");
    assert_eq!(outcome.only().report.duplicates_linked, 1);
}

#[test]
fn messages_that_are_logged_again_are_duplicates() {
    let line = |version: &str, text: &str| {
        let message = json!({"id": "m1", "model": "claude-opus-5", "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 3, "output_tokens": 4}});
        json!({"type": "assistant", "uuid": "a1", "sessionId": "s", "version": version, "message": message})
            .to_string()
    };
    let texts = ["Done.", "Done.", "Other.", "Done.", "Other."];
    let versions = ["2.1.7", "2.1.12", "2.1.12", "2.1.12", "2.1.12"];
    let lines = versions.into_iter().zip(texts).map(|(version, text)| line(version, text));
    let log = lines.collect::<Vec<_>>().join("\n");
    let outcome = check("s.jsonl", &log);
    let entries = outcome.only().entries();
    let duplicates: Vec<_> = entries.iter().map(|entry| &entry["vac"]["duplicate-of"]).collect();
    let (own, again) = (&Value::Null, &json!("a1"));
    assert_eq!(duplicates, [own, again, own, again, again], "each content is compared");
    assert_eq!(entries[1]["vac"]["usage"], Value::Null);
}

#[test]
fn sessions_that_begin_with_a_plan_name_the_session_that_made_it() {
    let log = json!({"type": "user", "uuid": "u1", "sessionId": "s2", "planContent": "Oil.", "message": {
        "role": "user",
        "content": "Implement the following plan:\n\nOil.\n\nIf you need details, read the full \
                    transcript at: /home/ada/.claude/projects/-home-ada/s1.jsonl",
    }});
    let outcome = check("s2.jsonl", &log.to_string());
    let record = outcome.only().value();
    let session = &record["session"]["vac"];
    assert_eq!((&session["parent"], &session["relation"]), (&json!("s1"), &json!("continued")));
    assert_eq!(vac(&record, "u1")["author"], "program");
}

#[test]
fn decisions_in_streams_are_permissions() {
    let lines = [
        json!({"type": "control_request", "session_id": "s", "request_id": "r", "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1", "input": {}}}),
        json!({"type": "control_response", "session_id": "s", "response": {
            "subtype": "success", "request_id": "r", "response": {"behavior": "deny", "toolUseID": "t1"}}}),
        json!({"type": "user", "uuid": "u1", "session_id": "s", "parent_tool_use_id": "t0", "message": {"role": "user", "content": "Look."}}),
        json!({"type": "assistant", "uuid": "a1", "session_id": "s", "parent_tool_use_id": null, "message": {"content": []}}),
        json!({"type": "result", "subtype": "error_max_turns", "is_error": true, "uuid": "r1", "session_id": "s"}),
    ];
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    let outcome = check("s.jsonl", &lines.join("\n"));
    let entries = outcome.only().entries();
    let vac: Vec<_> = entries.iter().map(|entry| entry["vac"].clone()).collect();
    assert_eq!(vac[0]["permission"], json!({"decision": "asked", "what": "Bash", "call-id": "t1"}));
    assert_eq!(vac[1]["permission"], json!({"decision": "denied", "by": "user", "call-id": "t1"}));
    assert_eq!(vac[2], json!({"author": "other-agent", "subagent": {"call-id": "t0"}}));
    assert_eq!(vac[3], Value::Null);
    assert_eq!(vac[4]["ends"], json!({"of": "session", "how": "failure"}));
}
