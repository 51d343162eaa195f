//! How sessions ended.

use crate::{facts, record, told};

/// What a session of an agent with these entries ended with.
#[track_caller]
fn ended(cli_name: &str, entries: &str, expected: &str) {
    let record = record(cli_name, entries);
    assert_eq!(facts(&record).status.name(), expected, "{entries}");
    let last = told(&record).pop().expect("an event");
    assert_eq!(last["status"], expected, "the events say the same");
}

const USER: &str = r#"{"type": "user", "content": "Do it"}"#;
const ANSWER: &str = r#"{"type": "assistant", "content": "Done"}"#;
const CALL: &str = r#"{"type": "tool-call", "name": "shell", "call-id": "c", "input": {}}"#;
const GOOD: &str = r#"{"type": "tool-result", "call-id": "c", "output": "", "is-error": false}"#;
const BAD: &str = r#"{"type": "tool-result", "call-id": "c", "output": "", "is-error": true}"#;
const AGENTS: [&str; 6] =
    ["claude-code", "codex-cli", "gemini-cli", "opencode", "cursor", "another-agent"];

fn all(entries: &[&str]) -> String {
    entries.join(",")
}

#[test]
fn without_messages_a_session_was_interrupted() {
    for agent in AGENTS {
        ended(agent, "", "interrupted");
    }
}

#[test]
fn the_last_word_decides() {
    for agent in AGENTS {
        ended(agent, USER, "interrupted");
        ended(agent, &all(&[USER, ANSWER]), "success");
        ended(agent, &all(&[USER, ANSWER, USER]), "interrupted");
    }
}

#[test]
fn a_session_fails_if_the_tools_that_were_used_last_did() {
    for agent in AGENTS {
        ended(agent, &all(&[USER, CALL, BAD]), "failure");
        ended(agent, &all(&[USER, CALL, GOOD]), "success");
        ended(agent, &all(&[USER, CALL, BAD, ANSWER]), "success");
    }
    ended("codex-cli", &all(&[USER, CALL, CALL, BAD, GOOD]), "failure");
    ended("codex-cli", &all(&[USER, CALL, BAD, CALL, GOOD]), "success");
}

#[test]
fn a_message_of_gemini_fails_with_any_of_its_tool_calls() {
    let message = |results: &str| {
        format!(r#"{{"type": "assistant", "content": "Let me", "children": [{results}]}}"#)
    };
    ended("gemini-cli", &message(&all(&[CALL, BAD, CALL, GOOD])), "failure");
    ended("gemini-cli", &message(&all(&[CALL, GOOD, CALL, GOOD])), "success");
    let cancelled =
        GOOD.replace("\"is-error\": false", "\"is-error\": true, \"status\": \"cancelled\"");
    ended("gemini-cli", &message(&all(&[CALL, &cancelled])), "success");
}

#[test]
fn a_call_that_nobody_answered_means_that_somebody_stopped() {
    for (agent, expected) in [
        ("claude-code", "interrupted"),
        ("codex-cli", "interrupted"),
        ("opencode", "interrupted"),
        ("gemini-cli", "success"),
        ("cursor", "success"),
        ("another-agent", "success"),
    ] {
        ended(agent, &all(&[USER, CALL]), expected);
    }
    ended("another-agent", &all(&[USER, CALL, GOOD, ANSWER, CALL]), "interrupted");
    let search = CALL.replace("shell", "web_search_call");
    ended("codex-cli", &all(&[USER, &search]), "success");
}

#[test]
fn gemini_ends_with_what_the_program_says_last() {
    let says = |kind: &str| format!(r#"{{"type": "system-event", "event-type": "{kind}"}}"#);
    ended("gemini-cli", &all(&[USER, ANSWER, &says("info")]), "interrupted");
    ended("gemini-cli", &all(&[USER, ANSWER, &says("warning")]), "interrupted");
    ended("gemini-cli", &all(&[USER, ANSWER, &says("error")]), "failure");
    ended("gemini-cli", &all(&[USER, &says("error"), ANSWER]), "success");
    ended("gemini-cli", &all(&[USER, ANSWER, &says("session-continued")]), "success");
}

#[test]
fn codex_says_when_a_turn_was_aborted_or_failed() {
    let says =
        |kind: &str| format!(r#"{{"type": "system-event", "event-type": "event_msg/{kind}"}}"#);
    ended("codex-cli", &all(&[USER, ANSWER, &says("turn_aborted")]), "interrupted");
    ended("codex-cli", &all(&[USER, ANSWER, &says("error")]), "failure");
    ended("codex-cli", &all(&[USER, &says("error"), CALL, GOOD]), "success");
    ended("codex-cli", &all(&[USER, &says("turn_aborted"), USER, ANSWER]), "success");
    let mark = r#"{"type": "user", "content": "<turn_aborted>\nstopped\n</turn_aborted>"}"#;
    ended("codex-cli", &all(&[USER, ANSWER, mark]), "interrupted");
}

#[test]
fn claude_says_when_the_api_or_the_user_stopped_it() {
    let error = r#"{"type": "assistant", "content": "API Error", "isApiErrorMessage": true}"#;
    ended("claude-code", &all(&[USER, error]), "failure");
    ended("claude-code", &all(&[USER, error, USER, ANSWER]), "success");
    let mark = r#"{"type": "user", "content": "[Request interrupted by user for tool use]"}"#;
    ended("claude-code", &all(&[USER, CALL, BAD, mark]), "interrupted");
    let exit = r#"{"type": "user", "content": "<command-name>/exit</command-name>"}"#;
    let bye = r#"{"type": "user", "content": "<local-command-stdout>Bye</local-command-stdout>"}"#;
    ended("claude-code", &all(&[USER, ANSWER, exit, bye]), "success");
    ended("claude-code", &all(&[exit, bye]), "interrupted");
}

#[test]
fn lines_of_one_message_of_claude_are_one_step() {
    let line = |id: &str, call: &str| {
        format!(
            r#"{{"type": "assistant", "message": {{"id": "{id}"}}, "children":
                [{{"type": "tool-call", "name": "Bash", "call-id": "{call}", "input": {{}}}}]}}"#
        )
    };
    let result = |call: &str, is_error: bool| {
        format!(
            r#"{{"type": "user", "children": [{{"type": "tool-result", "call-id": "{call}",
                "output": "", "is-error": {is_error}}}]}}"#
        )
    };
    let at_once = [&line("m1", "a"), &result("a", true), &line("m1", "b"), &result("b", false)];
    ended("claude-code", &at_once.map(String::as_str).join(","), "failure");
    let in_turn = [&line("m1", "a"), &result("a", true), &line("m2", "b"), &result("b", false)];
    ended("claude-code", &in_turn.map(String::as_str).join(","), "success");
}

#[test]
fn what_a_subagent_of_claude_does_decides_nothing_unless_it_is_alone() {
    let side = |entry: &str| entry.replacen('{', r#"{"isSidechain": true, "#, 1);
    let failed = all(&[&side(CALL), &side(BAD)]);
    ended("claude-code", &all(&[USER, ANSWER, &failed]), "success");
    ended("claude-code", &failed, "failure");
}

#[test]
fn opencode_says_why_a_message_ended() {
    let message = |error: &str| {
        let error = if error.is_empty() {
            String::new()
        } else {
            format!(r#""error": {{"name": "{error}"}}, "#)
        };
        format!(r#"{{"type": "assistant", {error}"id": "m1"}}"#)
    };
    let part = r#"{"type": "assistant", "content": "So far", "messageID": "m1"}"#;
    ended("opencode", &all(&[USER, &message(""), part]), "success");
    ended("opencode", &all(&[USER, &message("APIError"), part]), "failure");
    ended("opencode", &all(&[USER, &message("MessageAbortedError"), part]), "interrupted");
}

#[test]
fn a_step_of_opencode_begins_where_the_log_says() {
    let of = |entry: &str| entry.replacen('{', r#"{"messageID": "m1", "#, 1);
    let step = r#"{"type": "system-event", "event-type": "step-start"}"#;
    let message = r#"{"type": "assistant", "id": "m1"}"#;
    let parallel = all(&[USER, message, step, &of(CALL), &of(BAD), &of(CALL), &of(GOOD)]);
    ended("opencode", &parallel, "failure");
    let next = all(&[USER, message, step, &of(CALL), &of(BAD), step, &of(CALL), &of(GOOD)]);
    ended("opencode", &next, "success");
}

#[test]
fn cursor_says_how_a_turn_ended() {
    let turn = |status: &str| {
        format!(
            r#"{{"type": "system-event", "event-type": "turn_ended", "data": {{"status": "{status}"}}}}"#
        )
    };
    ended("cursor", &all(&[USER, ANSWER, &turn("success")]), "success");
    ended("cursor", &all(&[USER, ANSWER, &turn("aborted")]), "interrupted");
    ended("cursor", &all(&[USER, ANSWER, &turn("error")]), "failure");
    ended("cursor", &all(&[USER, ANSWER, &turn("success"), USER]), "interrupted");
    let error = r#"{"type": "system-event", "event-type": "error", "data": {"error": "x"}}"#;
    ended("cursor", &all(&[USER, error]), "failure");
    let result =
        r#"{"type": "system-event", "event-type": "result/error", "data": {"is_error": true}}"#;
    ended("cursor", &all(&[USER, ANSWER, result]), "failure");
}

#[test]
fn what_stands_aside_decides_nothing() {
    for mark in [
        r#""duplicate-of": "x""#,
        r#""inherited": true"#,
        r#""superseded": "updated""#,
        r#""superseded": true"#,
        r#""rolled-back": true"#,
    ] {
        let aside = BAD.replacen('{', &format!("{{{mark}, "), 1);
        ended("codex-cli", &all(&[USER, ANSWER, &aside]), "success");
        let aside = USER.replacen('{', &format!("{{{mark}, "), 1);
        ended("codex-cli", &all(&[USER, ANSWER, &aside]), "success");
    }
}
