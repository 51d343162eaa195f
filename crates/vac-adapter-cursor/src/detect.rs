//! Which documents are Cursor's.

use vac_adapter::{Confidence, Sample};
use vac_value::Node;

use crate::line::{Capture, Line, line};
use crate::text;

/// How sure the beginning of an input makes.
pub(crate) fn detect(sample: &Sample<'_>) -> Confidence {
    sample.best(confidence).max(text::confidence(sample))
}

/// How sure one document makes.
fn confidence(document: Node<'_, '_>) -> Confidence {
    let has = |key: &str| document.member(key).is_some();
    match line(document) {
        Line::Row(_) | Line::Chat(_) => Confidence::Certain,
        Line::Message => Confidence::Likely,
        Line::Event if has("status") => Confidence::Likely,
        Line::Event => Confidence::Possible,
        Line::Capture(kind) if has("session_id") => capture(kind, has),
        Line::Capture(_) | Line::Unknown => Confidence::No,
    }
}

/// Others capture their streams in almost the same words.
fn capture(kind: Capture, has: impl Fn(&str) -> bool) -> Confidence {
    match kind {
        Capture::Message => Confidence::Possible,
        Capture::Event if has("tools") || has("num_turns") => Confidence::No,
        Capture::Event => Confidence::Likely,
        _ => Confidence::Certain,
    }
}
