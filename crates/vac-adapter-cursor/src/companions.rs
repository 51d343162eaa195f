//! The companion files that Cursor keeps next to a transcript.
//!
//! Transcripts are in `projects/<project>/agent-transcripts`. The folder and the start of the
//! session are in `chats/<folder>/<id>/meta.json`, with or without a database next to it. A file
//! next to a database belongs to that database.

use vac_adapter::Preview;
use vac_adapter::companions::{Base, Companion, CompanionKind, Companions};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Kind, Node};

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    files: &[Companion {
        variants: &["transcript"],
        base: Base {
            folder: "agent-transcripts",
            within: usize::MAX,
            above: 3,
            or_own_folder: false,
        },
        path: "chats/*/{id}/meta.json",
        unless: Some("store.db"),
        kind: CompanionKind::Note(meta),
    }],
    ..Companions::NONE
};

fn meta(bytes: &[u8], preview: &mut Preview) -> bool {
    let Ok(document) = Document::json(bytes) else { return false };
    let root = document.root();
    if root.kind() != Kind::Map || document.duplicate_keys().next().is_some() {
        return false;
    }
    let project = root.member("cwd").and_then(Node::text).map(Into::into);
    preview.project = project.or(preview.project.take());
    if preview.start.is_none() {
        let start = root.member("createdAtMs").map(AbstractTimestamp::from_node);
        preview.start = start.and_then(Result::ok).map(IntoOwned::into_owned);
    }
    true
}
