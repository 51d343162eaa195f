//! Which documents are lines of a Claude Code log, and what the first of them tell.

use vac_adapter::{Confidence, Glimpse, Memory, Sample, Share, ids};
use vac_value::{Document, Kind, Node};

use crate::facts::Facts;
use crate::known;
use crate::lines::{LineContent, begun, exported};

/// Whether the type of a line is known.
fn is_known(line: Node<'_, '_>) -> bool {
    line.member("type").and_then(Node::text).is_some_and(|kind| known::line(&kind))
}

/// How sure a beginning makes.
pub(crate) fn confidence(sample: &Sample<'_>) -> Confidence {
    let best = sample.best(of_document);
    if best > Confidence::No {
        return best;
    }
    // A web export that is cut short or damaged is read as far as it is there.
    let mut seen = Confidence::No;
    each_begun(sample, |line| {
        seen = seen.max(if is_known(line) { Confidence::Likely } else { Confidence::Possible });
    });
    seen
}

/// Shows the lines of a web export that is no document as a whole, as far as the beginning
/// goes.
fn each_begun(sample: &Sample<'_>, mut show: impl FnMut(Node<'_, '_>)) {
    let bytes = sample.bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let elements = begun(bytes).map_or_else(Vec::new, |export| export.elements);
    let lines = elements.iter().filter_map(|element| Document::json(element.of(bytes)).ok());
    lines.for_each(|line| show(line.root()));
}

fn of_document(document: Node<'_, '_>) -> Confidence {
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
    // Others capture their streams in almost the same words.
    let is_streamed =
        has("session_id") && (has("parent_tool_use_id") || has("claude_code_version"));
    let is_logged =
        has("sessionId") || has("parentUuid") || has("leafUuid") || has("isSnapshotUpdate");
    if is_logged || is_streamed {
        Confidence::Certain
    } else if is_message && has("timestamp") {
        Confidence::Likely
    } else if is_message {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

/// What the beginning of a log tells about its session.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Glimpse {
    let mut facts = Facts::of(&Memory { name: sample.name, bytes: &[] });
    for document in &sample.documents {
        let root = document.root();
        match exported(root) {
            Some(lines) => {
                facts.see(LineContent::Wrapper(root));
                lines.elements().for_each(|line| facts.see(LineContent::Value(line)));
            }
            None => facts.see(LineContent::Value(root)),
        }
    }
    if sample.documents.is_empty() {
        each_begun(sample, |line| {
            facts.exports = 1;
            facts.see(LineContent::Value(line));
        });
    }
    // It does not matter here whether that is a session.
    let _ = facts.end();
    let stem = || ids::stem(sample.name).map(str::to_owned);
    Glimpse {
        variant: facts.variant(false),
        share: if facts.agent.is_some() { Share::Subagent } else { Share::Whole },
        session_id: facts.hoisted.session_id.or_else(stem),
        start: facts.span.first(),
        project: facts.hoisted.cwd,
        version: facts.hoisted.version,
    }
}
