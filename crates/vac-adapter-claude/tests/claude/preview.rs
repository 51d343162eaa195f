//! Detection and previews.

use vac_adapter::{Adapter, Beginning, Confidence, Memory, Preview, Share, detect};
use vac_adapter_check::{convert_full, corpus, fixture, fixture_logs};
use vac_adapter_claude::Claude;
use vac_record::AbstractTimestamp;

fn preview(case: &str) -> Preview {
    let log = fixture(&Claude, case);
    Claude.preview(&Beginning::read(&log).expect("readable").sample())
}

#[test]
fn preview_states_session_project_start_and_version() {
    let found = preview("jsonl/basic");
    let expected = Preview {
        variant: "jsonl",
        parent: None,
        session_id: Some("5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11".to_owned()),
        start: AbstractTimestamp::try_from("2026-03-04T09:00:00.000Z").ok(),
        project: Some("/home/ada/orrery".to_owned()),
        version: Some("2.1.40".to_owned()),
        share: Share::Whole,
    };
    assert_eq!(found, expected);
}

#[test]
fn subagent_log_belongs_to_the_session_that_it_names() {
    let found = preview("subagent/basic");
    assert_eq!((found.variant, found.share), ("subagent", Share::Subagent));
    assert_eq!(found.session_id.as_deref(), Some("7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c04"));
    assert_eq!(preview("jsonl-folder/basic").share, Share::Whole);
}

#[test]
fn session_names_iflow_in_lines_and_arrays() {
    let line = r#"{"type":"user","uuid":"u","sessionId":"session-7a1d0e6c-2b5f-4f0e-8c43-9d1e6b7a0c04","message":{"content":"Hi"}}"#;
    let array = format!("[{line}]");
    let other = line.replace("session-", "");
    for (log, agent) in [(line, Some("iflow")), (&array, Some("iflow")), (&other, None)] {
        let memory = Memory { name: "x", bytes: log.as_bytes() };
        let beginning = Beginning::read(&memory).expect("readable");
        assert_eq!(Claude.fork(&beginning.sample()), agent, "{log}");
    }
}

#[test]
fn export_is_named_by_its_file() {
    let found = preview("loglines/basic");
    assert_eq!((found.variant, found.share), ("loglines", Share::Whole));
    assert_eq!(found.session_id.as_deref(), Some("session"));
}

#[test]
fn only_claude_logs_are_detected() {
    let logs = fixture_logs(&Claude).into_iter().chain(corpus(&Claude));
    for log in logs {
        let found = detect(&log, &[&Claude]).expect("readable").is_some();
        assert_eq!(found, convert_full(&Claude, &log).is_ok(), "{}", log.shown);
    }
}

#[test]
fn confidence_depends_on_members_of_these_logs_only() {
    for (text, confidence) in [
        (r#"{"type":"mode","mode":"plan","sessionId":"s"}"#, Confidence::Certain),
        (r#"{"type":"summary","summary":"x","leafUuid":"u"}"#, Confidence::Certain),
        (r#"{"loglines":[{"type":"user"}]}"#, Confidence::Certain),
        (r#"{"loglines":[]}"#, Confidence::Possible),
        (
            r#"{"type":"user","timestamp":"2026-01-01T00:00:00Z","message":{"content":"x"}}"#,
            Confidence::Likely,
        ),
        (r#"{"type":"user","message":{"content":"x"}}"#, Confidence::Possible),
        (r#"{"type":"starlight","sessionId":"s"}"#, Confidence::No),
        (r#"{"type":"started","key":"k","agentId":"a"}"#, Confidence::No),
        (r#"{"type":"user","content":"x"}"#, Confidence::No),
        ("[1]", Confidence::No),
    ] {
        let log = Memory { name: "x", bytes: text.as_bytes() };
        let beginning = Beginning::read(&log).expect("readable");
        assert_eq!(Claude.detect(&beginning.sample()).confidence(), confidence, "{text}");
    }
}
