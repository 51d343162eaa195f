//! Queued prompts are messages once.

use serde_json::{Value, json};
use vac_adapter_check::corpus;
use vac_adapter_claude::Claude;

use crate::{check, convert_fixture, convert_one, find_entry, prompts};

#[test]
fn queued_prompts_are_messages_of_the_user_once() {
    let record = convert_fixture("jsonl/queued-prompts").value();
    let image = json!({"type": "base64", "media_type": "image/png", "data": "aGk="});
    assert_eq!(
        prompts(&record),
        [
            json!("Polish the brass."),
            json!("And the steel, please."),
            json!([
                {"type": "text", "text": "See this picture."},
                {"type": "image", "source": image}
            ]),
            json!("Was the lead polished too?"),
            json!("first line of two\nsecond line"),
            json!(
                "<command-name>/compact</command-name>\n<command-message>compact\
                 </command-message>\n<command-args>now</command-args>"
            ),
        ]
    );
}

#[test]
fn queued_prompt_keeps_the_members_of_its_line() {
    let record = convert_fixture("jsonl/queued-prompts").value();
    let attached = find_entry(&record, "q1");
    assert_eq!(
        (&attached["native:type"], &attached["parent-id"]),
        (&json!("attachment"), &json!("u2"))
    );
    assert_eq!(attached["attachment"]["commandMode"], "prompt");
    let enqueued = find_entry(&record, "L11");
    assert_eq!(enqueued["content"], "Was the lead polished too?");
    assert_eq!(enqueued["native:type"], "queue-operation");
    assert_eq!(enqueued["operation"], "enqueue");
    assert_eq!(enqueued["timestamp"], "2026-05-06T10:40:07.000Z");
}

#[test]
fn repeated_and_withdrawn_queue_lines_are_events() {
    let record = convert_fixture("jsonl/queued-prompts").value();
    for (line, content) in [
        ("L1", "Polish the brass."),
        ("L5", "And the steel, please."),
        ("L14", "first line of two"),
        ("L15", "second line"),
        ("L19", "/compact now"),
        ("L22", "I take this back"),
    ] {
        let event = find_entry(&record, line);
        assert_eq!(event["event-type"], "queue-operation/enqueue");
        assert_eq!(event["data"]["content"], content);
    }
    assert_eq!(find_entry(&record, "L24")["type"], "system-event", "a notification");
}

#[test]
fn text_that_contains_a_prompt_in_a_word_is_another_prompt() {
    let log = concat!(
        r#"{"type":"queue-operation","operation":"enqueue","content":"yes","sessionId":"s"}"#,
        r#"{"type":"user","message":{"content":"yesterday, yes and no"}}"#,
    );
    let outcome = check("x.jsonl", log);
    assert_eq!(prompts(&outcome.only().value()), ["yes", "yesterday, yes and no"]);
}

#[test]
fn prompts_that_never_leave_the_queue_are_messages() {
    let line = |number: usize| {
        format!(r#"{{"type":"queue-operation","operation":"enqueue","content":"p{number}"}}"#)
    };
    let lines: Vec<_> = (0..200).map(line).collect();
    let outcome = check("x.jsonl", &lines.join("\n"));
    let found = prompts(&outcome.only().value());
    let expected: Vec<_> = (0..200).map(|number| Value::from(format!("p{number}"))).collect();
    assert_eq!(found, expected);
}

#[test]
fn enqueued_prompts_of_real_sessions_are_messages_once() {
    // A log of the other corpus has the same prompt in the queue several times.
    for log in corpus(&Claude).iter().filter(|log| !log.shown.contains("corpus-meaning")) {
        let lines = log.first().split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let enqueued: Vec<_> = lines
            .filter(|line| line["type"] == "queue-operation" && line["operation"] == "enqueue")
            .map(|line| line["content"].clone())
            .collect();
        if enqueued.is_empty() {
            continue;
        }
        let found = prompts(&convert_one(log).value());
        for prompt in enqueued {
            let count = found.iter().filter(|found| **found == prompt).count();
            assert_eq!(count, 1, "{}: {prompt}", log.shown);
        }
    }
}
