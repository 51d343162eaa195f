//! Converts documents that are neither messages nor calls to events.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::container::Trouble;
use vac_adapter::frame::{Place, Raw};
use vac_adapter::members::Rest;
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Report, mapping, redact};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations};
use vac_record::{AbstractTimestamp, Entry, EventEntry};
use vac_value::{Document, Kind, Node, Text};

use crate::facts::Facts;
use crate::line::Line;
use crate::{entry, secret, stored, usage};

/// The members of a line that the record states in another way.
#[derive(Clone, Copy)]
pub(crate) struct Stated<'w> {
    /// Whether the type of the event states the type of the line.
    is_named: bool,
    session: &'w str,
}

mapping! {
    /// A line that is neither a message nor a call: an event.
    pub(crate) struct Event<'a>("event"; key, value, stated: Stated<'_>) {
        "type" => "`event-type`; `vac.starts` for `system`, \
            `vac.ends` for `result`, `turn_ended` and `error`",
            note kind: Text<'a> = value.text(), unless stated.is_named && value.text().is_some();
        "subtype" => "second part of `event-type`; `vac.ends` of a `result`",
            note subtype: Text<'a> = value.text(),
            unless stated.is_named && value.text().is_some();
        "session_id" => "the session's `id`; kept if it is another",
            stated = value.is_text(stated.session);
        "timestamp_ms" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = value.uint().map(AbstractTimestamp::Uint);
        "usage" => "`token-usage`; `vac.usage` of a `result`",
            note usage: Node<'a, 'a> = Some(value);
        "is_error" => "`vac.ends` of a `result`", note is_error: bool = value.bool();
        "status" => "`vac.ends` of a `turn_ended`", note status: Text<'a> = value.text();
        "cwd" => "of `system/init`, `environment.working-dir`", keep;
        "model" => "of `system/init`, `model-id` of the session", keep;
        _ => keep;
    }
}

/// Returns the event of a line, with the whole line as its data. Its type is that of the line,
/// followed by a slash and the subtype if there is one.
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
    let stated = Stated { is_named: event_type != "unknown", session: facts.id() };
    let mut event = Event::read(node, &[], stated, report);
    if node.kind() != Kind::Map {
        event.rest.push(("value".into(), node.carry()));
    }
    let mut extensions = Rest::default();
    if line != Line::Unknown {
        let usage = event.usage.map(|usage| usage::read(usage, facts.only_model(), report));
        let (canonical, buckets) = usage.unwrap_or_default();
        if let Some(canonical) = canonical {
            raw::push(&mut extensions, "token-usage", &canonical);
        }
        let mut annotations = annotations(&event);
        annotations.usage = buckets.filter(|_| event.kind.as_deref() == Some("result"));
        attach(&mut extensions, &annotations);
    }
    Entry::Event(EventEntry {
        timestamp: event.timestamp,
        extensions,
        ..entry::event(event_type, place.id(), event.rest)
    })
}

/// Returns the annotations of a line about the start and the end of the session or a turn.
fn annotations(event: &Event<'_>) -> EntryAnnotations<'static> {
    let mut annotations = EntryAnnotations::default();
    match event.kind.as_deref() {
        Some("system") => annotations.starts = Some(true),
        Some("result") => {
            let how = match event.is_error {
                Some(true) => Some(Ending::Failure),
                _ => event.subtype.as_deref().and_then(ending),
            };
            annotations.ends = Some(End { of: EndOf::Session, how });
        }
        Some("turn_ended") => {
            let how = event.status.as_deref().and_then(ending);
            annotations.ends = Some(End { of: EndOf::Turn, how });
        }
        Some("error") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        _ => {}
    }
    annotations
}

/// Returns the ending that a word of Cursor means.
fn ending(word: &str) -> Option<Ending> {
    match word {
        "success" | "completed" => Some(Ending::Success),
        "error" | "failed" => Some(Ending::Failure),
        "aborted" | "cancelled" | "canceled" | "interrupted" => Some(Ending::Interrupted),
        word if word.starts_with("error") => Some(Ending::Failure),
        _ => None,
    }
}

/// Returns the event of a line that cannot be kept as a value. Its type is read if the line is
/// valid except for duplicate keys.
pub(crate) fn raw<'a>(
    raw: &Raw<'a>,
    place: Place,
    is_redacted: bool,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(place.line, raw.reason.code());
    let root = raw.document.as_ref().map(Document::root);
    let known = KnownMembers {
        id: root.and_then(|root| stored::id(root, troubles)).map(Cow::Owned),
        ..KnownMembers::default()
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
