//! Reads the files `statements` and `heads`.

use std::io::Read as _;
use std::path::Path;

use vac_sign::merkle::{Hash, Peaks, leaf};
use vac_sign::statement::Sign1;
use vac_sign::{Envelope, PublicKey};
use vac_store::{SafePath, Sha256, Skipped};

use crate::claims::{HEAD, HeadClaim, STATEMENT, StatementClaim};
use crate::error::{ArchiveErrorKind, Error, Result};

pub(crate) const STATEMENTS: &str = "statements";
pub(crate) const HEADS: &str = "heads";

/// The maximum number of bytes that are read after the last item of a file, so that a sparse file
/// does not fill the memory.
const MAX_REST: usize = 256 << 20;
/// The number of bytes that are read at once.
const CHUNK: u64 = 1 << 20;

/// Reads a file with statements or heads. No link is followed.
pub(crate) fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>> {
    match read_beginning(folder, name)? {
        (bytes, None) => Ok(bytes),
        (_, Some(error)) => Err(error),
    }
}

/// Reads a file with statements or heads. If too many bytes follow the last item, returns the items
/// before them and the error.
pub(crate) fn read_beginning(folder: &Path, name: &str) -> Result<(Vec<u8>, Option<Error>)> {
    let path = folder.join(name);
    let file = SafePath::named(folder, &Skipped::default()).join(name).open();
    let mut file = file.map_err(Error::io(&path))?;
    let (mut bytes, mut end) = (Vec::new(), 0);
    loop {
        let read = file.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(Error::io(&path))?;
        if read == 0 {
            return Ok((bytes, None));
        }
        while let Some((item, _)) = Sign1::split(&bytes[end..]) {
            end += item.bytes.len();
        }
        if bytes.len() - end > MAX_REST {
            let reason = format!("the bytes after offset {end} cannot be read");
            bytes.truncate(end);
            return Ok((bytes, Some(Error::new(ArchiveErrorKind::Damaged, reason).at(&path))));
        }
    }
}

/// The items of a file, up to the first byte that does not begin a complete item.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    pub items: Vec<Sign1<'a>>,
    /// The bytes after the items.
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

/// A search for items in bytes that are not all items.
pub(crate) struct ItemSearch {
    /// The number of bytes of items that may still be verified.
    budget: usize,
}

/// The error that bytes look like many overlapping items, which would take too long to verify.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooManyItems;

impl ItemSearch {
    /// Returns a search in parts of these bytes, whose time is proportional to their number.
    pub fn new(bytes: &[u8]) -> Self {
        Self { budget: bytes.len().saturating_mul(2).saturating_add(1 << 20) }
    }

    /// Returns the offset of the first item after the start of these bytes that is valid.
    pub fn find(
        &mut self,
        bytes: &[u8],
        is_valid: impl Fn(&Sign1<'_>) -> bool,
    ) -> Result<Option<usize>, TooManyItems> {
        let starts = bytes.windows(2).enumerate().skip(1);
        for (at, _) in starts.filter(|(_, start)| *start == [0xd2, 0x84]) {
            let Some((item, _)) = Sign1::split(&bytes[at..]) else { continue };
            self.budget = self.budget.checked_sub(item.bytes.len()).ok_or(TooManyItems)?;
            if is_valid(&item) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

/// A statement whose signature is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The claims besides the payload.
    pub claim: StatementClaim,
    /// The id of the session.
    pub session_id: String,
    /// The time of signing that the signer states, in seconds since 1970.
    pub time: Option<f64>,
    /// SHA-256 of the record.
    pub record: Hash,
}

impl Statement {
    /// Returns the description of the statement in findings.
    pub(crate) fn shown(&self) -> String {
        let StatementClaim { number, version, .. } = &self.claim;
        format!("statement {number} (version {version} of session {})", self.session_id)
    }
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

/// An empty map in CBOR.
const EMPTY_MAP: &[u8] = &[0xa0];

/// A signed head whose signature is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveHead {
    /// The claims besides the payload.
    pub claim: HeadClaim,
    /// The id of the archive.
    pub archive_id: String,
    /// The root of the tree.
    pub root: Hash,
    /// The time of signing that the signer states, in seconds since 1970.
    pub time: Option<f64>,
    /// The SHA-256 of the bytes of the head.
    pub sha256: Hash,
}

impl ArchiveHead {
    /// Verifies the bytes of a head. A time stamp may have been attached to it: what the unprotected
    /// header contains is neither signed nor part of the head, and is not checked.
    ///
    /// # Errors
    /// If the bytes are not a head, or not signed with this key.
    pub fn read(bytes: &[u8], key: &PublicKey) -> Result<Self, String> {
        let stamped = Envelope::read_receipt(bytes);
        let bare = stamped.map_or(bytes.to_owned(), |it| it.with_unprotected(EMPTY_MAP));
        match Sign1::split(&bare) {
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
        sha256: Sha256::digest(item.bytes),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_look_like_many_items_end_the_search() {
        // Each position begins an item that ends 60,000 bytes later, inside another one.
        let length: u16 = 60_000;
        let start = [&[0xd2, 0x84, 0x59][..], &length.to_be_bytes()].concat();
        let end = [&[0xa0, 0x58, 0x20][..], &[0; 32], &[0x58, 0x40], &[0; 64]].concat();
        let mut one = [start, end].concat();
        one.resize(200, 0);
        let bytes = one.repeat(1500);
        assert!(Sign1::split(&bytes).is_some());
        let count = std::cell::Cell::new(0_usize);
        let found = ItemSearch::new(&bytes).find(&bytes, |_| {
            count.set(count.get() + 1);
            false
        });
        assert_eq!(found, Err(TooManyItems));
        assert!(count.get() < 100, "{} items", count.get());
    }
}
