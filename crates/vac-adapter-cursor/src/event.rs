//! Documents that are events: those that are neither messages nor calls.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::container::Trouble;
use vac_adapter::frame::{Place, Raw};
use vac_adapter::members::{Rest, put, sift};
use vac_adapter::raw::{self, Known};
use vac_adapter::{Report, redact};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations};
use vac_record::{AbstractTimestamp, Entry, EventEntry};
use vac_value::{Document, Kind, Map, Node, Text};

use crate::facts::Facts;
use crate::line::Line;
use crate::{secret, stored, usage};

/// The entry of a line, with all of it as data. Its type is the line's, with the subtype
/// after a slash if there is one.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    line: Line,
    place: Place,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let text = |key: &str| node.member(key).and_then(Node::text);
    let (kind, subtype) = (text("type"), text("subtype"));
    let event_type = match (kind, subtype) {
        (Some(kind), Some(subtype)) => Cow::Owned(format!("{kind}/{subtype}")),
        (Some(kind), None) => kind,
        (None, _) => Cow::Borrowed("unknown"),
    };
    if line == Line::Unknown {
        let is_named = node.member("type").and_then(Node::text).is_some();
        report.unknown(if is_named { &event_type } else { "a line without a type" });
    }
    let is_named = event_type != "unknown";
    let mut timestamp = None;
    let mut extensions = Map::default();
    let mut data = sift(node, &[], |key, value| match key {
        "type" | "subtype" => is_named && value.text().is_some(),
        "session_id" => value.is_text(facts.id()),
        "timestamp_ms" => put(&mut timestamp, value.uint().map(AbstractTimestamp::Uint)),
        "usage" if line != Line::Unknown => {
            if let Some(usage) = usage::from_capture(value) {
                raw::push(&mut extensions, "token-usage", &usage);
            }
            false
        }
        _ => false,
    });
    if node.kind() != Kind::Map {
        data.push(("value".into(), node.carry()));
    }
    if line != Line::Unknown {
        attach(&mut extensions, &annotations(node, facts));
    }
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions,
    })
}

/// What a line says about the start and the end of the session or a turn.
fn annotations<'a>(line: Node<'_, '_>, facts: &Facts) -> EntryAnnotations<'a> {
    let mut annotations = EntryAnnotations::default();
    let kind = line.member("type").and_then(Node::text);
    let how = |key: &str| line.member(key).and_then(Node::text).and_then(|text| ending(&text));
    match kind.as_deref() {
        Some("system") => annotations.starts = Some(true),
        Some("result") => {
            let how = match line.member("is_error").and_then(Node::bool) {
                Some(true) => Some(Ending::Failure),
                _ => how("subtype"),
            };
            annotations.ends = Some(End { of: EndOf::Session, how });
            annotations.usage =
                line.member("usage").and_then(|usage| usage::additive(usage, facts.only_model()));
        }
        Some("turn_ended") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: how("status") });
        }
        Some("error") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        _ => {}
    }
    annotations
}

/// Returns how something ended, by Cursor's word for it.
fn ending(word: &str) -> Option<Ending> {
    match word {
        "success" | "completed" => Some(Ending::Success),
        "error" | "failed" => Some(Ending::Failure),
        "aborted" | "cancelled" | "canceled" | "interrupted" => Some(Ending::Interrupted),
        word if word.starts_with("error") => Some(Ending::Failure),
        _ => None,
    }
}

/// An event of a type of ours.
pub(crate) fn new<'a>(
    event_type: impl Into<Text<'a>>,
    id: String,
    data: Rest<'a>,
) -> EventEntry<'a> {
    EventEntry {
        event_type: event_type.into(),
        data: Some(data),
        timestamp: None,
        id: Some(id.into()),
        children: None,
        extensions: Map::default(),
    }
}

/// A line that cannot be carried as a value. What it says about itself is taken from it
/// if it is only ambiguous.
pub(crate) fn raw<'a>(
    raw: &Raw<'a>,
    place: Place,
    is_redacted: bool,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(place.line, &raw.reason.to_string());
    let root = raw.document.as_ref().map(Document::root);
    let known = Known {
        id: root.and_then(|root| stored::id(root, troubles)).map(Cow::Owned),
        ..Known::default()
    };
    let mut entry = if is_redacted {
        report.redact(secret::UNPARSED);
        redact::entry(secret::SECRETS, raw.bytes, &raw.reason, place, known)
    } else {
        raw::entry(raw.bytes, &raw.reason, place, known)
    };
    stored::mark(&mut entry, troubles);
    entry
}
