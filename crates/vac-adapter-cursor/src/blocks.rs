//! Converts content blocks that have an entry type of their own. The content keeps them, too.

use std::borrow::Cow;

use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::{Report, mapping};
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::tools::annotate_call;
use crate::{entry, outcome, stored};

mapping! {
    /// A block of type `tool-call` of a chat: a `tool-call`.
    pub(crate) struct StoredCall<'a>("tool-call"; key, value) {
        "type" => "the entry's type", stated = value.is_text("tool-call");
        "toolName" => "`name`", take name: Text<'a> = value.text();
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "args" | "input" => "`input`", take input: Any<'a> = Some(value.carry());
        "providerOptions" => "`model-id` of the message", keep;
    }
}

mapping! {
    /// A block of type `tool-result` of a chat: a `tool-result`.
    pub(crate) struct StoredResult<'a>("tool-result"; key, value) {
        "type" => "the entry's type", stated = value.is_text("tool-result");
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "result" | "output" => "`output`", take output: Any<'a> = Some(value.carry());
        "isError" => "`is-error`, `vac.outcome`", take is_error: bool = value.bool();
        "toolName" => "`vac.outcome`, `vac.exit-code` of a shell tool",
            note tool: Text<'a> = value.text();
        "experimental_content" | "providerOptions" => "", keep;
    }
}

mapping! {
    /// A block of type `reasoning`, `redacted-reasoning`, `thinking` or `redacted_thinking`:
    /// `reasoning`.
    pub(crate) struct Reasoning<'a>("reasoning"; key, value, kind: &str) {
        "type" => "the entry's type", stated = value.is_text(kind);
        "text" | "thinking" => "`content`", take content: Any<'a> = Some(value.carry());
        "data" => "`encrypted`", take encrypted: Text<'a> = value.text();
        "signature" => "", keep;
        "providerOptions" => "`model-id` of the message", keep;
    }
}

/// Types of blocks that have no entry type of their own.
const PLAIN: &[&str] = &["text", "image", "file"];

/// Returns the child of a message that a block becomes, if its type has an entry type.
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
        "tool_result" => tool_result(node, timestamp.cloned(), report).map(|mut result| {
            outcome::annotate_result(&mut result, None, None);
            Entry::ToolResult(result)
        }),
        "tool-call" => Some(call(node, report)),
        "tool-result" => Some(Entry::ToolResult(result(node, None, report))),
        "reasoning" | "redacted-reasoning" | "thinking" | "redacted_thinking" => {
            Some(reasoning(node, &kind, report))
        }
        other => {
            if !PLAIN.contains(&other) {
                report.unknown(&format!("content block {other}"));
            }
            None
        }
    }
}

/// Returns a `tool-call` block of the CLI's database.
fn call<'a>(node: Node<'a, '_>, report: &mut Report) -> Entry<'a> {
    let StoredCall { name, call_id, input, rest } =
        StoredCall::read(node, &ToolCallEntry::KEYS, report);
    entry::tool_call(name, input, call_id, None, None, rest)
}

/// Returns a `tool-result` block of the CLI's database. `high_level` is the other statement of its
/// message about the result.
pub(crate) fn result<'a>(
    node: Node<'a, '_>,
    high_level: Option<Node<'_, '_>>,
    report: &mut Report,
) -> ToolResultEntry<'a> {
    let StoredResult { call_id, output, is_error, tool, rest } =
        StoredResult::read(node, stored::TOOL_RESULT, report);
    let mut result = entry::tool_result(output, call_id, None, is_error, None, rest);
    outcome::annotate_result(&mut result, tool.as_deref(), high_level);
    result
}

/// Returns a `reasoning` block of the CLI's database, or a `thinking` one.
fn reasoning<'a>(node: Node<'a, '_>, kind: &str, report: &mut Report) -> Entry<'a> {
    let Reasoning { content, encrypted, rest } =
        Reasoning::read(node, &ReasoningEntry::KEYS, kind, report);
    entry::reasoning(content, encrypted, None, None, rest)
}
