//! Converts lines that are events: those of type `system` and of unknown types.

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::LineAt;
use vac_adapter::provider::UNKNOWN;
use vac_record::Entry;
use vac_record::annotations::{
    Decider, Decision, End, EndOf, Ending, EntryAnnotations, Permission,
};
use vac_value::Node;

use crate::line::{self, Line};

/// The type of events which state that a summary replaces the conversation so far.
pub(crate) const COMPRESSION: &str = "chat_compression";

/// The known subtypes.
const SUBTYPES: &[&str] = &[
    COMPRESSION,
    "agent_bootstrap",
    "agent_launch_prompt",
    "agent_retry",
    "agent_session_ready",
    "at_command",
    "attribution_snapshot",
    "background_task_completed",
    "branch_checkpoint",
    "custom_title",
    "file_history_snapshot",
    "goal_runtime",
    "goal_state",
    "goal_turn_end",
    "managed_session_commit_v1",
    "managed_session_event_v1",
    "managed_session_header_v1",
    "notification",
    "omni_recall",
    "parent_session",
    "rewind",
    "session_approval_mode",
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_execution_engine",
    "session_model",
    "session_notes",
    "session_source",
    "session_sources_snapshot",
    "slash_command",
    "turn_result",
    "ui_telemetry",
    "user_text_elements",
];

/// Returns the entry of an event.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    mut line: Line<'a>,
    mut it: EntryAnnotations<'a>,
    at: LineAt,
    report: &mut Report,
) -> Entry<'a> {
    let kind = node.member("type").and_then(Node::text);
    let event_type = match (kind.as_deref(), line.subtype.take()) {
        (Some("system"), Some(subtype)) => {
            if !SUBTYPES.contains(&&*subtype) {
                report.unknown(&format!("system/{subtype}"));
            }
            subtype
        }
        (Some("system"), None) => "system".into(),
        (_, subtype) => {
            report.unknown(kind.as_deref().unwrap_or("a line without a type"));
            subtype.or(kind).unwrap_or(UNKNOWN.into())
        }
    };
    if let Some(payload) = line.payload {
        meaning(&mut it, &event_type, payload);
    }
    let (data, mut extensions) = line::event_members(&mut line);
    attach(&mut extensions, &it);
    let id = line.id.or_else(|| Some(at.place.id().into()));
    let common = Common { timestamp: line.timestamp, id, extensions };
    Entry::Event(entry::event(event_type, Some(data), common))
}

/// Adds the annotations of an event.
fn meaning<'a>(it: &mut EntryAnnotations<'a>, event_type: &str, payload: Node<'a, '_>) {
    let is = |key: &str, value: &str| payload.member(key).is_some_and(|it| it.is_text(value));
    match event_type {
        "slash_command" if is("phase", "invocation") => it.local_command = Some(true),
        "turn_result" => {
            let how = match payload.member("state").and_then(Node::text).as_deref() {
                Some("completed" | "success") => Some(Ending::Success),
                Some("failed" | "error") => Some(Ending::Failure),
                Some("cancelled" | "aborted" | "interrupted") => Some(Ending::Interrupted),
                _ => None,
            };
            it.ends = Some(End { of: EndOf::Turn, how });
        }
        "ui_telemetry" => it.permission = payload.member("uiEvent").and_then(decision),
        _ => {}
    }
}

/// Returns the decision about a tool call that an event of telemetry states.
fn decision<'a>(event: Node<'a, '_>) -> Option<Permission<'a>> {
    if !event.member("event.name")?.is_text("qwen-code.tool_call") {
        return None;
    }
    let (decision, by) = match &*event.member("decision")?.text()? {
        "accept" | "modify" => (Decision::Allowed, Some(Decider::User)),
        "auto_accept" => (Decision::Allowed, Some(Decider::Policy)),
        "reject" => (Decision::Denied, Some(Decider::User)),
        _ => (Decision::Unknown, None),
    };
    let what = event.member("function_name").and_then(Node::text);
    Some(Permission { decision, by, what, call_id: None })
}
