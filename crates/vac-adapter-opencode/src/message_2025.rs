//! Converts messages of the first months, which contain their parts: `parts` contains texts and
//! tool calls, `metadata` everything else.

use std::collections::HashMap;

use vac_adapter::members::{Rest, object};
use vac_adapter::{Error, Origin, Report, Sink, annotation, mapping};
use vac_record::annotations::{Author, End, EndOf, EntryAnnotations, Outcome};
use vac_record::{Entry, MessageEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Number, Text};

use crate::classify::Facts;
use crate::entry::{self, Called};
use crate::message::{role, speaker};
use crate::object::{as_map, push};
use crate::outcome::{CallEnd, turn_end};
use crate::part::{self, Entries, Scope};
use crate::time::{self, timestamp};
use crate::tools::{TOOLS, is_shell};
use crate::usage;

/// The part of a message that calls a tool.
const INVOCATION: &str = "tool-invocation";

/// The facts about a message on which the order depends.
#[derive(Default)]
pub(crate) struct MessageFacts<'d, 'a> {
    pub session: Option<Node<'d, 'a>>,
    pub time: Option<Node<'d, 'a>>,
    pub path: Option<Node<'d, 'a>>,
    pub model: Option<Node<'d, 'a>>,
    pub provider: Option<Node<'d, 'a>>,
    /// The number of its entries.
    pub entries: u64,
}

impl<'d, 'a> MessageFacts<'d, 'a> {
    pub fn new(message: &Facts<'d, 'a>) -> Self {
        let metadata = |key: &str| message.metadata.and_then(|metadata| metadata.member(key));
        let assistant = metadata("assistant");
        let of_answer = |key: &str| assistant.and_then(|assistant| assistant.member(key));
        let parts = message.parts.into_iter().flat_map(Node::elements);
        let entries = parts.map(|part| if result(part).is_some() { 2 } else { 1 });
        Self {
            session: message.session.or_else(|| metadata("sessionID")),
            time: message.time.or_else(|| metadata("time")),
            path: message.path.or_else(|| of_answer("path")),
            model: of_answer("modelID"),
            provider: of_answer("providerID"),
            entries: 1 + entries.sum::<u64>(),
        }
    }
}

/// Returns the author of a message according to its texts. A message without texts is the user's.
pub(crate) fn author(message: &Facts<'_, '_>) -> Author {
    let parts = message.parts.into_iter().flat_map(Node::elements);
    let is_text = |part: &Node<'_, '_>| part.member("type").is_some_and(|it| it.is_text("text"));
    let mut others = None;
    for author in parts.filter(is_text).map(part::text_author) {
        if author == Author::User {
            return author;
        }
        others = others.or(Some(author));
    }
    others.unwrap_or(Author::User)
}

/// Returns the result of a tool call, if the part is a call with a result.
fn result<'d, 'a>(part: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    let invocation = invocation(part)?;
    invocation.member("result").filter(|result| result.kind() != Kind::Null)
}

fn invocation<'d, 'a>(part: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    part.member("type").filter(|kind| kind.is_text(INVOCATION))?;
    part.member("toolInvocation").filter(|invocation| invocation.kind() == Kind::Map)
}

mapping! {
    /// A message of 2025, with its parts inside.
    pub(crate) struct Message2025<'a>("message (2025)"; key, value, session: &str) {
        "role" => "the entry's type", stated = value.is_text(role(value));
        "sessionID" => "the session's `id`; kept if it is another", stated = value.is_text(session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "parentID" => "`parent-id`", take parent_id: Text<'a> = value.text();
        "parts" => "an entry for each part, two for a call with a result",
            note parts: Node<'a, 'a> = Some(value), unless value.kind() == Kind::Array;
        "metadata" => "everything else about the message; the rest is kept",
            take metadata: Node<'a, 'a> = as_map(value);
        "time" => "its `created` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
    }
}

mapping! {
    /// `metadata` of a message of 2025.
    pub(crate) struct Metadata<'a>("message (2025).metadata"; key, value, session: &str) {
        "sessionID" => "the session's `id`; kept if it is another", stated = value.is_text(session);
        "time" => "its `created` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "assistant" => "model and usage; the rest is kept",
            take assistant: Node<'a, 'a> = as_map(value);
        "tool" => "by `call-id`: `timestamp` of calls and results, `is-error`, `vac.exit-code`",
            note tools: Node<'a, 'a> = Some(value);
        "error" => "`vac.ends` of the last entry of the message",
            note error: Node<'a, 'a> = Some(value);
        "title" | "snapshot" => "", keep;
    }
}

mapping! {
    /// `metadata.assistant` of a message of 2025.
    pub(crate) struct Assistant<'a>("message (2025).metadata.assistant"; key, value, counts_usage: bool) {
        "modelID" => "`model-id`, `models`", take model_id: Text<'a> = value.text();
        "cost" => "`token-usage.cost`",
            take cost: Number<'a> = usage::cost(value).filter(|_| counts_usage);
        "tokens" => "`token-usage` and `vac.usage`",
            take tokens: Node<'a, 'a> = as_map(value).filter(|_| counts_usage);
        "providerID" => "`model-provider`", keep;
        "path" => "`working-dir`, if neither session nor project state it", keep;
        "system" | "summary" => "", keep;
    }
}

mapping! {
    /// A part of type `tool-invocation`: a call, and its result if there is one.
    pub(crate) struct InvocationPart<'a>("tool-invocation"; key, value) {
        "type" => "the entry's type", stated = true;
        "toolInvocation" => "the call; the rest is kept", stated = true;
        "id" => "`id`; that of the result ends with `:result`", take id: Text<'a> = value.text();
    }
}

mapping! {
    /// `toolInvocation` of such a part.
    pub(crate) struct Invocation<'a>("toolInvocation"; key, value) {
        "toolCallId" => "`call-id` of both", take call_id: Text<'a> = value.text();
        "toolName" => "`name`, `vac.action`", take name: Text<'a> = value.text();
        "args" => "`input`", take input: Any<'a> = Some(value.carry());
        "result" => "`output` of the result", take output: Any<'a> = Some(value.carry());
        "state" | "step" => "", keep;
    }
}

/// Passes the entries of a message and its parts to a sink.
pub(crate) fn entries(
    node: Node<'_, '_>,
    message: Scope<'_>,
    origin: Origin<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let Said { entry: mut last, parts, tools, error } = said(node, message, sink.report());
    let tools = tools.into_iter().flat_map(Node::members);
    let tools: Tools<'_, '_> = tools.filter_map(|(id, about)| Some((id.text()?, about))).collect();
    let parts = parts.into_iter().flat_map(Node::elements);
    for (number, part) in (1..).zip(parts) {
        let scope = Scope { number: Some(number), ..message };
        let (entry, result) = match (invocation(part), part.kind()) {
            (Some(invocation), _) => call(part, invocation, &tools, scope, sink.report()),
            (None, Kind::Map) => part::entries(part, scope, sink.report()),
            (None, _) => (lone(part, scope), None),
        };
        sink.entry(std::mem::replace(&mut last, entry), origin)?;
        if let Some(result) = result {
            sink.entry(std::mem::replace(&mut last, result), origin)?;
        }
    }
    if let Some(how) = error.and_then(turn_end) {
        annotation::annotate(&mut last, |it| {
            it.ends = Some(End { of: EndOf::Turn, how: Some(how) });
        });
    }
    sink.entry(last, origin)
}

/// The entry of a message, and the parts from which its other entries are made.
struct Said<'a> {
    entry: Entry<'a>,
    parts: Option<Node<'a, 'a>>,
    tools: Option<Node<'a, 'a>>,
    error: Option<Node<'a, 'a>>,
}

fn said<'a>(node: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Said<'a> {
    let (stored, session) = (scope.stored, scope.session);
    let message = Message2025::read(node, &MessageEntry::KEYS, session, report);
    let metadata = message.metadata.map(|node| Metadata::read(node, &[], session, report));
    let Metadata { time, assistant, tools, error, rest: mut left } = metadata.unwrap_or_default();
    let assistant = assistant.map(|it| Assistant::read(it, &[], stored.counts_usage, report));
    let assistant = assistant.unwrap_or_default();
    push(&mut left, "assistant", object(assistant.rest));
    let of_metadata = time::read(time, time::CREATED, &mut left, report).start;
    let mut extensions = message.rest;
    push(&mut extensions, "metadata", object(left));
    let own = time::read(message.time, time::CREATED, &mut extensions, report).start;
    let (token_usage, usage) = usage::read(assistant.cost, assistant.tokens, report);
    let annotations =
        EntryAnnotations { author: stored.notes.author, usage, ..scope.annotations() };
    let id = message.id.unwrap_or_else(|| stored.place_id());
    let timestamp = own.or(of_metadata);
    let entry = Entry::Message(MessageEntry {
        model_id: assistant.model_id,
        parent_id: message.parent_id,
        token_usage,
        ..entry::message(speaker(stored), id, timestamp, extensions, &annotations)
    });
    Said { entry, parts: message.parts, tools, error }
}

/// The metadata of calls, by their ids.
type Tools<'d, 'a> = HashMap<Text<'d>, Node<'d, 'a>>;

/// Returns a tool call and its result. `tools` contains their times.
fn call<'a>(
    part: Node<'a, '_>,
    invocation: Node<'a, '_>,
    tools: &Tools<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let Invocation { call_id, name, input, output, rest: left } =
        Invocation::read(invocation, &[], report);
    let InvocationPart { id, mut rest } = InvocationPart::read(part, &ToolCallEntry::KEYS, report);
    push(&mut rest, "toolInvocation", object(left));
    let called = Called { name, call_id, id: id.unwrap_or_else(|| scope.id()) };
    let about = called.call_id.as_deref().and_then(|id| tools.get(id));
    let about = |key: &str| about.and_then(|about| about.member(key));
    let time = |key: &str| about("time")?.member(key).and_then(|time| timestamp(time, true));
    let failed = about("error").and_then(Node::bool).unwrap_or_default();
    let name = called.name();
    let result = output.map(|output| {
        let end = match (about("exit").filter(|_| is_shell(&name)), failed) {
            (Some(exit), false) => CallEnd::from_command(Some(exit), None, None, false),
            (_, true) => CallEnd::from_outcome(Outcome::Error),
            (_, false) => CallEnd::from_outcome(Outcome::Success),
        };
        let annotations = EntryAnnotations {
            outcome: end.outcome,
            exit_code: end.exit_code,
            ..scope.annotations()
        };
        Entry::ToolResult(ToolResultEntry {
            is_error: Some(failed),
            ..called.result(Some(output), time("end"), Rest::default(), &annotations)
        })
    });
    let annotations = EntryAnnotations { action: Some(TOOLS.action(&name)), ..scope.annotations() };
    let start = time("start");
    (called.call(input, start, rest, &annotations), result)
}

/// Returns the event of a part that is not an object.
pub(crate) fn lone<'a>(part: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let mut data = Rest::default();
    data.push(("value".into(), part.carry()));
    let (id, annotations) = (scope.id(), scope.annotations());
    entry::event("unknown".into(), data, id, None, Rest::default(), &annotations)
}
