//! Tests sessions that are in several files.

use vac_adapter_check::{TestLog, corpus};
use vac_adapter_gemini::Gemini;

use crate::{check, record};

#[test]
fn session_of_three_documents_keeps_all_of_them() {
    let part = |hour: u8| {
        format!(
            r#"{{"sessionId": "s", "projectHash": "p", "startTime": "2026-01-05T{hour:02}:00:00Z",
                "lastUpdated": "2026-01-05T{hour:02}:30:00Z", "messages": [{{"id": "m{hour}", "type": "user"}}]}}"#
        )
    };
    let text = [part(12), part(10), part(11)].concat();
    let record = record("x.json", &text);
    let session = &record["session"];
    assert_eq!(session["session-start"], "2026-01-05T10:00:00Z");
    assert_eq!(session["session-end"], "2026-01-05T12:30:00Z");
    let entries = session["entries"].as_array().expect("entries");
    let types: Vec<_> = entries.iter().map(|entry| &entry["event-type"]).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "session-continued").count(), 2);
    let ids: Vec<_> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids, ["L2", "m10", "L3", "m11", "L1", "m12"]);
    assert_eq!(entries[0]["event-type"], "session-header");
    assert_eq!(entries[0]["data"]["lastUpdated"], "2026-01-05T10:30:00Z");
}

#[test]
fn session_in_two_real_files_is_one() {
    let is_half = |log: &TestLog| log.shown.contains("-split-");
    let halves = corpus(&Gemini).into_iter().filter(is_half).flat_map(|log| log.parts);
    let halves: Vec<_> = halves.map(|part| part.bytes).collect();
    let [first, second] = &halves[..] else {
        println!("skipped: no split session in the corpus");
        return;
    };
    for log in [[&first[..], second].concat(), [&second[..], first].concat()] {
        assert_eq!(check("-", &log).records().len(), 1);
    }
}
