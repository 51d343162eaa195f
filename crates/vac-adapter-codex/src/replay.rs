//! Finds lines of another session that were copied into this one: forks and subagents begin with
//! them.

use vac_adapter::time::instant;
use vac_value::Node;

use crate::clock;
use crate::location::Location;
use crate::meta::Meta;

/// The number of nanoseconds after which a line is new. Replayed lines have the time of the fork.
const REPLAY_NANOSECONDS: i128 = 1_000_000_000;

/// The lines that were copied.
#[derive(Default)]
pub(crate) struct Replay {
    /// The first copied line, and its time.
    from: Option<(u64, Option<i128>)>,
    /// The session that they are copied from.
    session_id: Option<String>,
    /// The first line after them, by its turn.
    until_turn: Option<u64>,
    /// The first line after them, by its time.
    until_time: Option<u64>,
}

impl Replay {
    /// Reads the time of a line.
    pub fn time(&mut self, timestamp: Option<Node<'_, '_>>, index: u64) {
        if let (Some((_, Some(began))), None) = (self.from, self.until_time)
            && written(timestamp).is_some_and(|time| time > began + REPLAY_NANOSECONDS)
        {
            self.until_time = Some(index);
        }
    }

    /// Reads a `session_meta` after the first one. If it names the session that this one comes
    /// from, lines of that session follow. Before 0.88 a log does not name the other session, and a
    /// second `session_meta` directly after the first is the only sign.
    pub fn meta(
        &mut self,
        payload: Node<'_, '_>,
        timestamp: Option<Node<'_, '_>>,
        at: Location,
        own: &Meta,
    ) {
        let Some(id) = payload.member("id").and_then(Node::text) else { return };
        let follows = at.index == own.index + 1 && own.is_another(&id);
        if self.from.is_none() && (follows || own.comes_from(&id)) {
            self.from = Some((at.index, written(timestamp)));
            self.session_id = Some(id.into_owned());
        }
    }

    /// Reads the beginning of a turn: one that is later than the session is its own. Returns
    /// whether it ends the replay.
    pub fn turn(&mut self, event: Node<'_, '_>, index: u64, own: Option<&Meta>) -> bool {
        if self.from.is_none() || self.until_turn.is_some() {
            return false;
        }
        let turn = event.member("turn_id").and_then(Node::text);
        let is_own = turn.is_some_and(|turn| own.is_some_and(|own| own.is_before(&turn)));
        if is_own {
            self.until_turn = Some(index);
        }
        is_own
    }

    /// Returns the session whose lines were copied.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns whether lines may be copies, as far as is known yet.
    pub fn is_open(&self) -> bool {
        self.from.is_some() && self.until_turn.is_none()
    }

    /// Returns whether the copies have ended, as far as is known yet.
    pub fn is_over(&self) -> bool {
        self.from.is_none() || self.until_turn.is_some() || self.until_time.is_some()
    }

    /// Returns whether a line is a copy, once all lines have been seen.
    pub fn holds(&self, index: u64) -> bool {
        self.from.is_some_and(|(from, _)| {
            let until = self.until_turn.or(self.until_time);
            index >= from && until.is_none_or(|until| index < until)
        })
    }
}

fn written(timestamp: Option<Node<'_, '_>>) -> Option<i128> {
    instant(&clock::timestamp(timestamp?)?)
}
