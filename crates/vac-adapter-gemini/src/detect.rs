//! Which documents are sessions of Gemini CLI, and which are other files of it.

use vac_adapter::Confidence;
use vac_value::{Kind, Node};

/// The formats of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An object with `messages`.
    Messages,
    /// An object with a `history` of Content.
    History,
    /// An array of Content.
    Contents,
}

impl Form {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "json",
            Self::History => "history",
            Self::Contents => "contents",
        }
    }

    /// The member that holds its list; an array is the list itself.
    pub fn list(self) -> Option<&'static str> {
        match self {
            Self::Messages => Some("messages"),
            Self::History => Some("history"),
            Self::Contents => None,
        }
    }
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    /// A session.
    Session(Form),
    /// Another file of the CLI, and why it is refused.
    Refused(&'static str),
    /// Something else.
    Other,
}

const JSONL: &str = "a Gemini CLI log in JSON lines ($set, $rewindTo), which is not read yet";
const TOOL_CHECKPOINT: &str = "a tool checkpoint of Gemini CLI, which is not read yet";
const PROMPTS: &str =
    "the prompt list of Gemini CLI (logs.json), which is no session and not read yet";

/// Judges a document.
pub(crate) fn native(root: Node<'_, '_>) -> Native {
    let has = |key: &str| root.member(key).is_some();
    let text = |key: &str| root.member(key).is_some_and(|value| value.kind() == Kind::Text);
    let list = |key: &str| root.member(key).filter(|value| value.kind() == Kind::Array);
    match root.kind() {
        Kind::Map => {}
        Kind::Array => return native_array(root),
        _ => return Native::Other,
    }
    if let Some(messages) = list("messages") {
        let named = text("sessionId") || text("projectHash") || text("startTime");
        if named || messages.elements().any(is_gemini) {
            return Native::Session(Form::Messages);
        }
    }
    if has("$set") || has("$rewindTo") || (text("sessionId") && text("projectHash")) {
        return Native::Refused(JSONL);
    }
    if list("clientHistory").is_some() {
        return Native::Refused(TOOL_CHECKPOINT);
    }
    match list("history") {
        Some(history) if history.elements().next().is_none_or(is_content) => {
            Native::Session(Form::History)
        }
        _ => Native::Other,
    }
}

fn native_array(root: Node<'_, '_>) -> Native {
    match root.elements().next() {
        Some(first) if is_content(first) => Native::Session(Form::Contents),
        Some(first) if first.member("messageId").is_some() && first.member("message").is_some() => {
            Native::Refused(PROMPTS)
        }
        _ => Native::Other,
    }
}

/// A message that only Gemini CLI writes.
fn is_gemini(message: Node<'_, '_>) -> bool {
    message.member("type").is_some_and(|kind| kind.is_text("gemini"))
}

/// A Content of the API.
fn is_content(node: Node<'_, '_>) -> bool {
    node.kind() == Kind::Map
        && node.member("role").is_some_and(|role| role.is_text("user") || role.is_text("model"))
        && node.member("parts").is_some_and(|parts| parts.kind() == Kind::Array)
}

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    match native(document) {
        Native::Session(Form::Messages) => {
            let messages = document.member("messages");
            let gemini = messages.is_some_and(|messages| messages.elements().any(is_gemini));
            if gemini || document.member("projectHash").is_some() {
                Confidence::Certain
            } else {
                Confidence::Possible
            }
        }
        Native::Session(Form::History)
            if document.member("history").is_some_and(|list| list.elements().next().is_none()) =>
        {
            Confidence::Possible
        }
        Native::Session(_) | Native::Refused(_) => Confidence::Likely,
        Native::Other => Confidence::No,
    }
}
