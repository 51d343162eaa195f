//! Rows of the tables `session_message`, `session_inbox` and `session_pending`, and messages of
//! exports of version 2, which contain everything that was said at once.
//!
//! | native | entry |
//! |---|---|
//! | `user`: `text` | message of the user: `content` |
//! | `synthetic`: `text` | the same, by the program |
//! | `assistant`: `content` | message of the model, and an entry for each part of `content` |
//! | `content[]` of type `tool`: `name`, `id` or `callID`, `state.input`, `time.ran` | tool-call: `name`, `call-id`, `input`, `timestamp` |
//! | `state.content` or `state.error`, `state.status`, `time.completed` | tool-result: `output`, `status`, `is-error`, `timestamp` |
//! | `shell`: `command`, `shellID` or `callID`, `time.created` | tool-call `shell`: `input`, `call-id`, `timestamp` |
//! | `output`, `status`, `exit`, `time.completed` | tool-result: `output`, `status`, `is-error` and `exit-code`, `timestamp` |

use vac_adapter::members::{Rest, null, object, put, sift};
use vac_adapter::tools::canonical;
use vac_adapter::{Error, Origin, Sink, annotation};
use vac_record::annotations::{Action, Category, EntryAnnotations, Outcome};
use vac_record::{
    AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType, ReasoningEntry,
    ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Map, Node};

use crate::classify::Facts;
use crate::message::{Moment, Usage, push, speaker, text};
use crate::message_2025::lone;
use crate::outcome::CallEnd;
use crate::part::{self, Entries, Scope};
use crate::tool::{self, Called, State};

/// The type of a command that the user ran.
const SHELL: &str = "shell";

/// Returns the number of entries that a row makes.
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

/// Gives the entries of a row to the sink.
pub(crate) fn entries(
    node: Node<'_, '_>,
    row: Scope<'_>,
    origin: Origin<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    if is_kind(node, SHELL) {
        let (call, result) = user_command(node, row);
        sink.entry(call, origin)?;
        return result.map_or(Ok(()), |result| sink.entry(result, origin));
    }
    let mut last = said(node, row);
    let content = node.member("content").filter(|_| !row.stored.is_user);
    let parts = content.into_iter().flat_map(Node::elements);
    for (number, part) in (1..).zip(parts) {
        let scope = Scope { number: Some(number), ..row };
        let (entry, result) = if part.kind() != Kind::Map {
            (lone(part, scope), None)
        } else if is_kind(part, "text") {
            (words(part, scope), None)
        } else if is_kind(part, "reasoning") {
            (reasoning(part, scope), None)
        } else if is_kind(part, "tool") {
            call(part, scope)
        } else {
            part::entries(part, scope, sink.report())
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

/// The entry of the message itself.
fn said<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let stored = scope.stored;
    let mut id = None;
    let mut content = None;
    let mut model_id = None;
    let mut model = None;
    let mut moment = Moment::default();
    let mut usage = Usage::default();
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "type" => !value.is_text("synthetic"),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "text" if stored.is_user => put(&mut content, Some(value.carry())),
        "content" if !stored.is_user => true,
        "model" if value.kind() == Kind::Map => {
            model =
                object(sift(value, &[], |key, value| key == "id" && text(value, &mut model_id)));
            true
        }
        "time" => moment.take(value, "created"),
        "cost" | "tokens" if stored.counts_usage => usage.take(key, value),
        _ => false,
    });
    push(&mut extensions, "model", model);
    // A prompt that waits has the time of its row alone, which stays there as well.
    let of_row = || AbstractTimestamp::from_node(node.member("time_created")?).ok();
    let timestamp = moment.timestamp.take().or_else(of_row);
    extensions.extend(moment.left());
    let annotations = EntryAnnotations {
        author: stored.notes.author,
        usage: usage.buckets(),
        ..scope.annotations()
    };
    annotation::attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind: speaker(stored),
        content,
        timestamp,
        id: Some(id.unwrap_or_else(|| stored.place_id())),
        model_id,
        parent_id: None,
        token_usage: usage.made(),
        children: None,
        extensions,
    })
}

/// Returns the text of a part, and what else it says. The id is the provider's and is not
/// unique in the session.
fn part_text<'a>(
    part: Node<'a, '_>,
    kind: &str,
    named: &[&str],
    scope: Scope<'_>,
) -> (Option<Any<'a>>, Rest<'a>) {
    let mut content = None;
    let mut rest = sift(part, named, |key, value| match key {
        "type" => value.is_text(kind),
        "text" => put(&mut content, Some(value.carry())),
        _ => false,
    });
    annotation::attach(&mut rest, &scope.annotations());
    (content, rest)
}

fn words<'a>(part: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let (content, extensions) = part_text(part, "text", &MessageEntry::KEYS, scope);
    Entry::Message(MessageEntry {
        kind: MessageEntryType::Assistant,
        content,
        timestamp: None,
        id: Some(scope.id()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn reasoning<'a>(part: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let (content, extensions) = part_text(part, "reasoning", &ReasoningEntry::KEYS, scope);
    let metadata = part.member("providerMetadata").map(part::decrypted);
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        // It stays where it is, too.
        encrypted: metadata.and_then(|(encrypted, _)| encrypted),
        subject: None,
        timestamp: None,
        id: Some(scope.id()),
        children: None,
        extensions,
    })
}

/// A tool's call, and its result if there is one.
fn call<'a>(part: Node<'a, '_>, scope: Scope<'_>) -> Entries<'a> {
    let mut name = None;
    let mut call_id = None;
    let mut state = State::default();
    let mut time = None;
    // It was `callID` at first.
    let id_key = if part.member("callID").is_some() { "callID" } else { "id" };
    let mut extensions = sift(part, &ToolCallEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool"),
        "name" => text(value, &mut name),
        "state" if value.kind() == Kind::Map => {
            state = State::new(value, part.member("name"), false);
            true
        }
        "time" if value.kind() == Kind::Map => put(&mut time, Some(value)),
        _ => key == id_key && text(value, &mut call_id),
    });
    let began =
        time.and_then(|time| ["ran", "created"].into_iter().find(|key| time.member(key).is_some()));
    let time = time.map(|time| {
        sift(time, &[], |key, value| {
            let place = if Some(key) == began {
                &mut state.start
            } else if key == "completed" && state.is_error.is_some() {
                &mut state.end
            } else {
                return false;
            };
            put(place, AbstractTimestamp::from_node(value).ok())
        })
    });
    push(&mut extensions, "time", time.and_then(object));
    state.entries(Called { name, call_id, id: scope.id() }, extensions, Rest::default(), scope)
}

/// A command that the user ran, and its result if it has ended.
fn user_command<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entries<'a> {
    let has_ended = !is_running(node.member("status"));
    let mut id = None;
    let mut call_id = None;
    let mut input = None;
    let mut output = None;
    let mut status = None;
    let mut end = None;
    let mut moment = Moment::default();
    let id_key = if node.member("shellID").is_some() { "shellID" } else { "callID" };
    let mut of_call = sift(node, &ToolCallEntry::KEYS, |key, value| match key {
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "command" => put(&mut input, Some(value.carry())),
        "output" if has_ended => put(&mut output, Some(value.carry())),
        "status" if has_ended => text(value, &mut status),
        "time" if value.kind() == Kind::Map => {
            let completed = value.member("completed").filter(|_| has_ended);
            end = completed.and_then(|time| AbstractTimestamp::from_node(time).ok());
            moment.take(value, "created")
        }
        _ => key == id_key && text(value, &mut call_id),
    });
    of_call.extend(moment.left());
    let annotations = EntryAnnotations {
        action: Some(Action::new(canonical::USER_COMMAND, Category::Execute)),
        ..scope.annotations()
    };
    annotation::attach(&mut of_call, &annotations);
    let id = id.unwrap_or_else(|| scope.id());
    let result = has_ended.then(|| {
        let call_end = match status.as_deref() {
            Some("killed") => CallEnd::from_outcome(Outcome::Cancelled),
            Some("timeout") => CallEnd::from_outcome(Outcome::Error),
            _ => CallEnd::from_command(node.member("exit"), None, node.member("output"), true),
        };
        let annotations = EntryAnnotations {
            outcome: call_end.outcome,
            exit_code: call_end.exit_code,
            ..scope.annotations()
        };
        let mut extensions = Map::default();
        annotation::attach(&mut extensions, &annotations);
        Entry::ToolResult(ToolResultEntry {
            output: output.unwrap_or_else(null),
            call_id: call_id.clone(),
            status,
            is_error: None,
            timestamp: end,
            id: Some(format!("{id}:result").into()),
            children: None,
            extensions,
        })
    });
    let call = Entry::ToolCall(ToolCallEntry {
        name: SHELL.into(),
        input: input.unwrap_or_else(null),
        call_id,
        timestamp: moment.timestamp,
        id: Some(id),
        children: None,
        extensions: of_call,
    });
    (call, result)
}
