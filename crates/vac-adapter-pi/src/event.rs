//! Converts lines that are events: all that are not messages, and messages of other roles.

use vac_adapter::Report;
use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_adapter::provider::UNKNOWN;
use vac_record::Entry;
use vac_record::annotations::{End, EndOf, Ending};
use vac_value::Node;

use crate::line::Reading;

/// The type of events which state that a summary replaces the conversation so far.
pub(crate) const COMPACTION: &str = "compaction";
/// The type of events of `OpenClaw` that begin a conversation anew.
pub(crate) const RESET: &str = "reset";

/// The type of events that change a line for the model.
pub(crate) const CONTEXT_EDIT: &str = "context_edit";

/// Types of lines that only the family of Pi writes, each with `id` and `parentId`.
pub(crate) const LINES: &[&str] = &[
    COMPACTION,
    RESET,
    "agent_status",
    "branch_summary",
    "child_usage_attributed",
    CONTEXT_EDIT,
    "credential_pin",
    "custom",
    "custom_message",
    "git_state",
    "label",
    "mode_change",
    "model_change",
    "service_tier_change",
    "session_info",
    "session_init",
    "session_state",
    "thinking_level_change",
    "title_change",
    "ttsr_injection",
    "usage",
];

/// Types of lines that `pi --mode json` prints in addition to messages.
pub(crate) const CAPTURED: &[&str] = &[
    "agent_end",
    "agent_start",
    "message_end",
    "message_start",
    "message_update",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "turn_end",
    "turn_start",
];

/// Roles of messages that are events.
const ROLES: &[&str] =
    &["branchSummary", "compactionSummary", "custom", "developer", "hookMessage", "system"];

/// Returns whether lines of a type are part of the conversation.
pub(crate) fn is_of_conversation(kind: Option<&str>) -> bool {
    matches!(kind, Some("message" | "custom_message" | COMPACTION | "branch_summary"))
}

/// Returns the entry of an event.
pub(crate) fn event<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let kind = reading.line.kind.take();
    let event_type = match (kind, reading.role.take()) {
        (_, Some(role)) => {
            if !ROLES.contains(&&*role) {
                report.unknown(&format!("message/{role}"));
            }
            role
        }
        (Some(kind), None) => {
            let is_known = LINES.contains(&&*kind)
                || CAPTURED.contains(&&*kind)
                || matches!(&*kind, "session" | "title");
            if !is_known {
                report.unknown(&kind);
            }
            kind
        }
        (None, None) => {
            report.unknown("a line without a type");
            UNKNOWN.into()
        }
    };
    meaning(&mut reading, &event_type, report);
    let data = std::mem::take(&mut reading.line.rest);
    let extensions = reading.extensions(Rest::default(), false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    Entry::Event(entry::event(event_type, Some(data), common))
}

/// Adds the annotations of an event.
fn meaning(reading: &mut Reading<'_>, event_type: &str, report: &mut Report) {
    let node = reading.node;
    match event_type {
        "session" => reading.it.starts = Some(true),
        // The tokens of a session that Prime Agent started, whose log is not kept with the others.
        "child_usage_attributed" => {
            reading.add_usage(node.member("childUsage"), None, report);
        }
        "usage" | COMPACTION | "branch_summary" => {
            let model = node.member("model").and_then(Node::text);
            let model = model.map(|model| model.into_owned().into());
            reading.add_usage(node.member("usage"), model, report);
        }
        "custom" if node.member("customType").is_some_and(|it| it.is_text("session_exit")) => {
            let kind = node.member("data").and_then(|data| data.member("kind")?.text());
            let how = match kind.as_deref() {
                Some("normal") => Some(Ending::Success),
                Some("error" | "crash") => Some(Ending::Failure),
                _ => None,
            };
            reading.it.ends = Some(End { of: EndOf::Session, how });
        }
        _ => {}
    }
}
