//! Tests that a record is replaced only by one that contains it.

use std::fs;

use serde_json::Value;

use super::super::{log, names};
use crate::home::{self, OPENCODE_ID};
use crate::run::{Folder, Ran};

const LOG: &str = "home/.claude/projects/a/s.jsonl";

/// Returns a line of a session that comes later.
fn later(id: &str, text: &str) -> String {
    let line = log("s").lines().next().expect("a line").to_owned();
    line.replace("\"u1\"", &format!("\"{id}\"")).replace("Weave it", text) + "\n"
}

/// Returns a folder with a session that has been converted with these arguments.
fn converted(arguments: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write(LOG, log("s") + &later("u3", "Dye it"));
    let ran = discover(&folder, arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

fn discover(folder: &Folder, arguments: &[&str]) -> Ran {
    let all = ["convert", "--discover", "--root", "home", "-o", "records"];
    folder.vac(&[&all, arguments].concat())
}

fn read(folder: &Folder, name: &str) -> Vec<u8> {
    fs::read(folder.path().join("records").join(name)).expect("a record")
}

#[track_caller]
fn gives(ran: &Ran, code: i32, counts: &str) {
    assert_eq!((ran.code, ran.stderr.lines().last()), (code, Some(counts)), "{}", ran.stderr);
}

/// Asserts that the new record got another name, with a warning that names both.
#[track_caller]
fn keeps(folder: &Folder, ran: &Ran, kept: (&str, &[u8]), new: &str) {
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let words = [
        "warning: ".to_owned(),
        format!("records/{} is kept, because ", kept.0),
        format!("; the new record is records/{new}\n"),
    ];
    assert!(words.iter().all(|words| ran.stderr.contains(words)), "{}", ran.stderr);
    assert!(read(folder, kept.0) == kept.1, "{} has changed", kept.0);
    assert!(!read(folder, new).is_empty());
}

#[test]
fn a_record_of_a_log_that_was_cut_is_kept() {
    for (format, first, second) in [
        (&["-f", "json"][..], "claude-s.json", "claude-s-2.json"),
        (&["--pretty"], "claude-s.json", "claude-s-2.json"),
        (&["-f", "cbor"], "claude-s.cbor", "claude-s-2.cbor"),
    ] {
        let folder = converted(format);
        let record = read(&folder, first);
        folder.write(LOG, log("s"));
        let ran = discover(&folder, &[format, &["-q"]].concat());
        keeps(&folder, &ran, (first, &record), second);
        // Further runs add no files, and both records are up to date.
        gives(&discover(&folder, format), 0, "0 new, 0 changed, 1 unchanged");
        assert_eq!(names(&folder.path().join("records")), [second, first]);
        // The log continues, which changes the second record.
        folder.write(LOG, log("s") + &later("u4", "Wash it"));
        gives(&discover(&folder, format), 0, "0 new, 1 changed, 0 unchanged");
        assert!(read(&folder, first) == record);
        // The log is restored and longer, so its record contains the first.
        let whole = log("s") + &later("u3", "Dye it") + &later("u5", "Fold it");
        folder.write(LOG, whole);
        gives(&discover(&folder, format), 0, "0 new, 1 changed, 0 unchanged");
        assert_ne!(read(&folder, first), record);
        assert_eq!(names(&folder.path().join("records")).len(), 2);
    }
}

#[test]
fn a_record_is_kept_if_another_log_claims_its_session() {
    let folder = converted(&[]);
    let record = read(&folder, "claude-s.json");
    // The log is longer, newer, and has the name of the removed one.
    fs::remove_file(folder.path().join(LOG)).expect("a file less");
    let other = log("s").replace("Weave it", "Nothing happened") + &later("u3", "Dye it");
    folder.write("home/.claude/projects/b/s.jsonl", other.repeat(3));
    let ran = discover(&folder, &[]);
    keeps(&folder, &ran, ("claude-s.json", &record), "claude-s-2.json");
    gives(&discover(&folder, &[]), 0, "0 new, 0 changed, 1 unchanged");
    // The first log is restored, with more entries.
    folder.write(LOG, log("s") + &later("u3", "Dye it") + &later("u4", "Fold it"));
    let ran = discover(&folder, &[]);
    gives(&ran, 0, "0 new, 1 changed, 1 unchanged");
    assert_ne!(read(&folder, "claude-s.json"), record);
}

#[test]
fn record_is_replaced_if_all_its_entries_are_kept() {
    let folder = converted(&[]);
    // The file was rewritten instead of extended: with a line before, a line between, and
    // insignificant space.
    let summary = "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u2\"}\n";
    let text = log("s") + &later("u4", "Wash it") + &later("u3", "Dye it");
    folder.write(LOG, summary.to_owned() + &text.replace('\n', "\n\n"));
    gives(&discover(&folder, &[]), 0, "0 new, 1 changed, 0 unchanged");
    let record = read(&folder, "claude-s.json");
    folder.write(LOG, summary.to_owned() + &text.replace("Dye it", "Dye us"));
    let ran = discover(&folder, &[]);
    keeps(&folder, &ran, ("claude-s.json", &record), "claude-s-2.json");
}

#[test]
fn documents_that_agents_rewrite_are_compared_by_entries() {
    let folder = Folder::new();
    let chat = "home/.gemini/tmp/twin/chats/session-2026-03-03T09-00-0c0c0c0c.json";
    let time = "2026-03-03T09:00:00Z";
    let one = home::gemini("g", time);
    let message = |id: &str, text: &str| {
        format!(r#",{{"id":"{id}","timestamp":"{time}","type":"user","content":"{text}"}}]}}"#)
    };
    let with = |document: &str, more: String| document.replace("]}", &more);
    folder.write(chat, &one);
    gives(&discover(&folder, &[]), 0, "1 new, 0 changed, 0 unchanged");
    let two =
        with(&one, message("m2", "Again")).replace("lastUpdated\":\"2026", "lastUpdated\":\"2027");
    folder.write(chat, &two);
    gives(&discover(&folder, &[]), 0, "0 new, 1 changed, 0 unchanged");
    let record = read(&folder, "gemini-g.json");
    let mut number = 1;
    for rewritten in [
        two.replace("Twin it", "Leave it"),
        with(&one, message("m3", "Another")),
        with(&with(&one, message("m2", "again")), message("m3", "Third")),
    ] {
        folder.write(chat, rewritten);
        number += 1;
        let new = format!("gemini-g-{number}.json");
        keeps(&folder, &discover(&folder, &[]), ("gemini-g.json", &record), &new);
        gives(&discover(&folder, &[]), 0, "0 new, 0 changed, 1 unchanged");
    }
}

#[test]
fn storage_trees_are_compared_by_entries() {
    let folder = Folder::new();
    let storage = "home/.local/share/opencode/storage";
    home::copy("opencode/tree/basic/storage", &folder, storage);
    let message = "part/msg_f5e400000001001FixtureMsg001";
    let part = format!("{storage}/{message}/prt_f5e400000003001FixturePart03.json");
    let bytes = fs::read(folder.path().join(&part)).expect("a part");
    fs::remove_file(folder.path().join(&part)).expect("a part less");
    gives(&discover(&folder, &[]), 0, "1 new, 0 changed, 0 unchanged");
    folder.write(&part, bytes);
    gives(&discover(&folder, &[]), 0, "0 new, 1 changed, 0 unchanged");
    fs::remove_file(folder.path().join(&part)).expect("a part less");
    let first = format!("opencode-{OPENCODE_ID}.json");
    let record = read(&folder, &first);
    let new = format!("opencode-{OPENCODE_ID}-2.json");
    keeps(&folder, &discover(&folder, &[]), (&first, &record), &new);
}

#[test]
fn sources_may_be_added_and_not_lost() {
    let folder = Folder::new();
    folder.write(LOG, log("s"));
    let spilled = "home/.claude/projects/a/s/tool-results/x.txt";
    folder.write(spilled, "spilled");
    gives(&discover(&folder, &[]), 0, "1 new, 0 changed, 0 unchanged");
    folder.write(LOG, log("s") + &later("u3", "Dye it"));
    folder.write("home/.claude/projects/a/s/tool-results/y.txt", "more");
    gives(&discover(&folder, &[]), 0, "0 new, 1 changed, 0 unchanged");
    let record = read(&folder, "claude-s.json");
    fs::write(folder.path().join(spilled), "cut").expect("another text");
    let ran = discover(&folder, &[]);
    keeps(&folder, &ran, ("claude-s.json", &record), "claude-s-2.json");
}

#[test]
fn damaged_records_are_kept() {
    let whole = converted(&[]);
    let record = read(&whole, "claude-s.json");
    let text = String::from_utf8(record.clone()).expect("text");
    let entries = text.find("\"entries\":[").expect("entries") + 12;
    let with = |more: &str| [&text[..entries], more, &text[entries..]].concat();
    for damaged in [
        text[..text.len() / 2].to_owned(),
        text[..entries].to_owned() + &text[entries + 1..],
        with("{\"a\":,"),
        text.replacen("\"session\":{", "\"session\":{\"entries\":[],", 1),
        text.replace("\"id\":\"s\"", "\"id\":\"t\""),
        String::new(),
        "\0".repeat(text.len()),
    ] {
        let folder = converted(&[]);
        folder.write("records/claude-s.json", &damaged);
        folder.write(LOG, log("s") + &later("u3", "Dye it") + &later("u4", "Fold it"));
        let ran = discover(&folder, &[]);
        keeps(&folder, &ran, ("claude-s.json", damaged.as_bytes()), "claude-s-2.json");
        gives(&discover(&folder, &[]), 0, "0 new, 0 changed, 1 unchanged");
        gives(&discover(&folder, &["--reconvert"]), 0, "0 new, 1 changed, 0 unchanged");
        assert!(read(&folder, "claude-s.json") == damaged.as_bytes(), "{damaged}");
    }
}

#[test]
fn a_newer_vac_replaces_nothing_unless_asked_to() {
    let folder = converted(&[]);
    let record = read(&folder, "claude-s.json");
    // The record of another version, with other entries.
    let old = String::from_utf8(record.clone()).expect("text");
    let old = old.replace(
        &format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION")),
        "\"version\":\"0.0.0\"",
    );
    let old = old.replace("Dye it", "Dye  it");
    assert_ne!(old.as_bytes(), record);
    folder.write("records/claude-s.json", &old);
    gives(&discover(&folder, &[]), 0, "0 new, 0 changed, 1 unchanged");
    assert_eq!(read(&folder, "claude-s.json"), old.as_bytes());
    gives(&discover(&folder, &["--reconvert"]), 0, "0 new, 1 changed, 0 unchanged");
    assert_eq!(read(&folder, "claude-s.json"), record);
    // A record that has to be converted again is not lost.
    folder.write(LOG, log("s"));
    let ran = discover(&folder, &["--reconvert"]);
    keeps(&folder, &ran, ("claude-s.json", &record), "claude-s-2.json");
    let file = folder.vac(&["convert", "--reconvert", LOG, "-o", "record.json"]);
    assert_eq!(file.code, 2);
    assert!(file.stderr.contains("--reconvert requires an output folder"), "{}", file.stderr);
}

#[test]
fn a_full_record_is_not_replaced_by_a_canonical_one() {
    let folder = converted(&[]);
    let record = read(&folder, "claude-s.json");
    folder.write(LOG, log("s") + &later("u3", "Dye it") + &later("u4", "Fold it"));
    let ran = discover(&folder, &["--profile", "canonical"]);
    keeps(&folder, &ran, ("claude-s.json", &record), "claude-s-2.json");
    // A record in the canonical profile can be replaced by another in that profile.
    let folder = converted(&["--profile", "canonical"]);
    folder.write(LOG, log("s") + &later("u3", "Dye it") + &later("u4", "Fold it"));
    let ran = discover(&folder, &["--profile", "canonical"]);
    gives(&ran, 0, "0 new, 1 changed, 0 unchanged");
}

#[test]
fn force_replaces_records_that_are_not_contained() {
    let folder = converted(&[]);
    folder.write(LOG, log("s"));
    gives(&discover(&folder, &["--force"]), 0, "0 new, 1 changed, 0 unchanged");
    let record: Value = serde_json::from_slice(&read(&folder, "claude-s.json")).expect("JSON");
    assert_eq!(record["session"]["entries"].as_array().map(Vec::len), Some(2));
    assert_eq!(names(&folder.path().join("records")), ["claude-s.json"]);
}

#[test]
fn kept_records_are_counted_for_programs() {
    let folder = converted(&[]);
    folder.write(LOG, log("s"));
    let ran = discover(&folder, &["--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let summary = ran.json();
    let counts = ["new", "changed", "unchanged", "kept"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [Some(1), Some(0), Some(0), Some(1)]);
}
