//! Tests that unusual input causes neither a panic nor a loss.

use vac_adapter::Report;
use vac_adapter_check::fixture;
use vac_adapter_gemini::Gemini;

use crate::{check, record};

fn report(case: &str) -> Report {
    let log = fixture(&Gemini, case);
    check(&log.parts[0].name, log.first()).only().report.clone()
}

#[test]
fn input_without_session_is_refused_with_a_reason() {
    for (bytes, reason) in [
        (&b""[..], "no session"),
        (b"garbage {[", "no session"),
        (b"\xff\xfe\x00", "no session"),
        (b"[]", "no session"),
        (br#"{"messages": []}"#, "no session"),
        (br#"{"messages": [{"role": "user", "content": "of another agent"}]}"#, "no session"),
        (br#"{"$patch": {"id": "x"}}"#, "no session"),
        (br#"{"id": "x", "type": "hologram"}"#, "no session"),
        (br#"[{"sessionId": "s", "message": "no number"}]"#, "no session"),
    ] {
        let outcome = check("x.json", bytes);
        assert!(outcome.refusal().contains(reason), "{outcome}");
    }
}

#[test]
fn truncated_session_keeps_its_messages() {
    let report = report("json/truncated");
    assert_eq!(report.entries["user"], 1);
    assert_eq!(report.unparsed.count, 1);
}

#[test]
fn damaged_message_does_not_affect_others() {
    let report = report("json/damaged");
    assert_eq!((report.entries["user"], report.entries["assistant"]), (1, 1));
    assert_eq!(report.unparsed.count, 4, "two messages, the summary, the bytes after the end");
}

#[test]
fn other_documents_are_kept_with_the_session() {
    let text = concat!(
        "{\"before\": 1}\n",
        "{\"sessionId\": \"s\", \"projectHash\": \"p\", \"messages\": [{\"type\": \"user\", \"id\": \"m\"}]}\n",
        "oops\n",
        "{\"after\": 2}\n",
    );
    let record = record("x.json", text);
    let entries = record["session"]["entries"].as_array().expect("entries");
    let ids: Vec<_> = entries.iter().map(|entry| entry["id"].as_str().unwrap_or("")).collect();
    assert_eq!(ids, ["L1", "m", "L3", "L4"]);
    assert_eq!(entries[0]["data"]["value"]["before"], 1);
    assert_eq!(entries[2]["data"]["raw"], "oops");
}

#[test]
fn thousands_of_versions_and_rewinds_are_read() {
    let mut lines = vec![r#"{"sessionId": "s", "projectHash": "p"}"#.to_owned()];
    for number in 0..5_000 {
        for id in [number % 3, number] {
            lines.push(format!(r#"{{"id": "m{id}", "type": "user", "content": {number}}}"#));
        }
        lines.push(format!(r#"{{"$rewindTo": "m{}"}}"#, number / 2));
        lines.push(format!(r#"{{"$rewindTo": "unknown{number}"}}"#));
    }
    let log = vac_adapter_check::TestLog::new("x.jsonl", lines.join("\n"));
    let records = vac_adapter_check::convert_full(&Gemini, &log).expect("a session");
    assert_eq!(records[0].report.entries["user"], 10_000);
    assert_eq!(records[0].report.entries["system-event"], 10_000);
}

#[test]
fn thousands_of_sessions_in_one_list_are_separated() {
    let prompt = |number: u32| {
        let session = number % 1_000;
        format!(
            r#"{{"sessionId": "s{session}", "messageId": {number}, "type": "user", "message": "m"}}"#
        )
    };
    let prompts: Vec<_> = (0..3_000).map(prompt).collect();
    let log = vac_adapter_check::TestLog::new("logs.json", format!("[{}]", prompts.join(",")));
    let records = vac_adapter_check::convert_full(&Gemini, &log).expect("sessions");
    assert_eq!(records.len(), 1_000);
    assert!(records.iter().all(|record| record.report.entries["user"] == 3));
}
