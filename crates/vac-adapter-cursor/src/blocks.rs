//! Content blocks that have an entry type of their own.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_record::{AbstractTimestamp, Entry};
use vac_value::{Kind, Node};

/// Blocks that are content and nothing else.
const PLAIN: &[&str] = &["text", "image"];

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
    match &*kind {
        "tool_use" => tool_call(node, timestamp.cloned()),
        "tool_result" => tool_result(node, timestamp.cloned()),
        other => {
            if !PLAIN.contains(&other) {
                report.unknown(&format!("content block {other}"));
            }
            None
        }
    }
}
