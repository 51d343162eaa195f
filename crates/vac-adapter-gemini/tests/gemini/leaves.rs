//! The no-drop test: every scalar of the source is in the record.

use std::collections::HashMap;

use vac_adapter::frame::{Content, Frames};
use vac_value::{Document, Kind, Node};

/// What is excepted: paths of discriminators that became the type of an entry,
/// and null members.
pub const EXCEPTIONS: &[&str] = &["messages[].type", "history[].role", "[].role", "(null)"];

/// How many scalars there are, and which of them the records lack.
#[derive(Debug, Default)]
pub struct Outcome {
    pub total: usize,
    pub excepted: usize,
    pub missing: Vec<String>,
}

/// Compares a source with the records made of it.
pub fn compare(source: &[u8], records: &[Vec<u8>]) -> Outcome {
    let mut found: HashMap<String, usize> = HashMap::new();
    for record in records {
        let document = Document::json(record).expect("a record");
        each(document.root(), "", &mut |_, leaf| *found.entry(leaf).or_default() += 1);
    }
    let mut outcome = Outcome::default();
    let mut frames = Frames::new(source);
    while let Some(()) = frames
        .next(|frame| match &frame.content {
            Content::Document(document) => count(document, &mut found, &mut outcome),
            Content::Raw(raw) => panic!("line {}: {}", frame.place.line, raw.reason),
        })
        .expect("readable")
    {}
    outcome
}

fn count(document: &Document<'_>, found: &mut HashMap<String, usize>, outcome: &mut Outcome) {
    each(document.root(), "", &mut |path, leaf| {
        outcome.total += 1;
        match found.get_mut(&leaf) {
            Some(count) if *count > 0 => *count -= 1,
            _ if EXCEPTIONS.contains(&path) || leaf == "null" => outcome.excepted += 1,
            _ => outcome.missing.push(format!("{path}: {leaf}")),
        }
    });
}

/// Shows each scalar with its path: text by its meaning, everything else as it is
/// written.
fn each(node: Node<'_, '_>, path: &str, show: &mut dyn FnMut(&str, String)) {
    match node.kind() {
        Kind::Map => {
            for (key, value) in node.members() {
                let key = key.text().unwrap_or_default();
                let dot = if path.is_empty() { "" } else { "." };
                each(value, &format!("{path}{dot}{key}"), show);
            }
        }
        Kind::Array => {
            let path = format!("{path}[]");
            node.elements().for_each(|element| each(element, &path, show));
        }
        _ => {
            let token = || String::from_utf8_lossy(node.raw()).into_owned();
            show(path, node.text().map_or_else(token, |text| format!("{text:?}")));
        }
    }
}
