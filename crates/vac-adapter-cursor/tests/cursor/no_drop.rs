//! No-drop: every scalar of the input is in its records.

use std::collections::BTreeMap;

use vac_adapter::frame::{Content, Frames};
use vac_value::{Document, Kind, Node};

/// What need not be found, on the lines themselves (never deeper).
pub const EXCEPTIONS: &[(&str, &str)] = &[
    ("role", "`user` or `assistant`: became the type of an entry"),
    ("type", "became the type of an event"),
    ("null", "as a value"),
];

/// How many scalars an input has, and which of them its records lack.
pub fn missing(input: &[u8], records: &[String]) -> (usize, Vec<String>) {
    let mut wanted = Vec::new();
    let mut frames = Frames::new(input);
    while frames
        .next(|frame| match &frame.content {
            Content::Raw(raw) => {
                wanted.push(format!("text {}", String::from_utf8_lossy(raw.bytes)));
            }
            Content::Document(document) => line(document.root(), &mut wanted),
        })
        .expect("memory")
        .is_some()
    {}
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for record in records {
        let document = Document::json(record.as_bytes()).expect("JSON");
        let mut leaves = Vec::new();
        scalars(document.root(), &mut leaves);
        for leaf in leaves {
            *found.entry(leaf).or_default() += 1;
        }
    }
    let count = wanted.len();
    wanted.retain(|leaf| match found.get_mut(leaf) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    (count, wanted)
}

fn line(node: Node<'_, '_>, leaves: &mut Vec<String>) {
    if node.kind() != Kind::Map {
        return scalars(node, leaves);
    }
    for (key, value) in node.members() {
        let is_role = value.is_text("user") || value.is_text("assistant");
        let is_type = value.kind() == Kind::Text;
        if !(key.is_text("role") && is_role || key.is_text("type") && is_type) {
            scalars(value, leaves);
        }
    }
}

fn scalars(node: Node<'_, '_>, leaves: &mut Vec<String>) {
    match node.kind() {
        Kind::Map => node.members().for_each(|(_, value)| scalars(value, leaves)),
        Kind::Array => node.elements().for_each(|element| scalars(element, leaves)),
        Kind::Null => {}
        Kind::Text => leaves.push(match node.text() {
            Some(text) => format!("text {text}"),
            None => format!("token {}", String::from_utf8_lossy(node.raw())),
        }),
        Kind::Float => leaves.push(match node.number() {
            Some(number) => format!("number {number}"),
            None => String::from_utf8_lossy(node.raw()).into_owned(),
        }),
        _ => leaves.push(String::from_utf8_lossy(node.raw()).into_owned()),
    }
}
