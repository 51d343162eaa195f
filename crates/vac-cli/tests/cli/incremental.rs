//! Tests named paths that are converted to the same folder again.

use std::fs;

use crate::home::{claude, codex, state};
use crate::run::{Folder, Ran};

fn folder() -> Folder {
    let folder = Folder::new();
    for number in 0..5 {
        let id = format!("s{number}");
        folder.write(&format!("logs/{id}.jsonl"), claude(&id, "2026-03-01T09:00:00.000Z"));
    }
    folder
}

fn convert(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.vac(&[&["convert", "logs/", "-o", "records/"], arguments].concat())
}

#[track_caller]
fn says(ran: &Ran, code: i32, words: &str) {
    assert!(ran.code == code && ran.stderr.contains(words), "{} {}", ran.code, ran.stderr);
}

#[test]
fn the_second_run_converts_what_is_new_or_has_changed() {
    for format in ["json", "cbor"] {
        let folder = folder();
        let convert =
            |arguments: &[&str]| convert(&folder, &[&["--format", format], arguments].concat());
        says(&convert(&[]), 0, "5 new, 0 changed, 0 unchanged\n");
        let records = folder.path().join("records");
        let before = state(&records);
        let second = convert(&[]);
        says(&second, 0, "0 new, 0 changed, 5 unchanged\n");
        assert!(!second.stderr.contains("error"), "{}", second.stderr);
        assert_eq!(state(&records), before);
        let json = convert(&["--json"]).json();
        assert_eq!((&json["unchanged"], &json["new"]), (&5.into(), &0.into()));
        // A log by itself is the same log.
        let one = ["convert", "logs/s1.jsonl", "-o", "records", "--format", format];
        says(&folder.vac(&one), 0, "0 new, 0 changed, 1 unchanged\n");

        let log = folder.path().join("logs/s1.jsonl");
        let longer = fs::read_to_string(&log).expect("a log") + "{\"type\":\"summary\"}\n";
        fs::write(&log, longer).expect("a longer log");
        folder.write("logs/c.jsonl", codex("c", "2026-03-02T09:00:00.000Z"));
        says(&convert(&[]), 0, "1 new, 1 changed, 4 unchanged\n");
        says(&convert(&["--reconvert"]), 0, "0 new, 6 changed, 0 unchanged\n");
        says(&convert(&["--force"]), 0, "0 new, 6 changed, 0 unchanged\n");
    }
}

#[test]
fn a_run_that_was_interrupted_is_finished_by_the_next() {
    let folder = folder();
    convert(&folder, &[]);
    let before = state(&folder.path().join("records"));
    for record in ["claude-s1.json", "claude-s4.json"] {
        fs::remove_file(folder.path().join("records").join(record)).expect("a record less");
    }
    // Files that a killed process can leave.
    folder.write("records/.vac-abcdef", "{\"version\":");
    let ran = convert(&folder, &[]);
    says(&ran, 0, "2 new, 0 changed, 3 unchanged\n");
    assert!(!ran.stderr.contains("error") && !ran.stderr.contains("warning"), "{}", ran.stderr);
    for (path, (_, bytes)) in before.iter().filter(|(path, _)| path.is_file()) {
        assert_eq!(&fs::read(path).expect("a record"), bytes, "{}", path.display());
    }
}

#[test]
fn unchanged_sessions_that_are_not_understood_count_under_strict() {
    let folder = folder();
    says(&convert(&folder, &["--strict"]), 0, "5 new");
    says(&convert(&folder, &["--strict"]), 0, "5 unchanged");
    let log = claude("s9", "2026-03-01T09:00:00.000Z") + "{\"type\":\n";
    folder.write("logs/s9.jsonl", log);
    for words in ["1 new, 0 changed, 5 unchanged\n", "0 new, 0 changed, 6 unchanged\n"] {
        says(&convert(&folder, &["--strict"]), 1, words);
    }
    says(&convert(&folder, &["--strict"]), 1, "1 unchanged session not fully understood\n");
    says(&convert(&folder, &[]), 0, "0 new, 0 changed, 6 unchanged\n");
}

/// Returns a folder with 40 logs, which were converted when they had not changed for some seconds,
/// so that the index of `records` has the state of each.
#[cfg(unix)]
fn indexed() -> Folder {
    let folder = Folder::new();
    for number in 0..40 {
        let log = claude(&format!("n{number}"), "2026-03-01T09:00:00.000Z");
        folder.write(&format!("logs/n{number}.jsonl"), log);
    }
    std::thread::sleep(std::time::Duration::from_millis(3_200));
    says(&convert(&folder, &[]), 0, "40 new, 0 changed, 0 unchanged\n");
    folder
}

#[cfg(unix)]
fn change_index(folder: &Folder, change: impl Fn(&str) -> String) {
    let path = folder.path().join("records/.vac-index");
    let text = fs::read_to_string(&path).expect("an index");
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(path, changed).expect("an index");
}

#[cfg(unix)]
#[test]
fn unchanged_logs_and_records_in_the_index_are_not_read() {
    let folder = indexed();
    let index = fs::read(folder.path().join("records/.vac-index")).expect("an index");
    says(&convert(&folder, &["--strict"]), 0, "40 unchanged\n");
    assert_eq!(fs::read(folder.path().join("records/.vac-index")).expect("an index"), index);
    // Wrong content of the index shows that the index is used.
    change_index(&folder, |text| {
        let text = text.replace("\"understood\":true", "\"understood\":false");
        let hashes = text.match_indices("\"sha-256\":\"").map(|(at, key)| at + key.len());
        let mut text = text.clone();
        for at in hashes {
            text.replace_range(at..at + 8, "00000000");
        }
        text
    });
    says(&convert(&folder, &[]), 0, "0 new, 0 changed, 40 unchanged\n");
    says(&convert(&folder, &["--strict"]), 1, "40 unchanged sessions not fully understood\n");
    // A record that was changed since in any way is read, and so is its log.
    let record = folder.path().join("records/claude-n7.json");
    let bytes = fs::read(&record).expect("a record");
    fs::write(&record, &bytes).expect("the same record");
    says(&convert(&folder, &["--strict"]), 1, "39 unchanged sessions not fully understood\n");
    fs::write(&record, "damaged").expect("a damaged record");
    says(&convert(&folder, &[]), 1, "1 new, 0 changed, 39 unchanged, 1 kept\n");
    fs::remove_file(&record).expect("a file");
    // Everything is read.
    says(&convert(&folder, &["--strict", "--rehash"]), 0, "40 unchanged\n");
    says(&convert(&folder, &["--strict"]), 0, "40 unchanged\n");
    for damaged in ["", "not an index", "{\"vac-index\":1,\"build\":\"x\"}\n{"] {
        fs::write(folder.path().join("records/.vac-index"), damaged).expect("an index");
        says(&convert(&folder, &[]), 0, "0 new, 0 changed, 40 unchanged\n");
    }
    let ran = folder.vac(&["convert", "logs/n1.jsonl", "-o", "one.json", "--rehash"]);
    says(&ran, 2, "--rehash requires an output folder");
    // The index is neither a log nor a record.
    let ran = folder.vac(&["validate", "records"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn wrong_index_does_not_have_a_record_replaced() {
    let folder = indexed();
    let log = folder.path().join("logs/n7.jsonl");
    let other = claude("n7", "2026-03-01T09:00:00.000Z").replace("09:00", "10:00");
    fs::write(&log, other).expect("another log");
    // The record is of the beginning of any log, according to the index.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    change_index(&folder, |text| {
        let line = text.lines().find(|line| line.contains("claude-n7.json")).expect("a line");
        let mut entry: serde_json::Value = serde_json::from_str(line).expect("JSON");
        entry["sources"][0]["size"] = 0.into();
        entry["sources"][0]["sha-256"] = empty.into();
        text.replace(line, &entry.to_string())
    });
    let record = folder.path().join("records/claude-n7.json");
    let before = fs::read(&record).expect("a record");
    says(&convert(&folder, &[]), 1, "1 new, 0 changed, 39 unchanged, 1 kept\n");
    assert_eq!(fs::read(&record).expect("a record"), before);
}
