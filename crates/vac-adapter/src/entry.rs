//! Constructors of entries, one for each type. They use complete struct literals, so that they do
//! not compile if the schema adds a field.

use std::borrow::Cow;

use vac_record::{
    AbstractTimestamp, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Text};

use crate::members::{Rest, null};
use crate::provider::UNKNOWN;

/// Members that entries of all types have.
#[derive(Default)]
pub struct Common<'a> {
    /// The time at which the entry was written.
    pub timestamp: Option<AbstractTimestamp<'a>>,
    /// The id of the entry.
    pub id: Option<Text<'a>>,
    /// Members that the schema does not name.
    pub extensions: Rest<'a>,
}

/// Returns a message without model, token usage and children.
pub fn message<'a>(
    kind: MessageEntryType,
    content: Option<Any<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> MessageEntry<'a> {
    MessageEntry {
        kind,
        content,
        timestamp,
        id,
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    }
}

/// Returns an entry with reasoning.
pub fn reasoning<'a>(
    content: Option<Any<'a>>,
    encrypted: Option<Text<'a>>,
    subject: Option<Text<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> ReasoningEntry<'a> {
    ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject,
        timestamp,
        id,
        children: None,
        extensions,
    }
}

/// Returns a tool call. A tool that the log does not name is `unknown`.
pub fn tool_call<'a>(
    name: Option<Text<'a>>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> ToolCallEntry<'a> {
    ToolCallEntry {
        name: name.unwrap_or(Cow::Borrowed(UNKNOWN)),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id,
        children: None,
        extensions,
    }
}

/// Returns the result of a tool call.
pub fn tool_result<'a>(
    output: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    is_error: Option<bool>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> ToolResultEntry<'a> {
    ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status,
        is_error,
        timestamp,
        id,
        children: None,
        extensions,
    }
}

/// Returns an event with this type and data.
pub fn event<'a>(
    event_type: Text<'a>,
    data: Option<Rest<'a>>,
    Common { timestamp, id, extensions }: Common<'a>,
) -> EventEntry<'a> {
    EventEntry { event_type, data, timestamp, id, children: None, extensions }
}
