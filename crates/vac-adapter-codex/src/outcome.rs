//! Reads the end of a tool call from an event about the call or from the output of the CLI.
//!
//! | output | states |
//! |---|---|
//! | `{"output", "metadata": {"exit_code"}}` as text or object (up to 0.9x, `apply_patch`) | the exit code |
//! | object with `success` (first versions) | success or error |
//! | lines `Exit code: N` or `Process exited with code N` before `Output:` | the exit code |
//! | `Script completed`, `Script failed`, `Script terminated` (`exec`, since 0.12x) | how the script ended; a completed one that prints results of commands failed if one of them did |
//! | one of [`PREFIXES`] | the outcome in that table |
//!
//! Outputs are most of the bytes of a log, so only the beginning or the end of an output is read,
//! except for the output of a script.

use std::borrow::Cow;
use std::collections::HashMap;

use vac_record::annotations::{Decider, Decision, EntryAnnotations, Outcome, Permission};
use vac_value::{Document, Kind, Node, Text};

use crate::event;
use crate::text_hash::TextHash;

/// The maximum number of bytes of an output that are read before its exit code, or after it.
const MAX_HEAD: usize = 4096;
/// The maximum number of calls whose outcomes, as stated by events, are kept.
const MAX_CALLS: usize = 32_768;
/// The maximum number of bytes of a script's output that are parsed.
const MAX_PRINTED: usize = 1 << 20;

/// Beginnings of outputs with lines of the CLI before the output itself.
const HEADS: &[&str] =
    &["Exit code: ", "Chunk ID: ", "Wall time: ", "Process exited ", "Command: "];

/// Beginnings of outputs that the CLI writes in place of a tool's output, and the version in
/// which each was seen.
const PREFIXES: &[(&str, Outcome, &str)] = &[
    ("aborted by user", Outcome::Cancelled, "0.46"),
    ("exec command rejected by user", Outcome::Cancelled, "0.2"),
    ("patch rejected by user", Outcome::Cancelled, "0.2"),
    ("rejected by user", Outcome::Cancelled, "0.9"),
    ("patch rejected", Outcome::Error, "0.39"),
    ("apply_patch verification failed", Outcome::Error, "0.39"),
    ("failed in sandbox", Outcome::Error, "0.31"),
    ("failed to parse function arguments", Outcome::Error, "0.39"),
    ("failed to parse exec_command arguments", Outcome::Error, "0.98"),
    ("exec_command failed", Outcome::Error, "0.98"),
    ("write_stdin failed", Outcome::Error, "0.98"),
    ("command timed out after", Outcome::Error, "0.39"),
    ("execution error: ", Outcome::Error, "0.31"),
    ("unsupported call: ", Outcome::Error, "0.39"),
    ("unsupported custom tool call: ", Outcome::Error, "0.39"),
    ("tool call error: ", Outcome::Error, "0.98"),
    ("collab spawn failed", Outcome::Error, "0.98"),
    // Of `apply_patch` inside `shell`.
    ("error: ", Outcome::Error, "0.31"),
    ("unable to locate image at", Outcome::Error, "0.98"),
    ("Plan updated", Outcome::Success, "0.39"),
    ("Success. Updated the following files:", Outcome::Success, "0.39"),
    ("attached local image path", Outcome::Success, "0.98"),
];

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallEnd {
    /// Whether it succeeded.
    pub outcome: Outcome,
    /// The exit code of the command.
    pub exit_code: Option<i128>,
    /// Whether a field or an exit code states the outcome, not a text of the CLI.
    pub is_stated: bool,
    /// The user, policy, program or hook that denied the call.
    pub denied_by: Option<Decider>,
}

impl CallEnd {
    fn new(outcome: Outcome) -> Self {
        Self { outcome, exit_code: None, is_stated: true, denied_by: None }
    }

    fn from_success(is_success: bool) -> Self {
        Self::new(if is_success { Outcome::Success } else { Outcome::Error })
    }

    fn from_code(code: i128) -> Self {
        Self { exit_code: Some(code), ..Self::from_success(code == 0) }
    }

    fn from_text(outcome: Outcome) -> Self {
        Self { is_stated: false, ..Self::new(outcome) }
    }

    fn denied(by: Option<Decider>) -> Self {
        Self { denied_by: by, ..Self::new(Outcome::Cancelled) }
    }

    /// Returns the schema's `is-error`, if the agent states it.
    pub fn is_error(self) -> Option<bool> {
        self.is_stated.then_some(self.outcome != Outcome::Success)
    }

    /// Returns the schema's `status`, for a result that has none of its own.
    pub fn status<'a>(self) -> Option<Text<'a>> {
        Some(if self.is_error()? { "error" } else { "success" }.into())
    }

    /// Annotates the result of a call.
    pub fn annotate<'a>(self, annotations: &mut EntryAnnotations<'a>, call_id: Option<Text<'a>>) {
        annotations.outcome = Some(self.outcome);
        annotations.exit_code = self.exit_code;
        if let Some(by) = self.denied_by {
            let decision = Decision::Denied;
            annotations.permission =
                Some(Permission { decision, by: Some(by), what: None, call_id });
        }
    }
}

/// The ends of calls that events state. A call of which they state different ends has none.
#[derive(Debug, Default)]
pub(crate) struct Outcomes(HashMap<TextHash, Option<CallEnd>>);

impl Outcomes {
    /// Reads an event.
    pub fn event(&mut self, event: Node<'_, '_>) {
        let Some(call) = event::call(event) else { return };
        let Some(end) = stated(event.member("item").unwrap_or(event)) else { return };
        let Some(call) = TextHash::from_node(call) else { return };
        let is_full = self.0.len() >= MAX_CALLS;
        match self.0.get_mut(&call) {
            Some(known) => *known = known.filter(|known| known.outcome == end.outcome),
            None if is_full => {}
            None => drop(self.0.insert(call, Some(end))),
        }
    }

    /// Returns how a call ended.
    pub fn get(&self, call: Option<Node<'_, '_>>) -> Option<CallEnd> {
        if self.0.is_empty() {
            return None;
        }
        *self.0.get(&TextHash::from_node(call?)?)?
    }
}

/// Returns how the call ended that an event, or an item of one, is about.
pub(crate) fn stated(event: Node<'_, '_>) -> Option<CallEnd> {
    let member = |key: &str| event.member(key).filter(|value| value.kind() != Kind::Null);
    let status = member("status").and_then(Node::text);
    if status.as_deref() == Some("declined") {
        return Some(CallEnd::denied(Some(Decider::User)));
    }
    if let Some(code) = member("exit_code").or_else(|| member("exitCode")) {
        return code.integer().map(CallEnd::from_code);
    }
    if let Some(success) = member("success") {
        return success.bool().map(CallEnd::from_success);
    }
    if member("error").is_some() {
        return Some(CallEnd::from_success(false));
    }
    if let Some(result) = member("result").filter(|result| result.kind() == Kind::Map) {
        if result.member("Err").is_some() {
            return Some(CallEnd::from_success(false));
        }
        let content = result.member("Ok").unwrap_or(result);
        let is_error = content.member("isError").or_else(|| content.member("is_error"));
        if let Some(is_error) = is_error.and_then(Node::bool) {
            return Some(CallEnd::from_success(!is_error));
        }
    }
    status.and_then(|status| by_status(&status))
}

/// Returns how a call with this status ended. `None` if it may still be running.
pub(crate) fn by_status(status: &str) -> Option<CallEnd> {
    Some(CallEnd::new(match status {
        "completed" => Outcome::Success,
        "failed" | "errored" => Outcome::Error,
        "cancelled" | "canceled" | "aborted" | "interrupted" => Outcome::Cancelled,
        "declined" => return Some(CallEnd::denied(Some(Decider::User))),
        _ => return None,
    }))
}

/// Returns how the call with this output ended.
pub(crate) fn by_output(output: Node<'_, '_>) -> Option<CallEnd> {
    match output.kind() {
        Kind::Map => by_members(output),
        Kind::Text => by_text(output, || output.text().into_iter().collect()),
        Kind::Array => {
            let texts = || output.elements().filter_map(|part| part.member("text"));
            let first = texts().find(|text| text.kind() == Kind::Text)?;
            by_text(first, || texts().filter_map(Node::text).collect())
        }
        _ => None,
    }
}

fn by_members(output: Node<'_, '_>) -> Option<CallEnd> {
    let success = output.member("success").and_then(Node::bool).map(CallEnd::from_success);
    success.or_else(|| {
        let code = output.member("metadata")?.member("exit_code")?.integer()?;
        Some(CallEnd::from_code(code))
    })
}

/// Returns the end that a text states, or that all texts of the output state if a script printed
/// them.
fn by_text<'t>(text: Node<'t, '_>, all: impl FnOnce() -> Vec<Text<'t>>) -> Option<CallEnd> {
    let [_, inside @ .., _] = text.raw() else { return None };
    if inside.starts_with(b"{") {
        return by_object(&text.text()?);
    }
    let begins = |prefix: &str| inside.starts_with(prefix.as_bytes());
    if begins("Script ")
        && let Some(status) = script_status(&decode_head(inside))
    {
        return status.end(all);
    }
    if HEADS.iter().any(|prefix| begins(prefix)) {
        let is_whole = inside.len() <= MAX_HEAD;
        return by_head(&decode_head(inside), is_whole).map(CallEnd::from_code);
    }
    let (_, outcome, _) = PREFIXES.iter().find(|(prefix, ..)| begins(prefix))?;
    Some(denial(&decode_head(inside)).unwrap_or(CallEnd::from_text(*outcome)))
}

/// Returns the end of a call that was not allowed to run, by an error of the CLI.
fn denial(text: &str) -> Option<CallEnd> {
    let by = if text.contains("rejected by user") {
        Decider::User
    } else if !text.contains("Rejected(") {
        return None;
    } else if text.contains("policy") {
        Decider::Policy
    } else {
        Decider::Program
    };
    Some(CallEnd { is_stated: false, ..CallEnd::denied(Some(by)) })
}

/// Returns the end that an object in a text states.
fn by_object(text: &str) -> Option<CallEnd> {
    let document = Document::json(text.as_bytes()).ok()?;
    let (first, _) = document.root().members().next()?;
    if first.is_text("agent_id") {
        // The result of `spawn_agent`.
        return Some(CallEnd::from_text(Outcome::Success));
    }
    by_members(document.root())
}

/// Returns the exit code in the lines before the output itself. If the head is not the whole
/// output, its last line may be incomplete and is not read.
fn by_head(head: &str, is_whole: bool) -> Option<i128> {
    for line in head.split_inclusive('\n') {
        let line = line.strip_suffix('\n').or(is_whole.then_some(line))?;
        if line == "Output:" {
            return None;
        }
        let code = line.strip_prefix("Exit code: ");
        if let Some(code) = code.or_else(|| line.strip_prefix("Process exited with code ")) {
            return code.trim().parse().ok();
        }
    }
    None
}

/// The state of a script that the tool `exec` ran.
#[derive(Clone, Copy)]
enum ScriptStatus {
    Completed,
    Failed,
    Terminated,
    Running,
}

/// Reads the status at the beginning of an output. `None` if it is not that of a script.
fn script_status(head: &str) -> Option<ScriptStatus> {
    let (status, rest) = head.split_once('\n').unwrap_or((head, ""));
    if !rest.is_empty() && !rest.starts_with("Wall time ") && !rest.starts_with("Output:") {
        return None;
    }
    Some(match status {
        "Script completed" => ScriptStatus::Completed,
        "Script failed" => ScriptStatus::Failed,
        "Script terminated" => ScriptStatus::Terminated,
        _ if status.starts_with("Script running with cell ID ") => ScriptStatus::Running,
        _ => return None,
    })
}

impl ScriptStatus {
    /// Returns how the script ended, and the commands whose results it printed. `None` if it is
    /// still running.
    fn end<'t>(self, texts: impl FnOnce() -> Vec<Text<'t>>) -> Option<CallEnd> {
        Some(match self {
            Self::Completed => {
                let code = texts().iter().filter_map(|text| printed_code(text)).reduce(worse);
                let end = code.map(|code| CallEnd { is_stated: false, ..CallEnd::from_code(code) });
                end.unwrap_or(CallEnd::from_text(Outcome::Success))
            }
            Self::Failed => {
                let denial = texts().iter().find_map(|text| denial(text));
                denial.unwrap_or(CallEnd::from_text(Outcome::Error))
            }
            Self::Terminated => CallEnd::from_text(Outcome::Cancelled),
            Self::Running => return None,
        })
    }
}

/// Returns the exit code of commands whose results a script printed: an object with `exit_code`
/// and the rest of a result, or a list of them.
fn printed_code(text: &str) -> Option<i128> {
    let text = match text.split_once("\nOutput:\n") {
        Some((head, rest)) if head.starts_with("Script completed") => rest,
        _ => text,
    };
    let text = text.trim();
    if HEADS.iter().any(|prefix| text.starts_with(prefix)) {
        return by_head(text, true);
    }
    let is_candidate =
        text.len() <= MAX_PRINTED && text.starts_with(['{', '[']) && text.contains("\"exit_code\"");
    let document = is_candidate.then(|| Document::json(text.as_bytes()).ok())??;
    let root = document.root();
    let code = |result: Node<'_, '_>| {
        let result = result.member("value").unwrap_or(result);
        let is_result = ["output", "wall_time_seconds", "chunk_id"]
            .iter()
            .any(|key| result.member(key).is_some());
        result.member("exit_code").filter(|_| is_result)?.integer()
    };
    match root.kind() {
        Kind::Array => root.elements().filter_map(code).reduce(worse),
        _ => code(root),
    }
}

/// Returns the first exit code that is not 0.
fn worse(first: i128, second: i128) -> i128 {
    if first == 0 { second } else { first }
}

/// Decodes the beginning of the inside of a JSON text token, up to the line `Output:`.
fn decode_head(inside: &[u8]) -> String {
    let mut end = inside.len().min(MAX_HEAD);
    while end < inside.len() && end > 0 && matches!(inside[end], 0x80..=0xbf) {
        end -= 1;
    }
    let raw = match std::str::from_utf8(&inside[..end]) {
        Ok(raw) => Cow::Borrowed(raw),
        Err(_) => String::from_utf8_lossy(&inside[..end]),
    };
    // The line is usually near the beginning of kilobytes of output.
    if let Some(before) = raw.find(OUTPUT_TOKEN) {
        let head = unescape_head(&raw[..before + OUTPUT_TOKEN.len()]);
        if head.ends_with(OUTPUT_LINE) {
            return head;
        }
    }
    unescape_head(&raw)
}

/// The line before the output itself, with the line end before it.
const OUTPUT_LINE: &str = "\nOutput:\n";
/// The same as JSON usually spells it.
const OUTPUT_TOKEN: &str = r"\nOutput:\n";

/// Decodes the beginning of the inside of a JSON text token, which may end in an escape.
fn unescape_head(raw: &str) -> String {
    let mut head = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        head.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                Some(other) => other,
                None => break,
            },
            other => other,
        });
        if head.ends_with(OUTPUT_LINE) {
            break;
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(output: &str) -> Option<CallEnd> {
        by_output(Document::json(output.as_bytes()).expect("JSON").root())
    }

    fn parts(texts: &[&str]) -> String {
        let text = |text: &&str| format!(r#"{{"type": "input_text", "text": {text:?}}}"#);
        format!("[{}]", texts.iter().map(text).collect::<Vec<_>>().join(","))
    }

    const DONE: &str = "Script completed\nWall time 0.1 seconds\nOutput:\n";

    #[test]
    fn scripts_end_as_their_status_and_printed_exit_codes_say() {
        let failed = r#"{"exit_code": 2, "output": "x"}"#;
        let several = r#"[{"exit_code": 0, "output": ""}, {"status": "fulfilled", "value": {"exit_code": 3, "output": ""}}]"#;
        let running = "Script running with cell ID 7\nWall time 30.0 seconds\nOutput:\n";
        let other = r#"{"exit_code": 2, "name": "a configuration"}"#;
        let failed_script = "Script failed\nWall time 0.0 seconds\nOutput:\n";
        for (texts, outcome, code) in [
            (&["Script completed"][..], Some(Outcome::Success), None),
            (&[DONE, "plain words"], Some(Outcome::Success), None),
            (&[DONE, failed], Some(Outcome::Error), Some(2)),
            (&[DONE, several], Some(Outcome::Error), Some(3)),
            (&[DONE, other], Some(Outcome::Success), None),
            (&[DONE, "Chunk ID: a\nProcess exited with code 1\n"], Some(Outcome::Error), Some(1)),
            (&[failed_script, "Script error:\nx"], Some(Outcome::Error), None),
            (
                &[failed_script, "Script error:\nRejected(\"too risky\")"],
                Some(Outcome::Cancelled),
                None,
            ),
            (
                &["Script terminated\nWall time 1.0 seconds\nOutput:\n"],
                Some(Outcome::Cancelled),
                None,
            ),
            (&[running], None, None),
            (&["Script completed, or so they say"], None, None),
            (&["Script completed\nby Ada"], None, None),
        ] {
            let found = end(&parts(texts));
            assert_eq!(found.map(|end| end.outcome), outcome, "{texts:?}");
            assert_eq!(found.and_then(|end| end.exit_code), code, "{texts:?}");
        }
        let one = format!("{:?}", format!("{DONE}{failed}"));
        assert_eq!(end(&one).and_then(|end| end.exit_code), Some(2), "one text");
    }

    #[test]
    fn objects_as_text_state_outcomes_however_they_are_written() {
        for (text, outcome, code) in [
            (r#"{"output":"x","metadata":{"exit_code":3}}"#, Some(Outcome::Error), Some(3)),
            (
                r#"{ "metadata": {"exit\u005fcode": 0}, "output": ""}"#,
                Some(Outcome::Success),
                Some(0),
            ),
            (r#"{"a":{"metadata":{"exit_code":3}}}"#, None, None),
            (r#"{"agent\u005fid":"a","nickname":"b"}"#, Some(Outcome::Success), None),
            (r#"{"name":"x","agent_id":"a"}"#, None, None),
            (r#"{"metadata":{"exit_code":3}"#, None, None),
            ("{}", None, None),
        ] {
            let found = end(&format!("{text:?}"));
            assert_eq!(found.map(|end| end.outcome), outcome, "{text}");
            assert_eq!(found.and_then(|end| end.exit_code), code, "{text}");
        }
    }

    #[test]
    fn texts_of_the_cli_state_outcomes() {
        for (output, outcome) in [
            ("\"aborted by user after 3.1s\"", Some(Outcome::Cancelled)),
            ("\"patch rejected: empty patch\"", Some(Outcome::Error)),
            ("\"patch rejected by user\"", Some(Outcome::Cancelled)),
            ("\"Plan updated\"", Some(Outcome::Success)),
            ("\"words of a tool\"", None),
            ("[]", None),
            ("7", None),
        ] {
            assert_eq!(end(output).map(|end| end.outcome), outcome, "{output}");
        }
        assert_eq!(
            end("\"patch rejected by user\"").and_then(|it| it.denied_by),
            Some(Decider::User)
        );
        assert_eq!(
            end("\"Plan updated\"").and_then(CallEnd::is_error),
            None,
            "a text, not a field"
        );
    }

    #[test]
    fn refused_commands_name_who_refused_them() {
        let failed = r#""exec_command failed for `rm x`: CreateProcess { message: \"Rejected(\\\"REASON\\\")\" }""#;
        for (reason, by) in [
            ("rejected by user", Decider::User),
            ("approval required by policy", Decider::Policy),
            ("unacceptable risk", Decider::Program),
        ] {
            let found = end(&failed.replace("REASON", reason)).expect("an end");
            assert_eq!(
                (found.outcome, found.denied_by),
                (Outcome::Cancelled, Some(by)),
                "{reason}"
            );
        }
    }

    #[test]
    fn heads_are_decoded_with_their_escapes() {
        assert_eq!(decode_head(br#"a\n\t\"\\\/\u0041\ud83d"#), "a\n\t\"\\/A\u{fffd}");
        let not_a_line = decode_head(br"a\\nOutput:\nb\u000aOutput:\nc");
        assert_eq!(not_a_line, "a\\nOutput:\nb\nOutput:\n");
        assert_eq!(decode_head(br"a\nOutput:\nb\nOutput:\nc"), "a\nOutput:\n");
        let long =
            format!("\"Chunk ID: {}\\nProcess exited with code 1\\n\"", "é".repeat(MAX_HEAD));
        assert_eq!(end(&long), None, "too far from the beginning");
    }
}
