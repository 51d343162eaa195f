//! Tests the mapping of transcripts.

use vac_adapter_cursor::check::CURSOR;

use crate::{check, convert_one};

const LINE: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;

#[test]
fn session_is_named_by_the_file_or_by_the_bytes() {
    let id = |name: &str, log: &str| check(name, log.as_bytes()).only().report.session_id.clone();
    let uuid = "0190c3d2-7a6b-4f00-8e1d-2c3b4a596877";
    assert_eq!(id(&format!("{uuid}.jsonl"), LINE), uuid);
    let by_bytes = id("notes.jsonl", LINE);
    assert_eq!(by_bytes.len(), 36);
    assert_eq!(by_bytes, id("", LINE), "a name that gives no id does not matter");
    assert_ne!(by_bytes, id("notes.jsonl", &LINE.replace("hi", "ho")));
}

#[test]
fn tool_uses_are_children_and_stay_in_the_content() {
    let (record, _) = convert_one(
        br#"{"role":"assistant","message":{"content":[{"type":"text","text":"Looking."},
            {"type":"tool_use","id":"call\n1","name":"Grep","input":{"pattern":"x"}},
            {"type":"tool_use","name":"Read","input":{"path":"/a"}},
            {"type":"tool_result","tool_use_id":"call\n1","content":"none","is_error":true}]}}"#,
    );
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
fn written_time_is_the_timestamp_and_stays_in_the_text() {
    let text = r"<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC+2)</timestamp>\nHello";
    let log = format!("{}\n{LINE}", LINE.replace("hi", text));
    let (record, _) = convert_one(log.as_bytes());
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
    let (record, report) = convert_one(log.as_bytes());
    let entries = &record["session"]["entries"];
    assert_eq!(entries[1]["event-type"], "error");
    assert_eq!(entries[1]["data"]["error"], "upstream timeout");
    assert_eq!(entries[2]["event-type"], "turn_ended");
    assert_eq!(entries[2]["data"]["status"], "error");
    assert!(report.unknown_types.is_empty());
}

#[test]
fn unknown_model_is_unknown() {
    let (record, _) = convert_one(LINE.as_bytes());
    let meta = &record["session"]["agent-meta"];
    let expected = serde_json::json!({
        "model-id": "unknown", "model-provider": "unknown", "cli-name": "cursor"
    });
    assert_eq!(*meta, expected);
    assert_eq!(record["session"].get("session-start"), None);
}

#[test]
fn input_of_others_is_refused_with_a_reason() {
    let refusals: &[(&[u8], &str)] = &[
        (b"", "it is empty"),
        (b" \r\n\xef\xbb\xbf\n", "it is empty"),
        (b"{\"type\": \"user\", \"uuid\": \"u\"}", "nothing of Cursor's"),
        (b"SQLite format 3\0 and so on", "a database"),
    ];
    for (bytes, reason) in refusals {
        let outcome = check("x", bytes);
        assert!(outcome.refusal().starts_with(reason), "{outcome}");
    }
}

#[test]
fn session_of_a_subagent_names_its_parent() {
    let log = vac_adapter_check::fixtures(&vac_adapter_cursor::Cursor)
        .into_iter()
        .find(|case| case.name == "transcript/subagent")
        .expect("a fixture");
    let records = log.logs.iter().map(|log| {
        let outcome = vac_adapter_check::check(&CURSOR, &vac_adapter_cursor::Cursor, log);
        outcome.only().value()
    });
    let records: Vec<_> = records.collect();
    assert_eq!(records.len(), 2, "each a record of its own");
    assert_eq!(records[0]["session"]["vac"].get("parent"), None);
    assert_eq!(records[1]["session"]["vac"]["parent"], records[0]["session"]["session-id"]);
    assert_eq!(records[1]["session"]["entries"][0]["vac"]["author"], "other-agent");
}

#[test]
fn children_are_in_the_content_as_well() {
    let (record, _) = convert_one(
        LINE.replace(
            r#""type":"text","text":"hi""#,
            r#""type":"tool_use","name":"T","input":{"deep":[1,{"a":null}]},"extra":"x""#,
        )
        .as_bytes(),
    );
    let entry = &record["session"]["entries"][0];
    assert_eq!(entry["content"][0]["input"], entry["children"][0]["input"]);
    assert_eq!(entry["content"][0]["extra"], "x");
    assert_eq!(entry["children"][0]["extra"], "x");
}

#[test]
fn members_of_a_line_have_canonical_names() {
    let (record, _) = convert_one(
        br#"{"role":"assistant","id":"m1","model":"composer-2","timestamp":"2026-08-03T09:03:00Z",
            "message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}]}}"#,
    );
    let entry = &record["session"]["entries"][0];
    assert_eq!((&entry["id"], &entry["model-id"]), (&"m1".into(), &"composer-2".into()));
    assert_eq!(entry["timestamp"], "2026-08-03T09:03:00Z");
    assert_eq!(record["session"]["session-start"], "2026-08-03T09:03:00Z");
    assert_eq!(record["session"]["agent-meta"]["model-id"], "composer-2");
    let thought = &entry["children"][0];
    assert_eq!((&thought["type"], &thought["content"]), (&"reasoning".into(), &"hm".into()));
}

#[test]
fn type_of_a_bubble_may_be_text() {
    let (record, report) =
        convert_one(br#"{"key":"bubbleId:c:b","value":{"type":"2","text":"x"}}"#);
    let entry = &record["session"]["entries"][0];
    assert_eq!((&entry["type"], &entry["native:type"]), (&"assistant".into(), &"2".into()));
    assert!(report.unknown_types.is_empty());
}
