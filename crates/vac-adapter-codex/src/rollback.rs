//! The turns that a `thread_rolled_back` took back. They stay in the record,
//! marked.
//!
//! A turn is what a user's message began: from the `task_started` before it, or,
//! in logs without these, from the message itself.

use crate::duplicate_events::Links;

/// The turns of a session, and those that were taken back.
#[derive(Default)]
pub(crate) struct Rollback {
    /// Where the last task began, until a user's message is seen in it.
    task: Option<u64>,
    has_tasks: bool,
    /// Where the turns that count begin.
    turns: Vec<u64>,
    /// From where to where lines were taken back; in order, apart.
    taken_back: Vec<(u64, u64)>,
}

impl Rollback {
    /// A task begins.
    pub fn task(&mut self, index: u64) {
        self.has_tasks = true;
        self.task = Some(index);
    }

    /// The user says something.
    pub fn message(&mut self, index: u64) {
        if self.has_tasks {
            self.turns.extend(self.task.take());
        } else {
            self.turns.push(index);
        }
    }

    /// So many turns are taken back.
    pub fn back(&mut self, turns: u64, index: u64) {
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        let left = self.turns.len().saturating_sub(turns);
        let Some(from) = self.turns.get(left).copied() else { return };
        self.turns.truncate(left);
        self.task = None;
        while self.taken_back.last().is_some_and(|(earlier, _)| *earlier >= from) {
            self.taken_back.pop();
        }
        self.taken_back.push((from, index));
    }

    /// Ends the pass: a turn that begins with the event that echoes a message
    /// begins with the message.
    pub fn end(&mut self, links: &Links) {
        for (from, _) in &mut self.taken_back {
            *from = links.item(*from).map_or(*from, |item| item.min(*from));
        }
    }

    /// Whether a line was taken back.
    pub fn holds(&self, index: u64) -> bool {
        let behind = self.taken_back.partition_point(|(from, _)| *from <= index);
        behind > 0 && index < self.taken_back[behind - 1].1
    }
}
