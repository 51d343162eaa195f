//! Converts response items to entries: messages, reasoning, tool calls and their results.

use std::borrow::Cow;

use vac_adapter::provider::UNKNOWN;
use vac_adapter::tools::canonical;
use vac_adapter::{Report, annotation, mapping};
use vac_record::annotations::{
    Action, Author, Category, End, EndOf, Ending, EntryAnnotations, Outcome,
};
use vac_record::{AbstractTimestamp, Entry, MessageEntryType};
use vac_value::{Document, IntoOwned, Kind, Node, Text};

use crate::clock;
use crate::duplicate_events::Links;
use crate::entries::{self, Common};
use crate::envelope_rest::{self, LineContext};
use crate::outcome::{self, CallEnd, Outcomes};
use crate::prompt_rules::{Prompt, Prompter};
use crate::tools;

/// The facts that are known when an item is read.
#[derive(Clone, Copy)]
pub(crate) struct Knowledge<'k> {
    /// The model of the turn.
    pub model: Option<&'k str>,
    /// The outcomes of calls that events state.
    pub outcomes: &'k Outcomes,
    /// The prompter of the session's turns.
    pub prompter: Prompter,
    /// The events that repeat messages.
    pub links: &'k Links,
}

/// The entry that an item becomes.
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
        "agent_message" => Target::Message(MessageEntryType::User),
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

/// The context in which an item is read.
#[derive(Clone, Copy)]
pub(crate) struct ItemContext<'c> {
    /// The type of the item.
    kind: &'c str,
    /// The member that is the content, the input or the output.
    body: &'c str,
    /// Whether it is a line, which has its own time.
    is_line: bool,
}

impl ItemContext<'_> {
    fn timestamp<'a>(self, value: Node<'a, '_>) -> Option<AbstractTimestamp<'a>> {
        clock::timestamp(value).filter(|_| self.is_line)
    }
}

mapping! {
    /// A response item of type `message` with the role `user` or `assistant`, or of type
    /// `agent_message` (since 0.138), which another agent sent to this one: a message of the user.
    pub(crate) struct Message<'a>("message"; key, value, context: ItemContext<'_>) {
        "type" | "role" => "the entry's type; kept if it is an `agent_message`",
            stated = context.kind == "message";
        "content" => "`content`", take content: Node<'a, 'a> = Some(value);
        "id" => "`id`", take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`, if it is a line; else kept",
            take timestamp: AbstractTimestamp<'a> = context.timestamp(value);
        "internal_chat_message_metadata_passthrough" => "`vac.author`",
            note metadata: Node<'a, 'a> = Some(value);
        "author" | "recipient" | "phase" | "end_turn" | "status" | "metadata" | "annotations"
        | "encrypted_content" | "logprobs" | "duration_ms" => "", keep;
    }
}

mapping! {
    /// A response item of type `reasoning`: `reasoning`.
    pub(crate) struct Reasoning<'a>("reasoning"; key, value, context: ItemContext<'_>) {
        "type" => "the entry's type", stated = true;
        "summary" | "content" => "`content`: the summary, or the other where that is absent; else kept",
            take content: Node<'a, 'a> = (key == context.body).then_some(value);
        "encrypted_content" => "`encrypted`", take encrypted: Text<'a> = value.text();
        "id" => "`id`", take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`, if it is a line; else kept",
            take timestamp: AbstractTimestamp<'a> = context.timestamp(value);
        "internal_chat_message_metadata_passthrough" | "metadata" | "status" | "duration_ms" => "",
            keep;
    }
}

mapping! {
    /// A response item of type `function_call`, `custom_tool_call`, `local_shell_call`,
    /// `web_search_call`, `tool_search_call` or `image_generation_call`: a `tool-call`. A generated
    /// image is a `tool-result` inside.
    pub(crate) struct ToolCall<'a>("tool call"; key, value, context: ItemContext<'_>) {
        "type" =>
            "the entry's type, if it is `function_call`; else kept, and `name` where that is absent",
            stated = context.kind == "function_call";
        "name" => "`name`", take name: Text<'a> = value.text();
        "arguments" | "input" | "action" | "revised_prompt" => "`input`, as it is written",
            take input: Node<'a, 'a> = (key == context.body).then_some(value);
        "call_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "id" => "`id`; `call-id` where nothing else states it", take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`, if it is a line; else kept",
            take timestamp: AbstractTimestamp<'a> = context.timestamp(value);
        "result" => "`output` of a result inside, if it is a generated image",
            take result: Node<'a, 'a> = (context.kind == "image_generation_call").then_some(value);
        "status" => "`vac.outcome`, if the provider runs the tool; `status` of a result inside",
            note status: Text<'a> = value.text();
        "namespace" => "`vac.action`", note namespace: Text<'a> = value.text();
        "execution" | "encrypted_function_args" | "internal_chat_message_metadata_passthrough"
        | "metadata" | "duration_ms" => "", keep;
    }
}

mapping! {
    /// A response item of type `function_call_output`, `custom_tool_call_output`,
    /// `local_shell_call_output` or `tool_search_output`: a `tool-result`.
    pub(crate) struct ToolResult<'a>("tool result"; key, value, context: ItemContext<'_>) {
        "type" => "the entry's type, if it is `function_call_output`; else kept",
            stated = context.kind == "function_call_output";
        "output" | "tools" => "`output`; `is-error`, `vac.outcome`, `vac.exit-code`",
            take output: Node<'a, 'a> = (key == context.body).then_some(value);
        "call_id" => "`call-id`",
            take call: Node<'a, 'a> = value.text().map(|_| value);
        "status" => "`status`", take status: Text<'a> = value.text();
        "id" => "`id`", take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`, if it is a line; else kept",
            take timestamp: AbstractTimestamp<'a> = context.timestamp(value);
        "name" => "`vac.tool` where `call_id` is absent", note name: Text<'a> = value.text();
        "namespace" | "execution" | "internal_chat_message_metadata_passthrough" | "metadata"
        | "duration_ms" => "", keep;
    }
}

/// Returns the entry of an item of this type, or the context if the schema has no type for it.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn entry<'a>(
    item: Node<'a, 'a>,
    kind: &str,
    around: LineContext<'a>,
    knowledge: Knowledge<'_>,
    report: &mut Report,
) -> Result<Entry<'a>, LineContext<'a>> {
    let target = target(item, kind).filter(|_| item.kind() == Kind::Map);
    let Some(target) = target else { return Err(around) };
    let context = |body| ItemContext { kind, body, is_line: around.is_bare() };
    Ok(match target {
        Target::Message(speaker) => {
            message(item, context("content"), speaker, around, knowledge, report)
        }
        Target::Reasoning => reasoning(item, context(reasoning_key(item)), around, report),
        Target::Call(input) => tool_call(item, context(input), around, report),
        Target::Result(output) => {
            tool_result(item, context(output), around, knowledge.outcomes, report)
        }
    })
}

fn message<'a>(
    item: Node<'a, '_>,
    context: ItemContext<'_>,
    speaker: MessageEntryType,
    mut around: LineContext<'a>,
    knowledge: Knowledge<'_>,
    report: &mut Report,
) -> Entry<'a> {
    let named = envelope_rest::MESSAGE;
    let Message { content, id, timestamp, metadata, rest } =
        Message::read(item, around.payload_keys(named), context, report);
    let mut model = None;
    match speaker {
        _ if context.kind == "agent_message" => {
            around.annotations.author = Some(Author::OtherAgent);
        }
        MessageEntryType::User => {
            // The user may have started the other session whose history this is.
            let prompter = if around.is_inherited() { Prompter::User } else { knowledge.prompter };
            let is_hidden = knowledge.links.is_hidden_prompt(around.at.index);
            let prompt = Prompt::from_item(content, metadata, prompter, is_hidden);
            annotate_prompt(&mut around.annotations, prompt);
        }
        MessageEntryType::Assistant => {
            if content.is_some_and(is_communication) {
                around.annotations.author = Some(Author::OtherAgent);
            }
            model = knowledge.model;
        }
    }
    let common = around.join(Common { timestamp, id, extensions: rest }, named, report);
    entries::message(speaker, content, model, common)
}

/// Returns whether a message of the assistant is one that another agent sent (0.117 to 0.137): its
/// text is an object that names author and recipient.
fn is_communication(content: Node<'_, '_>) -> bool {
    let mut parts = content.elements();
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

/// Returns the member that is the content of reasoning. It is the summary, if there is one; raw
/// content next to it keeps its name.
fn reasoning_key(item: Node<'_, '_>) -> &'static str {
    let is_stated = |key: &str| {
        item.member(key).is_some_and(|value| match value.kind() {
            Kind::Null => false,
            Kind::Array => value.elements().next().is_some(),
            _ => true,
        })
    };
    if !is_stated("summary") && is_stated("content") { "content" } else { "summary" }
}

fn reasoning<'a>(
    item: Node<'a, '_>,
    context: ItemContext<'_>,
    around: LineContext<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let named = envelope_rest::REASONING;
    let Reasoning { content, encrypted, id, timestamp, rest } =
        Reasoning::read(item, around.payload_keys(named), context, report);
    let common = around.join(Common { timestamp, id, extensions: rest }, named, report);
    entries::reasoning(content, encrypted, common)
}

fn tool_call<'a>(
    item: Node<'a, '_>,
    context: ItemContext<'_>,
    mut around: LineContext<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let named = envelope_rest::TOOL_CALL;
    let ToolCall { name, input, call_id, id, timestamp, result, status, namespace, rest } =
        ToolCall::read(item, around.payload_keys(named), context, report);
    let name = name.unwrap_or_else(|| native_name(context.kind));
    let action = tools::action(&name, namespace.as_deref(), input);
    around.annotations.action = Some(action.into_owned());
    let end = status.as_deref().and_then(outcome::by_status);
    if matches!(context.kind, "web_search_call" | "image_generation_call") && result.is_none() {
        // The provider runs these tools, so the call itself states how it ended.
        around.annotations.outcome = Some(end.map_or(Outcome::Unknown, |end| end.outcome));
    }
    let call_id = call_id.or_else(|| id.clone());
    let common = around.join(Common { timestamp, id, extensions: rest }, named, report);
    let result = result.map(|output| {
        let mut annotations = EntryAnnotations::default();
        if let Some(end) = end {
            end.annotate(&mut annotations, None);
        }
        let mut result = Common { timestamp: common.timestamp.clone(), ..Common::default() };
        annotation::attach(&mut result.extensions, &annotations);
        entries::tool_result(Some(output.carry()), call_id.clone(), status, None, result)
    });
    entries::tool_call(name, input, call_id, result, common)
}

/// Returns the name of a call that has none: tools of the provider are named by the type of
/// their item.
fn native_name<'a>(kind: &str) -> Text<'a> {
    match kind {
        "function_call" | "custom_tool_call" => Cow::Borrowed(UNKNOWN),
        provided => Cow::Owned(provided.to_owned()),
    }
}

fn tool_result<'a>(
    item: Node<'a, '_>,
    context: ItemContext<'_>,
    mut around: LineContext<'a>,
    outcomes: &Outcomes,
    report: &mut Report,
) -> Entry<'a> {
    let named = envelope_rest::TOOL_RESULT;
    let ToolResult { output, call, status, id, timestamp, name, rest } =
        ToolResult::read(item, around.payload_keys(named), context, report);
    let by_output = output.and_then(outcome::by_output);
    let by_status =
        |status: &Text<'_>| Some(CallEnd { is_stated: false, ..outcome::by_status(status)? });
    let end = by_output
        .filter(|end| end.is_stated)
        .or_else(|| outcomes.get(call))
        .or(by_output)
        .or_else(|| status.as_ref().and_then(by_status));
    let call_id = call.and_then(Node::text);
    if let Some(end) = end {
        end.annotate(&mut around.annotations, call_id.clone());
    }
    around.annotations.tool = name.filter(|_| item.member("call_id").is_none());
    let common = around.join(Common { timestamp, id, extensions: rest }, named, report);
    let status = status.or_else(|| end?.status());
    let output = output.map(Node::carry);
    entries::tool_result(output, call_id, status, end.and_then(CallEnd::is_error), common)
}
