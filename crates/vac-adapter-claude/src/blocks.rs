//! Converts content blocks that become entries of their own.

use std::borrow::Cow;
use std::mem;

use vac_adapter::annotation::attach;
use vac_adapter::blocks::{tool_call, tool_result};
use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_adapter::{Report, mapping};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::{known, outcome, tools};

mapping! {
    /// A block of type `thinking`: `reasoning`.
    pub(crate) struct Thinking<'a>("thinking"; key, value) {
        "type" => "the entry's type", stated = true;
        "thinking" => "`content`", take content: Any<'a> = Some(value.carry());
        "signature" => "", keep;
    }
}

mapping! {
    /// A block of type `redacted_thinking`: `reasoning`.
    pub(crate) struct RedactedThinking<'a>("redacted_thinking"; key, value) {
        "type" => "the entry's type", stated = true;
        "data" => "`encrypted`", take encrypted: Text<'a> = value.text();
    }
}

/// The blocks of one message.
pub(crate) struct Blocks<'t, 'd, 'a> {
    timestamp: Option<&'t AbstractTimestamp<'a>>,
    /// The facts that the line states about the result of a tool, if it contains exactly one
    /// result.
    result: Option<Node<'d, 'a>>,
    /// Whether the next call is one that the message before it ended with.
    is_repeated: bool,
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
        Self { timestamp, result, is_repeated: false }
    }

    /// Marks the first call as one that the message before it ended with.
    pub fn begin_with_repeated_call(&mut self) {
        self.is_repeated = true;
    }

    /// Returns a block as a child of its message, if it is one.
    pub fn child(&mut self, block: Node<'a, '_>, report: &mut Report) -> Option<Entry<'a>> {
        if block.kind() != Kind::Map {
            return None;
        }
        let timestamp = self.timestamp.cloned();
        let kind = block.member("type").and_then(Node::text).unwrap_or(Cow::Borrowed("none"));
        match &*kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let is_repeated = mem::take(&mut self.is_repeated);
                call(block, is_repeated, timestamp, report)
            }
            "thinking" => {
                let Thinking { content, rest } =
                    Thinking::read(block, &ReasoningEntry::KEYS, report);
                Some(reasoning(content, None, timestamp, rest))
            }
            "redacted_thinking" => {
                let RedactedThinking { encrypted, rest } =
                    RedactedThinking::read(block, &ReasoningEntry::KEYS, report);
                Some(reasoning(None, encrypted, timestamp, rest))
            }
            result if result.ends_with("tool_result") => self.result(block, timestamp, report),
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
        report: &mut Report,
    ) -> Option<Entry<'a>> {
        let mut result = tool_result(block, timestamp, report)?;
        let mut it = EntryAnnotations::default();
        outcome::annotate_result(&mut it, block, result.is_error, self.result);
        attach(&mut result.extensions, &it);
        Some(Entry::ToolResult(result))
    }
}

fn call<'a>(
    block: Node<'a, '_>,
    is_repeated: bool,
    timestamp: Option<AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let mut call = tool_call(block, timestamp, report)?;
    let action = Some(tools::action(&call.name, block));
    let duplicate_of = block.member("id").filter(|_| is_repeated).and_then(Node::text);
    report.duplicates_linked += u64::from(duplicate_of.is_some());
    let it = EntryAnnotations { action, duplicate_of, ..EntryAnnotations::default() };
    attach(&mut call.extensions, &it);
    Some(Entry::ToolCall(call))
}

fn reasoning<'a>(
    content: Option<Any<'a>>,
    encrypted: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let common = Common { timestamp, id: None, extensions };
    Entry::Reasoning(entry::reasoning(content, encrypted, None, common))
}
