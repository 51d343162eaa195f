//! Entries that are skipped unless they are asked for.

use serde_json::{Value, json};
use vac_view::EventOptions;

use crate::{annotated, events_with, facts, names, record};

#[test]
fn repeated_inherited_and_updated_entries_are_skipped_and_counted() {
    for (annotation, reason, key, value) in [
        (r#""duplicate-of": "x""#, "duplicate", "duplicate-of", json!("x")),
        (r#""inherited": true"#, "inherited", "inherited", json!(true)),
        (r#""inherited": "s0""#, "inherited", "inherited", json!("s0")),
        (
            r#""superseded": {"how": "updated", "by": "m2"}"#,
            "updated",
            "superseded",
            json!({"how": "updated", "by": "m2"}),
        ),
    ] {
        let entries = [
            annotated(r#"{"type": "tool-call", "name": "run", "input": "ls"}"#, annotation),
            annotated(
                r#"{"type": "assistant", "content": "x", "children":
                    [{"type": "tool-result", "output": "y"}]}"#,
                annotation,
            ),
        ];
        let record = record(&entries.join(","));
        assert!(names(&record).is_empty(), "{annotation}");
        let options = EventOptions { boundaries: false, ..EventOptions::everything() };
        let events = events_with(&record, options);
        let found: Vec<_> = events.iter().map(|event| &event["event"]).collect();
        assert_eq!(found, ["tool_use", "assistant_text", "tool_result"]);
        assert!(events.iter().all(|event| event[key] == value), "{annotation}");
        let facts = facts(&record);
        assert_eq!(facts.skipped[reason], 3);
        assert!(facts.tools.is_empty(), "what is skipped is not counted as a call");
    }
}

#[test]
fn other_superseded_entries_are_reported_and_marked() {
    for how in ["rewound", "compacted", "rolled-back", "retracted", "other"] {
        let annotation = format!(r#""superseded": {{"how": "{how}"}}"#);
        let answer = format!(
            r#"{{"type": "assistant", "content": "c", "vac": {{{annotation},
                "usage": {{"input": 5}}}},
                "children": [{{"type": "tool-call", "name": "run", "input": "ls"}}]}}"#
        );
        let prompt = r#"{"type": "user", "content": "a"}"#;
        let entries = [
            prompt,
            r#"{"type": "assistant", "content": "b"}"#,
            &answer,
            &annotated(prompt, &annotation),
        ];
        let record = record(&entries.join(","));
        let events = events_with(&record, EventOptions::default());
        let marks: Vec<_> = events.iter().map(|event| event["superseded"]["how"].clone()).collect();
        let (none, how) = (Value::Null, json!(how));
        let expected = [&none, &none, &none, &how, &how, &how, &how, &none];
        assert_eq!(marks.iter().collect::<Vec<_>>(), expected);
        assert_eq!(events[7]["status"], "success", "it does not decide");
        let facts = facts(&record);
        assert_eq!((facts.superseded, facts.tools[0].calls), (4, 1));
        assert_eq!(facts.tokens.expect("tokens").input, Some(5));
    }
}

#[test]
fn native_keys_with_the_names_of_annotations_mean_nothing() {
    let entry = r#"{"type": "user", "content": "x", "duplicate-of": "y", "inherited": true,
        "superseded": {"how": "updated"}, "author": "program", "local-command": true,
        "subagent": {"id": "a"}, "ends": {"of": "session", "how": "failure"},
        "native:vac": {"author": "hook"}}"#;
    let plain = r#"{"type": "user", "content": "x"}"#;
    assert_eq!(
        events_with(&record(entry), EventOptions::default()),
        events_with(&record(plain), EventOptions::default())
    );
}

#[test]
fn invalid_annotations_are_ignored_and_counted() {
    for annotation in [r#""someone""#, r#"{"author": "robot"}"#, r#"{"inherited": 7}"#, "null"] {
        let entry = format!(r#"{{"type": "user", "content": "x", "vac": {annotation}}}"#);
        let record = crate::record_of("kiln-cli", &format!(r#""vac": {annotation},"#), &entry);
        assert_eq!(names(&record), ["user_prompt"], "{annotation}");
        assert_eq!(facts(&record).invalid_annotations, 2, "of the session and of the entry");
        assert_eq!(facts(&record).agent, "kiln");
    }
}

#[test]
fn usage_of_skipped_entries_does_not_count() {
    let entry = |usage: u64, more: &str| {
        annotated(r#"{"type": "assistant"}"#, &format!(r#""usage": {{"input": {usage}}}{more}"#))
    };
    let entries = [entry(5, ""), entry(100, r#", "inherited": true"#)].join(",");
    assert_eq!(facts(&record(&entries)).tokens.expect("tokens").input, Some(5));
}
