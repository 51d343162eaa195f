//! Response items: what the model was told and what it said and did.

use std::borrow::Cow;

use vac_adapter::cursor::{Cursor, null};
use vac_adapter::provider::UNKNOWN;
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Extensions, Kind, Node, Text};

use crate::around::{self, Around};
use crate::outcome;

/// Which entry an item becomes.
enum Target {
    Message(MessageEntryType),
    Reasoning,
    /// A call, with its input under this key.
    Call(&'static str),
    /// A result, with its output under this key.
    Result(&'static str),
}

fn target(item: Node<'_, '_>, kind: &str) -> Option<Target> {
    let speaks = |role: &str| item.member("role").is_some_and(|value| value.is_text(role));
    Some(match kind {
        "message" if speaks("user") => Target::Message(MessageEntryType::User),
        "message" if speaks("assistant") => Target::Message(MessageEntryType::Assistant),
        "reasoning" => Target::Reasoning,
        "function_call" | "tool_search_call" => Target::Call("arguments"),
        "custom_tool_call" => Target::Call("input"),
        "local_shell_call" | "web_search_call" => Target::Call("action"),
        "image_generation_call" => Target::Call("revised_prompt"),
        "function_call_output" | "custom_tool_call_output" => Target::Result("output"),
        "tool_search_output" => Target::Result("tools"),
        _ => return None,
    })
}

/// The entry of an item of this type; gives back what is around it if the
/// schema has no type for it.
pub(crate) fn entry<'d, 'a>(
    item: Node<'d, 'a>,
    kind: &str,
    around: Around<'d, 'a>,
    model: Option<&str>,
) -> Result<Entry<'a>, Around<'d, 'a>> {
    let Some(target) = target(item, kind) else { return Err(around) };
    let Some(payload) = Cursor::of(item) else { return Err(around) };
    Ok(match target {
        Target::Message(kind) => message(payload, around, kind, model),
        Target::Reasoning => reasoning(payload, around),
        Target::Call(input) => tool_call(payload, around, kind, input),
        Target::Result(output) => tool_result(payload, around, output),
    })
}

fn message<'a>(
    mut payload: Cursor<'_, 'a>,
    mut around: Around<'_, 'a>,
    kind: MessageEntryType,
    model: Option<&str>,
) -> Entry<'a> {
    let (role, model) = match kind {
        MessageEntryType::User => ("user", None),
        MessageEntryType::Assistant => ("assistant", model),
    };
    payload.said("type", "message");
    payload.said("role", role);
    Entry::Message(MessageEntry {
        r#type: kind,
        content: payload.any("content"),
        timestamp: around.timestamp(Some(&mut payload)),
        id: Some(around.id(&mut payload)),
        model_id: model.map(|model| Cow::Owned(model.to_owned())),
        parent_id: None,
        token_usage: None,
        children: None,
        extensions: around.rest(payload, around::MESSAGE),
    })
}

/// The summary is what can be read; a raw content beside it keeps its name.
fn reasoning<'a>(mut payload: Cursor<'_, 'a>, mut around: Around<'_, 'a>) -> Entry<'a> {
    payload.said("type", "reasoning");
    let is_told = |node: Option<Node<'_, '_>>| {
        node.is_some_and(|node| node.kind() != Kind::Array || node.elements().next().is_some())
    };
    let content = if is_told(payload.peek("summary")) || payload.peek("content").is_none() {
        payload.any("summary")
    } else {
        payload.any("content").or_else(|| payload.any("summary"))
    };
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted: payload.text("encrypted_content"),
        subject: None,
        timestamp: around.timestamp(Some(&mut payload)),
        id: Some(around.id(&mut payload)),
        children: None,
        extensions: around.rest(payload, around::REASONING),
    })
}

fn tool_call<'a>(
    mut payload: Cursor<'_, 'a>,
    mut around: Around<'_, 'a>,
    kind: &str,
    input: &str,
) -> Entry<'a> {
    payload.said("type", "function_call");
    let timestamp = around.timestamp(Some(&mut payload));
    let name = payload.text("name").unwrap_or_else(|| match kind {
        "function_call" | "custom_tool_call" => Cow::Borrowed(UNKNOWN),
        // A tool of the provider has no name but the type of its item.
        provided => Cow::Owned(provided.to_owned()),
    });
    let given = payload.peek("id").and_then(Node::text);
    let call_id = payload.text("call_id").or(given);
    let result = match kind {
        "image_generation_call" => payload.any("result"),
        _ => None,
    };
    let status = payload.peek("status").and_then(Node::text);
    let children =
        result.map(|output| vec![generated(output, call_id.clone(), status, timestamp.clone())]);
    Entry::ToolCall(ToolCallEntry {
        name,
        input: payload.any(input).unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some(around.id(&mut payload)),
        children,
        extensions: around.rest(payload, around::TOOL_CALL),
    })
}

/// The result that stands in the call itself.
fn generated<'a>(
    output: Any<'a>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Entry<'a> {
    Entry::ToolResult(ToolResultEntry {
        output,
        call_id,
        status,
        is_error: None,
        timestamp,
        id: None,
        children: None,
        extensions: Extensions::default(),
    })
}

fn tool_result<'a>(
    mut payload: Cursor<'_, 'a>,
    mut around: Around<'_, 'a>,
    output: &str,
) -> Entry<'a> {
    payload.said("type", "function_call_output");
    let is_error = payload.peek(output).and_then(outcome::is_error);
    let told = is_error.map(|is_error| if is_error { "error" } else { "success" }.into());
    Entry::ToolResult(ToolResultEntry {
        output: payload.any(output).unwrap_or_else(null),
        call_id: payload.text("call_id"),
        status: payload.text("status").or(told),
        is_error,
        timestamp: around.timestamp(Some(&mut payload)),
        id: Some(around.id(&mut payload)),
        children: None,
        extensions: around.rest(payload, around::TOOL_RESULT),
    })
}
