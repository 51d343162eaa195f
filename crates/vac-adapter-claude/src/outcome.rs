//! Determines how tool calls ended, and what was permitted.
//!
//! | the log states | outcome |
//! |---|---|
//! | the text of a result that was refused, cancelled or interrupted | cancelled, and the permission that was denied |
//! | `toolUseResult.interrupted` | cancelled |
//! | `is_error`, or an error block of the provider | error |
//! | an exit code that is not 0: the text `Exit code 1`, `toolUseResult.exitCode` | error |
//! | `toolUseResult.success` is false and `is_error` is absent | error |
//! | a response of iFlow CLI with an error, or its last lines for a shell tool | as Gemini CLI states it (`iflow.rs`) |
//! | otherwise | success: the API omits `is_error` where it is false |

use vac_record::annotations::{Decider, Decision, EntryAnnotations, Outcome, Permission};
use vac_value::{Kind, Node, Text};

use crate::iflow;
use crate::prompt_rules::INTERRUPTED;

/// Texts of results whose call was not permitted, each with the decider.
const DENIED: &[(&str, Decider)] = &[
    ("The user doesn't want to proceed with this tool use", Decider::User),
    ("The user doesn't want to take this action right now", Decider::User),
    ("User rejected tool use", Decider::User),
    ("Permission for this tool use was denied", Decider::Policy),
    ("Permission for this action has been denied", Decider::Policy),
    ("Permission to use ", Decider::Policy),
    ("Claude requested permissions to ", Decider::Policy),
    ("Hook PreToolUse:", Decider::Hook),
    ("PreToolUse:", Decider::Hook),
    ("Execution stopped by PreToolUse hook", Decider::Hook),
];

/// Texts of results whose call was stopped.
const CANCELLED: &[&str] = &[INTERRUPTED, "Sibling tool call errored", "Cancelled: "];

/// Texts of results by which the user permitted something.
const ALLOWED: &[&str] = &["User has approved your plan", "User has approved exiting plan mode"];

/// Adds how a call ended, by its result block and the `toolUseResult` of its line.
pub(crate) fn annotate_result(
    it: &mut EntryAnnotations<'_>,
    block: Node<'_, '_>,
    is_error: Option<bool>,
    result: Option<Node<'_, '_>>,
) {
    if let Some(end) = iflow::end(block, result).filter(|_| is_error.is_none()) {
        let EntryAnnotations { outcome, exit_code, permission, .. } = end;
        (it.outcome, it.exit_code, it.permission) = (outcome, exit_code, permission);
        return;
    }
    let text = block.member("content").and_then(first_text).unwrap_or_default();
    let text = text.trim_start();
    let text = text.strip_prefix("<tool_use_error>").unwrap_or(text);
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let permission =
        |decision, by| Permission { decision, by: Some(by), what: None, call_id: None };
    if is_error == Some(true) {
        if let Some((_, by)) = DENIED.iter().find(|(denied, _)| text.starts_with(denied)) {
            it.permission = Some(permission(Decision::Denied, *by));
            it.outcome = Some(Outcome::Cancelled);
            return;
        }
    } else if ALLOWED.iter().any(|allowed| text.starts_with(allowed)) {
        it.permission = Some(permission(Decision::Allowed, Decider::User));
    }
    let result = result.filter(|result| result.kind() == Kind::Map);
    let flag = |key: &str| result.and_then(|result| result.member(key)?.bool());
    let is_cancelled = is_error != Some(false) && CANCELLED.iter().any(|it| text.starts_with(it));
    it.exit_code =
        stated_exit_code(result).or_else(|| exit_code(text).filter(|_| is_error == Some(true)));
    it.outcome = Some(if is_cancelled || flag("interrupted") == Some(true) {
        Outcome::Cancelled
    } else if is_error == Some(true)
        || it.exit_code.is_some_and(|code| code != 0)
        || (is_error.is_none() && flag("success") == Some(false))
    {
        Outcome::Error
    } else {
        Outcome::Success
    });
}

/// Returns the first text of a content.
fn first_text<'a>(content: Node<'a, '_>) -> Option<Text<'a>> {
    match content.kind() {
        Kind::Array => content.elements().find_map(|block| block.member("text")?.text()),
        _ => content.text(),
    }
}

/// Returns the exit code that the result of a background command states.
fn stated_exit_code(result: Option<Node<'_, '_>>) -> Option<i128> {
    let result = result?;
    let code = result.member("exitCode").or_else(|| result.member("task")?.member("exitCode"));
    i64::try_from(code?.integer()?).ok().map(i128::from)
}

/// Returns the exit code that the text of a failed command begins with.
fn exit_code(text: &str) -> Option<i128> {
    let rest = text.strip_prefix("Exit code ")?;
    rest.lines().next()?.trim().parse::<i64>().ok().map(i128::from)
}
