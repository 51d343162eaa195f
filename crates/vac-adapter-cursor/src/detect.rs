//! Detects documents of Cursor.

use vac_adapter::{Confidence, Fit, Sample, Verdict};
use vac_value::Node;

use crate::line::{Capture, Line, line};
use crate::text;

/// Returns the verdict on the documents of a sample.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    if verdict.fits == 0 {
        return Verdict::from_confidence(text::confidence(sample));
    }
    verdict
}

/// Returns the verdict on one document.
fn fit(document: Node<'_, '_>) -> Fit {
    let has = |key: &str| document.member(key).is_some();
    if has("parentId") || has("toolCallId") {
        return Fit::Contradicts("camel-case-ids");
    }
    if has("method") && has("params") {
        return Fit::Contradicts("method");
    }
    match line(document) {
        // These members are those of Claude Code, Gemini CLI and OpenCode.
        Line::Unknown if has("uuid") || has("sessionId") || has("sessionID") => {
            Fit::Contradicts("session-id-key")
        }
        // New types of captures appear with every release.
        Line::Unknown | Line::Capture(_) if has("type") && has("session_id") => {
            match confidence(document) {
                Confidence::No => Fit::Neutral,
                confidence => Fit::Fits(confidence),
            }
        }
        _ => match confidence(document) {
            Confidence::No => Fit::unknown(document),
            confidence => Fit::Fits(confidence),
        },
    }
}

/// Returns the confidence that one document gives.
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

/// Returns the confidence that a line of a capture gives. Captures of other agents are very
/// similar.
fn capture(kind: Capture, has: impl Fn(&str) -> bool) -> Confidence {
    match kind {
        Capture::Message => Confidence::Possible,
        Capture::Event if has("tools") || has("num_turns") => Confidence::No,
        Capture::Event => Confidence::Likely,
        _ => Confidence::Certain,
    }
}
