//! The output of `codex exec --json`: threads, turns, and items in their states.
//!
//! An item is printed when it starts, when it changes and when it is complete. The first state
//! of a tool is the call and the last one the result; a message is its last state. The states
//! between are events, superseded by the entry of the next state.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use vac_adapter::Report;
use vac_adapter::annotation;
use vac_adapter::members::{Members, Rest, null};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations, Superseded, SupersededHow};
use vac_record::{
    Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Encoding, IntoOwned, Kind, Map, Node, Text};

use crate::envelope_rest::{self, LineContext};
use crate::location::Location;
use crate::outcome::{self, CallEnd};
use crate::text_hash::TextHash;
use crate::{event, tools};

/// What an item becomes.
#[derive(Clone, Copy)]
enum Target {
    /// A call and its result.
    Tool {
        /// The member that names the tool, if the type does not.
        name: Option<&'static str>,
        input: &'static str,
        output: &'static [&'static str],
    },
    Message,
    Reasoning,
    Event,
}

fn target(kind: &str) -> Option<Target> {
    let tool = |name, input, output| Target::Tool { name, input, output };
    Some(match kind {
        "command_execution" => tool(None, "command", &["aggregated_output"]),
        "file_change" => tool(None, "changes", &[]),
        "mcp_tool_call" => tool(Some("tool"), "arguments", &["result", "error"]),
        "collab_tool_call" => tool(Some("tool"), "prompt", &["agents_states"]),
        "web_search" => tool(None, "query", &[]),
        "todo_list" => tool(None, "items", &["items"]),
        "agent_message" | "assistant_message" => Target::Message,
        "reasoning" => Target::Reasoning,
        "error" => Target::Event,
        _ => return None,
    })
}

/// The type of an item, under the name it has now or the one it had at first.
fn type_of<'a>(item: Node<'a, '_>) -> Option<Text<'a>> {
    item.member("type").or_else(|| item.member("item_type")).and_then(Node::text)
}

fn is_start(kind: &str) -> bool {
    matches!(kind, "thread.started" | "session.created")
}

/// The id of the thread that a line begins.
pub(crate) fn thread<'a>(line: Node<'a, '_>, kind: &str) -> Option<Text<'a>> {
    let id = line.member("thread_id").or_else(|| line.member("session_id"));
    is_start(kind).then(|| id.and_then(Node::text))?
}

/// The states of items that later ones replace.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// Items of the run that have a state which may be followed by another, and
    /// its frame.
    open: HashMap<TextHash, u64>,
    /// Frames, and the entries that followed.
    superseded: Vec<(u64, Location)>,
}

impl States {
    /// Adds a printed line.
    pub fn line(&mut self, line: Node<'_, '_>, kind: &str, at: Location) {
        if is_start(kind) {
            // Items are numbered anew in every run.
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
    /// Nothing yet.
    pub fn new(states: &'f States) -> Self {
        Self { states, runs: 0, is_running: false, called: HashSet::new() }
    }

    /// The entry of a line of this type.
    pub fn entry<'a>(
        &mut self,
        line: Node<'a, '_>,
        kind: Text<'a>,
        at: Location,
        beside: Rest<'a>,
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
            return event::entry(line, kind, None, around, beside);
        };
        let native = type_of(item);
        let known = native.as_deref().and_then(target);
        if known.is_none() {
            report.unknown(&format!("{kind}/{}", native.as_deref().unwrap_or("without a type")));
        }
        let state = State { line, item, kind, native: native.unwrap_or_default(), at };
        match known {
            Some(Target::Tool { name, input, output }) => self.tool(state, name, input, output),
            Some(target @ (Target::Message | Target::Reasoning))
                if self.states.follower(at.index).is_none() =>
            {
                state.message(matches!(target, Target::Reasoning))
            }
            _ => self.earlier(&state),
        }
    }

    fn tool<'a>(
        &mut self,
        state: State<'a>,
        name: Option<&str>,
        input: &str,
        output: &[&str],
    ) -> Entry<'a> {
        let id = state.item.member("id").and_then(Node::text);
        let is_new = id.as_deref().is_none_or(|id| self.called.insert(TextHash::new(id)));
        let is_complete = state.kind == "item.completed";
        let call_id = id.map(|id| self.call_id(id));
        if is_new {
            state.call(call_id, name, input, is_complete.then_some(output))
        } else if is_complete {
            state.result(call_id, output)
        } else {
            self.earlier(&state)
        }
    }

    /// Returns the id of a call. Items are numbered anew in every run of the CLI.
    fn call_id<'a>(&self, id: Text<'a>) -> Text<'a> {
        match self.runs {
            1 => id,
            run => Cow::Owned(format!("{run}.{id}")),
        }
    }

    /// Returns the entry of a state that is neither call nor result nor message.
    fn earlier<'a>(&self, state: &State<'a>) -> Entry<'a> {
        let follower = self.states.follower(state.at.index);
        let superseded = follower.map(|follower| Superseded {
            how: SupersededHow::Updated,
            by: Some(follower.id().into()),
        });
        let annotations = EntryAnnotations { superseded, ..EntryAnnotations::default() };
        let event_type = Cow::Owned(format!("{}/{}", state.kind, state.native));
        let around = LineContext::bare(state.at, annotations);
        event::entry(state.line, event_type, None, around, Rest::default())
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
    /// Returns the call, with the result as its child if no other line states it.
    fn call(
        self,
        call_id: Option<Text<'a>>,
        name: Option<&str>,
        input: &str,
        output: Option<&[&str]>,
    ) -> Entry<'a> {
        let end = outcome::stated(self.item);
        let Some(mut item) = Members::new(self.item) else { return self.event() };
        let named = name.and_then(|name| item.text(name));
        let input = item.any(input).unwrap_or_else(null);
        take_id(&mut item, call_id.as_deref());
        let result = output.map(|keys| {
            let output = keys.iter().find_map(|key| item.any(key)).unwrap_or_else(null);
            (output, item.text("status"))
        });
        let name = named.unwrap_or_else(|| self.native.clone());
        let action = match &*self.native {
            "mcp_tool_call" => {
                let server = self.item.member("server").and_then(Node::text).unwrap_or_default();
                tools::mcp(&server).into_owned()
            }
            _ => tools::action(&name, None, None).into_owned(),
        };
        let annotations = EntryAnnotations { action: Some(action), ..EntryAnnotations::default() };
        let named = envelope_rest::TOOL_CALL;
        let (timestamp, extensions, id) = self.close(item, "item.started", named, annotations);
        let children = result.map(|(output, status)| {
            let mut extensions = Map::default();
            annotation::attach(&mut extensions, &result_annotations(end, call_id.as_ref()));
            vec![Entry::ToolResult(ToolResultEntry {
                output,
                call_id: call_id.clone(),
                status,
                is_error: end.and_then(CallEnd::is_error),
                timestamp: timestamp.clone(),
                id: None,
                children: None,
                extensions,
            })]
        });
        Entry::ToolCall(ToolCallEntry { name, input, call_id, timestamp, id, children, extensions })
    }

    fn result(self, call_id: Option<Text<'a>>, output: &[&str]) -> Entry<'a> {
        let end = outcome::stated(self.item);
        let Some(mut item) = Members::new(self.item) else { return self.event() };
        let output = output.iter().find_map(|key| item.any(key)).unwrap_or_else(null);
        let status = item.text("status");
        take_id(&mut item, call_id.as_deref());
        let (named, annotations) =
            (envelope_rest::TOOL_RESULT, result_annotations(end, call_id.as_ref()));
        let (timestamp, extensions, id) = self.close(item, "item.completed", named, annotations);
        Entry::ToolResult(ToolResultEntry {
            output,
            call_id,
            status,
            is_error: end.and_then(CallEnd::is_error),
            timestamp,
            id,
            children: None,
            extensions,
        })
    }

    fn message(self, is_reasoning: bool) -> Entry<'a> {
        let Some(mut item) = Members::new(self.item) else { return self.event() };
        let key = if item.peek("type").is_some() { "type" } else { "item_type" };
        item.said(key, &self.native);
        let content = item.any("text");
        let named = if is_reasoning { envelope_rest::REASONING } else { envelope_rest::MESSAGE };
        let annotations = EntryAnnotations::default();
        let (timestamp, extensions, id) = self.close(item, "item.completed", named, annotations);
        if is_reasoning {
            return Entry::Reasoning(ReasoningEntry {
                content: content.unwrap_or_else(null),
                encrypted: None,
                subject: None,
                timestamp,
                id,
                children: None,
                extensions,
            });
        }
        Entry::Message(MessageEntry {
            kind: MessageEntryType::Assistant,
            content,
            timestamp,
            id,
            model_id: None,
            parent_id: None,
            token_usage: None,
            children: None,
            extensions,
        })
    }

    fn event(self) -> Entry<'a> {
        let around = LineContext::bare(self.at, EntryAnnotations::default());
        event::entry(self.line, self.kind, None, around, Rest::default())
    }

    /// Returns the time of the line, what is left of it, and its id. Keeps its type if that is
    /// not the usual one.
    #[allow(clippy::type_complexity)]
    fn close(
        &self,
        item: Members<'a, '_>,
        usual: &str,
        named: &[&str],
        annotations: EntryAnnotations<'a>,
    ) -> (Option<vac_record::AbstractTimestamp<'a>>, Rest<'a>, Option<Text<'a>>) {
        let around = LineContext::item(self.line, self.at, annotations);
        let (timestamp, mut rest) = around.close(item, named);
        if self.kind != usual
            && let Ok(kind) = Any::from_value(&*self.kind, Encoding::Json)
        {
            rest.push(("native:type".into(), kind));
        }
        (timestamp, rest, Some(Cow::Owned(self.at.id())))
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

/// Returns what a line ends. Errors are printed while the CLI reconnects, too.
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

/// Takes the item's id if it is the call's.
fn take_id(item: &mut Members<'_, '_>, call_id: Option<&str>) {
    if let Some(call_id) = call_id {
        item.said("id", call_id);
    }
}
