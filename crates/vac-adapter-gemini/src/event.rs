//! Converts everything that is not a message to events.

use vac_adapter::annotation::{annotate, attach};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::members::{self, Rest};
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations};
use vac_record::{AbstractTimestamp, Entry, ToolCallEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::entry;
use crate::facts::time;
use crate::head::{Operation, Set, SetLine};
use crate::message::Maker;
use crate::walk::Around;

mapping! {
    /// A message of the CLI, or of an unknown type: an event.
    pub(crate) struct Event<'a>("event"; key, value) {
        "type" => "`event-type`", take kind: Text<'a> = value.text();
        "id" => "`id`", take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = time(value);
        "content" => "`vac.ends`", note content: Node<'a, 'a> = Some(value);
        _ => keep;
    }
}

mapping! {
    /// `toolCall` of a tool checkpoint: a `tool-call`.
    pub(crate) struct CheckpointCall<'a>("toolCall"; key, value) {
        "name" => "`name`", take name: Text<'a> = value.text();
        "args" => "`input`", take input: Any<'a> = Some(value.carry());
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
    }
}

/// The known event types.
const KNOWN_TYPES: &[&str] = &["info", "warning", "error"];

/// Returns the entry of an element that is not a message, with all of its members as data.
pub(crate) fn message<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    if node.kind() != Kind::Map {
        maker.report.unknown("an element that is not an object");
        return value("unknown", node, None, Some((maker.place_id)()));
    }
    let Event { kind, id, timestamp, content, rest } = Event::read(node, &[], maker.report);
    match &kind {
        Some(kind) if KNOWN_TYPES.contains(&&**kind) => {}
        Some(kind) => maker.report.unknown(kind),
        None => maker.report.unknown("an element without a type"),
    }
    let event_type = kind.unwrap_or("unknown".into());
    let mut extensions = Rest::default();
    let (id, mut annotations) = maker.id(id, &mut extensions);
    if maker.position.is_turn_open {
        annotations.ends = turn_end(&event_type, content);
    }
    // A message of the CLI at the end of a conversation means that the turn was interrupted.
    if maker.version.is_last && matches!(&*event_type, "info" | "warning") {
        annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Interrupted) });
    }
    attach(&mut extensions, &annotations);
    entry::event(event_type, filled(rest), timestamp, Some(id), extensions)
}

/// Returns an object as data, if it has members.
fn filled(data: Rest<'_>) -> Option<Rest<'_>> {
    (!data.is_empty()).then_some(data)
}

/// The text of the CLI after the user stopped a turn.
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

/// Returns an event without annotations.
fn plain<'a>(
    event_type: Text<'a>,
    data: Rest<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: String,
) -> Entry<'a> {
    entry::event(event_type, filled(data), timestamp, Some(id.into()), Rest::default())
}

/// Returns the event of a line that rewinds the conversation.
pub(crate) fn rewind<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    line("session-rewound".into(), node, maker)
}

/// Returns the event of a line, with the whole line as its data.
fn line<'a>(event_type: Text<'a>, node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let Operation { timestamp, rest } = Operation::read(node, &[], &event_type, maker.report);
    plain(event_type, rest, timestamp, (maker.place_id)())
}

/// Returns the event of any other operation, named after it.
pub(crate) fn operation<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let name = node.members().find_map(|(key, _)| key.text().filter(|key| key.starts_with('$')));
    if let Some(name) = name {
        maker.report.unknown(&name);
        return line(name, node, maker);
    }
    // Its id is that of the message it refers to.
    line("message_update".into(), node, maker)
}

/// Returns the event of a change of the session's facts. Its time is the one that it sets.
pub(crate) fn set<'a>(
    around: &Around<'a, 'a>,
    id: String,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let SetLine { set, rest: mut data } = SetLine::read(around.node, &[], report);
    let Set { timestamp, rest } = Set::read(set?, &[], around.lists, report);
    let event_type = match around.lists().next() {
        Some(_) => "messages-replaced",
        None => "session-updated",
    };
    data.extend(members::object(rest).map(|set| ("$set".into(), set)));
    Some(plain(event_type.into(), data, timestamp, id))
}

/// Returns the tool call before which a checkpoint was made.
pub(crate) fn call<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let CheckpointCall { name, input, call_id, timestamp, rest } =
        CheckpointCall::read(node, &ToolCallEntry::KEYS, maker.report);
    let id = Some((maker.place_id)().into());
    let it = EntryAnnotations::default();
    let call = entry::tool_call(name, None, input, call_id, timestamp, rest, it);
    Entry::ToolCall(ToolCallEntry { id, ..call })
}

/// Returns the event of the conversation as the user saw it.
pub(crate) fn display<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    let id = (maker.place_id)();
    match node.kind() {
        Kind::Map => plain("display".into(), members::all(node, &[]), None, id),
        _ => value("display", node, None, Some(id)),
    }
}

/// Returns the event with the values of the first head that were changed later.
pub(crate) fn header(replaced: Rest<'static>, id: String) -> Entry<'static> {
    plain("session-header".into(), replaced, None, id)
}

/// Returns an event whose data is one value.
fn value<'a>(
    event_type: &'static str,
    node: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    id: Option<String>,
) -> Entry<'a> {
    let mut data = Rest::default();
    data.push(("value".into(), node.carry()));
    let (timestamp, id) = (timestamp.cloned(), id.map(Into::into));
    entry::event(event_type.into(), Some(data), timestamp, id, Rest::default())
}

/// Returns the event of an element that does not fit the type of its list.
pub(crate) fn child<'a>(
    list: &'static str,
    node: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
) -> Entry<'a> {
    value(list, node, timestamp, None)
}

/// Returns the event of a document in a log that is not part of a session.
pub(crate) fn other<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    maker.report.unknown("a document that is not a session");
    value("unknown", node, None, Some((maker.place_id)()))
}

/// Returns the event of the head of a further document of the same session, without its messages.
pub(crate) fn continued<'a>(around: &Around<'a, 'a>, id: String, report: &mut Report) -> Entry<'a> {
    let head = around.head(&[], false, report);
    plain("session-continued".into(), head.rest, head.start, id)
}

/// Returns the event of bytes that cannot be kept as a value; `place` is that of their line.
pub(crate) fn raw<'a>(raw: &Raw<'a>, place: Place, maker: &mut Maker<'_, '_>) -> Entry<'a> {
    maker.report.unparsed(place.line, raw.reason.code());
    let member = |key: &str| raw.document.as_ref().and_then(|document| document.root().member(key));
    // The raw text contains the id.
    let (id, version) = maker.id(member("id").and_then(Node::text), &mut Rest::default());
    let known = KnownMembers {
        id: Some(id),
        timestamp: member("timestamp").and_then(time),
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
