//! Checks whether one record contains all entries of another one.
//!
//! An entry may have further children in the later record. A record that cannot be read to its end
//! contains nothing and is contained in nothing.

use std::io::{self, Read};

use sha2::{Digest, Sha256};
use vac_validate::stream;
use vac_value::{Document, Encoding, Kind, Node};

/// The SHA-256 of an entry.
pub type EntryHash = [u8; 32];

/// Returns whether every entry of a record is in another one, unchanged and in the same order.
///
/// # Errors
/// If a record cannot be read.
pub fn contains_entries(later: &[u8], earlier: &[u8], encoding: Encoding) -> io::Result<bool> {
    let mut before = Vec::new();
    if !hash_entries(earlier, encoding, |hash| before.push(hash))? {
        return Ok(false);
    }
    let mut found = 0;
    let are_all = hash_entries(later, encoding, |hash| {
        found += usize::from(before.get(found) == Some(&hash));
    })?;
    Ok(are_all && found == before.len())
}

/// Hashes each entry of a record, children after their parent. Returns whether the record is
/// well-formed and these are all entries in it.
///
/// # Errors
/// If the record cannot be read.
pub fn hash_entries(
    mut record: impl Read,
    encoding: Encoding,
    mut take: impl FnMut(EntryHash),
) -> io::Result<bool> {
    if encoding == Encoding::Json {
        let read =
            stream::entries(record, |entry| hash_entry(entry, &EntryHash::default(), &mut take));
        return match read {
            Ok(are_all) => Ok(are_all),
            Err(stream::Error::Syntax(_) | stream::Error::Invalid(_)) => Ok(false),
            Err(stream::Error::Io(error)) => Err(error),
        };
    }
    let mut bytes = Vec::new();
    record.read_to_end(&mut bytes)?;
    let Ok(document) = Document::cbor(&bytes) else { return Ok(false) };
    let entries = vac_validate::entries(document.root());
    let Some(entries) = entries.filter(|entries| entries.kind() == Kind::Array) else {
        return Ok(false);
    };
    for entry in entries.elements() {
        hash_entry(entry, &EntryHash::default(), &mut take);
    }
    Ok(document.duplicate_keys().len() == 0)
}

/// Hashes an entry without its children, but with the hash of its parent. An entry can therefore
/// get further children, but a child with another parent has another hash.
fn hash_entry(entry: Node<'_, '_>, parent: &EntryHash, take: &mut dyn FnMut(EntryHash)) {
    let is_children = |(key, value): &(Node<'_, '_>, Node<'_, '_>)| {
        key.is_text("children") && value.kind() == Kind::Array
    };
    let mut hash = Sha256::new();
    hash.update(parent);
    if entry.kind() == Kind::Map {
        for (key, value) in entry.members().filter(|member| !is_children(member)) {
            feed(key, &mut hash);
            feed(value, &mut hash);
        }
    } else {
        feed(entry, &mut hash);
    }
    let own = hash.finalize().into();
    take(own);
    for (_, children) in entry.members().filter(is_children) {
        for child in children.elements() {
            hash_entry(child, &own, take);
        }
    }
}

/// Updates a hash with every byte of a value, except white space between the tokens of JSON.
fn feed(node: Node<'_, '_>, hash: &mut Sha256) {
    match (node.encoding(), node.kind()) {
        (Encoding::Json, Kind::Map) => {
            hash.update(b"{");
            for (key, value) in node.members() {
                feed(key, hash);
                feed(value, hash);
            }
            hash.update(b"}");
        }
        (Encoding::Json, Kind::Array) => {
            hash.update(b"[");
            for element in node.elements() {
                feed(element, hash);
            }
            hash.update(b"]");
        }
        _ => {
            // The length separates the value from the next one.
            hash.update((node.raw().len() as u64).to_le_bytes());
            hash.update(node.raw());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::{Encoder, transcode};

    fn record(entries: &str) -> String {
        format!(
            r#"{{"version":"3.0.0-draft","id":"r","session":{{"session-id":"s","entries":{entries}}}}}"#
        )
    }

    fn cbor(json: &str) -> Vec<u8> {
        let document = Document::json(json.as_bytes()).unwrap();
        let mut encoder = Encoder::cbor();
        transcode(&document, &mut encoder).unwrap();
        encoder.finish()
    }

    /// Returns whether the entries of one record are in another, in both encodings.
    #[track_caller]
    fn is_contained(before: &str, now: &str) -> bool {
        let (before, now) = (record(before), record(now));
        let answers = [
            (before.clone().into_bytes(), now.clone().into_bytes(), Encoding::Json),
            (cbor(&before), cbor(&now), Encoding::Cbor),
        ]
        .map(|(before, now, encoding)| {
            assert!(hash_entries(&before[..], encoding, drop).unwrap());
            contains_entries(&now, &before, encoding).unwrap()
        });
        assert_eq!(answers[0], answers[1], "{before} {now}");
        answers[0]
    }

    #[test]
    fn entries_may_be_added_and_not_changed_or_reordered() {
        let before = r#"[{"a":1},{"b":[1,"x"]}]"#;
        for (now, expected) in [
            (r#"[{"a":1},{"b":[1,"x"]}]"#, true),
            (r#"[ {"a": 1}, {"b": [1, "x"]} ]"#, true),
            (r#"[{"z":0},{"a":1},{"y":0},{"b":[1,"x"]},{"c":2}]"#, true),
            (r#"[{"b":[1,"x"]},{"a":1}]"#, false),
            (r#"[{"a":1}]"#, false),
            (r#"[{"a":1},{"b":[1,"y"]}]"#, false),
            (r#"[{"a":1},{"b":[1],"c":"x"}]"#, false),
            (r#"[{"a":1},[{"b":[1,"x"]}]]"#, false),
            ("[]", false),
        ] {
            assert_eq!(is_contained(before, now), expected, "{now}");
        }
        assert!(is_contained("[]", "[1]"));
    }

    #[test]
    fn children_may_be_added_and_not_moved() {
        let before = r#"[{"id":1,"children":[{"c":1}]},{"id":2,"children":[]}]"#;
        for (now, expected) in [
            (r#"[{"id":1,"children":[{"c":0},{"c":1}]},{"id":2,"children":[{"c":2}]}]"#, true),
            (r#"[{"id":1,"children":[]},{"id":2,"children":[{"c":1}]}]"#, false),
            (r#"[{"id":1,"children":[]},{"c":1},{"id":2}]"#, false),
            (r#"[{"id":1,"children":[{"c":2}]},{"id":2}]"#, false),
        ] {
            assert_eq!(is_contained(before, now), expected, "{now}");
        }
    }

    #[test]
    fn records_that_hide_entries_are_not_read() {
        let twice = r#"{"session":{"entries":[]},"session":{"entries":[1]}}"#;
        for damaged in [twice, "{}", r#"{"session":{"entries":[1"#, "", "[]"] {
            assert!(!hash_entries(damaged.as_bytes(), Encoding::Json, drop).unwrap(), "{damaged}");
            assert!(!hash_entries(damaged.as_bytes(), Encoding::Cbor, drop).unwrap(), "{damaged}");
        }
    }
}
