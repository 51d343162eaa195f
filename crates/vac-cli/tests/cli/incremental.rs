//! Named paths that are converted to the same folder again.

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
    // What a process that was killed can leave.
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
