//! The files in `fixtures/hostile`, each with what its line in the table there says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Ended, assert_untouched, files, names, run};
use crate::home::copy;
use crate::run::Folder;

/// A line of the table.
struct Row {
    file: String,
    outcome: String,
}

fn folder_of_fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hostile")
}

fn table() -> Vec<Row> {
    let text = fs::read_to_string(folder_of_fixtures().join("README.md")).expect("a table");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let row = |line: &str| {
        let mut cells = line.split(" | ");
        let file = cells.next().and_then(|cell| cell.strip_suffix('`')).expect("a file");
        let outcome = cells.last().expect("an outcome");
        Row { file: file.to_owned(), outcome: outcome.to_owned() }
    };
    rows.map(row).collect()
}

/// Returns how many frames of the log the report counts as unparsed.
fn unparsed(folder: &Folder) -> u64 {
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    report["sessions"][0]["unparsed"]["count"].as_u64().expect("a number")
}

#[test]
fn every_file_has_its_line_and_every_line_its_file() {
    let mut files: BTreeSet<_> = names(&folder_of_fixtures()).into_iter().collect();
    files.remove("README.md");
    let table: Vec<_> = table().into_iter().map(|row| row.file).collect();
    assert_eq!(table, files.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_file_becomes_what_the_table_says() {
    for Row { file, outcome } in table() {
        let folder = Folder::new();
        copy(&format!("hostile/{file}"), &folder, &format!("in/{file}"));
        let before = files(folder.path());
        let input = format!("in/{file}");
        let convert = ["convert", "-o", "out/", "--report", "report.json", &input];
        let ended = run(folder.path(), &convert);
        if let Some(reason) = outcome.strip_prefix("failed") {
            let unknown = format!(" (supported: {})", vac::agent_names());
            let reason = if reason.is_empty() { &unknown } else { reason };
            ended.says(1, &format!("{input}: "));
            ended.says(1, &format!("{reason}\n"));
            assert_eq!(names(&folder.path().join("out")), [""; 0], "{file}");
        } else {
            assert_eq!(ended.code, 0, "{file}: {ended:?}");
            let expected = outcome.strip_prefix("record").expect("record or failed");
            let expected =
                expected.strip_prefix(", ").and_then(|rest| rest.strip_suffix(" unparsed"));
            let expected = expected.map_or(0, |count| count.parse().expect("a number"));
            assert_eq!(unparsed(&folder), expected, "{file}");
            check_records(&folder, &input);
        }
        assert_untouched(&before);
    }
}

/// Fails unless the folder contains one valid record, which a second run and CBOR confirm.
fn check_records(folder: &Folder, input: &str) {
    let out = folder.path().join("out");
    let made = names(&out);
    assert_eq!(made.len(), 1, "{input}: {made:?}");
    assert_eq!(run(folder.path(), &["validate", "out"]).code, 0, "{input}");
    let once = fs::read(out.join(&made[0])).expect("a record");
    let again = run(folder.path(), &["convert", "-q", "-j1", input]);
    assert!(again.stdout == once, "{input}: other bytes the second time");
    let cbor = run(folder.path(), &["convert", "-q", "-f", "cbor", "-o", "record.cbor", input]);
    assert_eq!(cbor.code, 0, "{input}: {cbor:?}");
    assert_eq!(run(folder.path(), &["validate", "record.cbor"]).code, 0, "{input}");
}

#[test]
fn every_command_survives_every_file() {
    let folder = Folder::new();
    assert_eq!(run(folder.path(), &["keygen", "-o", "keys"]).code, 0);
    for Row { file, .. } in table() {
        copy(&format!("hostile/{file}"), &folder, &file);
        let key = "keys/signing-key.pem";
        let public = "keys/signing-key.pub.pem";
        let commands: [&[&str]; 12] = [
            &["validate", &file],
            &["validate", "--lint", "--json", &file],
            &["transcode", "--to", "cbor", &file],
            &["transcode", "--from", "cbor", "--to", "json", &file],
            &["transcode", "--canonical", &file],
            &["inspect", "--json", &file],
            &["events", &file],
            &["sign", &file, "--key", key, "-o", "signed.cbor", "--force"],
            &["verify", &file, "--key", public],
            &["receipts", "attach", &file, &file, "-o", "with-receipts.cbor", "--force"],
            &["sign", "keys/signing-key.pub.pem", "--key", &file, "--insecure-key-permissions"],
            &["validate", "--schema", &file, public],
        ];
        for command in commands {
            let Ended { code, stdout, stderr } = run(folder.path(), command);
            let is_found = |line: &str| line.contains(&file) || line.contains("stdin");
            let is_found_in_data = || String::from_utf8_lossy(&stdout).lines().any(is_found);
            let is_named = stderr.lines().any(is_found)
                || match command[0] {
                    "validate" => true,
                    "verify" => is_found_in_data(),
                    _ => false,
                };
            assert!(code == 0 || is_named, "{command:?} does not say which file: {stderr}");
        }
    }
}

#[test]
fn hostile_files_do_not_stop_the_others() {
    let folder = Folder::new();
    copy("hostile", &folder, "in");
    let before = files(&folder.path().join("in"));
    let ended = run(folder.path(), &["convert", "-q", "in", "-o", "out/"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let records = table().iter().filter(|row| row.outcome.starts_with("record")).count();
    assert_eq!(names(&folder.path().join("out")).len(), records);
    assert_eq!(run(folder.path(), &["validate", "out"]).code, 0);
    assert_untouched(&before);
    let again = run(folder.path(), &["convert", "-q", "in", "-o", "again/", "-j", "7"]);
    assert_eq!(again.code, 0);
    let bytes =
        |folder: &Path| files(folder).into_values().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    assert!(bytes(&folder.path().join("out")) == bytes(&folder.path().join("again")));
}
