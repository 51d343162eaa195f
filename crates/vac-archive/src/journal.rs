//! The files `statements` and `heads`.

use std::io::Read as _;
use std::path::Path;

use vac_sign::PublicKey;
use vac_sign::merkle::{Hash, Peaks, leaf};
use vac_sign::statement::Sign1;
use vac_store::{SafePath, Skipped};

use crate::claims::{HEAD, HeadClaim, STATEMENT, StatementClaim};
use crate::description::sha256;
use crate::error::{Error, Result};

pub(crate) const STATEMENTS: &str = "statements";
pub(crate) const HEADS: &str = "heads";

/// Reads a file with statements or heads. No link is followed.
pub(crate) fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = SafePath::named(folder, &Skipped::default()).join(name).open();
    let read = file.and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(Error::io(&folder.join(name)))?;
    Ok(bytes)
}

/// Items of a file, up to the first byte that does not begin a complete one.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    pub items: Vec<Sign1<'a>>,
    /// What follows them.
    pub rest: &'a [u8],
}

impl<'a> Items<'a> {
    pub fn split(bytes: &'a [u8]) -> Self {
        let (mut items, mut rest) = (Vec::new(), bytes);
        while let Some((item, after)) = Sign1::split(rest) {
            items.push(item);
            rest = after;
        }
        Self { items, rest }
    }
}

/// A statement whose signature is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it claims.
    pub claim: StatementClaim,
    /// The id of the session.
    pub session_id: String,
    /// When the signer says that it signed, in seconds since 1970.
    pub time: Option<f64>,
    /// SHA-256 of the record.
    pub record: Hash,
}

/// Verifies a statement of an archive.
pub(crate) fn read_statement(item: &Sign1<'_>, key: &PublicKey) -> Result<Statement, String> {
    if item.is_tree_head() != Some(false) {
        return Err("not a statement about a record".to_owned());
    }
    let claims = item.verify(key).map_err(|error| error.to_string())?;
    let claim = item.claim(STATEMENT).and_then(|bytes| StatementClaim::read(&bytes));
    let claim = claim.ok_or("it has no valid claim \"vac-archive\"")?;
    let session_id = claims.subject.ok_or("it names no session")?;
    Ok(Statement { claim, session_id, time: claims.issued_at, record: *item.payload })
}

/// A signed head whose signature is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveHead {
    /// What it claims.
    pub claim: HeadClaim,
    /// The id of the archive.
    pub archive_id: String,
    /// The root of the tree.
    pub root: Hash,
    /// When the signer says that it signed, in seconds since 1970.
    pub time: Option<f64>,
    /// SHA-256 of its bytes.
    pub sha256: Hash,
}

impl ArchiveHead {
    /// Verifies the bytes of a head.
    ///
    /// # Errors
    /// If they are not one, or not signed with this key.
    pub fn read(bytes: &[u8], key: &PublicKey) -> Result<Self, String> {
        match Sign1::split(bytes) {
            Some((item, [])) => read_head(&item, key),
            _ => Err("not a head of an archive".to_owned()),
        }
    }
}

/// Verifies a head of an archive.
pub(crate) fn read_head(item: &Sign1<'_>, key: &PublicKey) -> Result<ArchiveHead, String> {
    if item.is_tree_head() != Some(true) {
        return Err("not a head of an archive".to_owned());
    }
    let claims = item.verify(key).map_err(|error| error.to_string())?;
    let claim = item.claim(HEAD).and_then(|bytes| HeadClaim::read(&bytes));
    let claim = claim.ok_or("it has no valid claim \"vac-archive-head\"")?;
    Ok(ArchiveHead {
        claim,
        archive_id: claims.subject.ok_or("it names no archive")?,
        root: *item.payload,
        time: claims.issued_at,
        sha256: sha256(item.bytes),
    })
}

/// Returns the leaf of a statement.
pub(crate) fn statement_leaf(item: &Sign1<'_>) -> Hash {
    leaf(&item.entry())
}

/// Returns the tree of the first statements.
pub(crate) fn tree(items: &[Sign1<'_>]) -> Peaks {
    items.iter().map(statement_leaf).collect()
}
