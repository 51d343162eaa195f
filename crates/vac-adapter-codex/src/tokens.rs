//! Which lines count tokens, so that the `token-usage` of all entries adds up to
//! what the session used.
//!
//! * A `token_usage_record` counts: one for each response, told apart by its
//!   `response_id`. One of another thread does not, nor do the copies in
//!   `compacted.latest_token_usage_record`.
//! * A `token_count` counts its `last_token_usage`, unless its turn has records,
//!   or the total has not changed since the count before: the CLI tells a count
//!   again whenever the limits are told, and puts a guess at the size of the
//!   context in the place of the last usage when it has compacted.
//! * One without `info`, as it was printed before September 2025, is what one response
//!   used.
//! * A `turn.completed` tells the total of the thread: what counts is what was
//!   added to the one before.
//! * Copies of another session's lines count nothing.

use std::collections::{HashMap, HashSet};

use vac_value::{Any, Node};

use crate::at::At;
use crate::mark;
use crate::usage::Usage;

/// The turns that have records.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    turn: u64,
    turns: HashSet<u64>,
}

impl Recorded {
    /// Looks at a line that may begin a turn.
    pub fn turn(&mut self, payload: Node<'_, '_>) {
        self.turn = turn_of(payload).unwrap_or(self.turn);
    }

    /// Counts a record in.
    pub fn record(&mut self, record: Node<'_, '_>) {
        self.turns.insert(turn_of(record).unwrap_or(self.turn));
    }
}

/// What a line tells about tokens.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// What was used, as `token-usage`.
    Used(Any<'a>),
    /// What the entry with this id has told.
    Again(String),
    /// Nothing that counts.
    Nothing,
}

/// Counts, in the order of the lines.
pub(crate) struct Tally<'f> {
    recorded: &'f Recorded,
    /// The thread that is counted.
    thread: Option<&'f str>,
    turn: u64,
    /// The last count, as it is written.
    count: Vec<u8>,
    /// The entry that told it first.
    counted: Option<At>,
    /// The last record of the turn.
    last: Option<At>,
    /// Responses that were recorded, and the entries that did.
    responses: HashMap<u64, At>,
    /// The last total that was printed.
    printed: Option<Usage<u64>>,
}

impl<'f> Tally<'f> {
    /// Nothing yet.
    pub fn new(recorded: &'f Recorded, thread: Option<&'f str>) -> Self {
        Self {
            recorded,
            thread,
            turn: 0,
            count: Vec::new(),
            counted: None,
            last: None,
            responses: HashMap::new(),
            printed: None,
        }
    }

    /// Looks at a line that may begin a turn.
    pub fn turn(&mut self, payload: Node<'_, '_>) {
        if let Some(turn) = turn_of(payload).filter(|turn| *turn != self.turn) {
            self.turn = turn;
            self.last = None;
        }
    }

    /// A `token_count`.
    pub fn count<'a>(&mut self, event: Node<'a, 'a>, at: At, is_copy: bool) -> Told<'a> {
        let Some(info) = event.member("info") else {
            return if is_copy { Told::Nothing } else { used(Some(event)) };
        };
        let last = info.member("last_token_usage");
        let Some(state) = info.member("total_token_usage").or(last) else { return Told::Nothing };
        if let Some(by) = self.counted.filter(|_| state.raw() == self.count) {
            return Told::Again(by.id());
        }
        let is_recorded = self.recorded.turns.contains(&self.turn);
        let record = self.last.filter(|_| is_recorded);
        self.count.clear();
        self.count.extend_from_slice(state.raw());
        self.counted = Some(record.unwrap_or(at));
        if let Some(record) = record {
            return Told::Again(record.id());
        }
        if is_copy || is_recorded {
            return Told::Nothing;
        }
        used(last)
    }

    /// A `token_usage_record`.
    pub fn record<'a>(&mut self, record: Node<'a, 'a>, at: At, is_copy: bool) -> Told<'a> {
        if let Some(response) = record.member("response_id").and_then(mark::of) {
            if let Some(by) = self.responses.get(&response) {
                return Told::Again(by.id());
            }
            self.responses.insert(response, at);
        }
        self.last = Some(at);
        let thread = record.member("thread_id").and_then(Node::text);
        let is_own = match (&thread, self.thread) {
            (Some(thread), Some(own)) => thread == own,
            _ => true,
        };
        if is_copy || !is_own {
            return Told::Nothing;
        }
        used(record.member("usage"))
    }

    /// A `turn.completed`.
    pub fn printed<'a>(&mut self, line: Node<'a, 'a>) -> Told<'a> {
        let Some(total) = line.member("usage").and_then(Usage::of) else { return Told::Nothing };
        let total = total.values();
        let used = self.printed.map_or(total, |earlier| total.since(earlier));
        self.printed = Some(total);
        used.carry().map_or(Told::Nothing, Told::Used)
    }
}

fn used<'a>(usage: Option<Node<'a, 'a>>) -> Told<'a> {
    usage.and_then(Usage::of).map_or(Told::Nothing, |usage| Told::Used(usage.carry()))
}

fn turn_of(payload: Node<'_, '_>) -> Option<u64> {
    payload.member("turn_id").and_then(mark::of)
}
