//! Reads a session of the first CLI, which was written in TypeScript: one document `{session,
//! items}`. If the document is truncated or damaged, its complete items are read, and the rest is
//! kept unparsed.

use vac_adapter::damaged::{self, List, Pieces, beginning};
use vac_adapter::frame::{Content, Raw};
use vac_adapter::members::Rest;
use vac_adapter::{Report, mapping};
use vac_value::{Document, Kind, Node};

const LISTS: &[List] = &[List::new("items")];

mapping! {
    /// A session of the first CLI, which is one document.
    pub(crate) struct SessionDocument<'a>("session document"; key, value) {
        "session" => "the session, as `session_meta`", note session: Node<'a, 'a> = Some(value);
        "items" => "the entries, as response items",
            take items: Node<'a, 'a> = (value.kind() == Kind::Array).then_some(value);
        _ => keep;
    }
}

/// A part of a session.
pub(crate) enum Piece<'p, 'a> {
    /// The document without its items.
    Header {
        /// The metadata of the session.
        session: Option<Node<'a, 'a>>,
        /// All members but the items.
        members: Rest<'a>,
    },
    /// An item, and its number.
    Item(usize, Node<'a, 'a>),
    /// Bytes that could not be parsed, and their number among the items.
    Raw(usize, &'p Raw<'a>),
}

/// Passes each part of a document to `show`.
pub(crate) fn each<'a, E>(
    document: Node<'a, 'a>,
    mut show: impl FnMut(Piece<'_, 'a>) -> Result<(), E>,
) -> Result<(), E> {
    if document.kind() != Kind::Map {
        return Ok(());
    }
    // The table is open, so there is nothing to report.
    let SessionDocument { session, items, rest } =
        SessionDocument::read(document, &[], &mut Report::default());
    show(Piece::Header { session, members: rest })?;
    let items = items.into_iter().flat_map(Node::elements);
    items.enumerate().try_for_each(|(number, item)| show(Piece::Item(number, item)))
}

/// Returns whether bytes begin like such a document: with a `session` that has an id and a
/// timestamp.
pub(crate) fn is_begun(bytes: &[u8]) -> bool {
    let mut is_begun = false;
    begun(bytes, |_| is_begun = true);
    is_begun
}

/// Passes the metadata at the beginning of such a document to `show`.
pub(crate) fn begun(bytes: &[u8], show: impl FnOnce(Node<'_, '_>)) {
    if !bytes.starts_with(b"{") {
        return;
    }
    let Some(text) = beginning(bytes) else { return };
    let Ok(document) = Document::json(&text) else { return };
    let first = document.root().members().next().filter(|(key, _)| key.is_text("session"));
    if let Some((_, session)) = first
        && ["id", "timestamp"].iter().all(|key| session.member(key).is_some())
    {
        show(session);
    }
}

/// Passes each part of a truncated or damaged document to `show`.
pub(crate) fn each_damaged<E>(
    raw: &Raw<'_>,
    mut show: impl FnMut(Piece<'_, '_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(wrapper) = damaged::wrapper(raw.bytes, LISTS) else { return Ok(()) };
    let mut number = 0;
    match damaged::parse(&wrapper) {
        Content::Document(wrapper) => each(wrapper.root(), &mut show)?,
        Content::Raw(raw) => {
            let root = raw.document.as_ref().map(Document::root);
            let session = root.and_then(|root| root.member("session"));
            show(Piece::Header { session, members: Rest::default() })?;
            show(Piece::Raw(number, &raw))?;
            number += 1;
        }
    }
    for piece in Pieces::from_frame(raw, LISTS) {
        match piece {
            damaged::Piece::Element { value, .. } => show(Piece::Item(number, value.root()))?,
            damaged::Piece::Raw { raw, .. } => show(Piece::Raw(number, &raw))?,
            _ => continue,
        }
        number += 1;
    }
    Ok(())
}
