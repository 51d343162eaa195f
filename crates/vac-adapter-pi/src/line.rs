//! Converts lines of type `message` to entries: messages, tool results, commands of the user.

use vac_adapter::annotation::attach;
use vac_adapter::blocks::children;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time};
use vac_adapter::members::{Rest, all, keys, object};
use vac_adapter::prompt::author_of;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, End, EndOf, Ending, EntryAnnotations, Outcome, Usage};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::lines::{self, Lines};
use crate::tools::{TOOLS, USER_COMMAND};
use crate::{event, store, usage};

/// The keys that this adapter adds to entries.
const OURS: &[&str] = &["parent-id", "message"];

const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
const CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
const RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);

mapping! {
    /// A line of a log. A line that becomes an event may have any other key.
    pub(crate) struct Line<'a>("line"; key, value, role: Option<&str>) {
        "type" => "the entry's type; `event-type` of an event",
            take kind: Text<'a> = value.text();
        "id" => "`id`", take id: Text<'a> = value.text();
        "parentId" => "`parent-id`", take parent: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "message" => "the entry of a message; else kept",
            take message: Node<'a, 'a> = role.map(|_| value);
        _ => keep if role.is_none();
    }
}

mapping! {
    /// `message` of a user or of the model.
    pub(crate) struct Message<'a>("message"; key, value, role: &str) {
        "role" => "the entry's type", stated = value.is_text(role);
        "content" => "`content`, and `children` of its blocks", take content: Node<'a, 'a> = Some(value);
        "model" => "`model-id`", take model: Text<'a> = value.text().filter(|_| role == "assistant");
        "usage" => "`token-usage` and `vac.usage`; kept in a fork that repeats it",
            note usage: Node<'a, 'a> = usage::is_usage(value).then_some(value);
        "stopReason" => "`vac.ends`", note stop_reason: Text<'a> = value.text();
        "timestamp" | "api" | "provider" | "responseModel" | "responseId" | "thinkingLevel"
        | "errorMessage" | "rawStopReason" | "diagnostics" | "attribution" | "synthetic"
        | "duration" | "ttft" | "contextSnapshot" | "errorStatus" | "errorId" => "", keep;
    }
}

mapping! {
    /// `message` with the role `toolResult`.
    pub(crate) struct ToolResult<'a>("toolResult"; key, value) {
        "role" => "the entry's type", stated = value.is_text("toolResult");
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "content" => "`output`", take output: Node<'a, 'a> = Some(value);
        "isError" => "`is-error`, `vac.outcome`", take is_error: bool = value.bool();
        "toolName" => "`vac.exit-code`, if it runs commands", note tool: Text<'a> = value.text();
        "usage" => "`vac.usage`, `vac.stated-cost`: of the tool's own requests",
            note usage: Node<'a, 'a> = Some(value);
        "timestamp" | "details" | "nestedCalls" | "prunedAt" | "contextSnapshot" | "attribution"
        | "useless" => "", keep;
    }
}

mapping! {
    /// `message` with the role `bashExecution`: a command that the user typed with `!`. All of it is
    /// kept.
    pub(crate) struct BashExecution<'a>("bashExecution"; key, value) {
        "command" => "`input`", note command: Any<'a> = Some(value.carry());
        "output" => "`output` of a child `tool-result`", note output: Any<'a> = Some(value.carry());
        "exitCode" => "`vac.exit-code`", note exit_code: i128 =
            value.integer().and_then(|code| i64::try_from(code).ok()).map(i128::from);
        "cancelled" => "`vac.outcome`", note is_cancelled: bool = value.bool();
        "role" | "timestamp" | "truncated" | "fullOutputPath" | "excludeFromContext" | "meta" => "", keep;
    }
}

mapping! {
    /// A block of type `toolCall`: a `tool-call`.
    pub(crate) struct ToolCall<'a>("toolCall"; key, value) {
        "type" => "the entry's type", stated = value.is_text("toolCall");
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "name" => "`name`", take name: Text<'a> = value.text();
        "arguments" => "`input`", take input: Any<'a> = Some(value.carry());
        "partialJson" | "thoughtSignature" | "namespace" | "intent" | "customWireName" => "", keep;
    }
}

mapping! {
    /// A block of type `thinking`: a `reasoning`.
    pub(crate) struct Thinking<'a>("thinking"; key, value) {
        "type" => "the entry's type", stated = value.is_text("thinking");
        "thinking" => "`content`", take content: Any<'a> = Some(value.carry());
        "thinkingSignature" => "`encrypted`", take encrypted: Text<'a> = value.text();
        "redacted" | "itemId" => "", keep;
    }
}

/// Returns the entry of a line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    if let Some((table, row)) = store::row(node) {
        let common = Common { id: Some(at.place.id().into()), ..Common::default() };
        return Entry::Event(entry::event(table.into(), Some(all(row, &[])), common));
    }
    let message = node.member("message").filter(|message| message.kind() == Kind::Map);
    let is_message = |kind: Node<'_, '_>| kind.is_text("message") || kind.is_text("message_end");
    let role = message
        .filter(|_| node.member("type").is_some_and(is_message))
        .and_then(|message| message.member("role")?.text());
    let (named, make): (_, Make<'a>) = match role.as_deref() {
        Some("user") => (MESSAGE, user),
        Some("assistant") => (MESSAGE, assistant),
        Some("toolResult") => (RESULT, tool_result),
        Some(USER_COMMAND) => (CALL, user_command),
        _ => (&[], event::event),
    };
    let known = role.as_deref().filter(|_| !named.is_empty());
    let mut line = Line::read(node, named, known, report);
    line.timestamp = line.timestamp.or_else(|| lines::time(node).and_then(parse_time));
    let mut it = lines.annotations(line.timestamp.as_ref(), at);
    // Lines about the session apply to every branch.
    it.superseded = it.superseded.filter(|_| event::is_of_conversation(line.kind.as_deref()));
    let id = line.id.take().or_else(|| Some(at.place.id().into()));
    make(Reading { node, line, it, id, lines, role: role.filter(|_| named.is_empty()) }, report)
}

/// A function that builds the entry of a line.
type Make<'a> = fn(Reading<'a>, &mut Report) -> Entry<'a>;

/// The context of a line while its entry is built.
pub(crate) struct Reading<'a> {
    pub node: Node<'a, 'a>,
    pub line: Line<'a>,
    pub it: EntryAnnotations<'a>,
    pub id: Option<Text<'a>>,
    pub lines: &'a Lines,
    /// The role of a message that is an event.
    pub role: Option<Text<'a>>,
}

impl<'a> Reading<'a> {
    /// Returns the message, which `entry` has found.
    fn message(&mut self) -> Node<'a, 'a> {
        self.line.message.take().expect("only lines with a message are no events")
    }

    /// Adds the remaining members of the message, the id of the parent, and the annotations.
    pub fn extensions(&mut self, left: Rest<'a>, has_parent: bool) -> Rest<'a> {
        let mut extensions = std::mem::take(&mut self.line.rest);
        extensions.extend(object(left).map(|left| ("message".into(), left)));
        if !has_parent {
            let parent = self.line.parent.take();
            extensions.extend(parent.map(|parent| ("parent-id".into(), parent.into())));
        }
        attach(&mut extensions, &self.it);
        extensions
    }

    /// Adds the tokens of a line that is not an answer, if `usage` states any. Those of a fork's
    /// history do not count.
    pub fn add_usage(
        &mut self,
        usage: Option<Node<'a, 'a>>,
        model: Option<Text<'static>>,
        report: &mut Report,
    ) {
        let usage = usage.filter(|usage| usage::is_usage(*usage));
        let Some(usage) = usage.filter(|_| self.it.inherited.is_none()) else { return };
        let (stated, buckets) = usage::read(usage, report);
        self.it.usage = buckets.map(|buckets| Usage { model, ..buckets });
        self.it.stated_cost = stated.cost;
    }
}

fn user<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let node = reading.message();
    let Message { content, rest, .. } = Message::read(node, &[], "user", report);
    let content = content.map(Node::carry);
    reading.it.author = Some(match &content {
        _ if reading.lines.is_subagent => Author::OtherAgent,
        Some(content) => author_of(content, crate::RULES),
        None => Author::User,
    });
    message(MessageEntryType::User, content, rest, reading)
}

fn message<'a>(
    kind: MessageEntryType,
    content: Option<Any<'a>>,
    left: Rest<'a>,
    mut reading: Reading<'a>,
) -> Entry<'a> {
    let extensions = reading.extensions(left, true);
    let Reading { line, id, .. } = reading;
    let common = Common { timestamp: line.timestamp, id, extensions };
    Entry::Message(MessageEntry { parent_id: line.parent, ..entry::message(kind, content, common) })
}

fn assistant<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let node = reading.message();
    let Message { content, model, usage, stop_reason, mut rest } =
        Message::read(node, &[], "assistant", report);
    let timestamp = reading.line.timestamp.as_ref();
    let children = content.and_then(|content| children(content, |it| block(it, timestamp, report)));
    let usage = usage.filter(|_| reading.it.inherited.is_none());
    let token_usage = usage.map(|usage| {
        rest.remove("usage");
        let (stated, buckets) = usage::read(usage, report);
        reading.it.usage = buckets;
        stated
    });
    let how = match stop_reason.as_deref() {
        Some("stop") => Some(Ending::Success),
        Some("error") => Some(Ending::Failure),
        Some("aborted") => Some(Ending::Interrupted),
        _ => None,
    };
    reading.it.ends = how.map(|how| End { of: EndOf::Turn, how: Some(how) });
    let content = content.map(Node::carry);
    let entry = message(MessageEntryType::Assistant, content, rest, reading);
    let Entry::Message(message) = entry else { return entry };
    Entry::Message(MessageEntry { model_id: model, token_usage, children, ..message })
}

/// Returns the entry of a block that has one.
fn block<'a>(
    block: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let is = |kind: &str| block.member("type").is_some_and(|it| it.is_text(kind));
    let common = |extensions| Common { timestamp: timestamp.cloned(), id: None, extensions };
    if is("toolCall") {
        let ToolCall { call_id, name, input, rest: mut extensions } =
            ToolCall::read(block, &ToolCallEntry::KEYS, report);
        let action = Some(TOOLS.action(name.as_deref().unwrap_or(UNKNOWN)));
        let it = EntryAnnotations { action, ..EntryAnnotations::default() };
        attach(&mut extensions, &it);
        return Some(Entry::ToolCall(entry::tool_call(name, input, call_id, common(extensions))));
    }
    is("thinking").then(|| {
        let Thinking { content, encrypted, rest } =
            Thinking::read(block, &ReasoningEntry::KEYS, report);
        Entry::Reasoning(entry::reasoning(content, encrypted, None, common(rest)))
    })
}

fn tool_result<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let node = reading.message();
    let ToolResult { call_id, output, is_error, tool, usage, rest } =
        ToolResult::read(node, &[], report);
    let is_shell = tool.as_deref().is_some_and(|tool| TOOLS.is_shell(tool));
    let shown = output.filter(|_| is_error == Some(true)).and_then(last_text);
    let shown = shown.as_deref().unwrap_or_default().trim_end();
    let last = shown.rsplit('\n').next().unwrap_or_default();
    let code = last.strip_prefix("Command exited with code ").filter(|_| is_shell);
    reading.it.exit_code = code.and_then(|code| code.trim().parse::<i64>().ok()).map(i128::from);
    let was_stopped = matches!(last, "Command aborted" | "Operation aborted" | "Tool call aborted");
    reading.it.outcome = Some(match is_error {
        Some(true) if was_stopped => Outcome::Cancelled,
        Some(true) => Outcome::Error,
        Some(false) => Outcome::Success,
        None => Outcome::Unknown,
    });
    reading.add_usage(usage, None, report);
    let extensions = reading.extensions(rest, false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    Entry::ToolResult(entry::tool_result(output.map(Node::carry), call_id, None, is_error, common))
}

/// Returns the last text of an output.
fn last_text<'a>(output: Node<'a, '_>) -> Option<Text<'a>> {
    match output.kind() {
        Kind::Array => output.elements().filter_map(|block| block.member("text")?.text()).last(),
        _ => output.text(),
    }
}

fn user_command<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let node = reading.message();
    let BashExecution { command, output, exit_code, is_cancelled, rest: _ } =
        BashExecution::read(node, &[], report);
    reading.it.action = Some(TOOLS.action(USER_COMMAND));
    let outcome = match (is_cancelled, exit_code) {
        (Some(true), _) => Outcome::Cancelled,
        (_, Some(0)) => Outcome::Success,
        (_, Some(_)) => Outcome::Error,
        (_, None) => Outcome::Unknown,
    };
    let it = EntryAnnotations { outcome: Some(outcome), exit_code, ..EntryAnnotations::default() };
    let mut extensions = Rest::default();
    attach(&mut extensions, &it);
    let call_id = reading.id.clone();
    let timestamp = reading.line.timestamp.clone();
    let common = Common { timestamp, id: None, extensions };
    let result = entry::tool_result(output, call_id.clone(), None, None, common);
    let extensions = reading.extensions(all(node, &[]), false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    let mut call = entry::tool_call(Some(USER_COMMAND.into()), command, call_id, common);
    call.children = Some(vec![Entry::ToolResult(result)]);
    Entry::ToolCall(call)
}
