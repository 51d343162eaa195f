//! Content blocks that have an entry type of their own.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::cursor::{Cursor, keys, null};
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry};
use vac_value::{Kind, Node};

/// Blocks that are content and nothing else.
const PLAIN: &[&str] =
    &["text", "image", "document", "search_result", "tool_reference", "container_upload"];

/// The children of a message's content; `None` if there are none.
pub(crate) fn children<'a>(
    content: Node<'_, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Vec<Entry<'a>>> {
    let children: Vec<_> =
        content.elements().filter_map(|block| child(block, timestamp, report)).collect();
    (!children.is_empty()).then_some(children)
}

fn child<'a>(
    node: Node<'_, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("none"));
    let timestamp = timestamp.cloned();
    match &*kind {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => tool_call(node, timestamp),
        "thinking" => thinking(node, timestamp),
        "redacted_thinking" => redacted(node, timestamp),
        result if result.ends_with("tool_result") => tool_result(node, timestamp),
        other => {
            if !PLAIN.contains(&other) {
                report.unknown(&format!("content block {other}"));
            }
            None
        }
    }
}

fn thinking<'a>(node: Node<'_, 'a>, timestamp: Option<AbstractTimestamp<'a>>) -> Option<Entry<'a>> {
    let mut block = Cursor::of(node)?;
    block.said("type", "thinking");
    Some(Entry::Reasoning(ReasoningEntry {
        content: block.any("thinking").unwrap_or_else(null),
        encrypted: None,
        subject: None,
        timestamp,
        id: None,
        children: None,
        extensions: block.rest(keys::REASONING),
    }))
}

fn redacted<'a>(node: Node<'_, 'a>, timestamp: Option<AbstractTimestamp<'a>>) -> Option<Entry<'a>> {
    let mut block = Cursor::of(node)?;
    block.said("type", "redacted_thinking");
    Some(Entry::Reasoning(ReasoningEntry {
        content: null(),
        encrypted: block.text("data"),
        subject: None,
        timestamp,
        id: None,
        children: None,
        extensions: block.rest(keys::REASONING),
    }))
}
