//! No-drop: every scalar of every line is in the entry made of it.

use std::collections::BTreeMap;

use vac_adapter::Error;
use vac_adapter::frame::{Content, Raw, Reason, held};
use vac_value::{Document, Node};

use crate::files::all;
use crate::leaves::{Leaves, add, missing, scalar};

/// What need not be repeated on an entry, if it says what is said elsewhere:
/// the native path, and where the record says it.
const EXCEPTED: &[(&str, &str)] = &[
    ("sessionId", "/session/session-id"),
    ("session_id", "/session/session-id"),
    ("cwd", "/session/environment/working-dir"),
    ("version", "/session/agent-meta/cli-version"),
    ("gitBranch", "/vcs/branch"),
    ("message.role", "the type of its entry"),
];

#[test]
fn every_scalar_of_a_line_is_in_its_entry() {
    let mut total = Totals::default();
    let mut refused = Vec::new();
    for log in all() {
        let record = match log.json() {
            Ok((record, _)) => record,
            Err(Error::Refused(reason)) => {
                refused.push(format!("{}: {reason}", log.name));
                continue;
            }
            Err(error) => panic!("{}: {error}", log.path.display()),
        };
        let document = Document::json(&record).expect("JSON");
        let record = document.root();
        let entries = at(record, "/session/entries").expect("entries");
        let mut entries = entries.elements();
        for frame in held(&log.bytes) {
            let lines = match &frame.content {
                Content::Document(document) => lines_of(document.root(), record),
                Content::Raw(raw) => {
                    let entry = entries.next().expect("an entry for each line");
                    total.raw += u64::from(is_carried(raw, entry));
                    assert!(is_carried(raw, entry), "{} line {}", log.name, frame.place.line);
                    continue;
                }
            };
            for line in lines {
                let entry = entries.next().expect("an entry for each line");
                let lost = total.compare(line, entry, record);
                assert!(lost.is_empty(), "{} line {}: {lost:?}", log.name, frame.place.line);
            }
        }
        assert!(entries.next().is_none(), "no entry without a line");
        total.logs += 1;
    }
    println!("{total:?}");
    println!("excepted where they are equal: {EXCEPTED:?}; and null");
    println!("refused: {refused:#?}");
    assert!(total.leaves > 100);
}

/// The lines in a document: itself, or those of a web export, whose other
/// members are the session's.
fn lines_of<'d, 'a>(root: Node<'d, 'a>, record: Node<'_, '_>) -> Vec<Node<'d, 'a>> {
    match root.member("loglines") {
        None => vec![root],
        Some(lines) => {
            let session = record.member("session").expect("a session");
            for (key, value) in root.members().filter(|(key, _)| !key.is_text("loglines")) {
                let key = key.text().expect("text");
                let kept = session.member(&key).map(Node::carry);
                assert_eq!(kept, Some(value.carry()), "{key}");
            }
            lines.elements().collect()
        }
    }
}

/// Whether bytes that are no value are in an entry.
fn is_carried(raw: &Raw<'_>, entry: Node<'_, '_>) -> bool {
    let data = |key: &str| entry.member("data").and_then(|data| data.member(key));
    match (&raw.reason, std::str::from_utf8(raw.bytes)) {
        (Reason::Nul, _) => data("nul-bytes").and_then(Node::uint) == Some(raw.bytes.len() as u64),
        (_, Ok(text)) => data("raw").is_some_and(|node| node.is_text(text)),
        (_, Err(_)) => {
            let text = data("raw-base64").and_then(Node::text).unwrap_or_default();
            data_encoding::BASE64.decode(text.as_bytes()).is_ok_and(|bytes| bytes == raw.bytes)
        }
    }
}

#[derive(Debug, Default)]
struct Totals {
    logs: u64,
    leaves: i64,
    excepted: u64,
    raw: u64,
    by_path: BTreeMap<String, u64>,
}

impl Totals {
    /// What an entry lacks of its line. Children are copies and do not count.
    fn compare(
        &mut self,
        line: Node<'_, '_>,
        entry: Node<'_, '_>,
        record: Node<'_, '_>,
    ) -> Vec<String> {
        let mut native = Leaves::new();
        let excepted = std::cell::RefCell::new(Vec::new());
        self.excepted += add(
            line,
            &|path, value| {
                let path = path.iter().map(|key| &key[1..]).collect::<Vec<_>>().join(".");
                let Some((_, place)) = EXCEPTED.iter().find(|(native, _)| *native == path) else {
                    return false;
                };
                let said = at(record, place).or_else(|| entry.member("type")).map(scalar);
                let is_said = said.as_deref() == Some(value);
                if is_said {
                    excepted.borrow_mut().push(path);
                }
                is_said
            },
            &mut native,
        );
        for path in excepted.into_inner() {
            *self.by_path.entry(path).or_default() += 1;
        }
        let mut kept = Leaves::new();
        for (key, value) in entry.members() {
            if !key.is_text("children") {
                add(value, &|_, _| false, &mut kept);
            }
        }
        self.leaves += native.values().sum::<i64>();
        missing(&native, &kept)
    }
}

/// The node at a path of member names.
pub fn at<'d, 'a>(node: Node<'d, 'a>, path: &str) -> Option<Node<'d, 'a>> {
    path.strip_prefix('/')?.split('/').try_fold(node, Node::member)
}
