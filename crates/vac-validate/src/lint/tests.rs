//! Each lint on documents that it reports, and on similar ones that it does not.

use vac_value::Document;

use super::lint;

/// Returns the codes and paths of the findings in a record with these entries.
fn findings(entries: &str) -> Vec<String> {
    record(&format!(r#"{{"session": {{"entries": [{entries}]}}}}"#))
}

fn record(json: &str) -> Vec<String> {
    let document = Document::json(json.as_bytes()).expect("JSON");
    lint(&document).iter().map(|finding| format!("{} {}", finding.code, finding.path)).collect()
}

fn timestamp_at(second: u32) -> String {
    format!(r#""timestamp": "2026-01-01T00:00:{second:02}Z""#)
}

#[test]
fn time_order_is_that_of_each_list() {
    let child = |second| format!(r#"{{"type": "user", {}}}"#, timestamp_at(second));
    let parent = |second, children: &str| {
        format!(r#"{{"type": "assistant", {}, "children": [{children}]}}"#, timestamp_at(second))
    };
    // Children may be later than the entry after their parent.
    let nested = parent(10, &[child(1), child(2)].join(","));
    assert_eq!(findings(&[child(5), nested.clone(), child(11)].join(",")), [""; 0]);
    let backwards = parent(10, &[child(2), child(1)].join(","));
    assert_eq!(
        findings(&[child(5), backwards].join(",")),
        ["time-order /session/entries/1/children/1/timestamp"]
    );
    let twice =
        parent(10, &[nested.clone(), parent(11, &[child(9), child(8)].join(","))].join(","));
    assert_eq!(findings(&twice), ["time-order /session/entries/0/children/1/children/1/timestamp"]);
    assert_eq!(
        findings(&[nested, child(9)].join(",")),
        ["time-order /session/entries/1/timestamp"]
    );
    assert_eq!(findings(&[child(5), child(5)].join(",")), [""; 0]);
}

#[test]
fn numbers_that_look_like_seconds_are_reported() {
    let entry = |time: &str| format!(r#"{{"type": "user", "timestamp": {time}}}"#);
    assert_eq!(findings(&entry("99999999999")), ["seconds-timestamp /session/entries/0/timestamp"]);
    assert_eq!(findings(&entry("100000000000")), [""; 0]);
    assert_eq!(record(r#"{"created": 1767225600}"#), ["seconds-timestamp /created"]);
}

#[test]
fn ids_are_compared_over_all_levels() {
    let entries = r#"{"type": "user", "id": "a"},
        {"type": "assistant", "id": "b", "parent-id": "a",
         "children": [{"type": "reasoning", "id": "a", "parent-id": "nowhere"}]},
        {"type": "user", "id": "c", "parent-id": "nowhere"}"#;
    assert_eq!(
        findings(entries),
        [
            "duplicate-id /session/entries/1/children/0/id",
            "dangling-parent /session/entries/2/parent-id",
        ]
    );
}

#[test]
fn calls_and_results_are_matched_at_any_depth() {
    let entries = r#"{"type": "assistant", "children": [
            {"type": "tool-call", "call-id": "c1"}, {"type": "tool-call", "call-id": "c2"}]},
        {"type": "user", "children": [
            {"type": "tool-result", "call-id": "c1"}, {"type": "tool-result", "call-id": "c3"}]},
        {"type": "reasoning", "call-id": "c4"}"#;
    assert_eq!(
        findings(entries),
        [
            "call-without-result /session/entries/0/children/1/call-id",
            "result-without-call /session/entries/1/children/1/call-id",
        ]
    );
}

#[test]
fn ends_before_starts_are_reported() {
    let session = |start: &str, end: &str| {
        record(&format!(
            r#"{{"session": {{"session-start": "{start}", "session-end": "{end}", "entries": []}}}}"#
        ))
    };
    let (early, late) = ("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z");
    assert_eq!(session(late, early), ["end-before-start /session/session-end"]);
    assert_eq!(session(early, late), [""; 0]);
    assert_eq!(session(late, late), [""; 0]);
}

#[test]
fn wrong_ranges_of_lines_are_reported() {
    let ranges = |ranges: &str| {
        record(&format!(
            r#"{{"file-attribution": {{"files": [{{}}, {{"conversations": [{{"ranges": [{ranges}]}}]}}]}}}}"#
        ))
    };
    let path = "line-range /file-attribution/files/1/conversations/0/ranges/1";
    let fine = r#"{"start-line": 1, "end-line": 1}"#;
    assert_eq!(ranges(&format!(r#"{fine}, {{"start-line": 5, "end-line": 4}}"#)), [path]);
    assert_eq!(ranges(&format!(r#"{fine}, {{"start-line": 0, "end-line": 4}}"#)), [path]);
    assert_eq!(ranges(fine), [""; 0]);
}

#[test]
fn findings_are_in_document_order() {
    let entries = [
        format!(r#"{{"type": "user", "id": "a", {}}}"#, timestamp_at(9)),
        format!(r#"{{"type": "user", {}}}"#, timestamp_at(8)),
        r#"{"type": "tool-call", "call-id": "c"}"#.to_owned(),
        r#"{"type": "user", "id": "a"}"#.to_owned(),
    ];
    assert_eq!(
        findings(&entries.join(",")),
        [
            "time-order /session/entries/1/timestamp",
            "call-without-result /session/entries/2/call-id",
            "duplicate-id /session/entries/3/id",
        ]
    );
}

#[test]
fn signed_records_are_linted_inside_and_outside() {
    use vac_value::{Any, Encode as _};
    let metadata = Any::members([("timestamp-start", 200_000_000_001_u64), ("timestamp-end", 7)]);
    let record = r#"{"session": {"entries": [{"type": "tool-call", "call-id": "c"}]}}"#;
    let header = |alg: Any<'static>| Any::map([(1, alg)]).to_cbor().expect("CBOR");
    let signed = |alg: Any<'static>, metadata: Any<'static>| {
        let envelope = Any::tag(
            18,
            Any::array([
                Any::bytes(header(alg)),
                Any::map([(100, metadata)]),
                Any::bytes(record),
                Any::bytes(b""),
            ]),
        );
        let bytes = envelope.to_cbor().expect("CBOR");
        let document = Document::cbor(&bytes).expect("CBOR");
        let found = lint(&document);
        found.iter().map(|finding| format!("{} {}", finding.code, finding.path)).collect::<Vec<_>>()
    };
    let inside = "call-without-result /2(payload)/session/entries/0/call-id";
    assert_eq!(
        signed("EdDSA".into(), metadata),
        [
            "label-not-cut /0(protected)/1(alg)",
            "label-not-cut /1(unprotected)/100(trace-metadata-key)",
            "seconds-timestamp /1(unprotected)/100(trace-metadata-key)/timestamp-end",
            "end-before-start /1(unprotected)/100(trace-metadata-key)/timestamp-end",
            inside,
        ]
    );
    let whole = Any::members([
        ("session-id", Any::from("s")),
        ("agent-vendor", "v".into()),
        ("trace-format", "f".into()),
        ("timestamp-start", 200_000_000_000_u64.into()),
    ]);
    assert_eq!(signed((-8).into(), whole), [inside]);
}
