//! Tests the events that entries become.

use serde_json::{Value, json};
use vac_view::{EventOptions, Position};

use crate::{annotated, events_of, events_with, foreign_record, names, only, record};

#[test]
fn children_have_the_id_and_time_of_their_message() {
    let entry = r#"{"type": "assistant", "content": [{"type": "text", "text": "Look"}], "id": "a1",
        "timestamp": "2026-01-05T09:30:00Z", "children": [
        {"type": "tool-call", "name": "Read", "input": {}, "call-id": "c1"},
        {"type": "reasoning", "content": "Hm", "timestamp": "2026-01-05T09:29:00Z", "id": "t1"},
        {"type": "tool-call", "name": "Bash", "input": {}, "call-id": "c2"}]}"#;
    let events = events_of(&record(entry));
    let seen: Vec<_> = events[1..events.len() - 1]
        .iter()
        .map(|event| {
            json!([event["event"], event["entry-id"], event["timestamp"], event["call-id"]])
        })
        .collect();
    let (at, before) = ("2026-01-05T09:30:00Z", "2026-01-05T09:29:00Z");
    assert_eq!(
        seen,
        [
            json!(["reasoning", "t1", before, null]),
            json!(["assistant_text", "a1", at, null]),
            json!(["tool_use", "a1", at, "c1"]),
            json!(["tool_use", "a1", at, "c2"]),
        ]
    );
}

#[test]
fn results_come_before_the_text_next_to_them() {
    let entry = r#"{"type": "user", "content": [{"type": "tool_result"}, {"type": "text", "text": "No"}],
        "children": [{"type": "tool-result", "output": "x", "call-id": "c"}]}"#;
    assert_eq!(names(&record(entry)), ["tool_result", "user_prompt"]);
}

#[test]
fn content_without_text_next_to_a_result_is_not_a_prompt() {
    let entry = r#"{"type": "user", "content": [{"functionResponse": {}}, {"inlineData": {}}],
        "children": [{"type": "tool-result", "output": "x"}]}"#;
    assert_eq!(names(&record(entry)), ["tool_result"]);
    let entry = r#"{"type": "user", "content": [{"inlineData": {}}]}"#;
    let prompt = only(entry);
    assert_eq!((&prompt["text"], &prompt["left-out"]), (&json!(""), &json!({"inlineData": 1})));
}

#[test]
fn messages_without_text_are_not_events() {
    let entries = r#"{"type": "assistant", "content": ""}, {"type": "user"},
        {"type": "assistant", "id": "m"}, {"type": "user", "content": null}"#;
    assert!(names(&record(entries)).is_empty());
}

#[test]
fn adapter_decides_what_a_message_said() {
    let entry = r#"{"type": "assistant", "content": "Look.[call] run", "children":
        [{"type": "tool-call", "name": "run", "input": {}}]}"#;
    assert_eq!(events_of(&record(entry))[1]["text"], "Look.");
    assert_eq!(events_of(&foreign_record(entry))[1]["text"], "Look.[call] run");
    let plain = r#"{"type": "assistant", "content": "Type [call] to call"}"#;
    assert_eq!(only(plain)["text"], "Type [call] to call");
}

#[test]
fn reasoning_that_cannot_be_read_says_so() {
    let hidden = r#"{"type": "reasoning", "content": null, "encrypted": "gAAA"}"#;
    let event = only(hidden);
    assert_eq!((&event["text"], &event["encrypted"]), (&json!(""), &json!(true)));
    assert_eq!(only(r#"{"type": "reasoning", "content": ""}"#)["encrypted"], true);
    let open = r#"{"type": "reasoning", "content": [{"type": "summary_text", "text": "Hm"}], "subject": "S"}"#;
    let event = only(open);
    assert_eq!((&event["text"], &event["subject"]), (&json!("Hm"), &json!("S")));
    assert!(event.get("encrypted").is_none());
}

#[test]
fn prompt_inside_an_event_is_a_prompt() {
    let entry = r#"{"type": "system-event", "event-type": "queued", "id": "e1",
        "children": [{"type": "user", "content": "And this"}]}"#;
    let event = only(entry);
    assert_eq!((&event["text"], &event["entry-id"]), (&json!("And this"), &json!("e1")));
}

#[test]
fn entries_of_subagents_say_so() {
    let entry = r#"{"type": "assistant", "content": "Look", "children":
        [{"type": "tool-call", "name": "run", "input": 1}]}"#;
    let entry = annotated(entry, r#""subagent": {"id": "a7", "call-id": "c1"}"#);
    let events = events_of(&record(&entry));
    let subagent = json!({"id": "a7", "call-id": "c1"});
    assert_eq!((&events[1]["subagent"], &events[2]["subagent"]), (&subagent, &subagent));
    let event = r#"{"type": "system-event", "event-type": "progress", "children":
        [{"type": "tool-call", "name": "run", "input": 1, "vac": {"subagent": {"id": "b"}}}]}"#;
    assert_eq!(only(event)["subagent"], json!({"id": "b"}), "children can be of a subagent");
}

#[test]
fn usage_is_an_event_of_its_own() {
    let usage = r#""usage": {"input": 1, "cache-read": 2, "output": 3, "model": "large"}"#;
    let event = annotated(r#"{"type": "system-event", "event-type": "count", "id": "e"}"#, usage);
    let found = only(&event);
    assert_eq!((&found["event"], &found["model"]), (&json!("usage"), &json!("large")));
    assert_eq!(found["usage"], json!({"input": 1, "cache-read": 2, "output": 3}));
    let message = r#"{"type": "assistant", "content": "Hi", "model-id": "small",
        "token-usage": {"input": 10, "cost": 0.5}, "vac": {"usage": {"input": 10}}}"#;
    let events = events_of(&record(message));
    assert_eq!(
        (&events[1]["event"], &events[2]["event"]),
        (&json!("assistant_text"), &json!("usage"))
    );
    assert_eq!((&events[2]["model"], &events[2]["cost"]), (&json!("small"), &json!(0.5)));
}

#[test]
fn only_selected_events_are_reported() {
    let entries = r#"{"type": "user", "content": "a"}, {"type": "assistant", "content": "b"},
        {"type": "reasoning", "content": "c"}, {"type": "tool-call", "name": "x", "input": 1},
        {"type": "tool-result", "output": 1, "vac": {"permission": {"decision": "asked"},
            "usage": {"input": 1}}}"#;
    let record = record(entries);
    let selected = |options: EventOptions| -> Vec<String> {
        let events = events_with(&record, options);
        events.iter().map(|event| event["event"].as_str().expect("a name").to_owned()).collect()
    };
    let none = EventOptions::NOTHING;
    assert_eq!(selected(EventOptions { prompts: true, ..none }), ["user_prompt"]);
    assert_eq!(selected(EventOptions { tools: true, ..none }), ["tool_use", "tool_result"]);
    assert_eq!(selected(EventOptions { permissions: true, ..none }), ["permission"]);
    assert_eq!(selected(EventOptions { text: true, ..none }), ["assistant_text"]);
    assert_eq!(selected(EventOptions { reasoning: true, ..none }), ["reasoning"]);
    assert_eq!(selected(EventOptions { usage: true, ..none }), ["usage"]);
    assert_eq!(
        selected(EventOptions { boundaries: true, ..none }),
        ["session_start", "session_end"]
    );
}

#[test]
fn unknown_members_are_absent_rather_than_null() {
    let entries = r#"{"type": "user", "content": "a"}, {"type": "assistant", "content": "b"},
        {"type": "reasoning", "content": "c"}, {"type": "tool-call", "name": "x", "input": 1},
        {"type": "tool-result", "output": 1, "vac": {"permission": {"decision": "asked"},
            "usage": {"input": 1}}}"#;
    for event in events_of(&record(entries)) {
        let members = event.as_object().expect("an object");
        for (key, value) in members {
            assert!(*value != Value::Null, "{key} of {event}");
            assert!(!key.contains('_'), "{key} is not in kebab case");
        }
    }
}

#[test]
fn events_state_the_positions_of_their_entries() {
    let entries = r#"{"type": "user", "content": "Go", "vac": {"author": "user"}},
        {"type": "assistant", "content": "Well", "children": [
            {"type": "tool-call", "name": "run", "input": {}, "call-id": "c1"},
            {"type": "reasoning", "content": "Hm"},
            {"type": "tool-result", "output": "x", "call-id": "c1"}]}"#;
    let record = record(entries);
    let document = vac_value::Document::json(record.as_bytes()).expect("JSON");
    let mut positions = Vec::new();
    vac_view::record::read(&document, &[], &mut |session| {
        vac_view::events(session, &[], EventOptions::default(), &mut |event| {
            positions.push((event.kind.name(), event.context.position.map(Position::indexes)));
            Ok(())
        })
    })
    .expect("a record");
    assert_eq!(
        positions,
        [
            ("session_start", None),
            ("user_prompt", Some(vec![0])),
            ("reasoning", Some(vec![1, 1])),
            ("assistant_text", Some(vec![1])),
            ("tool_use", Some(vec![1, 0])),
            ("tool_result", Some(vec![1, 2])),
            ("session_end", None),
        ]
    );
}
