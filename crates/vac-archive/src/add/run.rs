//! Writes the statements about converted logs, one log after the other.

use std::collections::HashSet;
use std::path::Path;

use vac::search::Duplicate;
use vac_sign::merkle::Hash;

use super::{AddProgress, AddSummary, NewVersion, Outcome, Worked};
use crate::catalog::{ArchivedVersion, Catalog};
use crate::error::{Error, Result};
use crate::index::KnownLog;
use crate::journal::ArchiveHead;
use crate::selection::Selection;
use crate::writer::Writer;

/// The maximum number of versions that a head acknowledges.
const MAX_ACKNOWLEDGED: usize = 4096;

/// Receives the results of converting logs, in order.
pub(super) struct Run<'r> {
    pub writer: Writer<'r>,
    pub selection: Selection,
    pub summary: AddSummary,
    pub acknowledges: bool,
    pub logs: Vec<KnownLog>,
    /// The sessions that were added, with the hashes of their sources.
    pub seen: HashSet<(String, Vec<Hash>)>,
}

impl Run<'_> {
    pub fn take(
        &mut self,
        worked: Worked,
        progress: &mut dyn FnMut(AddProgress<'_>),
    ) -> Result<()> {
        let Worked { known, state, outcome } = worked;
        let shown = &known.log.shown;
        let mut is_settled = true;
        match outcome {
            Outcome::Broken(error) => return Err(error),
            Outcome::Unchanged => self.summary.unchanged += 1,
            Outcome::NotALog => self.summary.skipped += 1,
            // Only the index states the acknowledgement.
            Outcome::NotALogAnyMore(reason) if self.acknowledges => {
                self.summary.skipped += 1;
                self.summary.accepted.push((shown.clone(), reason));
            }
            Outcome::NotALogAnyMore(reason) => {
                is_settled = false;
                let advice = "(adding it with --acknowledge accepts this)";
                self.summary.failed.push((shown.clone(), format!("{reason} {advice}")));
            }
            Outcome::Failed(reason) => {
                is_settled = false;
                self.summary.failed.push((shown.clone(), reason));
            }
            Outcome::Sessions(sessions) => {
                for session in sessions {
                    match session {
                        Ok(version) => self.take_version(version, shown, progress)?,
                        Err(reason) => {
                            is_settled = false;
                            self.summary.failed.push((shown.clone(), reason));
                        }
                    }
                }
            }
        }
        if is_settled {
            self.logs.extend(self.selection.known_log(&known, &state));
        }
        Ok(())
    }

    fn take_version(
        &mut self,
        version: NewVersion,
        shown: &str,
        progress: &mut dyn FnMut(AddProgress<'_>),
    ) -> Result<()> {
        let NewVersion { session_id, claim, record, details, folders, is_stated } = version;
        if is_stated {
            self.summary.unchanged += 1;
            if !folders.is_empty() {
                let repaired = format!("what was lost of session {session_id} was stored again");
                self.summary.repaired.push(repaired);
            }
            self.writer.keep(folders);
            return Ok(());
        }
        let hashes = details.sources.iter().map(|source| source.sha_256).collect();
        if !self.seen.insert((session_id.clone(), hashes)) {
            let duplicate = Duplicate { name: shown.to_owned(), of: session_id, is_copy: true };
            self.summary.duplicates.push(duplicate);
            return Ok(());
        }
        let added = self.writer.state(&session_id, claim, record, details, folders)?;
        progress(AddProgress::Added(added));
        self.summary.added.push(added.clone());
        Ok(())
    }

    /// Writes the waiting statements, a head and the index.
    pub fn finish(mut self, failure: Option<Error>, build: &str) -> Result<AddSummary> {
        if let Some(error) = failure {
            // Write a head for the statements, if possible. Otherwise the next run does.
            if self.writer.flush().is_ok() && self.writer.is_ahead() {
                let _ = self.writer.write_head(Vec::new());
            }
            return Err(error);
        }
        self.writer.flush()?;
        let numbers = self.summary.acknowledged.iter().map(|(version, _)| version.number);
        let numbers: Vec<_> = numbers.collect();
        // Headers are limited, so one head cannot acknowledge any number of versions.
        let mut acknowledged = numbers.chunks(MAX_ACKNOWLEDGED);
        if self.writer.is_ahead() || !numbers.is_empty() {
            self.writer.write_head(acknowledged.next().unwrap_or_default().to_vec())?;
        }
        for numbers in acknowledged {
            self.writer.write_head(numbers.to_vec())?;
        }
        // Keep the facts about logs that were not searched in this run.
        let mut logs = std::mem::take(&mut self.logs);
        let members: HashSet<String> = logs.iter().flat_map(|log| &log.members).cloned().collect();
        let is_other = |log: &&KnownLog| !log.members.iter().any(|it| members.contains(it));
        let exists = |path: &str| Path::new(path).symlink_metadata().is_ok();
        // A session of a store is the path of the store with `#` and a key.
        let is_there = |key: &String| {
            exists(key) || key.match_indices('#').any(|(end, _)| exists(&key[..end]))
        };
        let settled = self.selection.settled.iter().flat_map(|log| &log.members);
        let settled: HashSet<&String> = settled.collect();
        let is_left =
            |log: &&KnownLog| log.members.iter().all(|key| settled.contains(key) || is_there(key));
        logs.extend(self.writer.logs.iter().filter(is_other).filter(is_left).cloned());
        logs.sort_by(|one, other| one.members.cmp(&other.members));
        self.writer.write_index(logs, build)?;
        self.summary.discontinued = discontinued(&self.writer.catalog);
        let ArchiveHead { claim, .. } = &self.writer.head;
        self.summary.size = claim.size;
        Ok(self.summary)
    }
}

/// Returns the versions that do not contain the previous ones and are not acknowledged, each with the
/// previous one.
pub(super) fn discontinued(catalog: &Catalog) -> Vec<(ArchivedVersion, ArchivedVersion)> {
    let pair = |version: &ArchivedVersion| {
        let previous = version.previous.and_then(|number| catalog.get(number))?;
        Some((version.clone(), previous.clone()))
    };
    catalog.discontinued().filter_map(pair).collect()
}
