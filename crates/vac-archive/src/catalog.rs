//! The versions of sessions in an archive.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use vac_adapter::SourceFile;
use vac_record::AbstractTimestamp;
use vac_record::time::{instant, utc};
use vac_sign::merkle::Hash;
use vac_value::{Document, Node};

use crate::claims::{StatementClaim, hex, hex_hash, parse_hash};
use crate::error::{ArchiveErrorKind, Error, Result};
use crate::journal::Statement;
use crate::origin::Origin;

/// One version of a session: the claims of its statement, and the facts that its record states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ArchivedVersion {
    /// The number of its statement.
    pub number: u64,
    /// The id of the session.
    pub session_id: String,
    /// The name of the agent.
    pub agent: String,
    /// The path of the log when it was read.
    pub origin: String,
    /// The labels of the record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Whether the sources of the record are in the archive.
    pub logs: bool,
    /// The version, from 1.
    pub version: u64,
    /// The statement of the previous version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u64>,
    /// Whether it contains the previous version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<bool>,
    /// The time at which the version was added, in seconds since 1970, as the signer claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The SHA-256 of the record; in hexadecimal in JSON.
    #[serde(rename = "record-sha-256", with = "hex_hash")]
    pub record_sha_256: Hash,
    /// The facts that the record states.
    #[serde(flatten)]
    pub details: RecordDetails,
}

/// The facts that a record states about its session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordDetails {
    /// The size of the record in bytes.
    pub size: u64,
    /// The time at which the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The folder that the agent worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The files that the record was made from.
    pub sources: Vec<SourceLine>,
}

/// A source of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SourceLine {
    /// The name of the file.
    pub name: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The SHA-256 of the file; in hexadecimal in JSON.
    #[serde(rename = "sha-256", with = "hex_hash")]
    pub sha_256: Hash,
}

impl From<&SourceLine> for SourceFile {
    fn from(source: &SourceLine) -> Self {
        let SourceLine { name, size, sha_256 } = source;
        Self { name: name.clone(), size: *size, sha_256: hex(sha_256) }
    }
}

/// The facts of a record that its statement repeats.
pub(crate) struct RecordIdentity {
    pub id: Option<String>,
    pub labels: Option<BTreeMap<String, String>>,
}

impl RecordDetails {
    /// Reads the details of a record. Fails if a source has no name, size or hash.
    pub(crate) fn read(document: &Document<'_>, size: usize) -> Result<Self, String> {
        let root = document.root();
        let text = |node: Node<'_, '_>, path: &[&str]| {
            let mut node = Some(node);
            for name in path {
                node = node.and_then(|node| node.member(name));
            }
            node?.text().map(std::borrow::Cow::into_owned)
        };
        let source = |(number, node): (usize, Node<'_, '_>)| {
            let line = || {
                Some(SourceLine {
                    name: text(node, &["name"])?,
                    size: node.member("size")?.uint()?,
                    sha_256: parse_hash(&text(node, &["sha-256"])?)?,
                })
            };
            line().ok_or_else(|| format!("source {number} has no name, size or SHA-256"))
        };
        let sources = root.member("recording-agent").and_then(|it| it.member("sources"));
        let sources = sources.into_iter().flat_map(Node::elements);
        Ok(Self {
            size: size as u64,
            start: root
                .member("session")
                .and_then(|session| session.member("session-start"))
                .and_then(timestamp),
            project: text(root, &["session", "environment", "working-dir"]),
            sources: sources.enumerate().map(source).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the sources in the type of the reader of logs.
    pub fn source_files(&self) -> Vec<SourceFile> {
        self.sources.iter().map(SourceFile::from).collect()
    }
}

/// Returns a timestamp as text. A number is formatted in UTC.
fn timestamp(node: Node<'_, '_>) -> Option<String> {
    match node.uint() {
        Some(number) => instant(&AbstractTimestamp::Uint(number)).and_then(utc),
        None => node.text().map(std::borrow::Cow::into_owned),
    }
}

impl RecordIdentity {
    pub fn read(document: &Document<'_>) -> Self {
        let root = document.root();
        let label = |(key, value): (Node<'_, '_>, Node<'_, '_>)| {
            Some((key.text()?.into_owned(), value.text()?.into_owned()))
        };
        let labels = root.member("recording-agent").and_then(|it| it.member("labels"));
        Self {
            id: root.member("id").and_then(|id| Some(id.text()?.into_owned())),
            labels: match labels {
                None => Some(BTreeMap::new()),
                Some(labels) => labels.members().map(label).collect(),
            },
        }
    }
}

impl ArchivedVersion {
    pub(crate) fn new(statement: Statement, details: RecordDetails) -> Self {
        let Statement { claim, session_id, time, record } = statement;
        let StatementClaim { number, agent, origin, labels, logs, .. } = claim;
        let (version, previous, continues) = (claim.version, claim.previous, claim.continues);
        Self {
            number,
            session_id,
            agent,
            origin,
            labels,
            logs,
            version,
            previous,
            continues,
            time,
            record_sha_256: record,
            details,
        }
    }

    /// Returns the place of the log when it was read.
    pub(crate) fn place(&self) -> Origin<'_> {
        let first = self.details.sources.first().map(|source| source.name.as_str());
        Origin::parse(&self.origin, first)
    }
}

/// All versions of all sessions, in the order of their statements.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    versions: Vec<ArchivedVersion>,
    by_session: HashMap<String, Vec<usize>>,
    by_origin: HashMap<String, Vec<usize>>,
    /// The numbers of versions that have a later one.
    replaced: HashSet<u64>,
    /// Versions that do not contain the previous ones, acknowledged by the owner.
    acknowledged: HashSet<u64>,
}

impl Catalog {
    pub(crate) fn push(&mut self, version: ArchivedVersion) {
        let at = self.versions.len();
        self.by_session.entry(version.session_id.clone()).or_default().push(at);
        self.by_origin.entry(version.origin.clone()).or_default().push(at);
        self.replaced.extend(version.previous);
        self.versions.push(version);
    }

    pub(crate) fn acknowledge(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.acknowledged.extend(numbers);
    }

    /// Returns all versions.
    pub fn versions(&self) -> &[ArchivedVersion] {
        &self.versions
    }

    /// Returns the version with this number.
    pub fn get(&self, number: u64) -> Option<&ArchivedVersion> {
        self.versions.get(usize::try_from(number).ok()?)
    }

    /// Returns whether a version is the latest of its session.
    pub fn is_latest(&self, version: &ArchivedVersion) -> bool {
        !self.replaced.contains(&version.number)
    }

    /// Returns the latest versions, one for each session and place.
    pub fn latest(&self) -> impl Iterator<Item = &ArchivedVersion> {
        self.versions.iter().filter(|version| self.is_latest(version))
    }

    /// Returns the number of sessions. One that was read in several places counts once.
    pub fn sessions(&self) -> usize {
        self.by_session.len()
    }

    /// Returns the latest versions of a session: several if it was read in several places.
    pub fn latest_of_session(&self, id: &str) -> impl Iterator<Item = &ArchivedVersion> {
        let numbers = self.by_session.get(id).into_iter().flatten();
        numbers.map(|at| &self.versions[*at]).filter(|version| self.is_latest(version))
    }

    /// Returns the latest versions that were read from a path.
    pub(crate) fn latest_of_origin(&self, path: &str) -> impl Iterator<Item = &ArchivedVersion> {
        let numbers = self.by_origin.get(path).into_iter().flatten();
        numbers.map(|at| &self.versions[*at]).filter(|version| self.is_latest(version))
    }

    /// Returns a version and its previous versions, from the latest to the first.
    pub fn history<'c>(
        &'c self,
        version: &'c ArchivedVersion,
    ) -> impl Iterator<Item = &'c ArchivedVersion> {
        std::iter::successors(Some(version), |version| {
            let previous = self.get(version.previous?)?;
            // A statement can name any other statement as the previous one. Only follow decreasing
            // numbers, so that the iteration ends.
            (previous.number < version.number).then_some(previous)
        })
    }

    /// Returns the version with a number of its own, from 1, among a version and those before it.
    pub(crate) fn version_of<'c>(
        &'c self,
        latest: &'c ArchivedVersion,
        version: u64,
    ) -> Result<&'c ArchivedVersion> {
        let found = self.history(latest).find(|it| it.version == version);
        found.ok_or_else(|| no_version(latest, &version))
    }

    /// Returns the versions that do not contain the previous ones, and were not acknowledged.
    pub fn discontinued(&self) -> impl Iterator<Item = &ArchivedVersion> {
        let is_open = |version: &&ArchivedVersion| {
            version.continues == Some(false) && !self.acknowledged.contains(&version.number)
        };
        self.versions.iter().filter(is_open)
    }

    /// Finds the latest version of the session with this id, or of the only one whose id begins
    /// with it.
    ///
    /// # Errors
    /// If the text is empty, no id begins with it, or several do.
    pub fn find(&self, id: &str) -> Result<&ArchivedVersion> {
        if id.is_empty() {
            return Err(Error::new(ArchiveErrorKind::Session, "the id of a session is empty"));
        }
        let mut matching: Vec<&ArchivedVersion> = self.latest_of_session(id).collect();
        if matching.is_empty() {
            let mut ids: Vec<&String> =
                self.by_session.keys().filter(|known| known.starts_with(id)).collect();
            ids.sort();
            if let [_, _, ..] = ids[..] {
                let ids: Vec<_> = ids.iter().take(5).map(|id| id.as_str()).collect();
                let reason =
                    format!("`{id}` is the beginning of several session ids: {}", ids.join(", "));
                return Err(Error::new(ArchiveErrorKind::Session, reason));
            }
            matching = ids.iter().flat_map(|id| self.latest_of_session(id)).collect();
        }
        let latest = matching.into_iter().max_by_key(|version| version.number);
        latest.ok_or_else(|| {
            let reason = format!("no session in the archive has the id `{id}`");
            Error::new(ArchiveErrorKind::Session, reason)
        })
    }

    /// Finds a session as [`find`](Self::find) does, in the given version or in its latest one.
    ///
    /// # Errors
    /// If there is no such session, several, or none with this version.
    pub fn find_version(&self, id: &str, version: Option<u64>) -> Result<&ArchivedVersion> {
        let latest = self.find(id)?;
        version.map_or(Ok(latest), |version| self.version_of(latest, version))
    }
}

/// Returns the error for a version that a session does not have.
pub(crate) fn no_version(session: &ArchivedVersion, version: &dyn std::fmt::Display) -> Error {
    let reason = format!("session {} has no version {version}", session.session_id);
    Error::new(ArchiveErrorKind::Session, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a version of the session `a`.
    fn version(number: u64, version: u64, previous: Option<u64>) -> ArchivedVersion {
        ArchivedVersion {
            number,
            session_id: "a".to_owned(),
            agent: "claude".to_owned(),
            origin: "/a.jsonl".to_owned(),
            labels: BTreeMap::new(),
            logs: false,
            version,
            previous,
            continues: previous.map(|_| true),
            time: None,
            record_sha_256: [0; 32],
            details: RecordDetails::default(),
        }
    }

    #[test]
    fn sources_of_a_record_have_names_sizes_and_hashes() {
        let hash = "0a".repeat(32);
        let read = |source: &str| {
            let record = format!(r#"{{"recording-agent":{{"sources":[{source}]}}}}"#);
            let document = Document::json(record.as_bytes()).unwrap();
            RecordDetails::read(&document, record.len()).map(|details| details.sources)
        };
        let sources = read(&format!(r#"{{"name":"a","size":1,"sha-256":"{hash}"}}"#)).unwrap();
        assert_eq!(sources, [SourceLine { name: "a".to_owned(), size: 1, sha_256: [10; 32] }]);
        // In the index they are as in the record.
        let json = serde_json::to_string(&sources[0]).unwrap();
        assert_eq!(json, format!(r#"{{"name":"a","size":1,"sha-256":"{hash}"}}"#));
        assert_eq!(serde_json::from_str::<SourceLine>(&json).unwrap(), sources[0]);
        for wrong in [hash[1..].to_owned(), hash.to_uppercase(), String::new()] {
            let source = format!(r#"{{"name":"a","size":1,"sha-256":"{wrong}"}}"#);
            assert_eq!(read(&source).unwrap_err(), "source 0 has no name, size or SHA-256");
            assert!(serde_json::from_str::<SourceLine>(&source).is_err());
        }
    }

    #[test]
    fn history_of_statements_in_a_circle_has_an_end() {
        let mut catalog = Catalog::default();
        for it in [version(0, 1, None), version(1, 2, Some(2)), version(2, 3, Some(1))] {
            catalog.push(it);
        }
        let numbers = |number| -> Vec<_> {
            catalog.history(&catalog.versions()[number]).map(|it| it.number).collect()
        };
        assert_eq!((numbers(0), numbers(1), numbers(2)), (vec![0], vec![1], vec![2, 1]));
        assert_eq!(catalog.find_version("a", None).unwrap().number, 0);
        let error = catalog.find_version("a", Some(7)).unwrap_err();
        assert_eq!(error.to_string(), "session a has no version 7");
    }
}
