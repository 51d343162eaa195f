//! Units that are events: everything that is no message and no part, and has no
//! place beside the entries.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, Rest};
use vac_adapter::frame::Reason;
use vac_adapter::raw::{self, Known};
use vac_record::{Entry, EventEntry};
use vac_value::{Extensions, Node, Text};

use crate::classify::Class;
use crate::secret;
use crate::units::Unit;

/// The entry of a unit that is an event.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    unit: &Unit,
    session: &str,
    report: &mut Report,
) -> Entry<'a> {
    let event_type: Text<'a> = match &unit.class {
        Class::Session => "session".into(),
        Class::Project => "project".into(),
        Class::Share => "session_share".into(),
        Class::Diffs => "session_diff".into(),
        Class::Todos => "todo".into(),
        Class::Member(_) => "export".into(),
        _ => unknown(node, report),
    };
    let place = || unit.place.id().into();
    let mut id = place();
    let mut data = Rest::default();
    match (Cursor::of(node), &unit.class) {
        (_, Class::Member(name)) => data.push((name.clone().into(), node.carry())),
        (Some(mut object), Class::Share) => {
            secret::omit(&mut object);
            data = object.rest(&[]);
        }
        (Some(mut object), _) => {
            object.said("sessionID", session);
            id = object.text("id").unwrap_or_else(place);
            let share = unit.has_secret.then(|| secret::omit_inside(&mut object)).flatten();
            data = object.rest(&[]);
            data.extend(share.map(|(name, share)| (name.into(), share)));
        }
        (None, _) => data.push(("value".into(), node.carry())),
    }
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp: None,
        id: Some(id),
        children: None,
        extensions: Extensions::default(),
    })
}

fn unknown<'a>(node: Node<'_, 'a>, report: &mut Report) -> Text<'a> {
    match node.member("type").and_then(Node::text) {
        Some(kind) => {
            report.unknown(&kind);
            kind
        }
        None => {
            report.unknown("a document without a type");
            "unknown".into()
        }
    }
}

/// A unit that cannot be carried as a value. One that might be a broken share
/// object is told, not carried.
pub(crate) fn raw<'a>(
    bytes: &[u8],
    reason: &Reason,
    unit: &Unit,
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(unit.place.line, &reason.to_string());
    let known = Known { id: unit.id.clone().map(Into::into), timestamp: None, parent_id: None };
    if secret::may_be_in(bytes) {
        report.omit(secret::OMITTED);
        return raw::entry(b"", reason, unit.place, known);
    }
    raw::entry(bytes, reason, unit.place, known)
}
