//! One constructor for each type of entry.

use std::borrow::Cow;

use vac_adapter::members::{Rest, null};
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry,
    ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Text};

use crate::tools::annotate_call;

/// Returns a message without a model, usage and children.
pub(crate) fn message<'a>(
    kind: MessageEntryType,
    content: Option<Any<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Text<'a>,
    extensions: Rest<'a>,
) -> MessageEntry<'a> {
    MessageEntry {
        kind,
        content,
        timestamp,
        id: Some(id),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    }
}

/// Returns a tool call, annotated with what it does.
pub(crate) fn tool_call<'a>(
    name: Option<Text<'a>>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<String>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let mut call = Entry::ToolCall(ToolCallEntry {
        name: name.unwrap_or(Cow::Borrowed("unknown")),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: id.map(Into::into),
        children: None,
        extensions,
    });
    annotate_call(&mut call);
    call
}

/// Returns a tool result without a timestamp.
pub(crate) fn tool_result<'a>(
    output: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    is_error: Option<bool>,
    id: Option<String>,
    extensions: Rest<'a>,
) -> ToolResultEntry<'a> {
    ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status,
        is_error,
        timestamp: None,
        id: id.map(Into::into),
        children: None,
        extensions,
    }
}

/// Returns a thought of the model.
pub(crate) fn reasoning<'a>(
    content: Option<Any<'a>>,
    encrypted: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<String>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp,
        id: id.map(Into::into),
        children: None,
        extensions,
    })
}

/// Returns an event without a timestamp.
pub(crate) fn event<'a>(
    event_type: impl Into<Text<'a>>,
    id: String,
    data: Rest<'a>,
) -> EventEntry<'a> {
    EventEntry {
        event_type: event_type.into(),
        data: Some(data),
        timestamp: None,
        id: Some(id.into()),
        children: None,
        extensions: Rest::default(),
    }
}
