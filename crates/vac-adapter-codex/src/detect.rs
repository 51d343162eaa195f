//! Detects logs, and previews their sessions.

use vac_adapter::{Confidence, Fit, Preview, Sample, Share, Verdict};
use vac_value::{Kind, Node};

use crate::facts::Facts;
use crate::location::Location;
use crate::names::{EVENTS, LINES, known};
use crate::shape::{Shape, shape, type_of};
use crate::{rollout_name, typescript_session};

/// Returns the verdict on the documents of a sample.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    if verdict.fits == 0 && typescript_session::is_begun(sample.text()) {
        return Verdict::from_confidence(Confidence::Likely);
    }
    verdict
}

/// Returns the verdict on one document.
fn fit(document: Node<'_, '_>) -> Fit {
    fit_of_shape(document, &shape(document))
}

/// Returns the verdict on one document of this form.
pub(crate) fn fit_of_shape(document: Node<'_, '_>, shape: &Shape<'_>) -> Fit {
    let has = |key: &str| document.member(key).is_some();
    let confidence = confidence(document, shape);
    if confidence == Confidence::Certain {
        return Fit::Fits(confidence);
    }
    // Pi, Copilot CLI and others have lines of the same types in a tree.
    if has("parentId") {
        return Fit::Contradicts("parent-id");
    }
    if ["sessionId", "sessionID"].into_iter().any(has) {
        return Fit::Contradicts("session-id-key");
    }
    if is_api_response(document) {
        return Fit::Contradicts("message-blocks");
    }
    if confidence > Confidence::No {
        return Fit::Fits(confidence);
    }
    match shape {
        // Other agents write reasoning, too: Grok Build among the model's messages.
        Shape::Item(kind) if kind == "reasoning" && has("summary") => Fit::Neutral,
        // New types appear with every release.
        Shape::Envelope(line) if line.payload.kind() == Kind::Map => Fit::Neutral,
        Shape::Header | Shape::Record(_) | Shape::Prompt(_) | Shape::Printed(_) => Fit::Neutral,
        _ => Fit::unknown(document),
    }
}

/// Returns whether a document is a response of Anthropic's API, which has the type of an item. The
/// blocks of a message of Codex are `input_text` and `output_text`.
fn is_api_response(document: Node<'_, '_>) -> bool {
    let is_block = |block: Node<'_, '_>| {
        type_of(block).is_some_and(|kind| ["text", "thinking", "tool_use"].contains(&&*kind))
    };
    let blocks = document.member("content").into_iter().flat_map(Node::elements);
    type_of(document).is_some_and(|kind| kind == "message")
        && (document.member("stop_reason").is_some() || blocks.take(8).any(is_block))
}

/// Returns the confidence that one document gives.
fn confidence(document: Node<'_, '_>, shape: &Shape<'_>) -> Confidence {
    let has = |key: &str| document.member(key).is_some();
    let is_text = |node: Option<Node<'_, '_>>| node.is_some_and(|node| node.kind() == Kind::Text);
    match shape {
        Shape::Envelope(line) => {
            if line.payload.kind() != Kind::Map || !LINES.contains(&&*line.kind) {
                Confidence::No
            } else if line.is_printed() {
                let is_known =
                    type_of(line.payload).is_some_and(|kind| known(EVENTS, &kind).is_some());
                if is_known { Confidence::Likely } else { Confidence::No }
            } else if line.timestamp.is_some() {
                Confidence::Certain
            } else {
                Confidence::Likely
            }
        }
        Shape::Record(kind) if kind == "state" => Confidence::Certain,
        Shape::Item(kind) if kind == "message" => match document.member("role") {
            Some(_) if has("content") => Confidence::Possible,
            _ => Confidence::No,
        },
        Shape::Item(kind) if kind == "reasoning" => Confidence::No,
        Shape::Item(_) if has("call_id") || has("encrypted_content") => Confidence::Likely,
        Shape::Item(_) => Confidence::Possible,
        Shape::Header if has("instructions") || has("git") => Confidence::Likely,
        Shape::Printed(kind) => match &**kind {
            "thread.started" if is_text(document.member("thread_id")) => Confidence::Certain,
            "session.created" if is_text(document.member("session_id")) => Confidence::Likely,
            "turn.completed" | "turn.failed" | "turn.started" => Confidence::Likely,
            "error" => Confidence::No,
            _ => match document.member("item") {
                Some(item) if item.kind() == Kind::Map => Confidence::Likely,
                _ => Confidence::No,
            },
        },
        Shape::Setup => Confidence::Likely,
        Shape::TypeScript => match document.member("session") {
            Some(session) if is_text(session.member("id")) => Confidence::Likely,
            _ => Confidence::Possible,
        },
        Shape::Header | Shape::Record(_) | Shape::Prompt(_) | Shape::Other(_) => Confidence::No,
    }
}

/// Returns the facts that the beginning of an input states.
pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    let mut facts = Facts::default();
    for (number, document) in (0..).zip(&sample.documents) {
        facts.line(document.root(), Location::document(number));
    }
    if sample.documents.is_empty() {
        typescript_session::begun(sample.text(), |session| facts.begun(session));
    }
    Preview {
        variant: facts.variant(),
        parent: facts.parent(),
        session_id: facts.id().map(str::to_owned).or_else(|| rollout_name::id(sample.name)),
        start: facts.start(),
        project: facts.working_dir().map(str::to_owned),
        version: facts.meta().and_then(|meta| meta.cli_version.clone()),
        // A file that continues another one states it (`history_base`).
        share: Share::Whole,
    }
}
