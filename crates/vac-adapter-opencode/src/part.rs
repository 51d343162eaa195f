//! Parts of a message.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, keys, null, object};
use vac_record::{AbstractTimestamp, Entry, EventEntry, MessageEntry, ReasoningEntry};
use vac_value::{Any, Extensions, Node, Text};

use crate::message::speaker;
use crate::tool;
use crate::units::Unit;

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
];

/// What providers call reasoning that only they can read.
const ENCRYPTED: &str = "reasoningEncryptedContent";

/// The entries of a part: one, or a tool's call and its result.
pub(crate) fn entries<'a>(
    node: Node<'_, 'a>,
    unit: &Unit,
    session: &str,
    report: &mut Report,
) -> Option<(Entry<'a>, Option<Entry<'a>>)> {
    let mut part = Cursor::of(node)?;
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("unknown"));
    part.said("sessionID", session);
    let id = part.text("id").unwrap_or_else(|| unit.place.id().into());
    Some(match &*kind {
        "tool" => tool::entries(node, part, id),
        "text" => (text(part, id, unit), None),
        "reasoning" => (reasoning(part, id), None),
        other => {
            if !EVENTS.contains(&other) {
                report.unknown(&format!("part {other}"));
            }
            (event(part, id, kind, unit), None)
        }
    })
}

fn text<'a>(mut part: Cursor<'_, 'a>, id: Text<'a>, unit: &Unit) -> Entry<'a> {
    part.said("type", "text");
    let content = part.any("text");
    let (timestamp, time) = time(&mut part, "start");
    let mut extensions = part.rest(keys::MESSAGE);
    extensions.extend(time);
    Entry::Message(MessageEntry {
        r#type: speaker(unit),
        content,
        timestamp: timestamp.or_else(|| moment(unit)),
        id: Some(id),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn reasoning<'a>(mut part: Cursor<'_, 'a>, id: Text<'a>) -> Entry<'a> {
    part.said("type", "reasoning");
    let content = part.any("text").unwrap_or_else(null);
    let (timestamp, time) = time(&mut part, "start");
    let (encrypted, metadata) = encrypted(&mut part);
    let mut extensions = part.rest(keys::REASONING);
    extensions.extend(metadata.map(|metadata| ("metadata".into(), metadata)));
    extensions.extend(time);
    Entry::Reasoning(ReasoningEntry {
        content,
        encrypted,
        subject: None,
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// Takes the first reasoning that a provider encrypted; gives what is left of the
/// metadata it was in.
fn encrypted<'a>(part: &mut Cursor<'_, 'a>) -> (Option<Text<'a>>, Option<Any<'a>>) {
    let provider = part.peek("metadata").and_then(|metadata| {
        let mut members = metadata.members();
        let found =
            members.find(|(_, of)| of.member(ENCRYPTED).is_some_and(|it| it.text().is_some()));
        found.and_then(|(provider, _)| provider.text())
    });
    let Some(provider) = provider else { return (None, None) };
    let Some(mut metadata) = part.object("metadata") else { return (None, None) };
    let mut encrypted = None;
    let mut left = None;
    if let Some(mut of) = metadata.object(&provider) {
        encrypted = of.text(ENCRYPTED);
        left = of.remainder();
    }
    let mut rest = metadata.rest(&[]);
    rest.extend(left.map(|left| (provider, left)));
    (encrypted, object(&rest))
}

fn event<'a>(mut part: Cursor<'_, 'a>, id: Text<'a>, kind: Text<'a>, unit: &Unit) -> Entry<'a> {
    part.said("type", &kind);
    let began = part.peek("time").is_some_and(|time| time.member("start").is_some());
    let (timestamp, time) = time(&mut part, if began { "start" } else { "created" });
    let mut data = part.rest(&[]);
    data.extend(time);
    Entry::Event(EventEntry {
        event_type: kind,
        data: Some(data),
        timestamp: timestamp.or_else(|| moment(unit)),
        id: Some(id),
        children: None,
        extensions: Extensions::default(),
    })
}

/// The one moment of a user's message.
fn moment<'a>(unit: &Unit) -> Option<AbstractTimestamp<'a>> {
    unit.created.filter(|_| unit.is_user).map(AbstractTimestamp::Uint)
}

/// Takes a time out of `time`; gives what is left of that, as a member.
pub(crate) fn time<'a>(
    of: &mut Cursor<'_, 'a>,
    key: &str,
) -> (Option<AbstractTimestamp<'a>>, Option<(Text<'a>, Any<'a>)>) {
    let Some(mut time) = of.object("time") else { return (None, None) };
    let timestamp = time.timestamp(key);
    (timestamp, time.remainder().map(|time| ("time".into(), time)))
}
