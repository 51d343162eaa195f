//! Divides a file with several sessions: concatenated logs, or captures of several runs.
//!
//! Lines that name different sessions are still one session if they are one tree: a session that
//! was resumed under a new id continues from a line of the earlier one.

use std::collections::HashMap;

use vac_adapter::{Error, Log};
use vac_value::Node;

use crate::lines::{self, LineContent};
use crate::short_hash::{ShortHash, ShortHashMap};

/// Maximum number of sessions, because each is read in a separate pass. Lines of further sessions
/// belong to the last one.
const MAX_SESSIONS: usize = 1000;

/// The assignment of lines to several sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// The first line of each run of lines, and the session that they belong to.
    runs: Vec<(usize, usize)>,
    /// Number of sessions.
    pub count: usize,
}

impl Sessions {
    /// Returns the sessions of a log, if there are several.
    pub fn find(log: &Log<'_>) -> Result<Option<Self>, Error> {
        let mut search = Search::default();
        lines::each(log, false, |line| {
            if let LineContent::Value(node) = line.content {
                search.line(line.index, node);
            }
            Ok(())
        })?;
        let found = search.end();
        Ok((found.count > 1).then_some(found))
    }

    /// Returns a function that returns the session of a line. It has to be called with the lines in
    /// order.
    pub fn line_sessions(&self) -> impl FnMut(usize) -> usize {
        let (mut runs, mut session) = (self.runs.iter().copied().peekable(), 0);
        move |line| {
            while let Some((_, next)) = runs.next_if(|(first, _)| *first <= line) {
                session = next;
            }
            session
        }
    }
}

/// The sessions that lines name, while they are searched for.
#[derive(Default)]
struct Search {
    numbers: HashMap<String, usize>,
    /// The session that each session was joined with, or itself.
    joined: Vec<usize>,
    has_messages: Vec<bool>,
    /// The sessions of lines, by the ids of the lines.
    line_session: ShortHashMap<usize>,
    runs: Vec<(usize, usize)>,
}

impl Search {
    fn line(&mut self, index: usize, line: Node<'_, '_>) {
        let text = |key: &str| line.member(key).and_then(Node::text);
        let Some(id) = text("sessionId").or_else(|| text("session_id")) else { return };
        let number = match self.numbers.get(&*id) {
            Some(number) => *number,
            None if self.joined.len() == MAX_SESSIONS => MAX_SESSIONS - 1,
            None => {
                let number = self.joined.len();
                self.numbers.insert(id.into_owned(), number);
                self.joined.push(number);
                self.has_messages.push(false);
                number
            }
        };
        if self.runs.last().is_none_or(|(_, last)| *last != number) {
            self.runs.push((index, number));
        }
        let kind = line.member("type");
        self.has_messages[number] |=
            kind.is_some_and(|kind| kind.is_text("user") || kind.is_text("assistant"));
        let hash = |key: &str| text(key).map(|id| ShortHash::new(&*id));
        if let Some(other) = hash("parentUuid").and_then(|id| self.line_session.get(id).copied()) {
            self.join(number, other);
        }
        if let Some(id) = hash("uuid") {
            // Of copies the last one counts, because a line continues from a line of its own
            // session.
            self.line_session.insert(id, number);
        }
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.joined[number] != number {
            // Halve the path, so that long chains are followed only once.
            self.joined[number] = self.joined[self.joined[number]];
            number = self.joined[number];
        }
        number
    }

    /// Joins two sessions under the number of the earlier one.
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let root = one.min(other);
        self.joined[one.max(other)] = root;
        let has_messages = self.has_messages[one] || self.has_messages[other];
        self.has_messages[root] = has_messages;
    }

    fn end(mut self) -> Sessions {
        // A session with only notes is part of the session before or after it.
        for at in 0..self.runs.len() {
            let number = self.root(self.runs[at].1);
            let neighbour = if at == 0 { self.runs.get(1) } else { self.runs.get(at - 1) };
            if let Some((_, neighbour)) = neighbour.copied()
                && !self.has_messages[number]
            {
                self.join(number, neighbour);
            }
        }
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (first, session) in std::mem::take(&mut self.runs) {
            let next = numbers.len();
            let number = *numbers.entry(self.root(session)).or_insert(next);
            if runs.last().is_none_or(|(_, last)| *last != number) {
                runs.push((first, number));
            }
        }
        Sessions { runs, count: numbers.len() }
    }
}
