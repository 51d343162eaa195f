//! Input that is broken, or no log at all.

use std::fs;

use vac_adapter::{Adapter, Error, Memory};
use vac_adapter_codex::Codex;

use crate::{convert, leaves, workspace};

const LINE: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"error","message":"x"}}"#;

/// Members of payloads that the adapter looks at.
const INSIDE: &[&str] = &[
    "id",
    "content",
    "summary",
    "name",
    "arguments",
    "input",
    "call_id",
    "output",
    "status",
    "action",
    "info",
    "message",
    "text",
    "item",
    "result",
    "encrypted_content",
    "git",
    "source",
    "model",
    "sandbox_policy",
    "cwd",
    "turn_id",
    "thread_settings",
];

fn fixtures() -> Vec<Vec<u8>> {
    ["envelope", "paginated", "bare", "broken"]
        .iter()
        .map(|case| {
            let folder = workspace().join("fixtures/codex").join(case);
            let mut files =
                fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
            let log = files.find(|file| file.extension().is_some_and(|name| name == "jsonl"));
            fs::read(log.expect("a log")).expect("readable")
        })
        .collect()
}

fn refusal(bytes: &[u8]) -> String {
    match Codex.survey(&Memory { name: "x", bytes }) {
        Err(Error::Refused(reason)) => reason,
        Err(error) => panic!("not refused: {error}"),
        Ok(_) => panic!("not refused"),
    }
}

/// Converts it without a loss, or refuses it.
fn survives(bytes: &[u8]) {
    match convert("hostile.jsonl", bytes) {
        Ok((record, _)) => {
            leaves::check("hostile", bytes, &record);
        }
        Err(Error::Refused(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_log_cut_anywhere_keeps_what_is_there() {
    for log in fixtures() {
        for end in (0..log.len()).step_by(173) {
            survives(&log[..end]);
        }
    }
}

#[test]
fn a_byte_changed_anywhere_loses_nothing() {
    for log in fixtures() {
        for (at, byte) in (0..log.len()).step_by(211).zip(b"\"\\{}[],:\xff\0\nx9".iter().cycle()) {
            let mut log = log.clone();
            log[at] = *byte;
            survives(&log);
        }
    }
}

#[test]
fn what_is_no_log_is_refused_with_a_reason() {
    for bytes in [&b""[..], b"\n\n", b"hello", b"[]", b"{\"role\": \"user\"}", b"\xff\xfe\0"] {
        assert_eq!(refusal(bytes), "no line of a Codex CLI session in it");
    }
    let first = br#"{"session": {"id": "x", "timestamp": "2025-05-01T00:00:00Z"}, "items": []}"#;
    assert!(refusal(first).contains("first Codex CLI"));
}

#[test]
fn a_key_that_stands_twice_is_carried_as_text() {
    let twice = LINE.replace("\"message\"", "\"type\"");
    let log = format!("{LINE}\n{twice}");
    let (record, report) = convert("x", log.as_bytes()).expect("converts");
    leaves::check("twice", log.as_bytes(), &record);
    assert_eq!(report.unparsed.count, 1);
    assert_eq!(report.unparsed.lines, [2]);
}

#[test]
fn members_of_the_wrong_kind_stay_what_they_are() {
    let wrong = ["null", "7", "\"x\"", "[]", "{}", "[{}]", "true", "1e400", r#""\ud800""#];
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "image_generation_call",
        "user_message",
        "item_completed",
        "token_count",
    ];
    for value in wrong {
        let with = |members: &[&str]| {
            let members: Vec<_> = members.iter().map(|key| format!("\"{key}\":{value}")).collect();
            members.join(",")
        };
        let mut lines = vec![LINE.to_owned()];
        let (beside, inside) = (with(&["timestamp", "ordinal"]), with(INSIDE));
        for line in ["response_item", "event_msg"] {
            lines.extend(kinds.map(|kind| {
                let payload = format!(r#"{{"type":"{kind}","role":"user",{inside}}}"#);
                format!(r#"{{{beside},"type":"{line}","payload":{payload}}}"#)
            }));
        }
        for line in ["session_meta", "turn_context", "event_msg", "response_item", "compacted"] {
            lines.push(format!(r#"{{{beside},"type":"{line}","payload":{value}}}"#));
            lines.push(format!(r#"{{{beside},"type":"{line}","payload":{{{inside}}}}}"#));
        }
        let log = lines.join("\n");
        let (record, _) = convert("x", log.as_bytes()).expect("converts");
        leaves::check(value, log.as_bytes(), &record);
    }
}

#[test]
fn deep_nesting_is_carried() {
    for depth in [100, 300, 20_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let log = format!("{LINE}\n{}", LINE.replace("\"x\"", &deep));
        survives(log.as_bytes());
    }
}
