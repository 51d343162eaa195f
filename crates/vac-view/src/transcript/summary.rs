//! Counts the actions of a session.

use std::collections::BTreeMap;

use vac_record::annotations::{Category, Outcome};

use super::MAX_NAMES;
use super::item::Call;
use crate::diff::Extent;
use crate::status::{Ended, Status};
use crate::usage_totals::UsageTotals;

/// A summary of a session.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The totals of the session.
    pub totals: Totals,
    /// The way in which the session ended.
    pub ended: Ended,
    /// The status of the session.
    pub status: Status,
}

/// The totals of a session. Items that were left out do not count.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The number of prompts of the user.
    pub prompts: u64,
    /// The number of tool calls.
    pub calls: u64,
    /// The number of tool calls that failed.
    pub failed_calls: u64,
    /// The number of tool calls that were cancelled.
    pub cancelled_calls: u64,
    /// The number of commands that the agent ran.
    pub commands: u64,
    /// The number of commands that failed.
    pub failed_commands: u64,
    /// The files that were changed by edits that did not fail, with the numbers of lines.
    pub files: BTreeMap<String, FileTotal>,
    /// The hosts that calls name, with the number of these calls.
    pub hosts: BTreeMap<String, u64>,
    /// The tokens that were used.
    pub tokens: UsageTotals,
    /// The cost that the log states.
    pub cost: Option<f64>,
    /// The number of items that are not part of the conversation any more.
    pub superseded: u64,
    /// The number of items that repeat others, were inherited or updated.
    pub repeated: u64,
    /// The number of messages in the user's name that the program or a hook wrote.
    pub by_program: u64,
    /// The number of entries with bytes that could not be parsed.
    pub unparsed: u64,
    /// The number of annotations that are not valid and were ignored.
    pub invalid_annotations: u64,
}

/// The changes of a file by all edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTotal {
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
    /// Whether an edit did not state its lines.
    pub is_partial: bool,
    /// Whether the last edit deleted it.
    pub is_deleted: bool,
}

impl Totals {
    /// Counts a call, with its outcome if it has no result.
    pub(super) fn call(&mut self, call: &Call) {
        self.calls += 1;
        self.commands += u64::from(call.command.is_some());
        self.outcome(Some(call.category), call.outcome);
        if let Some(host) = &call.host
            && (self.hosts.len() < MAX_NAMES || self.hosts.contains_key(host))
        {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
    }

    /// Counts the outcome of a call.
    pub(super) fn outcome(&mut self, category: Option<Category>, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Error) => {
                self.failed_calls += 1;
                self.failed_commands += u64::from(category == Some(Category::Execute));
            }
            Some(Outcome::Cancelled) => self.cancelled_calls += 1,
            Some(Outcome::Success | Outcome::Unknown) | None => {}
        }
    }

    /// Counts the lines of edits, unless the call failed.
    pub(super) fn edits(&mut self, call: &Call) {
        if matches!(call.ending(), Some(Outcome::Error | Outcome::Cancelled)) {
            return;
        }
        for edit in &call.edits {
            let Some(path) = &edit.path else { continue };
            if self.files.len() >= MAX_NAMES && !self.files.contains_key(path) {
                continue;
            }
            let total = self.files.entry(path.clone()).or_default();
            total.is_deleted = edit.extent == Extent::Deleted;
            match edit.extent {
                Extent::Lines { added, removed } => {
                    total.added = total.added.saturating_add(added);
                    total.removed = total.removed.saturating_add(removed);
                }
                Extent::Written(lines) => {
                    total.added = total.added.saturating_add(lines);
                }
                Extent::Deleted => {}
                Extent::Unknown => total.is_partial = true,
            }
        }
    }
}
