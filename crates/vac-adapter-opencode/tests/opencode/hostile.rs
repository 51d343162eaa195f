//! Tests that unusual input is kept.

use vac_adapter::Report;
use vac_adapter::session::RecordOptions;
use vac_adapter_check::{TestLog, convert};
use vac_adapter_opencode::OpenCode;
use vac_value::Encoding;

use crate::check;

const MESSAGE: &str =
    r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}"#;

/// Converts a message with something unusual after it, without loss.
fn convert_after_message(unusual: &[u8]) -> (String, Report) {
    let mut log = MESSAGE.as_bytes().to_vec();
    log.push(b'\n');
    log.extend_from_slice(unusual);
    let outcome = check("s.jsonl", &log);
    (outcome.only().text().to_owned(), outcome.only().report.clone())
}

/// Converts a message with something unusual after it, without loss, and parses the record.
fn parse_after_message(unusual: &[u8]) -> (serde_json::Value, Report) {
    let (record, report) = convert_after_message(unusual);
    (serde_json::from_str(&record).expect("JSON"), report)
}

fn part(members: &str) -> String {
    format!(r#"{{"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", {members}}}"#)
}

#[test]
fn truncated_tail_is_unparsed() {
    let (record, report) =
        parse_after_message(br#"{"id": "prt_1", "sessionID": "ses_1", "type": "te"#);
    assert_eq!(record["session"]["entries"][1]["event-type"], "unparsed");
    assert_eq!(report.unparsed.count, 1);
}

#[test]
fn garbage_between_objects_is_unparsed() {
    let text = part(r#""type": "text", "text": "still read""#);
    let (record, report) = parse_after_message(format!("what is this?\n{text}").as_bytes());
    assert_eq!(record["session"]["entries"].as_array().map(Vec::len), Some(3));
    assert_eq!(report.unparsed.count, 1);
}

#[test]
fn object_with_a_duplicate_key_is_unparsed_and_keeps_its_id() {
    let (record, _) =
        parse_after_message(part(r#""type": "text", "text": "a", "text": "b""#).as_bytes());
    let entry = &record["session"]["entries"][1];
    assert_eq!((&entry["event-type"], &entry["id"]), (&"unparsed".into(), &"prt_1".into()));
}

#[test]
fn numbers_without_a_type_are_kept() {
    let text = part(r#""type": "text", "text": "x", "time": {"start": 1.5, "end": 1e400}"#);
    let (record, report) = convert_after_message(text.as_bytes());
    assert!(record.contains(r#""time":{"start":1.5,"end":1e400}"#));
    assert_eq!(report.unparsed.count, 0);
    let tokens = r#"{"id": "m", "sessionID": "ses_1", "role": "assistant", "cost": 1e400,
        "tokens": {"input": 18446744073709551616, "output": -1, "cache": []}}"#;
    convert_after_message(tokens.as_bytes());
}

#[test]
fn lone_surrogate_is_kept_in_json_and_unparsed_in_cbor() {
    let text = part(r#""type": "text", "text": "\ud800""#);
    assert!(convert_after_message(text.as_bytes()).0.contains(r#""\ud800""#));
    let session = r#"{"id": "ses_1", "projectID": "p", "title": "\udc00"}"#;
    let (record, _) = convert_after_message(session.as_bytes());
    assert!(record.contains(r#""event-type":"session""#), "it is not a member of the session");
}

#[test]
fn members_of_the_wrong_kind_keep_their_native_names() {
    let (record, _) = parse_after_message(
        part(r#""type": "tool", "tool": 7, "callID": null, "state": "gone", "input": "mine""#)
            .as_bytes(),
    );
    let entry = &record["session"]["entries"][1];
    assert_eq!(entry["tool"], 7);
    assert_eq!(entry["state"], "gone");
    assert_eq!(entry["native:input"], "mine");
    assert_eq!(entry["name"], "unknown");
}

#[test]
fn secrets_are_redacted_and_reported() {
    let share = r#"{"id": "ses_1", "secret": "HUSH", "url": "https://example.org/s/1"}"#;
    let broken = r#"{"id": "ses_1", "secret": "HUSH", "url": "https://exa"#;
    let twice = r#"{"id": "ses_1", "secret": "HUSH", "secret": "HUSH", "url": "u"}"#;
    let inside = r#"{"id": "ses_1", "projectID": "p", "share": {"secret": "HUSH", "url": "u"}}"#;
    let inside_event = inside.replace("\"u\"", r#""\ud800""#);
    let foreign = r#"{"id": "ses_2", "secret": "HUSH", "url": "\ud800"}"#;
    for share in [share, broken, twice, foreign, inside, &inside_event, &format!("{share}{share}")]
    {
        let (record, report) = convert_after_message(share.as_bytes());
        assert!(!record.contains("HUSH"), "{record}");
        assert!(report.redacted.contains_key("session_share.secret"));
        let log = TestLog::new("s", format!("{MESSAGE}\n{share}"));
        let options = RecordOptions { encoding: Encoding::Cbor, ..RecordOptions::default() };
        let cbor = convert(&OpenCode, &log, &options).expect("records").remove(0).record;
        assert!(!cbor.windows(4).any(|bytes| bytes == b"HUSH"));
    }
}

#[test]
fn secret_in_a_long_event_is_redacted_wherever_it_is_cut() {
    for length in 0..100 {
        let share = format!(
            r#"{{"id": "ses_1", "pad": "{}", "secret": "HUSH", "url": "{}"}}"#,
            "x".repeat(1000 + length),
            "y".repeat(1000),
        );
        let log = TestLog::new("s", format!("{MESSAGE}\n{share}")).with_max_event(100);
        let converted =
            convert(&OpenCode, &log, &RecordOptions::default()).expect("records").remove(0);
        for part in ["HU", "US", "SH"] {
            assert!(!converted.text().contains(part), "{length}: {}", converted.text());
        }
        assert!(converted.report.redacted.contains_key("session_share.secret"));
        assert!(converted.report.unparsed.reasons["too-long"] > 20);
    }
}

#[test]
fn unknown_types_are_events_with_all_their_members() {
    let (record, report) = parse_after_message(
        format!(
            "{}\n{}",
            part(r#""type": "hologram", "depth": 3"#),
            r#"{"type": "beacon", "n": 1}"#
        )
        .as_bytes(),
    );
    let entries = &record["session"]["entries"];
    assert_eq!(entries[1]["event-type"], "hologram");
    assert_eq!(entries[1]["data"]["depth"], 3);
    assert_eq!(entries[2]["event-type"], "beacon");
    let unknown: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(unknown, ["beacon", "part hologram"]);
}

#[test]
fn unknown_keys_are_kept_and_reported_wherever_they_are() {
    let text = part(r#""type": "text", "text": "x", "time": {"start": 1, "noon": 2}, "mood": 1"#);
    let session =
        r#"{"id": "ses_1", "projectID": "p", "share": {"url": "u", "fee": 1}, "tide": 1}"#;
    let other = r#"{"type": "beacon", "n": 1}"#;
    let (record, report) = parse_after_message(format!("{text}\n{session}\n{other}").as_bytes());
    assert_eq!(record["session"]["tide"], 1);
    assert_eq!(record["session"]["share"]["fee"], 1);
    assert_eq!(record["session"]["entries"][1]["mood"], 1);
    let unknown: Vec<_> = report.unknown_keys.iter().map(|(key, n)| (key.as_str(), *n)).collect();
    assert_eq!(
        unknown,
        [("session.tide", 1), ("share.fee", 1), ("text.mood", 1), ("time.noon", 1)],
        "objects of unknown types may have any key"
    );
}

#[test]
fn encrypted_reasoning_of_one_provider_is_mapped_and_others_are_kept() {
    let text = part(
        r#""type": "reasoning", "text": "x", "metadata": {"gone": null, "native:a": {"n": 1},
            "b": {"reasoningEncryptedContent": "cipher", "itemId": "i"}, "c": {"n": 2}}"#,
    );
    let (record, _) = parse_after_message(text.as_bytes());
    let entry = &record["session"]["entries"][1];
    assert_eq!(entry["encrypted"], "cipher");
    let left = serde_json::json!({
        "native:native:a": {"n": 1}, "c": {"n": 2}, "b": {"itemId": "i"}
    });
    assert_eq!(entry["metadata"], left);
}
