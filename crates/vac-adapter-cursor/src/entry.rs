//! Constructs entries from the values that logs of Cursor state.

use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ToolResultEntry,
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
    entry::message(kind, content, Common { timestamp, id: Some(id), extensions })
}

/// Returns a tool call, annotated with its action.
pub(crate) fn tool_call<'a>(
    name: Option<Text<'a>>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<String>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let common = Common { timestamp, id: id.map(Into::into), extensions };
    let mut call = Entry::ToolCall(entry::tool_call(name, input, call_id, common));
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
    let common = Common { timestamp: None, id: id.map(Into::into), extensions };
    entry::tool_result(output, call_id, status, is_error, common)
}

/// Returns a thought of the model.
pub(crate) fn reasoning<'a>(
    content: Option<Any<'a>>,
    encrypted: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<String>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let common = Common { timestamp, id: id.map(Into::into), extensions };
    Entry::Reasoning(entry::reasoning(content, encrypted, None, common))
}

/// Returns an event without a timestamp.
pub(crate) fn event<'a>(
    event_type: impl Into<Text<'a>>,
    id: String,
    data: Rest<'a>,
) -> EventEntry<'a> {
    let common = Common { id: Some(id.into()), ..Common::default() };
    entry::event(event_type.into(), Some(data), common)
}
