//! Real sessions, where there are any: none of them is part of the project.

use std::fs;
use std::path::{Path, PathBuf};

use vac_adapter::Error;

use crate::{convert, no_drop};

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("VAC_CORPUS").map_or(beside, PathBuf::from).join("cursor");
    if !folder.is_dir() {
        println!("no corpus at {}: skipped", folder.display());
        return None;
    }
    Some(folder)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_file_of_the_corpus_is_converted_whole_or_refused_with_a_reason() {
    let Some(folder) = corpus() else { return };
    for (name, why) in no_drop::EXCEPTIONS {
        println!("need not be found: {name} ({why})");
    }
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let mut lost = Vec::new();
    let mut converted = 0;
    for path in paths {
        let bytes = fs::read(&path).expect("a file");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shown = path.strip_prefix(&folder).unwrap_or(&path).display();
        let records: Vec<_> = match convert(&name, &bytes) {
            Ok(records) => records,
            Err(Error::Refused(reason)) => {
                println!("{shown}: refused: {reason}");
                continue;
            }
            Err(error) => panic!("{shown}: {error}"),
        };
        converted += 1;
        let entries: u64 = records.iter().flat_map(|(_, report)| report.entries.values()).sum();
        let texts: Vec<_> = records.into_iter().map(|(record, _)| record).collect();
        let (count, missing) = no_drop::missing(&bytes, &texts);
        println!("{shown}: {} of {count} leaves, {entries} entries", count - missing.len());
        lost.extend(missing.iter().map(|leaf| format!("{shown}: {leaf:.200}")));
    }
    assert!(lost.is_empty(), "{} leaves lost: {:#?}", lost.len(), &lost[..lost.len().min(20)]);
    assert!(converted >= 10, "only {converted} files converted");
}
