//! Selects the lines that count tokens, so that the `token-usage` of all entries adds up to the
//! tokens that the session used.
//!
//! * A `token_usage_record` counts: one for each response, identified by its
//!   `response_id`. A record of another thread does not count, and neither do the copies in
//!   `compacted.latest_token_usage_record`.
//! * A `token_count` counts its `last_token_usage`, unless its turn has records,
//!   or the total has not changed since the count before: the CLI repeats a count
//!   whenever it reports limits, and writes an estimate of the size of the context
//!   in place of the last usage after a compaction.
//! * If the total has grown by more than the last usage, the total counts, because an aborted
//!   request has no count of its own.
//! * A `token_count` without `info`, as printed before September 2025, states the usage of one
//!   response.
//! * A `turn.completed` states the total of the thread. The difference from the previous total
//!   counts.
//! * Copies of another session's lines count nothing.

use std::collections::{HashMap, HashSet};

use vac_adapter::Report;
use vac_record::annotations;
use vac_value::{Any, Node};

use crate::location::Location;
use crate::text_hash::TextHash;
use crate::usage::Usage;

/// The turns that have records.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    turn: Option<TextHash>,
    turns: HashSet<Option<TextHash>>,
}

impl Recorded {
    /// Adds a line that may begin a turn.
    pub fn turn(&mut self, payload: Node<'_, '_>) {
        self.turn = turn_id(payload).or(self.turn);
    }

    /// Adds a record.
    pub fn record(&mut self, record: Node<'_, '_>) {
        self.turns.insert(turn_id(record).or(self.turn));
    }
}

/// The tokens that a line adds to the session.
#[derive(Debug)]
pub(crate) enum Count<'a> {
    /// This usage.
    New {
        /// The usage as `token-usage`.
        stated: Any<'a>,
        /// The tokens in additive buckets.
        buckets: annotations::Usage<'static>,
    },
    /// No tokens, because the entry with this id has counted them.
    Repeated(String),
    /// No tokens.
    Nothing,
}

/// Counts, in the order of the lines.
pub(crate) struct Tally<'f> {
    recorded: &'f Recorded,
    /// The thread that is counted.
    thread: Option<&'f str>,
    turn: Option<TextHash>,
    /// The bytes of the last count.
    count: Vec<u8>,
    /// The total of that count.
    total: Option<Usage<u64>>,
    /// The entry that counted them first.
    counted: Option<Location>,
    /// The last record of the turn.
    last: Option<Location>,
    /// Responses that were recorded, and their entries.
    responses: HashMap<TextHash, Location>,
    /// The last total that was printed.
    printed: Option<Usage<u64>>,
}

impl<'f> Tally<'f> {
    /// Creates the state before the first line.
    pub fn new(recorded: &'f Recorded, thread: Option<&'f str>) -> Self {
        Self {
            recorded,
            thread,
            turn: None,
            count: Vec::new(),
            total: None,
            counted: None,
            last: None,
            responses: HashMap::new(),
            printed: None,
        }
    }

    /// Adds a line that may begin a turn.
    pub fn turn(&mut self, payload: Node<'_, '_>) {
        if let Some(turn) = turn_id(payload).filter(|turn| Some(*turn) != self.turn) {
            self.turn = Some(turn);
            self.last = None;
        }
    }

    /// Returns a `token_count`.
    pub fn count<'a>(
        &mut self,
        event: Node<'a, 'a>,
        at: Location,
        is_copy: bool,
        report: &mut Report,
    ) -> Count<'a> {
        let Some(info) = event.member("info") else {
            return if is_copy { Count::Nothing } else { used(Some(event), report) };
        };
        let last = info.member("last_token_usage");
        let Some(state) = info.member("total_token_usage").or(last) else { return Count::Nothing };
        if let Some(by) = self.counted.filter(|_| state.raw() == self.count) {
            return Count::Repeated(by.id());
        }
        let is_recorded = self.recorded.turns.contains(&self.turn);
        let record = self.last.filter(|_| is_recorded);
        let total = info.member("total_token_usage");
        let total = total.and_then(|total| Usage::parse(total, report)).map(Usage::values);
        let earlier = std::mem::replace(&mut self.total, total);
        self.count.clear();
        self.count.extend_from_slice(state.raw());
        self.counted = Some(record.unwrap_or(at));
        if let Some(record) = record {
            return Count::Repeated(record.id());
        }
        if is_copy || is_recorded {
            return Count::Nothing;
        }
        let Some(last) = last.and_then(|last| Usage::parse(last, report)) else {
            return Count::Nothing;
        };
        let added = earlier.zip(total).and_then(|(earlier, total)| total.checked_since(earlier));
        match added.filter(|added| added.contains(last.values())) {
            Some(added) => new_count(added),
            None => Count::New { stated: last.carry(), buckets: last.values().buckets() },
        }
    }

    /// Returns a `token_usage_record`.
    pub fn record<'a>(
        &mut self,
        record: Node<'a, 'a>,
        at: Location,
        is_copy: bool,
        report: &mut Report,
    ) -> Count<'a> {
        if let Some(response) = record.member("response_id").and_then(TextHash::from_node) {
            if let Some(by) = self.responses.get(&response) {
                return Count::Repeated(by.id());
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
            return Count::Nothing;
        }
        used(record.member("usage"), report)
    }

    /// Returns a `turn.completed`.
    pub fn printed<'a>(&mut self, line: Node<'a, 'a>, report: &mut Report) -> Count<'a> {
        let total = line.member("usage").and_then(|usage| Usage::parse(usage, report));
        let Some(total) = total else { return Count::Nothing };
        let total = total.values();
        let used = self.printed.map_or(total, |earlier| total.since(earlier));
        self.printed = Some(total);
        new_count(used)
    }
}

fn new_count<'a>(used: Usage<u64>) -> Count<'a> {
    match used.carry() {
        Some(stated) => Count::New { stated, buckets: used.buckets() },
        None => Count::Nothing,
    }
}

fn used<'a>(usage: Option<Node<'a, 'a>>, report: &mut Report) -> Count<'a> {
    usage.and_then(|usage| Usage::parse(usage, report)).map_or(Count::Nothing, |usage| {
        let buckets = usage.values().buckets();
        Count::New { stated: usage.carry(), buckets }
    })
}

fn turn_id(payload: Node<'_, '_>) -> Option<TextHash> {
    payload.member("turn_id").and_then(TextHash::from_node)
}
