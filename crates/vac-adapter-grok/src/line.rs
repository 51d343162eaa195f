//! Converts lines to entries.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time, text};
use vac_adapter::members::{Rest, all, keys, object};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{
    Author, Decision, End, EndOf, Ending, EntryAnnotations, Outcome, Permission, Usage,
};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::companions::summary;
use crate::lines::{Lines, Message, becomes};
use crate::permission::REQUEST;
use crate::{tools, usage};

/// The keys that this adapter adds to entries.
const OURS: &[&str] = &["line", "chunks"];
const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
const THOUGHT: &[&str] =
    &keys::with::<{ ReasoningEntry::KEYS.len() + OURS.len() }>(&ReasoningEntry::KEYS, OURS);
const CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
const RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);

/// Known types of updates that are events.
const EVENTS: &[&str] = &[
    "auto_compact_completed",
    "auto_compact_failed",
    "auto_compact_started",
    "available_commands_update",
    "compaction_checkpoint",
    "config_option_update",
    "current_mode_update",
    "diff_review",
    "goal_updated",
    "hook_execution",
    "interaction_resolved",
    "last_turn_summary",
    "model_auto_switched",
    "model_changed",
    "pending_interaction",
    "plan",
    "plan_update",
    "response_completed",
    "response_started",
    "retry_state",
    "rewind_marker",
    "session_info_update",
    "session_recap",
    "session_summary_generated",
    "state_update",
    "subagent_finished",
    "subagent_progress",
    "subagent_spawned",
    "task_backgrounded",
    "task_completed",
    "terminal_output_chunk",
    "terminal_update",
    "tool_call_content_chunk",
    "tool_call_update",
    "turn_completed",
    "usage_update",
    "workflow_updated",
];

/// The kind of entry that an update becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    User,
    Assistant,
    Thought,
    Call,
    Result,
    Event,
}

/// The context that decides how a line is read.
#[derive(Clone, Copy)]
pub(crate) struct LineContext<'c> {
    becomes: Becomes,
    /// Whether the event states its own time.
    has_time: bool,
    /// Whether a result has `rawOutput`.
    has_output: bool,
    /// The name of a call's tool.
    tool: Option<&'c str>,
    session: Option<&'c str>,
    lines: &'c Lines,
    at: LineAt,
}

mapping! {
    /// A line with an update. Other lines are events with all their members.
    pub(crate) struct Line<'a>("line"; key, value, context: LineContext<'_>) {
        "timestamp" => "`timestamp`, if the update does not state its own; else kept",
            take timestamp: AbstractTimestamp<'a> = parse_time(value).filter(|_| !context.has_time);
        "method" => "the type of the line; kept if it is not `session/update`",
            stated = value.is_text("session/update");
        "params" => "see `params`", take params: Node<'a, 'a> = Some(value);
        "jsonrpc" | "id" => "", keep;
    }
}

mapping! {
    /// `params` of a line with an update.
    pub(crate) struct Params<'a>("params"; key, value, context: LineContext<'_>) {
        "sessionId" => "the session's; kept if it is another",
            stated = context.session.is_some_and(|session| value.is_text(session));
        "update" => "the entry", take update: Node<'a, 'a> = Some(value);
        "_meta" => "see `_meta`",
            take meta: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
    }
}

mapping! {
    /// `_meta` of the parameters.
    pub(crate) struct Meta<'a>("_meta"; key, value, context: LineContext<'_>) {
        "eventId" => "`id` of the first line that has it; else kept",
            take id: Text<'a> = value.text().filter(|_| context.lines.is_first(value, context.at));
        "agentTimestampMs" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        _ => keep;
    }
}

mapping! {
    /// `update`. An event may have any other key.
    pub(crate) struct Update<'a>("update"; key, value, context: LineContext<'_>) {
        "sessionUpdate" => "the entry's type, or `event-type`", take kind: Text<'a> = value.text();
        "content" => "`content`; `output` of a result without `rawOutput`; else kept",
            take content: Any<'a> = match context.becomes {
                Becomes::User | Becomes::Assistant | Becomes::Thought => Some(value.carry()),
                Becomes::Result if !context.has_output => Some(value.carry()),
                _ => None,
            };
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text()
            .filter(|_| matches!(context.becomes, Becomes::Call | Becomes::Result));
        "title" => "`name` of a call, if it is one word; else kept",
            stated = context.becomes == Becomes::Call
                && context.tool.is_some_and(|tool| value.is_text(tool));
        "rawInput" => "`input` of a call; else kept",
            take input: Any<'a> = (context.becomes == Becomes::Call).then(|| value.carry());
        "rawOutput" => "`output` of a result, `vac.exit-code`; else kept",
            take output: Node<'a, 'a> = (context.becomes == Becomes::Result).then_some(value);
        "status" => "`status`, `is-error` and `vac.outcome` of a result; else kept",
            take status: Text<'a> = value.text().filter(|_| context.becomes == Becomes::Result);
        "kind" => "`vac.action` of a call", note tool_kind: Text<'a> = value.text();
        "_meta" => "the name of a call's tool", note meta: Node<'a, 'a> = Some(value);
        "locations" | "messageId" => "", keep;
        _ => keep if context.becomes == Becomes::Event;
    }
}

/// Returns the name of a call's tool.
pub(crate) fn tool_name<'a>(message: &Message<'_, 'a>) -> Option<Text<'a>> {
    let of_meta = |key: &str, name: &str| message.of("_meta")?.member(key)?.member(name);
    let stated = of_meta("x.ai/tool", "name").or_else(|| of_meta("claudeCode", "toolName"));
    let title = message.of("title").and_then(Node::text);
    let is_name = |title: &Text<'_>| !title.is_empty() && !title.contains(char::is_whitespace);
    let kind = || message.of("kind").and_then(Node::text).filter(|kind| kind != "other");
    let named = stated.and_then(Node::text).or_else(|| title.clone().filter(is_name));
    named.or_else(kind).or(title)
}

/// Returns whether an update states that its call has ended.
pub(crate) fn is_end(message: &Message<'_, '_>) -> bool {
    message
        .of("status")
        .is_some_and(|status| status.is_text("completed") || status.is_text("failed"))
}

/// Returns the entry of a line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let message = Message::parse(node);
    let mut it = lines.annotations(&message, at);
    let Some(native) = message.update else { return other(node, &message, it, at, lines, report) };
    let becomes = becomes(lines, &message, at);
    let tool = tool_name(&message).filter(|_| becomes == Becomes::Call);
    let meta = message.params.and_then(|params| params.member("_meta"));
    let context = LineContext {
        becomes,
        has_time: meta.and_then(|it| parse_time(it.member("agentTimestampMs")?)).is_some(),
        has_output: message.of("rawOutput").is_some_and(|it| it.kind() != Kind::Null),
        tool: tool.as_deref(),
        session: lines.facts.session_id.as_deref(),
        lines,
        at,
    };
    let mut line = if message.is_bare {
        Line { params: Some(node), ..Line::default() }
    } else {
        Line::read(node, &[], context, report)
    };
    let params = match line.params.take() {
        Some(params) => Params::read(params, &[], context, report),
        None => Params::default(),
    };
    let meta = params.meta.map(|meta| Meta::read(meta, &[], context, report)).unwrap_or_default();
    let named = match becomes {
        Becomes::User | Becomes::Assistant => MESSAGE,
        Becomes::Thought => THOUGHT,
        Becomes::Call => CALL,
        Becomes::Result => RESULT,
        Becomes::Event => &[],
    };
    let update = Update::read(native, named, context, report);
    // The members around the update.
    let mut left = params.rest;
    left.extend(object(meta.rest).map(|rest| ("_meta".into(), rest)));
    line.rest.extend(object(left).map(|rest| ("params".into(), rest)));
    let mut around = Rest::default();
    around.extend(object(line.rest).map(|rest| ("line".into(), rest)));
    let timestamp = meta.timestamp.or(line.timestamp);
    let id = meta.id.or_else(|| Some(at.place.id().into()));
    match becomes {
        Becomes::Event => event(&message, update, it, around, timestamp, id, report),
        Becomes::Call => call(native, update, it, tool, around, timestamp, id, lines),
        Becomes::Result => result(update, it, around, timestamp, id, lines),
        Becomes::User | Becomes::Assistant | Becomes::Thought => {
            if becomes == Becomes::User {
                it.author = Some(author(lines));
            }
            let mut extensions = update.rest;
            extensions.extend(around);
            attach(&mut extensions, &it);
            said(becomes, update.content, Common { timestamp, id, extensions })
        }
    }
}

fn author(lines: &Lines) -> Author {
    if lines.is_subagent() { Author::OtherAgent } else { Author::User }
}

fn said<'a>(becomes: Becomes, content: Option<Any<'a>>, common: Common<'a>) -> Entry<'a> {
    match becomes {
        Becomes::Thought => Entry::Reasoning(entry::reasoning(content, None, None, common)),
        Becomes::User => Entry::Message(entry::message(MessageEntryType::User, content, common)),
        _ => Entry::Message(entry::message(MessageEntryType::Assistant, content, common)),
    }
}

#[allow(clippy::too_many_arguments)] // The parts of one line.
fn call<'a>(
    native: Node<'a, 'a>,
    update: Update<'a>,
    mut it: EntryAnnotations<'a>,
    tool: Option<Text<'a>>,
    around: Rest<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<Text<'a>>,
    lines: &'a Lines,
) -> Entry<'a> {
    let name = tool.as_deref().unwrap_or(UNKNOWN);
    let action = tools::action(name, update.tool_kind.as_deref());
    it.action = Some(vac_value::IntoOwned::into_owned(action));
    let call_id = update.call_id;
    let child = call_id.as_deref().and_then(|call_id| lines.delegations.get(call_id));
    it.delegated_to = child.map(|child| child.as_str().into());
    let mut extensions = update.rest;
    extensions.extend(around);
    attach(&mut extensions, &it);
    let ended = native.member("status").and_then(Node::text);
    let known = call_id.as_deref().and_then(|call_id| lines.calls.get(call_id));
    let ended = ended.filter(|status| {
        matches!(&**status, "completed" | "failed")
            && known.is_none_or(|call| call.result.is_none())
    });
    let result = ended.map(|status| {
        let output = native.member("rawOutput").filter(|output| output.kind() != Kind::Null);
        let is_shell = known.is_some_and(|call| call.is_shell);
        let (is_error, it) = outcome(&status, output, is_shell);
        let output = output.or_else(|| native.member("content")).map(Node::carry);
        let mut extensions = Rest::default();
        attach(&mut extensions, &it);
        let common = Common { timestamp: timestamp.clone(), id: None, extensions };
        let result =
            entry::tool_result(output, call_id.clone(), Some(status), Some(is_error), common);
        vec![Entry::ToolResult(result)]
    });
    let common = Common { timestamp, id, extensions };
    let mut call = entry::tool_call(tool, update.input, call_id, common);
    call.children = result;
    Entry::ToolCall(call)
}

fn result<'a>(
    update: Update<'a>,
    it: EntryAnnotations<'a>,
    around: Rest<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<Text<'a>>,
    lines: &Lines,
) -> Entry<'a> {
    let call = update.call_id.as_deref().and_then(|call_id| lines.calls.get(call_id));
    let is_shell = call.is_some_and(|call| call.is_shell);
    let status = update.status.as_deref().unwrap_or_default();
    let (is_error, ended) = outcome(status, update.output, is_shell);
    let mut extensions = update.rest;
    extensions.extend(around);
    attach(
        &mut extensions,
        &EntryAnnotations { outcome: ended.outcome, exit_code: ended.exit_code, ..it },
    );
    let output = update.output.map(Node::carry).or(update.content);
    let common = Common { timestamp, id, extensions };
    Entry::ToolResult(entry::tool_result(
        output,
        update.call_id,
        update.status,
        Some(is_error),
        common,
    ))
}

/// Returns whether a call failed, and the annotations of its end. A command that ran and failed has the
/// status `completed`, and a search without a match the exit code 1.
fn outcome(
    status: &str,
    output: Option<Node<'_, '_>>,
    is_shell: bool,
) -> (bool, EntryAnnotations<'static>) {
    let code = output.and_then(|output| output.member("exit_code")?.integer());
    let code = code.and_then(|code| i64::try_from(code).ok()).map(i128::from);
    let has_failed = code.is_some_and(|code| if is_shell { code != 0 } else { code > 1 });
    let is_error = status == "failed" || has_failed;
    let outcome = Some(if is_error { Outcome::Error } else { Outcome::Success });
    let exit_code = code.filter(|_| is_shell);
    (is_error, EntryAnnotations { outcome, exit_code, ..EntryAnnotations::default() })
}

fn event<'a>(
    message: &Message<'a, 'a>,
    update: Update<'a>,
    mut it: EntryAnnotations<'a>,
    around: Rest<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: Option<Text<'a>>,
    report: &mut Report,
) -> Entry<'a> {
    let event_type = update.kind.unwrap_or(UNKNOWN.into());
    if !EVENTS.contains(&&*event_type) {
        report.unknown(&event_type);
    }
    let mut children = Vec::new();
    match &*event_type {
        "turn_completed" => {
            let how = message.of("stop_reason").and_then(Node::text);
            it.ends = Some(End { of: EndOf::Turn, how: how.as_deref().and_then(ending) });
            let usage = message.of("usage").filter(|usage| usage.kind() == Kind::Map);
            (it.usage, children) = used(usage, timestamp.as_ref(), report);
        }
        "pending_interaction" if message.of("kind").is_some_and(|it| it.is_text("permission")) => {
            let call_id = message.of("tool_call_id").and_then(Node::text);
            it.permission =
                Some(Permission { decision: Decision::Asked, by: None, what: None, call_id });
        }
        _ => {}
    }
    let mut extensions = around;
    attach(&mut extensions, &it);
    let common = Common { timestamp, id, extensions };
    let mut event = entry::event(event_type, Some(update.rest), common);
    event.children = (!children.is_empty()).then_some(children);
    Entry::Event(event)
}

/// Adds the tokens of a turn: those of one model, or a child for each of several models.
fn used<'a>(
    usage: Option<Node<'a, 'a>>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> (Option<Usage<'a>>, Vec<Entry<'a>>) {
    let mut used = usage.map(|usage| usage::of_turn(usage, report)).unwrap_or_default();
    if let [_] = &used[..] {
        return (used.pop(), Vec::new());
    }
    let child = |usage| {
        let mut extensions = Rest::default();
        let usage = Some(usage);
        attach(&mut extensions, &EntryAnnotations { usage, ..EntryAnnotations::default() });
        let common = Common { timestamp: timestamp.cloned(), id: None, extensions };
        Entry::Event(entry::event("model-usage".into(), None, common))
    };
    (None, used.into_iter().map(child).collect())
}

/// Returns how a turn ended.
fn ending(reason: &str) -> Option<Ending> {
    match reason {
        "end_turn" => Some(Ending::Success),
        "cancelled" => Some(Ending::Interrupted),
        "error" | "refusal" | "max_tokens" | "max_turn_requests" => Some(Ending::Failure),
        _ => None,
    }
}

/// Returns the entry of a line without an update: a summary, a request, a response.
fn other<'a>(
    node: Node<'a, 'a>,
    message: &Message<'a, 'a>,
    mut it: EntryAnnotations<'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let mut extensions = Rest::default();
    let id = Some(at.place.id().into());
    let prompt = message.params.and_then(|params| params.member("prompt"));
    if let (Some("session/prompt"), Some(prompt)) = (message.method.as_deref(), prompt) {
        it.author = Some(author(lines));
        extensions.extend([("line".into(), node.carry())]);
        attach(&mut extensions, &it);
        let common = Common { timestamp: None, id, extensions };
        return said(Becomes::User, Some(prompt.carry()), common);
    }
    let result = node.member("result");
    let event_type = match message.method.clone() {
        Some(method) => method,
        None if summary(node).is_some() => "summary".into(),
        None if result.is_some() || node.member("error").is_some() => "response".into(),
        None => {
            report.unknown("a line that is neither an update nor a message of the protocol");
            UNKNOWN.into()
        }
    };
    let timestamp = node.member("timestamp").and_then(parse_time);
    let mut children = Vec::new();
    if event_type == REQUEST {
        it.permission = lines.requests.asked(node);
    } else if message.method.is_none() {
        it.permission = lines.requests.decided(node);
        let reason = result.and_then(|result| result.member("stopReason")?.text());
        let usage = result.and_then(|result| result.member("usage"));
        let usage = usage.filter(|it| it.kind() == Kind::Map && !lines.has_turn_usage);
        let usage = usage.filter(|_| reason.is_some());
        it.ends = reason.map(|reason| End { of: EndOf::Turn, how: ending(&reason) });
        (it.usage, children) = used(usage, timestamp.as_ref(), report);
    }
    attach(&mut extensions, &it);
    let common = Common { timestamp, id, extensions };
    let mut event = entry::event(event_type, Some(all(node, &[])), common);
    event.children = (!children.is_empty()).then_some(children);
    Entry::Event(event)
}

/// Returns the entry of chunks that are one message: the joined text, and the unchanged lines.
pub(crate) fn joined_entry<'a>(
    nodes: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let Some(first) = nodes.elements().next() else { return entry(nodes, at, lines, report) };
    let message = Message::parse(first);
    let becomes = becomes(lines, &message, at);
    let mut it = lines.annotations(&message, at);
    if becomes == Becomes::User {
        it.author = Some(author(lines));
    }
    let mut blocks: Vec<Any<'a>> = Vec::new();
    let mut words = String::new();
    let take_words = |words: &mut String| {
        let text = std::mem::take(words);
        (!text.is_empty())
            .then(|| Any::members([("type", Any::from("text")), ("text", text.into())]))
    };
    for node in nodes.elements() {
        let Some(content) = Message::parse(node).of("content") else { continue };
        let is_text = content.member("type").is_some_and(|it| it.is_text("text"));
        match text(content.member("text")).filter(|_| is_text) {
            Some(text) => words.push_str(&text),
            None => {
                blocks.extend(take_words(&mut words));
                blocks.push(content.carry());
            }
        }
    }
    blocks.extend(take_words(&mut words));
    let mut extensions = Rest::default();
    extensions.push(("chunks".into(), nodes.carry()));
    attach(&mut extensions, &it);
    let common = Common { timestamp: None, id: Some(at.place.id().into()), extensions };
    said(becomes, Some(Any::array(blocks)), common)
}

/// Returns the text of an output: of blocks of content, or of the output of a tool of Grok Build.
pub(crate) fn result_text(output: &Any<'_>) -> Option<String> {
    if let Some(text) = ["text", "output", "stdout"].iter().find_map(|key| output.get(key)?.text())
    {
        return Some(text);
    }
    let blocks = output.elements()?;
    let texts = blocks.iter().filter_map(|block| block.get("content")?.get("text")?.text());
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
