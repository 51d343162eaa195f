//! Several sessions in one file.

use serde_json::Value;
use vac_adapter_check::{TestLog, check, fixture, tokens};
use vac_adapter_claude::Claude;
use vac_adapter_claude::check::CLAUDE;

/// Returns the sessions of a log: their ids, and the ids of their entries.
fn sessions(log: &TestLog) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let outcome = check(&CLAUDE, &Claude, log);
    let session = |record: &Value| {
        let entries = record["session"]["entries"].as_array().expect("entries");
        (text(&record["id"]), entries.iter().map(|entry| text(&entry["id"])).collect())
    };
    outcome.records().iter().map(|record| session(&record.value())).collect()
}

fn line(session: &str, id: &str, parent: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{id}\",\"parentUuid\":{parent},\"sessionId\":\"{session}\",\
         \"message\":{{\"role\":\"user\",\"content\":\"{id}\"}}}}\n"
    )
}

#[test]
fn two_sessions_in_one_file_are_two_records() {
    let log = fixture(&Claude, "jsonl/two-sessions");
    let found = sessions(&log);
    let ids: Vec<_> = found.iter().map(|(id, _)| &id[id.len() - 2..]).collect();
    assert_eq!(ids, ["01", "02"]);
    assert_eq!(found[0].1[1..], ["a1", "a2", "a3", "a4"]);
    assert_eq!(found[1].1[1..], ["b1", "b2"]);
    let outcome = check(&CLAUDE, &Claude, &log);
    let counted: Vec<_> =
        outcome.records().iter().map(|record| tokens(&record.value()).output).collect();
    assert_eq!(counted, [11 + 31, 21]);
    let folder = |record: &Value| record["session"]["environment"]["working-dir"].clone();
    let folders: Vec<_> = outcome.records().iter().map(|it| folder(&it.value())).collect();
    assert_eq!(folders, ["/home/ada/loom", "/home/ada/wheel"]);
}

#[test]
fn session_that_continues_another_is_one_record_with_it() {
    let log = line("s1", "a", "null") + &line("s2", "b", "\"a\"") + &line("s2", "c", "\"b\"");
    assert_eq!(sessions(&TestLog::new("copy.jsonl", log)).len(), 1);
}

#[test]
fn sessions_with_the_same_line_ids_are_two_records() {
    let session = |id: &str| line(id, "a", "null") + &line(id, "b", "\"a\"");
    assert_eq!(sessions(&TestLog::new("both.jsonl", session("s1") + &session("s2"))).len(), 2);
}

#[test]
fn file_named_after_a_session_is_one_record() {
    let log = line("s1", "a", "null") + &line("s2", "b", "null");
    assert_eq!(sessions(&TestLog::new("s2.jsonl", log.clone())).len(), 1);
    assert_eq!(sessions(&TestLog::new("both.jsonl", log)).len(), 2);
}

#[test]
fn lines_about_a_session_without_messages_are_not_a_session() {
    let note = "{\"type\":\"mode\",\"mode\":\"plan\",\"sessionId\":\"s0\"}\n";
    let log = note.to_owned() + &line("s1", "a", "null") + note;
    assert_eq!(sessions(&TestLog::new("x.jsonl", log)).len(), 1);
}
