//! Reads and writes the index: a cache of the facts in statements and records, and of the state of
//! logs.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use vac_sign::merkle::{Hash, Peaks};
use vac_sign::statement::{self, Purpose, Sign1};
use vac_sign::{PublicKey, Signer};
use vac_store::{FileStat, SafePath, Sha256, Skipped};

use crate::catalog::ArchivedVersion;
use crate::claims::{INDEX, hex, parse_hash};
use crate::disk::Disk;
use crate::error::{ArchiveErrorKind, Error, Result};

pub(crate) const INDEX_FILE: &str = "index";
const FORMAT: u32 = 1;
/// The maximum size in bytes of an index that is used. That of 500,000 sessions is smaller.
const MAX_SIZE: u64 = 1 << 30;
const MEDIA_TYPE: &str = "application/vnd.vac.archive-index";

/// The entry of the index about a log that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct KnownLog {
    /// The paths of the logs that were found and belong to one session.
    pub members: Vec<String>,
    /// All files that were read, with their state.
    pub files: Vec<(String, FileStat)>,
    /// The adapter; `None` if it is not a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Heading {
    vac_archive_index: u32,
    build: String,
    archive: String,
    /// The number and the hash of the newest head.
    head: u64,
    #[serde(rename = "head-sha-256")]
    head_sha_256: String,
    /// The size of the file with statements.
    statements_size: u64,
    size: u64,
    peaks: Vec<String>,
    versions: usize,
    logs: usize,
}

/// The last line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ending {
    signature: String,
}

/// The content of the index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub build: String,
    pub archive: String,
    pub head: u64,
    pub head_sha256: Hash,
    pub statements_size: u64,
    pub peaks: Peaks,
    pub versions: Vec<ArchivedVersion>,
    pub logs: Vec<KnownLog>,
}

impl Index {
    /// Reads the index of an archive. `None` if it is missing, damaged, of another format, or not
    /// signed with the key of the archive.
    pub fn read(folder: &Path, archive: &str, key: &PublicKey) -> Option<Self> {
        let file = SafePath::named(folder, &Skipped::default()).join(INDEX_FILE).open().ok()?;
        if file.metadata().ok()?.len() > MAX_SIZE {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_SIZE).read_to_end(&mut bytes).ok()?;
        let index = Self::parse(&bytes, key)?;
        (index.archive == archive).then_some(index)
    }

    fn parse(bytes: &[u8], key: &PublicKey) -> Option<Self> {
        let content = bytes.strip_suffix(b"\n")?;
        let end = content.iter().rposition(|byte| *byte == b'\n')? + 1;
        let ending: Ending = serde_json::from_slice(&content[end..]).ok()?;
        let signature = BASE64.decode(ending.signature.as_bytes()).ok()?;
        let (signed, rest) = Sign1::split(&signature)?;
        let is_signed = rest.is_empty()
            && signed.is_tree_head() == Some(false)
            && signed.claim(INDEX).is_some()
            && *signed.payload == Sha256::digest(&bytes[..end])
            && signed.verify(key).is_ok();
        if !is_signed {
            return None;
        }
        let mut lines = bytes[..end].lines();
        let mut next = || lines.next()?.ok();
        let heading: Heading = serde_json::from_str(&next()?).ok()?;
        if heading.vac_archive_index != FORMAT {
            return None;
        }
        let peaks: Option<Vec<_>> = heading.peaks.iter().map(|peak| parse_hash(peak)).collect();
        let mut index = Self {
            build: heading.build,
            archive: heading.archive,
            head: heading.head,
            head_sha256: parse_hash(&heading.head_sha_256)?,
            statements_size: heading.statements_size,
            peaks: Peaks::new(heading.size, peaks?)?,
            versions: Vec::new(),
            logs: Vec::new(),
        };
        for _ in 0..heading.versions {
            index.versions.push(serde_json::from_str(&next()?).ok()?);
        }
        for _ in 0..heading.logs {
            index.logs.push(serde_json::from_str(&next()?).ok()?);
        }
        let is_whole = index.versions.len() as u64 == heading.size && next().is_none();
        is_whole.then_some(index)
    }

    /// Writes the index of an archive.
    pub fn write(&self, disk: &Disk, folder: &Path, signer: &dyn Signer) -> Result<()> {
        let heading = Heading {
            vac_archive_index: FORMAT,
            build: self.build.clone(),
            archive: self.archive.clone(),
            head: self.head,
            head_sha_256: hex(&self.head_sha256),
            statements_size: self.statements_size,
            size: self.peaks.size(),
            peaks: self.peaks.hashes().iter().map(|hash| hex(hash)).collect(),
            versions: self.versions.len(),
            logs: self.logs.len(),
        };
        let mut bytes = Vec::new();
        line(&heading, &mut bytes)?;
        for version in &self.versions {
            line(version, &mut bytes)?;
        }
        for log in &self.logs {
            line(log, &mut bytes)?;
        }
        let purpose = Purpose::Record { content_type: MEDIA_TYPE };
        let claim = (INDEX, &[1][..]);
        let envelope =
            statement::sign(purpose, &self.archive, None, claim, &Sha256::digest(&bytes), signer)?;
        line(&Ending { signature: BASE64.encode(&envelope) }, &mut bytes)?;
        let path = folder.join(INDEX_FILE);
        disk.replace(&folder.join("tmp"), &path, &bytes).map_err(Error::io(&path))
    }
}

fn line(value: &impl Serialize, out: &mut Vec<u8>) -> Result<()> {
    let internal =
        |error: &dyn std::fmt::Display| Error::new(ArchiveErrorKind::Internal, error.to_string());
    serde_json::to_writer(&mut *out, value).map_err(|error| internal(&error))?;
    out.write_all(b"\n").map_err(|error| internal(&error))
}
