//! Tests the output of `--output-format stream-json`.

use vac_adapter_check::{TestLog, check, fixture};
use vac_adapter_gemini::Gemini;

use crate::GEMINI;

#[test]
fn stream_is_a_variant_of_its_own() {
    let outcome = check(&GEMINI, &Gemini, &fixture(&Gemini, "stream-json/basic"));
    let record = outcome.only();
    assert_eq!(record.report.variant, "stream-json");
    assert_eq!(record.report.session_id, "5c0d1e2f-0001-4a00-8000-0000000000aa");
    assert!(record.report.unknown_types.is_empty(), "{:?}", record.report.unknown_types);
    let entries = record.entries();
    let kinds: Vec<_> = entries.iter().filter_map(|entry| entry["type"].as_str()).collect();
    assert_eq!(
        kinds[..6],
        ["system-event", "user", "assistant", "assistant", "tool-call", "tool-result"]
    );
    assert_eq!(entries[7]["is-error"], true);
    assert_eq!(entries[7]["output"]["message"], "File not found.");
    assert_eq!(record.value()["session"]["agent-meta"]["model-id"], "gemini-3.5-flash");
}

#[test]
fn several_runs_are_several_sessions() {
    let run = |session: &str| {
        format!(
            "{{\"type\":\"init\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"session_id\":\"{session}\",\
             \"model\":\"m\"}}\n{{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\
             \"role\":\"user\",\"content\":\"{session}\"}}\n"
        )
    };
    let log = TestLog::new("runs.jsonl", run("a") + &run("b") + &run("b"));
    let outcome = check(&GEMINI, &Gemini, &log);
    let counts: Vec<_> = outcome
        .records()
        .iter()
        .map(|record| (record.report.session_id.as_str(), record.entries().len()))
        .collect();
    assert_eq!(counts, [("a", 2), ("b", 4)]);
}
