//! Converts lines that are not messages to events, with the whole line as `data`.

use vac_adapter::annotation::attach;
use vac_adapter::frame::{Place, Raw};
use vac_adapter::members::Rest;
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Report, mapping};
use vac_record::{AbstractTimestamp, Decode, Entry, EventEntry};
use vac_value::{Kind, Map, Node, Text};

use crate::envelope::{Envelope, Wanted};
use crate::first_pass::{Facts, LinePlan};
use crate::lines::LOGLINES;
use crate::{event_meaning, known};

mapping! {
    /// An object that contains lines: a web export.
    pub(crate) struct Wrapper<'a>("export"; key, value) {
        "loglines" => "the lines", stated = true;
        _ => keep;
    }
}

/// Returns the entry of an event.
pub(crate) fn entry<'a>(
    line: Node<'a, '_>,
    place: Place,
    plan: LinePlan,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    if line.kind() != Kind::Map {
        return value(line, place, report);
    }
    let wanted = Wanted { kind: None, body: None, defaults: &facts.defaults };
    let envelope = Envelope::read(line, &[], wanted, report);
    let mut extensions = Rest::default();
    extensions.extend(envelope.parent.map(|parent| ("parent-id".into(), parent.carry())));
    let event_type = event_type(line, &envelope, report);
    let mut it = facts.annotations(&envelope, plan, place);
    event_meaning::annotate(&mut it, line, &event_type, plan);
    attach(&mut extensions, &it);
    Entry::Event(EventEntry {
        event_type,
        data: Some(envelope.rest),
        timestamp: envelope.timestamp,
        id: envelope.id.or_else(|| Some(place.id().into())),
        children: None,
        extensions,
    })
}

/// Returns a line's type and subtype.
fn event_type<'a>(line: Node<'a, '_>, envelope: &Envelope<'a>, report: &mut Report) -> Text<'a> {
    let Some(kind) = envelope.kind.and_then(Node::text) else {
        report.unknown("a line without a type");
        return "unknown".into();
    };
    if !known::logged(&kind) {
        report.unknown(&kind);
    }
    let typed = || line.member("data").or_else(|| line.member("attachment"))?.member("type");
    let Some(subtype) = envelope.subtype.or_else(typed).and_then(Node::text) else { return kind };
    let both = format!("{kind}/{subtype}");
    if !known::subtype(&kind, &subtype) {
        report.unknown(&both);
    }
    both.into()
}

/// Returns an event with the members of a web export other than its lines, if it has any.
pub(crate) fn wrapper<'a>(wrapper: Node<'a, '_>, place: Place) -> Option<Entry<'a>> {
    let data = Wrapper::read(wrapper, &[], &mut Report::default()).rest;
    if data.is_empty() {
        return None;
    }
    Some(Entry::Event(EventEntry {
        event_type: LOGLINES.into(),
        data: Some(data),
        timestamp: None,
        id: Some(format!("{}.{LOGLINES}", place.id()).into()),
        children: None,
        extensions: Map::default(),
    }))
}

/// Returns the event of a line that is not an object.
fn value<'a>(line: Node<'a, '_>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unknown("a line that is not an object");
    let mut data = Rest::default();
    data.push(("value".into(), line.carry()));
    Entry::Event(EventEntry {
        event_type: "unknown".into(),
        data: Some(data),
        timestamp: None,
        id: Some(place.id().into()),
        children: None,
        extensions: Map::default(),
    })
}

/// Returns the entry of a line that cannot be kept as a value.
pub(crate) fn raw<'a>(raw: &Raw<'a>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unparsed(place.line, raw.reason.code());
    let member = |key: &str| raw.document.as_ref().and_then(|document| document.root().member(key));
    let known = KnownMembers {
        id: member("uuid").and_then(Node::text),
        timestamp: member("timestamp").and_then(|node| AbstractTimestamp::from_node(node).ok()),
        parent_id: member("parentUuid").and_then(Node::text),
    };
    raw::entry(raw.bytes, &raw.reason, place, known)
}
