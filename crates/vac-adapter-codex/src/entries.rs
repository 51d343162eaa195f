//! Constructors of entries, one for each type: a field that the schema adds has to be decided here.

use std::borrow::Cow;

use vac_adapter::members::{Rest, null};
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry,
    ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Node, Text};

/// What entries of all types have.
#[derive(Default)]
pub(crate) struct Common<'a> {
    /// When it was written.
    pub timestamp: Option<AbstractTimestamp<'a>>,
    /// Its id.
    pub id: Option<Text<'a>>,
    /// Members that the schema does not name.
    pub extensions: Rest<'a>,
}

/// Returns a message, which a model wrote if this names one.
pub(crate) fn message<'a>(
    kind: MessageEntryType,
    content: Option<Node<'a, '_>>,
    model: Option<&str>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> Entry<'a> {
    Entry::Message(MessageEntry {
        kind,
        content: content.map(Node::carry),
        timestamp,
        id,
        model_id: model.map(|model| Cow::Owned(model.to_owned())),
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

/// Returns reasoning.
pub(crate) fn reasoning<'a>(
    content: Option<Node<'a, '_>>,
    encrypted: Option<Text<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> Entry<'a> {
    Entry::Reasoning(ReasoningEntry {
        content: content.map_or_else(null, Node::carry),
        encrypted,
        subject: None,
        timestamp,
        id,
        children: None,
        extensions,
    })
}

/// Returns a call, with its result if the log has both in one place.
pub(crate) fn tool_call<'a>(
    name: Text<'a>,
    input: Option<Node<'a, '_>>,
    call_id: Option<Text<'a>>,
    result: Option<Entry<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> Entry<'a> {
    Entry::ToolCall(ToolCallEntry {
        name,
        input: input.map_or_else(null, Node::carry),
        call_id,
        timestamp,
        id,
        children: result.map(|result| vec![result]),
        extensions,
    })
}

/// Returns the result of a call.
pub(crate) fn tool_result<'a>(
    output: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    is_error: Option<bool>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> Entry<'a> {
    Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status,
        is_error,
        timestamp,
        id,
        children: None,
        extensions,
    })
}

/// Returns an event.
pub(crate) fn event<'a>(
    event_type: Text<'a>,
    data: Rest<'a>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> Entry<'a> {
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp,
        id,
        children: None,
        extensions,
    })
}
