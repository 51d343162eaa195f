//! Objects that are events: everything that is not a message, a part or data of the session.

use vac_adapter::frame::Reason;
use vac_adapter::members::{Members, Rest, sift};
use vac_adapter::raw::{self, Known};
use vac_adapter::{Report, annotation, redact};
use vac_record::annotations::{self, End, EndOf, Ending, EntryAnnotations};
use vac_record::{Entry, EventEntry};
use vac_value::{IntoOwned, Kind, Map, Node, Text};

use crate::classify::{Class, SESSION_MESSAGES};
use crate::message::{Moment, Usage, text};
use crate::names::Names;
use crate::object::{Redaction, StoredObject};
use crate::part::{self, Scope};
use crate::secret;

/// Why the text of a row is carried as text.
const NO_OBJECT: &str = "the row's data is not a JSON object";

/// The entry of a object that is an event.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    members: &Names<'_>,
    report: &mut Report,
) -> Entry<'a> {
    let (stored, session) = (scope.stored, scope.session);
    let event_type: Text<'a> = match stored.class {
        Class::Row => return row(node, stored, session, report),
        Class::Session => "session".into(),
        Class::Project => "project".into(),
        Class::Share => "session_share".into(),
        Class::Diffs => "session_diff".into(),
        Class::Todos => "todo".into(),
        Class::Models => "model".into(),
        // A member next to the objects of a shared session, or of an export.
        Class::Member(_) if scope.variant == "share" => "share".into(),
        Class::Member(_) => "export".into(),
        _ => unknown(node, report),
    };
    let mut id = None;
    let mut data = Rest::default();
    if let Class::Member(name) = stored.class {
        let value = if stored.redaction == Redaction::Member {
            secret::kept(node)
        } else {
            Some(node.carry())
        };
        data.extend(value.map(|value| (members.name(name).to_owned().into(), value)));
        return made(event_type, data, stored.place_id());
    }
    let mut moment = Moment::default();
    match (Members::new(node), stored.class) {
        (Some(mut object), Class::Share) => {
            secret::redact(&mut object);
            data = object.rest(&[]);
        }
        (Some(mut object), _) => {
            object.said("sessionID", session);
            id = object.text("id");
            if stored.class == Class::Other {
                object.take_if("time", |time| moment.take(time, "created").then_some(()));
            }
            let is_redacted = stored.redaction == Redaction::Member;
            let share = is_redacted.then(|| secret::redact_inside(&mut object)).flatten();
            data = object.rest(&[]);
            data.extend(moment.left());
            data.extend(share.map(|(name, share)| (name.into(), share)));
        }
        (None, _) => data.push(("value".into(), node.carry())),
    }
    let annotations = annotations(node, scope, &event_type);
    let mut entry = made(event_type, data, id.unwrap_or_else(|| stored.place_id()));
    annotation::attach(entry.extensions_mut(), &annotations);
    *entry.timestamp_mut() = moment.timestamp;
    entry
}

/// Returns what vac says about an event of this type.
fn annotations(
    node: Node<'_, '_>,
    scope: Scope<'_>,
    event_type: &str,
) -> EntryAnnotations<'static> {
    let mut annotations = scope.annotations();
    match (scope.stored.class, event_type) {
        // The session is idle: the turn is over.
        (Class::Other, "idle") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: ending(node.member("outcome")) });
        }
        // What the request for a summary used; no message states it.
        (Class::Other, "compaction") => {
            let mut usage = Usage::default();
            if node.member("tokens").is_some_and(|tokens| usage.take("tokens", tokens)) {
                let model = node.member("model").and_then(|model| model.member("id")?.text());
                let model = model.map(|model| model.into_owned().into());
                annotations.usage =
                    usage.buckets().map(|usage| annotations::Usage { model, ..usage });
            }
        }
        (Class::Other, kind) => annotations.permission = part::permission(node, kind),
        _ => {}
    }
    annotations
}

fn ending(outcome: Option<Node<'_, '_>>) -> Option<Ending> {
    match &*outcome?.text()? {
        "succeeded" => Some(Ending::Success),
        "failed" => Some(Ending::Failure),
        "interrupted" => Some(Ending::Interrupted),
        _ => None,
    }
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

fn unknown<'a>(node: Node<'a, '_>, report: &mut Report) -> Text<'a> {
    match node.member("type").and_then(Node::text) {
        Some(kind) => {
            let created = node.member("time").and_then(|time| time.member("created"));
            let is_row = created.is_some() || node.member("time_created").is_some();
            if !(is_row && SESSION_MESSAGES.contains(&&*kind)) {
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
    annotation::annotate(&mut entry, |it| it.reason = Some(annotations::Reason::Other));
    entry
}

/// A row whose data is not an object. Text is kept unparsed.
fn row<'a>(
    node: Node<'a, '_>,
    stored: &StoredObject<'_>,
    session: &str,
    report: &mut Report,
) -> Entry<'a> {
    let data = node.member("data");
    if data.is_some_and(has_secret) {
        report.unparsed(stored.place.line, NO_OBJECT);
        report.redact(secret::PATH);
        let known = Known { id: stored.id.clone().map(IntoOwned::into_owned), ..Known::default() };
        let reason = Reason::Stray;
        return redact::entry(secret::SECRETS, node.raw(), &reason, stored.place, known);
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
        let kind = if stored.message.is_some() { "part" } else { "message" };
        report.unknown(&format!("{kind} without data"));
        return made(kind.into(), rest, id.unwrap_or_else(|| stored.place_id()));
    };
    let reason = Reason::Stray;
    report.unparsed(stored.place.line, NO_OBJECT);
    let known = Known { id, timestamp: None, parent_id: None };
    let mut entry = raw::entry(broken.as_bytes(), &reason, stored.place, known);
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

/// A object that cannot be carried as a value.
pub(crate) fn raw<'a>(
    bytes: &[u8],
    reason: &Reason,
    stored: &StoredObject<'_>,
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(stored.place.line, &reason.to_string());
    let id = stored.id.as_deref().map(|id| id.to_owned().into());
    let known = Known { id, timestamp: None, parent_id: None };
    if stored.redaction == Redaction::Whole {
        report.redact(secret::PATH);
        return redact::entry(secret::SECRETS, bytes, reason, stored.place, known);
    }
    raw::entry(bytes, reason, stored.place, known)
}
