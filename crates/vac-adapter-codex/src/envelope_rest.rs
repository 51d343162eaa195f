//! The line around a payload: its time, what is left of it, and the annotations of its entry.

use std::borrow::Cow;

use vac_adapter::annotation;
use vac_adapter::members::{Members, Rest, keys, object, sift};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, MessageEntry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::clock;
use crate::location::Location;
use crate::shape::Envelope;

/// Keys that this adapter adds to entries.
const OURS: &[&str] = &["payload", "msg", "item", "invocation", "token-usage"];

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

/// What an entry has besides its payload.
pub(crate) struct LineContext<'a> {
    /// The line that contains the payload; `None` if the line is its own payload.
    line: Option<Line<'a>>,
    /// Where the payload is.
    pub at: Location,
    /// The annotations of the entry.
    pub annotations: EntryAnnotations<'a>,
}

/// A line that contains a payload.
#[derive(Clone, Copy)]
struct Line<'a> {
    node: Node<'a, 'a>,
    /// The member that is the payload.
    inside: &'static str,
    /// Its time, if it has no members but this, its type and the payload.
    only: Option<Node<'a, 'a>>,
}

impl<'a> LineContext<'a> {
    /// A line with a payload.
    pub fn envelope(
        line: Node<'a, 'a>,
        envelope: &Envelope<'a>,
        at: Location,
        annotations: EntryAnnotations<'a>,
    ) -> Self {
        let only = envelope.timestamp.filter(|_| !envelope.is_more);
        let line = Some(Line { node: line, inside: envelope.inside, only });
        Self { line, at, annotations }
    }

    /// A line with an item.
    pub fn item(line: Node<'a, 'a>, at: Location, annotations: EntryAnnotations<'a>) -> Self {
        let line = Some(Line { node: line, inside: "item", only: None });
        Self { line, at, annotations }
    }

    /// A line that is its own payload.
    pub fn bare(at: Location, annotations: EntryAnnotations<'a>) -> Self {
        Self { line: None, at, annotations }
    }

    /// Whether the line is part of another session's history.
    pub fn is_inherited(&self) -> bool {
        self.annotations.inherited.is_some()
    }

    /// Passes each member of the payload to `take`, which returns whether it took it. Returns
    /// the time of the line, and the extensions: what is left of the line one by one, what is
    /// left of the payload as one object, and the annotations.
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
        annotation::attach(&mut rest, &self.annotations);
        (timestamp, rest)
    }

    /// Does the same for a payload of which all wanted members are taken.
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
        annotation::attach(&mut rest, &self.annotations);
        (timestamp, rest)
    }

    /// Returns the time of the line, the payload as data, and the extensions.
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
        annotation::attach(&mut rest, &self.annotations);
        (timestamp, data, rest)
    }
}

impl<'a> Line<'a> {
    /// Returns its time, and its members without that, its type and the payload.
    fn open(self, named: &[&str]) -> (Option<AbstractTimestamp<'a>>, Rest<'a>) {
        let mut timestamp = self.only.and_then(clock::timestamp);
        if timestamp.is_some() {
            return (timestamp, Rest::default());
        }
        let rest = sift(self.node, named, |key, value| match key {
            "timestamp" => is_timestamp(value, &mut timestamp),
            // A printed line may have a member `type` that is not a type.
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
