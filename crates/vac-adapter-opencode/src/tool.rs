//! Tool parts: a call, and what came of it.

use std::borrow::Cow;

use vac_adapter::annotation;
use vac_adapter::members::{Rest, null, object, put, sift};
use vac_adapter::tools::canonical;
use vac_record::annotations::{Action, Category, Decision, EntryAnnotations, Permission};
use vac_record::{AbstractTimestamp, Decode, Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::classify::Facts;
use crate::message::{push, text};
use crate::outcome::CallEnd;
use crate::part::{Entries, Scope};
use crate::tools::{TOOLS, is_shell};

/// Whether a part is a call with a result.
pub(crate) fn is_split(part: &Facts<'_, '_>) -> bool {
    part.is_kind("tool") && part.state.is_some_and(has_result)
}

/// Whether a call in this state has a result.
pub(crate) fn has_result(state: Node<'_, '_>) -> bool {
    let ended = |status: Node<'_, '_>| status.is_text("completed") || status.is_text("error");
    says(state, "output") || says(state, "error") || state.member("status").is_some_and(ended)
}

fn says(state: Node<'_, '_>, key: &str) -> bool {
    state.member(key).is_some_and(|value| value.kind() != Kind::Null)
}

/// What became of a call.
#[derive(Default)]
pub(crate) struct State<'a> {
    pub input: Option<Any<'a>>,
    pub start: Option<AbstractTimestamp<'a>>,
    /// Whether there is a result, and then whether it is an error.
    pub is_error: Option<bool>,
    pub output: Option<Any<'a>>,
    pub status: Option<Text<'a>>,
    pub end: Option<AbstractTimestamp<'a>>,
    /// How the call ended.
    pub call_end: CallEnd,
    /// The session that the call started.
    pub child: Option<Text<'a>>,
    /// The members that have no other place.
    pub left: Option<Any<'a>>,
}

/// Returns the session that a call started.
fn child<'a>(state: Node<'a, '_>, tool: &str) -> Option<Text<'a>> {
    if TOOLS.action(tool).category != Category::Delegate {
        return None;
    }
    let metadata = state.member("metadata").or_else(|| state.member("structured"))?;
    ["sessionId", "sessionID", "session_id"].iter().find_map(|key| metadata.member(key)?.text())
}

/// What is called, and under which ids.
pub(crate) struct Called<'a> {
    pub name: Option<Text<'a>>,
    pub call_id: Option<Text<'a>>,
    /// The entry's.
    pub id: Text<'a>,
}

impl<'a> State<'a> {
    /// Reads the state of a call of this tool.
    pub fn new(state: Node<'a, '_>, tool: Option<Node<'_, '_>>, is_user_command: bool) -> Self {
        let mut made = Self::default();
        if has_result(state) {
            let status = state.member("status");
            let is = |name: &str| status.is_some_and(|status| status.is_text(name));
            made.is_error = Some(is("error") || (!is("completed") && !says(state, "output")));
        }
        let tool = tool.and_then(Node::text).unwrap_or_default();
        if let Some(is_error) = made.is_error {
            made.call_end = CallEnd::from_state(state, &tool, is_error, is_user_command);
        }
        made.child = child(state, &tool);
        // What is inside its message has `content`.
        let output = if says(state, "output") { "output" } else { "content" };
        let result = made.is_error.map(|is_error| if is_error { "error" } else { output });
        let mut time: Option<Rest<'_>> = None;
        let mut rest = sift(state, &[], |key, value| match key {
            "input" => put(&mut made.input, Some(value.carry())),
            "status" if made.is_error.is_some() => text(value, &mut made.status),
            "time" if value.kind() == Kind::Map => {
                time = Some(made.time(value));
                true
            }
            key if Some(key) == result => put(&mut made.output, Some(value.carry())),
            _ => false,
        });
        push(&mut rest, "time", time.and_then(object));
        made.left = object(rest);
        made
    }

    /// The call, and its result if there is one; each with what else it says.
    pub fn entries(
        mut self,
        called: Called<'a>,
        mut of_call: Rest<'a>,
        mut of_result: Rest<'a>,
        scope: Scope<'_>,
    ) -> Entries<'a> {
        let Called { name, call_id, id } = called;
        let name = name.unwrap_or(Cow::Borrowed("unknown"));
        let ends = scope.end();
        let result = self.is_error.map(|is_error| {
            push(&mut of_result, "state", self.left.take());
            let annotations = EntryAnnotations {
                outcome: self.call_end.outcome,
                exit_code: self.call_end.exit_code,
                permission: self.call_end.denied_by.map(|by| Permission {
                    decision: Decision::Denied,
                    by: Some(by),
                    what: Some(name.clone()),
                    call_id: call_id.clone(),
                }),
                ends: ends.clone(),
                ..scope.annotations()
            };
            annotation::attach(&mut of_result, &annotations);
            Entry::ToolResult(ToolResultEntry {
                output: self.output.take().unwrap_or_else(null),
                call_id: call_id.clone(),
                status: self.status.take(),
                is_error: Some(is_error),
                timestamp: self.end.take(),
                id: Some(format!("{id}:result").into()),
                children: None,
                extensions: of_result,
            })
        });
        push(&mut of_call, "state", self.left);
        let action = if scope.stored.notes.is_user_command && is_shell(&name) {
            Action::new(canonical::USER_COMMAND, Category::Execute)
        } else {
            TOOLS.action(&name)
        };
        let annotations = EntryAnnotations {
            action: Some(action),
            delegated_to: self.child.take(),
            ends: ends.filter(|_| result.is_none()),
            ..scope.annotations()
        };
        annotation::attach(&mut of_call, &annotations);
        let call = Entry::ToolCall(ToolCallEntry {
            name,
            input: self.input.unwrap_or_else(null),
            call_id,
            timestamp: self.start,
            id: Some(id),
            children: None,
            extensions: of_call,
        });
        (call, result)
    }

    fn time(&mut self, time: Node<'a, '_>) -> Rest<'a> {
        sift(time, &[], |key, value| {
            let place = match key {
                "start" => &mut self.start,
                "end" if self.is_error.is_some() => &mut self.end,
                _ => return false,
            };
            put(place, AbstractTimestamp::from_node(value).ok())
        })
    }
}

/// The entries of a tool part.
pub(crate) fn entries<'a>(node: Node<'a, '_>, scope: Scope<'_>) -> Entries<'a> {
    let mut id = None;
    let mut name = None;
    let mut call_id = None;
    let mut state = State::default();
    let extensions = sift(node, &ToolCallEntry::KEYS, |key, value| match key {
        "type" => value.is_text("tool"),
        "sessionID" => value.is_text(scope.session),
        "id" => text(value, &mut id),
        "tool" => text(value, &mut name),
        "callID" => text(value, &mut call_id),
        "state" if value.kind() == Kind::Map => {
            state = State::new(value, node.member("tool"), scope.stored.notes.is_user_command);
            true
        }
        _ => false,
    });
    let id = id.unwrap_or_else(|| scope.id());
    let mut of_result = Map::default();
    push(&mut of_result, "messageID", node.member("messageID").map(Node::carry));
    state.entries(Called { name, call_id, id }, extensions, of_result, scope)
}
