//! What a message of the model holds besides its content: tool calls, thoughts
//! and tokens.

use std::borrow::Cow;

use vac_adapter::cursor::{Cursor, Rest, keys, null};
use vac_record::{
    AbstractTimestamp, Entry, ReasoningEntry, TokenUsage, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Extensions, Kind, Node};

use crate::content::{Calls, failed};
use crate::event;

/// The children of `toolCalls`.
pub(crate) fn calls<'a>(
    list: Node<'_, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    calls: &mut Calls,
    children: &mut Vec<Entry<'a>>,
) {
    for node in list.elements() {
        let Some(mut call) = Cursor::of(node) else {
            children.push(event::child("toolCalls", node, timestamp));
            continue;
        };
        let timestamp = call.timestamp("timestamp").or_else(|| timestamp.cloned());
        let result = result(&mut call, timestamp.clone());
        if let Some(Entry::ToolResult(ToolResultEntry { call_id: Some(id), .. })) = &result {
            calls.answer(id);
        }
        children.push(Entry::ToolCall(ToolCallEntry {
            name: call.text("name").unwrap_or(Cow::Borrowed("unknown")),
            input: call.any("args").unwrap_or_else(null),
            call_id: call.text("id"),
            timestamp,
            id: None,
            children: None,
            extensions: call.rest(keys::TOOL_CALL),
        }));
        children.extend(result);
    }
}

/// The result of a call, if it has one.
fn result<'a>(
    call: &mut Cursor<'_, 'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Option<Entry<'a>> {
    let failed = call.peek("result").and_then(result_failed);
    let output = call.any("result")?;
    let status = call.text("status");
    let is_error = match status.as_deref() {
        Some("error") => Some(true),
        Some("success") => failed.or(Some(false)),
        _ => failed,
    };
    let mut extensions = Rest::default();
    if let Some(display) = call.any("resultDisplay") {
        extensions.push(("resultDisplay".into(), display));
    }
    Some(Entry::ToolResult(ToolResultEntry {
        output,
        call_id: call.peek("id").and_then(Node::text),
        status,
        is_error,
        timestamp,
        id: None,
        children: None,
        extensions,
    }))
}

/// Whether a part, or one of an array of parts, is a response with an error;
/// `None` if none is a response.
fn result_failed(result: Node<'_, '_>) -> Option<bool> {
    let of = |part: Node<'_, '_>| {
        let response = part.member("functionResponse")?.member("response")?;
        failed(response)
    };
    match result.kind() {
        Kind::Map => of(result),
        Kind::Array => result.elements().filter_map(of).max(),
        _ => None,
    }
}

/// The children of `thoughts`.
pub(crate) fn thoughts<'a>(
    list: Node<'_, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    children: &mut Vec<Entry<'a>>,
) {
    children.extend(list.elements().map(|node| {
        let Some(mut thought) = Cursor::of(node) else {
            return event::child("thoughts", node, timestamp);
        };
        Entry::Reasoning(ReasoningEntry {
            content: thought.any("description").unwrap_or_else(null),
            encrypted: None,
            subject: thought.text("subject"),
            timestamp: thought.timestamp("timestamp").or_else(|| timestamp.cloned()),
            id: None,
            children: None,
            extensions: thought.rest(keys::REASONING),
        })
    }));
}

/// The tokens of a message; those that tools took have no canonical name.
pub(crate) fn token_usage<'a>(mut tokens: Cursor<'_, 'a>) -> TokenUsage<'a> {
    TokenUsage {
        input: tokens.uint("input"),
        output: tokens.uint("output"),
        cached: tokens.uint("cached"),
        reasoning: tokens.uint("thoughts"),
        total: tokens.uint("total"),
        cost: None,
        extensions: tokens.rest(keys::TOKEN_USAGE),
    }
}

/// No members beyond those that the schema names.
pub(crate) fn none<'a>() -> Rest<'a> {
    Extensions::default()
}
