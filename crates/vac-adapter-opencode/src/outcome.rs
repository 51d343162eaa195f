//! Determines how tool calls and turns ended.
//!
//! | the log states | outcome | further annotation |
//! |---|---|---|
//! | `metadata.exit` of a shell tool is 0 | success | `exit-code` |
//! | it is another number | error | `exit-code` |
//! | it is null, or a command of the user has none | unknown | |
//! | the output ends with `User aborted the command` | cancelled | |
//! | the output ends with a notice that the time was exceeded | error | |
//! | status `error`: `metadata.interrupted`, a text or a type that states it | cancelled | |
//! | status `error`: the user rejected the call | cancelled | `permission` denied by the user |
//! | status `error`: a rule prevents the call | error | `permission` denied by policy |
//! | status `error` | error | |
//! | the tool is `invalid` | error | |
//! | status `completed` | success | |

use std::borrow::Cow;

use vac_record::annotations::{Decider, Decision, Ending, Outcome};
use vac_value::{Any, Kind, Node};

use crate::tools::{INVALID, is_shell};

/// The end of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallEnd {
    pub outcome: Option<Outcome>,
    pub exit_code: Option<i128>,
    /// The user or the policy that denied permission.
    pub denied_by: Option<Decider>,
}

impl CallEnd {
    /// Creates an ending of which only the outcome is known.
    pub fn from_outcome(outcome: Outcome) -> Self {
        Self { outcome: Some(outcome), ..Self::default() }
    }

    /// Returns how a tool call ended whose state has a result.
    pub fn from_state(
        state: Node<'_, '_>,
        tool: &str,
        is_error: bool,
        is_user_command: bool,
    ) -> Self {
        if is_error {
            return Self::from_error(state);
        }
        if tool == INVALID {
            return Self::from_outcome(Outcome::Error);
        }
        if !is_shell(tool) {
            return Self::from_outcome(Outcome::Success);
        }
        let about = |key: &str| {
            let inside = |object: &str| state.member(object)?.member(key);
            inside("metadata").or_else(|| inside("structured"))
        };
        let output = state.member("output").or_else(|| state.member("content"));
        Self::from_command(about("exit"), about("timeout"), output, is_user_command)
    }

    /// Returns how a command ended. `exit` and `timeout` are the members of the log.
    pub fn from_command(
        exit: Option<Node<'_, '_>>,
        timeout: Option<Node<'_, '_>>,
        output: Option<Node<'_, '_>>,
        is_user_command: bool,
    ) -> Self {
        let exit_code = exit.and_then(Node::integer).filter(|code| i64::try_from(*code).is_ok());
        let is_timeout = timeout.and_then(Node::bool) == Some(true);
        let outcome = match exit_code {
            Some(0) => Outcome::Success,
            _ => match output.and_then(notice) {
                Some(outcome) => outcome,
                None if exit_code.is_some() || is_timeout => Outcome::Error,
                None if exit.is_some() || is_user_command => Outcome::Unknown,
                None => Outcome::Success,
            },
        };
        Self { outcome: Some(outcome), exit_code, denied_by: None }
    }

    fn from_error(state: Node<'_, '_>) -> Self {
        let error = state.member("error");
        let is_interrupted = state.member("metadata").and_then(|it| it.member("interrupted"));
        if is_interrupted.and_then(Node::bool) == Some(true) {
            return Self::from_outcome(Outcome::Cancelled);
        }
        let kind = error.and_then(|error| error.member("type")).and_then(Node::text);
        let message = error.and_then(|error| error.member("message"));
        let text = error.and_then(Node::text).or_else(|| message.and_then(Node::text));
        let text = text.unwrap_or_default();
        let text = text.strip_prefix("Error: ").unwrap_or(&text);
        let denied = |by, outcome| Self { denied_by: Some(by), ..Self::from_outcome(outcome) };
        let begins = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
        if begins(&["The user rejected permission"]) {
            denied(Decider::User, Outcome::Cancelled)
        } else if kind.as_deref() == Some("permission.rejected")
            || begins(&["The user has specified a rule which prevents you", "Permission denied: "])
        {
            denied(Decider::Policy, Outcome::Error)
        } else if kind.as_deref() == Some("aborted")
            || begins(&["The user dismissed this question", "Subagent cancelled"])
            || CANCELLED.contains(&text.trim_end_matches('.'))
        {
            Self::from_outcome(Outcome::Cancelled)
        } else {
            Self::from_outcome(Outcome::Error)
        }
    }
}

/// The errors of calls that were cancelled.
const CANCELLED: &[&str] = &[
    "Aborted",
    "Cancelled",
    "Command cancelled",
    "Task cancelled",
    "The operation was aborted",
    "Tool execution aborted",
    "Tool execution interrupted",
];

/// Maximum length of a notice in bytes.
const MAX_NOTICE: usize = 400;

/// Returns the outcome that the notice at the end of a command's output states.
fn notice(output: Node<'_, '_>) -> Option<Outcome> {
    let text = match output.kind() {
        Kind::Array => output.elements().last()?.member("text")?.text()?,
        Kind::Map => output.member("output")?.text()?,
        _ => output.text()?,
    };
    let start = text.len().saturating_sub(MAX_NOTICE);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at))?;
    let end = text[start..].trim_end();
    let inside = ["</bash_metadata>", "</shell_metadata>", "</metadata>"]
        .iter()
        .find_map(|tag| end.strip_suffix(tag));
    let end = inside.unwrap_or(end);
    if inside.is_some() && end.contains("User aborted the command") {
        Some(Outcome::Cancelled)
    } else if (inside.is_some() && end.contains("terminated command after exceeding timeout"))
        || end.contains("Command exceeded timeout of ")
    {
        Some(Outcome::Error)
    } else {
        None
    }
}

/// Returns how the turn of an answer with this error ended.
pub(crate) fn turn_end(error: Node<'_, '_>) -> Option<Ending> {
    if error.kind() != Kind::Map {
        return None;
    }
    let is = |key: &str, name: &str| error.member(key).is_some_and(|it| it.is_text(name));
    let is_stopped = is("name", "MessageAbortedError") || is("type", "aborted");
    Some(if is_stopped { Ending::Interrupted } else { Ending::Failure })
}

/// Returns the text of an output that is an object: the output of a command, or the message of
/// an error.
pub(crate) fn result_text(output: &Any<'_>) -> Option<String> {
    let document = output.document().ok()?;
    let text = ["output", "message"].iter().find_map(|key| document.root().member(key)?.text());
    text.map(Cow::into_owned)
}

/// Returns the decision that a reply means.
pub(crate) fn decision(reply: &str) -> Option<Decision> {
    match reply {
        "once" | "always" | "allow" | "allowed" | "approved" | "granted" => Some(Decision::Allowed),
        "reject" | "rejected" | "deny" | "denied" => Some(Decision::Denied),
        "ask" | "asked" | "pending" | "updated" => Some(Decision::Asked),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use vac_value::Document;

    use super::*;

    fn end(tool: &str, state: &str) -> CallEnd {
        let document = Document::json(state.as_bytes()).expect("JSON");
        let is_error = document.root().member("error").is_some();
        CallEnd::from_state(document.root(), tool, is_error, false)
    }

    #[test]
    fn exit_codes_decide_the_outcome_of_commands() {
        for (state, outcome, exit_code) in [
            (r#"{"output": "", "metadata": {"exit": 0}}"#, Outcome::Success, Some(0)),
            (r#"{"output": "", "metadata": {"exit": 127}}"#, Outcome::Error, Some(127)),
            (r#"{"content": [], "structured": {"exit": 2}}"#, Outcome::Error, Some(2)),
            (r#"{"output": "", "metadata": {"exit": null}}"#, Outcome::Unknown, None),
            (r#"{"output": ""}"#, Outcome::Success, None),
            (
                r#"{"output": "\n<bash_metadata>\nUser aborted the command\n</bash_metadata>",
                    "metadata": {"exit": null}}"#,
                Outcome::Cancelled,
                None,
            ),
            (
                r#"{"output": "<shell_metadata>\nshell tool terminated command after exceeding timeout 5 ms\n</shell_metadata>",
                    "metadata": {"exit": null}}"#,
                Outcome::Error,
                None,
            ),
            (
                r#"{"output": "User aborted the command", "metadata": {"exit": 1}}"#,
                Outcome::Error,
                Some(1),
            ),
        ] {
            let found = end("bash", state);
            assert_eq!((found.outcome, found.exit_code), (Some(outcome), exit_code), "{state}");
        }
        let found = end("crm_lookup", r#"{"output": "", "metadata": {"exit": 1}}"#);
        assert_eq!((found.outcome, found.exit_code), (Some(Outcome::Success), None), "no command");
        assert_eq!(end("invalid", r#"{"output": ""}"#).outcome, Some(Outcome::Error));
    }

    #[test]
    fn errors_differ_from_cancelled_and_denied_calls() {
        for (error, outcome, denied_by) in [
            (r#""File not found""#, Outcome::Error, None),
            (r#""Tool execution aborted""#, Outcome::Cancelled, None),
            (r#""Cancelled""#, Outcome::Cancelled, None),
            (
                r#""The user rejected permission to use this specific tool call.""#,
                Outcome::Cancelled,
                Some(Decider::User),
            ),
            (
                r#""Error: The user has specified a rule which prevents you from using it""#,
                Outcome::Error,
                Some(Decider::Policy),
            ),
            (r#"{"type": "aborted", "message": "x"}"#, Outcome::Cancelled, None),
            (
                r#"{"type": "permission.rejected", "message": "Permission denied: shell"}"#,
                Outcome::Error,
                Some(Decider::Policy),
            ),
        ] {
            let found = end("read", &format!(r#"{{"status": "error", "error": {error}}}"#));
            assert_eq!((found.outcome, found.denied_by), (Some(outcome), denied_by), "{error}");
        }
        let state = r#"{"error": "x", "metadata": {"interrupted": true}}"#;
        assert_eq!(end("read", state).outcome, Some(Outcome::Cancelled));
    }
}
