//! Real files, where there are any.

use std::path::PathBuf;

use vac_adapter::{Confidence, Error, Memory, detect};
use vac_adapter_gemini::Gemini;

use crate::{check, leaves};

fn corpus() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("VAC_CORPUS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus")),
        PathBuf::from,
    );
    let files = std::fs::read_dir(folder.join("gemini")).ok()?;
    let mut files: Vec<_> = files.map(|file| file.expect("readable").path()).collect();
    files.sort();
    Some(files)
}

#[test]
fn nothing_of_a_real_file_is_lost() {
    let Some(files) = corpus() else {
        println!("skipped: no corpus");
        return;
    };
    println!("excepted: {}", leaves::EXCEPTIONS.join(", "));
    let mut converted = 0;
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let bytes = std::fs::read(&file).expect("readable");
        match check(name, &bytes) {
            Ok(records) => {
                let outcome = leaves::compare(&bytes, &records);
                let missing = outcome.missing.len();
                println!(
                    "{name}: {} of {} found, {} excepted, {missing} missing",
                    outcome.total - outcome.excepted - missing,
                    outcome.total,
                    outcome.excepted,
                );
                assert!(outcome.missing.is_empty(), "{name}: {:?}", outcome.missing.first());
                converted += 1;
            }
            Err(Error::Refused(reason)) => {
                println!("{name}: refused: {reason}");
                assert!(reason.contains("not read yet"), "{name}: {reason}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(converted > 0, "no file of the corpus converts");
}

#[test]
fn every_real_file_is_recognised() {
    for file in corpus().unwrap_or_default() {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let bytes = std::fs::read(&file).expect("readable");
        let input = Memory { name, bytes: &bytes };
        let found = detect(&input, &[&Gemini]).expect("readable");
        assert!(found.is_some_and(|(_, sure)| sure >= Confidence::Likely), "{name}");
    }
}

#[test]
fn a_session_in_two_real_files_is_one() {
    let files = corpus().unwrap_or_default();
    let halves: Vec<_> =
        files.iter().filter(|file| file.to_string_lossy().contains("-split-")).collect();
    let [first, second] = halves[..] else {
        println!("skipped: no split session in the corpus");
        return;
    };
    let [first, second] = [first, second].map(|file| std::fs::read(file).expect("readable"));
    let forward = check("-", &[&first[..], &second[..]].concat()).expect("a session");
    let backward = check("-", &[&second[..], &first[..]].concat()).expect("a session");
    assert_eq!((forward.len(), backward.len()), (1, 1));
    let source = [&first[..], &second[..]].concat();
    for records in [forward, backward] {
        let outcome = leaves::compare(&source, &records);
        assert!(outcome.missing.is_empty(), "{:?}", outcome.missing.first());
    }
}
