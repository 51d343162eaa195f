//! Constructs entries from the values that logs of Gemini CLI state.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_record::annotations::EntryAnnotations;
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Text};

use crate::tools;

/// The name of a tool whose name the log does not state.
pub(crate) const UNKNOWN: &str = vac_adapter::provider::UNKNOWN;

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

/// Returns a tool call without an id, annotated with its action. `display_name` is the name of the
/// tool that the user saw.
pub(crate) fn tool_call<'a>(
    name: Option<Text<'a>>,
    display_name: Option<&str>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    mut extensions: Rest<'a>,
    annotations: EntryAnnotations<'_>,
) -> ToolCallEntry<'a> {
    let name = name.unwrap_or(Cow::Borrowed(UNKNOWN));
    let action = Some(tools::action(&name, display_name));
    attach(&mut extensions, &EntryAnnotations { action, ..annotations });
    entry::tool_call(Some(name), input, call_id, Common { timestamp, id: None, extensions })
}

/// Returns a tool result without an id.
pub(crate) fn tool_result<'a>(
    output: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    is_error: Option<bool>,
    timestamp: Option<AbstractTimestamp<'a>>,
    mut extensions: Rest<'a>,
    annotations: &EntryAnnotations<'_>,
) -> ToolResultEntry<'a> {
    attach(&mut extensions, annotations);
    let common = Common { timestamp, id: None, extensions };
    entry::tool_result(output, call_id, status, is_error, common)
}

/// Returns a thought of the model.
pub(crate) fn reasoning<'a>(
    content: Option<Any<'a>>,
    subject: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let common = Common { timestamp, id: None, extensions };
    Entry::Reasoning(entry::reasoning(content, None, subject, common))
}

/// Returns an event.
pub(crate) fn event<'a>(
    event_type: Text<'a>,
    data: Option<Rest<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<Text<'a>>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    Entry::Event(entry::event(event_type, data, Common { timestamp, id, extensions }))
}
