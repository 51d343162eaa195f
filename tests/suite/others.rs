//! Compares the numbers of prompts, answers, calls and results of real sessions of further agents:
//! counted in their logs by code that shares nothing with the adapters, and in their records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vac_adapter_check::{AgentRules, TestLog, check_briefly, convert_full, fixture};

/// The numbers of messages, calls and results of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// The number of messages that the user wrote.
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
            Some("tool-call") if !entry["vac"]["duplicate-of"].is_null() => {}
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

/// A type that no version of the agent writes. A sample contains it for that reason.
const FUTURE: &str = "future_update";

/// Checks every file with this extension in a folder of the corpus.
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
        let unknown = report.unknown_types.keys().find(|kind| *kind != FUTURE);
        assert!(unknown.is_none(), "{}: {report:?}", path.display());
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
fn grok_sessions_have_the_counts_of_their_logs() {
    check_folder("grok", "grok", ".jsonl", |lines| {
        let mut counts = Counts::default();
        for line in lines {
            let update = &line["params"]["update"];
            let is_end = matches!(update["status"].as_str(), Some("completed" | "failed"));
            match update["sessionUpdate"].as_str() {
                Some("user_message_chunk") => counts.prompts += 1,
                Some("agent_message_chunk") => counts.answers += 1,
                Some("tool_call") => counts.calls += 1,
                Some("tool_call_update") if is_end => counts.results += 1,
                _ => {}
            }
        }
        counts
    });
}

#[test]
fn iflow_sessions_have_the_counts_of_their_logs() {
    check_folder("iflow", "iflow", ".jsonl", |lines| {
        let (mut counts, mut calls) = (Counts::default(), BTreeSet::new());
        for line in lines {
            let content = &line["message"]["content"];
            let count = |kind: &str| list(content).filter(|block| block["type"] == kind).count();
            match line["type"].as_str() {
                Some("user") => {
                    counts.prompts += usize::from(content.is_string());
                    counts.results += count("tool_result");
                }
                Some("assistant") => {
                    counts.answers += 1;
                    // A line repeats the last call of the previous line.
                    let uses = list(content).filter(|block| block["type"] == "tool_use");
                    calls.extend(uses.map(|block| block["id"].to_string()));
                }
                _ => {}
            }
        }
        Counts { calls: calls.len(), ..counts }
    });
    let Some(corpus) = vac_tests::shared("corpus-others", "VAC_CORPUS_OTHERS") else { return };
    let search = vac::Search { paths: vec![corpus.join("iflow")], ..vac::Search::default() };
    let plan = search.plan().expect("a plan");
    let agents: Vec<_> = plan.tasks.iter().map(|task| task.agent.as_str()).collect();
    assert_eq!(agents, ["iflow"], "the content names the agent");
}

#[test]
fn openclaw_databases_have_the_counts_of_their_rows() {
    check_database("openclaw/synthetic-v23-plain.openclaw-agent.sqlite", "openclaw", |database| {
        let of_role = |role: &str| {
            let sql = format!(
                "SELECT count(*) FROM transcript_events \
                WHERE event_json ->> '$.message.role' = '{role}'"
            );
            number(database, &sql)
        };
        Counts {
            prompts: of_role("user"),
            answers: of_role("assistant"),
            calls: number(
                database,
                "SELECT count(*) FROM transcript_events, \
                json_each(event_json, '$.message.content') AS block \
                WHERE block.type = 'object' AND block.value ->> 'type' = 'toolCall'",
            ),
            results: of_role("toolResult"),
        }
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

#[test]
fn antigravity_databases_have_the_counts_of_their_rows() {
    check_database("antigravity/a04-conversation.db", "antigravity", |database| {
        let of_type = |kind: u32, text: &str| {
            let sql = format!(
                "SELECT count(*) FROM steps WHERE step_type = {kind} \
                AND instr(step_payload, CAST('{text}' AS BLOB)) > 0"
            );
            number(database, &sql)
        };
        Counts {
            prompts: of_type(14, "Reply with exactly the word: ok"),
            answers: of_type(15, "bot-"),
            ..Counts::default()
        }
    });
}

/// Checks the sessions of a database of the corpus: `count` receives its path.
fn check_database(file: &str, agent: &str, count: fn(&rusqlite::Connection) -> Counts) {
    let Some(corpus) = vac_tests::shared("corpus-others", "VAC_CORPUS_OTHERS") else { return };
    let path = corpus.join(file);
    let search = vac::Search { paths: vec![path.clone()], ..vac::Search::default() };
    let plan = search.plan().expect("a plan");
    assert!(plan.skipped.is_empty() && plan.troubles.is_empty(), "{plan:?}");
    let mut counts = Counts::default();
    for task in &plan.tasks {
        assert_eq!(task.agent, agent);
        let mut record = Vec::new();
        let options = vac::ConvertOptions::default();
        let converted = vac::convert(task, &options, &mut record).expect("a record");
        for report in &converted.sessions {
            assert!(!report.has_unknown(), "{file}: {report:?}");
        }
        assert!(vac::validate(&record).expect("readable").is_valid(), "{file}");
        let found = count_record(&serde_json::from_slice(&record).expect("JSON"));
        counts.prompts += found.prompts;
        counts.answers += found.answers;
        counts.calls += found.calls;
        counts.results += found.results;
    }
    println!("{file:<45} {counts:?}");
    // Without this, SQLite creates files next to a database with a write-ahead log.
    let path = format!("file:{}?immutable=1", path.display());
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    let database = rusqlite::Connection::open_with_flags(path, flags);
    assert_eq!(counts, count(&database.expect("a database")), "{file}");
}

/// Returns a number that a query selects.
fn number(database: &rusqlite::Connection, sql: &str) -> usize {
    let number: u32 = database.query_row(sql, [], |row| row.get(0)).expect("a number");
    usize::try_from(number).expect("a small number")
}

#[test]
fn goose_sessions_have_the_counts_of_their_rows() {
    check_database("goose/synthetic-v13-1.sessions.db", "goose", |database| {
        let blocks = |kind: &str| {
            let sql = format!(
                "SELECT count(*) FROM messages, json_each(content_json) AS block \
                WHERE block.value ->> 'type' = '{kind}'"
            );
            number(database, &sql)
        };
        Counts {
            prompts: number(
                database,
                "SELECT count(*) FROM messages WHERE role = 'user' AND \
                content_json NOT LIKE '%toolResponse%'",
            ),
            answers: number(database, "SELECT count(*) FROM messages WHERE role = 'assistant'"),
            calls: blocks("toolRequest"),
            results: blocks("toolResponse"),
        }
    });
}

#[test]
fn hermes_sessions_have_the_counts_of_their_rows() {
    check_database("hermes/synthetic-v30-1.state.db", "hermes", |database| {
        let of_role =
            |role: &str| number(database, &format!("SELECT count(*) FROM messages WHERE {role}"));
        Counts {
            prompts: of_role("role = 'user' AND _compressed_summary = 0"),
            answers: of_role("role = 'assistant'"),
            calls: number(database, "SELECT sum(json_array_length(tool_calls)) FROM messages"),
            results: of_role("role = 'tool'"),
        }
    });
}

#[test]
fn sessions_that_were_concatenated_are_records_of_their_own() {
    for (agent, case, folders, entries) in [
        ("qwen", "jsonl", ["/home/ada/loom", "/home/ada/orchard"], [4, 2]),
        ("copilot", "events", ["/home/ada/kiln", "/home/ada/well"], [2, 3]),
        ("pi", "jsonl", ["/home/ada/orchard", "/home/ada/harbour"], [2, 2]),
        ("droid", "jsonl", ["/home/ada/farm", "/home/ada/barn"], [2, 2]),
    ] {
        let adapter = vac::agent(agent).expect("an agent").adapter;
        let log = fixture(adapter, &format!("{case}/two-sessions"));
        let records =
            convert_full(adapter, &log).unwrap_or_else(|error| panic!("{agent}: {error}"));
        assert_eq!(records.len(), 2, "{agent}");
        for (number, record) in records.iter().enumerate() {
            let record = record.value();
            let session = &record["session"];
            assert_eq!(session["environment"]["working-dir"], folders[number], "{agent}");
            let found = session["entries"].as_array().map(Vec::len);
            assert_eq!(found, Some(entries[number]), "{agent}");
        }
        assert_ne!(records[0].value()["id"], records[1].value()["id"], "{agent}");
    }
}
