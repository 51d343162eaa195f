//! Annotates events about permissions, and about the start and the end of the session and its
//! turns.
//!
//! | event | annotation |
//! |---|---|
//! | `permission-mode` that differs from the one before | `permission`, by the user |
//! | `attachment/command_permissions` that names tools | `permission`: allowed |
//! | `attachment/hook_permission_decision` | `permission`, by the hook |
//! | `system/permission_retry` | `permission`: allowed by the user |
//! | `system/permission_denied` | `permission`: denied by a rule |
//! | `control_request` with `can_use_tool` | `permission`: asked |
//! | `control_response` with a `behavior` | `permission`, by the user |
//! | the first `system/init` | `starts` |
//! | `result` | `ends` the session |
//! | `system/turn_duration` | `ends` a turn |
//! | `system/model_refusal_no_fallback` | `ends` a turn: failure |
//! | `attachment/hook_stopped_continuation` | `ends` a turn: interrupted |

use vac_record::annotations::{
    Decider, Decision, End, EndOf, Ending, EntryAnnotations, Permission,
};
use vac_value::{Kind, Node, Text};

use crate::first_pass::LinePlan;

/// The maximum length of the names of permitted tools, in characters.
const MAX_WHAT: usize = 200;

/// Adds the annotations of an event of this type.
pub(crate) fn annotate<'a>(
    it: &mut EntryAnnotations<'a>,
    line: Node<'a, '_>,
    event_type: &str,
    plan: LinePlan,
) {
    let text = |node: Option<Node<'a, '_>>| node.and_then(Node::text);
    let turn = |how| Some(End { of: EndOf::Turn, how });
    match event_type {
        "permission-mode" if plan.is_change => {
            it.permission = text(line.member("permissionMode")).map(mode);
        }
        "attachment/command_permissions" => {
            let tools = line.member("attachment").and_then(|it| it.member("allowedTools"));
            it.permission = names(tools).map(|what| allowed(what, Decider::Policy));
        }
        "attachment/hook_permission_decision" => {
            let Some(attachment) = line.member("attachment") else { return };
            it.permission = text(attachment.member("decision")).map(|decision| Permission {
                decision: behavior(&decision),
                by: Some(Decider::Hook),
                what: None,
                call_id: text(attachment.member("toolUseID")),
            });
        }
        "system/permission_retry" => {
            let what = names(line.member("commands"));
            it.permission = what.map(|what| allowed(what, Decider::User));
        }
        "system/permission_denied" => {
            it.permission = Some(Permission {
                decision: Decision::Denied,
                by: Some(Decider::Policy),
                what: text(line.member("tool_name")),
                call_id: text(line.member("tool_use_id")),
            });
        }
        "control_request" => {
            let Some(request) = line.member("request") else { return };
            if request.member("subtype").is_some_and(|it| it.is_text("can_use_tool")) {
                it.permission = Some(Permission {
                    decision: Decision::Asked,
                    by: None,
                    what: text(request.member("tool_name")),
                    call_id: text(request.member("tool_use_id")),
                });
            }
        }
        "control_response" => {
            let answer = line.member("response").and_then(|it| it.member("response"));
            it.permission = text(answer.and_then(|it| it.member("behavior"))).map(|decision| {
                let call_id = text(answer.and_then(|it| it.member("toolUseID")));
                let decision = behavior(&decision);
                Permission { decision, by: Some(Decider::User), what: None, call_id }
            });
        }
        "system/init" if plan.is_change => it.starts = Some(true),
        "system/turn_duration" => it.ends = turn(None),
        "system/model_refusal_no_fallback" => it.ends = turn(Some(Ending::Failure)),
        "attachment/hook_stopped_continuation" => it.ends = turn(Some(Ending::Interrupted)),
        kind if kind == "result" || kind.starts_with("result/") => it.ends = Some(result(line)),
        _ => {}
    }
}

/// Returns the end of the session that the last line of a stream states.
fn result(line: Node<'_, '_>) -> End {
    let is_error = line.member("is_error").and_then(Node::bool);
    let subtype = line.member("subtype").and_then(Node::text);
    let reason = line.member("terminal_reason").and_then(Node::text);
    let how = if reason.is_some_and(|reason| reason.starts_with("aborted")) {
        Some(Ending::Interrupted)
    } else {
        match (is_error, subtype.as_deref()) {
            (Some(true), _) => Some(Ending::Failure),
            (_, Some("success")) => Some(Ending::Success),
            (_, Some(subtype)) if subtype.starts_with("error") => Some(Ending::Failure),
            _ => None,
        }
    };
    End { of: EndOf::Session, how }
}

/// Returns the decision of a permission mode about actions that no rule permits.
fn mode(mode: Text<'_>) -> Permission<'_> {
    let decision = match &*mode {
        "acceptEdits" | "auto" | "bypassPermissions" => Decision::Allowed,
        "default" | "manual" | "plan" => Decision::Asked,
        "dontAsk" => Decision::Denied,
        _ => Decision::Unknown,
    };
    Permission { decision, by: Some(Decider::User), what: Some(mode), call_id: None }
}

fn behavior(name: &str) -> Decision {
    match name {
        "allow" => Decision::Allowed,
        "deny" => Decision::Denied,
        "ask" => Decision::Asked,
        _ => Decision::Unknown,
    }
}

fn allowed(what: Text<'_>, by: Decider) -> Permission<'_> {
    Permission { decision: Decision::Allowed, by: Some(by), what: Some(what), call_id: None }
}

/// Returns the texts of a list in one line, shortened.
fn names<'a>(list: Option<Node<'_, '_>>) -> Option<Text<'a>> {
    let list = list.filter(|list| list.kind() == Kind::Array)?;
    let names: Vec<_> = list.elements().take(MAX_WHAT).filter_map(Node::text).collect();
    let joined: String = names.join(", ").chars().take(MAX_WHAT).collect();
    (!joined.is_empty()).then(|| joined.into())
}
