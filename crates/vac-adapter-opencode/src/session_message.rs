//! Converts rows of the tables `session_message`, `session_inbox` and `session_pending`, and
//! messages of exports of version 2, which contain their parts.

use vac_adapter::members::Rest;
use vac_adapter::tools::canonical;
use vac_adapter::{Error, Origin, Report, Sink, annotation, mapping};
use vac_record::annotations::{Action, Category, EntryAnnotations, Outcome};
use vac_record::{
    Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Number, Text};

use crate::classify::Facts;
use crate::entry::{self, Called};
use crate::message::{model_id, speaker};
use crate::message_2025::lone;
use crate::object::as_map;
use crate::outcome::CallEnd;
use crate::part::{self, Entries, Scope};
use crate::time::{self, TimeKeys, timestamp};
use crate::tool::{self, State};
use crate::usage;

/// The type of a command that the user ran.
const SHELL: &str = "shell";

/// Returns the number of entries of a row.
pub(crate) fn count(row: &Facts<'_, '_>) -> u64 {
    if row.is_kind(SHELL) {
        return if is_running(row.status) { 1 } else { 2 };
    }
    let content = row.content.filter(|_| row.is_kind("assistant"));
    let parts = content.into_iter().flat_map(Node::elements);
    1 + parts.map(|part| if has_result(part) { 2 } else { 1 }).sum::<u64>()
}

fn is_kind(part: Node<'_, '_>, kind: &str) -> bool {
    part.member("type").is_some_and(|of| of.is_text(kind))
}

fn has_result(part: Node<'_, '_>) -> bool {
    is_kind(part, "tool") && part.member("state").is_some_and(tool::has_result)
}

fn is_running(status: Option<Node<'_, '_>>) -> bool {
    status.is_some_and(|status| status.is_text("running"))
}

mapping! {
    /// A row of type `user`, `synthetic` or `assistant`: a message.
    pub(crate) struct SessionMessage<'a>("session_message"; key, value, scope: Scope<'_>) {
        "type" => "the entry's type; `synthetic` is `vac.author`, and kept",
            stated = !value.is_text("synthetic");
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(scope.session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "text" => "`content` of the user",
            take text: Any<'a> = scope.stored.is_user.then(|| value.carry());
        "content" => "of the model, an entry for each of its parts",
            note content: Node<'a, 'a> = Some(value), unless !scope.stored.is_user;
        "model" => "its `id` is `model-id`; the rest is kept", take model: Node<'a, 'a> = as_map(value);
        "time" => "its `created` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "time_created" => "`timestamp` of a prompt that waits",
            note row_time: Node<'a, 'a> = Some(value);
        "cost" => "`token-usage.cost`",
            take cost: Number<'a> = usage::cost(value).filter(|_| scope.stored.counts_usage);
        "tokens" => "`token-usage` and `vac.usage`",
            take tokens: Node<'a, 'a> = as_map(value).filter(|_| scope.stored.counts_usage);
        "error" => "`vac.ends` of the last entry of the message", keep;
        "seq" => "the order of the messages", keep;
        "time_updated" | "metadata" | "files" | "agents" | "skills"
        | "description" | "agent" | "snapshot" | "finish" | "rawFinish" | "native"
        | "providerState" | "retry" | "delivery" | "enqueued_seq" | "admitted_seq" | "resume"
        => "", keep;
    }
}

mapping! {
    /// A part of the `content` of such a message of type `text` or `reasoning`.
    pub(crate) struct ContentText<'a>("content"; key, value, kind: &str) {
        "type" => "the entry's type", stated = value.is_text(kind);
        "text" => "`content`", take content: Any<'a> = Some(value.carry());
        "providerMetadata" => "`encrypted` of `reasoning`",
            note metadata: Node<'a, 'a> = Some(value);
        // The ids are those of the provider and not unique in the session.
        "id" => "", keep;
        "state" | "native" | "time" => "", keep;
    }
}

mapping! {
    /// A part of the `content` of such a message of type `tool`: a call, and its result if there
    /// is one.
    pub(crate) struct ContentTool<'a>("content (tool)"; key, value, id_key: &str) {
        "type" => "the entry's type", stated = value.is_text("tool");
        "name" => "`name`, `vac.action`", take name: Text<'a> = value.text();
        "callID" => "`call-id` of both",
            take call_id: Text<'a> = value.text().filter(|_| key == id_key);
        "id" => "`call-id` of both where `callID` is absent",
            take id: Text<'a> = value.text().filter(|_| key == id_key);
        "state" => "what became of the call", take state: Node<'a, 'a> = as_map(value);
        "time" => "its `ran`, else its `created`, is `timestamp` of the call, its `completed` that of the result",
            take time: Node<'a, 'a> = as_map(value);
        "provider" | "executed" | "native" | "providerState" | "providerResultState" => "", keep;
    }
}

/// The context for reading a command of the user.
#[derive(Clone, Copy)]
pub(crate) struct ShellContext<'c> {
    /// The session's id.
    session: &'c str,
    /// The key of the id that the call and its result share.
    id_key: &'c str,
    /// Whether the command has ended.
    has_ended: bool,
}

mapping! {
    /// A row of type `shell`, a command that the user ran: a call of the tool `shell`, and its
    /// result if it has ended.
    pub(crate) struct UserCommand<'a>("shell"; key, value, context: ShellContext<'_>) {
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(context.session);
        "id" => "`id`; that of the result ends with `:result`", take id: Text<'a> = value.text();
        "shellID" => "`call-id` of both",
            take shell_id: Text<'a> = value.text().filter(|_| key == context.id_key);
        "callID" => "`call-id` of both where `shellID` is absent",
            take call_id: Text<'a> = value.text().filter(|_| key == context.id_key);
        "command" => "`input`", take input: Any<'a> = Some(value.carry());
        "output" => "`output` of the result; kept if the command is running",
            take output: Node<'a, 'a> = context.has_ended.then_some(value);
        "status" => "`status` and `vac.outcome` of the result; kept if the command is running",
            take status: Text<'a> = value.text().filter(|_| context.has_ended);
        "exit" => "`vac.exit-code` and `vac.outcome` of the result",
            note exit: Node<'a, 'a> = Some(value);
        "time" => "its `created` is `timestamp` of the call, its `completed` that of the result, and kept",
            take time: Node<'a, 'a> = as_map(value);
        "type" | "seq" | "metadata" | "time_created" | "time_updated" => "", keep;
    }
}

/// Passes the entries of a row to the sink.
pub(crate) fn entries(
    node: Node<'_, '_>,
    row: Scope<'_>,
    origin: Origin<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    if is_kind(node, SHELL) {
        let (call, result) = user_command(node, row, sink.report());
        sink.entry(call, origin)?;
        return result.map_or(Ok(()), |result| sink.entry(result, origin));
    }
    let (mut last, content) = said(node, row, sink.report());
    let parts = content.into_iter().flat_map(Node::elements);
    for (number, part) in (1..).zip(parts) {
        let scope = Scope { number: Some(number), ..row };
        let report = sink.report();
        let (entry, result) = if part.kind() != Kind::Map {
            (lone(part, scope), None)
        } else if is_kind(part, "text") {
            (words(part, scope, report), None)
        } else if is_kind(part, "reasoning") {
            (reasoning(part, scope, report), None)
        } else if is_kind(part, "tool") {
            call(part, scope, report)
        } else {
            part::entries(part, scope, report)
        };
        sink.entry(std::mem::replace(&mut last, entry), origin)?;
        if let Some(result) = result {
            sink.entry(std::mem::replace(&mut last, result), origin)?;
        }
    }
    if let Some(end) = row.stored.notes.end() {
        annotation::annotate(&mut last, |it| it.ends = Some(end));
    }
    sink.entry(last, origin)
}

/// Returns the entry of the message, and the content of an answer.
fn said<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> (Entry<'a>, Option<Node<'a, 'a>>) {
    let stored = scope.stored;
    let row = SessionMessage::read(node, &MessageEntry::KEYS, scope, report);
    let mut extensions = row.rest;
    let model_id = model_id(row.model, "id", &mut extensions, report);
    let time = time::read(row.time, time::CREATED, &mut extensions, report);
    let of_row = || timestamp(row.row_time?, true);
    let (token_usage, usage) = usage::read(row.cost, row.tokens, report);
    let annotations =
        EntryAnnotations { author: stored.notes.author, usage, ..scope.annotations() };
    let (id, time) = (row.id.unwrap_or_else(|| stored.place_id()), time.start.or_else(of_row));
    let entry = Entry::Message(MessageEntry {
        content: row.text,
        model_id,
        token_usage,
        ..entry::message(speaker(stored), id, time, extensions, &annotations)
    });
    (entry, row.content.filter(|_| !stored.is_user))
}

fn words<'a>(part: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let ContentText { content, rest, .. } =
        ContentText::read(part, &MessageEntry::KEYS, "text", report);
    let kind = MessageEntryType::Assistant;
    Entry::Message(MessageEntry {
        content,
        ..entry::message(kind, scope.id(), None, rest, &scope.annotations())
    })
}

fn reasoning<'a>(part: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let ContentText { content, metadata, rest } =
        ContentText::read(part, &ReasoningEntry::KEYS, "reasoning", report);
    let encrypted = metadata.and_then(part::encrypted);
    entry::reasoning(content, encrypted, scope.id(), None, rest, &scope.annotations())
}

/// Returns a tool call, and its result if there is one.
fn call<'a>(part: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entries<'a> {
    // The first versions named it `callID`.
    let id_key = if part.member("callID").is_some() { "callID" } else { "id" };
    let ContentTool { name, call_id, id, state, time, mut rest } =
        ContentTool::read(part, &ToolCallEntry::KEYS, id_key, report);
    let state = state.map(|state| State::new(state, name.as_deref(), false, report));
    let mut state = state.unwrap_or_default();
    let has_run = time.is_some_and(|time| time.member("ran").is_some());
    let start = if has_run { "ran" } else { "created" };
    let keys = TimeKeys { start, end: state.is_error.map(|_| "completed") };
    let time = time::read(time, keys, &mut rest, report);
    state.time.start = time.start.or(state.time.start);
    state.time.end = time.end.or(state.time.end);
    let called = Called { name, call_id: call_id.or(id), id: scope.id() };
    state.entries(called, rest, Rest::default(), scope)
}

/// Returns the call of a command that the user ran, and its result if it has ended.
fn user_command<'a>(node: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entries<'a> {
    let context = ShellContext {
        session: scope.session,
        id_key: if node.member("shellID").is_some() { "shellID" } else { "callID" },
        has_ended: !is_running(node.member("status")),
    };
    let shell = UserCommand::read(node, &ToolCallEntry::KEYS, context, report);
    let mut extensions = shell.rest;
    // The call keeps the time of its end, too.
    let completed = shell.time.and_then(|time| time.member("completed"));
    let end = completed.and_then(|end| timestamp(end, context.has_ended));
    let start = time::read(shell.time, time::CREATED, &mut extensions, report).start;
    let called = Called {
        name: Some(SHELL.into()),
        call_id: shell.shell_id.or(shell.call_id),
        id: shell.id.unwrap_or_else(|| scope.id()),
    };
    let result = context.has_ended.then(|| {
        let call_end = match shell.status.as_deref() {
            Some("killed") => CallEnd::from_outcome(Outcome::Cancelled),
            Some("timeout") => CallEnd::from_outcome(Outcome::Error),
            _ => CallEnd::from_command(shell.exit, None, shell.output, true),
        };
        let annotations = EntryAnnotations {
            outcome: call_end.outcome,
            exit_code: call_end.exit_code,
            ..scope.annotations()
        };
        let output = shell.output.map(Node::carry);
        Entry::ToolResult(ToolResultEntry {
            status: shell.status,
            ..called.result(output, end, Rest::default(), &annotations)
        })
    });
    let annotations = EntryAnnotations {
        action: Some(Action::new(canonical::USER_COMMAND, Category::Execute)),
        ..scope.annotations()
    };
    (called.call(shell.input, start, extensions, &annotations), result)
}
