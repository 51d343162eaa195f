//! Parts of a message.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::members::{null, object, put, sift};
use vac_record::{AbstractTimestamp, Entry, EventEntry, MessageEntry, ReasoningEntry};
use vac_value::{Any, Encoding, Kind, Map, Node, Text};

use crate::message::{Moment, Usage, push, speaker, text};
use crate::tool;
use crate::unit::Unit;

/// Parts that are events, to tell what is new from what is not.
const EVENTS: &[&str] = &[
    "file",
    "step-start",
    "step-finish",
    "snapshot",
    "patch",
    "agent",
    "retry",
    "compaction",
    "subtask",
    "source-url",
];

/// What providers call reasoning that only they can read.
const ENCRYPTED: &str = "reasoningEncryptedContent";

/// The entries of a part: one, or a tool's call and its result.
pub(crate) type Entries<'a> = (Entry<'a>, Option<Entry<'a>>);

/// What is known of a part beside what it says.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// What its order says.
    pub unit: &'k Unit<'k>,
    /// The session's id.
    pub session: &'k str,
    /// Its number in the message that it is inside of, from 1.
    pub number: Option<u64>,
}

impl Known<'_> {
    /// The id to give it if it has none.
    pub fn id(self) -> Text<'static> {
        match (self.number, self.unit.id.as_deref()) {
            (None, _) => self.unit.place_id(),
            (Some(number), Some(message)) => format!("{message}:{number}").into(),
            (Some(number), None) => format!("{}:{number}", self.unit.place.id()).into(),
        }
    }
}

/// The entries of a part.
pub(crate) fn entries<'a>(
    node: Node<'a, '_>,
    known: Known<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("unknown"));
    match &*kind {
        "tool" => tool::entries(node, known),
        "text" => (said(node, known), None),
        "reasoning" => (reasoning(node, known), None),
        other => {
            if !EVENTS.contains(&other) {
                report.unknown(&format!("part {other}"));
            }
            (event(node, known, kind), None)
        }
    }
}

fn said<'a>(node: Node<'a, '_>, known: Known<'_>) -> Entry<'a> {
    let mut id = None;
    let mut content = None;
    let mut moment = Moment::default();
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "type" => value.is_text("text"),
        "sessionID" => value.is_text(known.session),
        "id" => text(value, &mut id),
        "text" => put(&mut content, Some(value.carry())),
        "time" => moment.take(value, "start"),
        _ => false,
    });
    extensions.extend(moment.left());
    Entry::Message(MessageEntry {
        kind: speaker(known.unit),
        content,
        timestamp: moment.timestamp.or_else(|| one_moment(known.unit)),
        id: Some(id.unwrap_or_else(|| known.id())),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn reasoning<'a>(node: Node<'a, '_>, known: Known<'_>) -> Entry<'a> {
    let mut id = None;
    let mut content = None;
    let mut encrypted = None;
    let mut metadata = None;
    let mut moment = Moment::default();
    let mut extensions = sift(node, &ReasoningEntry::KEYS, |key, value| match key {
        "type" => value.is_text("reasoning"),
        "sessionID" => value.is_text(known.session),
        "id" => text(value, &mut id),
        "text" => put(&mut content, Some(value.carry())),
        "metadata" => {
            let (found, left) = decrypted(value);
            let is_taken = found.is_some();
            (encrypted, metadata) = (found, left);
            is_taken
        }
        "time" => moment.take(value, "start"),
        _ => false,
    });
    push(&mut extensions, "metadata", metadata);
    extensions.extend(moment.left());
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp: moment.timestamp,
        id: Some(id.unwrap_or_else(|| known.id())),
        children: None,
        extensions,
    })
}

/// The first reasoning that a provider encrypted, out of a part's metadata, and what is
/// left of these then.
pub(crate) fn decrypted<'a>(metadata: Node<'a, '_>) -> (Option<Text<'a>>, Option<Any<'a>>) {
    let mut encrypted = None;
    let mut left = None;
    let mut rest = sift(metadata, &[], |provider, of| {
        if encrypted.is_some() || of.kind() != Kind::Map {
            return false;
        }
        let rest = sift(of, &[], |key, value| key == ENCRYPTED && text(value, &mut encrypted));
        if encrypted.is_some() {
            left = object(rest).map(|rest| (provider.to_owned().into(), rest));
        }
        encrypted.is_some()
    });
    if encrypted.is_none() {
        return (None, None);
    }
    rest.extend(left);
    (encrypted, object(rest))
}

fn event<'a>(node: Node<'a, '_>, known: Known<'_>, kind: Text<'a>) -> Entry<'a> {
    let mut id = None;
    let mut moment = Moment::default();
    let mut usage = Usage::default();
    let counts = known.unit.counts_usage && kind == "step-finish";
    let began = node.member("time").is_some_and(|time| time.member("start").is_some());
    let mut data = sift(node, &[], |key, value| match key {
        "type" => value.is_text(&kind),
        "sessionID" => value.is_text(known.session),
        "id" => text(value, &mut id),
        "time" => moment.take(value, if began { "start" } else { "created" }),
        "cost" | "tokens" if counts => usage.take(key, value),
        _ => false,
    });
    data.extend(moment.left());
    let mut extensions = Map::default();
    let usage = usage.made().and_then(|usage| Any::from_value(&usage, Encoding::Json).ok());
    push(&mut extensions, "token-usage", usage);
    Entry::Event(EventEntry {
        event_type: kind,
        data: Some(data),
        timestamp: moment.timestamp.or_else(|| one_moment(known.unit)),
        id: Some(id.unwrap_or_else(|| known.id())),
        children: None,
        extensions,
    })
}

/// The one moment of a user's message.
fn one_moment<'a>(unit: &Unit<'_>) -> Option<AbstractTimestamp<'a>> {
    unit.created.filter(|_| unit.is_user).map(AbstractTimestamp::Uint)
}
