//! Determines how a tool call of Gemini CLI or of its forks ended, also by the text of its result.
//!
//! | the log states | outcome |
//! |---|---|
//! | `status: cancelled`, `[Operation Cancelled]`, a command that was cancelled | cancelled |
//! | `Exit Code: n` other than 0, or a signal, at the end of what a shell tool returned | error |
//! | `status: error`, a response with `error` | error |
//! | `status: success`, a response without `error` | success |
//! | anything else | unknown |

use vac_record::annotations::{Decider, Decision, EntryAnnotations, Outcome, Permission};
use vac_value::{Kind, Node, Text};

/// Beginnings of the results of a shell tool for a command that was stopped.
const CANCELLED_COMMANDS: &[&str] =
    &["Command was cancelled by user", "Command was automatically cancelled"];
/// The beginning of the error of a call that was cancelled.
const CANCELLED: &str = "[Operation Cancelled]";
/// Errors of calls that were not permitted.
const NOT_ALLOWED: &str = "User did not allow tool call";
const DENIED_BY_POLICY: &str = "denied by policy";

/// The facts that a log states about the end of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatedEnd<'s> {
    /// Whether the tool runs commands.
    pub is_shell: bool,
    /// `status`.
    pub status: Option<&'s str>,
    /// Whether status or response state an error.
    pub is_error: Option<bool>,
}

/// Returns the annotations of a result.
pub fn annotations(
    result: Option<Node<'_, '_>>,
    stated: StatedEnd<'_>,
) -> EntryAnnotations<'static> {
    let is_shell = stated.is_shell;
    let is_worth_reading = is_shell || stated.is_error == Some(true) || is_cancelled(stated.status);
    let text = result.filter(|_| is_worth_reading).and_then(returned_text);
    let text = text.as_deref().unwrap_or_default();
    let end = if is_shell { CommandEnd::parse(text) } else { CommandEnd::default() };
    let was_stopped = text.starts_with(CANCELLED)
        || (is_shell && CANCELLED_COMMANDS.iter().any(|it| text.starts_with(it)));
    let outcome = match (stated.status, stated.is_error) {
        (status, _) if is_cancelled(status) || was_stopped => Outcome::Cancelled,
        _ if end.has_failed() => Outcome::Error,
        (_, Some(true)) => Outcome::Error,
        (_, Some(false)) => Outcome::Success,
        (_, None) => Outcome::Unknown,
    };
    EntryAnnotations {
        outcome: Some(outcome),
        exit_code: end.exit_code,
        permission: denial(text),
        ..EntryAnnotations::default()
    }
}

/// Returns the outcome of a call that has no result, if its status states one.
pub fn status_outcome(status: &str) -> Option<Outcome> {
    match status {
        "success" => Some(Outcome::Success),
        "error" => Some(Outcome::Error),
        status if is_cancelled(Some(status)) => Some(Outcome::Cancelled),
        _ => None,
    }
}

fn is_cancelled(status: Option<&str>) -> bool {
    matches!(status, Some("cancelled" | "canceled"))
}

fn denial(text: &str) -> Option<Permission<'static>> {
    let by = if text.starts_with(CANCELLED) && text.contains(NOT_ALLOWED) {
        Decider::User
    } else if text.starts_with("Tool execution") && text.contains(DENIED_BY_POLICY) {
        Decider::Policy
    } else {
        return None;
    };
    Some(Permission { decision: Decision::Denied, by: Some(by), what: None, call_id: None })
}

/// Returns the text that a tool returned: a text, or `output` or `error` of the first response.
fn returned_text<'a>(result: Node<'a, '_>) -> Option<Text<'a>> {
    match result.kind() {
        Kind::Text => result.text(),
        Kind::Array => result.elements().find_map(returned_text),
        Kind::Map => {
            let response = match result.member("functionResponse") {
                Some(function) => function.member("response")?,
                None => result,
            };
            let text = |key: &str| response.member(key).and_then(Node::text);
            text("output").or_else(|| text("error"))
        }
        _ => None,
    }
}

/// The end of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CommandEnd {
    exit_code: Option<i128>,
    /// Whether a signal ended it.
    is_signalled: bool,
}

impl CommandEnd {
    /// Parses the lines at the end of what a shell tool returns. Newer versions leave out lines
    /// without information, so that a line of the command's own output may come before them.
    fn parse(text: &str) -> Self {
        let mut text = text.trim_end();
        while let Some(rest) = text.strip_suffix("</hook_context>") {
            let Some(at) = rest.rfind("<hook_context>") else { break };
            text = rest[..at].trim_end();
        }
        // Some exporters escape line ends twice.
        let line_end = if text.contains('\n') { "\n" } else { "\\n" };
        let mut end = Self::default();
        for line in text.rsplit(line_end) {
            if let Some(code) = line.strip_prefix("Exit Code: ") {
                end.exit_code = code.trim().parse::<i64>().ok().map(i128::from);
                break;
            } else if let Some(signal) = line.strip_prefix("Signal: ") {
                end.is_signalled = !matches!(signal.trim(), "0" | "(none)");
            } else if !line.starts_with("Background PIDs: ")
                && !line.starts_with("Process Group PGID: ")
            {
                break;
            }
        }
        end
    }

    fn has_failed(self) -> bool {
        self.is_signalled || self.exit_code.is_some_and(|code| code != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn exit_code_is_read_from_the_last_lines() {
        let end = |exit_code, is_signalled| CommandEnd { exit_code, is_signalled };
        for (text, expected) in [
            (
                "Output: a\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 5",
                end(Some(1), false),
            ),
            ("Output: a\nExit Code: 0\nSignal: 0", end(Some(0), false)),
            ("Output: a\nExit Code: 127", end(Some(127), false)),
            ("Output: a\nExit Code: (none)\nSignal: SIGKILL\n", end(None, true)),
            ("Output: Exit Code: 1\nProcess Group PGID: 5", end(None, false)),
            ("Output: a\nExit Code: 1\nmore of the output", end(None, false)),
            ("Output: a\nExit Code: 2\n\n<hook_context>x</hook_context>", end(Some(2), false)),
            (r"Output: a\nExit Code: 1\nSignal: 0", end(Some(1), false)),
            ("Output: a\nExit Code: 99999999999999999999", end(None, false)),
            ("", end(None, false)),
        ] {
            assert_eq!(CommandEnd::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn outcome_is_stated_by_status_response_or_exit_code() {
        let shell = true;
        let response = |it: &str| format!(r#"[{{"functionResponse": {{"response": {{{it}}}}}}}]"#);
        let failed = response(r#""output": "Output: a\nExit Code: 1""#);
        let good = response(r#""output": "Output: a""#);
        let stopped =
            response(r#""output": "Command was cancelled by user before it could complete.""#);
        let cancelled =
            response(r#""error": "[Operation Cancelled] Reason: User did not allow tool call""#);
        for (is_shell, status, is_error, result, outcome, exit_code) in [
            (shell, Some("success"), Some(false), &failed, Outcome::Error, Some(1)),
            (false, Some("success"), Some(false), &failed, Outcome::Success, None),
            (shell, Some("success"), Some(false), &good, Outcome::Success, None),
            (shell, Some("success"), Some(false), &stopped, Outcome::Cancelled, None),
            (shell, Some("cancelled"), Some(true), &good, Outcome::Cancelled, None),
            (shell, None, Some(true), &cancelled, Outcome::Cancelled, None),
            (shell, Some("error"), Some(true), &good, Outcome::Error, None),
            (false, Some("executing"), None, &good, Outcome::Unknown, None),
        ] {
            let document = Document::json(result.as_bytes()).expect("JSON");
            let stated = StatedEnd { is_shell, status, is_error };
            let found = annotations(Some(document.root()), stated);
            assert_eq!(
                (found.outcome, found.exit_code),
                (Some(outcome), exit_code),
                "{result} {stated:?}"
            );
        }
    }

    #[test]
    fn denials_name_who_denied() {
        for (text, by) in [
            ("[Operation Cancelled] Reason: User did not allow tool call", Some(Decider::User)),
            ("Tool execution for \"Shell\" denied by policy.", Some(Decider::Policy)),
            ("[Operation Cancelled] Reason: User cancelled the operation.", None),
            ("Permission denied by policy of the server", None),
        ] {
            assert_eq!(denial(text).and_then(|it| it.by), by, "{text}");
        }
    }
}
