//! Tests how the status of sessions is decided.

use crate::{annotated, events_of, facts, foreign_record, record};

#[track_caller]
fn ended_in(record: &str, expected: &str) {
    assert_eq!(facts(record).status.name(), expected, "{record}");
    let last = events_of(record).pop().expect("an event");
    assert_eq!(last["status"], expected, "the events say the same");
}

/// Asserts how sessions with these entries ended, of an agent that logs results.
#[track_caller]
fn ended(entries: &[&str], expected: &str) {
    ended_in(&record(&entries.join(",")), expected);
}

const USER: &str = r#"{"type": "user", "content": "Do it", "vac": {"author": "user"}}"#;
const ANSWER: &str = r#"{"type": "assistant", "content": "Done"}"#;
const CALL: &str = r#"{"type": "tool-call", "name": "run", "call-id": "c", "input": {}}"#;
const GOOD: &str =
    r#"{"type": "tool-result", "call-id": "c", "output": "", "vac": {"outcome": "success"}}"#;
const BAD: &str =
    r#"{"type": "tool-result", "call-id": "c", "output": "", "vac": {"outcome": "error"}}"#;
const EVENT: &str = r#"{"type": "system-event", "event-type": "x"}"#;

#[test]
fn session_without_messages_was_interrupted() {
    ended(&[], "interrupted");
    ended(&[EVENT], "interrupted");
}

#[test]
fn last_message_decides() {
    ended(&[USER], "interrupted");
    ended(&[USER, ANSWER], "success");
    ended(&[USER, ANSWER, USER], "interrupted");
    let unstated = r#"{"type": "user", "content": "Do it"}"#;
    ended(&[unstated, ANSWER, unstated], "interrupted");
}

#[test]
fn messages_that_do_not_address_the_model_decide_nothing() {
    for annotations in [
        r#""author": "program""#,
        r#""author": "hook""#,
        r#""author": "unknown""#,
        r#""author": "user", "local-command": true"#,
    ] {
        let message = annotated(r#"{"type": "user", "content": "x"}"#, annotations);
        ended(&[USER, ANSWER, &message], "success");
        ended(&[&message], "interrupted");
        ended(&[USER, CALL, BAD, &message, CALL, GOOD], "success");
    }
    let other = annotated(r#"{"type": "user", "content": "x"}"#, r#""author": "other-agent""#);
    ended(&[USER, ANSWER, &other], "interrupted");
    let synthetic = annotated(ANSWER, r#""author": "program""#);
    ended(&[USER, &synthetic], "interrupted");
}

#[test]
fn tools_of_the_last_step_decide() {
    ended(&[USER, CALL, BAD], "failure");
    ended(&[USER, CALL, GOOD], "success");
    ended(&[USER, CALL, BAD, ANSWER], "success");
    ended(&[USER, CALL, CALL, BAD, GOOD], "failure");
    ended(&[USER, CALL, BAD, CALL, GOOD], "success");
    ended(&[USER, ANSWER, CALL, BAD], "failure");
    let cancelled = BAD.replace("error", "cancelled");
    ended(&[USER, CALL, &cancelled], "success");
    let failed = annotated(CALL, r#""outcome": "error""#);
    ended(&[USER, &failed], "failure");
}

#[test]
fn children_belong_to_the_step_of_their_message() {
    let message = |children: &[&str]| {
        let children = children.join(",");
        format!(r#"{{"type": "assistant", "content": "Let me", "children": [{children}]}}"#)
    };
    ended(&[&message(&[CALL, BAD, CALL, GOOD])], "failure");
    ended(&[&message(&[CALL, GOOD, CALL, GOOD])], "success");
    ended(&[&message(&[CALL, BAD]), &message(&[CALL, GOOD])], "success");
}

#[test]
fn open_calls_mean_interrupted_if_results_are_logged() {
    ended(&[USER, CALL], "interrupted");
    ended(&[USER, CALL, CALL, GOOD], "interrupted");
    let finished = annotated(CALL, r#""outcome": "success""#);
    ended(&[USER, &finished], "success");
    ended_in(&foreign_record(&[USER, CALL].join(",")), "success");
    ended_in(&foreign_record(&[USER, CALL, GOOD, ANSWER, CALL].join(",")), "interrupted");
}

#[test]
fn stated_end_decides_unless_the_session_goes_on() {
    for (how, status) in
        [("success", "success"), ("failure", "failure"), ("interrupted", "interrupted")]
    {
        for of in ["turn", "session"] {
            let end = format!(r#""ends": {{"of": "{of}", "how": "{how}"}}"#);
            let event = annotated(EVENT, &end);
            ended(&[USER, CALL, &event], status);
            ended(&[USER, CALL, BAD, &event], status);
            ended(&[USER, &event, USER], "interrupted");
            ended(&[USER, &event, USER, ANSWER], "success");
            ended(&[USER, &event, ANSWER], "success");
            ended(&[USER, &event, CALL, BAD], "failure");
        }
    }
    let unknown = annotated(EVENT, r#""ends": {"of": "session"}"#);
    ended(&[USER, ANSWER, &unknown], "success");
    ended(&[USER, &unknown], "interrupted");
}

#[test]
fn messages_can_state_an_end() {
    let stopped = annotated(
        r#"{"type": "user", "content": "[stopped]"}"#,
        r#""author": "program", "ends": {"of": "turn", "how": "interrupted"}"#,
    );
    ended(&[USER, CALL, BAD, &stopped], "interrupted");
    ended(&[USER, CALL, BAD, &stopped, USER, ANSWER], "success");
    let error =
        annotated(ANSWER, r#""author": "program", "ends": {"of": "turn", "how": "failure"}"#);
    ended(&[USER, &error], "failure");
    ended(&[USER, &error, ANSWER], "success");
}

#[test]
fn end_of_a_message_includes_the_parts_after_it() {
    let message = r#"{"type": "assistant", "id": "m1"}"#;
    let failed = annotated(message, r#""ends": {"of": "turn", "how": "failure"}"#);
    ended(&[USER, message, ANSWER, CALL, GOOD], "success");
    ended(&[USER, &failed, ANSWER, CALL, GOOD, ANSWER], "failure");
    ended(&[USER, &failed, CALL, message, ANSWER], "success");
    ended(&[USER, &failed, CALL, USER], "interrupted");
}

#[test]
fn subagents_decide_nothing_unless_they_are_alone() {
    let side = |entry: &str| {
        let (annotations, subagent) = (r#""vac": {"#, r#""subagent": {"id": "a"}"#);
        if entry.contains(annotations) {
            entry.replacen(annotations, &format!("{annotations}{subagent}, "), 1)
        } else {
            annotated(entry, subagent)
        }
    };
    let (call, bad) = (side(CALL), side(BAD));
    ended(&[USER, ANSWER, &call, &bad], "success");
    ended(&[&call, &bad], "failure");
    ended(&[&side(USER), &side(ANSWER)], "success");
}

#[test]
fn entries_outside_of_the_conversation_decide_nothing() {
    for annotation in [
        r#""duplicate-of": "x""#,
        r#""inherited": true"#,
        r#""superseded": {"how": "updated"}"#,
        r#""superseded": {"how": "rewound"}"#,
        r#""superseded": {"how": "rolled-back"}"#,
    ] {
        let bad = r#"{"type": "tool-result", "call-id": "c", "output": "", "is-error": true}"#;
        ended(&[USER, ANSWER, &annotated(bad, annotation)], "success");
        let prompt = r#"{"type": "user", "content": "x"}"#;
        ended(&[USER, ANSWER, &annotated(prompt, annotation)], "success");
        let end = format!(r#"{annotation}, "ends": {{"of": "turn", "how": "failure"}}"#);
        ended(&[USER, ANSWER, &annotated(EVENT, &end)], "success");
    }
}
