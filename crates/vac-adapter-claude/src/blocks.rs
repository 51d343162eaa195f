//! Content blocks that have an entry type of their own.
//!
//! | native key | canonical field |
//! |---|---|
//! | `tool_use.id`, `.name`, `.input` (seed 001) | `tool-call` `call-id`, `name`, `input`; `vac.action` |
//! | `tool_result.tool_use_id`, `.content`, `.is_error` (seed 001) | `tool-result` `call-id`, `output`, `is-error` and `status`; `vac.outcome` |
//! | `thinking.thinking` (seed 001) | `reasoning` `content` |
//! | `redacted_thinking.data` | `reasoning` `encrypted` |
//! | all others | kept under their name |

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::members::{null, put, sift};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry};
use vac_value::{Kind, Node};

use crate::{known, outcome, tools};

/// The blocks of one message.
pub(crate) struct Blocks<'t, 'd, 'a> {
    timestamp: Option<&'t AbstractTimestamp<'a>>,
    /// What the line states about the result of a tool, if there is one result.
    result: Option<Node<'d, 'a>>,
}

impl<'t, 'd, 'a> Blocks<'t, 'd, 'a> {
    pub fn new(
        content: Node<'_, '_>,
        timestamp: Option<&'t AbstractTimestamp<'a>>,
        result: Option<Node<'d, 'a>>,
    ) -> Self {
        let result = result.filter(|_| {
            let results = content.elements().filter(|block| block.member("tool_use_id").is_some());
            results.take(2).count() == 1
        });
        Self { timestamp, result }
    }

    /// Returns a block as a child of its message, if it is one.
    pub fn child(&self, block: Node<'a, '_>, report: &mut Report) -> Option<Entry<'a>> {
        if block.kind() != Kind::Map {
            return None;
        }
        let timestamp = self.timestamp.cloned();
        let kind = block.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("none"));
        match &*kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => call(block, timestamp),
            "thinking" => Some(thinking(block, timestamp)),
            "redacted_thinking" => Some(redacted(block, timestamp)),
            result if result.ends_with("tool_result") => self.result(block, timestamp),
            other => {
                if !known::plain_block(other) {
                    report.unknown(&format!("content block {other}"));
                }
                None
            }
        }
    }

    fn result(
        &self,
        block: Node<'a, '_>,
        timestamp: Option<AbstractTimestamp<'a>>,
    ) -> Option<Entry<'a>> {
        let mut entry = tool_result(block, timestamp)?;
        if let Entry::ToolResult(result) = &mut entry {
            let mut it = EntryAnnotations::default();
            outcome::annotate_result(&mut it, block, result.is_error, self.result);
            attach(&mut result.extensions, &it);
        }
        Some(entry)
    }
}

fn call<'a>(block: Node<'a, '_>, timestamp: Option<AbstractTimestamp<'a>>) -> Option<Entry<'a>> {
    let mut entry = tool_call(block, timestamp)?;
    if let Entry::ToolCall(call) = &mut entry {
        let action = Some(tools::action(&call.name, block));
        let it = EntryAnnotations { action, ..EntryAnnotations::default() };
        attach(&mut call.extensions, &it);
    }
    Some(entry)
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
