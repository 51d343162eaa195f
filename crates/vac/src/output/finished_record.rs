//! Checks whether a new record contains an earlier one, which it may then replace.
//!
//! Either of two proofs is enough:
//!
//! * The log has only grown: each source of the earlier record is the beginning of a source
//!   of the new one. Size and SHA-256 of the earlier sources are in its record.
//! * Every entry of the earlier record is in the new one, unchanged and in the same order.
//!   An entry may have got further children.
//!
//! The first proof is for logs to which agents append, even if the new record annotates earlier
//! entries. It is not sufficient for a record that keeps only a part of its log
//! ([`Profile::Canonical`]), which needs the second proof. An earlier record that cannot be read to
//! its end counts as not contained.

use std::fs::File;
use std::io;
use std::path::Path;

use vac_adapter::adapter::Profile;
use vac_adapter::report::{Report, SourceFile};
use vac_store::StoredLog;
use vac_value::Encoding;

use super::existing_record::ExistingRecord;
use super::record_writer::WrittenRecord;
use crate::containment::hash_entries;

/// A record that has just been written.
pub struct FinishedRecord<'f> {
    /// The record.
    pub record: WrittenRecord,
    /// The encoding of the record.
    pub encoding: Encoding,
    /// The extent of the record.
    pub profile: Profile,
    /// The report on its conversion.
    pub report: &'f Report,
    /// The log that it was made from.
    pub log: &'f StoredLog,
}

impl FinishedRecord<'_> {
    /// Returns whether it states the same as a record that was made from files of the same content
    /// and other names.
    pub fn is_copy_of(&self, record: &ExistingRecord) -> bool {
        let content = |source: &SourceFile| (source.size, source.sha_256.clone());
        let names = |sources: &[SourceFile]| -> Vec<_> {
            sources.iter().map(|source| source.name.clone()).collect()
        };
        let sources = &self.report.sources;
        names(sources) != names(&record.sources)
            && sources.iter().map(content).eq(record.sources.iter().map(content))
            && record.labels == self.report.labels
            && record.is_canonical == (self.profile == Profile::Canonical)
    }

    /// Returns whether it contains the record in a file that states these sources.
    pub fn contains(&mut self, earlier: &Path, sources: &[SourceFile]) -> io::Result<bool> {
        let mut before = Vec::new();
        let read = File::open(earlier)
            .and_then(|file| hash_entries(file, self.encoding, |it| before.push(it)));
        if !matches!(read, Ok(true)) {
            return Ok(false);
        }
        let has_grown = || self.log.has_grown(sources, &self.report.sources).unwrap_or(false);
        if self.profile == Profile::Full && has_grown() {
            return Ok(true);
        }
        let mut found = 0;
        let are_all = hash_entries(self.record.open()?, self.encoding, |hash| {
            found += usize::from(before.get(found) == Some(&hash));
        })?;
        Ok(are_all && found == before.len())
    }
}
