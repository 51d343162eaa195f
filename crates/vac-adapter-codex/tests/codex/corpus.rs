//! The corpus: real files, which are not part of this project.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

use vac_adapter::{Adapter, Error, Memory, detect};
use vac_adapter_codex::Codex;
use vac_value::{Document, Node};

use crate::{convert, leaves, workspace};

fn files() -> Vec<PathBuf> {
    let corpus = env::var_os("VAC_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from)
        .join("codex");
    let Ok(folder) = fs::read_dir(&corpus) else {
        println!("no corpus at {}: skipped", corpus.display());
        return Vec::new();
    };
    let mut files: Vec<_> = folder.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_converts_without_a_loss_or_is_refused_with_a_reason() {
    println!("need not be in the record as they are:");
    for exception in leaves::EXCEPTIONS {
        println!("  {exception}");
    }
    for file in files() {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&file).expect("readable");
        match convert(&name, &bytes) {
            Ok((record, report)) => {
                let found = leaves::check(&name, &bytes, &record);
                println!(
                    "{name}: {found} of {found} leaves; {} frames, {} linked, {} inherited, \
                     {} unparsed, \
                     unknown {:?}, {:?}",
                    report.frames,
                    report.duplicates_linked,
                    String::from_utf8_lossy(&record).matches(r#""inherited":true"#).count(),
                    report.unparsed.count,
                    report.unknown_types,
                    report.entries,
                );
            }
            Err(Error::Refused(reason)) => {
                assert!(reason.contains("first Codex CLI"), "{name}: {reason}");
                println!("{name}: refused: {reason}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn every_file_is_detected() {
    for file in files() {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&file).expect("readable");
        let found = detect(&Memory { name: &name, bytes: &bytes }, &[&Codex]).expect("readable");
        assert_eq!(found.map(|(adapter, _)| adapter.name()), Some(Codex.name()), "{name}");
    }
}

/// The ids of calls and of results of a log or a record.
fn calls<'a>(
    nodes: impl Iterator<Item = Node<'a, 'a>>,
    of: impl Fn(Node<'a, 'a>) -> (bool, Option<Node<'a, 'a>>),
) -> (BTreeSet<String>, Vec<String>) {
    let (mut called, mut answered) = (BTreeSet::new(), Vec::new());
    for node in nodes {
        if let (is_call, Some(id)) = of(node)
            && let Some(id) = id.text()
        {
            if is_call {
                called.insert(id.into_owned());
            } else {
                answered.push(id.into_owned());
            }
        }
    }
    (called, answered)
}

#[test]
fn call_ids_that_resolve_in_the_source_resolve_in_the_record() {
    for file in files() {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&file).expect("readable");
        let Ok((record, _)) = convert(&name, &bytes) else { continue };
        let lines: Vec<_> = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| Document::json(line).ok())
            .collect();
        let (called, answered) = calls(lines.iter().map(Document::root), |line| {
            let item = line.member("payload").unwrap_or(line);
            let kind = item.member("type").and_then(Node::text).unwrap_or_default();
            let is_item = line.member("payload").is_none()
                || line.member("type").is_some_and(|kind| kind.is_text("response_item"));
            let of_call = kind.ends_with("_call") || kind.ends_with("_output");
            (kind.ends_with("_call"), item.member("call_id").filter(|_| is_item && of_call))
        });
        let native = answered.iter().filter(|id| called.contains(*id)).count();
        let record = Document::json(&record).expect("the record can be read");
        let entries = record.root().member("session").and_then(|node| node.member("entries"));
        let entries = entries.expect("entries");
        let (called, answered) = calls(entries.elements(), |entry| {
            let is = |kind: &str| entry.member("type").is_some_and(|value| value.is_text(kind));
            let of_call = is("tool-call") || is("tool-result");
            (is("tool-call"), entry.member("call-id").filter(|_| of_call))
        });
        let resolved = answered.iter().filter(|id| called.contains(*id)).count();
        println!("{name}: {native} call ids resolve, {resolved} in the record");
        assert_eq!(resolved, native, "{name}");
    }
}
