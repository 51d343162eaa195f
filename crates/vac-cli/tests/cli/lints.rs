//! `--lint`, code by code.

use crate::records::{bytes, record, signed, small, text, with, with_session};
use crate::run::Folder;

/// Returns the findings in a document, as `code path`.
fn found(document: impl AsRef<[u8]>) -> Vec<String> {
    let ran = Folder::new().vac_with(&["validate", "--lint", "--json", "-"], document.as_ref());
    let json = ran.json();
    let lint = json["files"][0]["lint"].as_array().unwrap().iter();
    lint.map(|finding| {
        format!("{} {}", finding["code"].as_str().unwrap(), finding["path"].as_str().unwrap())
    })
    .collect()
}

#[track_caller]
fn finds(document: impl AsRef<[u8]>, expected: &[&str]) {
    assert_eq!(found(document), expected);
}

#[test]
fn healthy_record_has_no_findings() {
    finds(small(), &[]);
    let calls = record(
        r#"{"type": "tool-call", "name": "n", "input": 1, "call-id": "c", "id": "a",
            "timestamp": "2026-01-01T01:00:00.5+01:00"},
           {"type": "tool-result", "output": 1, "call-id": "c", "timestamp": 1767225600500},
           {"type": "user", "parent-id": "a", "timestamp": "2026-01-01T00:00:00.50Z"}"#,
    );
    finds(calls, &[]);
}

#[test]
fn unmatched_calls_and_results_are_found() {
    let entries = r#"
        {"type": "tool-call", "name": "n", "input": 1, "call-id": "a"},
        {"type": "user", "children": [{"type": "tool-result", "output": 1, "call-id": "b"}]},
        {"type": "tool-result", "output": 1}"#;
    finds(
        record(entries),
        &[
            "call-without-result /session/entries/0/call-id",
            "result-without-call /session/entries/1/children/0/call-id",
        ],
    );
}

#[test]
fn duplicate_ids_and_missing_parents_are_found() {
    let entries = r#"
        {"type": "user", "id": "a", "parent-id": "b"},
        {"type": "assistant", "id": "b", "children": [{"type": "user", "id": "a", "parent-id": "c"}]}"#;
    finds(
        record(entries),
        &[
            "duplicate-id /session/entries/1/children/0/id",
            "dangling-parent /session/entries/1/children/0/parent-id",
        ],
    );
}

#[test]
fn times_out_of_order_or_in_seconds_are_found() {
    let entries = r#"
        {"type": "user", "timestamp": "2026-01-01T00:00:00.2Z"},
        {"type": "user", "timestamp": "2026-01-01T00:00:00.19999999999999999999Z"},
        {"type": "user", "timestamp": 1767225600},
        {"type": "user", "timestamp": 1767225600000, "children": [
            {"type": "user", "timestamp": "2026-01-01T01:00:00+01:00"},
            {"type": "user", "timestamp": "2026-01-01T01:00:00+01:01"}]}"#;
    finds(
        record(entries),
        &[
            "time-order /session/entries/1/timestamp",
            "seconds-timestamp /session/entries/2/timestamp",
            "time-order /session/entries/2/timestamp",
            "time-order /session/entries/3/children/1/timestamp",
        ],
    );
}

#[test]
fn ends_before_starts_are_found() {
    let session =
        r#""entries": [], "session-start": 1767225600001, "session-end": "2026-01-01T00:00:00Z""#;
    finds(with_session(session), &["end-before-start /session/session-end"]);
    let range = |start: u32, end: u32| {
        with(&format!(
            r#""file-attribution": {{"files": [{{"path": "a", "conversations": [{{"ranges": [
                {{"start-line": {start}, "end-line": {end}}}]}}]}}]}}"#
        ))
    };
    finds(range(3, 3), &[]);
    for (start, end) in [(3, 2), (0, 1)] {
        finds(
            range(start, end),
            &["line-range /file-attribution/files/0/conversations/0/ranges/0"],
        );
    }
}

#[test]
fn header_parameters_of_wrong_types_are_found() {
    let protected = [vec![1], text("EdDSA"), vec![0x18, 33, 1], vec![0x18, 34, 1]].concat();
    let unprotected =
        [vec![0x18, 100, 0xa0, 0x18, 33, 0x81], bytes(b"one"), vec![0x19, 1, 138, 0x80]];
    let document = signed((3, &protected), (3, &unprotected.concat()), &[0xf6]);
    finds(
        &document,
        &[
            "label-not-cut /0(protected)/1(alg)",
            "label-not-cut /0(protected)/33(x5chain)",
            "label-not-cut /0(protected)/34(x5t)",
            "label-not-cut /1(unprotected)/100(trace-metadata-key)",
            "label-not-cut /1(unprotected)/33(x5chain)",
            "label-not-cut /1(unprotected)/394(receipts)",
        ],
    );
    let ran = Folder::new().vac_with(&["validate", "-"], &document);
    ran.gives(0, "");
}

#[test]
fn record_inside_a_signed_one_is_linted() {
    let inside = record(r#"{"type": "user", "timestamp": 5}"#);
    finds(
        signed((0, &[]), (0, &[]), &bytes(inside.as_bytes())),
        &["seconds-timestamp /2(payload)/session/entries/0/timestamp"],
    );
}

#[test]
fn likely_secrets_are_reported_without_their_value() {
    let token = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let inside = record(&format!(
        r#"{{"type": "user", "content": "use {token}"}},
           {{"type": "tool-result", "output": "{{\"url\": \"https://ada:correct-horse@git.dev/\"}}"}}"#
    ));
    let expected =
        ["likely-secret /session/entries/0/content", "likely-secret /session/entries/1/output"];
    finds(&inside, &expected);
    let envelope = signed((0, &[]), (0, &[]), &bytes(inside.as_bytes()));
    finds(
        &envelope,
        &expected.map(|line| line.replace(" /", " /2(payload)/")).each_ref().map(|it| &**it),
    );
    let folder = Folder::new();
    folder.write("a.json", &inside);
    let line = "a.json: /session/entries/0/content: likely secret: github-token (lint likely-secret)\n\
                a.json: /session/entries/1/output: likely secret: url-password (lint likely-secret)\n";
    folder.vac(&["validate", "--lint", "a.json"]).gives(0, line);
    folder.vac(&["validate", "--lint=deny", "a.json"]).gives(1, line);
    folder.vac(&["validate", "a.json"]).gives(0, "");
    folder.vac(&["validate", "--lint=secrets", "a.json"]).gives(0, line);
    folder.vac(&["validate", "--lint=secrets,deny", "a.json"]).gives(1, line);
    let ran = folder.vac(&["validate", "--lint", "--json", "a.json"]);
    assert_eq!(ran.json()["files"][0]["lint"][0]["kind"], "github-token");
    assert!(!ran.stdout.contains("16C7") && !ran.stdout.contains("horse"), "{ran:?}");
}

#[test]
fn findings_change_the_exit_code_only_when_denied() {
    let folder = Folder::new();
    folder.write("a.json", record(r#"{"type": "user", "timestamp": 5}"#));
    let line = "a.json: /session/entries/0/timestamp: 5 looks like seconds; timestamps are \
                milliseconds (lint seconds-timestamp)\n";
    folder.vac(&["validate", "a.json"]).gives(0, "");
    folder.vac(&["validate", "--lint", "a.json"]).gives(0, line);
    let ran = folder.vac(&["validate", "--lint=deny", "a.json"]);
    ran.gives(1, line);
    assert_eq!(ran.stderr, "1 file: 1 valid, 0 invalid, 0 unreadable; 1 lint finding\n");
    folder.vac(&["validate", "--lint=secrets,deny", "a.json"]).gives(0, "");
}

#[test]
fn seconds_of_a_log_are_not_reported() {
    let folder = Folder::new();
    let of_log = record(r#"{"type": "user", "timestamp": 5}"#).replacen(
        r#""entries""#,
        r#""session-end": 6, "vac": {"agent": "goose"}, "entries""#,
        1,
    );
    folder.write("a.json", of_log);
    folder.vac(&["validate", "--lint=deny", "a.json"]).gives(0, "");
}
