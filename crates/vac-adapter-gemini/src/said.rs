//! Who said a message, and what a user message says, as far as it tells who said it.

use vac_record::MessageEntryType;
use vac_value::{Kind, Node};

use crate::ledger::{Key, KeyHasher};

/// Where a native message says what it is, and what it says there if the CLI wrote it.
pub(crate) type Discriminator = (&'static str, &'static str);

/// Who said an element of `messages`, or a line, if it is a message. Others than the CLI
/// have a `role` in the place of a `type`, as the API has.
pub(crate) fn author(message: Node<'_, '_>) -> Option<(MessageEntryType, Discriminator)> {
    let (key, kind) = match message.member("type") {
        Some(kind) => ("type", kind),
        None => ("role", message.member("role")?),
    };
    match &*kind.text()? {
        "user" | "human" => Some((MessageEntryType::User, (key, "user"))),
        "gemini" | "model" | "assistant" => {
            let native = if key == "type" { "gemini" } else { "model" };
            Some((MessageEntryType::Assistant, (key, native)))
        }
        _ => None,
    }
}

/// What a user message is that is no prompt.
pub(crate) fn user_kind(content: Node<'_, '_>) -> Option<&'static str> {
    if content.elements().any(is_response) {
        return Some("tool-response");
    }
    let text = first_text(content)?;
    if !may_tell(text) {
        return None;
    }
    let text = text.text()?;
    let text = text.trim_start();
    let injected = INJECTED.iter().find(|(tag, _)| text.starts_with(tag));
    match injected {
        Some((_, kind)) => Some(kind),
        None => is_command(text).then_some("command"),
    }
}

/// What the CLI says in the user's name, by how it begins.
const INJECTED: &[(&str, &str)] = &[
    ("<session_context>", "session-context"),
    ("<hook_context>", "hook-context"),
    ("<state_snapshot>", "state-snapshot"),
];

/// What was typed for the CLI rather than the model. A path or a comment is no command.
fn is_command(text: &str) -> bool {
    let word = |text: &str| {
        let name = text.split_whitespace().next().unwrap_or_default();
        !name.is_empty()
            && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | ':'))
    };
    text.starts_with('?') || text.strip_prefix('/').is_some_and(word)
}

/// Whether it is worth to look at a text: most are long and begin otherwise.
fn may_tell(text: Node<'_, '_>) -> bool {
    let first = text.raw().get(1).copied();
    first.is_some_and(|byte| matches!(byte, b'<' | b'/' | b'?' | b'\\' | b' '))
}

/// The folder that the CLI told the model it works in.
pub(crate) fn workspace(content: Node<'_, '_>) -> Option<String> {
    let text = first_text(content).filter(|text| may_tell(*text))?.text()?;
    let told = text.trim_start().strip_prefix("<session_context>")?;
    let list = "Workspace Directories:**";
    let line = match told.find(list) {
        Some(at) => told.get(at + list.len()..)?.lines().nth(1)?.trim_start().strip_prefix("- "),
        None => {
            let before = "working in the directory: ";
            told.find(before).and_then(|at| told.get(at + before.len()..)?.lines().next())
        }
    };
    line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The first text of content: itself, or that of a part.
fn first_text<'d: 'a, 'a>(content: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    let text = match content.kind() {
        Kind::Text => Some(content),
        Kind::Map => content.member("text"),
        Kind::Array => content.elements().find_map(|part| match part.kind() {
            Kind::Text => Some(part),
            _ => part.member("text"),
        }),
        _ => None,
    };
    text.filter(|text| text.kind() == Kind::Text)
}

fn is_response(part: Node<'_, '_>) -> bool {
    part.member("functionResponse").is_some_and(|response| response.kind() == Kind::Map)
}

/// A hash of who says what in a message: its texts, and its calls and responses. A text alone
/// and a part with that text are the same. `None` for a message that says nothing, and for
/// responses of tools, which their calls have as well.
pub(crate) fn hash(message: Node<'_, '_>) -> Option<Key> {
    let (author, _) = author(message)?;
    let content = content(message).map(|(_, content)| content);
    if content.and_then(responses).is_some() {
        return None;
    }
    let mut hasher = KeyHasher::default();
    hasher.update(author.as_str().as_bytes());
    let mut is_empty = true;
    let mut add = |part: Node<'_, '_>| {
        let text = match part.kind() {
            Kind::Text => Some(part),
            _ => part.member("text").filter(|_| part.members().count() == 1),
        };
        match text.and_then(Node::text) {
            Some(text) => {
                is_empty &= text.trim().is_empty();
                hasher.update(text.as_bytes());
            }
            None => {
                is_empty = false;
                hasher.update(part.raw());
            }
        }
    };
    match content {
        Some(content) if content.kind() == Kind::Array => content.elements().for_each(&mut add),
        Some(content) => add(content),
        None => {}
    }
    message.member("toolCalls").into_iter().flat_map(Node::elements).for_each(add);
    (!is_empty).then(|| hasher.finish())
}

/// How many parts a message has, if all of them are responses of tools.
pub(crate) fn responses(content: Node<'_, '_>) -> Option<u64> {
    match content.kind() {
        Kind::Map => is_response(content).then_some(1),
        Kind::Array => {
            let mut count = 0;
            for part in content.elements() {
                if !is_response(part) {
                    return None;
                }
                count += 1;
            }
            (count > 0).then_some(count)
        }
        _ => None,
    }
}

/// The content of a message: `content`, or what others write instead.
pub(crate) fn content<'d: 'a, 'a>(message: Node<'d, 'a>) -> Option<(&'static str, Node<'d, 'a>)> {
    let is_there = |node: &Node<'_, '_>| node.kind() != Kind::Null;
    let of = |key: &'static str| Some((key, message.member(key).filter(is_there)?));
    of("content").or_else(|| of("parts"))
}
