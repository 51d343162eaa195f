//! Tests all adapters with all logs: fixtures, the corpus if it exists, and hostile logs. The tests
//! print a table: `cargo test -p vac-tests adapters -- --nocapture`.

use vac::AGENTS;
use vac_adapter::session::{self, RecordOptions};
use vac_adapter::tools::edits::Change;
use vac_adapter::{Adapter, detect};
use vac_adapter_check::{
    AgentRules, CheckOutcome, TestLog, check, check_briefly, check_damaged, check_pieces, corpus,
    fixture_logs, hostile,
};
use vac_value::Document;

/// Checks that every log of an agent is detected as a log of this agent and converted without loss,
/// or refused.
fn check_logs(adapter: &dyn Adapter) {
    let agent = AgentRules::from_adapter(adapter);
    for log in fixture_logs(adapter) {
        let outcome = print_row(adapter, &log, check(agent, adapter, &log));
        assert!(!outcome.is_refused(), "{}: {outcome}", log.shown);
    }
    for log in corpus(adapter) {
        print_row(adapter, &log, check_briefly(agent, adapter, &log));
    }
    agent.print_exceptions();
}

fn print_row(adapter: &dyn Adapter, log: &TestLog, outcome: CheckOutcome) -> CheckOutcome {
    println!("{:<9} {:<70} {outcome}", adapter.name(), log.shown);
    let detected = detect(log, AGENTS).expect("memory can be read");
    let detected = detected.map(|(adapter, _)| adapter.name());
    let is_detected = detected == Some(adapter.name());
    assert!(is_detected || outcome.is_refused(), "{} is detected as {detected:?}", log.shown);
    outcome
}

#[test]
fn every_log_is_detected_and_converted_without_loss() {
    std::thread::scope(|scope| {
        for adapter in AGENTS.iter().copied() {
            scope.spawn(move || check_logs(adapter));
        }
    });
}

#[test]
fn tools_of_every_agent_have_one_meaning_each() {
    for adapter in AGENTS {
        let mut names: Vec<_> = adapter.tools().tools.iter().flat_map(|tool| tool.names).collect();
        names.sort_unstable();
        let repeated: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(repeated.is_empty(), "{}: {repeated:?}", adapter.name());
    }
}

/// Returns the edits of a call: the path and the new text of each.
fn edits(agent: &str, tool: &str, input: &str) -> Vec<(String, String)> {
    let input = Document::json(input.as_bytes()).expect("JSON");
    let tools = vac::agent(agent).expect("an agent").adapter.tools();
    let edits = tools.edits(tool, input.root()).into_iter().map(|edit| {
        let new = match edit.change {
            Change::Replace { new, .. } | Change::Write(new) | Change::Patch(new) => new,
            Change::Delete | Change::Unknown => String::new(),
        };
        (edit.path.expect("a path"), new)
    });
    edits.collect()
}

#[test]
fn calls_that_edit_files_state_the_changes() {
    const PATCH: &str = r"*** Begin Patch\n*** Update File: a\n+x\n*** End Patch";
    let patch = format!(r#"{{"input": "{PATCH}"}}"#);
    let text = format!(r#""{PATCH}""#);
    for (agent, tool, input) in [
        ("pi", "edit", r#"{"path": "a", "edits": [{"oldText": "w", "newText": "+x\n"}]}"#),
        ("pi", "apply_patch", &patch),
        ("openclaw", "edit_file", r#"{"path": "a", "content": "+x\n"}"#),
        ("droid", "ApplyPatch", &patch),
        ("droid", "MultiEdit", r#"{"file_path": "a", "edits": [{"new_str": "+x\n"}]}"#),
        ("copilot", "apply_patch", &patch),
        ("copilot", "apply_patch", &text),
        (
            "copilot",
            "multi_replace_string_in_file",
            r#"{"replacements": [{"filePath": "a", "oldString": "w", "newString": "+x\n"}]}"#,
        ),
        ("antigravity", "write_to_file", r#"{"TargetFile": "a", "CodeContent": "+x\n"}"#),
        (
            "antigravity",
            "replace_file_content",
            r#"{"TargetFile": "a", "TargetContent": "w", "ReplacementContent": "+x\n"}"#,
        ),
        (
            "antigravity",
            "multi_replace_file_content",
            r#"{"TargetFile": "a", "ReplacementChunks": [{"ReplacementContent": "+x\n"}]}"#,
        ),
    ] {
        let expected = [("a".to_owned(), "+x\n".to_owned())];
        assert_eq!(edits(agent, tool, input), expected, "{agent}: {tool}");
    }
}

/// Benchmarks measure generated logs, so these have to be sessions without unknown lines.
#[test]
fn generated_logs_are_sessions_of_their_agents() {
    for adapter in AGENTS.iter().copied() {
        let logs = vac_tests::native::logs(5);
        let generated = logs.iter().find(|log| log.agent == adapter.name()).expect("one for each");
        let log = TestLog::new(generated.name, generated.text.as_str());
        let outcome =
            print_row(adapter, &log, check(AgentRules::from_adapter(adapter), adapter, &log));
        let report = &outcome.only().report;
        assert_eq!((report.unparsed.count, report.unknown_types.len()), (0, 0), "{report:?}");
        assert!(report.entries["user"] >= 5 && report.entries["tool-call"] == 5, "{report:?}");
    }
}

#[test]
fn logs_of_other_agents_are_refused_or_converted_without_loss() {
    let mut refused = 0;
    for owner in AGENTS.iter().copied() {
        for log in fixture_logs(owner) {
            for adapter in AGENTS.iter().filter(|adapter| adapter.name() != owner.name()) {
                let name = format!("{} as {}", log.shown, adapter.name());
                let log = log.clone().named(name);
                let outcome = check_damaged(AgentRules::from_adapter(*adapter), *adapter, &log);
                refused += usize::from(outcome.is_refused());
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn hostile_logs_lose_nothing_in_any_adapter() {
    for owner in AGENTS.iter().copied() {
        for (problem, log) in hostile::logs(AgentRules::from_adapter(owner)) {
            for adapter in AGENTS.iter().copied() {
                let name = format!("{problem}, of {} as {}", owner.name(), adapter.name());
                check_damaged(AgentRules::from_adapter(adapter), adapter, &log.clone().named(name));
            }
        }
    }
}

#[test]
fn long_events_are_kept_in_pieces_by_every_adapter() {
    let mut cut = 0;
    for adapter in AGENTS.iter().copied() {
        for log in fixture_logs(adapter) {
            // A piece that may contain a secret is redacted completely, and turns of plain text are
            // compared without the marker line, which is part of a piece.
            let text = String::from_utf8_lossy(log.first());
            if log.shown.contains("/cursor/text")
                || text.contains("\"secret\"")
                || text.contains("EncryptionKey")
            {
                continue;
            }
            let log = log.with_max_event(200);
            let outcome = check_pieces(AgentRules::from_adapter(adapter), adapter, &log);
            for record in outcome.records() {
                cut += record.report.unparsed.reasons.get("too-long").unwrap_or(&0);
            }
        }
    }
    assert!(cut > 300, "{cut} pieces");
}

#[test]
fn line_of_67_megabytes_is_converted() {
    let text = "0123456789abcde\u{e9}".repeat((67 << 20) / 17);
    let log = TestLog::new(
        "long.jsonl",
        AgentRules::from_adapter(vac::agent("claude").expect("an agent").adapter)
            .sample
            .replace("VALUE", "\"VALUE\""),
    );
    let log = String::from_utf8(log.first().to_vec()).expect("text").replacen("VALUE", &text, 1);
    let log = TestLog::new("long.jsonl", log);
    let sessions = vac::agent("claude").expect("an agent").adapter.survey(&log).expect("a session");
    let mut record = Vec::new();
    session::write(&*sessions[0], &RecordOptions::default(), &session::no_sources, &mut record)
        .expect("a record");
    let record = String::from_utf8(record).expect("text");
    let start = record.find(&text[..100]).expect("the beginning of the text");
    assert!(record[start..].starts_with(&text));
}
