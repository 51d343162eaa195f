//! Each lint on documents that it reports, and on similar ones that it does not.

use vac_value::Document;

use super::lint;

/// The codes and paths of the findings in a record with these entries.
fn findings(entries: &str) -> Vec<String> {
    record(&format!(r#"{{"session": {{"entries": [{entries}]}}}}"#))
}

fn record(json: &str) -> Vec<String> {
    let document = Document::json(json.as_bytes()).expect("JSON");
    lint(&document).iter().map(|finding| format!("{} {}", finding.code, finding.path)).collect()
}

fn at(second: u32) -> String {
    format!(r#""timestamp": "2026-01-01T00:00:{second:02}Z""#)
}

#[test]
fn time_order_is_that_of_each_list() {
    let child = |second| format!(r#"{{"type": "user", {}}}"#, at(second));
    let parent = |second, children: &str| {
        format!(r#"{{"type": "assistant", {}, "children": [{children}]}}"#, at(second))
    };
    // Children are older than what follows their parent, and that is fine.
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
