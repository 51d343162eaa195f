//! Lists the file that Factory Droid keeps next to a log: `<id>.settings.json`, with the model and
//! the tokens of the session.

use vac_adapter::Preview;
use vac_adapter::companions::{Base, Companion, CompanionKind, Companions};
use vac_value::{Document, Kind};

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    files: &[Companion {
        variants: &["jsonl"],
        base: Base { folder: "", within: 0, above: 0, or_own_folder: true },
        path: "{stem}.settings.json",
        unless: None,
        kind: CompanionKind::Note(settings),
    }],
    with_files: &[("jsonl", "jsonl-settings")],
    ..Companions::NONE
};

fn settings(bytes: &[u8], _: &mut Preview) -> bool {
    let Ok(document) = Document::json(bytes) else { return false };
    document.root().kind() == Kind::Map && document.duplicate_keys().next().is_none()
}
