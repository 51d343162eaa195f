//! What is true of the rows of both databases.

use std::borrow::Cow;

use vac_adapter::annotation::annotate;
use vac_adapter::frame::Place;
use vac_adapter::members::{Rest, keys, object, sift};
use vac_adapter::{Report, raw};
use vac_record::annotations::{Reason, Superseded, SupersededHow};
use vac_record::{Entry, MessageEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::line::{BUBBLE, Chat, Line, Row, line};
use crate::{event, secret};

/// Keys that this adapter adds to entries.
const OURS: &[&str] = &[LINKED, ROW];
/// Keys that it adds to tool results.
const OURS_IN_RESULTS: &[&str] = &["message", LINKED, ROW];

/// The keys of a message that are canonical or ours.
pub(crate) const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
/// The keys of a tool result that are canonical or ours.
pub(crate) const TOOL_RESULT: &[&str] = &keys::with::<
    { ToolResultEntry::KEYS.len() + OURS_IN_RESULTS.len() },
>(&ToolResultEntry::KEYS, OURS_IN_RESULTS);

/// What the store says about a row: that something is so.
const MARKS: &[&str] = &["orphan", "linked", "root", "listed", "missing", "repeated"];
/// Which time it stands in the list.
const TIME: &str = "time";

/// What names a row.
const NAMES: &[&str] = &["key", "meta", "file", "blob"];

/// Marks what leads from the conversation without being in its list.
const LINKED: &str = "linked";
/// What a row says that no row of the store says.
const ROW: &str = "row";

/// The id of a row's entry: of a composer the whole key, of a bubble what stands behind
/// the composer's id, of a blob its hash and which time it stands in the list, if not the
/// first. `None` if it is no row.
pub(crate) fn id(row: Node<'_, '_>) -> Option<String> {
    match line(row) {
        Line::Row(Row::Composer) => row.member("key")?.text().map(Cow::into_owned),
        Line::Row(Row::Bubble) => {
            let key = row.member("key")?.text()?;
            let key = key.strip_prefix(BUBBLE)?;
            Some(key.split_once(':').map_or(key, |(_, id)| id).to_owned())
        }
        Line::Chat(Chat::Blob) => {
            let id = row.member("blob")?.text()?;
            Some(match row.member(TIME).and_then(Node::uint) {
                Some(time) => format!("{id}:{time}"),
                None => id.into_owned(),
            })
        }
        _ => None,
    }
}

/// The event for a row that is missing or NULL, or whose value is not JSON.
pub(crate) fn without_value<'a>(
    node: Node<'a, '_>,
    id: &str,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    let is_repeated = is_marked(node, "repeated");
    let warning = if is_marked(node, "missing") {
        "rows of the database are missing: a key is listed, but has no row"
    } else if is_repeated {
        "a row is listed so often that further entries contain only its key"
    } else if node.member("value").is_some() {
        "rows of the database are missing: the value is NULL"
    } else {
        return unparsed(node, id, place, report);
    };
    report.warn(warning);
    let mut entry = Entry::Event(event::new("missing", id.to_owned(), sift(node, &[], is_mark)));
    let original = node.member("blob").and_then(Node::text).filter(|_| is_repeated);
    annotate(&mut entry, |it| {
        it.reason = Some(if is_repeated { Reason::Other } else { Reason::RowMissing });
        it.duplicate_of = original.map(|id| id.into_owned().into());
    });
    mark(&mut entry, node);
    entry
}

/// Why the value of a row is kept unparsed.
pub(crate) const NOT_JSON: &str = "the value of the row is not JSON";

/// Whether the name of a secret can be read in a row whose value is text or bytes that are
/// not JSON.
pub(crate) fn has_secret(row: Node<'_, '_>) -> bool {
    row.members().any(|(key, value)| match (key.is_text("base64"), value.text()) {
        (true, Some(text)) => secret::SECRETS.are_readable_in_base64(text.as_bytes()),
        // Half a surrogate pair is not base64.
        (true, None) if value.kind() == Kind::Text => true,
        _ => secret::SECRETS.are_readable_in(value.raw()),
    })
}

/// Text or bytes that are not JSON.
fn unparsed<'a>(node: Node<'a, '_>, id: &str, place: Place, report: &mut Report) -> Entry<'a> {
    report.unparsed(place.line, NOT_JSON);
    let mut data = Rest::default();
    for (name, value) in node.members() {
        let name = match name.text() {
            Some(name) if is_mark(&name, value) => continue,
            Some(name) if name == "text" => "raw".into(),
            Some(name) if name == "base64" => "raw-base64".into(),
            Some(name) => name,
            None => continue,
        };
        data.push((name, value.carry()));
    }
    let mut entry = Entry::Event(event::new(raw::EVENT_TYPE, id.to_owned(), data));
    annotate(&mut entry, |it| it.reason = Some(Reason::Syntax));
    mark(&mut entry, node);
    entry
}

/// Whether a member is a mark of the store's.
pub(crate) fn is_mark(key: &str, value: Node<'_, '_>) -> bool {
    match key {
        TIME => value.uint().is_some(),
        key => MARKS.contains(&key) && value.bool() == Some(true),
    }
}

/// Whether a row is marked.
pub(crate) fn is_marked(row: Node<'_, '_>, mark: &str) -> bool {
    row.member(mark).and_then(Node::bool) == Some(true)
}

/// Adds to the entry of a row's value what the row says beside it.
pub(crate) fn beside<'a>(entry: &mut Entry<'a>, node: Node<'a, '_>) {
    mark(entry, node);
    let left =
        sift(node, &[], |key, value| key == "value" || NAMES.contains(&key) || is_mark(key, value));
    entry.extensions_mut().extend(object(left).map(|left| (ROW.into(), left)));
}

/// Marks an entry that is not, or not in this place, part of the conversation any more.
pub(crate) fn mark(entry: &mut Entry<'_>, node: Node<'_, '_>) {
    if is_marked(node, "orphan") {
        let superseded = Superseded { how: SupersededHow::Other, by: None };
        annotate(entry, |it| it.superseded = Some(superseded));
    }
    if is_marked(node, "linked") {
        raw::push(entry.extensions_mut(), LINKED, &true);
    }
}
