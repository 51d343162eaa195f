//! Lines of `opencode run --format json`: a part as it was when it was
//! printed, or another event.

use vac_adapter::members::{Rest, object, put, sift};
use vac_adapter::{Report, annotation};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Decode, Entry, EventEntry};
use vac_value::{Any, Map, Node, Text};

use crate::message::text;
use crate::part::{self, Entries, Scope};

/// Known types of lines without a part.
const EVENTS: &[&str] = &["error", "done"];

/// The types of lines, and the types of their parts.
const CALLED: &[(&str, &str)] = &[
    ("text", "text"),
    ("reasoning", "reasoning"),
    ("tool_use", "tool"),
    ("step_start", "step-start"),
    ("step_finish", "step-finish"),
];

/// The entries of a line.
pub(crate) fn entries<'a>(
    line: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let Some(part) = line.member("part") else { return (event(line, scope, report), None) };
    let (mut entry, mut result) = part::entries(part, scope, report);
    let mut timestamp = None;
    let last = result.as_mut().unwrap_or(&mut entry);
    let has_time = last.timestamp().is_some();
    let rest = sift(line, &[], |key, value| match key {
        "part" => true,
        "type" => CALLED.iter().any(|(called, kind)| {
            value.is_text(called) && part.member("type").is_some_and(|of| of.is_text(kind))
        }),
        "sessionID" => value.is_text(scope.session),
        "timestamp" if !has_time => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        _ => false,
    });
    keep(last.extensions_mut(), object(rest));
    if timestamp.is_some() {
        *last.timestamp_mut() = timestamp;
    }
    (entry, result)
}

/// Keeps what is left of a line next to the members of its part.
fn keep<'a>(extensions: &mut Rest<'a>, line: Option<Any<'a>>) {
    let name: Text<'_> = match extensions.get("line") {
        None => "line".into(),
        Some(_) => "native:line".into(),
    };
    extensions.extend(line.map(|line| (name, line)));
}

/// The entry of a line without a part.
fn event<'a>(line: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let mut kind = None;
    let mut timestamp = None;
    let data = sift(line, &[], |key, value| match key {
        "type" => text(value, &mut kind),
        "sessionID" => value.is_text(scope.session),
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        _ => false,
    });
    let kind = kind.unwrap_or(Text::Borrowed("unknown"));
    if !EVENTS.contains(&&*kind) {
        report.unknown(&kind);
    }
    let annotations = EntryAnnotations {
        permission: part::permission(line, &kind),
        ends: scope.end(),
        ..scope.annotations()
    };
    let mut extensions = Map::default();
    annotation::attach(&mut extensions, &annotations);
    Entry::Event(EventEntry {
        event_type: kind,
        data: Some(data),
        timestamp,
        id: Some(scope.id()),
        children: None,
        extensions,
    })
}
