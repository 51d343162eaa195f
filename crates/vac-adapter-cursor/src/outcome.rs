//! Determines how tool calls ended.
//!
//! | variant | the log states | outcome |
//! |---|---|---|
//! | `chat` | the exit code at the beginning of the text of a shell tool | success or error |
//! | `stream-json`, `chat` | `success`, without `isError` and with `exitCode` 0 or none | success |
//! | | `rejected`, `cancelled`, `aborted` | cancelled |
//! | | anything else | error |
//! | `composer` | the status `completed`; of a shell tool also the exit code in its result | success or error |
//! | | the status `cancelled` or `rejected` | cancelled |
//! | `transcript`, `text` | `is_error` | error or success; unknown without it |

use vac_adapter::annotation::attach;
use vac_record::ToolResultEntry;
use vac_record::annotations::{Decider, Decision, EntryAnnotations, Outcome, Permission};
use vac_value::{Document, Kind, Node};

use crate::capture;

/// Returns the outcome that a word for a state means.
pub(crate) fn status_outcome(status: &str) -> Option<Outcome> {
    match status {
        "success" | "completed" => Some(Outcome::Success),
        "error" | "failed" | "failure" => Some(Outcome::Error),
        "cancelled" | "canceled" | "aborted" | "rejected" => Some(Outcome::Cancelled),
        _ => None,
    }
}

/// Returns the annotations of a result `{"<state>": {...}}`.
pub(crate) fn tagged_annotations(
    status: Option<&str>,
    is_error: Option<bool>,
    result: Node<'_, '_>,
) -> EntryAnnotations<'static> {
    let inside = status.and_then(|status| result.member(status));
    let exit_code = inside.and_then(exit_code);
    let outcome = match status.map(|status| (status_outcome(status), is_error)) {
        None => Outcome::Unknown,
        Some((Some(Outcome::Cancelled), _)) => Outcome::Cancelled,
        Some((Some(outcome), is_error)) if is_error != Some(true) => outcome,
        Some(_) => Outcome::Error,
    };
    let denied_by = match status {
        Some("rejected") => Some(Some(Decider::User)),
        Some("permissionDenied") => Some(None),
        _ => None,
    };
    EntryAnnotations {
        outcome: Some(outcome),
        exit_code,
        permission: denied_by.map(|by| permission(Decision::Denied, by)),
        ..EntryAnnotations::default()
    }
}

/// Returns the annotations of the result of a bubble. What a shell tool returned is JSON in text.
pub(crate) fn bubble_annotations(
    status: Option<&str>,
    is_error: Option<bool>,
    is_shell: bool,
    result: Option<Node<'_, '_>>,
) -> EntryAnnotations<'static> {
    let text = result.filter(|_| is_shell).and_then(Node::text);
    let inside = text.as_deref().and_then(|text| Document::json(text.as_bytes()).ok());
    let inside = inside.as_ref().map(Document::root).filter(|it| it.kind() == Kind::Map);
    let exit_code = inside.and_then(exit_code);
    let is_rejected =
        inside.and_then(|it| it.member("rejected")).and_then(Node::bool) == Some(true);
    let stated = status.and_then(status_outcome);
    let outcome = match (stated, is_error) {
        _ if is_rejected => Outcome::Cancelled,
        (Some(Outcome::Cancelled), _) => Outcome::Cancelled,
        _ if exit_code.is_some_and(|code| code != 0) => Outcome::Error,
        (_, Some(true)) => Outcome::Error,
        (Some(outcome), _) => outcome,
        (None, Some(false)) => Outcome::Success,
        (None, None) => Outcome::Unknown,
    };
    let rejected = is_rejected || status == Some("rejected");
    EntryAnnotations {
        outcome: Some(outcome),
        exit_code,
        permission: rejected.then(|| permission(Decision::Denied, Some(Decider::User))),
        ..EntryAnnotations::default()
    }
}

/// Adds the outcome of a result of a transcript or a chat. `high_level` is the other statement of a
/// chat: `{"output": {"<state>": {...}}, "isError": ...}`. The text of a shell tool begins with the
/// exit code.
pub(crate) fn annotate_result(
    result: &mut ToolResultEntry<'_>,
    tool: Option<&str>,
    high_level: Option<Node<'_, '_>>,
) {
    let is_shell = tool.is_some_and(crate::tools::is_shell);
    let code = result.output.document().ok().filter(|_| is_shell).and_then(|output| {
        let text = output.root().text()?;
        let (code, _) = text.strip_prefix("Exit code: ")?.split_once('\n')?;
        code.trim().parse::<i64>().ok().map(i128::from)
    });
    let is_error = |node: Node<'_, '_>| node.member("isError").and_then(Node::bool);
    let is_stated = result.is_error.or_else(|| high_level.and_then(is_error));
    let output = high_level.and_then(|it| it.member("output")).filter(|it| it.kind() == Kind::Map);
    let mut stated = match output {
        Some(output) => {
            let status = capture::status(output);
            let failed = status.as_deref().and_then(|it| capture::is_error(it, output));
            let is_error = is_stated.or_else(|| is_error(output)).filter(|it| *it).or(failed);
            tagged_annotations(status.as_deref(), is_error, output)
        }
        None => EntryAnnotations::default(),
    };
    stated.exit_code = stated.exit_code.or(code);
    let outcome = match (stated.outcome, stated.exit_code, is_stated) {
        (Some(Outcome::Cancelled), _, _) => Outcome::Cancelled,
        (_, Some(code), _) if code != 0 => Outcome::Error,
        (_, _, Some(true)) => Outcome::Error,
        (Some(outcome), _, _) if outcome != Outcome::Unknown => outcome,
        (_, Some(_), _) | (_, _, Some(false)) => Outcome::Success,
        _ => Outcome::Unknown,
    };
    stated.outcome = Some(outcome);
    attach(&mut result.extensions, &stated);
}

/// Returns the decision of the user about a call that a word of Cursor means.
pub(crate) fn decision(word: &str) -> Option<Permission<'static>> {
    let decision = match word {
        "accepted" | "approved" => Decision::Allowed,
        "rejected" | "denied" => Decision::Denied,
        _ => return None,
    };
    Some(permission(decision, Some(Decider::User)))
}

fn permission(decision: Decision, by: Option<Decider>) -> Permission<'static> {
    Permission { decision, by, what: None, call_id: None }
}

/// Returns the exit code that an object states.
fn exit_code(node: Node<'_, '_>) -> Option<i128> {
    let code = ["exitCodeV2", "exitCode"].iter().find_map(|key| node.member(key))?;
    code.integer().filter(|code| i64::try_from(*code).is_ok())
}
