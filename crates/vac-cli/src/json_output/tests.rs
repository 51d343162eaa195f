//! The page `JSON.md` lists the keys of the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::in_process::{fixture, run};

const PAGE: &str = include_str!("../../JSON.md");

/// Objects whose keys are data.
const MAPS: [&str; 10] = [
    "agents",
    "entries",
    "labels",
    "permissions",
    "prompts",
    "reasons",
    "redacted",
    "skipped",
    "unknown-keys",
    "unknown-types",
];

/// The answers of `vac verify`, which have the same members.
const ANSWERS: [&str; 8] = [
    "envelope",
    "payload-hash",
    "receipts",
    "record",
    "signature",
    "signer",
    "time-stamp",
    "trace-metadata",
];

type Keys = BTreeMap<String, BTreeSet<String>>;

/// Commands whose documents the tests in `tests/cli` compare: they depend on the home folder of the
/// user, or need tokens and receipts.
const ELSEWHERE: [&str; 3] = ["hook", "receipts attach", "timestamp attach"];

/// Returns the keys that the page lists, by command.
fn listed() -> Keys {
    let mut listed = Keys::new();
    for section in PAGE.split("\n## ").skip(1) {
        let (command, text) = section.split_once('\n').expect("a heading is a line");
        let keys = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        listed.insert(command.to_owned(), keys.map(str::to_owned).collect());
    }
    // The page refers to the keys of a version instead of repeating them.
    let version: Vec<_> = listed["archive add"].iter().cloned().collect();
    let version = version.iter().filter_map(|key| key.strip_prefix("sessions[]."));
    for key in version {
        for (command, prefix) in [
            ("archive add", "discontinued[]."),
            ("archive list", "sessions[]."),
            ("archive prove", ""),
        ] {
            listed.entry(command.to_owned()).or_default().insert(format!("{prefix}{key}"));
        }
    }
    listed
}

fn collect(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Null => panic!("{path} is null"),
        Value::Array(items) => {
            for item in items {
                collect(item, &format!("{path}[]"), keys);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                let path = if ANSWERS.contains(&path) {
                    format!("*.{key}")
                } else {
                    format!("{path}{dot}{key}")
                };
                keys.insert(path.clone());
                if !(member.is_object() && MAPS.contains(&key.as_str())) {
                    collect(member, &path, keys);
                }
            }
        }
        _ => {}
    }
}

/// Runs a command and adds the keys of its document.
fn print(folder: &Path, line: &str, keys: &mut Keys) {
    let words = line.split(' ').map(|word| match word.strip_prefix("@") {
        Some(name) => fixture(name).into_os_string(),
        None => match word.strip_prefix("./") {
            Some(name) => folder.join(name).into_os_string(),
            None => word.into(),
        },
    });
    let output = run(words);
    assert!(output.stdout.starts_with("{\n  \"vac\": \""), "{line}: {}", output.stderr);
    let mut document = output.json();
    let command = document["command"].as_str().expect("a name").to_owned();
    assert!(line.starts_with(&command), "{line}: {command}");
    if ["sign", "verify"].contains(&command.as_str())
        && let Some(files) = document.get_mut("files").map(Value::take)
    {
        // Each has the members of the document for one file.
        document["files"] = Value::Array(Vec::new());
        for file in files.as_array().expect("an array") {
            collect(file, "", keys.entry(command.clone()).or_default());
        }
    }
    collect(&document, "", keys.entry(command).or_default());
}

#[test]
fn documents_have_the_keys_that_the_page_lists() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let home = folder.join("home/.claude/projects/p");
    fs::create_dir_all(&home).unwrap();
    fs::copy(fixture("claude/jsonl/basic/session.jsonl"), home.join("a.jsonl")).unwrap();
    fs::write(folder.join("notes.json"), "{}").unwrap();
    let mut keys = Keys::new();
    for line in [
        "convert --json --label a=b -o ./records/ @claude @codex @gemini @opencode ./notes.json",
        "list --json --root ./home",
        "search --json --in prompts,answers,reasoning,inputs,outputs --all e @claude @codex",
        "inspect --json @claude @codex @gemini @opencode @cursor ./records",
        "usage --json --by model --prices @prices/sample.json @claude @codex @opencode",
        "keygen --json -o ./keys",
        "validate --json --lint @schema @hostile @claude ./missing.json",
    ] {
        print(folder, line, &mut keys);
    }
    let record = fs::read_dir(folder.join("records")).unwrap();
    let record = record.map(|entry| entry.unwrap().path());
    let record = record.filter(|path| path.extension().is_some_and(|it| it == "json")).min();
    fs::copy(record.expect("a record"), folder.join("record.json")).unwrap();
    for line in [
        "sign --json ./record.json --key ./keys/signing-key.pem -o ./record.cose",
        "sign --json ./record.json --key ./keys/signing-key.pem --hash-envelope -o ./hash.cose",
        "verify --json ./record.cose --key ./keys/signing-key.pub.pem",
        "verify --json ./record.json --log @claude",
        "sign --json ./record.json ./none.json --key ./keys/signing-key.pem -o ./signed/",
        "verify --json ./signed ./none.cose --key ./keys/signing-key.pub.pem",
        "verify --json ./hash.cose --key ./keys/signing-key.pub.pem --record ./record.json",
        "inspect --json ./record.cose --key ./keys/signing-key.pub.pem",
        "inspect --json ./record.cose ./hash.cose",
        "validate --json ./record.cose",
        "archive init --json ./kept --keygen",
        "archive add --json ./kept ./home ./notes.json",
        "archive list --json ./kept",
        "archive head --json ./kept",
        "archive prove --json ./kept 5f0c -o ./proof.cose",
        "archive export --json ./kept -o ./exported",
        "export --json -f atif -o ./trajectories @claude",
        "export --json -o ./tables @claude ./missing.json",
    ] {
        print(folder, line, &mut keys);
    }
    // The log is cut, and the archive gets a file that is not its own.
    let log = fs::read_to_string(home.join("a.jsonl")).unwrap();
    fs::write(home.join("a.jsonl"), log.lines().next().expect("a line")).unwrap();
    fs::write(folder.join("kept/strange"), "").unwrap();
    for line in [
        "archive status --json ./kept --root ./home",
        "archive add --json ./kept ./home",
        "doctor --json ./kept --root ./home",
        "archive verify --json ./kept",
    ] {
        print(folder, line, &mut keys);
    }
    let listed = listed();
    let printed: Vec<_> = keys.keys().map(String::as_str).collect();
    let is_printed = |it: &&str| *it != "All documents" && !ELSEWHERE.contains(it);
    let expected: Vec<_> = listed.keys().map(String::as_str).filter(is_printed).collect();
    assert_eq!(printed, expected);
    for (command, keys) in &keys {
        let known: BTreeSet<_> = listed["All documents"].union(&listed[command]).collect();
        let unlisted: Vec<_> = keys.iter().filter(|key| !known.contains(key)).collect();
        assert!(unlisted.is_empty(), "{command}: {unlisted:?}");
        // Members that few inputs have are listed, too; every other one has been printed.
        let unprinted = known.iter().filter(|key| !keys.contains(**key)).count();
        assert!(unprinted * 3 < known.len(), "{command}: {unprinted} of {}", known.len());
    }
}

#[test]
fn keys_are_kebab_case() {
    for key in listed().values().flatten() {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_allowed = |c: char| is_plain(c) || "-.[]*".contains(c);
        assert!(key.chars().all(is_allowed), "{key}");
    }
}
