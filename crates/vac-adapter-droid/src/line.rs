//! Converts lines to entries.

use vac_adapter::annotation::attach;
use vac_adapter::blocks;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time};
use vac_adapter::members::{Rest, keys, object};
use vac_adapter::prompt::author_of;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, End, EndOf, Ending, EntryAnnotations, Outcome, Usage};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, IntoOwned, Kind, Node, Text};

use crate::lines::{Lines, settings};
use crate::tools::TOOLS;
use crate::usage;

/// The type of events which state that a summary replaces the conversation so far.
pub(crate) const COMPACTION: &str = "compaction_state";
/// The event of `settings.json`.
const SETTINGS: &str = "settings";

/// The keys that this adapter adds to entries.
const OURS: &[&str] = &["parent-id", "message"];
const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
const CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
const RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);
const THOUGHT: &[&str] =
    &keys::with::<{ ReasoningEntry::KEYS.len() + OURS.len() }>(&ReasoningEntry::KEYS, OURS);

/// The context that decides how a line is read.
#[derive(Clone, Copy)]
pub(crate) struct LineContext<'c> {
    becomes: Becomes,
    lines: &'c Lines,
    at: LineAt,
}

/// The kind of entry that a line becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    /// A message, in `message` or (captured) in the line itself.
    Message { role: MessageEntryType, is_captured: bool },
    /// A captured tool call.
    Call,
    /// A captured tool result.
    Result,
    /// A captured thought.
    Thought,
    /// An event.
    Event,
}

mapping! {
    /// A line of a log. A line that becomes an event may have any other key.
    pub(crate) struct Line<'a>("line"; key, value, context: LineContext<'_>) {
        "type" => "the entry's type, or `event-type`", take kind: Text<'a> = value.text();
        "id" => "`id`; `call-id` of a captured call or result without `toolCallId`; kept if it repeats that of an earlier thought",
            take id: Text<'a> = value.text()
                .filter(|id| context.becomes != Becomes::Thought || context.lines.is_first(id, context.at));
        "parentId" => "`parent-id`", take parent: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "message" => "the entry of a message; else kept", take message: Node<'a, 'a> =
            matches!(context.becomes, Becomes::Message { is_captured: false, .. }).then_some(value);
        "role" => "the type of a captured message", stated = matches!(context.becomes,
            Becomes::Message { role, is_captured: true } if value.is_text(role.as_str()));
        "text" => "`content` of a captured message or thought", take text: Any<'a> =
            matches!(context.becomes, Becomes::Message { is_captured: true, .. } | Becomes::Thought)
                .then(|| value.carry());
        "toolCallId" => "`call-id` of a captured call or result", take call_id: Text<'a> =
            value.text().filter(|_| matches!(context.becomes, Becomes::Call | Becomes::Result));
        "toolName" => "`name` of a captured call", take name: Text<'a> =
            value.text().filter(|_| context.becomes == Becomes::Call);
        "parameters" => "`input` of a captured call", take input: Any<'a> =
            (context.becomes == Becomes::Call).then(|| value.carry());
        "value" => "`output` of a captured result", take output: Any<'a> =
            (context.becomes == Becomes::Result).then(|| value.carry());
        "isError" => "`is-error` of a captured result", take is_error: bool =
            value.bool().filter(|_| context.becomes == Becomes::Result);
        "usage" => "`vac.usage`", note usage: Node<'a, 'a> = usage::is_usage(value).then_some(value);
        "session_id" | "toolId" | "messageId" | "reasoning" => "", keep;
        _ => keep if context.becomes == Becomes::Event;
    }
}

mapping! {
    /// `message` of a line.
    pub(crate) struct Message<'a>("message"; key, value, role: MessageEntryType) {
        "role" => "the entry's type", stated = value.is_text(role.as_str());
        "content" => "`content`, and `children` of its blocks", take content: Node<'a, 'a> = Some(value);
        "model" => "`model-id`", take model: Text<'a> = value.text();
        "usage" => "`vac.usage`", note usage: Node<'a, 'a> = usage::is_usage(value).then_some(value);
        "visibility" => "`vac.author`", note visibility: Text<'a> = value.text();
        "hookEventName" => "`vac.author`", note hook: Text<'a> = value.text();
        "chatCompletionReasoningContent" | "openaiReasoningSummary" => "a child `reasoning` of an answer",
            note reasoning: Any<'a> = (role == MessageEntryType::Assistant && value.kind() == Kind::Text)
                .then(|| value.carry());
        "id" | "type" | "stop_reason" | "stop_sequence" | "hookResults" => "", keep;
    }
}

mapping! {
    /// A block of type `thinking` or `redacted_thinking`: a `reasoning`.
    pub(crate) struct Thinking<'a>("thinking"; key, value) {
        "type" => "the entry's type, if it is `thinking`", stated = value.is_text("thinking");
        "thinking" => "`content`", take content: Any<'a> = Some(value.carry());
        "signature" | "data" => "`encrypted`", take encrypted: Text<'a> = value.text();
    }
}

/// Returns the kind of entry that a line becomes.
fn becomes(node: Node<'_, '_>) -> Becomes {
    let is = |key: &str, text: &str| node.member(key).is_some_and(|it| it.is_text(text));
    let message = node.member("message").filter(|message| message.kind() == Kind::Map);
    let is_captured = node.member("message").is_none() && node.member("text").is_some();
    let role = match message {
        Some(message) => message.member("role"),
        None => node.member("role").filter(|_| is_captured),
    };
    let is_role = |name: &str| is("type", "message") && role.is_some_and(|role| role.is_text(name));
    if is_role("user") {
        Becomes::Message { role: MessageEntryType::User, is_captured }
    } else if is_role("assistant") {
        Becomes::Message { role: MessageEntryType::Assistant, is_captured }
    } else if is("type", "tool_call") {
        Becomes::Call
    } else if is("type", "tool_result") {
        Becomes::Result
    } else if is("type", "reasoning") && node.member("text").is_some() {
        Becomes::Thought
    } else {
        Becomes::Event
    }
}

/// Returns the entry of a line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let becomes = becomes(node);
    let named = match becomes {
        Becomes::Message { .. } => MESSAGE,
        Becomes::Call => CALL,
        Becomes::Result => RESULT,
        Becomes::Thought => THOUGHT,
        Becomes::Event => &[],
    };
    let mut line = Line::read(node, named, LineContext { becomes, lines, at }, report);
    if matches!(becomes, Becomes::Call | Becomes::Result) && line.call_id.is_none() {
        line.call_id = line.id.take();
    }
    let id = line.id.take();
    let mut it = EntryAnnotations::default();
    if becomes == Becomes::Thought && id.is_none() {
        it.duplicate_of = node.member("id").and_then(Node::text);
        report.duplicates_linked += u64::from(it.duplicate_of.is_some());
    }
    let id = id.or_else(|| Some(at.place.id().into()));
    if let Becomes::Message { role, .. } = becomes {
        return message(role, line, id, lines, report);
    }
    let mut extensions = Rest::default();
    let parent = line.parent.take();
    extensions.extend(parent.map(|parent| ("parent-id".into(), parent.into())));
    if becomes == Becomes::Event {
        let event_type = event_type(node, &mut line, &mut it, lines, report);
        attach(&mut extensions, &it);
        let common = Common { timestamp: line.timestamp, id, extensions };
        return Entry::Event(entry::event(event_type, Some(line.rest), common));
    }
    extensions.extend(line.rest);
    let name = line.name.clone().unwrap_or(UNKNOWN.into());
    match becomes {
        Becomes::Call => it.action = Some(TOOLS.action(&name).into_owned()),
        Becomes::Result => it.outcome = Some(outcome(line.is_error)),
        _ => {}
    }
    attach(&mut extensions, &it);
    let common = Common { timestamp: line.timestamp, id, extensions };
    match becomes {
        Becomes::Call => {
            Entry::ToolCall(entry::tool_call(line.name, line.input, line.call_id, common))
        }
        Becomes::Thought => Entry::Reasoning(entry::reasoning(line.text, None, None, common)),
        _ => {
            let result = entry::tool_result(line.output, line.call_id, None, line.is_error, common);
            Entry::ToolResult(result)
        }
    }
}

/// Returns the outcome of a call. The API omits the flag if the call succeeded.
fn outcome(is_error: Option<bool>) -> Outcome {
    if is_error == Some(true) { Outcome::Error } else { Outcome::Success }
}

fn message<'a>(
    kind: MessageEntryType,
    mut line: Line<'a>,
    id: Option<Text<'a>>,
    lines: &Lines,
    report: &mut Report,
) -> Entry<'a> {
    let mut it = EntryAnnotations::default();
    let Message { content: node, model, usage, visibility, hook, reasoning, rest } =
        match line.message.take() {
            Some(message) => Message::read(message, &[], kind, report),
            None => Message::default(),
        };
    let time = line.timestamp.as_ref();
    let mut children: Vec<_> = reasoning.into_iter().map(|text| thought(text, time)).collect();
    let of_blocks = node.and_then(|node| blocks::children(node, |it| block(it, time, report)));
    children.extend(of_blocks.into_iter().flatten());
    let content = node.map(Node::carry).or(line.text);
    let has_results = |node: Node<'_, '_>| {
        let is_result =
            |it: Node<'_, '_>| it.member("type").is_some_and(|it| it.is_text("tool_result"));
        node.elements().next().is_some() && node.elements().all(is_result)
    };
    // Results of tools are in the user's name, but the user did not write them.
    if kind == MessageEntryType::User && !node.is_some_and(has_results) {
        let author = content.as_ref().map(|content| author_of(content, crate::RULES));
        it.author = Some(match author {
            _ if hook.is_some() || visibility.as_deref() == Some("user_only") => Author::Hook,
            _ if visibility.as_deref() == Some("llm_only") => Author::Program,
            _ if lines.facts.parent.is_some() => Author::OtherAgent,
            Some(author) => author,
            None => Author::User,
        });
    }
    it.usage = usage.or(line.usage).and_then(|usage| usage::read(usage, report));
    let mut extensions = line.rest;
    extensions.extend(object(rest).map(|rest| ("message".into(), rest)));
    attach(&mut extensions, &it);
    let common = Common { timestamp: line.timestamp, id, extensions };
    let message = entry::message(kind, content, common);
    let children = (!children.is_empty()).then_some(children);
    Entry::Message(MessageEntry { parent_id: line.parent, model_id: model, children, ..message })
}

/// Returns the reasoning in a text of the message.
fn thought<'a>(text: Any<'a>, time: Option<&AbstractTimestamp<'a>>) -> Entry<'a> {
    let common = Common { timestamp: time.cloned(), ..Common::default() };
    Entry::Reasoning(entry::reasoning(Some(text), None, None, common))
}

/// Returns the entry of a block that has one.
fn block<'a>(
    node: Node<'a, '_>,
    time: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let is = |kind: &str| node.member("type").is_some_and(|it| it.is_text(kind));
    if is("tool_use") {
        let mut call = blocks::tool_call(node, time.cloned(), report)?;
        let action = Some(TOOLS.action(&call.name));
        let it = EntryAnnotations { action, ..EntryAnnotations::default() };
        attach(&mut call.extensions, &it);
        return Some(Entry::ToolCall(call));
    }
    if is("tool_result") {
        let mut result = blocks::tool_result(node, time.cloned(), report)?;
        let outcome = Some(outcome(result.is_error));
        let it = EntryAnnotations { outcome, ..EntryAnnotations::default() };
        attach(&mut result.extensions, &it);
        return Some(Entry::ToolResult(result));
    }
    (is("thinking") || is("redacted_thinking")).then(|| {
        let Thinking { content, encrypted, rest } =
            Thinking::read(node, &ReasoningEntry::KEYS, report);
        let common = Common { timestamp: time.cloned(), id: None, extensions: rest };
        Entry::Reasoning(entry::reasoning(content, encrypted, None, common))
    })
}

/// Returns the type of an event, and adds what it means.
fn event_type<'a>(
    node: Node<'a, 'a>,
    line: &mut Line<'a>,
    it: &mut EntryAnnotations<'a>,
    lines: &Lines,
    report: &mut Report,
) -> Text<'a> {
    let Some(kind) = line.kind.take() else {
        let Some(settings) = settings(node) else {
            report.unknown("a line without a type");
            return UNKNOWN.into();
        };
        let totals = settings.member("tokenUsage").filter(|it| it.kind() == Kind::Map);
        let totals = totals.filter(|_| !lines.has_usage).and_then(|it| usage::read(it, report));
        let model = settings.member("model").and_then(Node::text);
        it.usage = totals.map(|totals| Usage { model, ..totals });
        return SETTINGS.into();
    };
    match &*kind {
        "session_start" => it.starts = Some(true),
        "session_end" => it.ends = Some(End { of: EndOf::Session, how: None }),
        "completion" => {
            it.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Success) });
            let usage = line.usage.filter(|_| !lines.has_usage);
            it.usage = usage.and_then(|usage| usage::read(usage, report));
        }
        "agent_turn_outcome" => {
            let how = match node.member("reason").and_then(Node::text).as_deref() {
                Some("completed") => Some(Ending::Success),
                Some("error" | "failed") => Some(Ending::Failure),
                Some("cancelled" | "interrupted" | "aborted") => Some(Ending::Interrupted),
                _ => None,
            };
            it.ends = Some(End { of: EndOf::Turn, how });
        }
        // Of the system, or of an unknown role.
        "message" | "system" | "todo_state" | "session_settings" | COMPACTION => {}
        kind => report.unknown(kind),
    }
    kind
}
