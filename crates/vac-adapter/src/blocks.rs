//! Reads content blocks of Anthropic's Messages API, which several agents log.

use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::entry::{self, Common};
use crate::mapping::Mapping;
use crate::{Report, mapping};

/// Returns the blocks of a message's content that become its children; `None` without any.
pub fn children<'a, 's>(
    content: Node<'a, 's>,
    child: impl FnMut(Node<'a, 's>) -> Option<Entry<'a>>,
) -> Option<Vec<Entry<'a>>> {
    let children: Vec<_> = content.elements().filter_map(child).collect();
    (!children.is_empty()).then_some(children)
}

mapping! {
    /// A block of type `tool_use`, or one like it: a `tool-call`.
    pub struct ToolUse<'a>("tool_use"; key, value) {
        "type" => "the entry's type, if it is `tool_use`", stated = value.is_text("tool_use");
        "name" => "`name`", take name: Text<'a> = value.text();
        "input" => "`input`", take input: Any<'a> = Some(value.carry());
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "caller" | "server_name" => "", keep;
    }
}

mapping! {
    /// A block of type `tool_result`, or one like it: a `tool-result`.
    pub struct ToolResult<'a>("tool_result"; key, value) {
        "type" => "the entry's type, if it is `tool_result`", stated = value.is_text("tool_result");
        "tool_use_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "content" => "`output`", take output: Node<'a, 'a> = Some(value);
        "is_error" => "`is-error` and `status`", take is_error: bool = value.bool();
        "caller" | "cache_control" => "", keep;
    }
}

/// The mappings of blocks.
pub const MAPPINGS: [Mapping; 2] = [ToolUse::MAPPING, ToolResult::MAPPING];

/// Returns a `tool_use` block, or one like it, as a tool call.
pub fn tool_call<'a>(
    node: Node<'a, '_>,
    timestamp: Option<AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<ToolCallEntry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let ToolUse { name, input, call_id, rest } = ToolUse::read(node, &ToolCallEntry::KEYS, report);
    let common = Common { timestamp, id: None, extensions: rest };
    Some(entry::tool_call(name, input, call_id, common))
}

/// Returns a `tool_result` block, or one like it, as a tool result.
pub fn tool_result<'a>(
    node: Node<'a, '_>,
    timestamp: Option<AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<ToolResultEntry<'a>> {
    if node.kind() != Kind::Map {
        return None;
    }
    let ToolResult { output, call_id, is_error, rest } =
        ToolResult::read(node, &ToolResultEntry::KEYS, report);
    let is_error = is_error.or(output.is_some_and(is_error_of_server).then_some(true));
    let status = is_error.map(|is_error| if is_error { "error" } else { "success" }.into());
    let common = Common { timestamp, id: None, extensions: rest };
    Some(entry::tool_result(output.map(Node::carry), call_id, status, is_error, common))
}

/// Returns whether the content of a result shows that a tool of the provider failed. Such results
/// have no flag.
fn is_error_of_server(content: Node<'_, '_>) -> bool {
    let kind = content.member("type").and_then(Node::text);
    kind.is_some_and(|kind| kind.ends_with("_error"))
}
