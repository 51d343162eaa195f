//! What is told once, and what only to those who ask for everything.

use serde_json::{Value, json};
use vac_view::Options;

use crate::{facts, names, record, told_with};

fn everything(record: &str) -> Vec<(String, Option<String>)> {
    let options = Options { boundaries: false, asides: true, ..Options::default() };
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let of = |event: &serde_json::Value| (text(&event["event"]), text(&event["aside"]));
    let named = told_with(record, options);
    named.iter().map(of).map(|(name, aside)| (name.expect("a name"), aside)).collect()
}

#[test]
fn history_that_is_not_the_sessions_own_is_told_to_those_who_ask() {
    for (mark, why) in [
        (r#""duplicate-of": "x""#, "duplicate"),
        (r#""inherited": true"#, "inherited"),
        (r#""superseded": "updated", "superseded-by": "m2""#, "outdated"),
        (r#""superseded-by": "m2""#, "outdated"),
    ] {
        let entries = format!(
            r#"{{"type": "tool-call", "name": "shell", "input": "ls", {mark}}},
               {{"type": "assistant", "content": "x", {mark}, "children":
                 [{{"type": "tool-result", "output": "y"}}]}}"#
        );
        let record = record("codex-cli", &entries);
        assert!(names(&record).is_empty(), "{mark}");
        let aside = Some(why.to_owned());
        let expected = ["tool_use", "assistant_text", "tool_result"];
        assert_eq!(everything(&record), expected.map(|name| (name.to_owned(), aside.clone())));
        let facts = facts(&record);
        assert_eq!(facts.asides[why], 3);
        assert!(facts.tools.is_empty(), "nor is it counted");
    }
}

#[test]
fn a_mark_that_says_no_is_none() {
    let entries = r#"{"type": "user", "content": "x", "inherited": false, "superseded": null}"#;
    assert_eq!(names(&record("codex-cli", entries)), ["user_prompt"]);
}

#[test]
fn what_was_taken_back_happened_and_says_so() {
    for (mark, word) in [
        (r#""superseded": "rewound", "superseded-by": "L9""#, json!("rewound")),
        (r#""superseded": true"#, json!(true)),
        (r#""rolled-back": true"#, json!("rolled-back")),
    ] {
        let entries = format!(
            r#"{{"type": "user", "content": "a"}}, {{"type": "assistant", "content": "b"}},
               {{"type": "assistant", "content": "c", {mark}, "token-usage": {{"input": 5}},
                 "children": [{{"type": "tool-call", "name": "shell", "input": "ls"}}]}},
               {{"type": "user", "content": "d", {mark}}}"#
        );
        let record = record("codex-cli", &entries);
        let events = told_with(&record, Options::default());
        let marks: Vec<_> = events.iter().map(|event| event["superseded"].clone()).collect();
        let (none, word) = (Value::Null, word);
        let expected = [&none, &none, &none, &word, &word, &word, &none];
        assert_eq!(marks.iter().collect::<Vec<_>>(), expected, "{mark}");
        assert_eq!(events[6]["status"], "success", "it does not decide");
        let facts = facts(&record);
        assert_eq!((facts.superseded, facts.tools[0].calls), (3, 1));
        assert_eq!(facts.tokens.expect("tokens").input, Some(5));
    }
}

#[test]
fn context_in_the_users_name_is_synthetic() {
    let entries = r#"
        {"type": "user", "content": "<environment_context>\nx\n</environment_context>"},
        {"type": "user", "content": "Fix it"}"#;
    let record = record("codex-cli", entries);
    assert_eq!(names(&record), ["user_prompt"]);
    assert_eq!(everything(&record).len(), 2);
    let facts = facts(&record);
    assert_eq!((facts.prompts, facts.first_prompt.as_deref()), (1, Some("Fix it")));
    assert_eq!(facts.asides["synthetic"], 1);
}

#[test]
fn a_message_that_claude_makes_up_itself_is_synthetic() {
    let entries = r#"
        {"type": "assistant", "content": "No response", "message": {"model": "<synthetic>"}},
        {"type": "assistant", "content": "Real", "message": {"id": "m1"}}"#;
    let record = record("claude-code", entries);
    assert_eq!(names(&record), ["assistant_text"]);
    assert_eq!(everything(&record)[0].1.as_deref(), Some("synthetic"));
}

#[test]
fn tokens_of_what_stands_aside_are_counted_where_they_were_spent() {
    let entries = r#"
        {"type": "assistant", "token-usage": {"input": 5}},
        {"type": "assistant", "token-usage": {"input": 100}, "inherited": true}"#;
    let tokens = facts(&record("codex-cli", entries)).tokens.expect("tokens");
    assert_eq!(tokens.input, Some(5));
}
