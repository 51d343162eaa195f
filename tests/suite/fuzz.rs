//! Runs the checks of the fuzz targets with their corpus, without libFuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;

use vac_tests::fuzz::TARGETS;
use vac_tests::root;
use vac_validate::{Encoding, validate};

/// The size in bytes of the stack of a main thread on most systems, on which libFuzzer runs a
/// check.
const STACK: usize = 8 << 20;

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn every_corpus_file_passes_the_check_of_its_target() {
    for target in TARGETS {
        let files = corpus(target.name);
        assert!(files.len() >= 3, "{}: {} files are not a corpus", target.name, files.len());
        for path in files {
            let bytes = fs::read(&path).expect("a file");
            let check = target.check;
            let thread = thread::Builder::new().stack_size(STACK).spawn(move || check(&bytes));
            let outcome = thread.expect("a thread").join();
            assert!(outcome.is_ok(), "{} breaks an invariant", path.display());
        }
    }
}

/// With a corpus without a valid record, libFuzzer would not get past the first violation.
#[test]
fn corpora_of_records_have_valid_ones() {
    for (target, encoding) in [("json", Encoding::Json), ("cbor", Encoding::Cbor)] {
        let is_valid =
            |path: &PathBuf| validate(&fs::read(path).expect("a file"), encoding).is_ok();
        assert!(corpus(target).iter().any(is_valid), "{target}");
    }
}

#[test]
fn every_corpus_folder_belongs_to_a_target() {
    let folders = fs::read_dir(root().join("tests/fuzz/corpus")).expect("a corpus");
    let folders = folders.map(|entry| entry.expect("an entry").file_name().into_string());
    let folders: BTreeSet<_> = folders.map(|name| name.expect("a name in ASCII")).collect();
    let targets: BTreeSet<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(folders, targets);
}

#[test]
fn corpus_stays_small() {
    let size: u64 = TARGETS
        .iter()
        .flat_map(|target| corpus(target.name))
        .map(|path| path.metadata().expect("a file").len())
        .sum();
    assert!(size < 500_000, "{size} bytes");
}
