//! Entries of what is not a message.

use vac_adapter::Report;
use vac_adapter::annotation::{annotate, attach};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::members::{Members, Rest, null};
use vac_adapter::raw::{self, Known};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations};
use vac_record::{AbstractTimestamp, Decode, Entry, EventEntry, ToolCallEntry};
use vac_value::{Node, Text};

use crate::keys::{IN_SET, unknown};
use crate::message::Maker;
use crate::tool_calls::none;
use crate::tools;
use crate::walk::Around;

/// The event types that are known.
const KNOWN_TYPES: &[&str] = &["info", "warning", "error"];

/// The entry of an element that is not a message, with all of its members as data.
pub(crate) fn message<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let Some(mut event) = Members::new(node) else {
        maker.report.unknown("an element that is not an object");
        return value("unknown", node, None, Some((maker.place_id)()));
    };
    let event_type = match event.text("type") {
        Some(kind) => {
            if !KNOWN_TYPES.contains(&&*kind) {
                maker.report.unknown(&kind);
            }
            kind
        }
        None => {
            maker.report.unknown("an element without a type");
            "unknown".into()
        }
    };
    let mut extensions = none();
    let (id, mut annotations) = maker.id(event.text("id"), &mut extensions);
    if maker.position.is_turn_open {
        annotations.ends = turn_end(&event_type, event.peek("content"));
    }
    // A conversation that ends with neither the user nor the model was interrupted (seed 002).
    if maker.version.is_last && matches!(&*event_type, "info" | "warning") {
        annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Interrupted) });
    }
    let timestamp = event.timestamp("timestamp");
    attach(&mut extensions, &annotations);
    made(event_type, event.rest(&[]), timestamp, id, extensions)
}

/// What the CLI shows after the user stopped a turn.
const CANCELLED: &str = "Request cancelled.";

/// Returns the end of a turn that a message of the CLI states.
pub(crate) fn turn_end(event_type: &str, content: Option<Node<'_, '_>>) -> Option<End> {
    let how = match event_type {
        "error" => Ending::Failure,
        "info" if content.is_some_and(|content| content.is_text(CANCELLED)) => Ending::Interrupted,
        _ => return None,
    };
    Some(End { of: EndOf::Turn, how: Some(how) })
}

fn made<'a>(
    event_type: Text<'a>,
    data: Rest<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Text<'a>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    Entry::Event(EventEntry {
        event_type,
        data: (!data.is_empty()).then_some(data),
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// A line that takes messages back.
pub(crate) fn rewind<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    line("session-rewound".into(), node, maker)
}

/// A line with all of it as its data.
fn line<'a>(event_type: Text<'a>, node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let Some(mut line) = Members::new(node) else { return message(node, maker) };
    line.said("type", &event_type);
    let timestamp = line.timestamp("timestamp");
    let id = (maker.place_id)().into();
    made(event_type, line.rest(&[]), timestamp, id, none())
}

/// A line that does something else, by the name it has for it.
pub(crate) fn operation<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let name = node.members().find_map(|(key, _)| key.text().filter(|key| key.starts_with('$')));
    if let Some(name) = name {
        maker.report.unknown(&name);
        return line(name, node, maker);
    }
    // It is about a message, and so is its id.
    line("message_update".into(), node, maker)
}

/// A change to what is known about the session, which happened at the time it sets.
pub(crate) fn set<'a>(
    around: &Around<'a, 'a>,
    id: String,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let mut line = Members::new(around.node)?;
    let Some(mut set) = line.object("$set") else {
        line.rest(&[]);
        return None;
    };
    let event_type = match around.lists().next() {
        Some(_) => "messages-replaced",
        None => "session-updated",
    };
    around.without_lists(&mut set);
    let timestamp = set.timestamp("lastUpdated");
    let set = set.rest(&[]);
    unknown(report, "$set", &set, IN_SET);
    let mut data = line.rest(&[]);
    data.extend(vac_adapter::members::object(set).map(|set| ("$set".into(), set)));
    Some(made(event_type.into(), data, timestamp, id.into(), none()))
}

/// The tool call that a checkpoint was made for, before it was made.
pub(crate) fn call<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let Some(mut call) = Members::new(node) else { return message(node, maker) };
    let (name, input) = (call.text("name"), call.any("args"));
    let (call_id, timestamp) = (call.text("id"), call.timestamp("timestamp"));
    let mut extensions = call.rest(&ToolCallEntry::KEYS);
    let name = name.unwrap_or("unknown".into());
    let action = Some(tools::action(&name, None));
    attach(&mut extensions, &EntryAnnotations { action, ..EntryAnnotations::default() });
    Entry::ToolCall(ToolCallEntry {
        name,
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some((maker.place_id)().into()),
        children: None,
        extensions,
    })
}

/// What the user saw of the conversation.
pub(crate) fn display<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let id = (maker.place_id)();
    match Members::new(node) {
        Some(item) => made("display".into(), item.rest(&[]), None, id.into(), none()),
        None => value("display", node, None, Some(id)),
    }
}

/// What the first head of a session said before it was changed.
pub(crate) fn header(replaced: Rest<'static>, id: String) -> Entry<'static> {
    made("session-header".into(), replaced, None, id.into(), none())
}

/// An event whose data is one value.
fn value<'a>(
    event_type: &'static str,
    node: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    id: Option<String>,
) -> Entry<'a> {
    let mut data = Rest::default();
    data.push(("value".into(), node.carry()));
    Entry::Event(EventEntry {
        event_type: event_type.into(),
        data: Some(data),
        timestamp: timestamp.cloned(),
        id: id.map(Into::into),
        children: None,
        extensions: none(),
    })
}

/// An element of a message's list that is not what the list is of.
pub(crate) fn child<'a>(
    list: &'static str,
    node: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
) -> Entry<'a> {
    value(list, node, timestamp, None)
}

/// A document in a log that is not part of a session.
pub(crate) fn other<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    maker.report.unknown("a document that is not a session");
    value("unknown", node, None, Some((maker.place_id)()))
}

/// The head of a further document of the same session, without its messages.
pub(crate) fn continued<'a>(around: &Around<'a, 'a>, id: String) -> Option<Entry<'a>> {
    let mut head = around.cursor()?;
    let timestamp = head.timestamp("startTime");
    Some(made("session-continued".into(), head.rest(&[]), timestamp, id.into(), none()))
}

/// What cannot be carried as a value; `place` is its line.
pub(crate) fn raw<'a>(raw: &Raw<'a>, place: Place, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    maker.report.unparsed(place.line, &raw.reason.to_string());
    let member = |key: &str| raw.document.as_ref().and_then(|document| document.root().member(key));
    // The raw text contains the id.
    let (id, version) = maker.id(member("id").and_then(Node::text), &mut none());
    let known = Known {
        id: Some(id),
        timestamp: member("timestamp").and_then(|node| AbstractTimestamp::from_node(node).ok()),
        parent_id: None,
    };
    let mut entry = raw::entry(raw.bytes, &raw.reason, place, known);
    if version != EntryAnnotations::default() {
        annotate(&mut entry, |it| {
            it.superseded = version.superseded;
            it.duplicate_of = version.duplicate_of;
        });
    }
    entry
}
