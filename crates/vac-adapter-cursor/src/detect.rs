//! Which documents are lines of a Cursor transcript.

use vac_adapter::Confidence;
use vac_value::{Kind, Node};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Somebody speaks.
    Message,
    /// Something happens.
    Event,
    /// A line of a capture, which is another form.
    Capture,
    /// None of these.
    Unknown,
}

/// What a line is.
pub(crate) fn line(node: Node<'_, '_>) -> Line {
    let is_text = |key: &str| node.member(key).is_some_and(|member| member.kind() == Kind::Text);
    let is = |key: &str, text: &str| node.member(key).is_some_and(|member| member.is_text(text));
    let has = |key: &str| node.member(key).is_some();
    let holds_content = node
        .member("message")
        .is_some_and(|message| message.kind() == Kind::Map && message.member("content").is_some());
    if is_text("role") && holds_content && !has("type") {
        Line::Message
    } else if (is("type", "turn_ended") && has("status")) || (is("type", "error") && has("error")) {
        Line::Event
    } else if has("session_id")
        && ((is("type", "tool_call") && has("tool_call"))
            || (is("type", "thinking") && has("subtype")))
    {
        Line::Capture
    } else {
        Line::Unknown
    }
}

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    match line(document) {
        Line::Message | Line::Capture => Confidence::Likely,
        Line::Event if document.member("status").is_some() => Confidence::Likely,
        Line::Event => Confidence::Possible,
        Line::Unknown => Confidence::No,
    }
}
