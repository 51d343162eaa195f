//! Tests which objects belong to which session, and their order.

use vac_adapter::{Adapter, Confidence, Memory, detect};
use vac_adapter_check::{corpus, fixture, fixture_logs};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

use crate::{check, convert_one};

const PROMPT: &str = r#"
{"id": "prt_2", "sessionID": "ses_1", "messageID": "msg_2", "type": "text", "text": "answer"}
{"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "parentID": "msg_1",
 "modelID": "m-1", "providerID": "p-1", "time": {"created": 20, "completed": 30},
 "cost": 0.5, "tokens": {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}}
{"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "question"}
{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 10}}
"#;

#[test]
fn prompt_after_its_answer_comes_first() {
    let (record, _) = convert_one(PROMPT.as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str().unwrap_or("")).collect();
    assert_eq!(ids, ["msg_1", "prt_1", "msg_2", "prt_2"]);
    assert_eq!(entries[1]["type"], "user", "a text is its message's");
    assert_eq!(entries[1]["timestamp"], 10, "and of its moment");
    assert_eq!(entries[3].get("timestamp"), None, "an answer takes time");
}

#[test]
fn usage_is_canonical_and_counted_once() {
    let (record, _) = convert_one(PROMPT.as_bytes());
    let usage = &record["session"]["entries"][2]["token-usage"];
    let expected = serde_json::json!({
        "input": 1, "output": 2, "cached": 4, "reasoning": 3, "cost": 0.5, "cache": {"write": 5}
    });
    assert_eq!(*usage, expected);
    let twice = PROMPT.replace("{\"id\": \"prt_1\"", &format!("{}{{\"id\": \"prt_1\"", answer()));
    let (record, _) = convert_one(twice.as_bytes());
    let entries = record["session"]["entries"].as_array().expect("entries");
    let counted = entries.iter().filter(|entry| entry.get("token-usage").is_some()).count();
    assert_eq!((entries.len(), counted), (5, 1), "the last state of a message counts");
}

fn answer() -> String {
    let from = PROMPT.find("{\"id\": \"msg_2\"").expect("there");
    let to = PROMPT.find("{\"id\": \"prt_1\"").expect("there");
    PROMPT[from..to].to_owned()
}

#[test]
fn provider_and_model_are_those_of_the_answers() {
    let (record, _) = convert_one(PROMPT.as_bytes());
    let meta = &record["session"]["agent-meta"];
    assert_eq!((&meta["model-id"], &meta["model-provider"]), (&"m-1".into(), &"p-1".into()));
    assert_eq!(meta["cli-name"], "opencode");
}

#[test]
fn several_sessions_give_records_in_the_order_of_their_creation() {
    let log = br#"
        {"id": "msg_b", "sessionID": "ses_b", "role": "user", "time": {"created": 20}}
        {"id": "msg_a", "sessionID": "ses_a", "role": "user", "time": {"created": 30}}
        {"id": "ses_a", "projectID": "p", "version": "1.0.0", "time": {"created": 10}}
        {"id": "ses_c", "projectID": "p", "version": "1.0.0", "time": {"created": 20}}
    "#;
    let outcome = check("many.jsonl", log);
    let ids = outcome.records().iter().map(|record| record.report.session_id.as_str());
    let ids: Vec<_> = ids.collect();
    assert_eq!(ids, ["ses_a", "ses_b", "ses_c"]);
}

#[test]
fn array_belongs_to_the_session_after_it_or_before_it() {
    let log = br#"
        {"id": "msg_a", "sessionID": "ses_a", "role": "user"}
        [{"content": "read", "status": "pending", "id": "1"}]
        {"id": "msg_b", "sessionID": "ses_b", "role": "user"}
        {"id": "msg_a2", "sessionID": "ses_a", "role": "user"}
        [{"file": "a.rs", "additions": 1, "deletions": 0}]
        {"id": "ses_b", "projectID": "p", "time": {"created": 1}}
    "#;
    let outcome = check("many.jsonl", log);
    let session = |at: usize| outcome.records()[at].value()["session"].clone();
    assert_eq!(session(0)["session_diff"][0]["file"], "a.rs");
    assert_eq!(session(1)["todo"][0]["content"], "read");
}

#[test]
fn unnamed_project_is_an_event_of_the_first_session() {
    let log = br#"
        {"id": "prj", "worktree": "/w", "vcs": "git", "sandboxes": []}
        {"id": "msg_1", "sessionID": "ses_1", "role": "user"}
    "#;
    let (record, _) = convert_one(log);
    assert_eq!(record["session"]["entries"][0]["event-type"], "project");
    assert_eq!(record.get("vcs"), None);
}

#[test]
fn parts_without_their_message_keep_their_place() {
    let log = br#"
        {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 5}}
        {"id": "prt_9", "sessionID": "ses_1", "messageID": "msg_7", "type": "text", "text": "x"}
    "#;
    let (record, _) = convert_one(log);
    assert_eq!(record["session"]["entries"][1]["id"], "prt_9");
    assert_eq!(record["session"]["entries"][1]["type"], "assistant");
}

#[test]
fn other_files_are_refused_with_the_reason() {
    let refusals: &[(&[u8], &str)] = &[
        (b"", "no session"),
        (b"{\"type\": \"user\", \"message\": {}}", "no session"),
        (b"SQLite format 3\0 and so on", "a database"),
    ];
    for (bytes, reason) in refusals {
        let outcome = check("x", bytes);
        assert!(outcome.refusal().starts_with(reason), "{outcome}");
    }
}

#[test]
fn store_is_detected_by_its_objects() {
    let cases: &[(&str, Option<Confidence>)] = &[
        (PROMPT, Some(Confidence::Certain)),
        (r#"{"info": {"id": "ses_1"}, "messages": []}"#, Some(Confidence::Certain)),
        (r#"{"id": "p", "worktree": "/w", "time": {}}"#, Some(Confidence::Possible)),
        (r#"[{"type": "session", "data": {"id": "ses_1"}}]"#, Some(Confidence::Certain)),
        (r#"[{"type": "message", "data": {"id": "1"}}]"#, Some(Confidence::Possible)),
        (
            r#"{"type": "text", "timestamp": 1, "sessionID": "ses_1", "part": {}}"#,
            Some(Confidence::Certain),
        ),
        (
            r#"{"id": "m", "role": "user", "parts": [], "metadata": {"sessionID": "ses_1"}}"#,
            Some(Confidence::Certain),
        ),
        (r#"{"id": "m", "role": "user", "parts": [], "metadata": {}}"#, Some(Confidence::Possible)),
        (r#"{"type": "user", "uuid": "u", "sessionId": "s"}"#, None),
        (r#"{"role": "user", "message": {"content": []}}"#, None),
        (r#"{"timestamp": "t", "type": "session_meta", "payload": {}}"#, None),
        (r#"{"sessionId": "s", "messages": [{"type": "user"}]}"#, None),
    ];
    for (text, expected) in cases {
        let input = Memory { name: "x", bytes: text.as_bytes() };
        let adapters: &[&dyn Adapter] = &[&OpenCode];
        let found = detect(&input, adapters).expect("memory").map(|(_, confidence)| confidence);
        assert_eq!(found, *expected, "{text}");
    }
}

/// Returns the texts of messages with their roles, in the order of the record, and the output
/// tokens that the record counts.
fn texts_and_output(record: &serde_json::Value) -> (Vec<(String, String)>, u64) {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let texts = entries.iter().filter_map(|entry| {
        let text = entry.get("content")?.as_str()?;
        let kind = entry["type"].as_str().filter(|kind| ["user", "assistant"].contains(kind))?;
        Some((kind.to_owned(), text.to_owned()))
    });
    let output = entries.iter().filter_map(|entry| entry["token-usage"]["output"].as_u64());
    (texts.collect(), output.sum())
}

/// Returns the same texts and tokens, read from the nesting of the export.
fn nested(export: &serde_json::Value) -> (Vec<(String, String)>, u64) {
    let (mut texts, mut output) = (Vec::new(), 0);
    for message in export["messages"].as_array().expect("messages") {
        let role = message["info"]["role"].as_str().expect("a role");
        output += message["info"]["tokens"]["output"].as_u64().unwrap_or_default();
        for part in message["parts"].as_array().expect("parts") {
            if part["type"] == "text" {
                texts.push((role.to_owned(), part["text"].as_str().expect("text").to_owned()));
            }
        }
    }
    (texts, output)
}

#[test]
fn nesting_decides_order_and_owner_of_scrubbed_exports() {
    let logs = fixture_logs(&OpenCode).into_iter().chain(corpus(&OpenCode));
    let mut count = 0;
    for log in logs.filter(|log| log.parts.len() == 1) {
        let Ok(export) = serde_json::from_slice::<serde_json::Value>(log.first()) else { continue };
        let has_parts = export["messages"][0]["parts"].is_array();
        if !export["info"].is_object() || !has_parts {
            continue;
        }
        let outcome = vac_adapter_check::check_briefly(&OPENCODE, &OpenCode, &log);
        assert_eq!(texts_and_output(&outcome.only().value()), nested(&export), "{}", log.shown);
        count += 1;
    }
    println!("{count} exports");
    assert!(count >= 2, "{count}");
}

#[test]
fn scrubbed_ids_neither_join_nor_reorder_messages() {
    let log = fixture(&OpenCode, "export/scrubbed");
    let outcome = vac_adapter_check::check(&OPENCODE, &OpenCode, &log);
    let record = outcome.only().value();
    let (texts, output) = texts_and_output(&record);
    let texts: Vec<_> = texts.iter().map(|(who, text)| (who.as_str(), text.as_str())).collect();
    assert_eq!(
        texts,
        [
            ("user", "How many spindles are there?"),
            ("assistant", "I count them."),
            ("assistant", "There are three."),
            ("user", "And how many are red?"),
            ("assistant", "One of them."),
        ]
    );
    assert_eq!(output, 11 + 21 + 31);
}
