//! Reads decisions about what the agent may do.
//!
//! | event | decision | by |
//! |---|---|---|
//! | `exec_approval_request`, `apply_patch_approval_request`, `request_permissions` | asked | |
//! | `guardian_assessment` `in_progress` | asked | |
//! | `guardian_assessment` `approved` | allowed | the program: a model reviews the action |
//! | `guardian_assessment` `denied`, `timed_out` | denied | the program |
//! | `guardian_assessment` `aborted` | unknown | |
//! | a result or an item that the user declined | denied | the user (`outcome.rs`) |

use vac_adapter::tools::canonical;
use vac_record::annotations::{Decider, Decision, Permission};
use vac_value::{Node, Text};

/// Returns the decision that an event of this type states.
pub(crate) fn permission<'a>(event: Node<'a, '_>, kind: &str) -> Option<Permission<'a>> {
    let text = |key: &str| event.member(key).and_then(Node::text);
    let asked = |what: &'static str| Permission {
        decision: Decision::Asked,
        by: None,
        what: Some(what.into()),
        call_id: text("call_id"),
    };
    Some(match kind {
        "exec_approval_request" => asked(canonical::SHELL_EXEC),
        "apply_patch_approval_request" => asked(canonical::FILE_EDIT),
        "request_permissions" => asked("permissions"),
        "guardian_assessment" => {
            let (decision, by) = match &*text("status")? {
                "in_progress" => (Decision::Asked, None),
                "approved" => (Decision::Allowed, Some(Decider::Program)),
                "denied" | "timed_out" => (Decision::Denied, Some(Decider::Program)),
                _ => (Decision::Unknown, None),
            };
            let call_id = text("target_item_id");
            Permission { decision, by, what: event.member("action").and_then(what), call_id }
        }
        _ => return None,
    })
}

/// Returns the tool that an action of a review is about.
fn what<'a>(action: Node<'a, '_>) -> Option<Text<'a>> {
    let text = |key: &str| action.member(key).and_then(Node::text);
    Some(match &*text("type").or_else(|| text("tool"))? {
        "command" | "execve" | "shell" | "exec_command" => canonical::SHELL_EXEC.into(),
        "apply_patch" => canonical::FILE_EDIT.into(),
        "network_access" => canonical::WEB_ACCESS.into(),
        "mcp_tool_call" => text("tool_name").unwrap_or(canonical::MCP.into()),
        "request_permissions" => "permissions".into(),
        _ => return None,
    })
}
