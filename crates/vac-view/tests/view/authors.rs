//! The authors of messages.

use serde_json::{Value, json};
use vac_view::{AuthorSet, EventOptions, MessageAuthor};

use crate::{annotated, events_of, events_with, facts, foreign_record, names, only, record};

const AUTHORS: [&str; 5] = ["user", "program", "other-agent", "hook", "unknown"];

/// Returns a prompt of each author, and one without an annotation.
fn prompts() -> String {
    let prompt = |author: &str| {
        let entry = format!(r#"{{"type": "user", "content": "by {author}"}}"#);
        annotated(&entry, &format!(r#""author": "{author}""#))
    };
    let mut entries = AUTHORS.map(prompt).to_vec();
    entries.push(r#"{"type": "user", "content": "without author"}"#.to_owned());
    record(&entries.join(","))
}

fn texts(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["text"].as_str()).collect()
}

#[test]
fn only_prompts_of_the_user_are_reported_by_default() {
    assert_eq!(texts(&events_of(&prompts())), ["by user", "without author"]);
}

#[test]
fn prompts_of_selected_authors_are_reported() {
    let authors = AuthorSet::EMPTY.with(MessageAuthor::Hook).with(MessageAuthor::OtherAgent);
    let events = events_with(&prompts(), EventOptions { authors, ..EventOptions::default() });
    assert_eq!(texts(&events), ["by other-agent", "by hook"]);
    let authors = AuthorSet::ALL;
    let events = events_with(&prompts(), EventOptions { authors, ..EventOptions::default() });
    let stated: Vec<_> = events.iter().filter_map(|event| event["author"].as_str()).collect();
    assert_eq!(stated, ["user", "program", "other-agent", "hook", "unknown", "unstated"]);
}

#[test]
fn skipped_messages_are_counted_by_author() {
    let json = prompts();
    let document = vac_value::Document::json(json.as_bytes()).expect("JSON");
    let count = |options: EventOptions| {
        let skipped = vac_view::record::read(&document, crate::AGENTS, &mut |session| {
            vac_view::events(session, &[], options, &mut |_| Ok(()))
        });
        let counts = skipped.expect("a record").by_author;
        counts.iter().map(|(author, count)| (author.name(), *count)).collect::<Vec<_>>()
    };
    let expected = [("program", 1), ("other-agent", 1), ("hook", 1), ("unknown", 1)];
    assert_eq!(count(EventOptions::default()), expected);
    assert!(count(EventOptions::everything()).is_empty());
    let tools = EventOptions { tools: true, ..EventOptions::NOTHING };
    assert!(count(tools).is_empty(), "prompts were not asked for");
}

#[test]
fn facts_count_prompts_by_author() {
    let facts = facts(&prompts());
    let expected = ["hook", "other-agent", "program", "unknown", "unstated", "user"];
    assert_eq!(facts.prompts.keys().copied().collect::<Vec<_>>(), expected);
    assert!(facts.prompts.values().all(|count| *count == 1));
    assert_eq!(facts.first_prompt.as_deref(), Some("by user"));
}

#[test]
fn users_words_are_reported_without_what_the_agent_added() {
    let entry = r#"{"type": "user", "content": [
        {"type": "text", "text": "<kiln-context>warm</kiln-context>"},
        {"type": "text", "text": "Typed: Fire it"}], "vac": {"author": "user"}}"#;
    let event = only(entry);
    assert_eq!(event["text"], "Fire it");
    assert_eq!(event["left-out"], json!({"context": 1, "prefix": 1}));
    let other = entry.replace(r#""author": "user""#, r#""author": "program""#);
    let all = EventOptions::everything();
    let event = &events_with(&record(&other), all)[1];
    assert_eq!(event["text"], "<kiln-context>warm</kiln-context>\nTyped: Fire it");
}

#[test]
fn prompt_of_an_unknown_agent_is_reported_as_it_is() {
    let prompt = r#"{"type": "user", "content": "<kiln-context>x</kiln-context>"}"#;
    let event = &events_of(&foreign_record(prompt))[1];
    assert_eq!(event["text"], "<kiln-context>x</kiln-context>");
    assert_eq!(event["author"], "unstated");
}

#[test]
fn program_can_write_in_the_models_name() {
    let note = r#"{"type": "assistant", "content": "API Error"}"#;
    let note = annotated(note, r#""author": "program""#);
    assert!(names(&record(&note)).is_empty());
    let events = events_with(&record(&note), EventOptions::everything());
    assert_eq!(
        (&events[1]["event"], &events[1]["author"]),
        (&"assistant_text".into(), &"program".into())
    );
    let plain = only(r#"{"type": "assistant", "content": "Warm"}"#);
    assert!(plain.get("author").is_none(), "the model is the author");
}

#[test]
fn local_commands_and_commands_of_the_user_say_so() {
    let entry = r#"{"type": "user", "content": "/exit"}"#;
    let event = only(&annotated(entry, r#""author": "user", "local-command": true"#));
    assert_eq!(event["local-command"], true);
    assert!(event.get("command").is_none());
    let entry = r#"{"type": "user", "content": "! ls -l"}"#;
    let event = only(&annotated(
        entry,
        r#""author": "user", "local-command": true,
            "action": {"tool": "user_command", "category": "Execute"}"#,
    ));
    assert_eq!((&event["command"], &event["canonical"]), (&json!("ls -l"), &json!("user_command")));
}

#[test]
fn first_prompt_is_the_first_to_the_model() {
    let command = annotated(
        r#"{"type": "user", "content": "/model"}"#,
        r#""author": "user", "local-command": true"#,
    );
    let hook = annotated(r#"{"type": "user", "content": "Hot"}"#, r#""author": "hook""#);
    let prompt = annotated(r#"{"type": "user", "content": "Paint"}"#, r#""author": "user""#);
    let order = annotated(r#"{"type": "user", "content": "Look"}"#, r#""author": "other-agent""#);
    let first = |entries: &[&str]| facts(&record(&entries.join(","))).first_prompt;
    assert_eq!(first(&[&order, &command, &hook, &prompt]).as_deref(), Some("Paint"));
    assert_eq!(first(&[&order, &command, &hook]).as_deref(), Some("/model"));
    assert_eq!(first(&[&hook, &order]).as_deref(), Some("Look"));
    assert_eq!(first(&[&hook]), None);
    let long = format!(r#"{{"type": "user", "content": "{}"}}"#, "x".repeat(5000));
    assert_eq!(first(&[&long]).expect("a prompt").len(), 2000);
    assert_eq!(facts(&record(&command)).local_commands, 1);
}
