//! Lines that are events: every line that is no message.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, Rest};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::raw::{self, Known};
use vac_record::{Entry, EventEntry};
use vac_value::{Extensions, Node, Text};

use crate::detect::{Line, line};

/// The entry of an event, with the whole line as its data.
pub(crate) fn entry<'a>(node: Node<'_, 'a>, place: Place, report: &mut Report) -> Entry<'a> {
    let kind = node.member("type").and_then(Node::text);
    if line(node) != Line::Event {
        report.unknown(kind.as_deref().unwrap_or("a line without a type"));
    }
    let event_type: Text<'a> = kind.unwrap_or(Cow::Borrowed("unknown"));
    let data = match Cursor::of(node) {
        Some(mut line) => {
            line.said("type", &event_type);
            line.rest(&[])
        }
        None => {
            let mut data = Rest::default();
            data.push(("value".into(), node.carry()));
            data
        }
    };
    Entry::Event(EventEntry {
        event_type,
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
    raw::entry(raw.bytes, &raw.reason, place, Known::default())
}
