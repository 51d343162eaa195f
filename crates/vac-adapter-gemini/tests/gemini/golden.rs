//! Native files of our own, each with the record that it has to become.
//!
//! `VAC_BLESS=1` writes the records anew.

use std::path::{Path, PathBuf};

use crate::{check, leaves, pretty};

/// Fixtures that hold bytes which are no value; the others are compared leaf by leaf.
const DAMAGED: &[&str] = &["cut-short", "damaged", "duplicate-keys", "wrapper-with-half-a-pair"];

fn cases() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/gemini");
    let cases = std::fs::read_dir(folder).expect("fixtures");
    let mut cases: Vec<_> = cases.map(|case| case.expect("readable").path()).collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    cases
}

fn native(case: &Path) -> (String, Vec<u8>) {
    let files = std::fs::read_dir(case).expect("readable");
    let mut files = files.map(|file| file.expect("readable").path());
    let file = files
        .find(|file| file.file_name().is_none_or(|name| name != "expected.json"))
        .expect("a native file");
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
    (name.to_owned(), std::fs::read(&file).expect("readable"))
}

#[test]
fn every_fixture_becomes_the_record_beside_it() {
    let cases = cases();
    assert!(cases.len() >= 10, "fixtures are missing");
    for case in cases {
        let (name, bytes) = native(&case);
        let records = pretty(&name, &bytes).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        let made = records.join("\n") + "\n";
        let expected = case.join("expected.json");
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::write(&expected, &made).expect("writable");
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        assert!(made == wanted, "{} is another record:\n{made}", expected.display());
    }
}

#[test]
fn nothing_of_a_fixture_is_lost() {
    println!("excepted: {}", leaves::EXCEPTIONS.join(", "));
    for case in cases() {
        let (name, bytes) = native(&case);
        let records = check(&name, &bytes).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        if DAMAGED.iter().any(|damaged| case.ends_with(damaged)) {
            continue;
        }
        let outcome = leaves::compare(&bytes, &records);
        println!("{}: {} leaves, {} excepted", case.display(), outcome.total, outcome.excepted);
        assert!(outcome.missing.is_empty(), "{case:?}: {:?}", outcome.missing);
    }
}
