//! Tests the detection of agents: a log of one agent is not detected as a log of another, and a log
//! of an unsupported agent is not detected as a log of a supported one.

use std::path::{Path, PathBuf};

use vac::AGENTS;
use vac_adapter::{Adapter, Beginning, Confidence, Detection, Memory};
use vac_adapter_check::{TestLog, corpus, fixture_logs};

/// Returns the message of detection for bytes with a name.
fn detect(name: &str, bytes: &[u8]) -> String {
    let input = Memory { name, bytes };
    let beginning = Beginning::read(&input).expect("memory can be read");
    beginning.sample().detect(AGENTS).to_string()
}

/// Checks every pair of a log and an adapter: only the adapter of the log's agent may have the
/// highest confidence.
fn check_pairs(owner: &dyn Adapter, logs: &[TestLog]) {
    for log in logs {
        let beginning = Beginning::read(log).expect("memory can be read");
        let sample = beginning.sample();
        let own = owner.detect(&sample).confidence();
        for other in AGENTS.iter().filter(|other| other.name() != owner.name()) {
            let verdict = other.detect(&sample);
            let confidence = verdict.confidence();
            let is_none = confidence == Confidence::No;
            assert!(is_none || confidence < own, "{} as {}: {verdict:?}", log.shown, other.name());
        }
        match sample.detect(AGENTS) {
            Detection::Agent(adapter, _) => assert_eq!(adapter.name(), owner.name()),
            // Some files of the corpus are not logs.
            Detection::Unknown => {}
            other => panic!("{}: {other}", log.shown),
        }
    }
}

#[test]
fn logs_are_not_detected_as_those_of_other_agents() {
    for owner in AGENTS.iter().copied() {
        check_pairs(owner, &fixture_logs(owner));
        check_pairs(owner, &corpus(owner));
    }
}

/// Finds the files below a folder, except `README.md`.
fn find_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            find_files(&path, found);
        } else if path.file_name().is_some_and(|name| name != "README.md") {
            found.push(path);
        }
    }
}

/// Folders of the corpus with logs of supported agents, and the adapters that read them.
const SUPPORTED: &[(&str, &str)] = &[
    ("qwen", "qwen"),
    ("copilot-cli", "copilot"),
    ("pi", "pi"),
    ("openclaw", "pi"),
    ("droid", "droid"),
    ("antigravity", "antigravity"),
    ("grok", "grok"),
    ("goose", "goose"),
    ("iflow", "claude"),
    ("hermes", "hermes"),
];

/// Returns the folder of the corpus that a file is in.
fn folder_of<'p>(path: &'p Path, corpus: &Path) -> &'p str {
    let below = path.strip_prefix(corpus).expect("a file of the corpus");
    below.components().next().and_then(|name| name.as_os_str().to_str()).expect("a name")
}

#[test]
fn logs_of_unsupported_agents_are_refused() {
    let Some(folder) = vac_tests::shared("corpus-others", "VAC_CORPUS_OTHERS") else { return };
    let mut found = Vec::new();
    find_files(&folder, &mut found);
    let (mut named, mut unsupported) = (0, 0);
    for path in &found {
        let name = path.file_name().expect("a name").to_string_lossy();
        let bytes = std::fs::read(path).expect("readable");
        let message = detect(&name, &bytes);
        println!("{:<60} {message}", path.display());
        let reader = SUPPORTED.iter().find(|(agent, _)| *agent == folder_of(path, &folder));
        if let Some((_, adapter)) = reader {
            let title = vac::agent(adapter).expect("an agent").adapter.title();
            let is_companion = path
                .extension()
                .is_some_and(|it| ["json", "sqlite", "db"].iter().any(|ending| it == *ending));
            let is_detected = message == format!("a log of {title}");
            assert!(is_detected || is_companion, "{}: {message}", path.display());
        } else {
            unsupported += 1;
            assert!(!message.starts_with("a log of"), "{}: {message}", path.display());
            named += usize::from(message.contains("which is not supported yet"));
        }
        // A user can name the adapter; its survey has to refuse the log, too.
        let input = Memory { name: &name, bytes: &bytes };
        for adapter in AGENTS.iter().filter(|it| reader.is_none_or(|(_, own)| *own != it.name())) {
            if ["opencode", "gemini", "cursor"].contains(&adapter.name()) {
                continue;
            }
            assert!(adapter.survey(&input).is_err(), "{} as {}", path.display(), adapter.name());
        }
    }
    println!("{named} of {unsupported} name their agent");
    assert!(found.len() >= 40 && named * 10 >= unsupported * 9, "{named} of {unsupported}");
}

#[test]
fn unsupported_agents_are_named() {
    let old_qwen = concat!(
        r#"{"sessionId":"s","projectHash":"h","startTime":"2025-10-01T00:00:00Z","messages":["#,
        r#"{"id":"1","type":"user","content":"Hi"},{"id":"2","type":"qwen","content":"Yes"}]}"#,
    );
    let cline = concat!(
        r#"{"version":1,"updated_at":"2026-07-01T00:00:00Z","agent":"lead","sessionId":"s","#,
        r#""messages":[{"id":"m","role":"user","content":[{"type":"text","text":"Hi"}]}]}"#,
    );
    for (log, agent) in [
        (old_qwen, "Qwen Code before 0.5"),
        (cline, "Cline"),
        ("# aider chat started at 2026-01-01 00:00:00\n\n#### hi\n", "Aider"),
        (r#"{"trajectory":[{"action":"ls"}],"history":[],"info":{}}"#, "SWE-agent"),
        (r#"{"timestamp":1.5,"message":{"type":"TurnBegin","payload":{}}}"#, "Kimi CLI"),
        (
            r#"{"conversation_id":"c","next_message":null,"history":[[{"user":{}}]]}"#,
            "Amazon Q or Kiro CLI",
        ),
        (
            r#"{"sessionId":"s","title":"t","workspaceDirectory":"/w","history":[{"message":{}}]}"#,
            "Continue",
        ),
        (
            r#"{"id":"e","timestamp":"2026-01-01T00:00:00","source":"agent","kind":"ActionEvent"}"#,
            "OpenHands",
        ),
    ] {
        let expected = format!("looks like {agent}, which is not supported yet");
        assert_eq!(detect("x.jsonl", log.as_bytes()), expected);
    }
}

#[test]
fn files_that_are_not_logs_are_named() {
    let reasoning = r#"{"type":"reasoning","id":"r","summary":[],"encrypted_content":"x"}"#;
    let answer = r#"{"type":"assistant","content":"Yes","model_id":"m"}"#;
    let chat = [reasoning, answer, reasoning, reasoning].join("\n");
    for (log, file) in [
        (
            r#"{"model":"m","autonomyMode":"auto-low","tokenUsage":{"inputTokens":1}}"#,
            "settings of a session of Factory Droid, which are read with its log",
        ),
        (
            r#"{"info":{"id":"s","cwd":"/w"},"current_model_id":"m"}"#,
            "a summary of a session of Grok Build, which is read with its log",
        ),
        (
            &chat,
            "the model's messages of a session of Grok Build, of which `updates.jsonl` is the log",
        ),
    ] {
        assert_eq!(detect("x.json", log.as_bytes()), format!("not a log, but {file}"));
    }
}

#[test]
fn documents_of_other_programs_are_not_logs() {
    let response = r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}"#;
    let header =
        r#"{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z","version":"1.2.3"}"#;
    let request = r#"{"type":"request","id":"r","timestamp":"2026-01-01T00:00:01Z"}"#;
    for lines in [[response; 3], [header, request, request]] {
        let message = detect("app.jsonl", lines.join("\n").as_bytes());
        assert_eq!(message, "unrecognised log format");
    }
}

#[test]
fn log_with_few_fitting_documents_is_refused_with_their_number() {
    let mut log = r#"{"type":"function_call","call_id":"c","name":"f"}"#.to_owned();
    log.push('\n');
    log.push_str(&"{\"type\":\"note\",\"content\":\"x\"}\n".repeat(20));
    let expected = "looks like codex, but 20 of 21 documents do not fit (unknown-shape)";
    assert_eq!(detect("chat_history.jsonl", log.as_bytes()), expected);
    let input = Memory { name: "chat_history.jsonl", bytes: log.as_bytes() };
    let codex = AGENTS.iter().find(|adapter| adapter.name() == "codex").expect("codex");
    let error = codex.survey(&input).err().expect("refused");
    assert_eq!(error.to_string(), expected);
}
