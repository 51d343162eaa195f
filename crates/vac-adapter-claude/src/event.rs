//! Lines that are events: every line that is no message.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, Rest};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::raw::{self, Known};
use vac_record::{AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType};
use vac_value::{Decode, Extensions, Node, Text};

use crate::detect::KNOWN_TYPES;
use crate::lines::Line;
use crate::survey::Facts;

/// The entry of an event, with the whole line as its data.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    line: Line<'_, '_>,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let Some(mut envelope) = Cursor::of(node) else { return value(node, line.place, report) };
    let event_type = event_type(&envelope, report);
    let children = queued_prompt(&envelope).map(|prompt| vec![prompt]);
    facts.hoisted.take(&mut envelope);
    let timestamp = envelope.timestamp("timestamp");
    let id = envelope.text("uuid").unwrap_or_else(|| line.place.id().into());
    let mut extensions = Extensions::default();
    if let Some(parent) = envelope.take_if("parentUuid", |node| node.text().map(|_| node.carry())) {
        extensions.push(("parent-id".into(), parent));
    }
    Entry::Event(EventEntry {
        event_type,
        data: Some(envelope.rest(&[])),
        timestamp,
        id: Some(id),
        children,
        extensions,
    })
}

/// A line's type, and what it says that it is in particular.
fn event_type<'a>(envelope: &Cursor<'_, 'a>, report: &mut Report) -> Text<'a> {
    let Some(kind) = envelope.peek("type").and_then(Node::text) else {
        report.unknown("a line without a type");
        return "unknown".into();
    };
    if !KNOWN_TYPES.contains(&&*kind) {
        report.unknown(&kind);
    }
    let inside = |key: &str| envelope.peek(key).and_then(|inner| inner.member("type"));
    let particular = envelope
        .peek("subtype")
        .or_else(|| inside("data"))
        .or_else(|| inside("attachment"))
        .or_else(|| envelope.peek("operation"))
        .and_then(Node::text);
    match particular {
        Some(particular) => format!("{kind}/{particular}").into(),
        None => kind,
    }
}

/// A prompt that the user gave while the agent worked is recorded as an
/// attachment: a message of the user inside the event.
fn queued_prompt<'a>(envelope: &Cursor<'_, 'a>) -> Option<Entry<'a>> {
    let attachment = envelope.peek("attachment")?;
    if !attachment.member("type")?.is_text("queued_command") {
        return None;
    }
    let time = |node: Node<'_, 'a>| AbstractTimestamp::decode(node).ok();
    Some(Entry::Message(MessageEntry {
        r#type: MessageEntryType::User,
        content: Some(attachment.member("prompt")?.carry()),
        timestamp: attachment
            .member("timestamp")
            .and_then(time)
            .or_else(|| envelope.peek("timestamp").and_then(time)),
        id: None,
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions: Extensions::default(),
    }))
}

/// A line that is no object.
fn value<'a>(node: Node<'_, 'a>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unknown("a line that is no object");
    let mut data = Rest::default();
    data.push(("value".into(), node.carry()));
    Entry::Event(EventEntry {
        event_type: "unknown".into(),
        data: Some(data),
        timestamp: None,
        id: Some(place.id().into()),
        children: None,
        extensions: Extensions::default(),
    })
}

/// A line that cannot be carried as a value.
pub(crate) fn raw<'a>(raw: &Raw<'a>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unparsed(place.line, &raw.reason.to_string());
    let member = |key: &str| raw.document.as_ref().and_then(|document| document.root().member(key));
    let known = Known {
        id: member("uuid").and_then(Node::text),
        timestamp: member("timestamp").and_then(|node| AbstractTimestamp::decode(node).ok()),
        parent_id: member("parentUuid").and_then(Node::text),
    };
    raw::entry(raw.bytes, &raw.reason, place, known)
}
