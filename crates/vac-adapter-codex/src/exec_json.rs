//! Converts the output of `codex exec --json`: threads, turns, and the states of items.
//!
//! An item is printed when it starts, when it changes and when it is complete. The first state
//! of a tool is the call and the last one the result; a message is its last state. The states
//! between are events, superseded by the entry of the next state.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use vac_adapter::members::Rest;
use vac_adapter::{Report, annotation, mapping};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations, Superseded, SupersededHow};
use vac_record::{Entry, MessageEntryType};
use vac_value::{Any, Encoding, IntoOwned, Kind, Node, Text};

use crate::entries::{self, Common};
use crate::envelope_rest::{self, LineContext};
use crate::location::Location;
use crate::outcome::{self, CallEnd};
use crate::text_hash::TextHash;
use crate::{event, tools};

/// The entry that an item becomes.
#[derive(Clone, Copy)]
enum Target {
    /// A call with this input, and its result with the first of these outputs.
    Tool {
        input: &'static str,
        output: &'static [&'static str],
    },
    Message,
    Reasoning,
    Event,
}

fn target(kind: &str) -> Option<Target> {
    let tool = |input, output| Target::Tool { input, output };
    Some(match kind {
        "command_execution" => tool("command", &["aggregated_output"]),
        "file_change" => tool("changes", &[]),
        "mcp_tool_call" => tool("arguments", &["result", "error"]),
        "collab_tool_call" => tool("prompt", &["agents_states"]),
        "web_search" => tool("query", &[]),
        "todo_list" => tool("items", &["items"]),
        "agent_message" | "assistant_message" => Target::Message,
        "reasoning" => Target::Reasoning,
        "error" => Target::Event,
        _ => return None,
    })
}

/// The members of an item of a tool, and the state that it is in.
#[derive(Clone, Copy)]
pub(crate) struct ToolContext<'c> {
    /// Whether a member names the tool, rather than the type.
    is_named: bool,
    /// Whether the state is that of a result.
    is_result: bool,
    /// The member that is the input.
    input: Option<&'c str>,
    /// The member that is the output.
    output: Option<&'c str>,
    /// The id of the call.
    call_id: Option<&'c str>,
}

mapping! {
    /// `item` of a printed line that is the state of a `command_execution`, `file_change`,
    /// `mcp_tool_call`, `collab_tool_call`, `web_search` or `todo_list`: the first state is a
    /// `tool-call`, the last one its `tool-result`. Each keeps the members that only the other
    /// uses.
    pub(crate) struct PrintedTool<'a>("printed tool"; key, value, context: ToolContext<'_>) {
        "type" | "item_type" => "`name` of a tool of the CLI", keep;
        "tool" => "`name`", take name: Text<'a> = value.text().filter(|_| context.is_named);
        "command" | "changes" | "arguments" | "prompt" | "query" | "items" =>
            "`input`; `items` also `output`",
            take input: Node<'a, 'a> = (context.input == Some(key)).then_some(value);
        "aggregated_output" | "result" | "error" | "agents_states" => "`output`",
            take output: Node<'a, 'a> = (context.output == Some(key)).then_some(value);
        "id" => "`call-id`, with the number of the run from the second one on",
            stated = context.call_id.is_some_and(|call_id| value.is_text(call_id));
        "status" => "`status` of the result; `is-error`, `vac.outcome`",
            take status: Text<'a> = value.text().filter(|_| context.is_result);
        "exit_code" => "`is-error`, `vac.outcome`, `vac.exit-code`", keep;
        "server" => "`vac.action`", note server: Text<'a> = value.text();
        "action" | "sender_thread_id" | "receiver_thread_ids" => "", keep;
    }
}

mapping! {
    /// `item` of a printed line that is the last state of an `agent_message` (at first
    /// `assistant_message`) or of `reasoning`.
    pub(crate) struct PrintedMessage<'a>("printed message"; key, value, type_key: &str) {
        "type" | "item_type" => "the entry's type", stated = key == type_key;
        "text" => "`content`", take content: Node<'a, 'a> = Some(value);
        "id" => "", keep;
    }
}

/// Returns the type of an item, under its current or its first name.
fn type_of<'a>(item: Node<'a, '_>) -> Option<Text<'a>> {
    item.member("type").or_else(|| item.member("item_type")).and_then(Node::text)
}

fn is_start(kind: &str) -> bool {
    matches!(kind, "thread.started" | "session.created")
}

/// Returns the id of the thread that a line begins.
pub(crate) fn thread<'a>(line: Node<'a, '_>, kind: &str) -> Option<Text<'a>> {
    let id = line.member("thread_id").or_else(|| line.member("session_id"));
    is_start(kind).then(|| id.and_then(Node::text))?
}

/// The states of items that later states replace.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// The items of the run whose state may be followed by another one, and the frame of the state.
    open: HashMap<TextHash, u64>,
    /// The frames of superseded states, and the entries that replace them.
    superseded: Vec<(u64, Location)>,
}

impl States {
    /// Adds a printed line.
    pub fn line(&mut self, line: Node<'_, '_>, kind: &str, at: Location) {
        if is_start(kind) {
            // Every run numbers items anew.
            self.open.clear();
        }
        let Some(item) = line.member("item") else { return };
        let Some(id) = item.member("id").and_then(TextHash::from_node) else { return };
        if let Some(earlier) = self.open.remove(&id) {
            self.superseded.push((earlier, at));
        }
        let is_tool = type_of(item)
            .and_then(|kind| target(&kind))
            .is_some_and(|target| matches!(target, Target::Tool { .. }));
        if kind == "item.updated" || (kind == "item.started" && !is_tool) {
            self.open.insert(id, at.index);
        }
    }

    /// Ends the pass.
    pub fn end(&mut self) {
        self.superseded.sort_unstable_by_key(|(earlier, _)| *earlier);
    }

    fn follower(&self, index: u64) -> Option<Location> {
        let place = self.superseded.binary_search_by_key(&index, |(earlier, _)| *earlier).ok()?;
        self.superseded.get(place).map(|(_, follower)| *follower)
    }
}

/// Reads printed lines, in order.
pub(crate) struct PrintedItems<'f> {
    states: &'f States,
    /// The number of runs of the CLI so far.
    runs: u64,
    is_running: bool,
    /// Calls of this run.
    called: HashSet<TextHash>,
}

impl<'f> PrintedItems<'f> {
    /// Creates the state before the first line.
    pub fn new(states: &'f States) -> Self {
        Self { states, runs: 0, is_running: false, called: HashSet::new() }
    }

    /// Returns the entry of a line of this type.
    pub fn entry<'a>(
        &mut self,
        line: Node<'a, '_>,
        kind: Text<'a>,
        at: Location,
        extensions: Rest<'a>,
        mut annotations: EntryAnnotations<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        if is_start(&kind) || !self.is_running {
            self.is_running = true;
            self.runs += 1;
            self.called.clear();
        }
        let item = line.member("item").filter(|item| item.kind() == Kind::Map);
        let Some(item) = item.filter(|_| kind.starts_with("item.")) else {
            annotations.ends = end(line, &kind);
            let around = LineContext::bare(at, annotations);
            return event::entry(line, kind, None, around, extensions, report);
        };
        let native = type_of(item);
        let known = native.as_deref().and_then(target);
        if known.is_none() {
            report.unknown(&format!("{kind}/{}", native.as_deref().unwrap_or("without a type")));
        }
        let state = State { line, item, kind, native: native.unwrap_or_default(), at };
        match known {
            Some(Target::Tool { input, output }) => self.tool(state, input, output, report),
            Some(target @ (Target::Message | Target::Reasoning))
                if self.states.follower(at.index).is_none() =>
            {
                state.message(matches!(target, Target::Reasoning), report)
            }
            _ => self.earlier(&state, report),
        }
    }

    fn tool<'a>(
        &mut self,
        state: State<'a>,
        input: &str,
        output: &[&str],
        report: &mut Report,
    ) -> Entry<'a> {
        let id = state.item.member("id").and_then(Node::text);
        let is_new = id.as_deref().is_none_or(|id| self.called.insert(TextHash::new(id)));
        let is_complete = state.kind == "item.completed";
        let call_id = id.map(|id| self.call_id(id));
        if is_new {
            state.call(call_id, input, is_complete.then_some(output), report)
        } else if is_complete {
            state.result(call_id, output, report)
        } else {
            self.earlier(&state, report)
        }
    }

    /// Returns the id of a call, with the number of the run, because every run of the CLI numbers
    /// items anew.
    fn call_id<'a>(&self, id: Text<'a>) -> Text<'a> {
        match self.runs {
            1 => id,
            run => Cow::Owned(format!("{run}.{id}")),
        }
    }

    /// Returns the entry of a state that is neither call nor result nor message.
    fn earlier<'a>(&self, state: &State<'a>, report: &mut Report) -> Entry<'a> {
        let follower = self.states.follower(state.at.index);
        let superseded = follower.map(|follower| Superseded {
            how: SupersededHow::Updated,
            by: Some(follower.id().into()),
        });
        let annotations = EntryAnnotations { superseded, ..EntryAnnotations::default() };
        let event_type = Cow::Owned(format!("{}/{}", state.kind, state.native));
        let around = LineContext::bare(state.at, annotations);
        event::entry(state.line, event_type, None, around, Rest::default(), report)
    }
}

/// One state of an item.
struct State<'a> {
    line: Node<'a, 'a>,
    item: Node<'a, 'a>,
    kind: Text<'a>,
    native: Text<'a>,
    at: Location,
}

impl<'a> State<'a> {
    /// Returns the first of these members that the item has.
    fn first<'k>(&self, keys: &[&'k str]) -> Option<&'k str> {
        let has = |key: &str| self.item.member(key).is_some_and(|it| it.kind() != Kind::Null);
        keys.iter().copied().find(|key| has(key))
    }

    /// Returns the call, with the result as its child if no other line states it.
    fn call(
        self,
        call_id: Option<Text<'a>>,
        input: &str,
        output: Option<&[&str]>,
        report: &mut Report,
    ) -> Entry<'a> {
        let named = envelope_rest::TOOL_CALL;
        let context = ToolContext {
            is_named: matches!(&*self.native, "mcp_tool_call" | "collab_tool_call"),
            is_result: output.is_some(),
            input: Some(input),
            output: output.and_then(|keys| self.first(keys)),
            call_id: call_id.as_deref(),
        };
        let item = PrintedTool::read(self.item, &[], context, report);
        let name = item.name.unwrap_or_else(|| self.native.clone());
        let action = match &*self.native {
            "mcp_tool_call" => tools::mcp(item.server.as_deref()).into_owned(),
            _ => tools::action(&name, None, None).into_owned(),
        };
        let annotations = EntryAnnotations { action: Some(action), ..EntryAnnotations::default() };
        let common = self.join(item.rest, "item.started", named, annotations, report);
        let result = output.is_some().then(|| {
            let end = outcome::stated(self.item);
            let timestamp = common.timestamp.clone();
            let mut result = Common { timestamp, ..Common::default() };
            let annotations = result_annotations(end, call_id.as_ref());
            annotation::attach(&mut result.extensions, &annotations);
            let output = item.output.map(Node::carry);
            let is_error = end.and_then(CallEnd::is_error);
            entries::tool_result(output, call_id.clone(), item.status, is_error, result)
        });
        entries::tool_call(name, item.input, call_id, result, common)
    }

    fn result(self, call_id: Option<Text<'a>>, output: &[&str], report: &mut Report) -> Entry<'a> {
        let named = envelope_rest::TOOL_RESULT;
        // The output may be a member that is the input of the call.
        let body = self.first(output);
        let context = ToolContext {
            is_named: false,
            is_result: true,
            input: body,
            output: body,
            call_id: call_id.as_deref(),
        };
        let item = PrintedTool::read(self.item, &[], context, report);
        let end = outcome::stated(self.item);
        let annotations = result_annotations(end, call_id.as_ref());
        let common = self.join(item.rest, "item.completed", named, annotations, report);
        let output = item.output.or(item.input).map(Node::carry);
        entries::tool_result(output, call_id, item.status, end.and_then(CallEnd::is_error), common)
    }

    fn message(self, is_reasoning: bool, report: &mut Report) -> Entry<'a> {
        let named = if is_reasoning { envelope_rest::REASONING } else { envelope_rest::MESSAGE };
        let type_key = if self.item.member("type").is_some() { "type" } else { "item_type" };
        let PrintedMessage { content, rest } =
            PrintedMessage::read(self.item, &[], type_key, report);
        let annotations = EntryAnnotations::default();
        let common = self.join(rest, "item.completed", named, annotations, report);
        if is_reasoning {
            entries::reasoning(content, None, common)
        } else {
            entries::message(MessageEntryType::Assistant, content, None, common)
        }
    }

    /// Joins the remaining members of the item with the line. Keeps the line's type unless it is
    /// the usual one.
    fn join(
        &self,
        rest: Rest<'a>,
        usual: &str,
        named: &[&str],
        annotations: EntryAnnotations<'a>,
        report: &mut Report,
    ) -> Common<'a> {
        let around = LineContext::item(self.line, self.at, annotations);
        let payload = Common { extensions: rest, ..Common::default() };
        let mut common = around.join(payload, named, report);
        if self.kind != usual
            && let Ok(kind) = Any::from_value(&*self.kind, Encoding::Json)
        {
            common.extensions.push(("native:type".into(), kind));
        }
        common
    }
}

/// Returns the annotations of the result of a call.
fn result_annotations<'a>(
    end: Option<CallEnd>,
    call_id: Option<&Text<'a>>,
) -> EntryAnnotations<'a> {
    let mut annotations = EntryAnnotations::default();
    if let Some(end) = end {
        end.annotate(&mut annotations, call_id.cloned());
    }
    annotations
}

/// Returns the end that a line states. Errors are printed even while the CLI reconnects.
fn end(line: Node<'_, '_>, kind: &str) -> Option<End> {
    let how = match kind {
        "turn.completed" => Ending::Success,
        "turn.failed" => Ending::Failure,
        "error" => {
            let message = line.member("message").and_then(Node::text).unwrap_or_default();
            if message.starts_with("Reconnecting") {
                return None;
            }
            Ending::Failure
        }
        _ => return None,
    };
    Some(End { of: EndOf::Turn, how: Some(how) })
}
