//! Which documents are lines of a Claude Code log.

use vac_adapter::Confidence;
use vac_value::{Kind, Node};

use crate::lines::exported;

/// The line types that are known, to tell what is new from what is not.
pub(crate) const KNOWN_TYPES: &[&str] = &[
    "user",
    "assistant",
    "system",
    "progress",
    "attachment",
    "queue-operation",
    "file-history-snapshot",
    "file-history-delta",
    "summary",
    "ai-title",
    "custom-title",
    "agent-name",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
];

/// Whether the type of a line is known.
pub(crate) fn is_known(line: Node<'_, '_>) -> bool {
    line.member("type").is_some_and(|kind| KNOWN_TYPES.iter().any(|known| kind.is_text(known)))
}

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    if let Some(lines) = exported(document) {
        return match lines.elements().next() {
            Some(line) if is_known(line) => Confidence::Certain,
            _ => Confidence::Possible,
        };
    }
    if document.kind() != Kind::Map || !is_known(document) {
        return Confidence::No;
    }
    let has = |key: &str| document.member(key).is_some();
    let is_message = document
        .member("message")
        .is_some_and(|message| message.kind() == Kind::Map && message.member("content").is_some());
    if has("sessionId") || has("parentUuid") || has("leafUuid") || has("isSnapshotUpdate") {
        Confidence::Certain
    } else if is_message && has("timestamp") {
        Confidence::Likely
    } else if is_message {
        Confidence::Possible
    } else {
        Confidence::No
    }
}
