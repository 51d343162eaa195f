//! Everything that is no message.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, Rest};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::raw::{self, Known, push};
use vac_record::{AbstractTimestamp, Entry, EventEntry};
use vac_value::{Decode, Node};

use crate::tools::none;

/// The event types that are known.
const KNOWN_TYPES: &[&str] = &["info", "warning", "error"];

/// The entry of an element that is no message, with all of it as its data.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    id: impl FnOnce() -> String,
    report: &mut Report,
) -> Entry<'a> {
    let Some(mut event) = Cursor::of(node) else {
        report.unknown("an element that is no object");
        return value("unknown", node, None, Some(id()));
    };
    let event_type = match event.text("type") {
        Some(kind) => {
            if !KNOWN_TYPES.contains(&&*kind) {
                report.unknown(&kind);
            }
            kind
        }
        None => {
            report.unknown("an element without a type");
            "unknown".into()
        }
    };
    let mut extensions = none();
    if event_type == "info" && event.peek("content").is_some_and(|content| content.is_text("")) {
        push(&mut extensions, "marker", "compression");
    }
    let timestamp = event.timestamp("timestamp");
    let id = event.text("id").unwrap_or_else(|| id().into());
    Entry::Event(EventEntry {
        event_type,
        data: Some(event.rest(&[])),
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// An event whose data is one value.
fn value<'a>(
    event_type: &'static str,
    node: Node<'_, 'a>,
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
    node: Node<'_, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
) -> Entry<'a> {
    value(list, node, timestamp, None)
}

/// A document beside the session that is none of its own.
pub(crate) fn other<'a>(
    node: Node<'_, 'a>,
    id: impl FnOnce() -> String,
    report: &mut Report,
) -> Entry<'a> {
    report.unknown("a document that is no session");
    value("unknown", node, None, Some(id()))
}

/// The beginning of another document of the same session: what stands around its
/// messages.
pub(crate) fn continued<'a>(mut wrapper: Cursor<'_, 'a>, id: String) -> Entry<'a> {
    let timestamp = wrapper.timestamp("startTime");
    Entry::Event(EventEntry {
        event_type: "session-continued".into(),
        data: Some(wrapper.rest(&[])),
        timestamp,
        id: Some(id.into()),
        children: None,
        extensions: none(),
    })
}

/// What cannot be carried as a value.
pub(crate) fn raw<'a>(
    raw: &Raw<'a>,
    place: Place,
    id: impl FnOnce() -> String,
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(place.line, &raw.reason.to_string());
    let member = |key: &str| raw.document.as_ref().and_then(|document| document.root().member(key));
    let known = Known {
        id: Some(member("id").and_then(Node::text).unwrap_or_else(|| id().into())),
        timestamp: member("timestamp").and_then(|node| AbstractTimestamp::decode(node).ok()),
        parent_id: None,
    };
    raw::entry(raw.bytes, &raw.reason, place, known)
}
