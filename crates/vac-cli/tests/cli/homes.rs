//! Tests that sessions in a folder of homes are assigned to their homes.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::home::{claude, state};
use crate::run::{Folder, Ran};

const SHARED: &str = "0a0a0a0a-0000-4000-8000-00000000aaaa";

/// Returns three homes with one log in each, and one that is only Ada's.
fn homes() -> Folder {
    let folder = Folder::new();
    for home in ["ada", "bob", "cy"] {
        let log = claude(SHARED, "2026-04-01T08:00:00.000Z");
        folder.write(&format!("homes/{home}/.claude/projects/a/{SHARED}.jsonl"), log);
    }
    let own = claude("only-ada", "2026-04-01T08:00:00.000Z");
    folder.write("homes/ada/.claude/projects/a/only-ada.jsonl", own);
    folder
}

fn convert(folder: &Folder, arguments: &[&str]) -> Ran {
    let run = ["convert", "--discover", "--root", "homes", "-o", "records/"];
    folder.vac(&[&run, arguments].concat())
}

/// Returns the label of each record, by its name.
fn users(folder: &Folder) -> BTreeMap<String, Value> {
    let records = fs::read_dir(folder.path().join("records")).expect("a folder");
    let user = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry");
        let record = fs::read(entry.path()).expect("a record");
        let json: Value = serde_json::from_slice(&record).ok()?;
        let user = json["recording-agent"]["labels"]["user"].clone();
        Some((entry.file_name().to_string_lossy().into_owned(), user))
    };
    records.filter_map(user).collect()
}

fn expected(shared: [&str; 3]) -> BTreeMap<String, Value> {
    let [first, second, third] = shared;
    [
        (format!("claude-{SHARED}.json"), first.into()),
        (format!("claude-{SHARED}-2.json"), second.into()),
        (format!("claude-{SHARED}-3.json"), third.into()),
        ("claude-only-ada.json".to_owned(), "ada".into()),
    ]
    .into()
}

#[track_caller]
fn says(ran: &Ran, code: i32, words: &str) {
    assert!(ran.code == code && ran.stderr.contains(words), "{} {}", ran.code, ran.stderr);
}

#[test]
fn label_states_the_home_of_each_session() {
    let folder = homes();
    let label = ["--label", "user={home}", "--label", "team=loom"];
    says(&convert(&folder, &label), 0, "4 new, 0 changed, 0 unchanged\n");
    assert_eq!(users(&folder), expected(["ada", "bob", "cy"]));
    let before = state(&folder.path().join("records"));
    says(&convert(&folder, &label), 0, "0 new, 0 changed, 4 unchanged\n");
    assert_eq!(state(&folder.path().join("records")), before);
    let second = format!("records/claude-{SHARED}-2.json");
    let inspected = folder.vac(&["inspect", &second]);
    assert!(inspected.stdout.contains("user=bob"), "{}", inspected.stdout);
    // A log that grows replaces the record of its own home.
    let longer = claude(SHARED, "2026-04-01T08:00:00.000Z")
        + &claude(SHARED, "2026-04-01T08:05:00.000Z").replace("\"u", "\"v");
    folder.write(&format!("homes/bob/.claude/projects/a/{SHARED}.jsonl"), longer);
    says(&convert(&folder, &label), 0, "0 new, 1 changed, 3 unchanged\n");
    assert_eq!(users(&folder), expected(["ada", "bob", "cy"]));
    says(&convert(&folder, &[&label[..], &["--reconvert"]].concat()), 0, "0 new, 4 changed");
    assert_eq!(users(&folder), expected(["ada", "bob", "cy"]));
}

#[test]
fn home_that_is_added_later_gets_its_own_records() {
    let folder = homes();
    let ada = ["convert", "--discover", "--root", "homes/ada", "-o", "records/"];
    let label = ["--label", "user={home}"];
    says(&folder.vac(&[&ada[..], &label].concat()), 0, "2 sessions converted");
    says(&convert(&folder, &label), 0, "2 new, 0 changed, 2 unchanged\n");
    assert_eq!(users(&folder), expected(["ada", "bob", "cy"]));
    // The current folder has a name, too.
    let here = "cd homes/bob && vac convert --discover --root . --label user={home} -o ../../one/";
    let ran = folder.shell(&[], here);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let record = folder.path().join("one").join(format!("claude-{SHARED}.json"));
    assert!(fs::read_to_string(record).expect("a record").contains(r#""user":"bob""#));
}

#[test]
fn copies_in_other_homes_are_named() {
    let folder = homes();
    let ran = convert(&folder, &["--label", "user=all"]);
    says(&ran, 0, "2 sessions converted");
    for home in ["bob", "cy"] {
        let log = |home: &str| format!("homes/{home}/.claude/projects/a/{SHARED}.jsonl");
        let line = format!("{}: skipped, a copy of {} (in another home)\n", log(home), log("ada"));
        says(&ran, 0, &line);
    }
    let listed = folder.vac(&["list", "--root", "homes"]);
    assert_eq!(listed.stderr.matches("(in another home)").count(), 2, "{}", listed.stderr);
}

#[test]
fn label_of_a_home_needs_a_home() {
    let folder = homes();
    let ran = folder.vac(&["convert", "homes", "--label", "user={home}", "-o", "r/"]);
    says(&ran, 2, "--label user={home} requires --discover");
}
