//! What a line is, before anybody looks inside.

use std::borrow::Cow;

use vac_adapter::Confidence;
use vac_value::{Kind, Node};

/// Types of lines with a payload.
const LINES: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "security_risk_score",
    "token_usage_record",
    "retained_context",
];

/// Types of response items.
const ITEMS: &[&str] = &[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "image_generation_call",
    "agent_message",
    "ghost_snapshot",
    "compaction",
    "compaction_summary",
    "context_compaction",
];

/// Types of events.
const EVENTS: &[&str] = &[
    "user_message",
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "token_count",
    "task_started",
    "turn_started",
    "task_complete",
    "turn_complete",
    "turn_aborted",
    "entered_review_mode",
    "exited_review_mode",
    "undo_completed",
    "context_compacted",
    "thread_rolled_back",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_settings_applied",
    "item_completed",
    "image_generation_end",
    "exec_command_end",
    "patch_apply_end",
    "mcp_tool_call_end",
    "web_search_end",
    "view_image_tool_call",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "collab_agent_spawn_end",
    "collab_agent_interaction_end",
    "collab_waiting_end",
    "collab_close_end",
    "sub_agent_activity",
    "guardian_assessment",
    "error",
];

/// What a line is.
pub(crate) enum Shape<'d, 'a> {
    /// `{timestamp, type, payload}`.
    Envelope {
        /// Its type.
        kind: Cow<'a, str>,
        /// Its payload.
        payload: Node<'d, 'a>,
    },
    /// A response item without an envelope, and its type.
    Item(Cow<'a, str>),
    /// The first line of a log without envelopes.
    Header,
    /// A line of such a log that only names its `record_type`.
    Record(Cow<'a, str>),
    /// Something else.
    Other,
}

/// What a line is.
pub(crate) fn shape<'d, 'a>(line: Node<'d, 'a>) -> Shape<'d, 'a> {
    let text = |key: &str| line.member(key).and_then(Node::text);
    match text("type") {
        Some(kind) => match line.member("payload") {
            Some(payload) => Shape::Envelope { kind, payload },
            None if ITEMS.contains(&&*kind) => Shape::Item(kind),
            None => Shape::Other,
        },
        None => match text("record_type") {
            Some(kind) => Shape::Record(kind),
            None if is_header(line) => Shape::Header,
            None => Shape::Other,
        },
    }
}

fn is_header(line: Node<'_, '_>) -> bool {
    let has = |key: &str| line.member(key).is_some_and(|value| value.kind() == Kind::Text);
    has("id") && has("timestamp") && !line.members().any(|(key, _)| key.is_text("sessionId"))
}

/// The type of a payload.
pub(crate) fn payload_type<'a>(payload: Node<'_, 'a>) -> Option<Cow<'a, str>> {
    payload.member("type").and_then(Node::text)
}

/// The name of a native type that is not listed here.
pub(crate) fn unknown(line: Node<'_, '_>) -> Option<String> {
    match shape(line) {
        Shape::Envelope { kind, payload } => {
            let inner = match &*kind {
                "response_item" => ITEMS,
                "event_msg" => EVENTS,
                other => return (!LINES.contains(&other)).then(|| other.to_owned()),
            };
            match payload_type(payload) {
                Some(known) if inner.contains(&&*known) => None,
                Some(new) => Some(format!("{kind}/{new}")),
                None => Some(format!("{kind} without a type")),
            }
        }
        Shape::Record(kind) if kind != "state" => Some(format!("record_type {kind}")),
        Shape::Item(_) | Shape::Header | Shape::Record(_) => None,
        Shape::Other => Some(match line.member("type").and_then(Node::text) {
            Some(kind) => kind.into_owned(),
            None if line.kind() == Kind::Map => "a line without a type".to_owned(),
            None => "a line that is no object".to_owned(),
        }),
    }
}

/// Whether the document is a whole session of the first CLI, in TypeScript.
pub(crate) fn is_typescript(document: Node<'_, '_>) -> bool {
    let is = |key: &str, kind| document.member(key).is_some_and(|value| value.kind() == kind);
    is("session", Kind::Map) && is("items", Kind::Array)
}

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    let has = |key: &str| document.member(key).is_some();
    match shape(document) {
        Shape::Envelope { kind, payload } => {
            if payload.kind() != Kind::Map || !LINES.contains(&&*kind) {
                Confidence::No
            } else if has("timestamp") {
                Confidence::Certain
            } else {
                Confidence::Likely
            }
        }
        Shape::Record(kind) if kind == "state" => Confidence::Certain,
        Shape::Item(kind) if kind == "message" => match document.member("role") {
            Some(_) if has("content") => Confidence::Possible,
            _ => Confidence::No,
        },
        Shape::Item(_) if has("call_id") || has("encrypted_content") => Confidence::Likely,
        Shape::Item(_) => Confidence::Possible,
        Shape::Header if has("instructions") || has("git") => Confidence::Likely,
        Shape::Other if is_typescript(document) => Confidence::Likely,
        Shape::Header | Shape::Record(_) | Shape::Other => Confidence::No,
    }
}
