//! Response items: what the model was told and what it said and did.

use std::borrow::Cow;

use vac_adapter::members::null;
use vac_adapter::provider::UNKNOWN;
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::around::{self, Around};
use crate::outcome::{self, Outcomes};

/// What is known when an item is read.
#[derive(Clone, Copy)]
pub(crate) struct Knowledge<'k> {
    /// The model of the turn.
    pub model: Option<&'k str>,
    /// What events say about calls.
    pub outcomes: &'k Outcomes,
}

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
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            Target::Result("output")
        }
        "tool_search_output" => Target::Result("tools"),
        _ => return None,
    })
}

/// The entry of an item of this type; gives back what is around it if the
/// schema has no type for it.
pub(crate) fn entry<'a>(
    item: Node<'a, 'a>,
    kind: &str,
    around: Around<'a>,
    knowledge: Knowledge<'_>,
) -> Result<Entry<'a>, Around<'a>> {
    let target = target(item, kind).filter(|_| item.kind() == Kind::Map);
    let Some(target) = target else { return Err(around) };
    Ok(match target {
        Target::Message(kind) => message(item, around, kind, knowledge.model),
        Target::Reasoning => reasoning(item, around),
        Target::Call(input) => tool_call(item, around, kind, input),
        Target::Result(output) => tool_result(item, around, output, knowledge.outcomes),
    })
}

fn message<'a>(
    item: Node<'a, '_>,
    around: Around<'a>,
    kind: MessageEntryType,
    model: Option<&str>,
) -> Entry<'a> {
    let (role, model) = match kind {
        MessageEntryType::User => ("user", None),
        MessageEntryType::Assistant => ("assistant", model),
    };
    let at = around.at;
    let (mut content, mut id) = (None, None);
    let (timestamp, extensions) = around.sift(item, around::MESSAGE, |key, value| match key {
        "type" => true,
        "role" => value.is_text(role),
        "content" => carry(value, &mut content),
        "id" => text(value, &mut id),
        _ => false,
    });
    Entry::Message(MessageEntry {
        kind,
        content,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        model_id: model.map(|model| Cow::Owned(model.to_owned())),
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

/// The summary is what can be read; a raw content beside it keeps its name.
fn reasoning<'a>(item: Node<'a, '_>, around: Around<'a>) -> Entry<'a> {
    let is_told = |key: &str| {
        item.member(key).is_some_and(|told| match told.kind() {
            Kind::Null => false,
            Kind::Array => told.elements().next().is_some(),
            _ => true,
        })
    };
    let told = if !is_told("summary") && is_told("content") { "content" } else { "summary" };
    let at = around.at;
    let (mut content, mut encrypted, mut id) = (None, None, None);
    let (timestamp, extensions) = around.sift(item, around::REASONING, |key, value| match key {
        "type" => true,
        "encrypted_content" => text(value, &mut encrypted),
        "id" => text(value, &mut id),
        _ => key == told && carry(value, &mut content),
    });
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        children: None,
        extensions,
    })
}

fn tool_call<'a>(item: Node<'a, '_>, around: Around<'a>, kind: &str, input_key: &str) -> Entry<'a> {
    let at = around.at;
    let (mut name, mut input, mut call_id, mut id) = (None, None, None, None);
    let (mut result, mut status) = (None, None);
    let (timestamp, extensions) = around.sift(item, around::TOOL_CALL, |key, value| match key {
        "type" => kind == "function_call",
        "name" => text(value, &mut name),
        "call_id" => text(value, &mut call_id),
        "id" => text(value, &mut id),
        "result" if kind == "image_generation_call" => carry(value, &mut result),
        "status" => {
            status = Some(value);
            false
        }
        _ => key == input_key && carry(value, &mut input),
    });
    let call_id = call_id.or_else(|| id.clone());
    let result = result.map(|output| {
        let status = status.and_then(Node::text);
        vec![generated(output, call_id.clone(), status, timestamp.clone())]
    });
    Entry::ToolCall(ToolCallEntry {
        name: name.unwrap_or_else(|| match kind {
            "function_call" | "custom_tool_call" => Cow::Borrowed(UNKNOWN),
            // A tool of the provider has no name but the type of its item.
            provided => Cow::Owned(provided.to_owned()),
        }),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        children: result,
        extensions,
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
        extensions: Map::default(),
    })
}

fn tool_result<'a>(
    item: Node<'a, '_>,
    around: Around<'a>,
    output_key: &str,
    outcomes: &Outcomes,
) -> Entry<'a> {
    let at = around.at;
    let (mut output, mut call_id, mut status, mut id) = (None, None, None, None);
    let (mut is_error, mut call) = (None, None);
    let (timestamp, extensions) = around.sift(item, around::TOOL_RESULT, |key, value| match key {
        "type" => value.is_text("function_call_output"),
        "call_id" => {
            call = Some(value);
            text(value, &mut call_id)
        }
        "status" => text(value, &mut status),
        "id" => text(value, &mut id),
        _ if key == output_key => {
            is_error = outcome::is_error(value);
            carry(value, &mut output)
        }
        _ => false,
    });
    let is_error = is_error.or_else(|| outcomes.is_error(call));
    Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status: status.or_else(|| is_error.map(outcome::word)),
        is_error,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        children: None,
        extensions,
    })
}

/// Takes whatever is there.
fn carry<'a>(value: Node<'a, '_>, into: &mut Option<Any<'a>>) -> bool {
    *into = Some(value.carry());
    true
}

/// Takes text.
fn text<'a>(value: Node<'a, '_>, into: &mut Option<Text<'a>>) -> bool {
    *into = value.text();
    into.is_some()
}
