//! Awkward input keeps its evidence.

use vac_adapter::Report;

use crate::{convert, no_drop};

const MESSAGE: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;

/// The record of a message and something awkward behind it; nothing is lost.
fn kept(awkward: &str) -> (String, Report) {
    let log = format!("{MESSAGE}\n{awkward}");
    let mut records = convert("s.jsonl", log.as_bytes()).expect("records");
    let (record, report) = records.remove(0);
    let (_, missing) = no_drop::missing(log.as_bytes(), std::slice::from_ref(&record));
    assert!(missing.is_empty(), "{missing:?}");
    (record, report)
}

#[test]
fn what_is_no_document_is_carried_raw() {
    for awkward in [
        r#"{"role":"assistant","message":{"content":[{"type":"te"#,
        "what is this?",
        r#"{"role":"user","message":{"content":"a","content":"b"}}"#,
    ] {
        let (record, report) = kept(awkward);
        assert_eq!(report.unparsed.count, 1);
        assert!(record.contains(r#""event-type":"unparsed""#));
    }
}

#[test]
fn numbers_and_half_pairs_stay_as_they_are() {
    let awkward = r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":{"n":18446744073709551617,"e":1e400,"s":"\ud800"}}]}}"#;
    let (record, _) = kept(awkward);
    assert_eq!(record.matches("18446744073709551617").count(), 2, "content and child");
    assert_eq!(record.matches("1e400").count(), 2);
    assert_eq!(record.matches(r#""\ud800""#).count(), 2);
}

#[test]
fn lines_of_the_wrong_shape_are_events_with_everything_they_say() {
    let (record, report) =
        kept("{\"role\":7,\"message\":\"x\"}\n[1,2]\n{\"type\":\"beacon\",\"n\":3}");
    assert!(record.contains(r#"{"role":7,"message":"x"}"#));
    assert!(record.contains(r#"{"value":[1,2]}"#));
    let unknown: Vec<_> = report.unknown_types.keys().map(String::as_str).collect();
    assert_eq!(unknown, ["a line without a type", "beacon"]);
}

#[test]
fn members_that_nobody_expects_keep_their_native_names() {
    let (record, _) = kept(
        r#"{"role":"critic","id":9,"message":{"role":"assistant","content":"x","mood":"good"}}"#,
    );
    assert!(record.contains(r#""role":"critic""#), "who spoke is not forgotten");
    assert!(record.contains(r#""native:id":9"#));
    assert!(record.contains(r#""message":{"mood":"good"}"#));
}

#[test]
fn nul_bytes_are_counted() {
    let log = format!("{MESSAGE}\n\0\0\0\n{MESSAGE}");
    let records = convert("s.jsonl", log.as_bytes()).expect("records");
    assert!(records[0].0.contains(r#""nul-bytes":3"#));
}
