//! Converts the parts that the rows of both databases have in common.

use std::borrow::Cow;

use vac_adapter::annotation::annotate;
use vac_adapter::container::{RowProblem, Trouble};
use vac_adapter::frame::Place;
use vac_adapter::members::{self, Rest, keys, object};
use vac_adapter::{Report, mapping, raw};
use vac_record::annotations::{self, Superseded, SupersededHow};
use vac_record::{Entry, MessageEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::line::{BUBBLE, Chat, Line, Row, line};
use crate::{entry, secret};

/// The keys that this adapter adds to entries.
const OURS: &[&str] = &[ROW];
/// The keys that this adapter adds to tool results.
const OURS_IN_RESULTS: &[&str] = &["message", ROW];

/// The keys of a message that are canonical or added by this adapter.
pub(crate) const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
/// The keys of a tool result that are canonical or added by this adapter.
pub(crate) const TOOL_RESULT: &[&str] = &keys::with::<
    { ToolResultEntry::KEYS.len() + OURS_IN_RESULTS.len() },
>(&ToolResultEntry::KEYS, OURS_IN_RESULTS);

/// The key of the members of a row other than its value.
const ROW: &str = "row";

mapping! {
    /// A row of a database: a composer, a bubble, or a part of a chat. Its entry has the remaining
    /// members as `row`.
    pub(crate) struct StoredRow<'a>("row"; key, value) {
        "value" => "the entry", stated = true;
        "key" | "meta" | "file" | "blob" => "`id`", stated = true;
    }
}

/// Returns the id of a row's entry: the whole key of a composer, the part of a bubble's key after
/// the composer's id, or the hash of a blob, with a number if it is listed more than once. `None`
/// if the document is not a row.
pub(crate) fn id(row: Node<'_, '_>, troubles: &[Trouble]) -> Option<String> {
    match line(row) {
        Line::Row(Row::Composer) => row.member("key")?.text().map(Cow::into_owned),
        Line::Row(Row::Bubble) => {
            let key = row.member("key")?.text()?;
            let key = key.strip_prefix(BUBBLE)?;
            Some(key.split_once(':').map_or(key, |(_, id)| id).to_owned())
        }
        Line::Chat(Chat::Blob) => {
            let id = row.member("blob")?.text()?;
            let time = troubles.iter().find_map(|trouble| match trouble.problem {
                RowProblem::RowRepeated { time, .. } => Some(time),
                _ => None,
            });
            Some(match time {
                Some(time) => format!("{id}:{time}"),
                None => id.into_owned(),
            })
        }
        _ => None,
    }
}

/// Returns the event for a row that is missing or NULL, or whose value is not JSON.
pub(crate) fn without_value<'a>(
    node: Node<'a, '_>,
    id: &str,
    place: Place,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    if node.member("value").is_none() {
        return unparsed(node, id, place, troubles, report);
    }
    let is_repeated = |problem: &RowProblem| matches!(problem, RowProblem::RowRepeated { .. });
    let code = match troubles.iter().map(|trouble| &trouble.problem).find(|it| is_repeated(it)) {
        Some(repeated) => repeated.code(),
        None if has(troubles, &RowProblem::RowMissing) => RowProblem::RowMissing.code(),
        None => RowProblem::RowNull.code(),
    };
    report.warn(format!("rows of the database are missing: {code}"));
    let data = members::all(node, &[]);
    let mut entry = Entry::Event(entry::event("missing", id.to_owned(), data));
    annotate(&mut entry, |it| it.reason = Some(annotations::UnparsedReason::RowMissing));
    mark(&mut entry, troubles);
    entry
}

/// The reason for which the value of a row is kept unparsed.
pub(crate) const NOT_JSON: &str = "the value of the row is not JSON";

/// Returns whether the name of a secret can be read in a row whose value is text or bytes that are
/// not JSON.
pub(crate) fn has_secret(row: Node<'_, '_>) -> bool {
    row.members().any(|(key, value)| match (key.is_text("base64"), value.text()) {
        (true, Some(text)) => secret::SECRETS.are_readable_in_base64(text.as_bytes()),
        // Half a surrogate pair is not base64.
        (true, None) if value.kind() == Kind::Text => true,
        _ => secret::SECRETS.are_readable_in(value.raw()),
    })
}

/// Returns the event for text or bytes that are not JSON.
fn unparsed<'a>(
    node: Node<'a, '_>,
    id: &str,
    place: Place,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    report.unparsed(place.line, annotations::UnparsedReason::Syntax);
    let mut data = Rest::default();
    for (name, value) in node.members() {
        let name = match name.text() {
            Some(name) if name == "text" => "raw".into(),
            Some(name) if name == "base64" => "raw-base64".into(),
            Some(name) => name,
            None => continue,
        };
        data.push((name, value.carry()));
    }
    let mut entry = Entry::Event(entry::event(raw::EVENT_TYPE, id.to_owned(), data));
    annotate(&mut entry, |it| it.reason = Some(annotations::UnparsedReason::Syntax));
    mark(&mut entry, troubles);
    entry
}

/// Returns whether the input reports this problem of a row.
pub(crate) fn has(troubles: &[Trouble], problem: &RowProblem) -> bool {
    troubles.iter().any(|trouble| trouble.problem == *problem)
}

/// Adds the other members of a row to the entry of its value.
pub(crate) fn add_row_rest<'a>(
    entry: &mut Entry<'a>,
    node: Node<'a, '_>,
    troubles: &[Trouble],
    report: &mut Report,
) {
    mark(entry, troubles);
    let left = StoredRow::read(node, &[], report).rest;
    entry.extensions_mut().extend(object(left).map(|left| (ROW.into(), left)));
}

/// Annotates an entry that the conversation does not list, or no longer lists.
pub(crate) fn mark(entry: &mut Entry<'_>, troubles: &[Trouble]) {
    if has(troubles, &RowProblem::RowUnlisted) || has(troubles, &RowProblem::RowLinked) {
        let superseded = Superseded { how: SupersededHow::Other, by: None };
        annotate(entry, |it| it.superseded = Some(superseded));
    }
}
