//! What `codex exec --json` printed: threads, turns, and items in their states.
//!
//! An item is printed when it starts, when it changes and when it is complete. A
//! tool's first state is the call and its last the result; a message is its last
//! state. The states between are events, each with the entry that follows it in
//! `superseded-by`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use vac_adapter::Report;
use vac_adapter::members::{Members, Rest, null};
use vac_adapter::raw;
use vac_record::{
    Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Encoding, Kind, Map, Node, Text};

use crate::around::{self, Around, Standing};
use crate::at::At;
use crate::{event, mark, outcome};

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

fn is_beginning(kind: &str) -> bool {
    matches!(kind, "thread.started" | "session.created")
}

/// The id of the thread that a line begins.
pub(crate) fn thread<'a>(line: Node<'a, '_>, kind: &str) -> Option<Text<'a>> {
    let id = line.member("thread_id").or_else(|| line.member("session_id"));
    is_beginning(kind).then(|| id.and_then(Node::text))?
}

/// The states of items that later ones took the place of.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// Items of the run that have a state which may be followed by another, and
    /// its frame.
    open: HashMap<u64, u64>,
    /// Frames, and the entries that followed.
    superseded: Vec<(u64, At)>,
}

impl States {
    /// Counts a printed line in.
    pub fn line(&mut self, line: Node<'_, '_>, kind: &str, at: At) {
        if is_beginning(kind) {
            // Items are numbered anew in every run.
            self.open.clear();
        }
        let Some(item) = line.member("item") else { return };
        let Some(id) = item.member("id").and_then(mark::of) else { return };
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

    fn follower(&self, index: u64) -> Option<At> {
        let place = self.superseded.binary_search_by_key(&index, |(earlier, _)| *earlier).ok()?;
        self.superseded.get(place).map(|(_, follower)| *follower)
    }
}

/// Reads printed lines, in order.
pub(crate) struct Capture<'f> {
    states: &'f States,
    /// How many runs of the CLI there were, counted from its first line.
    runs: u64,
    is_running: bool,
    /// Calls of this run.
    called: HashSet<u64>,
}

impl<'f> Capture<'f> {
    /// Nothing yet.
    pub fn new(states: &'f States) -> Self {
        Self { states, runs: 0, is_running: false, called: HashSet::new() }
    }

    /// The entry of a line of this type.
    pub fn entry<'a>(
        &mut self,
        line: Node<'a, '_>,
        kind: Text<'a>,
        at: At,
        beside: Rest<'a>,
        report: &mut Report,
    ) -> Entry<'a> {
        if is_beginning(&kind) || !self.is_running {
            self.is_running = true;
            self.runs += 1;
            self.called.clear();
        }
        let item = line.member("item").filter(|item| item.kind() == Kind::Map);
        let Some(item) = item.filter(|_| kind.starts_with("item.")) else {
            let around = Around::bare(at, Standing::default());
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
            _ => self.earlier(&state, None),
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
        let is_new = id.as_deref().is_none_or(|id| self.called.insert(mark::mark(id)));
        let is_complete = state.kind == "item.completed";
        let call_id = id.map(|id| self.call_id(id));
        if is_new {
            state.call(call_id, name, input, is_complete.then_some(output))
        } else if is_complete {
            state.result(call_id, output)
        } else {
            self.earlier(&state, call_id)
        }
    }

    /// Ids are counted anew in every run of the CLI.
    fn call_id<'a>(&self, id: Text<'a>) -> Text<'a> {
        match self.runs {
            1 => id,
            run => Cow::Owned(format!("{run}.{id}")),
        }
    }

    /// A state that is neither call nor result nor message.
    fn earlier<'a>(&self, state: &State<'a>, call_id: Option<Text<'a>>) -> Entry<'a> {
        let mut beside = Rest::default();
        if let Some(call_id) = call_id {
            raw::push(&mut beside, "call-id", &*call_id);
        }
        if let Some(follower) = self.states.follower(state.at.index) {
            raw::push(&mut beside, "superseded-by", follower.id().as_str());
        }
        let event_type = Cow::Owned(format!("{}/{}", state.kind, state.native));
        let around = Around::bare(state.at, Standing::default());
        event::entry(state.line, event_type, None, around, beside)
    }
}

/// One state of an item.
struct State<'a> {
    line: Node<'a, 'a>,
    item: Node<'a, 'a>,
    kind: Text<'a>,
    native: Text<'a>,
    at: At,
}

impl<'a> State<'a> {
    /// The call; with the result inside, if there is no other place for it.
    fn call(
        self,
        call_id: Option<Text<'a>>,
        name: Option<&str>,
        input: &str,
        output: Option<&[&str]>,
    ) -> Entry<'a> {
        let is_error = outcome::told(self.item);
        let Some(mut item) = Members::new(self.item) else { return self.event() };
        let named = name.and_then(|name| item.text(name));
        let input = item.any(input).unwrap_or_else(null);
        take_id(&mut item, call_id.as_deref());
        let result = output.map(|keys| {
            let output = keys.iter().find_map(|key| item.any(key)).unwrap_or_else(null);
            (output, item.text("status"))
        });
        let (timestamp, extensions, id) = self.close(item, "item.started", around::TOOL_CALL);
        let children = result.map(|(output, status)| {
            vec![Entry::ToolResult(ToolResultEntry {
                output,
                call_id: call_id.clone(),
                status,
                is_error,
                timestamp: timestamp.clone(),
                id: None,
                children: None,
                extensions: Map::default(),
            })]
        });
        let name = named.unwrap_or(self.native);
        Entry::ToolCall(ToolCallEntry { name, input, call_id, timestamp, id, children, extensions })
    }

    fn result(self, call_id: Option<Text<'a>>, output: &[&str]) -> Entry<'a> {
        let is_error = outcome::told(self.item);
        let Some(mut item) = Members::new(self.item) else { return self.event() };
        let output = output.iter().find_map(|key| item.any(key)).unwrap_or_else(null);
        let status = item.text("status");
        take_id(&mut item, call_id.as_deref());
        let (timestamp, extensions, id) = self.close(item, "item.completed", around::TOOL_RESULT);
        Entry::ToolResult(ToolResultEntry {
            output,
            call_id,
            status,
            is_error,
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
        let named = if is_reasoning { around::REASONING } else { around::MESSAGE };
        let (timestamp, extensions, id) = self.close(item, "item.completed", named);
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
        let around = Around::bare(self.at, Standing::default());
        event::entry(self.line, self.kind, None, around, Rest::default())
    }

    /// The time of the line, what is left of it, and its id; its type if it is
    /// not the one that goes without saying.
    #[allow(clippy::type_complexity)]
    fn close(
        &self,
        item: Members<'a, '_>,
        goes_without_saying: &str,
        named: &[&str],
    ) -> (Option<vac_record::AbstractTimestamp<'a>>, Rest<'a>, Option<Text<'a>>) {
        let around = Around::item(self.line, self.at, Standing::default());
        let (timestamp, mut rest) = around.close(item, named);
        if self.kind != goes_without_saying
            && let Ok(kind) = Any::from_value(&*self.kind, Encoding::Json)
        {
            rest.push(("native:type".into(), kind));
        }
        (timestamp, rest, Some(Cow::Owned(self.at.id())))
    }
}

/// Takes the item's id if it is the call's.
fn take_id(item: &mut Members<'_, '_>, call_id: Option<&str>) {
    if let Some(call_id) = call_id {
        item.said("id", call_id);
    }
}
