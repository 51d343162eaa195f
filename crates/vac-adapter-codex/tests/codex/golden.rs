//! `fixtures/codex/<case>/`: a log and the record it becomes.
//!
//! `VAC_BLESS=1` writes the expected records; they are read before they are
//! committed.

use std::{env, fs};

use vac_adapter::Memory;
use vac_value::{Encoding, Layout};

use crate::{convert, convert_with, leaves, options, workspace};

#[test]
fn every_fixture_becomes_the_record_beside_it() {
    let folder = workspace().join("fixtures/codex");
    let mut cases = 0;
    for case in fs::read_dir(folder).expect("fixtures") {
        let case = case.expect("a case").path();
        let log = fs::read_dir(&case)
            .expect("a folder")
            .map(|file| file.expect("a file").path())
            .find(|file| file.extension().is_some_and(|extension| extension == "jsonl"))
            .expect("a log");
        let name = log.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&log).expect("readable");
        let (record, _) = convert(&name, &bytes).expect("converts");
        leaves::check(&name, &bytes, &record);
        let pretty = options(Encoding::Json, Layout::Pretty);
        let (mut pretty, _) =
            convert_with(&Memory { name: &name, bytes: &bytes }, &pretty).expect("converts");
        pretty.push(b'\n');
        let expected = case.join("expected.json");
        if env::var_os("VAC_BLESS").is_some() {
            fs::write(&expected, &pretty).expect("writable");
        }
        let expected = fs::read(&expected).expect("an expected record");
        assert!(
            expected == pretty,
            "{}: expected {} found {}",
            case.display(),
            String::from_utf8_lossy(&expected),
            String::from_utf8_lossy(&pretty),
        );
        cases += 1;
    }
    assert!(cases >= 6, "{cases} cases");
}
