//! Fixtures with their expected events.
//!
//! A stream is what `vac events` prints for the log. `VAC_BLESS=1` writes the streams; read the
//! difference before committing it.

use std::path::{Path, PathBuf};

use vac_adapter::{Adapter, Memory, SourceFile};
use vac_view::EventOptions;

use crate::lines;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Compares the events of the log in a folder with the expected ones.
#[track_caller]
fn assert_events(adapter: &dyn Adapter, folder: &str) {
    let entries = fixtures().join(folder).read_dir().expect("a folder");
    let mut logs = entries.map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| !path.to_string_lossy().contains("expected");
    let log = logs.find(is_log).expect("a log");
    let bytes = std::fs::read(&log).expect("a file");
    let name = log.file_name().expect("a name").to_string_lossy().into_owned();
    let input = Memory { name: &name, bytes: &bytes };
    let source = SourceFile { name: name.clone(), size: 0, sha_256: String::new() };
    let mut found = Vec::new();
    for session in adapter.survey(&input).expect("sessions") {
        let events = lines(&*session, std::slice::from_ref(&source), EventOptions::default());
        found.extend(events.expect("events"));
    }
    let expected = fixtures().join("events").join(format!("{folder}.jsonl"));
    if std::env::var_os("VAC_BLESS").is_some() {
        std::fs::write(&expected, found.join("\n") + "\n").expect("a file");
    }
    let expected = std::fs::read_to_string(expected).expect("a file");
    for (number, (found, expected)) in found.iter().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of {folder}", number + 1);
    }
    assert_eq!(found.len(), expected.lines().count(), "{folder}");
}

#[test]
fn claude_session_has_the_expected_events() {
    assert_events(&vac_adapter_claude::Claude, "claude/jsonl/basic");
}

#[test]
fn codex_session_has_the_expected_events() {
    assert_events(&vac_adapter_codex::Codex, "codex/envelopes/basic");
}

#[test]
fn codex_fork_has_only_its_own_events() {
    assert_events(&vac_adapter_codex::Codex, "codex/envelopes/forked");
}

#[test]
fn gemini_session_has_the_expected_events() {
    assert_events(&vac_adapter_gemini::Gemini, "gemini/json/basic");
}

#[test]
fn gemini_history_gets_its_times_from_the_file_name() {
    assert_events(&vac_adapter_gemini::Gemini, "gemini/history/basic");
}

#[test]
fn opencode_session_has_the_expected_events() {
    assert_events(&vac_adapter_opencode::OpenCode, "opencode/concatenated/basic");
}

#[test]
fn cursor_transcript_has_the_expected_events() {
    assert_events(&vac_adapter_cursor::Cursor, "cursor/transcript/basic");
}
