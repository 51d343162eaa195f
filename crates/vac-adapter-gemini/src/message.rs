//! The elements of `messages` and of `history`.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, keys};
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node};

use crate::content::{self, Calls, Told};
use crate::{event, tools};

/// The entry of an element of `messages`.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    id: impl FnOnce() -> String,
    calls: &mut Calls,
    report: &mut Report,
) -> Entry<'a> {
    let kind = node.member("type").and_then(Node::text);
    let kind = match kind.as_deref() {
        Some("user" | "human") => MessageEntryType::User,
        Some("gemini" | "model" | "assistant") => MessageEntryType::Assistant,
        _ => return event::entry(node, id, report),
    };
    let Some(mut message) = Cursor::of(node) else { return event::entry(node, id, report) };
    message.said("type", native_type(kind));
    let timestamp = message.timestamp("timestamp");
    let mut children = Vec::new();
    let thoughts = filled(&mut message, "thoughts");
    let tool_calls = filled(&mut message, "toolCalls");
    if let Some(thoughts) = thoughts {
        tools::thoughts(thoughts, timestamp.as_ref(), &mut children);
    }
    let key = if is_null(&message, "content") { "parts" } else { "content" };
    if let Some(content) = message.peek(key) {
        let told = Told { calls: tool_calls.is_some(), thoughts: thoughts.is_some() };
        content::children(content, timestamp.as_ref(), told, calls, report, &mut children);
    }
    if let Some(tool_calls) = tool_calls {
        tools::calls(tool_calls, timestamp.as_ref(), calls, &mut children);
    }
    Entry::Message(MessageEntry {
        r#type: kind,
        content: message.any(key),
        timestamp,
        id: Some(message.text("id").unwrap_or_else(|| id().into())),
        model_id: message.text("model"),
        parent_id: None,
        token_usage: message.object("tokens").map(tools::token_usage),
        children: (!children.is_empty()).then_some(children),
        extensions: message.rest(keys::MESSAGE),
    })
}

/// The type that the CLI gives a message; what others say instead is kept.
fn native_type(kind: MessageEntryType) -> &'static str {
    match kind {
        MessageEntryType::User => "user",
        MessageEntryType::Assistant => "gemini",
    }
}

/// Takes an array that is not empty; an empty one stays as it is.
fn filled<'d, 'a>(message: &mut Cursor<'d, 'a>, key: &str) -> Option<Node<'d, 'a>> {
    message.take_if(key, |node| {
        (node.kind() == Kind::Array && node.elements().next().is_some()).then_some(node)
    })
}

fn is_null(message: &Cursor<'_, '_>, key: &str) -> bool {
    message.peek(key).is_none_or(|value| value.kind() == Kind::Null)
}

/// The entry of a Content.
pub(crate) fn content<'a>(
    node: Node<'_, 'a>,
    id: impl FnOnce() -> String,
    calls: &mut Calls,
    report: &mut Report,
) -> Entry<'a> {
    let role = node.member("role").and_then(Node::text);
    let (kind, role) = match role.as_deref() {
        // The API's first versions had a role for responses.
        Some("user" | "function") => (MessageEntryType::User, "user"),
        Some("model") => (MessageEntryType::Assistant, "model"),
        _ => return event::entry(node, id, report),
    };
    let Some(mut message) = Cursor::of(node) else { return event::entry(node, id, report) };
    message.said("role", role);
    let mut children = Vec::new();
    if let Some(parts) = message.peek("parts") {
        content::children(parts, None, Told::default(), calls, report, &mut children);
    }
    Entry::Message(MessageEntry {
        r#type: kind,
        content: message.any("parts"),
        timestamp: message.timestamp("timestamp"),
        id: Some(message.text("id").unwrap_or_else(|| id().into())),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: (!children.is_empty()).then_some(children),
        extensions: message.rest(keys::MESSAGE),
    })
}
