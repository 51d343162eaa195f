//! The tool call of a bubble: `toolFormerData`, the call and its result in one.

use std::borrow::Cow;

use vac_adapter::annotation::{annotate, attach};
use vac_adapter::members::{Rest, null, put, sift};
use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Map, Node};

use crate::tools::annotate_call;
use crate::{outcome, tools};

/// Words for a call that is over.
const OVER: &[&str] = &["completed", "error", "failed", "cancelled", "canceled", "rejected"];

/// Whether it is a call at all: other bubbles have an empty one.
pub(crate) fn is_call(tool: Node<'_, '_>) -> bool {
    let has_number = tool.member("tool").is_some_and(|number| number.integer().is_some());
    has_number || ["name", "toolCallId"].iter().any(|key| tool.member(key).is_some())
}

/// The call, and what came of it if it is over.
pub(crate) fn entries<'a>(
    tool: Node<'a, '_>,
    id: &str,
    timestamp: Option<&AbstractTimestamp<'a>>,
) -> (Entry<'a>, Option<Entry<'a>>) {
    let says = |key: &str| tool.member(key).is_some_and(|value| value.kind() != Kind::Null);
    let is = |key: &str, words: &[&str]| {
        tool.member(key).is_some_and(|value| words.iter().any(|word| value.is_text(word)))
    };
    let is_over = says("result") || says("error") || is("status", OVER);
    // What the model wrote, rather than what was made of it.
    let input_key = if says("rawArgs") && !is("rawArgs", &[""]) { "rawArgs" } else { "params" };
    let output_key = if says("result") { "result" } else { "error" };
    let (mut name, mut input, mut call_id) = (None, None, None);
    let (mut output, mut status, mut error) = (None, None, None);
    let extensions = sift(tool, &ToolCallEntry::KEYS, |key, value| match key {
        "name" => put(&mut name, value.text()),
        "toolCallId" => put(&mut call_id, value.text()),
        key if key == input_key => put(&mut input, Some(value.carry())),
        key if is_over && key == output_key => put(&mut output, Some(value.carry())),
        "error" if is_over => put(&mut error, Some(value.carry())),
        "status" if is_over => put(&mut status, value.text()),
        _ => false,
    });
    let result = is_over.then(|| {
        let is_error = is_error(status.as_deref(), says("error"));
        let is_shell = name.as_deref().is_some_and(tools::is_shell);
        let mut extensions = Map::default();
        let stated = tool.member("result");
        let annotations =
            outcome::bubble_annotations(status.as_deref(), is_error, is_shell, stated);
        attach(&mut extensions, &annotations);
        extensions.extend(error.map(|error| ("error".into(), error)));
        Entry::ToolResult(ToolResultEntry {
            output: output.unwrap_or_else(null),
            call_id: call_id.clone(),
            is_error,
            status,
            timestamp: None,
            id: Some(format!("{id}:result").into()),
            children: None,
            extensions,
        })
    });
    let mut call = call(name, input, call_id, id, timestamp, extensions);
    annotate_call(&mut call);
    if let Some(permission) = outcome::decision(tool) {
        annotate(&mut call, |it| it.permission = Some(permission));
    }
    (call, result)
}

fn call<'a>(
    name: Option<Cow<'a, str>>,
    input: Option<vac_value::Any<'a>>,
    call_id: Option<Cow<'a, str>>,
    id: &str,
    timestamp: Option<&AbstractTimestamp<'a>>,
    extensions: Rest<'a>,
) -> Entry<'a> {
    Entry::ToolCall(ToolCallEntry {
        name: name.unwrap_or(Cow::Borrowed("unknown")),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp: timestamp.cloned(),
        id: Some(format!("{id}:call").into()),
        children: None,
        extensions,
    })
}

fn is_error(status: Option<&str>, has_error: bool) -> Option<bool> {
    match status {
        Some("completed") => Some(has_error),
        Some("error" | "failed") => Some(true),
        _ => has_error.then_some(true),
    }
}
