//! Reads and writes `archive.json` and the other files that never change.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use vac_sign::PublicKey;
use vac_store::{SafePath, Sha256, Skipped};
use vac_value::Encoding;

use crate::claims::hex;
use crate::error::{ArchiveErrorKind, Error, Result};

/// The version of the format.
pub(crate) const FORMAT: u32 = 1;
/// Maximum size of the description, the key and the text, in bytes.
const MAX_SIZE: u64 = 1 << 20;

pub(crate) const DESCRIPTION: &str = "archive.json";
pub(crate) const README: &str = "README";
pub(crate) const KEY: &str = "key.pub.pem";

/// The description of an archive, `archive.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ArchiveDescription {
    /// The version of the format.
    pub vac_archive: u32,
    /// The id of the archive, in hexadecimal.
    pub id: String,
    /// The time at which the archive was created, in seconds since 1970, by the clock of its
    /// creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    /// The encoding of records: `json` or `cbor`.
    pub format: String,
    /// The labels of every record.
    pub labels: BTreeMap<String, String>,
    /// The thumbprint of the signer's key, as a URI.
    pub key: String,
    /// The SHA-256 of the file `README`, in hexadecimal.
    #[serde(rename = "readme-sha-256")]
    pub readme_sha_256: String,
}

impl ArchiveDescription {
    /// Returns the encoding of records.
    pub fn encoding(&self) -> Encoding {
        if self.format == "cbor" { Encoding::Cbor } else { Encoding::Json }
    }

    /// Reads a description.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let not = |why: String| Error::new(ArchiveErrorKind::NotAnArchive, why);
        let description: Self = serde_json::from_slice(bytes)
            .map_err(|error| not(format!("not the description of an archive: {error}")))?;
        if description.vac_archive != FORMAT {
            let found = description.vac_archive;
            return Err(not(format!("format {found} of archives is not supported")));
        }
        if !["json", "cbor"].contains(&&*description.format) {
            return Err(not(format!("unknown format of records: {:?}", description.format)));
        }
        Ok(description)
    }
}

/// Returns the text of the file `README`.
pub(crate) fn readme(id: &str, key: &str) -> String {
    format!(
        "This folder is an archive of sessions of AI agents, written by `vac archive`.\n\
         \n\
         It only grows. Nothing in it may be changed, renamed or removed: `vac archive verify`\n\
         reports every such change. Sessions are added with `vac archive add`.\n\
         \n\
         archive     {id}\n\
         signed by   {key}\n\
         \n\
         archive.json   the description of the archive\n\
         key.pub.pem    the public key of the signer\n\
         statements     a signed statement about each record (COSE, RFC 9052)\n\
         heads          signed heads of the tree of statements (RFC 9162)\n\
         objects/       records and logs by their SHA-256, compressed (RFC 8878)\n\
         index          a cache, which can be removed\n\
         \n\
         The format is described in FORMAT.md of the crate vac-archive.\n"
    )
}

/// Reads a small file of the archive. No link is followed.
pub(crate) fn read_small(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    let file = SafePath::named(folder, &Skipped::default()).join(name).open();
    let mut bytes = Vec::new();
    let read = file.and_then(|file| file.take(MAX_SIZE).read_to_end(&mut bytes));
    read.map_err(Error::io(&path))?;
    Ok(bytes)
}

/// Reads the public key of an archive.
pub(crate) fn read_key(folder: &Path) -> Result<PublicKey> {
    let path = folder.join(KEY);
    let bytes = read_small(folder, KEY)?;
    let key = std::str::from_utf8(&bytes).ok().and_then(|text| PublicKey::from_pem(text).ok());
    key.ok_or_else(|| Error::new(ArchiveErrorKind::Damaged, "not a public key").at(&path))
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
