//! Entries of response items: messages, reasoning, tool calls and their results.

use std::borrow::Cow;

use vac_adapter::annotation;
use vac_adapter::members::null;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::tools::canonical;
use vac_record::annotations::{
    Action, Author, Category, End, EndOf, Ending, EntryAnnotations, Outcome,
};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Document, IntoOwned, Kind, Map, Node, Text};

use crate::duplicate_events::Links;
use crate::envelope_rest::{self, LineContext};
use crate::outcome::{self, CallEnd, Outcomes};
use crate::prompt_rules::{Prompt, Prompter};
use crate::tools;

/// What is known when an item is read.
#[derive(Clone, Copy)]
pub(crate) struct Knowledge<'k> {
    /// The model of the turn.
    pub model: Option<&'k str>,
    /// What events state about calls.
    pub outcomes: &'k Outcomes,
    /// Who starts the turns of the session.
    pub prompter: Prompter,
    /// Which events repeat messages.
    pub links: &'k Links,
}

/// Which entry an item becomes.
enum Target {
    Message(MessageEntryType),
    /// A message of another agent.
    AgentMessage,
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
        "agent_message" => Target::AgentMessage,
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

/// Returns the entry of an item of this type, or the context if the schema has no type for it.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn entry<'a>(
    item: Node<'a, 'a>,
    kind: &str,
    around: LineContext<'a>,
    knowledge: Knowledge<'_>,
) -> Result<Entry<'a>, LineContext<'a>> {
    let target = target(item, kind).filter(|_| item.kind() == Kind::Map);
    let Some(target) = target else { return Err(around) };
    Ok(match target {
        Target::Message(kind) => message(item, around, kind, knowledge),
        Target::AgentMessage => agent_message(item, around),
        Target::Reasoning => reasoning(item, around),
        Target::Call(input) => tool_call(item, around, kind, input),
        Target::Result(output) => tool_result(item, around, output, knowledge.outcomes),
    })
}

fn message<'a>(
    item: Node<'a, '_>,
    mut around: LineContext<'a>,
    kind: MessageEntryType,
    knowledge: Knowledge<'_>,
) -> Entry<'a> {
    let (role, model) = match kind {
        MessageEntryType::User => {
            // History of another session, which the user may have started.
            let prompter = if around.is_inherited() { Prompter::User } else { knowledge.prompter };
            let is_hidden = knowledge.links.is_hidden_prompt(around.at.index);
            let prompt = Prompt::from_item(item, prompter, is_hidden);
            annotate_prompt(&mut around.annotations, prompt);
            ("user", None)
        }
        MessageEntryType::Assistant => {
            if is_communication(item) {
                around.annotations.author = Some(Author::OtherAgent);
            }
            ("assistant", knowledge.model)
        }
    };
    let at = around.at;
    let (mut content, mut id) = (None, None);
    let (timestamp, extensions) =
        around.sift(item, envelope_rest::MESSAGE, |key, value| match key {
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

/// Returns a message that another agent sent to this one (since 0.138). Its author and its
/// recipient stay in the payload.
fn agent_message<'a>(item: Node<'a, '_>, mut around: LineContext<'a>) -> Entry<'a> {
    around.annotations.author = Some(Author::OtherAgent);
    let at = around.at;
    let (mut content, mut id) = (None, None);
    let (timestamp, extensions) =
        around.sift(item, envelope_rest::MESSAGE, |key, value| match key {
            "content" => carry(value, &mut content),
            "id" => text(value, &mut id),
            _ => false,
        });
    Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

/// Whether a message of the assistant is one that another agent sent (0.117 to 0.137): its
/// text is an object that names author and recipient.
fn is_communication(item: Node<'_, '_>) -> bool {
    let mut parts = item.member("content").into_iter().flat_map(Node::elements);
    let (Some(part), None) = (parts.next(), parts.next()) else { return false };
    let Some(text) = part.member("text").filter(|text| text.raw().starts_with(b"\"{")) else {
        return false;
    };
    let text = text.text().unwrap_or_default();
    text.contains("trigger_turn")
        && Document::json(text.as_bytes()).is_ok_and(|document| {
            let has = |key: &&str| document.root().member(key).is_some();
            ["author", "recipient", "content", "trigger_turn"].iter().all(has)
        })
}

/// Annotates a message in the user's name.
pub(crate) fn annotate_prompt(annotations: &mut EntryAnnotations<'_>, prompt: Prompt) {
    annotations.author = Some(prompt.author);
    if let Some(command) = prompt.command {
        annotations.local_command = Some(true);
        let (tool, category) = (canonical::USER_COMMAND.into(), Category::Execute);
        annotations.action = Some(Action { tool, category, server: None });
        annotations.exit_code = command.exit_code;
        let outcome = |code| if code == 0 { Outcome::Success } else { Outcome::Error };
        annotations.outcome = command.exit_code.map(outcome);
    }
    if prompt.is_interruption {
        annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Interrupted) });
    }
}

/// Returns reasoning. The summary is what can be read; raw content next to it keeps its name.
fn reasoning<'a>(item: Node<'a, '_>, around: LineContext<'a>) -> Entry<'a> {
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
    let (timestamp, extensions) =
        around.sift(item, envelope_rest::REASONING, |key, value| match key {
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

fn tool_call<'a>(
    item: Node<'a, '_>,
    mut around: LineContext<'a>,
    kind: &str,
    input_key: &str,
) -> Entry<'a> {
    let at = around.at;
    let member = |key: &str| item.member(key).and_then(Node::text);
    let native = member("name").unwrap_or_else(|| native_name(kind));
    let namespace = member("namespace");
    let action = tools::action(&native, namespace.as_deref(), item.member(input_key));
    around.annotations.action = Some(action.into_owned());
    let has_result = kind == "image_generation_call"
        && item.member("result").is_some_and(|result| result.kind() != Kind::Null);
    if matches!(kind, "web_search_call" | "image_generation_call") && !has_result {
        // The provider runs these: the call itself says how it ended.
        let end = member("status").and_then(|status| outcome::by_status(&status));
        around.annotations.outcome = Some(end.map_or(Outcome::Unknown, |end| end.outcome));
    }
    let (mut name, mut input, mut call_id, mut id) = (None, None, None, None);
    let (mut result, mut status) = (None, None);
    let (timestamp, extensions) =
        around.sift(item, envelope_rest::TOOL_CALL, |key, value| match key {
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
        name: name.unwrap_or_else(|| native_name(kind)),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        children: result,
        extensions,
    })
}

/// Returns the name of a call that has none: tools of the provider are named by the type of
/// their item.
fn native_name<'a>(kind: &str) -> Text<'a> {
    match kind {
        "function_call" | "custom_tool_call" => Cow::Borrowed(UNKNOWN),
        provided => Cow::Owned(provided.to_owned()),
    }
}

/// Returns the result that the call itself contains.
fn generated<'a>(
    output: Any<'a>,
    call_id: Option<Text<'a>>,
    status: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
) -> Entry<'a> {
    let mut annotations = EntryAnnotations::default();
    if let Some(end) = status.as_deref().and_then(outcome::by_status) {
        end.annotate(&mut annotations, None);
    }
    let mut extensions = Map::default();
    annotation::attach(&mut extensions, &annotations);
    Entry::ToolResult(ToolResultEntry {
        output,
        call_id,
        status,
        is_error: None,
        timestamp,
        id: None,
        children: None,
        extensions,
    })
}

fn tool_result<'a>(
    item: Node<'a, '_>,
    mut around: LineContext<'a>,
    output_key: &str,
    outcomes: &Outcomes,
) -> Entry<'a> {
    let at = around.at;
    let member = |key: &str| item.member(key).and_then(Node::text);
    let by_output = item.member(output_key).and_then(outcome::by_output);
    let end = by_output
        .filter(|end| end.is_stated)
        .or_else(|| outcomes.get(item.member("call_id")))
        .or(by_output)
        .or_else(|| Some(CallEnd { is_stated: false, ..outcome::by_status(&member("status")?)? }));
    if let Some(end) = end {
        end.annotate(&mut around.annotations, member("call_id"));
    }
    around.annotations.tool = member("name").filter(|_| item.member("call_id").is_none());
    let (mut output, mut call_id, mut status, mut id) = (None, None, None, None);
    let (timestamp, extensions) =
        around.sift(item, envelope_rest::TOOL_RESULT, |key, value| match key {
            "type" => value.is_text("function_call_output"),
            "call_id" => text(value, &mut call_id),
            "status" => text(value, &mut status),
            "id" => text(value, &mut id),
            _ => key == output_key && carry(value, &mut output),
        });
    Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id,
        status: status.or_else(|| end?.status()),
        is_error: end.and_then(CallEnd::is_error),
        timestamp,
        id: Some(id.unwrap_or_else(|| at.id().into())),
        children: None,
        extensions,
    })
}

/// Takes any value.
fn carry<'a>(value: Node<'a, '_>, into: &mut Option<Any<'a>>) -> bool {
    *into = Some(value.carry());
    true
}

/// Takes text.
fn text<'a>(value: Node<'a, '_>, into: &mut Option<Text<'a>>) -> bool {
    *into = value.text();
    into.is_some()
}
