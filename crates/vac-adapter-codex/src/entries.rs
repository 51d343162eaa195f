//! Constructors of entries of Codex logs.

use std::borrow::Cow;

use vac_adapter::entry;
use vac_adapter::members::Rest;
use vac_record::{Entry, MessageEntry, MessageEntryType, ToolCallEntry};
use vac_value::{Any, Node, Text};

pub(crate) use vac_adapter::entry::Common;

/// Returns a message, with the model that wrote it if one is given.
pub(crate) fn message<'a>(
    kind: MessageEntryType,
    content: Option<Node<'a, '_>>,
    model: Option<&str>,
    common: Common<'a>,
) -> Entry<'a> {
    let model_id = model.map(|model| Cow::Owned(model.to_owned()));
    let message = entry::message(kind, content.map(Node::carry), common);
    Entry::Message(MessageEntry { model_id, ..message })
}

/// Returns reasoning.
pub(crate) fn reasoning<'a>(
    content: Option<Node<'a, '_>>,
    encrypted: Option<Text<'a>>,
    common: Common<'a>,
) -> Entry<'a> {
    Entry::Reasoning(entry::reasoning(content.map(Node::carry), encrypted, None, common))
}

/// Returns a call, with its result if the log states both together.
pub(crate) fn tool_call<'a>(
    name: Text<'a>,
    input: Option<Node<'a, '_>>,
    call_id: Option<Text<'a>>,
    result: Option<Entry<'a>>,
    common: Common<'a>,
) -> Entry<'a> {
    let children = result.map(|result| vec![result]);
    let call = entry::tool_call(Some(name), input.map(Node::carry), call_id, common);
    Entry::ToolCall(ToolCallEntry { children, ..call })
}

/// Returns the result of a call.
pub(crate) fn tool_result<'a>(
    output: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    is_error: Option<bool>,
    common: Common<'a>,
) -> Entry<'a> {
    Entry::ToolResult(entry::tool_result(output, call_id, status, is_error, common))
}

/// Returns an event.
pub(crate) fn event<'a>(event_type: Text<'a>, data: Rest<'a>, common: Common<'a>) -> Entry<'a> {
    Entry::Event(entry::event(event_type, Some(data), common))
}
