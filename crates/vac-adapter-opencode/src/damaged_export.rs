//! Reads exports and shared sessions that are damaged or truncated: their complete objects are
//! read, and the rest is kept unparsed.

use vac_adapter::damaged::{List, Piece, Pieces, beginning};
use vac_value::{Document, Kind};

use crate::classify::is_shared_element;
use crate::container::Form;

/// The member of an export that contains messages.
pub(crate) const MESSAGES: &str = "messages";
/// The member of a message that contains parts.
pub(crate) const PARTS: &str = "parts";

/// The lists of an export.
pub(crate) const LISTS: &[List] = &[List { key: MESSAGES, inside: &[List::new(PARTS)] }];

/// Returns whether bytes are a damaged export or a damaged shared session; `None` if they begin
/// as neither.
pub(crate) fn form(bytes: &[u8]) -> Option<Form> {
    if bytes.starts_with(b"[") {
        let element = Pieces::new(bytes, LISTS).find_map(|piece| match piece {
            Piece::Element { value, .. } => Some(value),
            _ => None,
        })?;
        return is_shared_element(element.root()).then_some(Form::Share);
    }
    let beginning = beginning(bytes)?;
    let document = Document::json(&beginning).ok()?;
    let (key, info) = document.root().members().next()?;
    (key.is_text("info") && info.kind() == Kind::Map).then_some(Form::Export)
}
