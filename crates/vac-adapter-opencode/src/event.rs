//! Units that are events: everything that is no message and no part, and has no
//! place beside the entries.

use vac_adapter::annotation::annotate;
use vac_adapter::frame::Reason;
use vac_adapter::members::{Members, Rest, sift};
use vac_adapter::raw::{self, Known};
use vac_adapter::{Report, redact};
use vac_record::{Entry, EventEntry, annotations};
use vac_value::{IntoOwned, Kind, Map, Node, Text};

use crate::classify::Class;
use crate::message::{Moment, text};
use crate::names::Names;
use crate::secret;
use crate::unit::{Redaction, Unit};

/// Why the text of a row is carried as text.
const NO_OBJECT: &str = "the row's data is no JSON object";

/// The entry of a unit that is an event.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    unit: &Unit<'_>,
    session: &str,
    members: &Names<'_>,
    report: &mut Report,
) -> Entry<'a> {
    let event_type: Text<'a> = match unit.class {
        Class::Row => return row(node, unit, session, report),
        Class::Session => "session".into(),
        Class::Project => "project".into(),
        Class::Share => "session_share".into(),
        Class::Diffs => "session_diff".into(),
        Class::Todos => "todo".into(),
        Class::Models => "model".into(),
        Class::Member(_) => "export".into(),
        _ => unknown(node, report),
    };
    let mut id = None;
    let mut data = Rest::default();
    if let Class::Member(name) = unit.class {
        let value = if unit.redaction == Redaction::Member {
            secret::kept(node)
        } else {
            Some(node.carry())
        };
        data.extend(value.map(|value| (members.name(name).to_owned().into(), value)));
        return made(event_type, data, unit.place_id());
    }
    let mut moment = Moment::default();
    match (Members::new(node), unit.class) {
        (Some(mut object), Class::Share) => {
            secret::redact(&mut object);
            data = object.rest(&[]);
        }
        (Some(mut object), _) => {
            object.said("sessionID", session);
            id = object.text("id");
            if unit.class == Class::Other {
                object.take_if("time", |time| moment.take(time, "created").then_some(()));
            }
            let is_redacted = unit.redaction == Redaction::Member;
            let share = is_redacted.then(|| secret::redact_inside(&mut object)).flatten();
            data = object.rest(&[]);
            data.extend(moment.left());
            data.extend(share.map(|(name, share)| (name.into(), share)));
        }
        (None, _) => data.push(("value".into(), node.carry())),
    }
    let mut entry = made(event_type, data, id.unwrap_or_else(|| unit.place_id()));
    if let Entry::Event(event) = &mut entry {
        event.timestamp = moment.timestamp;
    }
    entry
}

fn made<'a>(event_type: Text<'a>, data: Rest<'a>, id: Text<'a>) -> Entry<'a> {
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp: None,
        id: Some(id),
        children: None,
        extensions: Map::default(),
    })
}

/// Types of rows of `session_message`.
const MESSAGES: &[&str] = &[
    "user",
    "assistant",
    "synthetic",
    "system",
    "shell",
    "skill",
    "compaction",
    "agent-switched",
    "model-switched",
    "location-switched",
    "idle",
];

fn unknown<'a>(node: Node<'a, '_>, report: &mut Report) -> Text<'a> {
    match node.member("type").and_then(Node::text) {
        Some(kind) => {
            let is_row = node.member("time_created").is_some();
            if !(is_row && MESSAGES.contains(&&*kind)) {
                report.unknown(&kind);
            }
            kind
        }
        None => {
            report.unknown("a document without a type");
            "unknown".into()
        }
    }
}

/// Returns the entry for a file or a table that could not be read.
pub(crate) fn unreadable(what: &str, number: u64) -> Entry<'static> {
    let mut data = Rest::default();
    raw::push(&mut data, "file", &what);
    let mut entry = made("unreadable".into(), data, format!("unreadable-{number}").into());
    annotate(&mut entry, |it| it.reason = Some(annotations::Reason::Other));
    entry
}

/// A row whose data is no object. Text is carried as what it is: something that
/// could not be parsed.
fn row<'a>(node: Node<'a, '_>, unit: &Unit<'_>, session: &str, report: &mut Report) -> Entry<'a> {
    let data = node.member("data");
    if data.is_some_and(has_secret) {
        report.unparsed(unit.place.line, NO_OBJECT);
        report.redact(secret::PATH);
        let known = Known { id: unit.id.clone().map(IntoOwned::into_owned), ..Known::default() };
        let reason = Reason::Encoding(NO_OBJECT.to_owned());
        return redact::entry(secret::SECRETS, node.raw(), &reason, unit.place, known);
    }
    let broken = data.filter(|data| data.kind() == Kind::Text);
    let broken = broken.and_then(Node::text);
    let named: &[&str] = if broken.is_some() { &["reason", "line", "raw"] } else { &[] };
    let mut id = None;
    let rest = sift(node, named, |key, value| match key {
        "id" => text(value, &mut id),
        "sessionID" => value.is_text(session),
        "data" => broken.is_some(),
        _ => false,
    });
    let Some(broken) = broken else {
        let kind = if unit.message.is_some() { "part" } else { "message" };
        report.unknown(&format!("{kind} without data"));
        return made(kind.into(), rest, id.unwrap_or_else(|| unit.place_id()));
    };
    let reason = Reason::Encoding(NO_OBJECT.to_owned());
    report.unparsed(unit.place.line, NO_OBJECT);
    let known = Known { id, timestamp: None, parent_id: None };
    let mut entry = raw::entry(broken.as_bytes(), &reason, unit.place, known);
    if let Entry::Event(EventEntry { data: Some(data), .. }) = &mut entry {
        data.extend(rest);
    }
    entry
}

/// Whether the name of a secret can be read in text, or in bytes that are not text.
fn has_secret(data: Node<'_, '_>) -> bool {
    match data.kind() {
        Kind::Text => secret::SECRETS.are_readable_in(data.raw()),
        Kind::Map => data.member("base64").is_some_and(|base64| match base64.text() {
            Some(text) => secret::SECRETS.are_readable_in_base64(text.as_bytes()),
            None => base64.kind() == Kind::Text,
        }),
        _ => false,
    }
}

/// A unit that cannot be carried as a value.
pub(crate) fn raw<'a>(
    bytes: &[u8],
    reason: &Reason,
    unit: &Unit<'_>,
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(unit.place.line, &reason.to_string());
    let id = unit.id.as_deref().map(|id| id.to_owned().into());
    let known = Known { id, timestamp: None, parent_id: None };
    if unit.redaction == Redaction::Whole {
        report.redact(secret::PATH);
        return redact::entry(secret::SECRETS, bytes, reason, unit.place, known);
    }
    raw::entry(bytes, reason, unit.place, known)
}
