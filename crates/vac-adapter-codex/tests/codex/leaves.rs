//! No-drop: every scalar of a line is in the entry that the line became.
//!
//! Line and entry are compared one by one, which is more than a record as a
//! whole would have to show.

use std::collections::HashMap;

use data_encoding::BASE64;
use vac_adapter::frame::{Content, Frames};
use vac_value::{Document, Kind, Node};

/// What need not be in the record as it is.
pub const EXCEPTIONS: &[&str] = &[
    "a line's `type`: it is the entry's type, or the first half of its event-type",
    "`type` of a response item message, reasoning, function_call, function_call_output: \
     the entry's type",
    "`role` user and assistant of a message: the entry's type",
    "null",
];

/// Fails unless every leaf is there; gives their number.
pub fn check(name: &str, native: &[u8], record: &[u8]) -> usize {
    let record = Document::json(record).expect("the record can be read");
    let session = record.root().member("session").expect("a session");
    let mut entries = session.member("entries").expect("entries").elements();
    let mut frames = Frames::new(native);
    let mut total = 0;
    let mut lost = Vec::new();
    while frames
        .next(|frame| {
            let entry = entries.next().expect("an entry for every frame");
            let mut found = HashMap::new();
            collect(entry, false, &mut |leaf| *found.entry(leaf).or_insert(0_usize) += 1);
            let mut expect = |leaf: Vec<u8>| {
                total += 1;
                match found.get_mut(&leaf) {
                    Some(left) if *left > 0 => *left -= 1,
                    _ => lost.push((frame.place.line, String::from_utf8_lossy(&leaf).into_owned())),
                }
            };
            match &frame.content {
                Content::Document(document) => collect(document.root(), true, &mut expect),
                Content::Raw(raw) => match std::str::from_utf8(raw.bytes) {
                    Ok(_) if raw.bytes.iter().all(|byte| *byte == 0) => {
                        expect(raw.bytes.len().to_string().into_bytes());
                    }
                    Ok(text) => expect(text.as_bytes().to_vec()),
                    Err(_) => expect(BASE64.encode(raw.bytes).into_bytes()),
                },
            }
        })
        .expect("memory can be read")
        .is_some()
    {}
    assert!(entries.next().is_none(), "{name}: more entries than frames");
    assert!(lost.is_empty(), "{name}: {} of {total} leaves lost: {lost:.600?}", lost.len());
    total
}

/// Scalars by what they are, not by how they are written.
fn collect(node: Node<'_, '_>, is_line: bool, take: &mut dyn FnMut(Vec<u8>)) {
    let is = |key: &str, text: &str| node.member(key).is_some_and(|value| value.is_text(text));
    match node.kind() {
        Kind::Map => {
            for (key, value) in node.members() {
                if is_line && key.is_text("type") {
                    // That of an envelope, or of an item without one.
                    if node.member("payload").is_some() || translated(value) {
                        continue;
                    }
                }
                if is_line && key.is_text("role") && is("type", "message") && spoken(value) {
                    continue;
                }
                if is_line && key.is_text("payload") && is("type", "response_item") {
                    item(value, take);
                    continue;
                }
                collect(value, false, take);
            }
        }
        Kind::Array => node.elements().for_each(|element| collect(element, false, take)),
        Kind::Null => {}
        Kind::Text => take(match node.text() {
            Some(text) => text.into_owned().into_bytes(),
            None => node.raw().to_vec(),
        }),
        _ => take(node.raw().to_vec()),
    }
}

fn item(payload: Node<'_, '_>, take: &mut dyn FnMut(Vec<u8>)) {
    if payload.kind() != Kind::Map {
        return collect(payload, false, take);
    }
    let is_message = payload.member("type").is_some_and(|kind| kind.is_text("message"));
    let is_spoken = is_message && payload.member("role").is_some_and(spoken);
    for (key, value) in payload.members() {
        let is_type = key.is_text("type") && translated(value) && (!is_message || is_spoken);
        let is_role = key.is_text("role") && is_spoken;
        if !is_type && !is_role {
            collect(value, false, take);
        }
    }
}

fn translated(kind: Node<'_, '_>) -> bool {
    ["message", "reasoning", "function_call", "function_call_output"]
        .iter()
        .any(|known| kind.is_text(known))
}

fn spoken(role: Node<'_, '_>) -> bool {
    role.is_text("user") || role.is_text("assistant")
}
