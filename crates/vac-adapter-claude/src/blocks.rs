//! Content blocks that have an entry type of their own.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::members::{null, put, sift};
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry};
use vac_value::{Kind, Node};

use crate::known;

/// A block as a child of its message, if it is one.
pub(crate) fn child<'a>(
    block: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    if block.kind() != Kind::Map {
        return None;
    }
    let kind = block.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("none"));
    match &*kind {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => tool_call(block, timestamp.cloned()),
        "thinking" => Some(thinking(block, timestamp.cloned())),
        "redacted_thinking" => Some(redacted(block, timestamp.cloned())),
        result if result.ends_with("tool_result") => tool_result(block, timestamp.cloned()),
        other => {
            if !known::plain_block(other) {
                report.unknown(&format!("content block {other}"));
            }
            None
        }
    }
}

fn thinking<'a>(block: Node<'a, '_>, timestamp: Option<AbstractTimestamp<'a>>) -> Entry<'a> {
    let mut content = None;
    let extensions = sift(block, &ReasoningEntry::KEYS, |key, value| match key {
        "type" => true,
        "thinking" => put(&mut content, Some(value.carry())),
        _ => false,
    });
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted: None,
        subject: None,
        timestamp,
        id: None,
        children: None,
        extensions,
    })
}

fn redacted<'a>(block: Node<'a, '_>, timestamp: Option<AbstractTimestamp<'a>>) -> Entry<'a> {
    let mut encrypted = None;
    let extensions = sift(block, &ReasoningEntry::KEYS, |key, value| match key {
        "type" => true,
        "data" => put(&mut encrypted, value.text()),
        _ => false,
    });
    Entry::Reasoning(ReasoningEntry {
        content: null(),
        encrypted,
        subject: None,
        timestamp,
        id: None,
        children: None,
        extensions,
    })
}
