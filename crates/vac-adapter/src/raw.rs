//! Creates entries for bytes that could not be parsed: a system event `unparsed` with the bytes,
//! annotated with the reason.

use data_encoding::BASE64;
use vac_record::annotations::{self, EntryAnnotations};
use vac_record::{AbstractTimestamp, Entry, EventEntry};
use vac_value::{Any, Encoding, Map, Text};

use crate::annotation;
use crate::frame::{Place, Reason};
use crate::members::Rest;

/// The event type of such an entry.
pub const EVENT_TYPE: &str = "unparsed";

/// Members of an entry that are known although its bytes could not be parsed.
#[derive(Clone, Debug, Default)]
pub struct KnownMembers<'a> {
    /// The id in the log, or else one made from its place.
    pub id: Option<Text<'a>>,
    /// The time of the entry.
    pub timestamp: Option<AbstractTimestamp<'a>>,
    /// The id of its parent.
    pub parent_id: Option<Text<'a>>,
}

/// Returns an entry with bytes as text, or as base64 if they are not UTF-8, or (a run of NUL bytes)
/// as their number. A piece of a frame that is too long also states its number, its offset in the
/// file, and whether it is the last: the bytes of all pieces together are those of the frame.
pub fn entry<'a>(
    bytes: &[u8],
    reason: &Reason,
    place: Place,
    known: KnownMembers<'a>,
) -> Entry<'a> {
    let mut data = Rest::default();
    push(&mut data, "line", &place.line);
    if let Reason::TooLong { piece, is_last, .. } = reason {
        push(&mut data, "piece", piece);
        push(&mut data, "last", is_last);
        push(&mut data, "offset", &place.offset);
    }
    match reason {
        Reason::Nul => push(&mut data, "nul-bytes", &(bytes.len() as u64)),
        _ => push_bytes(&mut data, ["raw", "raw-base64"], bytes),
    }
    event(data, place, known, reason.code())
}

/// Returns the event of a frame that is kept unparsed or redacted.
pub(crate) fn event<'a>(
    data: Rest<'a>,
    place: Place,
    known: KnownMembers<'a>,
    reason: annotations::UnparsedReason,
) -> Entry<'a> {
    let mut extensions = Map::default();
    if let Some(parent) = &known.parent_id {
        push(&mut extensions, "parent-id", parent);
    }
    let annotations = EntryAnnotations { reason: Some(reason), ..EntryAnnotations::default() };
    annotation::attach(&mut extensions, &annotations);
    Entry::Event(EventEntry {
        event_type: EVENT_TYPE.into(),
        data: Some(data),
        timestamp: known.timestamp,
        id: known.id.or_else(|| Some(place.id().into())),
        children: None,
        extensions,
    })
}

/// Returns the event of a file or a table that could not be read.
pub fn unreadable(what: &str, number: u64) -> Entry<'static> {
    let mut data = Rest::default();
    push(&mut data, "file", what);
    let mut extensions = Map::default();
    let reason = Some(annotations::UnparsedReason::Other);
    let annotations = EntryAnnotations { reason, ..EntryAnnotations::default() };
    annotation::attach(&mut extensions, &annotations);
    Entry::Event(EventEntry {
        event_type: "unreadable".into(),
        data: Some(data),
        timestamp: None,
        id: Some(format!("unreadable-{number}").into()),
        children: None,
        extensions,
    })
}

/// Adds bytes to a map: as text under the first key, or as base64 under the second if
/// they are not UTF-8.
pub fn push_bytes(members: &mut Rest<'_>, [text, base64]: [&'static str; 2], bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(bytes) => push(members, text, bytes),
        Err(_) => push(members, base64, BASE64.encode(bytes).as_str()),
    }
}

/// Adds a member with a value of the converter to a map.
pub fn push<T: vac_value::Encode + ?Sized>(members: &mut Rest<'_>, key: &'static str, value: &T) {
    // Text and integers can be written in every encoding.
    if let Ok(any) = Any::from_value(value, Encoding::Json) {
        members.push((key.into(), any));
    }
}
