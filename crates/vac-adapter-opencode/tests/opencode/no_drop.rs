//! No-drop: every scalar of the input is in its records.

use std::collections::BTreeMap;

use vac_adapter::frame::{Content, Frames};
use vac_value::{Document, Kind, Node};

/// What need not be found, on the objects of a store themselves (never deeper).
pub const EXCEPTIONS: &[(&str, &str)] = &[
    ("type", "of a part: became the type of an entry or of an event"),
    ("role", "of a message: became the type of its entry"),
    ("sessionID", "equals the session's id"),
    ("id", "of a share object: equals the session's id"),
    ("secret", "of a share object or a session's share: the one deliberate omission"),
    ("null", "as a value"),
];

/// How many scalars an input has, and which of them its records lack.
pub fn missing(input: &[u8], records: &[String]) -> (usize, Vec<String>) {
    let mut wanted = Vec::new();
    let mut frames = Frames::new(input);
    while frames
        .next(|frame| match &frame.content {
            Content::Raw(raw) => match String::from_utf8_lossy(raw.bytes) {
                share if share.contains("\"secret\"") => {}
                text if raw.bytes.contains(&0) => assert!(text.trim_matches('\0').is_empty()),
                text => wanted.push(format!("text {text}")),
            },
            Content::Document(document) => objects(document.root(), &mut wanted),
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

/// The objects of a store: the document, or those inside an export.
fn objects(root: Node<'_, '_>, leaves: &mut Vec<String>) {
    let (Some(info), Some(messages)) = (root.member("info"), root.member("messages")) else {
        return object(root, leaves);
    };
    object(info, leaves);
    for message in messages.elements() {
        for (key, value) in message.members() {
            if key.is_text("parts") {
                value.elements().for_each(|part| object(part, leaves));
            } else {
                object(value, leaves);
            }
        }
    }
    let others = root.members().filter(|(key, _)| !key.is_text("info") && !key.is_text("messages"));
    others.for_each(|(_, value)| scalars(value, leaves));
}

fn object(node: Node<'_, '_>, leaves: &mut Vec<String>) {
    if node.kind() != Kind::Map {
        return scalars(node, leaves);
    }
    let has = |key: &str| node.member(key).is_some();
    let is_share = has("secret") && has("url");
    for (key, value) in node.members() {
        let is_excepted = (key.is_text("type") && has("messageID"))
            || (key.is_text("role") && has("sessionID"))
            || key.is_text("sessionID")
            || (is_share && (key.is_text("id") || key.is_text("secret")));
        if key.is_text("share") && has("projectID") {
            let told = value.members().filter(|(key, _)| !key.is_text("secret"));
            told.for_each(|(_, value)| scalars(value, leaves));
        } else if !is_excepted {
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
