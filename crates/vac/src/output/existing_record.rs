//! Reads the facts that a record of `vac` states about itself: the id of its session, its sources,
//! its labels, and whether it is only a part of its log.
//!
//! The id is at the beginning of a record, the other facts are at its end. They are found without
//! reading the part between them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem;
use vac_adapter::SourceFile;
use vac_adapter::session::{CANONICAL, PROFILE};
use vac_record::keys::recording_agent;
use vac_record::keys::verifiable_agent_record::{ID, RECORDING_AGENT, SESSION, VERSION};
use vac_value::{Document, Encode as _, Encoding, Kind, Node, Scanner};

/// The number of bytes at the beginning that are read.
const HEAD: u64 = 1 << 16;
/// The number of bytes at the end that are read, and more if the sources are longer.
const TAILS: [u64; 3] = [1 << 16, 1 << 20, 1 << 24];
/// Maximum number of places at which a key is tried.
const TRIES: usize = 16;

/// The facts that a record states about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingRecord {
    /// The id of the record, which is that of the session.
    pub id: String,
    /// The files that it was made from.
    pub sources: Vec<SourceFile>,
    /// The labels that the user gave it.
    pub labels: BTreeMap<String, String>,
    /// Whether it is canonical: members that the schema does not name were left out.
    pub is_canonical: bool,
}

/// Returns whether a record has another value of one of these labels.
pub(super) fn has_other_label(
    record: &BTreeMap<String, String>,
    labels: &BTreeMap<String, String>,
) -> bool {
    labels.iter().any(|(key, value)| record.get(key).is_some_and(|other| other != value))
}

/// Returns whether all of these labels are among others, with the same values.
pub(super) fn are_among(
    labels: &BTreeMap<String, String>,
    others: &BTreeMap<String, String>,
) -> bool {
    labels.iter().all(|(key, value)| others.get(key) == Some(value))
}

/// Returns the id of the record in a file; `None` if the file does not begin like a record.
pub fn read_id(path: &Path, encoding: Encoding) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(match encoding {
        Encoding::Json => json_id(&head),
        Encoding::Cbor => cbor_id(&head),
    })
}

impl ExistingRecord {
    /// Reads the facts that the record in a file states; `None` if it is not a record of `vac`.
    pub fn read(path: &Path, encoding: Encoding) -> io::Result<Option<Self>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head)?;
        let id = match encoding {
            Encoding::Json => json_id(&head),
            Encoding::Cbor => cbor_id(&head),
        };
        let Some(id) = id else { return Ok(None) };
        for size in TAILS {
            let mut tail = Vec::new();
            file.seek(SeekFrom::Start(length.saturating_sub(size)))?;
            file.by_ref().take(size).read_to_end(&mut tail)?;
            let end = match encoding {
                Encoding::Json => json_end(&tail),
                Encoding::Cbor => cbor_end(&tail),
            };
            if let Some(end) = end {
                return Ok(Some(Self { id, ..end }));
            }
            if size >= length {
                break;
            }
        }
        Ok(None)
    }
}

/// Returns the id of a record. The text before the session is an object if a closing brace is
/// added.
fn json_id(head: &[u8]) -> Option<String> {
    let key = format!("\"{SESSION}\"");
    for at in memmem::find_iter(head, &key).take(TRIES) {
        let before = head.get(..at)?.trim_ascii_end();
        let Some(before) = before.strip_suffix(b",") else { continue };
        let closed = [before, b"}"].concat();
        if let Ok(document) = Document::json(&closed) {
            return text(document.root(), ID).filter(|_| text(document.root(), VERSION).is_some());
        }
    }
    None
}

/// Returns the facts that the end of a record states. The text from the key to the end is an object if
/// an opening brace is added, provided that the key is one of the record and not of a value in it.
fn json_end(tail: &[u8]) -> Option<ExistingRecord> {
    let key = format!("\"{RECORDING_AGENT}\"");
    for at in memmem::rfind_iter(tail, &key).take(TRIES) {
        let opened = [b"{", tail.get(at..)?].concat();
        if let Ok(document) = Document::json(&opened) {
            return end_of_record(document.root().member(RECORDING_AGENT)?);
        }
    }
    None
}

/// Returns the id of a record, which is before its session: reads the members of a map until one
/// of them is the session.
pub fn cbor_id(head: &[u8]) -> Option<String> {
    let mut rest = match head.split_first()? {
        (0xa0..=0xb7, rest) => rest,
        (0xb8, rest) => rest.get(1..)?,
        _ => return None,
    };
    let mut scanner = Scanner::default();
    loop {
        let (key, length) = scanner.cbor_prefix(rest).ok()?;
        rest = rest.get(length..)?;
        if key.root().is_text(SESSION) {
            return None;
        }
        let (value, length) = scanner.cbor_prefix(rest).ok()?;
        if key.root().is_text(ID) {
            return value.root().text().map(std::borrow::Cow::into_owned);
        }
        rest = rest.get(length..)?;
    }
}

/// Returns what the end of a record states, which is in the first of the members up to its end.
fn cbor_end(tail: &[u8]) -> Option<ExistingRecord> {
    let key = RECORDING_AGENT.to_cbor().ok()?;
    for at in memmem::rfind_iter(tail, &key).take(TRIES) {
        let rest = tail.get(at + key.len()..)?;
        let mut scanner = Scanner::default();
        let Ok((value, length)) = scanner.cbor_prefix(rest) else { continue };
        let mut rest = rest.get(length..)?;
        let mut items = 0_usize;
        while let Ok((_, length)) = scanner.cbor_prefix(rest) {
            rest = rest.get(length..)?;
            items += 1;
        }
        if rest.is_empty() && items.is_multiple_of(2) && value.root().kind() == Kind::Map {
            return end_of_record(value.root());
        }
    }
    None
}

/// Returns what the `recording-agent` of a record states. The id is elsewhere.
fn end_of_record(agent: Node<'_, '_>) -> Option<ExistingRecord> {
    agent.member(recording_agent::NAME).filter(|name| name.is_text("vac"))?;
    let source = |node: Node<'_, '_>| {
        let size = node.member("size")?.uint()?;
        Some(SourceFile { name: text(node, "name")?, size, sha_256: text(node, "sha-256")? })
    };
    let sources: Option<Vec<_>> = agent.member("sources")?.elements().map(source).collect();
    // Every record of `vac` has sources.
    let sources = sources.filter(|sources| !sources.is_empty())?;
    let labels = agent.member("labels").into_iter().flat_map(Node::members);
    let text = |node: Node<'_, '_>| node.text().map(std::borrow::Cow::into_owned);
    let labels = labels.filter_map(|(key, value)| Some((text(key)?, text(value)?))).collect();
    let profile = agent.member(PROFILE);
    let is_canonical = profile.is_some_and(|profile| profile.is_text(CANONICAL));
    Some(ExistingRecord { id: String::new(), sources, labels, is_canonical })
}

fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    node.member(key)?.text().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::{Encoder, transcode};

    const RECORD: &str = r#"{"version":"3.0.0-draft","id":"s \"session\" 1","session":{"session-id":"s",
        "agent-meta":{"model-id":"m","model-provider":"p"},"entries":[{"type":"user",
        "content":{"recording-agent":{"name":"vac","sources":[]},"said":"\"recording-agent\":{}"}}]},
        "created":"2026-01-01T00:00:00Z","recording-agent":{"name":"vac","version":"0.1.0","labels":{"user":"ada"},
        "sources":[{"name":"a \"recording-agent\"","size":7,"sha-256":"00ff"},{"name":"b","size":0,"sha-256":"01"}]},
        "a later extension":{"id":1}}"#;

    fn label(bytes: &[u8], encoding: Encoding) -> Option<ExistingRecord> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, bytes).unwrap();
        ExistingRecord::read(file.path(), encoding).unwrap()
    }

    fn cbor(json: &str) -> Vec<u8> {
        let document = Document::json(json.as_bytes()).unwrap();
        let mut encoder = Encoder::cbor();
        transcode(&document, &mut encoder).unwrap();
        encoder.finish()
    }

    #[test]
    fn a_record_says_what_it_is_made_from() {
        let source = |name: &str, size, sha_256: &str| SourceFile {
            name: name.to_owned(),
            size,
            sha_256: sha_256.to_owned(),
        };
        let expected = ExistingRecord {
            id: "s \"session\" 1".to_owned(),
            sources: vec![source("a \"recording-agent\"", 7, "00ff"), source("b", 0, "01")],
            labels: [("user".to_owned(), "ada".to_owned())].into(),
            is_canonical: false,
        };
        assert_eq!(label(RECORD.as_bytes(), Encoding::Json).as_ref(), Some(&expected));
        assert_eq!(label(&cbor(RECORD), Encoding::Cbor).as_ref(), Some(&expected));
        let pretty: serde_json::Value = serde_json::from_str(RECORD).unwrap();
        // serde_json sorts keys; the order of a record is its own.
        assert!(label(pretty.to_string().as_bytes(), Encoding::Json).is_none());
    }

    #[test]
    fn bytes_between_id_and_sources_are_not_read() {
        let long = "x".repeat(3 << 20);
        let record = RECORD.replace("\"said\"", &format!("\"long\":\"{long}\",\"said\""));
        assert!(label(record.as_bytes(), Encoding::Json).is_some());
        assert!(label(&cbor(&record), Encoding::Cbor).is_some());
    }

    #[test]
    fn other_files_are_not_existing_records() {
        let others = [
            String::new(),
            "{}".to_owned(),
            "[".repeat(1000),
            RECORD.replace("\"name\":\"vac\"", "\"name\":\"other\""),
            RECORD.replace("\"sha-256\"", "\"sha-512\""),
            RECORD
                .replace("\"recording-agent\":{\"name\":\"vac\",\"version\"", "\"x\":{\"version\""),
            RECORD.replace("\"version\":\"3.0.0-draft\",", ""),
            RECORD[..RECORD.len() - 1].to_owned(),
        ];
        for other in others {
            assert_eq!(label(other.as_bytes(), Encoding::Json), None, "{other}");
            assert_eq!(label(other.as_bytes(), Encoding::Cbor), None, "{other}");
        }
        let cbor = cbor(&RECORD.replace(",\n        \"a later extension\":{\"id\":1}", ""));
        assert!(label(&cbor, Encoding::Cbor).is_some());
        for end in 0..cbor.len() {
            assert_eq!(label(&cbor[..end], Encoding::Cbor), None, "{end}");
        }
    }
}
