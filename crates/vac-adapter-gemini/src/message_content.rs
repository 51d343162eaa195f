//! Reads the members of a native message that decide its kind: type, content, responses.

use vac_record::MessageEntryType;
use vac_value::{Kind, Node};

use crate::message_versions::{Key, KeyHasher};
use crate::user_message_kind::{first_text, is_marked};

/// The member of a native message that names its type, and the value that the CLI writes there.
pub(crate) type Discriminator = (&'static str, &'static str);

/// Returns the type of an element of `messages`, or of a line, if it is a message. Other writers
/// have a `role` instead of a `type`, as the API has.
pub(crate) fn message_type(message: Node<'_, '_>) -> Option<(MessageEntryType, Discriminator)> {
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

/// Returns the working directory that a session context states.
pub(crate) fn workspace(content: Node<'_, '_>) -> Option<String> {
    let text = first_text(content).filter(|text| is_marked(*text))?.text()?;
    let preamble = text.trim_start().strip_prefix("<session_context>")?;
    let list = "Workspace Directories:**";
    let line = match preamble.find(list) {
        Some(at) => {
            preamble.get(at + list.len()..)?.lines().nth(1)?.trim_start().strip_prefix("- ")
        }
        None => {
            let before = "working in the directory: ";
            preamble.find(before).and_then(|at| preamble.get(at + before.len()..)?.lines().next())
        }
    };
    line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Returns whether a part is the response of a tool.
pub(crate) fn is_response(part: Node<'_, '_>) -> bool {
    part.member("functionResponse").is_some_and(|response| response.kind() == Kind::Map)
}

/// Returns a hash of the speaker, the texts, the calls and the responses of a message. A text and a
/// part with the same text have the same hash. `None` for a message without content, and for
/// responses of tools, which their calls contain as well.
pub(crate) fn hash(message: Node<'_, '_>) -> Option<Key> {
    let (kind, _) = message_type(message)?;
    let content = content(message).map(|(_, content)| content);
    if content.and_then(responses).is_some() {
        return None;
    }
    let mut hasher = KeyHasher::default();
    hasher.update(kind.as_str().as_bytes());
    let mut is_empty = true;
    let mut add = |part: Node<'_, '_>| {
        let text = match part.kind() {
            Kind::Text => Some(part),
            _ => part.member("text").filter(|_| is_only_text(part)),
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

/// Returns whether a part has no further member that the model reads.
fn is_only_text(part: Node<'_, '_>) -> bool {
    const OTHERS: [&str; 9] = [
        "thought",
        "thoughtSignature",
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
        "videoMetadata",
    ];
    OTHERS.iter().all(|key| part.member(key).is_none())
}

/// Returns the number of parts of a message, if all of its parts are responses of tools.
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

/// Returns the content of a message: `content`, or the member that other writers use.
pub(crate) fn content<'d: 'a, 'a>(message: Node<'d, 'a>) -> Option<(&'static str, Node<'d, 'a>)> {
    let is_there = |node: &Node<'_, '_>| node.kind() != Kind::Null;
    let of = |key: &'static str| Some((key, message.member(key).filter(is_there)?));
    of("content").or_else(|| of("parts"))
}
