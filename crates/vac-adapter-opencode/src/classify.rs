//! What an object of a store is, by its members.

use vac_adapter::frame::Reason;
use vac_value::{Kind, Node};

/// What a unit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// What is true of a session.
    Session,
    /// A message without its parts.
    Message,
    /// A part of a message.
    Part,
    /// Where sessions happen.
    Project,
    /// How a session is shared; it holds a secret.
    Share,
    /// What a session has changed.
    Diffs,
    /// What a session wants to do.
    Todos,
    /// A member of an export that nobody expects there, with its name.
    Member(String),
    /// Some other document.
    Other,
    /// No document.
    Raw(Reason),
}

/// The class of a document.
pub(crate) fn class(document: Node<'_, '_>) -> Class {
    let has = |key: &str| document.member(key).is_some();
    let is_text =
        |key: &str| document.member(key).is_some_and(|member| member.kind() == Kind::Text);
    match document.kind() {
        Kind::Array => array(document),
        Kind::Map if is_text("messageID") && is_text("type") => Class::Part,
        Kind::Map if is_text("id") && is_message(document) => Class::Message,
        Kind::Map if has("secret") && !has("type") && !has("role") => Class::Share,
        Kind::Map if has("sessionID") || !is_text("id") => Class::Other,
        Kind::Map if is_text("worktree") => Class::Project,
        Kind::Map if is_session(document) => Class::Session,
        _ => Class::Other,
    }
}

fn is_message(document: Node<'_, '_>) -> bool {
    document.member("role").is_some_and(|role| role.is_text("user") || role.is_text("assistant"))
}

fn is_session(document: Node<'_, '_>) -> bool {
    let has = |key: &str| document.member(key).is_some();
    has("projectID") || (has("version") && has("title")) || (has("slug") && has("directory"))
}

fn array(document: Node<'_, '_>) -> Class {
    // An empty one can be either; every session has diffs, few have todos.
    let all = |keys: &[&str]| {
        document.elements().all(|element| keys.iter().all(|key| element.member(key).is_some()))
    };
    if all(&["file", "additions"]) {
        Class::Diffs
    } else if all(&["content", "status"]) {
        Class::Todos
    } else {
        Class::Other
    }
}

/// The session and the messages of an export.
pub(crate) fn export<'d, 'a>(document: Node<'d, 'a>) -> Option<(Node<'d, 'a>, Node<'d, 'a>)> {
    let info = document.member("info").filter(|info| info.kind() == Kind::Map)?;
    let messages = document.member("messages").filter(|list| list.kind() == Kind::Array)?;
    Some((info, messages))
}

/// What a document is if it belongs to a form that is not read here.
pub(crate) fn foreign(document: Node<'_, '_>) -> Option<&'static str> {
    let is_captured = |line: Node<'_, '_>| {
        let part = line.member("part").and_then(|part| part.member("messageID"));
        line.member("sessionID").is_some() && line.member("type").is_some() && part.is_some()
    };
    let is_shared = |element: Node<'_, '_>| {
        let known = |kind: Node<'_, '_>| {
            ["session", "message", "part", "session_diff", "model"]
                .iter()
                .any(|known| kind.is_text(known))
        };
        element.member("type").is_some_and(known) && element.member("data").is_some()
    };
    if is_captured(document) {
        Some("a capture of `opencode run --format json`, which holds no prompts")
    } else if document.elements().next().is_some_and(is_shared) {
        Some("a shared OpenCode session, not a store or an export")
    } else {
        None
    }
}
