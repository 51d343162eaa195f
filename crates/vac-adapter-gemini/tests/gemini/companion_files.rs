//! Tests the companion files of sessions.

use serde_json::{Value, json};
use vac_adapter::report::NO_CONVERSATION;
use vac_adapter::session::RecordOptions;
use vac_adapter::{Bundle, Input, Memory};
use vac_adapter_check::{ConvertedRecord, convert, convert_in_every_way};
use vac_adapter_gemini::Gemini;

/// The SHA-256 of `/home/ada/lamp`.
const HASH: &str = "a789627f401b44f1387633de16158fa1a7b186a6701089fb1dabbaa81f59c5a8";

fn convert_with(log: &str, attachments: &[(&str, &[u8])], folder: &str) -> ConvertedRecord {
    let log = Memory { name: "session-1.jsonl", bytes: log.as_bytes() };
    let attachments: Vec<_> =
        attachments.iter().map(|(name, bytes)| Memory { name, bytes }).collect();
    let attachments = attachments.iter().map(|file| file as &dyn Input).collect();
    let bundle = Bundle { folder, parts: vec![&log], attachments };
    let mut records = convert(&Gemini, &bundle, &RecordOptions::default()).expect("a session");
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn working_dir(log: &str, attachments: &[(&str, &[u8])]) -> Value {
    convert_with(log, attachments, "").value()["session"]["environment"]["working-dir"].take()
}

fn header(hash: &str, directories: &str) -> String {
    format!(r#"{{"sessionId": "s", "projectHash": "{hash}", "directories": [{directories}]}}"#)
}

#[test]
fn project_root_is_the_working_directory() {
    let root: &[(&str, &[u8])] = &[("../.project_root", b"/home/ada/lamp\n")];
    assert_eq!(working_dir(&header(HASH, r#""/elsewhere""#), root), "/home/ada/lamp");
    assert_eq!(working_dir(&header(HASH, r#""/elsewhere""#), &[]), "/elsewhere");
    assert_eq!(working_dir(&header(HASH, ""), &[]), Value::Null);
}

#[test]
fn folder_with_the_project_hash_is_the_working_directory() {
    let log = header(HASH, r#""/elsewhere", "/home/ada/lamp""#);
    assert_eq!(working_dir(&log, &[]), "/home/ada/lamp");
    let converted = convert_with(&log, &[(".project_root", b"/home/ada/shade")], "");
    let session = &converted.value()["session"];
    assert_eq!(session["environment"]["working-dir"], "/home/ada/lamp");
    assert_eq!(session["project-root"], "/home/ada/shade");
    let warnings = converted.report.warnings.iter().filter(|warning| *warning != NO_CONVERSATION);
    assert_eq!(warnings.count(), 1, "{:?}", converted.report.warnings);
}

#[test]
fn folder_in_the_session_context_is_the_last_resort() {
    for text in [
        "<session_context>\\n- **Workspace Directories:**\\n  - /home/ada/lamp\\n- **Directory Structure:**\\n",
        "<session_context>\\nI'm currently working in the directory: /home/ada/lamp\\n",
    ] {
        let log = format!(
            "{}\n{{\"id\": \"u\", \"type\": \"user\", \"content\": \"{text}\"}}",
            header("p", "")
        );
        assert_eq!(working_dir(&log, &[]), "/home/ada/lamp", "{text}");
    }
}

#[test]
fn subagent_names_its_parent_session() {
    let log = header("p", "");
    let parent =
        |folder: &str| convert_with(&log, &[], folder).value()["session"]["vac"]["parent"].take();
    assert_eq!(parent("/home/ada/.gemini/tmp/lamp/chats/parent-1"), "parent-1");
    assert_eq!(parent("chats/parent-1/"), "parent-1");
    assert_eq!(parent("/home/ada/.gemini/tmp/lamp/chats"), Value::Null);
    assert_eq!(parent(""), Value::Null);
}

#[test]
fn stored_tool_output_is_linked_to_its_call() {
    let log = format!(
        "{}\n{}",
        header("p", ""),
        r#"{"id": "g", "type": "gemini", "content": "", "toolCalls": [{"id": "Call_7.a-1", "name": "run_shell_command", "args": {}}]}"#
    );
    let files: &[(&str, &[u8])] = &[
        ("../tool-outputs/session-s/run_shell_command_call_7_a-1.txt", b"all of it"),
        ("../tool-outputs/session-s/run_shell_command_call_7_a-1_x9k2.txt", b"\xff"),
        ("../tool-outputs/session-s/run_shell_command_8.txt", b"whose?"),
    ];
    let converted = convert_with(&log, files, "");
    let entries = converted.entries();
    let files: Vec<_> = entries[1..].iter().collect();
    assert_eq!(files.len(), 3);
    assert_eq!(files[0]["event-type"], "tool-result-file");
    assert_eq!(files[0]["call-id"], "Call_7.a-1");
    assert_eq!(files[0]["data"]["text"], "all of it");
    assert_eq!(
        (&files[1]["call-id"], &files[1]["data"]["base64"]),
        (&json!("Call_7.a-1"), &json!("/w=="))
    );
    assert_eq!((&files[2]["event-type"], &files[2]["call-id"]), (&json!("file"), &Value::Null));
}

#[test]
fn large_file_is_kept_in_pieces_and_json_as_a_value() {
    let text = "0123456789abcdef".repeat(5 << 16);
    let log = Memory { name: "s.jsonl", bytes: br#"{"sessionId": "s", "projectHash": "p"}"# };
    let large = Memory { name: "../tool-outputs/large.txt", bytes: text.as_bytes() };
    let json = Memory { name: "../tool-outputs/small.json", bytes: br#"{"a": [1.0, null]}"# };
    let bundle = Bundle { folder: "", parts: vec![&log], attachments: vec![&large, &json] };
    let records = convert_in_every_way(&Gemini, &bundle).expect("a record");
    let entries = records[0].entries();
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids, [Some("F2"), Some("F2.2"), Some("F3")]);
    let piece = |at: usize| entries[at]["data"]["text"].as_str().expect("text");
    assert_eq!([piece(0), piece(1)].concat(), text);
    assert_eq!(entries[2]["data"]["value"], json!({"a": [1.0, null]}));
}
