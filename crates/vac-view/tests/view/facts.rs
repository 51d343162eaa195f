//! Facts about sessions.

use crate::{annotated, facts, foreign_record, record, record_of};

#[test]
fn tokens_are_summed_in_buckets() {
    let usage =
        |usage: &str| annotated(r#"{"type": "assistant"}"#, &format!(r#""usage": {{{usage}}}"#));
    let event = annotated(
        r#"{"type": "system-event", "event-type": "count"}"#,
        r#""usage": {"input": 1, "output": 1}"#,
    );
    let entries = [
        usage(r#""input": 10, "output": 7, "reasoning": 5, "cache-read": 100, "cache-write": 3"#),
        usage(r#""input": 1"#),
        event,
    ];
    let tokens = facts(&record(&entries.join(","))).tokens.expect("tokens");
    assert_eq!((tokens.input, tokens.output, tokens.reasoning), (Some(12), Some(8), Some(5)));
    assert_eq!((tokens.cache_read, tokens.cache_write), (Some(100), Some(3)));
    assert_eq!(tokens.total, Some(12 + 8 + 100 + 3), "reasoning is a part of output");
    assert!(facts(&record("")).tokens.is_none());
}

#[test]
fn token_usage_as_the_agent_states_it_is_not_summed() {
    let entries = r#"{"type": "assistant", "token-usage": {"input": 10, "cost": 0.1}},
        {"type": "assistant", "token-usage": {"total": 50, "cost": 0.2}},
        {"type": "system-event", "event-type": "compaction", "vac": {"stated-cost": 0.4}}"#;
    let facts = facts(&foreign_record(entries));
    assert!(facts.tokens.is_none());
    assert_eq!(facts.cost, Some(0.7));
}

#[test]
fn sums_stop_at_the_largest_number() {
    let entry =
        annotated(r#"{"type": "assistant"}"#, r#""usage": {"input": 18446744073709551615}"#);
    let tokens = facts(&record(&format!("{entry},{entry}"))).tokens;
    assert_eq!(tokens.expect("tokens").input, Some(u64::MAX));
}

#[test]
fn main_model_is_first_and_models_of_subagents_last() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "agent-meta": {"model-id": "a", "model-provider": "p", "models": ["sub", "a", "b"],
            "cli-name": "kiln-cli", "cli-version": "1.0"},
        "entries": [
            {"type": "assistant", "model-id": "sub", "vac": {"subagent": {}}},
            {"type": "assistant", "model-id": "c", "version": "1.1"},
            {"type": "system-event", "event-type": "x", "vac": {"usage": {"model": "d"}}},
            {"type": "assistant", "model-id": "b"},
            {"type": "assistant", "model-id": "other-session", "vac": {"inherited": true}}]}}"#;
    let facts = facts(json);
    assert_eq!(facts.models, ["a", "c", "d", "b", "sub"]);
    assert_eq!(facts.cli_version.as_deref(), Some("1.0"));
}

#[test]
fn unknown_models_are_not_listed() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "agent-meta": {"model-id": "unknown", "model-provider": "unknown"}, "entries": []}}"#;
    let facts = facts(json);
    assert!(facts.models.is_empty() && facts.model_provider.is_none());
    assert_eq!((&*facts.agent, &*facts.variant), ("unknown", "record-json"));
}

#[test]
fn agent_and_parent_are_those_of_the_annotations() {
    let annotations = r#""vac": {"agent": "fork-of-kiln", "adapter": "kiln", "variant": "jsonl",
        "parent": "p1", "relation": "subagent"},"#;
    let call = r#"{"type": "tool-call", "name": "run", "input": {"cmd": "ls"}}"#;
    let json = record_of("a-fork", annotations, call);
    let found = facts(&json);
    assert_eq!((&*found.agent, found.adapter.as_deref()), ("fork-of-kiln", Some("kiln")));
    assert_eq!((found.parent.as_deref(), found.relation), (Some("p1"), Some("subagent")));
    assert_eq!(found.commands, 1, "the adapter's table applies");
    let events = crate::events_of(&json);
    assert_eq!((&events[0]["parent"], &events[0]["relation"]), (&"p1".into(), &"subagent".into()));
    assert_eq!(events[0]["agent"], "fork-of-kiln");
    let by_program = facts(&record(""));
    assert_eq!((&*by_program.agent, by_program.adapter.as_deref()), ("kiln", Some("kiln")));
    let other = facts(&foreign_record(""));
    assert_eq!((&*other.agent, other.adapter), ("someone-else", None));
}

#[test]
fn times_are_those_of_the_session_or_of_its_entries() {
    let entries = r#"
        {"type": "user", "content": "x", "timestamp": "2026-01-05T09:30:05Z"},
        {"type": "user", "content": "x", "timestamp": "2020-01-01T00:00:00Z",
            "vac": {"inherited": true}},
        {"type": "assistant", "timestamp": "2026-01-05T09:30:07.250Z"}"#;
    let by_entries = facts(&record(entries));
    assert_eq!(by_entries.start.as_deref(), Some("2026-01-05T09:30:05Z"));
    assert_eq!(by_entries.end.as_deref(), Some("2026-01-05T09:30:07.250Z"));
    assert_eq!(by_entries.duration_ms, Some(2250));
    let members = r#""session-start": 1767605400, "session-end": "2026-01-05T09:30:01Z","#;
    let stated = facts(&record_of("kiln-cli", members, entries));
    assert_eq!(stated.start.as_deref(), Some("2026-01-05T09:30:00.000Z"));
    assert_eq!(stated.duration_ms, Some(1000));
}

#[test]
fn session_with_one_time_has_no_duration() {
    let entry = r#"{"type": "user", "content": "x", "timestamp": "2026-01-05T09:30:05Z"}"#;
    assert_eq!(facts(&record(entry)).duration_ms, None);
}

#[test]
fn entries_are_counted_by_type() {
    let entries = r#"
        {"type": "assistant", "children": [{"type": "tool-call", "name": "x", "input": 1}]},
        {"type": "system-event", "event-type": "unparsed", "data": {"raw": "{"},
            "vac": {"reason": "syntax"}}"#;
    let facts = facts(&record(entries));
    let counts: Vec<_> = facts.entries.iter().map(|(kind, count)| (*kind, *count)).collect();
    assert_eq!(counts, [("assistant", 1), ("system-event", 1), ("tool-call", 1)]);
    assert_eq!(facts.unparsed, 1);
}

#[test]
fn unknown_facts_are_absent_from_json() {
    let json = serde_json::to_value(facts(&record(""))).expect("JSON");
    let members = json.as_object().expect("an object");
    assert!(members.values().all(|value| !value.is_null()), "{json}");
    assert!(members.keys().all(|key| !key.contains('_')), "{json}");
}
