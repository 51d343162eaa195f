//! Content blocks that have an entry type of their own. The content keeps them too.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::members::{null, put, sift};
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node};

use crate::tools::annotate_call;
use crate::{outcome, stored};

/// Blocks that are content and nothing else.
const PLAIN: &[&str] = &["text", "image", "file"];

/// A block as a child of its message, if it is one.
pub(crate) fn child<'a>(
    node: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let kind = node.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("none"));
    match &*kind {
        "tool_use" => tool_call(node, timestamp.cloned(), report).map(|call| {
            let mut call = Entry::ToolCall(call);
            annotate_call(&mut call);
            call
        }),
        "tool_result" => tool_result(node, timestamp.cloned(), report).map(|result| {
            let mut result = Entry::ToolResult(result);
            outcome::annotate_result(&mut result, None, None);
            result
        }),
        "tool-call" => Some(call(node)),
        "tool-result" => Some(result(node, None)),
        "reasoning" | "redacted-reasoning" | "thinking" | "redacted_thinking" => {
            Some(reasoning(node, &kind))
        }
        other => {
            if !PLAIN.contains(&other) {
                report.unknown(&format!("content block {other}"));
            }
            None
        }
    }
}

/// A `tool-call` block of the CLI's database.
fn call<'a>(node: Node<'a, '_>) -> Entry<'a> {
    let (mut name, mut input, mut call_id) = (None, None, None);
    let extensions = sift(node, &ToolCallEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool-call"),
        "toolName" => put(&mut name, value.text()),
        "toolCallId" => put(&mut call_id, value.text()),
        "args" | "input" if input.is_none() => put(&mut input, Some(value.carry())),
        _ => false,
    });
    let mut call = Entry::ToolCall(ToolCallEntry {
        name: name.unwrap_or(Cow::Borrowed("unknown")),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp: None,
        id: None,
        children: None,
        extensions,
    });
    annotate_call(&mut call);
    call
}

/// A `tool-result` block of the CLI's database. `high_level` is what its message states about the
/// result besides.
pub(crate) fn result<'a>(node: Node<'a, '_>, high_level: Option<Node<'_, '_>>) -> Entry<'a> {
    let (mut output, mut call_id, mut is_error) = (None, None, None);
    let extensions = sift(node, stored::TOOL_RESULT, |key, value| match key {
        "type" => value.is_text("tool-result"),
        "toolCallId" => put(&mut call_id, value.text()),
        "result" | "output" if output.is_none() => put(&mut output, Some(value.carry())),
        "isError" => put(&mut is_error, value.bool()),
        _ => false,
    });
    let mut entry = Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status: None,
        is_error,
        timestamp: None,
        id: None,
        children: None,
        extensions,
    });
    let tool = node.member("toolName").and_then(Node::text);
    outcome::annotate_result(&mut entry, tool.as_deref(), high_level);
    entry
}

/// A `reasoning` block of the CLI's database, or a `thinking` one.
fn reasoning<'a>(node: Node<'a, '_>, kind: &str) -> Entry<'a> {
    let (mut content, mut encrypted) = (None, None);
    let extensions = sift(node, &ReasoningEntry::KEYS, |key, value| match key {
        "type" => value.is_text(kind),
        "text" | "thinking" if content.is_none() => put(&mut content, Some(value.carry())),
        "data" => put(&mut encrypted, value.text()),
        _ => false,
    });
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp: None,
        id: None,
        children: None,
        extensions,
    })
}
