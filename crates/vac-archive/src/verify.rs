//! Checks an archive without trusting anything in it but the key.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use vac::parallel::ordered_parallel_map;
use vac_sign::PublicKey;
use vac_sign::merkle::{Hash, Peaks};
use vac_sign::statement::Sign1;
use vac_store::Sha256;

use crate::claims::hex;
use crate::description::{
    ArchiveDescription, DESCRIPTION, KEY, README, read_key, read_small, sha256_hex,
};
use crate::error::{Error, Result, not_an_archive};
use crate::files::check_files;
use crate::findings::{ArchiveFinding, FindingKind, Findings, check_numbers, count};
use crate::index::{INDEX_FILE, Index};
use crate::journal::{
    ArchiveHead, HEADS, ItemSearch, STATEMENTS, Statement, read_beginning, read_head,
    read_statement, statement_leaf,
};
use crate::objects::Objects;

mod records;

/// The key and the head that an archive is checked against.
#[derive(Clone, Copy, Debug, Default)]
pub struct VerifyOptions<'v> {
    /// The key of the signer, from a trusted source. Without it the key in the archive is used,
    /// which shows only that the archive is consistent.
    pub key: Option<&'v PublicKey>,
    /// The bytes of a head that was kept elsewhere.
    pub head: Option<&'v [u8]>,
    /// The number of records to check in parallel.
    pub jobs: usize,
}

/// The result of a check.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[must_use = "the archive may not be valid"]
pub struct ArchiveReport {
    /// Whether all findings are notes.
    pub valid: bool,
    /// The findings, in the order of the checks. Notes are last.
    pub findings: Vec<ArchiveFinding>,
    /// The number of statements that the newest head covers.
    pub statements: u64,
    /// The number of sessions.
    pub sessions: usize,
    /// The number of heads.
    pub heads: usize,
    /// The number of objects that statements name.
    pub objects: usize,
    /// The thumbprint of the key that was used, as a URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether the key was given by the caller.
    pub key_given: bool,
    /// The root of the newest head, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The time at which the newest head was signed, in seconds since 1970, as the signer claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

impl ArchiveReport {
    /// Returns the report of an archive that states another key than the given one.
    fn of_another_key(given: &PublicKey, own: &PublicKey) -> Self {
        let detail = format!(
            "the archive is signed with another key, {}, than the given one; nothing else was checked",
            own.thumbprint_uri()
        );
        let file = KEY.to_owned();
        Self {
            findings: vec![ArchiveFinding { kind: FindingKind::Changed, file, detail }],
            key: Some(given.thumbprint_uri()),
            key_given: true,
            ..Self::default()
        }
    }
}

/// Checks all files of an archive: signatures, numbers, hashes, records and logs.
///
/// # Errors
/// If the folder cannot be read, or no key is known. Defects of the archive are findings of the
/// report.
pub fn verify_archive(
    folder: &Path,
    options: &VerifyOptions<'_>,
    step: &mut dyn FnMut(usize),
) -> Result<ArchiveReport> {
    folder.read_dir().map_err(Error::io(folder))?;
    let is_missing = |name: &&str| folder.join(name).symlink_metadata().is_err();
    if [DESCRIPTION, HEADS, STATEMENTS].iter().all(is_missing) {
        return Err(not_an_archive(folder));
    }
    let mut findings = Findings::default();
    let description = check_description(folder, &mut findings);
    let key = match (options.key, read_key(folder)) {
        (Some(given), own) => {
            match own {
                Ok(own) if own == *given => {}
                Ok(own) => {
                    // No signature matches the given key then, and each statement would be
                    // reported.
                    let stated = description.as_ref().map(|(description, _)| &description.key);
                    if stated == Some(&own.thumbprint_uri()) {
                        return Ok(ArchiveReport::of_another_key(given, &own));
                    }
                    findings.add(FindingKind::Changed, KEY, "it is not the given key");
                }
                Err(_) if is_missing(&KEY) => {
                    findings.add(FindingKind::Missing, KEY, "the file does not exist");
                }
                Err(error) => findings.add(FindingKind::Changed, KEY, error.reason),
            }
            given.clone()
        }
        (None, Ok(own)) => own,
        (None, Err(error)) => {
            let reason = format!("{}; pass the signer's public key with --key", error.reason);
            return Err(Error { reason, ..error });
        }
    };
    let pem = key.to_pem().ok();
    let is_own = |bytes: &Vec<u8>| pem.as_ref().is_some_and(|pem| pem.as_bytes() == &bytes[..]);
    if !findings.has_problem(KEY) && !read_small(folder, KEY).as_ref().is_ok_and(is_own) {
        findings.add(FindingKind::Changed, KEY, "it is not as it was written");
    }
    if let Some((description, _)) = &description
        && description.key != key.thumbprint_uri()
    {
        let file = if options.key.is_some() { DESCRIPTION } else { KEY };
        findings.add(FindingKind::Changed, file, "archive.json names another key");
    }
    let mut check = Check {
        folder,
        key: &key,
        description: description.as_ref().map(|(description, _)| description),
        objects: Objects::new(folder),
        findings,
    };
    // Another process may add sessions meanwhile. It writes the index last, so the heads that are read
    // after the index include the one that the index states.
    let indexed_head = check.index();
    let heads_bytes = check.read(HEADS);
    let heads = check.heads(&heads_bytes, description.as_ref().map(|(_, hash)| hash));
    let newest = heads.iter().rev().flatten().next();
    check.indexed_head(indexed_head, newest);
    let statements_bytes = check.read(STATEMENTS);
    let (items, statements) = check.statements(
        &statements_bytes,
        newest.map_or(0, |head| head.claim.size),
        options.jobs,
    )?;
    check.roots(&items, &heads, options.head);
    check.versions(&statements, &heads);
    let used = check.records(&items, &statements, options.jobs, step)?;
    // A record that cannot be read may name objects, too.
    let is_read = |it: &Statement| used.get(&it.record) == Some(&true);
    let is_complete = !check.findings.has_problem(STATEMENTS)
        && statements.iter().all(|it| it.as_ref().is_some_and(is_read));
    check_files(folder, &check.objects, &used, is_complete, &mut check.findings);
    let mut sessions: Vec<_> = statements.iter().flatten().map(|it| &it.session_id).collect();
    sessions.sort_unstable();
    sessions.dedup();
    // Notes are last, because they do not make the archive invalid.
    check.findings.0.sort_by_key(|finding| finding.kind.is_note());
    let findings = check.findings.0;
    Ok(ArchiveReport {
        valid: findings.iter().all(|finding| finding.kind.is_note()),
        statements: newest.map_or(0, |head| head.claim.size),
        sessions: sessions.len(),
        heads: heads.len(),
        objects: used.len(),
        key: Some(key.thumbprint_uri()),
        key_given: options.key.is_some(),
        root: newest.map(|head| hex(&head.root)),
        time: newest.and_then(|head| head.time),
        findings,
    })
}

/// Checks the files that never change. Returns the description with its hash.
fn check_description(folder: &Path, findings: &mut Findings) -> Option<(ArchiveDescription, Hash)> {
    let bytes = match read_small(folder, DESCRIPTION) {
        Ok(bytes) => bytes,
        Err(error) => {
            findings.add(FindingKind::Missing, DESCRIPTION, error.reason);
            return None;
        }
    };
    let description = match ArchiveDescription::parse(&bytes) {
        Ok(description) => description,
        Err(error) => {
            findings.add(FindingKind::Changed, DESCRIPTION, error.reason);
            return None;
        }
    };
    match read_small(folder, README) {
        Err(error) => findings.add(FindingKind::Missing, README, error.reason),
        Ok(readme) if sha256_hex(&readme) != description.readme_sha_256 => {
            findings.add(FindingKind::Changed, README, "archive.json states another hash");
        }
        Ok(_) => {}
    }
    Some((description, Sha256::digest(&bytes)))
}

struct Check<'c> {
    folder: &'c Path,
    key: &'c PublicKey,
    description: Option<&'c ArchiveDescription>,
    objects: Objects,
    findings: Findings,
}

/// The objects that statements name, with whether each is intact.
pub(crate) type UsedObjects = HashMap<Hash, bool>;

impl Check<'_> {
    fn read(&mut self, file: &str) -> Vec<u8> {
        match read_beginning(self.folder, file) {
            Ok((bytes, error)) => {
                if let Some(error) = error {
                    self.findings.add(FindingKind::Changed, file, error.reason);
                }
                bytes
            }
            Err(error) => {
                self.findings.add(FindingKind::Missing, file, error.reason);
                Vec::new()
            }
        }
    }

    /// Divides a file into items. Bytes between them are reported.
    fn items<'a>(&mut self, file: &str, bytes: &'a [u8]) -> Vec<Sign1<'a>> {
        let (mut items, mut rest) = (Vec::new(), bytes);
        let mut search = ItemSearch::new(bytes);
        while !rest.is_empty() {
            if let Some((item, after)) = Sign1::split(rest) {
                items.push(item);
                rest = after;
                continue;
            }
            let offset = bytes.len() - rest.len();
            match search.find(rest, |item| item.verify(self.key).is_ok()).unwrap_or(None) {
                Some(length) => {
                    let detail = format!("{length} bytes at offset {offset} cannot be read");
                    self.findings.add(FindingKind::Changed, file, detail);
                    rest = &rest[length..];
                }
                None if Sign1::is_cut_off(rest) => {
                    let length = rest.len();
                    let detail = format!("the last {length} bytes are the beginning of an entry");
                    self.findings.add(FindingKind::Unfinished, file, detail);
                    break;
                }
                None => {
                    let detail = format!("the bytes after offset {offset} cannot be read");
                    self.findings.add(FindingKind::Changed, file, detail);
                    break;
                }
            }
        }
        items
    }

    /// Checks the heads. Returns them in the order of the file, `None` for one that is not valid.
    fn heads(&mut self, bytes: &[u8], description: Option<&Hash>) -> Vec<Option<ArchiveHead>> {
        let mut heads = Vec::new();
        for (place, item) in self.items(HEADS, bytes).iter().enumerate() {
            heads.push(match read_head(item, self.key) {
                Ok(head) => Some(head),
                Err(why) => {
                    self.findings.add(FindingKind::Changed, HEADS, format!("head {place}: {why}"));
                    None
                }
            });
        }
        if heads.is_empty() && !self.findings.has_problem(HEADS) {
            self.findings.add(FindingKind::Missing, HEADS, "it has no head");
        }
        let numbers: Vec<_> =
            heads.iter().map(|head| head.as_ref().map(|head| head.claim.number)).collect();
        check_numbers(&numbers, 0, (HEADS, "head"), &mut self.findings);
        let is_in_order = !self.findings.has_problem(HEADS);
        let (mut before, mut is_other_archive): (Option<&ArchiveHead>, bool) = (None, false);
        for head in heads.iter().flatten() {
            let number = head.claim.number;
            is_other_archive |= description.is_some_and(|hash| *hash != head.claim.archive);
            if self.description.is_some_and(|it| it.id != head.archive_id) {
                let detail = format!("head {number} is of another archive");
                self.findings.add(FindingKind::Added, HEADS, detail);
            }
            let previous = before.map(|before| before.sha256);
            let shrinks = before.is_some_and(|before| before.claim.size > head.claim.size);
            if is_in_order && (head.claim.previous != previous || shrinks) {
                let detail = format!("head {number} does not follow the head before it");
                self.findings.add(FindingKind::Rewritten, HEADS, detail);
            }
            before = Some(head);
        }
        if is_other_archive {
            let detail = "the heads state another hash";
            self.findings.add(FindingKind::Changed, DESCRIPTION, detail);
        }
        heads
    }

    /// Checks the signatures and numbers of statements, of which there have to be this many.
    fn statements<'a>(
        &mut self,
        bytes: &'a [u8],
        covered: u64,
        jobs: usize,
    ) -> Result<(Vec<Sign1<'a>>, Vec<Option<Statement>>)> {
        let items = self.items(STATEMENTS, bytes);
        let key = self.key;
        let mut statements = Vec::with_capacity(items.len());
        let mut place = 0;
        let findings = &mut self.findings;
        ordered_parallel_map(
            &items,
            jobs,
            |item| read_statement(item, key),
            |read| {
                statements.push(match read {
                    Ok(statement) => Some(statement),
                    Err(why) => {
                        let detail = format!("statement {place}: {why}");
                        findings.add(FindingKind::Changed, STATEMENTS, detail);
                        None
                    }
                });
                place += 1;
                ControlFlow::Continue(())
            },
        )?;
        let numbers: Vec<_> =
            statements.iter().map(|it| it.as_ref().map(|it| it.claim.number)).collect();
        check_numbers(&numbers, covered, (STATEMENTS, "statement"), findings);
        let beyond = (items.len() as u64).saturating_sub(covered);
        if beyond > 0 && !findings.has_problem(STATEMENTS) {
            let detail =
                format!("the newest head does not cover the last {}", count(beyond, "statement"));
            findings.add(FindingKind::Unfinished, STATEMENTS, detail);
        }
        if let Some(description) = self.description {
            for statement in statements.iter().flatten() {
                if statement.claim.archive != description.id {
                    let detail = format!("{} is of another archive", statement.shown());
                    findings.add(FindingKind::Added, STATEMENTS, detail);
                }
            }
        }
        Ok((items, statements))
    }

    /// Compares the root of each head, and of one that was kept elsewhere, with the statements.
    fn roots(&mut self, items: &[Sign1<'_>], heads: &[Option<ArchiveHead>], kept: Option<&[u8]>) {
        let kept = kept.map(|bytes| ArchiveHead::read(bytes, self.key));
        let is_explained = self.findings.has_problem(STATEMENTS);
        let mut sizes: Vec<(u64, Hash, String)> = Vec::new();
        for head in heads.iter().flatten() {
            let (size, number) = (head.claim.size, head.claim.number);
            sizes.push((size, head.root, format!("head {number}")));
        }
        match &kept {
            None => {}
            Some(Err(why)) => self.findings.add(FindingKind::Changed, "the given head", why),
            Some(Ok(kept)) => self.kept_head(kept, heads, &mut sizes),
        }
        sizes.sort_by_key(|(size, ..)| *size);
        let (mut tree, mut leaves) = (Peaks::default(), items.iter().map(statement_leaf));
        for (size, root, name) in sizes {
            while tree.size() < size {
                match leaves.next() {
                    Some(leaf) => tree.push(leaf),
                    // The missing statements are reported.
                    None => return,
                }
            }
            let is_kept = name == GIVEN;
            if tree.root() != root && (!is_explained || is_kept) {
                let file = if is_kept { GIVEN } else { HEADS };
                let what = if is_kept { String::new() } else { format!("{name}: ") };
                let first = if size == 1 {
                    "first statement does".to_owned()
                } else {
                    format!("first {size} statements do")
                };
                let detail = format!("{what}the {first} not have its root");
                self.findings.add(FindingKind::Rewritten, file, detail);
            }
        }
    }

    /// Compares a head that was kept elsewhere with the one of its number.
    fn kept_head(
        &mut self,
        kept: &ArchiveHead,
        heads: &[Option<ArchiveHead>],
        sizes: &mut Vec<(u64, Hash, String)>,
    ) {
        let (number, size) = (kept.claim.number, kept.claim.size);
        if self.description.is_some_and(|it| it.id != kept.archive_id) {
            let detail = "it is of another archive, or this one was replaced";
            return self.findings.add(FindingKind::Rewritten, GIVEN, detail);
        }
        let newest = heads.iter().flatten().map(|head| head.claim.number).max();
        let own = heads.iter().flatten().find(|head| head.claim.number == number);
        match own {
            None if newest.is_none_or(|newest| newest < number) => {
                let newest = newest.map_or("none".to_owned(), |number| number.to_string());
                let detail = format!(
                    "the given head is number {number} with {}, the newest is {newest}",
                    count(size, "statement")
                );
                self.findings.add(FindingKind::RolledBack, HEADS, detail);
            }
            None => {
                let detail = format!("head {number}, which is the given one");
                self.findings.add(FindingKind::Missing, HEADS, detail);
            }
            Some(own) if own.sha256 != kept.sha256 => {
                let detail = format!("head {number} is not the given one");
                self.findings.add(FindingKind::Rewritten, HEADS, detail);
                sizes.push((size, kept.root, GIVEN.to_owned()));
            }
            Some(_) => {}
        }
    }

    /// Checks that versions follow each other.
    fn versions(&mut self, statements: &[Option<Statement>], heads: &[Option<ArchiveHead>]) {
        let by_number: HashMap<u64, &Statement> =
            statements.iter().flatten().map(|it| (it.claim.number, it)).collect();
        let acknowledged: HashSet<_> =
            heads.iter().flatten().flat_map(|head| &head.claim.acknowledged).collect();
        for statement in statements.iter().flatten() {
            let claim = &statement.claim;
            let Some(previous) = claim.previous else { continue };
            let follows = match by_number.get(&previous) {
                Some(before) => {
                    before.session_id == statement.session_id
                        && before.claim.version.checked_add(1) == Some(claim.version)
                        && previous < claim.number
                }
                // The statement has been reported as missing.
                None => previous < claim.number,
            };
            if !follows {
                let detail = format!(
                    "{}: it does not follow statement {previous}, though it states that",
                    statement.shown()
                );
                self.findings.add(FindingKind::Changed, STATEMENTS, detail);
            } else if claim.continues == Some(false) {
                let is_known = acknowledged.contains(&claim.number);
                let detail = format!(
                    "statement {}: version {} of session {} does not contain version {}{}",
                    claim.number,
                    claim.version,
                    statement.session_id,
                    claim.version - 1,
                    if is_known { " (acknowledged)" } else { "" }
                );
                self.findings.add(FindingKind::Discontinued, STATEMENTS, detail);
            }
        }
    }

    /// Checks the index. Returns the number of the head that it was written for.
    fn index(&mut self) -> Option<u64> {
        let description = self.description?;
        self.folder.join(INDEX_FILE).symlink_metadata().ok()?;
        let index = Index::read(self.folder, &description.id, self.key);
        if index.is_none() {
            let detail = "it is not signed with the key; it is not used and can be removed";
            self.findings.add(FindingKind::Changed, INDEX_FILE, detail);
        }
        index.map(|index| index.head)
    }

    /// Compares the head that the index was written for with the newest head.
    fn indexed_head(&mut self, indexed: Option<u64>, newest: Option<&ArchiveHead>) {
        let later = indexed.filter(|number| newest.is_none_or(|head| head.claim.number < *number));
        if let Some(number) = later {
            let detail = format!("the index is of head {number}, which is missing");
            self.findings.add(FindingKind::RolledBack, HEADS, detail);
        }
    }
}

const GIVEN: &str = "the given head";
