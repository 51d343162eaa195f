//! What becomes of a transcript.

use vac_adapter::{Adapter, Confidence, Memory, detect};
use vac_adapter_cursor::Cursor;

use crate::{convert, one};

const LINE: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;

#[test]
fn the_session_is_named_by_the_file_or_by_the_bytes() {
    let id = |name: &str, log: &str| {
        convert(name, log.as_bytes()).expect("records").remove(0).1.session_id
    };
    let uuid = "0190c3d2-7a6b-4f00-8e1d-2c3b4a596877";
    assert_eq!(id(&format!("{uuid}.jsonl"), LINE), uuid);
    let by_bytes = id("notes.jsonl", LINE);
    assert_eq!(by_bytes.len(), 36);
    assert_eq!(by_bytes, id("", LINE), "a name that gives no id does not matter");
    assert_ne!(by_bytes, id("notes.jsonl", &LINE.replace("hi", "ho")));
}

#[test]
fn several_tool_uses_are_several_children_and_stay_in_the_content() {
    let (record, _) =
        one(br#"{"role":"assistant","message":{"content":[{"type":"text","text":"Looking."},
            {"type":"tool_use","id":"call\n1","name":"Grep","input":{"pattern":"x"}},
            {"type":"tool_use","name":"Read","input":{"path":"/a"}},
            {"type":"tool_result","tool_use_id":"call\n1","content":"none","is_error":true}]}}"#);
    let entry = &record["session"]["entries"][0];
    assert_eq!(entry["content"].as_array().map(Vec::len), Some(4));
    let children = entry["children"].as_array().expect("children");
    assert_eq!(children.len(), 3);
    assert_eq!(children[0]["call-id"], "call\n1");
    assert_eq!((&children[1]["type"], &children[1]["name"]), (&"tool-call".into(), &"Read".into()));
    assert_eq!(
        (&children[2]["type"], &children[2]["is-error"]),
        (&"tool-result".into(), &true.into())
    );
}

#[test]
fn a_written_time_is_the_timestamp_and_stays_in_the_text() {
    let text = r"<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC+2)</timestamp>\nHello";
    let log = format!("{}\n{LINE}", LINE.replace("hi", text));
    let (record, _) = one(log.as_bytes());
    let entries = &record["session"]["entries"];
    assert_eq!(entries[0]["timestamp"], "2026-08-03T11:03:00+02:00");
    assert_eq!(record["session"]["session-start"], entries[0]["timestamp"]);
    let kept = entries[0]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(kept.starts_with("<timestamp>Monday"));
    assert_eq!(entries[1].get("timestamp"), None, "nothing is invented");
}

#[test]
fn errors_and_ends_of_turns_are_events() {
    let log = format!(
        "{LINE}\n{}\n{}",
        r#"{"type":"error","error":"upstream timeout"}"#,
        r#"{"type":"turn_ended","status":"error","error":"gone"}"#,
    );
    let (record, report) = one(log.as_bytes());
    let entries = &record["session"]["entries"];
    assert_eq!(entries[1]["event-type"], "error");
    assert_eq!(entries[1]["data"]["error"], "upstream timeout");
    assert_eq!(entries[2]["event-type"], "turn_ended");
    assert_eq!(entries[2]["data"]["status"], "error");
    assert!(report.unknown_types.is_empty());
}

#[test]
fn nothing_is_made_up_about_the_model() {
    let (record, _) = one(LINE.as_bytes());
    let meta = &record["session"]["agent-meta"];
    let expected = serde_json::json!({
        "model-id": "unknown", "model-provider": "unknown", "cli-name": "cursor"
    });
    assert_eq!(*meta, expected);
    assert_eq!(record["session"].get("session-start"), None);
}

#[test]
fn what_is_no_transcript_is_refused_with_the_reason() {
    let capture = br#"{"type":"thinking","subtype":"delta","text":"a","session_id":"s"}"#;
    let refusals: &[(&[u8], &str)] = &[
        (b"", "no line"),
        (b"{\"type\": \"user\", \"uuid\": \"u\"}", "no line"),
        (b"SQLite format 3\0 and so on", "a database"),
        (b"user:\nhello\n", "a transcript in the old"),
        (capture, "a capture"),
    ];
    for (bytes, reason) in refusals {
        let error = convert("x", bytes).expect_err("refused").to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn a_transcript_is_detected_by_its_lines() {
    let cases: &[(&str, Option<Confidence>)] = &[
        (LINE, Some(Confidence::Likely)),
        (r#"{"type":"turn_ended","status":"success"}"#, Some(Confidence::Likely)),
        (r#"{"type":"error","error":"boom"}"#, Some(Confidence::Possible)),
        (r#"{"type":"user","uuid":"u","sessionId":"s","message":{"content":"x"}}"#, None),
        (r#"{"id":"m","sessionID":"ses_1","role":"user"}"#, None),
        (r#"{"timestamp":"t","type":"event_msg","payload":{"type":"error"}}"#, None),
    ];
    for (text, expected) in cases {
        let input = Memory { name: "x", bytes: text.as_bytes() };
        let adapters: &[&dyn Adapter] = &[&Cursor];
        let found = detect(&input, adapters).expect("memory").map(|(_, confidence)| confidence);
        assert_eq!(found, *expected, "{text}");
    }
}
