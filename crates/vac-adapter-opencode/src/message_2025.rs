//! Messages of the first months, with their parts inside: `parts` has what is said and
//! the tools' calls, `metadata` everything else.

use std::borrow::Cow;
use std::collections::HashMap;

use vac_adapter::members::{null, object, put, sift};
use vac_adapter::{Error, Origin, Sink, annotation};
use vac_record::annotations::{Author, End, EndOf, EntryAnnotations, Outcome};
use vac_record::{
    AbstractTimestamp, Decode, Entry, EventEntry, MessageEntry, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::classify::Facts;
use crate::message::{Moment, Usage, push, role, speaker, text};
use crate::object::StoredObject;
use crate::outcome::{CallEnd, turn_end};
use crate::part::{self, Entries, Scope};
use crate::tools::{TOOLS, is_shell};

/// The part that calls a tool.
const INVOCATION: &str = "tool-invocation";

/// What the order of messages needs of one.
#[derive(Default)]
pub(crate) struct MessageFacts<'d, 'a> {
    pub session: Option<Node<'d, 'a>>,
    pub time: Option<Node<'d, 'a>>,
    pub path: Option<Node<'d, 'a>>,
    pub model: Option<Node<'d, 'a>>,
    pub provider: Option<Node<'d, 'a>>,
    /// How many entries it makes.
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

/// Returns the author of a message by its texts. One without texts is the user's.
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

/// The result of a tool's call, if the part is a call that has one.
fn result<'d, 'a>(part: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    let invocation = invocation(part)?;
    invocation.member("result").filter(|result| result.kind() != Kind::Null)
}

fn invocation<'d, 'a>(part: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    part.member("type").filter(|kind| kind.is_text(INVOCATION))?;
    part.member("toolInvocation").filter(|invocation| invocation.kind() == Kind::Map)
}

/// Gives the entries of a message and its parts.
pub(crate) fn entries(
    node: Node<'_, '_>,
    message: Scope<'_>,
    origin: Origin<'_>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let mut last = said(node, message);
    let tools = node.member("metadata").and_then(|metadata| metadata.member("tool"));
    let tools = tools.into_iter().flat_map(Node::members);
    let tools: Tools<'_, '_> = tools.filter_map(|(id, about)| Some((id.text()?, about))).collect();
    let parts = node.member("parts").into_iter().flat_map(Node::elements);
    for (number, part) in (1..).zip(parts) {
        let scope = Scope { number: Some(number), ..message };
        let (entry, result) = match (invocation(part), part.kind()) {
            (Some(invocation), _) => call(part, invocation, &tools, scope),
            (None, Kind::Map) => part::entries(part, scope, sink.report()),
            (None, _) => (lone(part, scope), None),
        };
        sink.entry(std::mem::replace(&mut last, entry), origin)?;
        if let Some(result) = result {
            sink.entry(std::mem::replace(&mut last, result), origin)?;
        }
    }
    if let Some(how) = node.member("metadata").and_then(|it| it.member("error")).and_then(turn_end)
    {
        annotation::annotate(&mut last, |it| {
            it.ends = Some(End { of: EndOf::Turn, how: Some(how) });
        });
    }
    sink.entry(last, origin)
}

/// The entry of the message itself.
fn said<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let (stored, session) = (scope.stored, scope.session);
    let mut id = None;
    let mut parent_id = None;
    let mut made = Metadata::default();
    let mut moment = Moment::default();
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "role" => value.is_text(role(value)),
        "sessionID" => value.is_text(session),
        "id" => text(value, &mut id),
        "parentID" => text(value, &mut parent_id),
        "parts" => value.kind() == Kind::Array,
        "metadata" if value.kind() == Kind::Map => {
            made = Metadata::new(value, stored, session);
            true
        }
        "time" => moment.take(value, "created"),
        _ => false,
    });
    push(&mut extensions, "metadata", made.left);
    extensions.extend(moment.left());
    let annotations = EntryAnnotations {
        author: stored.notes.author,
        usage: made.usage.buckets(),
        ..scope.annotations()
    };
    annotation::attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind: speaker(stored),
        content: None,
        timestamp: moment.timestamp.or(made.timestamp),
        id: Some(id.unwrap_or_else(|| stored.place_id())),
        model_id: made.model_id,
        parent_id,
        token_usage: made.usage.made(),
        children: None,
        extensions,
    })
}

/// What a message says about itself.
#[derive(Default)]
struct Metadata<'a> {
    timestamp: Option<AbstractTimestamp<'a>>,
    model_id: Option<Text<'a>>,
    usage: Usage<'a>,
    left: Option<Any<'a>>,
}

impl<'a> Metadata<'a> {
    fn new(metadata: Node<'a, '_>, stored: &StoredObject<'_>, session: &str) -> Self {
        let mut made = Self::default();
        let mut moment = Moment::default();
        let mut assistant = None;
        let mut rest = sift(metadata, &[], |key, value| match key {
            "sessionID" => value.is_text(session),
            "time" => moment.take(value, "created"),
            "assistant" if value.kind() == Kind::Map => {
                assistant = object(sift(value, &[], |key, value| match key {
                    "modelID" => text(value, &mut made.model_id),
                    "cost" | "tokens" if stored.counts_usage => made.usage.take(key, value),
                    _ => false,
                }));
                true
            }
            _ => false,
        });
        push(&mut rest, "assistant", assistant);
        rest.extend(moment.left());
        made.timestamp = moment.timestamp;
        made.left = object(rest);
        made
    }
}

/// What is said about calls, by their ids.
type Tools<'d, 'a> = HashMap<Text<'d>, Node<'d, 'a>>;

/// A tool's call and its result; `tools` has their times.
fn call<'a>(
    part: Node<'a, '_>,
    invocation: Node<'a, '_>,
    tools: &Tools<'a, '_>,
    scope: Scope<'_>,
) -> Entries<'a> {
    let mut call_id = None;
    let mut name = None;
    let mut input = None;
    let mut output = None;
    let left = object(sift(invocation, &[], |key, value| match key {
        "toolCallId" => text(value, &mut call_id),
        "toolName" => text(value, &mut name),
        "args" => put(&mut input, Some(value.carry())),
        "result" => put(&mut output, Some(value.carry())),
        _ => false,
    }));
    let about = call_id.as_deref().and_then(|id| tools.get(id));
    let time = |key: &str| {
        let time = about.and_then(|about| about.member("time")?.member(key));
        time.and_then(|time| AbstractTimestamp::from_node(time).ok())
    };
    let failed = about.and_then(|about| about.member("error")?.bool()).unwrap_or_default();
    let mut id = None;
    let mut extensions = sift(part, &ToolCallEntry::KEYS, |key, value| match key {
        "type" | "toolInvocation" => true,
        "id" => text(value, &mut id),
        _ => false,
    });
    push(&mut extensions, "toolInvocation", left);
    let name = name.unwrap_or(Cow::Borrowed("unknown"));
    let annotations = EntryAnnotations { action: Some(TOOLS.action(&name)), ..scope.annotations() };
    annotation::attach(&mut extensions, &annotations);
    let id = id.unwrap_or_else(|| scope.id());
    let result = output.map(|output| {
        let exit = about.and_then(|about| about.member("exit")).filter(|_| is_shell(&name));
        let end = match (exit, failed) {
            (Some(exit), false) => CallEnd::from_command(Some(exit), None, None, false),
            (_, failed) => {
                let outcome = if failed { Outcome::Error } else { Outcome::Success };
                CallEnd::from_outcome(outcome)
            }
        };
        let annotations = EntryAnnotations {
            outcome: end.outcome,
            exit_code: end.exit_code,
            ..scope.annotations()
        };
        let mut extensions = Map::default();
        annotation::attach(&mut extensions, &annotations);
        Entry::ToolResult(ToolResultEntry {
            output,
            call_id: call_id.clone(),
            status: None,
            is_error: Some(failed),
            timestamp: time("end"),
            id: Some(format!("{id}:result").into()),
            children: None,
            extensions,
        })
    });
    let call = Entry::ToolCall(ToolCallEntry {
        name,
        input: input.unwrap_or_else(null),
        call_id,
        timestamp: time("start"),
        id: Some(id),
        children: None,
        extensions,
    });
    (call, result)
}

/// A part that is not an object.
pub(crate) fn lone<'a>(part: Node<'a, '_>, scope: Scope<'_>) -> Entry<'a> {
    let (mut data, mut extensions) = (Map::default(), Map::default());
    annotation::attach(&mut extensions, &scope.annotations());
    data.push(("value".into(), part.carry()));
    Entry::Event(EventEntry {
        event_type: "unknown".into(),
        data: Some(data),
        timestamp: None,
        id: Some(scope.id()),
        children: None,
        extensions,
    })
}
