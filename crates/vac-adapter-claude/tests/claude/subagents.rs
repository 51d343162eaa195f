//! Subagents: in the record of their session, or alone.

use serde_json::{Value, json};
use vac_adapter::{Bundle, Input, Memory};
use vac_adapter_check::convert_in_every_way;
use vac_adapter_claude::Claude;

use crate::{convert_fixture, find_entry};

/// Returns the types of the entries that begin a part, and the ids of all others.
fn outline(record: &Value) -> Vec<String> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let line = |entry: &Value| match entry["event-type"].as_str() {
        Some("subagent") => format!("subagent {}", entry["data"]["agentId"]),
        Some(kind) if !kind.contains('/') => kind.to_owned(),
        _ => entry["id"].as_str().expect("an id").to_owned(),
    };
    entries.iter().map(line).collect()
}

#[test]
fn session_and_its_subagents_are_one_record() {
    let converted = convert_fixture("jsonl-folder/basic");
    assert_eq!(converted.variant, "jsonl-folder");
    let record = converted.value();
    assert_eq!(
        outline(&record),
        [
            "u1",
            "a1",
            "a2",
            "u2",
            "a3",
            "u3",
            "a4",
            "u4",
            "a5",
            "subagent \"ab12\"",
            "s1",
            "s2",
            "s3",
            "s4",
            "subagent \"cd34\"",
            "t1",
            "t2",
            "subagent-note",
            "subagent-note",
            "tool-result-file",
            "tool-result-file",
            "tool-result-file",
        ]
    );
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c01");
    assert_eq!(record["session"]["agentId"], Value::Null, "the session is not a subagent's");
    let models = &record["session"]["agent-meta"]["models"];
    assert_eq!(*models, json!(["claude-opus-5", "claude-haiku-5"]));
}

#[test]
fn subagent_part_names_the_call_that_started_it() {
    let record = convert_fixture("jsonl-folder/basic").value();
    let marker = find_entry(&record, "F2");
    assert_eq!(marker["vac"]["subagent"], json!({"id": "ab12", "call-id": "toolu_spawn"}));
    assert_eq!(
        marker["data"],
        json!({"agentId": "ab12", "name": "agent-ab12.jsonl", "root": "s1"})
    );
    assert_eq!(marker["timestamp"], Value::Null, "the log has none");
    let noted = find_entry(&record, "F3");
    assert_eq!(noted["vac"]["subagent"]["call-id"], "toolu_spawn_2", "only its note names it");
    let calls: Vec<_> = record["session"]["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|entry| entry["children"].as_array().into_iter().flatten())
        .filter(|child| child["type"] == "tool-call" && child["name"] == "Task")
        .map(|child| child["call-id"].clone())
        .collect();
    let call = |event: &Value| event["vac"]["subagent"]["call-id"].clone();
    assert_eq!(calls, [call(&marker), call(&noted)]);
}

#[test]
fn subagent_entries_keep_their_members() {
    let record = convert_fixture("jsonl-folder/basic").value();
    let first = find_entry(&record, "s1");
    assert_eq!(first["parent-id"], Value::Null, "its source says that it has no parent");
    assert_eq!((&first["agentId"], &first["isSidechain"]), (&json!("ab12"), &json!(true)));
    assert_eq!(find_entry(&record, "s2")["parent-id"], "s1");
    let elsewhere = find_entry(&record, "t1");
    assert_eq!(elsewhere["cwd"], "/home/ada/orrery-tides");
    assert_eq!(elsewhere["gitBranch"], "tides");
}

#[test]
fn legacy_subagent_file_next_to_the_session_is_joined() {
    let record = convert_fixture("jsonl-folder/legacy-subagent").value();
    assert_eq!(
        outline(&record),
        ["u1", "a1", "u2", "subagent \"0badcafe\"", "s1", "s2", "summary"]
    );
    assert_eq!(find_entry(&record, "F2")["vac"]["subagent"]["call-id"], "toolu_t");
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c03");
}

#[test]
fn subagent_log_alone_is_a_session() {
    let converted = convert_fixture("subagent/basic");
    assert_eq!(converted.variant, "subagent");
    let record = converted.value();
    assert_eq!(record["id"], "7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c04");
    assert_eq!(record["session"]["agentId"], "f00d");
    assert_eq!(outline(&record), ["fork-context-ref", "s1", "s2"]);
}

#[test]
fn workflow_agents_name_the_call_that_started_the_run() {
    let record = convert_fixture("jsonl-folder/workflow").value();
    let marker = find_entry(&record, "F2");
    assert_eq!(marker["vac"]["subagent"]["call-id"], "toolu_wf");
    assert_eq!(marker["data"]["runId"], "wf_0ead");
    assert_eq!(marker["data"]["agentId"], "wa01");
}

#[test]
fn progress_lines_of_subagents_are_messages_without_usage() {
    let record = convert_fixture("jsonl/agent-progress").value();
    let progress = find_entry(&record, "p1");
    assert_eq!(
        (&progress["type"], &progress["native:type"]),
        (&json!("assistant"), &json!("progress"))
    );
    let inner = &progress["data"]["message"]["message"];
    assert_eq!(inner["usage"]["input_tokens"], 5000);
    assert_eq!(progress["token-usage"], Value::Null);
    assert_eq!(vac_adapter_check::tokens(&record).input, 50);
    let agent = &record["session"]["agent-meta"];
    assert_eq!(agent["model-id"], "claude-opus-5");
    assert_eq!(agent["models"], json!(["claude-opus-5", "claude-haiku-5"]), "both took part");
}

/// Converts several files in every way to one record.
fn convert_files(files: &[(&str, &str)]) -> Value {
    let files: Vec<_> =
        files.iter().map(|(name, text)| Memory { name, bytes: text.as_bytes() }).collect();
    let parts = files.iter().map(|file| file as &dyn Input).collect();
    let bundle = Bundle { folder: "", parts, attachments: Vec::new() };
    convert_in_every_way(&Claude, &bundle).expect("a record")[0].value()
}

#[test]
fn subagents_without_their_session_are_separate_parts() {
    let line = |agent: &str, id: &str| {
        format!(
            r#"{{"type":"user","uuid":"{id}","parentUuid":null,"sessionId":"s","agentId":"{agent}","message":{{"content":"x"}}}}"#
        )
    };
    let record =
        convert_files(&[("agent-a.jsonl", &line("a", "u1")), ("agent-b.jsonl", &line("b", "u2"))]);
    assert_eq!(outline(&record), ["subagent \"a\"", "u1", "subagent \"b\"", "u2"]);
    assert_eq!(find_entry(&record, "F1")["vac"]["subagent"]["call-id"], Value::Null);
    assert_eq!(record["session"]["agentId"], Value::Null);
}

#[test]
fn broken_empty_and_unnamed_files_do_not_affect_others() {
    let main = r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"content":"x"}}"#;
    let agent = r#"{"type":"user","uuid":"s1","agentId":7,"message":{"content":"x"}}"#;
    let record = convert_files(&[
        ("s.jsonl", main),
        ("agent-empty.jsonl", ""),
        ("agent-broken.jsonl", "{\"type\":\"us"),
        ("agent-odd.jsonl", agent),
        ("agent-twice.jsonl", r#"{"agentId":"x","agentId":"y"}"#),
    ]);
    let entries = record["session"]["entries"].as_array().expect("entries");
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids, [Some("u1"), Some("F3.L1"), Some("s1"), Some("F5.L1")]);
}

#[test]
fn progress_line_links_an_agent_whose_call_never_ended() {
    let main = concat!(
        r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"content":"x"}}"#,
        r#"{"type":"progress","data":{"type":"agent_progress","agentId":"a"},"parentToolUseID":"t1"}"#,
    );
    let agent =
        r#"{"type":"user","uuid":"s1","sessionId":"s","agentId":"a","message":{"content":"x"}}"#;
    let record = convert_files(&[("s.jsonl", main), ("agent-a.jsonl", agent)]);
    assert_eq!(find_entry(&record, "F2")["vac"]["subagent"]["call-id"], "t1");
}
