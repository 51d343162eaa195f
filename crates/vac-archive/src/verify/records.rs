//! Checks the records and logs of an archive.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

use vac::containment::contains_entries;
use vac::parallel::ordered_parallel_map;
use vac_sign::merkle::Hash;
use vac_sign::statement::Sign1;
use vac_sign::{PublicKey, SignatureVerdict, Verification};
use vac_value::{Document, Encoding};

use super::{Check, UsedObjects};
use crate::catalog::{RecordDetails, RecordIdentity, SourceLine};
use crate::description::{ArchiveDescription, DESCRIPTION};
use crate::error::Result;
use crate::findings::FindingKind;
use crate::journal::{STATEMENTS, Statement};
use crate::objects::{ObjectError, Objects, object_path};

impl Check<'_> {
    /// Checks the records and logs. Returns the objects that statements name.
    pub(super) fn records(
        &mut self,
        items: &[Sign1<'_>],
        statements: &[Option<Statement>],
        jobs: usize,
        step: &mut dyn FnMut(usize),
    ) -> Result<UsedObjects> {
        let pairs: Vec<_> = items
            .iter()
            .zip(statements)
            .filter_map(|(item, it)| Some((item, it.as_ref()?)))
            .collect();
        let total = pairs.len();
        let mut used = UsedObjects::new();
        let mut sources: Vec<(Hash, u64, u64)> = Vec::new();
        let (objects, key) = (&self.objects, self.key);
        // Do not compare records with a changed description.
        let stated = self.description.filter(|_| !self.findings.has_problem(DESCRIPTION));
        let encoding = stated.map(ArchiveDescription::encoding);
        let findings = &mut self.findings;
        let continued = continued(statements);
        let compared: HashSet<u64> =
            continued.iter().flat_map(|pair| [pair.0, pair.1]).map(|it| it.claim.number).collect();
        let mut compared_sources: HashMap<u64, Vec<SourceLine>> = HashMap::new();
        let work =
            |(item, statement)| (statement, check_record(objects, item, statement, key, encoding));
        ordered_parallel_map(pairs, jobs, work, |(statement, checked)| {
            step(total);
            let Statement { record, claim, .. } = statement;
            let number = claim.number;
            match checked {
                Ok(details) => {
                    used.insert(*record, true);
                    if compared.contains(&number) {
                        compared_sources.insert(number, details.sources.clone());
                    }
                    let named = details.sources.iter().filter(|_| claim.logs);
                    sources.extend(named.map(|it| (it.sha_256, it.size, number)));
                }
                Err((kind, detail)) => {
                    used.insert(*record, false);
                    let detail = format!("the record of {}: {detail}", statement.shown());
                    findings.add(kind, object_name(record), detail);
                }
            }
            ControlFlow::Continue(())
        })?;
        let by_number: HashMap<u64, &Statement> =
            statements.iter().flatten().map(|it| (it.claim.number, it)).collect();
        // Check each source once, even if several versions have it.
        sources.sort_unstable();
        sources.dedup_by_key(|(hash, size, _)| (*hash, *size));
        let work = |(hash, size, number): (Hash, u64, u64)| {
            (hash, number, check_source(objects, &hash, size))
        };
        ordered_parallel_map(sources, jobs, work, |(hash, number, checked)| {
            let is_intact = checked.is_ok();
            used.entry(hash).and_modify(|it| *it &= is_intact).or_insert(is_intact);
            if let Err((kind, detail)) = checked {
                let shown = by_number.get(&number).map(|it| it.shown());
                let shown = shown.unwrap_or_else(|| format!("statement {number}"));
                let detail = format!("a log of {shown}: {detail}");
                findings.add(kind, object_name(&hash), detail);
            }
            ControlFlow::Continue(())
        })?;
        let work = |(now, before): (&Statement, &Statement)| {
            let is_intact = |it: &Statement| used.get(&it.record) == Some(&true);
            let [now_sources, before_sources] =
                [now, before].map(|it| compared_sources.get(&it.claim.number));
            let (Some(later), Some(earlier)) = (now_sources, before_sources) else { return None };
            // Missing and changed objects have been reported.
            let is_comparable = is_intact(now) && is_intact(before);
            let is_refuted =
                is_comparable && has_lost(objects, (now, later), (before, earlier), &used);
            is_refuted.then(|| {
                format!(
                    "statement {}: version {} of session {} does not contain version {}, though it \
                     states that",
                    now.claim.number, now.claim.version, now.session_id, before.claim.version
                )
            })
        };
        ordered_parallel_map(continued, jobs, work, |refuted| {
            if let Some(detail) = refuted {
                findings.add(FindingKind::Changed, STATEMENTS, detail);
            }
            ControlFlow::Continue(())
        })?;
        Ok(used)
    }
}

/// The kind of finding, and its reason.
type Wrong = (FindingKind, String);

fn wrong(error: &ObjectError) -> Wrong {
    match error {
        ObjectError::Missing => (FindingKind::Missing, "the file does not exist".to_owned()),
        error => (FindingKind::Changed, error.to_string()),
    }
}

/// Returns the statements that claim to contain the previous version, each with that of it.
fn continued(statements: &[Option<Statement>]) -> Vec<(&Statement, &Statement)> {
    let by_number: HashMap<u64, &Statement> =
        statements.iter().flatten().map(|it| (it.claim.number, it)).collect();
    let pair = |now| {
        let Statement { claim, .. }: &Statement = now;
        let before = by_number.get(&claim.previous.filter(|_| claim.continues == Some(true))?)?;
        Some((now, *before))
    };
    statements.iter().flatten().filter_map(pair).collect()
}

/// Returns whether a later version lacks something of an earlier one. Returns false without logs,
/// because an entry that was incomplete in the earlier version can have changed.
fn has_lost(
    objects: &Objects,
    (now, later): (&Statement, &[SourceLine]),
    (before, earlier): (&Statement, &[SourceLine]),
    used: &UsedObjects,
) -> bool {
    if !now.claim.logs || !before.claim.logs || now.record == before.record {
        return false;
    }
    let is_intact = |source: &SourceLine| used.get(&source.sha_256) == Some(&true);
    // Missing and changed objects have been reported.
    if !later.iter().chain(earlier).all(is_intact) {
        return false;
    }
    let mut by_name: HashMap<&str, VecDeque<&SourceLine>> = HashMap::new();
    for source in later {
        by_name.entry(&source.name).or_default().push_back(source);
    }
    let has_grown = !earlier.is_empty()
        && earlier.iter().all(|before| {
            let now = by_name.get_mut(before.name.as_str()).and_then(VecDeque::pop_front);
            now.is_some_and(|now| begins_with(objects, now, before))
        });
    if has_grown {
        return false;
    }
    let records = [now, before].map(|it| objects.read(&it.record).ok());
    let [Some(now), Some(before)] = records else { return false };
    let encoding = vac_validate::detect_encoding(&now);
    contains_entries(&now, &before, encoding).is_ok_and(|contains| !contains)
}

fn begins_with(objects: &Objects, now: &SourceLine, before: &SourceLine) -> bool {
    now.sha_256 == before.sha_256
        || before.size <= now.size
            && objects.begins_with((&now.sha_256, now.size), (&before.sha_256, before.size))
}

/// Checks the record of a statement. Returns its details.
fn check_record(
    objects: &Objects,
    item: &Sign1<'_>,
    statement: &Statement,
    key: &PublicKey,
    encoding: Option<Encoding>,
) -> Result<RecordDetails, Wrong> {
    let changed = |why: String| (FindingKind::Changed, why);
    let record = objects.read(&statement.record).map_err(|error| wrong(&error))?;
    let with = Verification { key: Some(key), record: Some(&record), ..Verification::default() };
    let answers = vac_sign::verify(item.bytes, &with);
    if answers.verdict() != SignatureVerdict::Verified {
        let lines = answers.lines();
        let failed = lines.iter().find(|(_, answer)| answer.is_failed());
        let why = failed.map_or_else(
            || "not verified".to_owned(),
            |(question, answer)| format!("{question}: {}", answer.detail()),
        );
        return Err(changed(why));
    }
    let found = vac_validate::detect_encoding(&record);
    if encoding.is_some_and(|stated| stated != found) {
        return Err(changed("it has another encoding than archive.json states".to_owned()));
    }
    let document = Document::scan(&record, found).map_err(|error| changed(error.to_string()))?;
    let identity = RecordIdentity::read(&document);
    if identity.id.as_deref() != Some(&statement.session_id) {
        return Err(changed("it is of another session than the statement".to_owned()));
    }
    if identity.labels.as_ref() != Some(&statement.claim.labels) {
        return Err(changed("it has other labels than the statement".to_owned()));
    }
    RecordDetails::read(&document, record.len()).map_err(changed)
}

fn check_source(objects: &Objects, hash: &Hash, size: u64) -> Result<(), Wrong> {
    match objects.check(hash, size) {
        Ok(found) if found == size => Ok(()),
        Ok(found) => Err((FindingKind::Changed, format!("it has {found} bytes, not {size}"))),
        Err(error) => Err(wrong(&error)),
    }
}

/// Returns the path of an object in the archive.
fn object_name(hash: &Hash) -> String {
    Path::new("objects").join(object_path(hash)).to_string_lossy().into_owned()
}
