//! Converts lines to entries: messages, tool calls and results.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time};
use vac_adapter::members::{Rest, keys, object};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::tools::canonical;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Category, EntryAnnotations, Outcome, Subagent, Usage};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, TokenUsage,
    ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::lines::Lines;
use crate::tools::action;
use crate::{author, event};

/// The keys that this adapter adds to entries.
const OURS: &[&str] = &["parent-id", "data"];

const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
const CALL: &[&str] =
    &keys::with::<{ ToolCallEntry::KEYS.len() + OURS.len() }>(&ToolCallEntry::KEYS, OURS);
const RESULT: &[&str] =
    &keys::with::<{ ToolResultEntry::KEYS.len() + OURS.len() }>(&ToolResultEntry::KEYS, OURS);
const THOUGHT: &[&str] =
    &keys::with::<{ ReasoningEntry::KEYS.len() + OURS.len() }>(&ReasoningEntry::KEYS, OURS);
const EVENT: &[&str] = keys::EVENT;

mapping! {
    /// A line of a log.
    pub(crate) struct Line<'a>("line"; key, value) {
        "type" => "the entry's type, or `event-type`", take kind: Text<'a> = value.text();
        "data" => "the members of the entry; the `data` of an event",
            take data: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "id" => "`id`", take id: Text<'a> = value.text();
        "parentId" => "`parent-id`", take parent: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "agentId" => "`vac.subagent`", note agent: Text<'a> = value.text();
        "ephemeral" => "", keep;
    }
}

mapping! {
    /// `data` of a `user.message`.
    pub(crate) struct UserMessage<'a>("user.message"; key, value) {
        "content" => "`content`", take content: Any<'a> = Some(value.carry());
        "source" => "`vac.author`", note source: Text<'a> = value.text();
        "isAutopilotContinuation" => "`vac.author`", note is_continuation: bool = value.bool();
        "transformedContent" => "the prompt, if `content` is empty", keep;
        "attachments" | "delivery" | "agentMode" | "interactionId" | "parentAgentTaskId"
        | "supportedNativeDocumentMimeTypes" | "nativeDocumentPathFallbackPaths" => "", keep;
    }
}

mapping! {
    /// `data` of an `assistant.message`.
    pub(crate) struct AssistantMessage<'a>("assistant.message"; key, value) {
        "content" => "`content`", take content: Any<'a> = Some(value.carry());
        "model" => "`model-id`", take model: Text<'a> = value.text();
        "toolRequests" => "a child `tool-call` for each; kept if one is not an object",
            take requests: Node<'a, 'a> = is_objects(value).then_some(value);
        "reasoningText" => "`content` of a child `reasoning`", take thought: Any<'a> = Some(value.carry());
        "reasoningOpaque" => "`encrypted` of it", take opaque: Text<'a> = value.text();
        "outputTokens" => "`token-usage.output`, `vac.usage.output`", take output: u64 = value.uint();
        "parentToolCallId" => "`vac.subagent.call-id`", note parent_call: Text<'a> = value.text();
        "messageId" | "interactionId" | "turnId" | "apiCallId" | "requestId" | "clientRequestId"
        | "serviceRequestId" | "encryptedContent" | "reasoningBlocks" | "chunkIndex" | "chunkCount"
        | "phase" | "citations" | "serverTools" | "rte" => "", keep;
    }
}

mapping! {
    /// `data` of an `assistant.reasoning`, which older versions write before the message.
    pub(crate) struct Thought<'a>("assistant.reasoning"; key, value) {
        "content" => "`content`", take content: Any<'a> = Some(value.carry());
        "reasoningId" => "", keep;
    }
}

mapping! {
    /// An element of `toolRequests`.
    pub(crate) struct ToolRequest<'a>("toolRequest"; key, value) {
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "name" => "`name`", take name: Text<'a> = value.text();
        "arguments" => "`input`: an object, or (of VS Code, and of type `custom`) text",
            take input: Any<'a> = Some(value.carry());
        "mcpServerName" => "`vac.action.server`", note server: Text<'a> = value.text();
        "type" | "intentionSummary" | "toolTitle" | "mcpToolName" => "", keep;
    }
}

mapping! {
    /// `data` of a `tool.execution_start` of a call that no message requests.
    pub(crate) struct ExecutionStart<'a>("tool.execution_start"; key, value) {
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "toolName" => "`name`", take name: Text<'a> = value.text();
        "arguments" => "`input`", take input: Any<'a> = Some(value.carry());
        "mcpServerName" => "`vac.action.server`", note server: Text<'a> = value.text();
        "model" | "turnId" | "mcpToolName" | "shellToolInfo" | "parentToolCallId" | "rte" => "", keep;
    }
}

mapping! {
    /// `data` of a `tool.execution_complete`.
    pub(crate) struct ExecutionComplete<'a>("tool.execution_complete"; key, value) {
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        "result" => "`output`", take result: Node<'a, 'a> = Some(value);
        "error" => "`output`, unless there is a `result`; `vac.outcome`",
            take error: Node<'a, 'a> = Some(value);
        // `is-error` is the negation of `success`, so the member itself is kept, too.
        "success" => "`is-error`, `vac.outcome`", note is_success: bool = value.bool();
        "parentToolCallId" => "`vac.subagent.call-id`", note parent_call: Text<'a> = value.text();
        "model" | "interactionId" | "turnId" | "toolTelemetry" | "sandboxed" | "isUserRequested"
        | "mcpMeta" | "rte" => "", keep;
    }
}

/// Returns whether a value is a list of objects.
fn is_objects(value: Node<'_, '_>) -> bool {
    value.kind() == Kind::Array && value.elements().all(|it| it.kind() == Kind::Map)
}

/// Returns the entry of a line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let has_data = node.member("data").is_some_and(|data| data.kind() == Kind::Map);
    let kind = node.member("type").and_then(Node::text);
    let kind = kind.as_deref().filter(|_| has_data);
    let call = || node.member("data")?.member("toolCallId")?.text();
    let (named, make): (_, Make<'a>) = match kind {
        Some("user.message") => (MESSAGE, user),
        Some("assistant.message") => (MESSAGE, assistant),
        Some("assistant.reasoning") => (THOUGHT, thought),
        Some("tool.execution_complete") => (RESULT, result),
        Some("tool.execution_start") if call().is_none_or(|id| !lines.requested.contains(&*id)) => {
            (CALL, start)
        }
        _ => (EVENT, event::event),
    };
    let mut line = Line::read(node, named, report);
    let subagent = line.agent.clone();
    let it = EntryAnnotations {
        subagent: subagent.map(|id| Subagent { call_id: Some(id.clone()), id: Some(id) }),
        ..EntryAnnotations::default()
    };
    let id = line.id.take().or_else(|| Some(at.place.id().into()));
    make(Reading { line, it, id, at, lines }, report)
}

/// A function that builds the entry of a line.
type Make<'a> = fn(Reading<'a>, &mut Report) -> Entry<'a>;

/// The context of a line while its entry is built.
pub(crate) struct Reading<'a> {
    pub line: Line<'a>,
    pub it: EntryAnnotations<'a>,
    pub id: Option<Text<'a>>,
    pub at: LineAt,
    pub lines: &'a Lines,
}

impl<'a> Reading<'a> {
    /// Adds the remaining members of the data, the id of the parent, and the annotations.
    pub fn extensions(&mut self, left: Rest<'a>, has_parent: bool) -> Rest<'a> {
        let mut extensions = std::mem::take(&mut self.line.rest);
        extensions.extend(object(left).map(|left| ("data".into(), left)));
        if !has_parent {
            let parent = self.line.parent.take();
            extensions.extend(parent.map(|parent| ("parent-id".into(), parent.into())));
        }
        attach(&mut extensions, &self.it);
        extensions
    }

    /// Sets the call that started the subagent of the line.
    fn parent_call(&mut self, call: Option<Text<'a>>) {
        if let Some(call) = call {
            let subagent = self.it.subagent.get_or_insert(Subagent { id: None, call_id: None });
            subagent.call_id = Some(call);
        }
    }
}

/// Returns the data of a line, which `entry` has found.
fn data<'a>(reading: &mut Reading<'a>) -> Node<'a, 'a> {
    reading.line.data.take().expect("only lines with data are messages, calls and results")
}

fn user<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let UserMessage { content, source, is_continuation, rest } =
        UserMessage::read(data(&mut reading), &[], report);
    let is_continuation = is_continuation == Some(true);
    let is_subagent = reading.it.subagent.is_some();
    let author = author::author(content.as_ref(), source.as_deref(), is_continuation, is_subagent);
    reading.it.author = Some(author);
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
    let AssistantMessage { content, model, requests, thought, opaque, output, parent_call, rest } =
        AssistantMessage::read(data(&mut reading), &[], report);
    reading.parent_call(parent_call);
    let mut children = Vec::new();
    let common =
        |extensions| Common { timestamp: reading.line.timestamp.clone(), id: None, extensions };
    if thought.is_some() || opaque.is_some() {
        children.push(Entry::Reasoning(entry::reasoning(
            thought,
            opaque,
            None,
            common(Rest::default()),
        )));
    }
    for request in requests.into_iter().flat_map(Node::elements) {
        let ToolRequest { call_id, name, input, server, rest: mut extensions } =
            ToolRequest::read(request, &ToolCallEntry::KEYS, report);
        let delegated_to = call_id.clone().filter(|id| reading.lines.delegations.contains(&**id));
        let action = Some(action(name.as_deref().unwrap_or(UNKNOWN), server.as_deref()));
        let it = EntryAnnotations { action, delegated_to, ..EntryAnnotations::default() };
        attach(&mut extensions, &it);
        children.push(Entry::ToolCall(entry::tool_call(name, input, call_id, common(extensions))));
    }
    if output.is_some() {
        reading.it.usage = Some(Usage {
            input: None,
            cache_read: None,
            cache_write: None,
            output,
            reasoning: None,
            model: None,
        });
    }
    let token_usage = output.map(|_| TokenUsage {
        input: None,
        output,
        cached: None,
        reasoning: None,
        total: None,
        cost: None,
        extensions: Map::default(),
    });
    let entry = message(MessageEntryType::Assistant, content, rest, reading);
    let Entry::Message(message) = entry else { return entry };
    let children = (!children.is_empty()).then_some(children);
    Entry::Message(MessageEntry { model_id: model, token_usage, children, ..message })
}

fn thought<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let Thought { content, rest } = Thought::read(data(&mut reading), &[], report);
    let extensions = reading.extensions(rest, false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    Entry::Reasoning(entry::reasoning(content, None, None, common))
}

fn start<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let ExecutionStart { call_id, name, input, server, rest } =
        ExecutionStart::read(data(&mut reading), &[], report);
    let is_of_user = call_id.as_deref().is_some_and(|id| reading.lines.of_user.contains(id));
    let tool = name.clone().unwrap_or(UNKNOWN.into());
    let mut action = action(&tool, server.as_deref());
    if is_of_user {
        action.tool = canonical::USER_COMMAND.into();
        action.category = Category::Execute;
    }
    reading.it.action = Some(vac_value::IntoOwned::into_owned(action));
    let extensions = reading.extensions(rest, false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    Entry::ToolCall(entry::tool_call(name, input, call_id, common))
}

fn result<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let ExecutionComplete { call_id, result, error, is_success, parent_call, mut rest } =
        ExecutionComplete::read(data(&mut reading), &[], report);
    reading.parent_call(parent_call);
    let code = error.and_then(|error| error.member("code")?.text());
    let is_shell = call_id.as_deref().is_some_and(|id| reading.lines.shell_calls.contains(id));
    let shown = result.filter(|_| is_shell).and_then(|result| result.member("content")?.text());
    let exit_code = shown.and_then(|shown| exit_code(&shown));
    reading.it.exit_code = exit_code;
    reading.it.outcome = Some(match (is_success, code.as_deref()) {
        (Some(false), Some("rejected" | "denied" | "cancelled" | "aborted")) => Outcome::Cancelled,
        (Some(false), _) => Outcome::Error,
        (Some(true), _) if exit_code.is_some_and(|code| code != 0) => Outcome::Error,
        (Some(true), _) => Outcome::Success,
        (None, _) => Outcome::Unknown,
    });
    let output = match (result, error) {
        (Some(result), error) => {
            rest.extend(error.map(|error| ("error".into(), error.carry())));
            Some(result)
        }
        (None, error) => error,
    };
    let extensions = reading.extensions(rest, false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    let is_error = is_success.map(|is_success| !is_success);
    Entry::ToolResult(entry::tool_result(output.map(Node::carry), call_id, None, is_error, common))
}

/// Returns the exit code in the last line of a command's output: `<shellId: 0 completed with exit
/// code 1>`, `<exited with exit code 1>`.
fn exit_code(shown: &str) -> Option<i128> {
    let last = shown.trim_end().rsplit('\n').next()?.strip_prefix('<')?.strip_suffix('>')?;
    let (_, code) = last.split_once("exit code ")?;
    code.trim().parse::<i64>().ok().map(i128::from)
}

#[cfg(test)]
mod tests {
    use super::exit_code;

    #[test]
    fn exit_code_is_in_the_last_line() {
        for (shown, expected) in [
            ("a\n<shellId: 4 completed with exit code 0>", Some(0)),
            ("<exited with exit code 127>\n", Some(127)),
            ("<exited with exit code 1>\nmore", None),
            ("exit code 1", None),
            ("<exit code x>", None),
            ("", None),
        ] {
            assert_eq!(exit_code(shown), expected, "{shown}");
        }
    }
}
