//! Converts tool calls of captures: a line when one is started, and a line when it is completed.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::frame::Place;
use vac_adapter::members::{Rest, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{EntryAnnotations, Outcome};
use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::facts::Facts;
use crate::{entry, outcome};

/// The members of a line about a tool call that the record states in another way.
#[derive(Clone, Copy)]
pub(crate) struct Stated<'w> {
    subtype: &'w str,
    session: &'w str,
}

mapping! {
    /// A line of type `tool_call`: a `tool-call` when it is started, a `tool-result` when it is
    /// completed.
    pub(crate) struct CallLine<'a>("call"; key, value, stated: Stated<'_>) {
        "type" => "the entry's type", stated = value.is_text("tool_call");
        "subtype" => "the entry's type", stated = value.is_text(stated.subtype);
        "session_id" => "the session's `id`; kept if it is another",
            stated = value.is_text(stated.session);
        "call_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "timestamp_ms" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = value.uint().map(AbstractTimestamp::Uint);
        "tool_call" => "the tool, and the remaining members",
            take tool: NamedTool<'a> = NamedTool::find(value);
        "model_call_id" => "", keep;
    }
}

mapping! {
    /// `tool_call` of a line, in which the key of one object names the tool: `shellToolCall`, or
    /// `function` for a tool that Cursor has no kind for.
    pub(crate) struct ToolCall<'a>("tool_call"; key, value, name: &str) {
        _ => keep, unless key == name;
    }
}

/// The members of a tool that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    is_function: bool,
    has_input: bool,
    has_result: bool,
}

mapping! {
    /// The object of a `tool_call` that is named after the tool.
    pub(crate) struct Tool<'a>("tool"; key, value, wanted: Wanted) {
        "args" | "arguments" => "`input` of the `tool-call`; `arguments` of a `function`",
            take input: Any<'a> = (wanted.has_input && wanted.is_function == (key == "arguments"))
                .then(|| value.carry());
        "name" => "`name` of a `function`", note name: Text<'a> = value.text();
        "result" => "`output`, `status` (its first member), `is-error`, `vac.outcome`",
            take result: Node<'a, 'a> = wanted.has_result.then_some(value);
        "description" => "", keep;
    }
}

/// Returns the entry of a call that begins.
pub(crate) fn started<'a>(
    node: Node<'a, '_>,
    place: Place,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let stated = Stated { subtype: "started", session: facts.id() };
    let mut line = CallLine::read(node, &ToolCallEntry::KEYS, stated, report);
    let (mut name, mut input) = (None, None);
    if let Some(tool) = line.tool {
        let called = called(tool, (true, false), &mut line.rest, report);
        (name, input) = (Some(called.name), called.input);
    }
    entry::tool_call(name, input, line.call_id, line.timestamp, Some(place.id()), line.rest)
}

/// Returns the result of a call; with the call before it, if no line states that it was started.
pub(crate) fn completed<'a>(
    node: Node<'a, '_>,
    place: Place,
    facts: &Facts,
    is_started: bool,
    report: &mut Report,
) -> (Option<Entry<'a>>, Entry<'a>) {
    let stated = Stated { subtype: "completed", session: facts.id() };
    let mut line = CallLine::read(node, &ToolResultEntry::KEYS, stated, report);
    let (mut before, mut result) = (None, None);
    if let Some(tool) = line.tool {
        let called = called(tool, (!is_started, true), &mut line.rest, report);
        result = called.result;
        if !is_started {
            report.warn("a tool call is completed and was never started");
            let (call_id, id) = (line.call_id.clone(), Some(place.id()));
            let rest = Rest::default();
            before =
                Some(entry::tool_call(Some(called.name), called.input, call_id, None, id, rest));
        }
    }
    let status = result.and_then(status);
    let is_error = status.as_deref().zip(result).and_then(|(status, it)| is_error(status, it));
    let annotations = match result {
        Some(result) => outcome::tagged_annotations(status.as_deref(), is_error, result),
        None => EntryAnnotations { outcome: Some(Outcome::Unknown), ..EntryAnnotations::default() },
    };
    attach(&mut line.rest, &annotations);
    let id = if before.is_some() { format!("{}:result", place.id()) } else { place.id() };
    let output = result.map(Node::carry);
    let result = ToolResultEntry {
        timestamp: line.timestamp,
        ..entry::tool_result(output, line.call_id, status, is_error, Some(id), line.rest)
    };
    (before, Entry::ToolResult(result))
}

/// The key of a tool that Cursor has no kind for.
const FUNCTION: &str = "function";

/// The object of a `tool_call` that is named after the tool, and its key.
pub(crate) struct NamedTool<'a> {
    key: Text<'a>,
    tool: Node<'a, 'a>,
    tool_call: Node<'a, 'a>,
}

impl<'a> NamedTool<'a> {
    /// Returns the first object that has the name or the members of a tool.
    fn find(tool_call: Node<'a, 'a>) -> Option<Self> {
        let is_tool = |(key, tool): &(Text<'a>, Node<'a, 'a>)| {
            let has = |key: &str| tool.member(key).is_some();
            tool.kind() == Kind::Map
                && (key.ends_with("ToolCall") || key == FUNCTION || has("args") || has("result"))
        };
        let mut objects = tool_call.members().filter_map(|(key, value)| Some((key.text()?, value)));
        objects.find(is_tool).map(|(key, tool)| Self { key, tool, tool_call })
    }
}

/// The tool that a line calls.
struct Called<'a> {
    name: Text<'a>,
    input: Option<Any<'a>>,
    result: Option<Node<'a, 'a>>,
}

/// Reads a tool, with its input and its result if they are wanted. Its remaining members are added
/// to the rest of the line.
fn called<'a>(
    NamedTool { key, tool, tool_call }: NamedTool<'a>,
    (has_input, has_result): (bool, bool),
    line: &mut Rest<'a>,
    report: &mut Report,
) -> Called<'a> {
    let mut left = ToolCall::read(tool_call, &[], &key, report).rest;
    let wanted = Wanted { is_function: key == FUNCTION, has_input, has_result };
    let Tool { name, input, result, rest } = Tool::read(tool, &[], wanted, report);
    let name = name.filter(|_| wanted.is_function).unwrap_or_else(|| key.clone());
    left.extend(object(rest).map(|rest| (key, rest)));
    line.extend(object(left).map(|left| ("tool_call".into(), left)));
    Called { name, input, result }
}

/// Returns the state of a result: `success`, or the name of the member that states another.
pub(crate) fn status<'a>(result: Node<'a, '_>) -> Option<Text<'a>> {
    if result.member("success").is_some() {
        return Some(Cow::Borrowed("success"));
    }
    let is_state = |(key, value): &(Node<'a, '_>, Node<'a, '_>)| {
        value.kind() == Kind::Map || key.is_text("error")
    };
    result.members().find(is_state)?.0.text()
}

/// Returns whether a call failed. `success` in a log may be that of a command or a tool of a server
/// that failed.
pub(crate) fn is_error(status: &str, result: Node<'_, '_>) -> Option<bool> {
    match status {
        "success" => {
            let says = |key: &str| result.member("success").and_then(|success| success.member(key));
            let is_error = says("isError").and_then(Node::bool).unwrap_or_default();
            let code = says("exitCode").and_then(Node::integer).unwrap_or_default();
            Some(is_error || code != 0)
        }
        "rejected" | "cancelled" | "canceled" | "aborted" => None,
        _ => Some(true),
    }
}
