//! Converts tool parts: calls and their results.

use vac_adapter::members::{Rest, object};
use vac_adapter::tools::canonical;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Action, Category, Decision, EntryAnnotations, Permission};
use vac_record::{Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::classify::Facts;
use crate::entry::Called;
use crate::object::{as_map, push};
use crate::outcome::CallEnd;
use crate::part::{Entries, Scope};
use crate::time::{self, Moment, TimeKeys};
use crate::tools::{TOOLS, is_shell};

/// Returns whether a part is a call with a result.
pub(crate) fn is_split(part: &Facts<'_, '_>) -> bool {
    part.is_kind("tool") && part.state.is_some_and(has_result)
}

/// Returns whether a call in this state has a result.
pub(crate) fn has_result(state: Node<'_, '_>) -> bool {
    let ended = |status: Node<'_, '_>| status.is_text("completed") || status.is_text("error");
    says(state, "output") || says(state, "error") || state.member("status").is_some_and(ended)
}

fn says(state: Node<'_, '_>, key: &str) -> bool {
    state.member(key).is_some_and(|value| value.kind() != Kind::Null)
}

mapping! {
    /// A part of type `tool`: a call, and its result if there is one.
    pub(crate) struct ToolPart<'a>("tool"; key, value, session: &str) {
        "type" => "the entry's type", stated = value.is_text("tool");
        "sessionID" => "the session's `id`; kept if it is another", stated = value.is_text(session);
        "id" => "`id`; that of the result ends with `:result`",
            take id: Text<'a> = value.text();
        "tool" => "`name`, `vac.action`", take name: Text<'a> = value.text();
        "callID" => "`call-id` of both", take call_id: Text<'a> = value.text();
        "state" => "what became of the call; the rest is kept on the result, if there is one",
            take state: Node<'a, 'a> = as_map(value);
        "messageID" => "on both", note message: Node<'a, 'a> = Some(value);
        "metadata" | "time_created" | "time_updated" => "", keep;
    }
}

mapping! {
    /// `state` of a tool call. A call has a result if its state has `output` or `error`, or is
    /// `completed` or `error`.
    pub(crate) struct NativeState<'a>("state"; key, value, result: Option<&str>) {
        "input" => "`input`", take input: Any<'a> = Some(value.carry());
        "output" | "error" | "content" => "`output` of the result; kept if it is another of these",
            take output: Any<'a> = (result == Some(key)).then(|| value.carry());
        "status" =>
            "`status`, `is-error` and `vac.outcome` of the result; kept where the result is absent",
            take status: Text<'a> = value.text().filter(|_| result.is_some());
        "time" => "its `start` is `timestamp` of the call, its `end` that of the result",
            take time: Node<'a, 'a> = as_map(value);
        "metadata" | "structured" => "`vac.exit-code`, `vac.outcome`, `vac.delegated-to`", keep;
        "title" | "raw" | "attachments" => "", keep;
    }
}

/// The state of a call.
#[derive(Default)]
pub(crate) struct State<'a> {
    pub input: Option<Any<'a>>,
    /// The times at which the call started and ended.
    pub time: Moment<'a>,
    /// Whether the result is an error; `None` without a result.
    pub is_error: Option<bool>,
    output: Option<Any<'a>>,
    status: Option<Text<'a>>,
    /// How the call ended.
    call_end: CallEnd,
    /// The session that the call started.
    child: Option<Text<'a>>,
    /// The members that have no field.
    left: Rest<'a>,
}

/// Returns the id of the session that a call started.
fn child<'a>(state: Node<'a, '_>, tool: &str) -> Option<Text<'a>> {
    if TOOLS.action(tool).category != Category::Delegate {
        return None;
    }
    let metadata = state.member("metadata").or_else(|| state.member("structured"))?;
    ["sessionId", "sessionID", "session_id"].iter().find_map(|key| metadata.member(key)?.text())
}

impl<'a> State<'a> {
    /// Reads the state of a call of this tool.
    pub fn new(
        state: Node<'a, '_>,
        tool: Option<&str>,
        is_user_command: bool,
        report: &mut Report,
    ) -> Self {
        let is_error = has_result(state).then(|| {
            let status = state.member("status");
            let is = |name: &str| status.is_some_and(|status| status.is_text(name));
            is("error") || (!is("completed") && !says(state, "output"))
        });
        let result = is_error.map(|is_error| match is_error {
            true => "error",
            false if says(state, "output") => "output",
            // The state of a call inside its message has `content`.
            false => "content",
        });
        let NativeState { input, output, status, time, rest: mut left } =
            NativeState::read(state, &[], result, report);
        let keys = TimeKeys { start: "start", end: is_error.map(|_| "end") };
        let time = time::read(time, keys, &mut left, report);
        let tool = tool.unwrap_or_default();
        let call_end = is_error
            .map(|is_error| CallEnd::from_state(state, tool, is_error, is_user_command))
            .unwrap_or_default();
        Self { input, time, is_error, output, status, call_end, child: child(state, tool), left }
    }

    /// Returns the call, and its result if there is one, each with its other members.
    pub fn entries(
        self,
        called: Called<'a>,
        mut of_call: Rest<'a>,
        mut of_result: Rest<'a>,
        scope: Scope<'_>,
    ) -> Entries<'a> {
        let of_state = if self.is_error.is_some() { &mut of_result } else { &mut of_call };
        push(of_state, "state", object(self.left));
        let ends = scope.end();
        let name = called.name();
        let result = self.is_error.map(|is_error| {
            let annotations = EntryAnnotations {
                outcome: self.call_end.outcome,
                exit_code: self.call_end.exit_code,
                permission: self.call_end.denied_by.map(|by| Permission {
                    decision: Decision::Denied,
                    by: Some(by),
                    what: Some(name.clone()),
                    call_id: called.call_id.clone(),
                }),
                ends: ends.clone(),
                ..scope.annotations()
            };
            Entry::ToolResult(ToolResultEntry {
                status: self.status,
                is_error: Some(is_error),
                ..called.result(self.output, self.time.end, of_result, &annotations)
            })
        });
        let action = if scope.stored.notes.is_user_command && is_shell(&name) {
            Action::new(canonical::USER_COMMAND, Category::Execute)
        } else {
            TOOLS.action(&name)
        };
        let annotations = EntryAnnotations {
            action: Some(action),
            delegated_to: self.child,
            ends: ends.filter(|_| result.is_none()),
            ..scope.annotations()
        };
        (called.call(self.input, self.time.start, of_call, &annotations), result)
    }
}

/// Returns the entries of a tool part.
pub(crate) fn entries<'a>(
    node: Node<'a, '_>,
    scope: Scope<'_>,
    report: &mut Report,
) -> Entries<'a> {
    let ToolPart { id, name, call_id, state, message, rest } =
        ToolPart::read(node, &ToolCallEntry::KEYS, scope.session, report);
    let is_user_command = scope.stored.notes.is_user_command;
    let state = state.map(|state| State::new(state, name.as_deref(), is_user_command, report));
    let mut of_result = Rest::default();
    push(&mut of_result, "messageID", message.map(Node::carry));
    let called = Called { name, call_id, id: id.unwrap_or_else(|| scope.id()) };
    state.unwrap_or_default().entries(called, rest, of_result, scope)
}
