//! What is around a payload: the line it is in, and what the session knows of it.

use std::borrow::Cow;

use vac_adapter::members::{Members, Rest, keys, object, sift};
use vac_adapter::raw;
use vac_record::{AbstractTimestamp, MessageEntry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::at::At;
use crate::clock;
use crate::shape::Envelope;

/// Keys that this adapter adds to entries.
const OURS: &[&str] = &[
    "payload",
    "msg",
    "item",
    "invocation",
    "inherited",
    "rolled-back",
    "duplicate-of",
    "superseded-by",
    "call-id",
    "token-usage",
];

/// Of `message-entry`.
pub(crate) const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
/// Of `tool-call-entry`.
pub(crate) const TOOL_CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
/// Of `tool-result-entry`.
pub(crate) const TOOL_RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);
/// Of `reasoning-entry`.
pub(crate) const REASONING: &[&str] =
    &keys::with::<{ ReasoningEntry::KEYS.len() + OURS.len() }>(&ReasoningEntry::KEYS, OURS);
/// Of `event-entry`.
pub(crate) const EVENT: &[&str] =
    &keys::with::<{ keys::EVENT.len() + OURS.len() }>(keys::EVENT, OURS);

/// What is said of an entry beside what its line says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// Whether it is a replay of another session.
    pub is_inherited: bool,
    /// Whether its turn was taken back.
    pub is_rolled_back: bool,
}

/// What is around a payload.
pub(crate) struct Around<'a> {
    /// The line that it is in; `None` if the line is its own payload.
    line: Option<Line<'a>>,
    /// Where it stands.
    pub at: At,
    /// What is said of it.
    pub standing: Standing,
}

/// A line with something inside.
#[derive(Clone, Copy)]
struct Line<'a> {
    node: Node<'a, 'a>,
    /// The member that is inside.
    inside: &'static str,
    /// When it was written, if it has no other members than these and its type.
    only: Option<Node<'a, 'a>>,
}

impl<'a> Around<'a> {
    /// Of a line with a payload.
    pub fn envelope(
        line: Node<'a, 'a>,
        envelope: &Envelope<'a>,
        at: At,
        standing: Standing,
    ) -> Self {
        let only = envelope.timestamp.filter(|_| !envelope.is_more);
        Self { line: Some(Line { node: line, inside: envelope.inside, only }), at, standing }
    }

    /// Of a line with an item.
    pub fn item(line: Node<'a, 'a>, at: At, standing: Standing) -> Self {
        Self { line: Some(Line { node: line, inside: "item", only: None }), at, standing }
    }

    /// Of a line that is its own payload.
    pub fn bare(at: At, standing: Standing) -> Self {
        Self { line: None, at, standing }
    }

    /// Shows each member of the payload to `take`, which says whether it took it.
    /// Gives the time of the line, and what is left of line and payload: of the line
    /// flat, of the payload together.
    pub fn sift(
        self,
        payload: Node<'a, 'a>,
        named: &[&str],
        mut take: impl FnMut(&str, Node<'a, 'a>) -> bool,
    ) -> (Option<AbstractTimestamp<'a>>, Rest<'a>) {
        let (timestamp, mut rest) = match self.line {
            Some(line) => {
                let left = sift(payload, &[], take);
                let (timestamp, mut rest) = line.open(named);
                rest.extend(object(left).map(|left| (line.inside.into(), left)));
                (timestamp, rest)
            }
            None => {
                let mut timestamp = None;
                let rest = sift(payload, named, |key, value| match key {
                    "timestamp" => is_timestamp(value, &mut timestamp),
                    _ => take(key, value),
                });
                (timestamp, rest)
            }
        };
        self.standing.push(&mut rest);
        (timestamp, rest)
    }

    /// The same for a payload from which everything was taken already that is wanted.
    pub fn close(
        self,
        payload: Members<'a, '_>,
        named: &[&str],
    ) -> (Option<AbstractTimestamp<'a>>, Rest<'a>) {
        let (timestamp, mut rest) = match self.line {
            Some(line) => {
                let (timestamp, mut rest) = line.open(named);
                rest.extend(payload.remainder().map(|left| (line.inside.into(), left)));
                (timestamp, rest)
            }
            None => (None, payload.rest(named)),
        };
        self.standing.push(&mut rest);
        (timestamp, rest)
    }

    /// The time of the line, the payload as data, and what is left of the line.
    pub fn close_event(
        self,
        payload: Node<'a, '_>,
    ) -> (Option<AbstractTimestamp<'a>>, Rest<'a>, Rest<'a>) {
        let mut timestamp = None;
        let mut rest = Rest::default();
        let data = match self.line {
            _ if payload.kind() != Kind::Map => {
                let name = self.line.map_or("value", |line| line.inside);
                [(Cow::Borrowed(name), payload.carry())].into_iter().collect()
            }
            Some(_) => sift(payload, &[], |_, _| false),
            None => sift(payload, &[], |key, value| {
                key == "timestamp" && is_timestamp(value, &mut timestamp)
            }),
        };
        if let Some(line) = self.line {
            (timestamp, rest) = line.open(EVENT);
        }
        self.standing.push(&mut rest);
        (timestamp, data, rest)
    }
}

impl Standing {
    fn push(self, rest: &mut Rest<'_>) {
        if self.is_inherited {
            raw::push(rest, "inherited", &true);
        }
        if self.is_rolled_back {
            raw::push(rest, "rolled-back", &true);
        }
    }
}

impl<'a> Line<'a> {
    /// Its time, and its members but that, its type and what is inside: the type is what
    /// the entry was made by, and what is inside what it was made of.
    fn open(self, named: &[&str]) -> (Option<AbstractTimestamp<'a>>, Rest<'a>) {
        let mut timestamp = self.only.and_then(clock::timestamp);
        if timestamp.is_some() {
            return (timestamp, Rest::default());
        }
        let rest = sift(self.node, named, |key, value| match key {
            "timestamp" => is_timestamp(value, &mut timestamp),
            // A line without a type of its own may have what is no type.
            "type" => value.kind() == Kind::Text,
            _ => key == self.inside,
        });
        (timestamp, rest)
    }
}

fn is_timestamp<'a>(value: Node<'a, '_>, timestamp: &mut Option<AbstractTimestamp<'a>>) -> bool {
    *timestamp = clock::timestamp(value);
    timestamp.is_some()
}
