//! Prompts, answers, calls and results of real sessions of further agents, counted from their logs
//! by code that shares nothing with the adapters, and from their records.

use std::path::{Path, PathBuf};

use serde_json::Value;
use vac_adapter_check::{AgentRules, TestLog, check_briefly};

/// What a session consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Messages that the user wrote.
    prompts: usize,
    /// Messages of the model.
    answers: usize,
    calls: usize,
    results: usize,
}

/// Counts the entries of a record, with their children.
fn count_record(record: &Value) -> Counts {
    let mut counts = Counts::default();
    let mut entries: Vec<_> =
        record["session"]["entries"].as_array().into_iter().flatten().collect();
    while let Some(entry) = entries.pop() {
        match entry["type"].as_str() {
            Some("user") => {
                counts.prompts += usize::from(entry["vac"]["author"] == "user");
            }
            Some("assistant") => counts.answers += 1,
            Some("tool-call") => counts.calls += 1,
            Some("tool-result") => counts.results += 1,
            _ => {}
        }
        entries.extend(entry["children"].as_array().into_iter().flatten());
    }
    counts
}

/// Returns the lines of a log.
fn lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns the elements of an array.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Checks every file of a folder of the corpus whose name has an ending.
fn check_folder(folder: &str, agent: &str, ending: &str, count: fn(&[Value]) -> Counts) {
    let Some(corpus) = vac_tests::shared("corpus-others", "VAC_CORPUS_OTHERS") else { return };
    let adapter = vac::agent(agent).expect("an agent").adapter;
    let mut paths: Vec<PathBuf> = corpus
        .join(folder)
        .read_dir()
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder}");
    for path in paths {
        let bytes = std::fs::read(&path).expect("readable");
        let name = path.file_name().map_or("", |name| name.to_str().unwrap_or_default());
        let log = TestLog::new(name, bytes.clone());
        let outcome = check_briefly(AgentRules::from_adapter(adapter), adapter, &log);
        let record = outcome.only();
        let counts = count_record(&record.value());
        println!("{:<45} {counts:?}", short(&path));
        assert_eq!(counts, count(&lines(&bytes)), "{}", path.display());
        let report = &record.report;
        assert!(report.unknown_types.is_empty(), "{}: {report:?}", path.display());
        assert!(report.unknown_keys.is_empty(), "{}: {report:?}", path.display());
    }
}

fn short(path: &Path) -> String {
    let names: Vec<_> = path.iter().rev().take(2).map(|name| name.to_string_lossy()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}

#[test]
fn qwen_sessions_have_the_counts_of_their_logs() {
    check_folder("qwen", "qwen", ".jsonl", |lines| {
        let mut counts = Counts::default();
        for line in lines {
            let is_typed = line["provenance"].is_null()
                && (line["subtype"].is_null() || line["subtype"] == "mid_turn_user_message");
            match line["type"].as_str() {
                Some("user") if line["provenance"] == "real_user" || is_typed => {
                    counts.prompts += 1;
                }
                Some("assistant") => {
                    counts.answers += 1;
                    let parts = list(&line["message"]["parts"]);
                    counts.calls += parts.filter(|part| !part["functionCall"].is_null()).count();
                }
                Some("tool_result") => counts.results += 1,
                _ => {}
            }
        }
        counts
    });
}

#[test]
fn copilot_sessions_have_the_counts_of_their_logs() {
    check_folder("copilot-cli", "copilot", ".jsonl", |lines| {
        let mut counts = Counts::default();
        for line in lines {
            let data = &line["data"];
            match line["type"].as_str() {
                Some("user.message") => {
                    let is_typed = data["source"].is_null() && line["agentId"].is_null();
                    counts.prompts += usize::from(is_typed);
                }
                Some("assistant.message") => {
                    counts.answers += 1;
                    counts.calls += list(&data["toolRequests"]).count();
                }
                Some("tool.execution_complete") => counts.results += 1,
                _ => {}
            }
        }
        counts
    });
}

fn count_pi(lines: &[Value]) -> Counts {
    let is_subagent = lines.iter().any(|line| line["type"] == "session_init");
    let mut counts = Counts::default();
    for message in lines.iter().filter(|line| line["type"] == "message") {
        let message = &message["message"];
        match message["role"].as_str() {
            Some("user") => counts.prompts += usize::from(!is_subagent),
            Some("assistant") => {
                counts.answers += 1;
                let blocks = list(&message["content"]);
                counts.calls += blocks.filter(|block| block["type"] == "toolCall").count();
            }
            Some("toolResult") => counts.results += 1,
            // A command that the user typed is a call and its result.
            Some("bashExecution") => {
                counts.calls += 1;
                counts.results += 1;
            }
            _ => {}
        }
    }
    counts
}

#[test]
fn pi_sessions_have_the_counts_of_their_logs() {
    check_folder("pi", "pi", ".jsonl", count_pi);
    check_folder("openclaw", "pi", ".jsonl", count_pi);
}

#[test]
fn droid_sessions_have_the_counts_of_their_logs() {
    check_folder("droid", "droid", ".jsonl", |lines| {
        let mut counts = Counts::default();
        for line in lines.iter().filter(|line| line["type"] == "message") {
            let content = &line["message"]["content"];
            let count = |kind: &str| list(content).filter(|block| block["type"] == kind).count();
            match line["message"]["role"].as_str() {
                Some("user") => {
                    counts.prompts += usize::from(count("text") > 0);
                    counts.results += count("tool_result");
                }
                Some("assistant") => {
                    counts.answers += 1;
                    counts.calls += count("tool_use");
                }
                _ => {}
            }
        }
        counts
    });
}

#[test]
fn antigravity_sessions_have_the_counts_of_their_logs() {
    check_folder("antigravity", "antigravity", ".jsonl", |lines| {
        let mut counts = Counts::default();
        for line in lines {
            match (line["source"].as_str(), line["type"].as_str()) {
                (_, Some("USER_INPUT")) => counts.prompts += 1,
                (_, Some("PLANNER_RESPONSE")) => {
                    counts.answers += 1;
                    counts.calls += list(&line["tool_calls"]).count();
                }
                (Some("MODEL"), _) => counts.results += 1,
                _ => {}
            }
        }
        counts
    });
}
