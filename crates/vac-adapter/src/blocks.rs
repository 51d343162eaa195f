//! Content blocks as the Messages API of Anthropic writes them, which more than
//! one agent logs.

use std::borrow::Cow;

use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::Node;

use crate::cursor::{Cursor, keys, null};

/// A `tool_use` block, or one like it, as a tool call.
pub fn tool_call<'a>(
    node: Node<'_, 'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Option<Entry<'a>> {
    let mut block = Cursor::of(node)?;
    block.said("type", "tool_use");
    Some(Entry::ToolCall(ToolCallEntry {
        name: block.text("name").unwrap_or(Cow::Borrowed("unknown")),
        input: block.any("input").unwrap_or_else(null),
        call_id: block.text("id"),
        timestamp,
        id: None,
        children: None,
        extensions: block.rest(keys::TOOL_CALL),
    }))
}

/// A `tool_result` block, or one like it, as a tool result.
pub fn tool_result<'a>(
    node: Node<'_, 'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Option<Entry<'a>> {
    let mut block = Cursor::of(node)?;
    block.said("type", "tool_result");
    let is_error = block.bool("is_error");
    Some(Entry::ToolResult(ToolResultEntry {
        output: block.any("content").unwrap_or_else(null),
        call_id: block.text("tool_use_id"),
        status: is_error.map(|is_error| if is_error { "error" } else { "success" }.into()),
        is_error,
        timestamp,
        id: None,
        children: None,
        extensions: block.rest(keys::TOOL_RESULT),
    }))
}
