//! Tool calls of captures: a line when one is started, and a line when it is completed.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::frame::Place;
use vac_adapter::members::{Rest, null, object, put, sift};
use vac_record::annotations::{EntryAnnotations, Outcome};
use vac_record::{AbstractTimestamp, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::facts::Facts;
use crate::outcome;
use crate::tools::annotate_call;

/// The members of a line about a tool call.
struct Line<'d, 'a> {
    call_id: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    tool: Option<Tool<'d, 'a>>,
    rest: Rest<'a>,
}

/// What is called: `{"<kind>ToolCall": {"args": …, "result": …}}`.
struct Tool<'d, 'a> {
    /// The key, which names the tool, and what it holds.
    name: Text<'a>,
    inside: Node<'d, 'a>,
    /// What else there is.
    others: Rest<'a>,
}

/// A call that begins.
pub(crate) fn started<'a>(node: Node<'a, '_>, place: Place, facts: &Facts) -> Entry<'a> {
    let line = Line::parse(node, "started", &ToolCallEntry::KEYS, facts);
    let mut extensions = line.rest;
    let (name, input) = match line.tool {
        None => (Cow::Borrowed(UNKNOWN), None),
        Some(tool) => {
            let mut input = None;
            let name = tool.called();
            let left =
                tool.left(|key, value| key == tool.input() && put(&mut input, Some(value.carry())));
            extensions.extend(left.map(|left| ("tool_call".into(), left)));
            (name, input)
        }
    };
    call(name, input, line.call_id, line.timestamp, place.id(), extensions)
}

/// The result of a call; with the call before it, if no line says that it was started.
pub(crate) fn completed<'a>(
    node: Node<'a, '_>,
    place: Place,
    facts: &Facts,
    is_started: bool,
    report: &mut Report,
) -> (Option<Entry<'a>>, Entry<'a>) {
    let line = Line::parse(node, "completed", &ToolResultEntry::KEYS, facts);
    let mut extensions = line.rest;
    let mut output = None;
    let mut status = None;
    let mut is_error = None;
    let mut before = None;
    let mut annotations =
        EntryAnnotations { outcome: Some(Outcome::Unknown), ..EntryAnnotations::default() };
    if let Some(tool) = line.tool {
        let mut input = None;
        let left = tool.left(|key, value| match key {
            "result" => {
                status = self::status(value);
                is_error = status.as_deref().and_then(|status| self::is_error(status, value));
                annotations = outcome::tagged_annotations(status.as_deref(), is_error, value);
                put(&mut output, Some(value.carry()))
            }
            key if key == tool.input() => !is_started && put(&mut input, Some(value.carry())),
            _ => false,
        });
        if !is_started {
            report.warn("a tool call is completed and was never started");
            let rest = Rest::default();
            before = Some(call(tool.called(), input, line.call_id.clone(), None, place.id(), rest));
        }
        extensions.extend(left.map(|left| ("tool_call".into(), left)));
    }
    attach(&mut extensions, &annotations);
    let id = if before.is_some() { format!("{}:result", place.id()) } else { place.id() };
    let result = Entry::ToolResult(ToolResultEntry {
        output: output.unwrap_or_else(null),
        call_id: line.call_id,
        is_error,
        status,
        timestamp: line.timestamp,
        id: Some(id.into()),
        children: None,
        extensions,
    });
    (before, result)
}

const UNKNOWN: &str = "unknown";
/// The tool of a model that Cursor has no kind for.
const FUNCTION: &str = "function";

fn call<'a>(
    name: Text<'a>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    timestamp: Option<AbstractTimestamp<'a>>,
    id: String,
    extensions: Rest<'a>,
) -> Entry<'a> {
    let mut call = Entry::ToolCall(ToolCallEntry {
        name,
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some(id.into()),
        children: None,
        extensions,
    });
    annotate_call(&mut call);
    call
}

impl<'d: 'a, 'a> Line<'d, 'a> {
    fn parse(node: Node<'d, 'a>, subtype: &str, named: &[&str], facts: &Facts) -> Self {
        let (mut call_id, mut timestamp, mut tool) = (None, None, None);
        let rest = sift(node, named, |key, value| match key {
            "type" => value.is_text("tool_call"),
            "subtype" => value.is_text(subtype),
            "session_id" => value.is_text(facts.id()),
            "call_id" => put(&mut call_id, value.text()),
            "timestamp_ms" => put(&mut timestamp, value.uint().map(AbstractTimestamp::Uint)),
            "tool_call" => put(&mut tool, Tool::parse(value)),
            _ => false,
        });
        Self { call_id, timestamp, tool, rest }
    }
}

impl<'d: 'a, 'a> Tool<'d, 'a> {
    /// The first object in it that is named as a tool, or has what a tool has.
    fn parse(tool_call: Node<'d, 'a>) -> Option<Self> {
        let mut found: Option<(Text<'a>, Node<'d, 'a>)> = None;
        let is_tool = |(name, value): &(Text<'a>, Node<'d, 'a>)| {
            let has = |key: &str| value.member(key).is_some();
            value.kind() == Kind::Map
                && (name.ends_with("ToolCall") || name == FUNCTION || has("args") || has("result"))
        };
        let mut objects = tool_call.members().filter_map(|(key, value)| Some((key.text()?, value)));
        let (name, _) = objects.find(is_tool)?;
        let others = sift(tool_call, &[], |key, value| {
            let is_it = found.is_none() && key == name;
            if is_it {
                found = Some((name.clone(), value));
            }
            is_it
        });
        let (name, inside) = found?;
        Some(Self { name, inside, others })
    }

    /// The member that is what the tool is called with.
    fn input(&self) -> &'static str {
        if self.name == FUNCTION { "arguments" } else { "args" }
    }

    /// The tool's name.
    fn called(&self) -> Text<'a> {
        let function = || self.inside.member("name").and_then(Node::text);
        if self.name == FUNCTION { function() } else { None }.unwrap_or_else(|| self.name.clone())
    }

    /// The members that were not taken.
    fn left(&self, take: impl FnMut(&str, Node<'d, 'a>) -> bool) -> Option<Any<'a>> {
        let inside = sift(self.inside, &[], take);
        let mut left = self.others.clone();
        left.extend(object(inside).map(|inside| (self.name.clone(), inside)));
        object(left)
    }
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

/// Whether a call failed. What Cursor calls a success may be a command or a tool of a server
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
