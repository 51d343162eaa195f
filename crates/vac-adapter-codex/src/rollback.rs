//! Finds the turns that a `thread_rolled_back` removed. They are kept in the record as superseded.
//!
//! A turn begins with the `task_started` before a user's message or, in logs without these, with
//! the message itself.

use crate::duplicate_events::Links;

/// The turns of a session, and those that were removed.
#[derive(Default)]
pub(crate) struct Rollback {
    /// The position at which the last task began, until a user's message occurs in it.
    task: Option<u64>,
    has_tasks: bool,
    /// The positions at which the turns that count begin.
    turns: Vec<u64>,
    /// Ranges of removed lines, in order and disjoint.
    removed: Vec<(u64, u64)>,
}

impl Rollback {
    /// Adds the beginning of a task.
    pub fn task(&mut self, index: u64) {
        self.has_tasks = true;
        self.task = Some(index);
    }

    /// Adds a message of the user, or of another agent.
    pub fn message(&mut self, index: u64) {
        if self.has_tasks {
            self.turns.extend(self.task.take());
        } else {
            self.turns.push(index);
        }
    }

    /// Removes the last turns.
    pub fn back(&mut self, turns: u64, index: u64) {
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        let left = self.turns.len().saturating_sub(turns);
        let Some(from) = self.turns.get(left).copied() else { return };
        self.turns.truncate(left);
        self.task = None;
        while self.removed.last().is_some_and(|(earlier, _)| *earlier >= from) {
            self.removed.pop();
        }
        self.removed.push((from, index));
    }

    /// Ends the pass: a turn that begins with the event that repeats a message begins with the
    /// message.
    pub fn end(&mut self, links: &Links) {
        for (from, _) in &mut self.removed {
            *from = links.item(*from).map_or(*from, |item| item.min(*from));
        }
    }

    /// Returns whether a line was removed.
    pub fn holds(&self, index: u64) -> bool {
        let after = self.removed.partition_point(|(from, _)| *from <= index);
        after > 0 && index < self.removed[after - 1].1
    }
}
