//! Converts objects to events: everything that is not a message, a part or data of the session.

use vac_adapter::frame::Reason;
use vac_adapter::members::Rest;
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Report, mapping, redact};
use vac_record::annotations::{self, End, EndOf, Ending, EntryAnnotations};
use vac_record::{Entry, EventEntry};
use vac_value::{IntoOwned, Kind, Node, Text};

use crate::classify::{Class, SESSION_MESSAGES};
use crate::names::Names;
use crate::object::{Redaction, StoredObject, as_map, push};
use crate::part::{self, Scope};
use crate::secret::{self, Share};
use crate::{entry, time, usage};

mapping! {
    /// Any other object: an event. Data of a session that does not fit its record is one, too.
    pub(crate) struct Document<'a>("other objects"; key, value, scope: Scope<'_>) {
        "type" => "`event-type`", keep;
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(scope.session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "time" => "its `created` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value).filter(|_| scope.stored.class == Class::Other);
        "share" => "without its secret",
            take share: Node<'a, 'a> = (scope.stored.redaction == Redaction::Member
                && secret::is_redacted(value)).then_some(value);
        "outcome" => "of an `idle`, `vac.ends`", note outcome: Node<'a, 'a> = Some(value);
        "tokens" => "of a `compaction`, `vac.usage`",
            note tokens: Node<'a, 'a> = as_map(value);
        "model" => "of a `compaction`, `vac.usage.model`", note model: Node<'a, 'a> = Some(value);
        _ => keep;
    }
}

mapping! {
    /// A row of a database whose data is not an object: an event.
    pub(crate) struct Row<'a>("row"; key, value, session: &str) {
        "id" => "`id`", take id: Text<'a> = value.text();
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(session);
        "data" => "if it is text, kept unparsed as `raw`", take unparsed: Text<'a> = value.text();
        "messageID" | "time_created" | "time_updated" | "type" | "seq" | "payload" | "delivery"
        | "enqueued_seq" | "admitted_seq" => "", keep;
    }
}

/// Returns the entry of an object that is an event.
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
    if let Class::Member(name) = stored.class {
        let value = if stored.redaction == Redaction::Member {
            secret::kept(node, report)
        } else {
            Some(node.carry())
        };
        let mut data = Rest::default();
        data.extend(value.map(|value| (members.name(name).to_owned().into(), value)));
        return plain(event_type, data, stored.place_id());
    }
    let mut document = Document::default();
    match (node.kind(), stored.class) {
        (Kind::Map, Class::Share) => document.rest = Share::read(node, &[], None, report).rest,
        (Kind::Map, _) => document = Document::read(node, &[], scope, report),
        _ => document.rest.push(("value".into(), node.carry())),
    }
    let annotations = annotations(node, &document, scope, &event_type, report);
    let Document { id, time, share, rest: mut data, .. } = document;
    let timestamp = time::read(time, time::CREATED, &mut data, report).start;
    push(&mut data, "share", share.and_then(|share| secret::kept(share, report)));
    let id = id.unwrap_or_else(|| stored.place_id());
    entry::event(event_type, data, id, timestamp, Rest::default(), &annotations)
}

/// Returns the annotations of an event of this type.
fn annotations(
    node: Node<'_, '_>,
    document: &Document<'_>,
    scope: Scope<'_>,
    event_type: &str,
    report: &mut Report,
) -> EntryAnnotations<'static> {
    let mut annotations = scope.annotations();
    match (scope.stored.class, event_type) {
        // The session is idle, so the turn has ended.
        (Class::Other, "idle") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: ending(document.outcome) });
        }
        // The tokens that the request for a summary used. No message states them.
        (Class::Other, "compaction") => {
            let model = document.model.and_then(|model| model.member("id")?.text());
            let model = model.map(|model| model.into_owned().into());
            let (_, usage) = usage::read(None, document.tokens, report);
            annotations.usage = usage.map(|usage| annotations::Usage { model, ..usage });
        }
        (Class::Other, kind) => annotations.permission = part::permission(node, kind),
        _ => {}
    }
    annotations
}

/// Returns an event without a time and without annotations.
fn plain<'a>(event_type: Text<'a>, data: Rest<'a>, id: Text<'a>) -> Entry<'a> {
    entry::event(event_type, data, id, None, Rest::default(), &EntryAnnotations::default())
}

fn ending(outcome: Option<Node<'_, '_>>) -> Option<Ending> {
    match &*outcome?.text()? {
        "succeeded" => Some(Ending::Success),
        "failed" => Some(Ending::Failure),
        "interrupted" => Some(Ending::Interrupted),
        _ => None,
    }
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

/// Returns the event of a row whose data is not an object. Text is kept unparsed.
fn row<'a>(
    node: Node<'a, '_>,
    stored: &StoredObject<'_>,
    session: &str,
    report: &mut Report,
) -> Entry<'a> {
    let data = node.member("data");
    if data.is_some_and(has_secret) {
        report.unparsed(stored.place.line, Reason::Stray.code());
        report.redact(secret::PATH);
        let known = KnownMembers {
            id: stored.id.clone().map(IntoOwned::into_owned),
            ..KnownMembers::default()
        };
        let reason = Reason::Stray;
        return redact::entry(secret::SECRETS, node.raw(), &reason, stored.place, known);
    }
    let is_text = data.and_then(Node::text).is_some();
    let named: &[&str] = if is_text { &["reason", "line", "raw"] } else { &[] };
    let Row { id, unparsed, rest } = Row::read(node, named, session, report);
    let Some(unparsed) = unparsed else {
        let kind = if stored.message.is_some() { "part" } else { "message" };
        report.unknown(&format!("{kind} without data"));
        return plain(kind.into(), rest, id.unwrap_or_else(|| stored.place_id()));
    };
    let reason = Reason::Stray;
    report.unparsed(stored.place.line, Reason::Stray.code());
    let known = KnownMembers { id, timestamp: None, parent_id: None };
    let mut entry = raw::entry(unparsed.as_bytes(), &reason, stored.place, known);
    if let Entry::Event(EventEntry { data: Some(data), .. }) = &mut entry {
        data.extend(rest);
    }
    entry
}

/// Returns whether the name of a secret can be read in text, or in bytes that are not text.
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

/// Returns the event of an object that cannot be kept as a value.
pub(crate) fn raw<'a>(
    bytes: &[u8],
    reason: &Reason,
    stored: &StoredObject<'_>,
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(stored.place.line, reason.code());
    let id = stored.id.as_deref().map(|id| id.to_owned().into());
    let known = KnownMembers { id, timestamp: None, parent_id: None };
    if stored.redaction == Redaction::Whole {
        report.redact(secret::PATH);
        return redact::entry(secret::SECRETS, bytes, reason, stored.place, known);
    }
    raw::entry(bytes, reason, stored.place, known)
}
