//! Encodes the claims of statements and heads that are not in their payload.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use vac_sign::merkle::Hash;
use vac_value::{Document, Encode, EncodeError, Encoder, Key, Kind, MapEncoder, Node};

/// The name of the claim of a statement.
pub(crate) const STATEMENT: &str = "vac-archive";
/// The name of the claim of a head.
pub(crate) const HEAD: &str = "vac-archive-head";
/// The name of the claim of an index.
pub(crate) const INDEX: &str = "vac-archive-index";

/// The claims of a statement about a record, other than its hash, its session and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementClaim {
    /// The id of the archive.
    pub archive: String,
    /// The number of the statement, from 0.
    pub number: u64,
    /// The name of the agent.
    pub agent: String,
    /// The path of the log when it was read.
    pub origin: String,
    /// The labels of the record.
    pub labels: BTreeMap<String, String>,
    /// Whether the sources of the record are in the archive.
    pub logs: bool,
    /// The version of the session, from 1.
    pub version: u64,
    /// The statement of the previous version.
    pub previous: Option<u64>,
    /// Whether this version contains the previous one.
    pub continues: Option<bool>,
}

/// The claims of a head, other than the root, the archive and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadClaim {
    /// The number of statements in the tree.
    pub size: u64,
    /// The number of the head, from 0.
    pub number: u64,
    /// SHA-256 of `archive.json`.
    pub archive: Hash,
    /// SHA-256 of the previous head.
    pub previous: Option<Hash>,
    /// Statements of versions that do not contain the previous ones, acknowledged by the owner.
    pub acknowledged: Vec<u64>,
}

struct Labels<'l>(&'l BTreeMap<String, String>);

impl Encode for Labels<'_> {
    fn encode(&self, to: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let mut map = MapEncoder::new(to);
        for (key, value) in self.0 {
            map.extension(Key::Text(key), value)?;
        }
        map.end()
    }
}

struct HashBytes<'h>(&'h Hash);

impl Encode for HashBytes<'_> {
    fn encode(&self, to: &mut Encoder<'_>) -> Result<(), EncodeError> {
        to.bytes(self.0);
        Ok(())
    }
}

impl Encode for StatementClaim {
    fn encode(&self, to: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let labels = Labels(&self.labels);
        let mut map = MapEncoder::new(to);
        map.field("archive", &self.archive)?;
        map.field("number", &self.number)?;
        map.field("agent", &self.agent)?;
        map.field("origin", &self.origin)?;
        map.field("labels", &labels)?;
        map.field("logs", &self.logs)?;
        map.field("version", &self.version)?;
        map.optional_field("previous", &self.previous)?;
        map.optional_field("continues", &self.continues)?;
        map.end()
    }
}

impl Encode for HeadClaim {
    fn encode(&self, to: &mut Encoder<'_>) -> Result<(), EncodeError> {
        let (archive, previous) = (HashBytes(&self.archive), self.previous.as_ref().map(HashBytes));
        let acknowledged = Some(&self.acknowledged).filter(|it| !it.is_empty());
        let mut map = MapEncoder::new(to);
        map.field("size", &self.size)?;
        map.field("number", &self.number)?;
        map.field("archive", &archive)?;
        map.optional_field("previous", &previous)?;
        map.optional_field("acknowledged", &acknowledged)?;
        map.end()
    }
}

/// Encodes a claim as CBOR.
pub(crate) fn encode(claim: &dyn Encode) -> Result<Vec<u8>, EncodeError> {
    let mut encoder = Encoder::cbor();
    claim.encode(&mut encoder)?;
    Ok(encoder.finish())
}

impl StatementClaim {
    /// Reads the claim of a statement; `None` if it is not one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let document = Document::cbor(bytes).ok()?;
        let map = Members::new(&document, 9)?;
        let labels = map.get("labels").filter(|it| it.kind() == Kind::Map)?;
        let label = |(key, value): (Node<'_, '_>, Node<'_, '_>)| {
            Some((key.text()?.into_owned(), value.text()?.into_owned()))
        };
        let claim = Self {
            archive: map.text("archive")?,
            number: map.uint("number")?,
            agent: map.text("agent")?,
            origin: map.text("origin")?,
            labels: labels.members().map(label).collect::<Option<_>>()?,
            logs: map.get("logs")?.bool()?,
            version: map.uint("version")?,
            previous: map.optional("previous", Node::uint)?,
            continues: map.optional("continues", Node::bool)?,
        };
        let is_first = claim.version == 1;
        let is_whole =
            claim.previous.is_none() == is_first && claim.continues.is_none() == is_first;
        (is_whole && claim.version > 0).then_some(claim)
    }
}

impl HeadClaim {
    /// Reads the claim of a head; `None` if it is not one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let document = Document::cbor(bytes).ok()?;
        let map = Members::new(&document, 5)?;
        let hash = |node: Node<'_, '_>| Hash::try_from(&*node.bytes()?).ok();
        let numbers = |node: Node<'_, '_>| {
            let is_array = node.kind() == Kind::Array;
            node.elements().map(Node::uint).collect::<Option<Vec<_>>>().filter(|_| is_array)
        };
        Some(Self {
            size: map.uint("size")?,
            number: map.uint("number")?,
            archive: hash(map.get("archive")?)?,
            previous: map.optional("previous", hash)?,
            acknowledged: map.optional("acknowledged", numbers)?.unwrap_or_else(Vec::new),
        })
    }
}

/// The members of a map with text keys, none of them twice.
struct Members<'d, 'a>(Node<'d, 'a>);

impl<'d, 'a> Members<'d, 'a> {
    fn new(document: &'d Document<'a>, max: usize) -> Option<Self> {
        let root = document.root();
        let is_map = root.kind() == Kind::Map && root.members().count() <= max;
        (is_map && document.duplicate_keys().len() == 0).then_some(Self(root))
    }

    fn get(&self, name: &str) -> Option<Node<'d, 'a>> {
        self.0.member(name)
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.get(name)?.text()?.into_owned())
    }

    fn uint(&self, name: &str) -> Option<u64> {
        self.get(name)?.uint()
    }

    /// `None` if it has another type.
    #[allow(clippy::option_option)] // absent is one thing, wrong another
    fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(Node<'d, 'a>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.get(name) {
            None => Some(None),
            Some(node) => read(node).map(Some),
        }
    }
}

/// Writes a hash in hexadecimal.
pub(crate) fn hex(hash: &[u8]) -> String {
    HEXLOWER.encode(hash)
}

/// Reads a hash in hexadecimal.
pub(crate) fn parse_hash(text: &str) -> Option<Hash> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// A hash as text in JSON.
pub(crate) mod hex_hash {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use vac_sign::merkle::Hash;

    pub fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::hex(hash))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(from)?;
        let wrong = || D::Error::custom("not 64 hexadecimal digits in lower case");
        super::parse_hash(&text).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_as_they_were_written() {
        let mut claim = StatementClaim {
            archive: "00".to_owned(),
            number: 7,
            agent: "claude".to_owned(),
            origin: "/home/ada/log.jsonl".to_owned(),
            labels: BTreeMap::from([("user".to_owned(), "ada".to_owned())]),
            logs: true,
            version: 1,
            previous: None,
            continues: None,
        };
        assert_eq!(StatementClaim::read(&encode(&claim).unwrap()), Some(claim.clone()));
        claim.previous = Some(3);
        assert_eq!(StatementClaim::read(&encode(&claim).unwrap()), None, "a first version");
        (claim.version, claim.continues) = (2, Some(false));
        assert_eq!(StatementClaim::read(&encode(&claim).unwrap()), Some(claim));
        let mut head = HeadClaim {
            size: 9,
            number: 2,
            archive: [1; 32],
            previous: Some([2; 32]),
            acknowledged: vec![4, 5],
        };
        assert_eq!(HeadClaim::read(&encode(&head).unwrap()), Some(head.clone()));
        (head.previous, head.acknowledged) = (None, Vec::new());
        assert_eq!(HeadClaim::read(&encode(&head).unwrap()), Some(head));
        assert_eq!(HeadClaim::read(&[0xa0]), None);
    }
}
