//! Content blocks as the Messages API of Anthropic writes them, which more than
//! one agent logs.

use std::borrow::Cow;

use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::members::{null, put, sift};

/// The blocks of a message's content that are children of it; `None` if there are none.
pub fn children<'a, 's>(
    content: Node<'a, 's>,
    child: impl FnMut(Node<'a, 's>) -> Option<Entry<'a>>,
) -> Option<Vec<Entry<'a>>> {
    let children: Vec<_> = content.elements().filter_map(child).collect();
    (!children.is_empty()).then_some(children)
}

/// A `tool_use` block, or one like it, as a tool call.
pub fn tool_call<'a>(
    node: Node<'a, '_>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Option<Entry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let (mut name, mut input, mut call_id) = (None, None, None);
    let extensions = sift(node, &ToolCallEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool_use"),
        "name" => put(&mut name, value.text()),
        "input" => put(&mut input, Some(value.carry())),
        "id" => put(&mut call_id, value.text()),
        _ => false,
    });
    Some(Entry::ToolCall(ToolCallEntry {
        name: name.unwrap_or(Cow::Borrowed("unknown")),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: None,
        children: None,
        extensions,
    }))
}

/// A `tool_result` block, or one like it, as a tool result.
pub fn tool_result<'a>(
    node: Node<'a, '_>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Option<Entry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let (mut output, mut call_id, mut is_error) = (None, None, None);
    let mut is_error_block = false;
    let extensions = sift(node, &ToolResultEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool_result"),
        "tool_use_id" => put(&mut call_id, value.text()),
        "content" => {
            is_error_block = is_error_of_server(value);
            put(&mut output, Some(value.carry()))
        }
        "is_error" => put(&mut is_error, value.bool()),
        _ => false,
    });
    let is_error = is_error.or(is_error_block.then_some(true));
    Some(Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status: is_error.map(|is_error| if is_error { "error" } else { "success" }.into()),
        is_error,
        timestamp,
        id: None,
        children: None,
        extensions,
    }))
}

/// Whether a tool that the provider runs says that it failed: not by a flag, but by what
/// its content is.
fn is_error_of_server(content: Node<'_, '_>) -> bool {
    let kind = content.member("type").and_then(Node::text);
    kind.is_some_and(|kind| kind.ends_with("_error"))
}
