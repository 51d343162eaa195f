//! Converts lines that are events, and reads decisions about what the agent may do.
//!
//! | event | decision | by |
//! |---|---|---|
//! | `permission.requested` | asked | |
//! | `permission.completed` `approved...` | allowed | `decisionSource` (1.0.89), else not stated |
//! | `permission.completed` `denied-interactively-by-user` | denied | the user |
//! | `permission.completed` `denied-by-permission-request-hook` | denied | a hook |
//! | `permission.completed` `denied-...` | denied | rules |
//! | `permission.completed` `cancelled` | unknown: the turn was stopped | |
//! | `session.permissions_changed` to all | allowed | the user |
//!
//! A request that a hook has decided states `resolvedByHook`.

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::members::{Rest, all};
use vac_adapter::provider::UNKNOWN;
use vac_record::Entry;
use vac_record::annotations::{
    Decider, Decision, End, EndOf, Ending, EntryAnnotations, Permission,
};
use vac_value::{Node, Text};

use crate::line::Reading;
use crate::usage;

/// The type of events which state that a summary replaces the conversation so far.
pub(crate) const COMPACTION: &str = "session.compaction_complete";
/// The type of events which state that the conversation begins anew.
pub(crate) const CLEARED: &str = "session.context_cleared";

/// The first parts of known types. New types appear every month.
const FAMILIES: &[&str] = &[
    "agent",
    "assistant",
    "auto_mode_switch",
    "canvas",
    "capabilities",
    "command",
    "commands",
    "elicitation",
    "exit_plan_mode",
    "external_tool",
    "factory",
    "hook",
    "mcp",
    "mcp_app",
    "model",
    "pending_messages",
    "permission",
    "sampling",
    "sandbox",
    "session",
    "session_limits_exhausted",
    "skill",
    "subagent",
    "system",
    "tool",
    "tool_search",
    "ui",
    "user",
    "user_input",
];

/// Returns whether a type of lines is known.
pub(crate) fn is_known(kind: &str) -> bool {
    let family = kind.split_once('.').map(|(family, _)| family);
    matches!(kind, "abort" | "prompt_cache_break")
        || family.is_some_and(|family| FAMILIES.contains(&family))
}

/// Returns the entry of an event.
pub(crate) fn event<'a>(mut reading: Reading<'a>, report: &mut Report) -> Entry<'a> {
    let kind = reading.line.kind.take();
    match kind.as_deref() {
        Some(kind) if is_known(kind) => {}
        kind => report.unknown(kind.unwrap_or("a line without a type")),
    }
    let event_type = kind.unwrap_or(UNKNOWN.into());
    let data = reading.line.data.take();
    let mut children = Vec::new();
    if let Some(data) = data {
        meaning(&mut reading, &event_type, data, report);
        for usage in reading.lines.shutdowns.get(&reading.at.index).into_iter().flatten() {
            let mut extensions = Rest::default();
            let usage = Some(usage.clone());
            attach(&mut extensions, &EntryAnnotations { usage, ..EntryAnnotations::default() });
            let common = Common { timestamp: reading.line.timestamp.clone(), id: None, extensions };
            children.push(Entry::Event(entry::event("model-usage".into(), None, common)));
        }
    }
    let extensions = reading.extensions(Rest::default(), false);
    let common = Common { timestamp: reading.line.timestamp, id: reading.id, extensions };
    let mut event = entry::event(event_type, data.map(|data| all(data, &[])), common);
    event.children = (!children.is_empty()).then_some(children);
    Entry::Event(event)
}

/// Adds the annotations of an event.
fn meaning<'a>(
    reading: &mut Reading<'a>,
    event_type: &str,
    data: Node<'a, 'a>,
    report: &mut Report,
) {
    let text = |key: &str| data.member(key).and_then(Node::text);
    let ends = |of, how| Some(End { of, how });
    let lines = reading.lines;
    let it = &mut reading.it;
    match event_type {
        "session.start" => it.starts = Some(true),
        "session.shutdown" => {
            let how = match text("shutdownType").as_deref() {
                Some("routine") => Some(Ending::Success),
                Some("error" | "crash") => Some(Ending::Failure),
                _ => None,
            };
            it.ends = ends(EndOf::Session, how);
        }
        "session.error" => it.ends = ends(EndOf::Turn, Some(Ending::Failure)),
        "abort" => it.ends = ends(EndOf::Turn, Some(Ending::Interrupted)),
        COMPACTION => it.usage = data.member("compactionTokensUsed").and_then(usage::compaction),
        // The event repeats a call of a message.
        "tool.execution_start" => {
            it.duplicate_of = text("toolCallId");
            report.duplicates_linked += 1;
        }
        "permission.requested" => {
            let (what, call_id) = about(lines, text("requestId"));
            let is_of_hook = data.member("resolvedByHook").and_then(Node::bool) == Some(true);
            let by = is_of_hook.then_some(Decider::Hook);
            it.permission = Some(Permission { decision: Decision::Asked, by, what, call_id });
        }
        "permission.completed" => {
            let kind = data.member("result").and_then(|result| result.member("kind")?.text());
            let (decision, by) = decision(kind.as_deref().unwrap_or_default());
            let by = text("decisionSource").and_then(|source| decider(&source)).or(by);
            let (what, call_id) = about(lines, text("requestId"));
            let call_id = text("toolCallId").or(call_id);
            it.permission = Some(Permission { decision, by, what, call_id });
        }
        "session.permissions_changed" => {
            let allows_all = data.member("allowAllPermissions").and_then(Node::bool);
            if allows_all == Some(true) {
                let (decision, by) = (Decision::Allowed, Some(Decider::User));
                it.permission =
                    Some(Permission { decision, by, what: Some("all".into()), call_id: None });
            }
        }
        _ => {}
    }
}

/// Returns the subject of a request for permission, and its call.
fn about<'a>(
    lines: &'a crate::lines::Lines,
    request: Option<Text<'_>>,
) -> (Option<Text<'a>>, Option<Text<'a>>) {
    let Some(request) = request.and_then(|id| lines.requests.get(&*id)) else {
        return (None, None);
    };
    (request.what.as_deref().map(Into::into), request.call_id.as_deref().map(Into::into))
}

/// Returns the decider for the source of a decision: `human-response`, `host-policy`.
fn decider(source: &str) -> Option<Decider> {
    let has = |word: &str| source.to_ascii_lowercase().contains(word);
    if has("human") || has("user") {
        Some(Decider::User)
    } else if has("hook") {
        Some(Decider::Hook)
    } else if has("policy") || has("rule") {
        Some(Decider::Policy)
    } else {
        None
    }
}

/// Returns the decision that a result states, and the decider.
fn decision(kind: &str) -> (Decision, Option<Decider>) {
    if kind.starts_with("approved") {
        (Decision::Allowed, None)
    } else if kind.starts_with("denied") {
        let by = if kind.ends_with("by-user") {
            Decider::User
        } else if kind.ends_with("hook") {
            Decider::Hook
        } else {
            Decider::Policy
        };
        (Decision::Denied, Some(by))
    } else {
        (Decision::Unknown, None)
    }
}
