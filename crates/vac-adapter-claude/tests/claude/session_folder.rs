//! Files in the session's folder that are not logs.

use std::io::{self, Read};

use serde_json::{Value, json};
use vac_adapter::session::RecordOptions;
use vac_adapter::{Bundle, Input, Memory};
use vac_adapter_check::{convert, convert_in_every_way, corpus, fixture_logs};
use vac_adapter_claude::Claude;
use vac_value::{Document, Encoding};

use crate::{convert_fixture, convert_one, find_entry};

#[test]
fn tool_result_files_are_linked_to_their_results() {
    let record = convert_fixture("jsonl-folder/basic").value();
    let file = find_entry(&record, "F6");
    assert_eq!(
        (&file["event-type"], &file["call-id"]),
        (&json!("tool-result-file"), &json!("toolu_list"))
    );
    let text = file["data"]["text"].as_str().expect("text");
    assert_eq!(text, "tooth 1\ntooth 2\n… and so on to tooth 88\n");
    let unnamed = find_entry(&record, "F7");
    assert_eq!(unnamed["call-id"], Value::Null);
    let bytes = find_entry(&record, "F8");
    assert_eq!(bytes["call-id"], "toolu_dump");
    assert_eq!(bytes["data"]["base64"], "AP/+OA==");
    assert_eq!(bytes["data"]["text"], Value::Null);
}

#[test]
fn metadata_of_subagents_is_kept_as_values() {
    let record = convert_fixture("jsonl-folder/basic").value();
    let note = find_entry(&record, "F4");
    assert_eq!(
        (&note["event-type"], &note["call-id"]),
        (&json!("subagent-note"), &json!("toolu_spawn"))
    );
    assert_eq!(note["data"]["value"]["agentType"], "Explore");
}

#[test]
fn workflow_journal_is_an_event_for_each_line() {
    let converted = convert_fixture("jsonl-folder/workflow");
    let record = converted.value();
    let line = find_entry(&record, "F4.L2");
    assert_eq!(
        (&line["event-type"], &line["runId"]),
        (&json!("journal/result"), &json!("wf_0ead"))
    );
    assert_eq!(line["data"]["result"], json!({"dust": 3}));
    assert_eq!(find_entry(&record, "F4.L4")["event-type"], "unparsed");
    assert_eq!(converted.report.unparsed.count, 1);
    assert_eq!(find_entry(&record, "F5")["data"]["value"]["runId"], "wf_0ead");
}

/// Returns a session of one message, with a companion file.
fn with_file<'f>(file: &'f dyn Input, log: &'f Memory<'f>) -> Bundle<'f> {
    Bundle { folder: "", parts: vec![log], attachments: vec![file] }
}

const LOG: Memory<'_> =
    Memory { name: "s.jsonl", bytes: br#"{"type":"user","uuid":"u1","message":{"content":"Hi"}}"# };

#[test]
fn large_file_is_split_between_characters() {
    let text = "123456é8".repeat(1 << 20);
    let file = Memory { name: "s/tool-results/long.txt", bytes: text.as_bytes() };
    let bundle = with_file(&file, &LOG);
    let records = convert_in_every_way(&Claude, &bundle).expect("a record");
    let entries = records[0].entries();
    let pieces: Vec<_> =
        entries[1..].iter().map(|entry| entry["data"]["text"].as_str().expect("text")).collect();
    assert_eq!(pieces.len(), 3);
    assert_eq!(pieces.concat(), text);
    assert_eq!(pieces[0].len(), (4 << 20) - 1, "the next byte is the middle of a character");
    assert_eq!(entries[2]["data"]["offset"], pieces[0].len());
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids, [Some("u1"), Some("F2"), Some("F2.2"), Some("F2.3")]);
}

#[test]
fn files_of_any_content_are_kept() {
    for (name, bytes, data) in [
        ("s/empty.txt", &b""[..], json!({"text": ""})),
        ("s/agent-x.meta.json", b"{\"a\": [1, null]}\n", json!({"value": {"a": [1, null]}})),
        ("s/agent-x.meta.json", b"{\"a\": 1, \"a\": 2}", json!({"text": "{\"a\": 1, \"a\": 2}"})),
        ("s/agent-x.meta.json", b"{\"a\": ", json!({"text": "{\"a\": "})),
        ("s/odd", b"\xff", json!({"base64": "/w=="})),
        ("journal.txt", b"{\"type\":\"started\"}", json!({"text": "{\"type\":\"started\"}"})),
    ] {
        let file = Memory { name, bytes };
        let bundle = with_file(&file, &LOG);
        let records = convert_in_every_way(&Claude, &bundle).expect("a record");
        let mut expected = data;
        expected["name"] = json!(name);
        assert_eq!(records[0].entries()[1]["data"], expected, "{name}");
    }
}

/// A file that cannot be opened.
struct Locked;

impl Input for Locked {
    fn name(&self) -> &'static str {
        "s/tool-results/locked.txt"
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[test]
fn unreadable_file_is_reported_and_others_are_read() {
    let bundle = with_file(&Locked, &LOG);
    let converted = convert_one(&bundle);
    let entries = converted.entries();
    assert_eq!(entries[1]["event-type"], "unreadable-file");
    assert_eq!(entries[1]["data"], json!({"name": "s/tool-results/locked.txt"}));
    assert_eq!(converted.report.warnings.len(), 1);
}

#[test]
fn every_companion_file_is_in_the_record() {
    for log in fixture_logs(&Claude).into_iter().chain(corpus(&Claude)) {
        if log.attachments.is_empty() {
            continue;
        }
        let entries = convert_one(&log).entries();
        for file in &log.attachments {
            let is_told = |entry: &&Value| {
                let data = &entry["data"];
                match std::str::from_utf8(&file.bytes) {
                    Ok(text) => {
                        data["text"] == text
                            || serde_json::from_str(text)
                                .is_ok_and(|value: Value| data["value"] == value)
                    }
                    Err(_) => data["base64"].is_string(),
                }
            };
            let lines = file.bytes.split(|byte| *byte == b'\n');
            let lines: Vec<Value> =
                lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
            let all_lines =
                || lines.iter().all(|line| entries.iter().any(|entry| entry["data"] == *line));
            let is_journal = file.name.ends_with("journal.jsonl");
            let found =
                if is_journal { all_lines() } else { entries.iter().any(|entry| is_told(&entry)) };
            assert!(found, "{}: {}", log.shown, file.name);
        }
    }
}

#[test]
fn json_file_that_cannot_be_encoded_is_kept_as_text() {
    let file = Memory { name: "s/agent-x.meta.json", bytes: br#"{"half": "\ud800"}"# };
    let bundle = with_file(&file, &LOG);
    let options = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
    let converted = convert(&Claude, &bundle, &options).expect("a record").remove(0);
    assert_eq!(converted.report.unparsed.count, 1);
    let document = Document::cbor(&converted.record).expect("CBOR");
    let entries = document.root().member("session").and_then(|it| it.member("entries"));
    let file = entries.expect("entries").elements().nth(1).expect("a file");
    assert!(file.member("event-type").expect("an event").is_text("unparsed"));
    let raw = file.member("data").and_then(|data| data.member("raw")).expect("raw text");
    assert!(raw.is_text(r#"{"half": "\ud800"}"#));
}

/// A file that can be opened and not read.
struct Folder;

impl Input for Folder {
    fn name(&self) -> &'static str {
        "s/tool-results/folder.txt"
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(Broken))
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::IsADirectory.into())
    }
}

#[test]
fn file_with_a_read_error_is_reported_and_others_are_read() {
    let bundle = with_file(&Folder, &LOG);
    let converted = convert_one(&bundle);
    assert_eq!(converted.entries()[1]["event-type"], "unreadable-file");
    assert_eq!(converted.report.warnings.len(), 1);
}
