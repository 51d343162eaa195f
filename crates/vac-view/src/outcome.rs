//! How a tool call ended.
//!
//! | the log says | outcome |
//! |---|---|
//! | `status` is a word for a call that the user or the program stopped | cancelled |
//! | `is-error` | error or success |
//! | another `status` | error or success, if it is a word for that |
//! | Codex told it before, in an event about the call (exit code, success, result) | error or success |
//! | Claude, nothing | success: the API leaves `is_error` out where it is false |
//! | nothing | unknown |

use vac_record::{EventEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node};

use crate::agent::Agent;
use crate::entry::{self, Native};

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Success,
    /// Badly.
    Error,
    /// Not at all.
    Cancelled,
    /// Nobody says.
    Unknown,
}

impl Outcome {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }

    /// What a word for a state says.
    fn of_status(status: &str) -> Option<Self> {
        match status {
            "success" | "completed" | "ok" => Some(Self::Success),
            "error" | "failed" | "failure" | "incomplete" => Some(Self::Error),
            "cancelled" | "canceled" | "aborted" | "declined" | "rejected" | "interrupted" => {
                Some(Self::Cancelled)
            }
            _ => None,
        }
    }

    /// Of a result. `before` is what was told about the call before.
    pub(crate) fn of_result(
        agent: Agent,
        result: &ToolResultEntry<'_>,
        before: Option<Self>,
    ) -> Self {
        let status = result.status.as_deref().and_then(Self::of_status);
        match (status, result.is_error, before) {
            (Some(Self::Cancelled), _, _) => Self::Cancelled,
            (_, Some(true), _) => Self::Error,
            (_, Some(false), _) => Self::Success,
            (Some(status), None, _) => status,
            (None, None, Some(before)) => before,
            (None, None, None) if agent == Agent::Claude => Self::Success,
            (None, None, None) => Self::Unknown,
        }
    }

    /// Of a call that has no result and says itself how it ended. That it was completed
    /// says nothing: the model completed the call.
    pub(crate) fn of_call(native: &Native<'_>) -> Option<Self> {
        let status = entry::text(native, &["status"])?;
        Self::of_status(&status).filter(|_| status != "completed")
    }

    /// Of an event about a call, and the call's id.
    pub(crate) fn of_event(event: &EventEntry<'_>) -> Option<(String, Self)> {
        let call_id = entry::text(&event.extensions, &["call-id"])?;
        let data = event.data.as_ref()?;
        let told = data.get("item").and_then(of_members).or_else(|| {
            let one = |key: &str| data.get(key).and_then(|value| of_member(key, value));
            ["success", "exit_code", "result"].into_iter().find_map(one)
        })?;
        Some((call_id, told))
    }
}

fn of_members(item: &Any<'_>) -> Option<Outcome> {
    let document = item.document().ok()?;
    let item = document.root();
    let one = |key: &str| item.member(key).and_then(|value| of_node(key, value));
    ["success", "exit_code", "result", "status"].into_iter().find_map(one)
}

fn of_member(key: &str, value: &Any<'_>) -> Option<Outcome> {
    let document = value.document().ok()?;
    of_node(key, document.root())
}

fn of_node(key: &str, value: Node<'_, '_>) -> Option<Outcome> {
    let outcome = |good: bool| if good { Outcome::Success } else { Outcome::Error };
    match key {
        "success" => value.bool().map(outcome),
        "exit_code" => value.integer().map(|code| outcome(code == 0)),
        "status" => {
            let status = value.text()?;
            Outcome::of_status(&status)
        }
        // `Ok` and `Err` of Rust, or what an MCP server answers.
        _ if value.member("Err").is_some() => Some(Outcome::Error),
        _ => {
            let answer = value.member("Ok").unwrap_or(value);
            let flag = answer.member("isError").or_else(|| answer.member("is_error"));
            match flag.and_then(Node::bool) {
                Some(is_error) => Some(outcome(!is_error)),
                None => (value.kind() == Kind::Map && value.member("Ok").is_some())
                    .then_some(Outcome::Success),
            }
        }
    }
}
