//! What a session holds.

use crate::{facts, record, record_with};

#[test]
fn tools_are_counted_by_category_and_name_with_their_errors() {
    let entries = r#"
        {"type": "tool-call", "name": "mcp__x", "input": 1, "call-id": "c1"},
        {"type": "tool-call", "name": "Write", "input": 1, "call-id": "c2"},
        {"type": "tool-call", "name": "Bash", "input": 1, "call-id": "c3"},
        {"type": "tool-result", "output": 1, "call-id": "c3", "is-error": true},
        {"type": "tool-call", "name": "Bash", "input": 1, "call-id": "c4"},
        {"type": "tool-result", "output": 1, "call-id": "c4", "is-error": false},
        {"type": "tool-result", "output": 1, "call-id": "c2", "status": "cancelled"},
        {"type": "tool-call", "name": "Edit", "input": 1}"#;
    let facts = facts(&record("claude-code", entries));
    let tools: Vec<_> = facts
        .tools
        .iter()
        .map(|used| (used.category, &*used.tool, used.calls, used.errors, used.cancelled))
        .collect();
    assert_eq!(
        tools,
        [
            ("Execute", "Bash", 2, 1, 0),
            ("Edit", "Edit", 1, 0, 0),
            ("Edit", "Write", 1, 0, 1),
            ("Other", "mcp__x", 1, 0, 0),
        ]
    );
}

#[test]
fn tokens_are_summed_in_the_words_of_the_agent() {
    let entries = r#"
        {"type": "assistant", "token-usage": {"input": 10, "output": 2, "cached": 100,
            "cache_creation_input_tokens": 7}},
        {"type": "assistant", "token-usage": {"input": 1, "output": 1}}"#;
    let tokens = facts(&record("claude-code", entries)).tokens.expect("tokens");
    assert_eq!((tokens.input, tokens.output, tokens.cached), (Some(11), Some(3), Some(100)));
    assert_eq!((tokens.cache_written, tokens.total), (Some(7), Some(121)), "no total is stated");
    assert_eq!((tokens.reasoning, tokens.cost), (None, None));

    let entries = r#"
        {"type": "assistant", "token-usage": {"input": 10, "output": 2, "reasoning": 5, "cached": 3,
            "cache": {"write": 4}, "cost": 0.1}},
        {"type": "assistant", "token-usage": {"input": 1, "total": 50, "cost": 0.2}}"#;
    let tokens = facts(&record("opencode", entries)).tokens.expect("tokens");
    assert_eq!((tokens.total, tokens.cost), (Some(24 + 50), Some(0.3)));

    let entries = r#"
        {"type": "assistant", "token-usage": {"input": 10, "cached": 3, "output": 2}},
        {"type": "assistant", "token-usage": {"total": 20}}"#;
    let tokens = facts(&record("gemini-cli", entries)).tokens.expect("tokens");
    assert_eq!(tokens.total, Some(20), "only what is stated");
}

#[test]
fn codex_counts_tokens_beside_its_events() {
    let entries = r#"
        {"type": "system-event", "event-type": "event_msg/token_count",
            "token-usage": {"input": 10, "total": 12}},
        {"type": "system-event", "event-type": "event_msg/token_count", "duplicate-of": "L1"},
        {"type": "system-event", "event-type": "event_msg/token_count",
            "token-usage": {"input": 5, "total": 6}}"#;
    let tokens = facts(&record("codex-cli", entries)).tokens.expect("tokens");
    assert_eq!((tokens.input, tokens.total), (Some(15), Some(18)));
    assert!(facts(&record("codex-cli", "")).tokens.is_none());
}

#[test]
fn sums_that_no_number_holds_stop_at_the_largest() {
    let entry = r#"{"type": "assistant", "token-usage": {"input": 18446744073709551615}}"#;
    let tokens = facts(&record("gemini-cli", &format!("{entry},{entry}"))).tokens;
    assert_eq!(tokens.expect("tokens").input, Some(u64::MAX));
}

#[test]
fn versions_and_models_are_all_that_the_session_and_its_entries_state() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "agent-meta": {"model-id": "a", "model-provider": "p", "models": ["b", "a"],
            "cli-name": "claude-code", "cli-version": "1.0"},
        "entries": [{"type": "assistant", "model-id": "c", "version": "1.1"},
            {"type": "assistant", "model-id": "b", "version": "1.0"}]}}"#;
    let facts = facts(json);
    assert_eq!(facts.models, ["a", "b", "c"]);
    assert_eq!(facts.versions, ["1.0", "1.1"]);
}

#[test]
fn models_that_nobody_knows_are_none() {
    let json = r#"{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s",
        "agent-meta": {"model-id": "unknown", "model-provider": "unknown"}, "entries": []}}"#;
    let facts = facts(json);
    assert!(facts.models.is_empty() && facts.model_provider.is_none());
    assert_eq!((&*facts.agent, &*facts.variant), ("unknown", "record-json"));
}

#[test]
fn times_are_those_of_the_session_or_else_of_its_entries() {
    let entries = r#"
        {"type": "user", "content": "x", "timestamp": "2026-01-05T09:30:05Z"},
        {"type": "user", "content": "x", "timestamp": "2020-01-01T00:00:00Z", "inherited": true},
        {"type": "assistant", "timestamp": "2026-01-05T09:30:07.250Z"}"#;
    let by_entries = facts(&record("codex-cli", entries));
    assert_eq!(by_entries.start.as_deref(), Some("2026-01-05T09:30:05Z"));
    assert_eq!(by_entries.end.as_deref(), Some("2026-01-05T09:30:07.250Z"));
    assert_eq!(by_entries.duration_ms, Some(2250));
    let members = r#""session-start": 1767605400, "session-end": "2026-01-05T09:30:01Z","#;
    let stated = facts(&record_with("codex-cli", members, entries));
    assert_eq!(stated.start.as_deref(), Some("2026-01-05T09:30:00.000Z"));
    assert_eq!(stated.duration_ms, Some(1000));
}

#[test]
fn the_first_prompt_is_the_first_to_the_model() {
    let entries = r#"
        {"type": "user", "content": "<command-name>/model</command-name>"},
        {"type": "user", "content": "Caveat", "isMeta": true},
        {"type": "user", "content": "Paint it"}, {"type": "user", "content": "Blue"}"#;
    let facts_of = facts(&record("claude-code", entries));
    assert_eq!((facts_of.first_prompt.as_deref(), facts_of.prompts), (Some("Paint it"), 3));
    let alone = r#"{"type": "user", "content": "<command-name>/model</command-name>"}"#;
    assert_eq!(facts(&record("claude-code", alone)).first_prompt.as_deref(), Some("/model"));
    let told = r#"{"type": "user", "content": "Look", "isSidechain": true}"#;
    let of_subagent = facts(&record("claude-code", told));
    assert_eq!((of_subagent.first_prompt.as_deref(), of_subagent.prompts), (Some("Look"), 0));
    let long = format!(r#"{{"type": "user", "content": "{}"}}"#, "x".repeat(5000));
    let facts = facts(&record("claude-code", &long));
    assert_eq!(facts.first_prompt.expect("a prompt").len(), 2000);
}

#[test]
fn entries_are_counted_by_type_and_so_is_what_nobody_could_read() {
    let entries = r#"
        {"type": "assistant", "children": [{"type": "tool-call", "name": "x", "input": 1}]},
        {"type": "system-event", "event-type": "unparsed", "data": {"raw": "{"}}"#;
    let facts = facts(&record("claude-code", entries));
    let counts: Vec<_> = facts.entries.iter().map(|(kind, count)| (*kind, *count)).collect();
    assert_eq!(counts, [("assistant", 1), ("system-event", 1), ("tool-call", 1)]);
    assert_eq!(facts.unparsed, 1);
}
