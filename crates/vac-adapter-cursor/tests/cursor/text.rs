//! Tests the mapping of text transcripts.

use serde_json::{Value, json};
use vac_adapter_check::fixture;
use vac_adapter_cursor::Cursor;

use crate::{check, convert_one};

fn entries(text: &str) -> Vec<Value> {
    match convert_one(text.as_bytes()).0["session"]["entries"].take() {
        Value::Array(entries) => entries,
        other => panic!("entries are {other}"),
    }
}

#[test]
fn turns_together_are_the_text() {
    for name in ["text/basic", "text/irregular"] {
        let log = fixture(&Cursor, name);
        let record = check(&log.parts[0].name, log.first());
        assert_eq!(record.only().variant, "text");
        let mut text = Vec::new();
        for entry in record.only().entries() {
            if let Some(bytes) = entry["data"]["raw-base64"].as_str() {
                text.extend(data_encoding::BASE64.decode(bytes.as_bytes()).expect("base64"));
                continue;
            }
            let marker = entry["marker"].as_str().map_or_else(
                || format!("{}:\n", entry["type"].as_str().unwrap_or_default()),
                str::to_owned,
            );
            text.extend(marker.bytes());
            text.extend(entry["content"].as_str().unwrap_or_default().bytes());
        }
        let native = log.first().strip_prefix(b"\xef\xbb\xbf").unwrap_or(log.first());
        assert_eq!(
            String::from_utf8_lossy(&text),
            String::from_utf8_lossy(native.trim_ascii_start()),
            "every byte except the byte-order mark and the space after it",
        );
    }
}

#[test]
fn calls_and_results_are_parsed_from_a_turn() {
    let entries = entries(
        "user:\nhi\nassistant:\n[Thinking] Hm.\nText.\n[Tool call] Write\n  path: a\n  text: one\n    two\n\n  three\n\
         [Tool result] Write\nwritten\n\n[Tool call] Stop\n",
    );
    assert_eq!(entries[0]["type"], "user");
    let children = entries[1]["children"].as_array().expect("children");
    let types: Vec<_> = children.iter().map(|child| child["type"].as_str()).collect();
    let expected = ["reasoning", "tool-call", "tool-result", "tool-call"];
    assert_eq!(types, expected.map(Some));
    assert_eq!(children[0]["content"], "Hm.");
    assert_eq!(children[1]["input"], json!({"path": "a", "text": "one\n  two\n\nthree"}));
    assert_eq!(children[2]["output"], "written\n");
    assert_eq!((&children[3]["name"], &children[3]["input"]), (&"Stop".into(), &Value::Null));
}

#[test]
fn user_turns_have_no_calls() {
    let entries = entries("user:\n[Tool call] Read\n  path: a\n");
    assert_eq!(entries[0].get("children"), None);
}

#[test]
fn turn_without_text_is_a_turn() {
    let contents: Vec<_> = entries("user:\nassistant:\nA:\nuser:")
        .iter()
        .map(|entry| entry["content"].clone())
        .collect();
    assert_eq!(contents, ["", "", "", ""]);
}

#[test]
fn long_turn_is_whole_in_its_pieces() {
    let (short, turn) = ("user:\nHm\n", format!("assistant:\n{}\n", "é user:\n".repeat(500)));
    let text = format!("{short}{turn}{short}");
    let log = vac_adapter_check::TestLog::new("talk.txt", text.as_str()).with_max_event(1 << 10);
    let records =
        vac_adapter_check::convert::convert_in_every_way(&Cursor, &log).expect("a record");
    let entries = records[0].entries();
    let (first, last) = (&entries[0], &entries[entries.len() - 1]);
    assert_eq!((&first["content"], &last["content"]), (&json!("Hm\n"), &json!("Hm\n")));
    let pieces = &entries[1..entries.len() - 1];
    let whole: String = pieces.iter().filter_map(|entry| entry["data"]["raw"].as_str()).collect();
    assert_eq!(whole, turn);
    for (number, entry) in (1..).zip(pieces) {
        let data = &entry["data"];
        assert_eq!(entry["vac"]["reason"], "too-long");
        assert_eq!(data["piece"], json!(number));
        assert_eq!(data["last"], json!(number == pieces.len()));
        assert!(data["raw"].as_str().is_some_and(|raw| raw.len() <= 1 << 10));
    }
    assert_eq!(records[0].report.unparsed.count, pieces.len() as u64);
}
