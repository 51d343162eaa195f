//! The lines that summaries have replaced.

use vac_record::Entry;
use vac_record::annotations::{Superseded, SupersededHow};

use crate::annotation::{annotate, annotations};

/// The compactions of a session: each replaces the lines before a boundary by a summary.
#[derive(Clone, Debug, Default)]
pub struct Compactions {
    /// The boundary of each, and the id of the entry that states it, by ascending boundaries.
    found: Vec<(u64, String)>,
}

impl Compactions {
    /// Adds a compaction: the entry with the id `by` replaces the messages, calls and results of all
    /// lines before the line `before`.
    pub fn add(&mut self, before: u64, by: String) {
        // A compaction whose lines an earlier one has already replaced is not needed.
        if self.found.last().is_none_or(|(last, _)| *last < before) {
            self.found.push((before, by));
        }
    }

    /// Annotates the entry of a line that a summary has replaced. Events and entries of subagents
    /// are not part of the conversation that is replaced, and entries that were superseded before
    /// keep their annotation.
    pub(super) fn annotate(&self, entry: &mut Entry<'_>, index: u64) {
        let next = self.found.partition_point(|(before, _)| *before <= index);
        let Some((_, by)) = self.found.get(next) else { return };
        if matches!(entry, Entry::Event(_)) {
            return;
        }
        let found = annotations(entry).expect("only adapters write annotations");
        if found.is_some_and(|it| it.superseded.is_some() || it.subagent.is_some()) {
            return;
        }
        let by = Some(by.clone().into());
        annotate(entry, |it| {
            it.superseded = Some(Superseded { how: SupersededHow::Compacted, by });
        });
    }
}
