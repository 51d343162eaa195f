//! Detection of variants by content, and previews.

use serde_json::json;
use vac_adapter::{Adapter, Beginning, Confidence, Memory, Preview, Share, detect};
use vac_adapter_check::{TestLog, convert_full, fixture};
use vac_adapter_codex::Codex;

fn confidence(log: &[u8]) -> Confidence {
    let found = detect(&Memory { name: "x", bytes: log }, &[&Codex]).expect("readable");
    found.map_or(Confidence::No, |(_, confidence)| confidence)
}

fn preview(name: &str, log: &[u8]) -> Preview {
    let memory = Memory { name, bytes: log };
    let beginning = Beginning::read(&memory).expect("readable");
    Codex.preview(&beginning.sample())
}

#[test]
fn logs_are_detected_by_content() {
    assert_eq!(Codex.name(), "codex");
    for (log, expected) in [
        (
            r#"{"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {}}"#,
            Confidence::Certain,
        ),
        (r#"{"record_type": "state"}"#, Confidence::Certain),
        (r#"{"type": "thread.started", "thread_id": "t"}"#, Confidence::Certain),
        (r#"{"type": "function_call", "call_id": "c"}"#, Confidence::Likely),
        (r#"{"type": "item.completed", "item": {"type": "reasoning"}}"#, Confidence::Likely),
        (r#"{"session": {"id": "s", "timestamp": "t"}, "items": []}"#, Confidence::Likely),
        (r#"{"session": {"id": "s", "timestamp": "t"}, "items": [{"ty"#, Confidence::Likely),
        (r#"{"session": {"timestamp": "t", "id": "s", "instructions": "Be"#, Confidence::Likely),
        (r#"{"type": "user", "sessionId": "s", "message": {}}"#, Confidence::No),
        (r#"{"role": "user", "message": {"content": []}}"#, Confidence::No),
        (r#"{"sessionId": "s", "messages": []}"#, Confidence::No),
        (r#"{"type": "error", "message": "x"}"#, Confidence::No),
        (r#"{"type": "reasoning", "summary": [], "encrypted_content": "x"}"#, Confidence::No),
        (r#"{"type": "message", "role": "user", "content": []}"#, Confidence::Possible),
        (
            r#"{"type": "message", "role": "assistant", "content": [{"type": "text"}]}"#,
            Confidence::No,
        ),
        (r#"{"type": "reasoning", "text": "x", "sessionID": "s"}"#, Confidence::No),
        (r#"{"session": {"title": "x"#, Confidence::No),
    ] {
        assert_eq!(confidence(log.as_bytes()), expected, "{log}");
    }
}

#[test]
fn preview_agrees_with_the_record() {
    for (name, variant) in [
        ("envelopes/basic", "envelopes"),
        ("paginated/basic", "paginated"),
        ("bare/basic", "bare"),
        ("typescript/basic", "typescript"),
        ("typescript/truncated", "typescript"),
        ("exec-json/basic", "exec-json"),
        ("exec-events/basic", "exec-events"),
        ("envelopes/reverted", "envelopes"),
        ("envelopes/forked", "envelopes"),
    ] {
        let log = fixture(&Codex, name);
        let found = preview(&log.parts[0].name, log.first());
        let record = &convert_full(&Codex, &log).expect("converts")[0];
        assert_eq!((found.variant, record.variant), (variant, variant), "{name}");
        let record = record.value();
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let session = &record["session"];
        assert_eq!(found.session_id, text(&record["id"]), "{name}");
        assert_eq!(found.project, text(&session["environment"]["working-dir"]), "{name}");
        assert_eq!(found.version, text(&session["agent-meta"]["cli-version"]), "{name}");
        let start = found.start.map(|start| format!("{start:?}")).unwrap_or_default();
        let stated = session["session-start"].as_str().unwrap_or_default();
        assert!(start.contains(stated), "{name}: {start}");
        assert_eq!(found.share, Share::Whole, "{name}");
    }
}

#[test]
fn thread_without_an_id_is_named_by_its_file() {
    let thread = "0199aa00-2000-7000-8000-00000000b002";
    let rollout = "0199aa00-2000-7000-8000-00000000b003";
    let line = br#"{"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {}}"#;
    for name in [
        format!("rollout-2025-09-20T11-00-00-{thread}.jsonl"),
        format!("rollout-2025-09-20T11-00-00-{thread}.jsonl.zst"),
        format!("rollout-2025-09-20T11-00-00-{thread}_{rollout}.jsonl"),
        format!("rollout-2025-09-20-{thread}.json"),
    ] {
        assert_eq!(preview(&name, line).session_id.as_deref(), Some(thread), "{name}");
    }
    for name in ["notes.jsonl", "rollout-x.jsonl", "rollout-é-199aa00-2000-7000-8000-00000000b002"]
    {
        assert_eq!(preview(name, line).session_id, None, "{name}");
    }
}

#[test]
fn concatenated_files_are_several_sessions() {
    let meta = |id: &str, minute: u32| {
        let began = format!("2026-01-01T00:{minute:02}:00Z");
        crate::line("session_meta", &json!({"id": id, "timestamp": began}))
    };
    let message = |text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        let message = json!({"type": "message", "role": "user", "content": content});
        crate::line("response_item", &message)
    };
    let sessions = |lines: &[String]| {
        let log = TestLog::new("all.jsonl", lines.join("\n").as_bytes());
        let records = convert_full(&Codex, &log).expect("converts");
        let sessions = records.iter().map(|record| {
            let id = record.value()["id"].as_str().expect("an id").to_owned();
            (id, record.report.entries["user"])
        });
        sessions.collect::<Vec<_>>()
    };
    let one = |id: &str, users: u64| (id.to_owned(), users);
    let lines = [
        meta("a", 1),
        message("1"),
        meta("b", 2),
        message("2"),
        message("3"),
        meta("a", 1),
        message("4"),
    ];
    assert_eq!(sessions(&lines), [one("a", 2), one("b", 2)], "the first session continues");
    let older = [meta("a", 3), message("1"), meta("b", 2), message("2")];
    assert_eq!(sessions(&older), [one("a", 2)], "the parent of a session is older");
    let before = [meta("a", 1), meta("b", 2), message("1")];
    assert_eq!(sessions(&before), [one("a", 1)], "nothing has happened yet");
    let header = |id: &str| {
        json!({"id": id, "timestamp": "2025-07-01T00:00:00Z", "instructions": null}).to_string()
    };
    let message = json!({"type": "message", "role": "user", "content": []}).to_string();
    let bare = [header("a"), message.clone(), header("b"), message];
    assert_eq!(sessions(&bare), [one("a", 1), one("b", 1)]);
}
