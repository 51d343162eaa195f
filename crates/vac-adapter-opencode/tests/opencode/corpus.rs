//! Real sessions, where there are any: none of them is part of the project.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use vac_adapter::Error;

use crate::{convert, no_drop};

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("VAC_CORPUS").map_or(beside, PathBuf::from).join("opencode");
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
        let omitted: u64 = records.iter().flat_map(|(_, report)| report.omitted.values()).sum();
        let texts: Vec<_> = records.into_iter().map(|(record, _)| record).collect();
        assert_parents_resolve(&texts);
        let (count, missing) = no_drop::missing(&bytes, &texts);
        println!(
            "{shown}: {} of {count} leaves, {} records, {entries} entries, {omitted} secrets",
            count - missing.len(),
            texts.len(),
        );
        lost.extend(missing.iter().map(|leaf| format!("{shown}: {leaf:.200}")));
    }
    assert!(lost.is_empty(), "{} leaves lost: {:#?}", lost.len(), &lost[..lost.len().min(20)]);
    assert!(converted >= 7, "only {converted} files converted");
}

/// Every answer names the message that it answers, every result its call, and these
/// are in the record.
fn assert_parents_resolve(records: &[String]) {
    for record in records {
        let record: serde_json::Value = serde_json::from_str(record).expect("JSON");
        let entries = record["session"]["entries"].as_array().expect("entries");
        let all = |key: &str, kind: &str| -> BTreeSet<_> {
            let of = entries.iter().filter(|entry| kind.is_empty() || entry["type"] == kind);
            of.filter_map(|entry| entry[key].as_str().map(str::to_owned)).collect()
        };
        if all("id", "").iter().any(|id| id.starts_with("msg_")) && entries.len() > 1 {
            assert!(all("parent-id", "").is_subset(&all("id", "")), "a parent is missing");
            assert!(all("messageID", "").is_subset(&all("id", "")), "a message is missing");
        }
        assert!(all("call-id", "tool-result").is_subset(&all("call-id", "tool-call")));
    }
}

#[test]
fn a_session_gives_the_same_entries_from_an_export_and_from_concatenated_objects() {
    let Some(folder) = corpus() else { return };
    let entries = |name: &str| -> Vec<serde_json::Value> {
        let bytes = fs::read(folder.join(name)).expect("a file");
        let records = convert(name, &bytes).expect("records");
        let records = records.iter().map(|(record, _)| {
            let record: serde_json::Value = serde_json::from_str(record).expect("JSON");
            record["session"]["entries"].clone()
        });
        records.collect()
    };
    let concatenated = entries("o12_concat.jsonl");
    for export in ["o01_export_small_v1.18.json", "o06_export_subagent_child_v1.18.10.json"] {
        assert!(concatenated.contains(&entries(export)[0]), "{export} gives other entries");
    }
}
