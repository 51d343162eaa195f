//! Golden fixtures: native files beside the records they give. `VAC_BLESS=1` writes
//! the records.

use std::fs;
use std::path::{Path, PathBuf};

use vac_value::{Encoding, Layout};

use crate::{convert, no_drop, written};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cursor");
    let entries = fs::read_dir(folder).expect("fixtures").flatten();
    let mut cases: Vec<_> = entries.map(|entry| entry.path()).collect();
    cases.sort();
    cases
}

fn native(case: &Path) -> (String, Vec<u8>) {
    let files = fs::read_dir(case).expect("a case").flatten();
    let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let name = names.find(|name| !name.starts_with("expected")).expect("a native file");
    let bytes = fs::read(case.join(&name)).expect("a native file");
    (name, bytes)
}

#[test]
fn fixtures_give_the_records_beside_them() {
    for case in cases() {
        let (name, bytes) = native(&case);
        let records = written(&name, &bytes, Encoding::Json, Layout::Pretty).expect("records");
        for (number, (record, _)) in (1..).zip(&records) {
            let expected = case.join(match records.len() {
                1 => "expected.json".to_owned(),
                _ => format!("expected-{number}.json"),
            });
            let record = String::from_utf8_lossy(record).into_owned() + "\n";
            if std::env::var_os("VAC_BLESS").is_some() {
                fs::write(&expected, &record).expect("to write");
            }
            let expected_record = fs::read_to_string(&expected).unwrap_or_default();
            assert!(record == expected_record, "{} is another", expected.display());
        }
    }
}

#[test]
fn fixtures_lose_nothing() {
    for case in cases() {
        let (name, bytes) = native(&case);
        let records = convert(&name, &bytes).expect("records");
        let records: Vec<_> = records.into_iter().map(|(record, _)| record).collect();
        let (count, missing) = no_drop::missing(&bytes, &records);
        println!("{}: {count} leaves", case.display());
        assert!(missing.is_empty(), "{}: {missing:#?}", case.display());
    }
}
