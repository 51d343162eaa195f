//! The adapter of Claude Code over fixtures, hostile input and real sessions.

mod decisions;
mod every_log;
mod exports;
mod meaning;
mod preview;
mod queue;
mod session_folder;
mod sessions;
mod subagents;
mod tokens;

use serde_json::Value;
use vac_adapter::Input;
use vac_adapter_check::{CheckOutcome, ConvertedRecord, TestLog, convert_full, fixture};
use vac_adapter_claude::Claude;
use vac_adapter_claude::check::CLAUDE;

/// Checks an input and returns the outcome.
fn check(name: &str, text: &str) -> CheckOutcome {
    vac_adapter_check::check(&CLAUDE, &Claude, &TestLog::new(name, text))
}

/// Converts an input to its only record.
fn convert_one(input: &dyn Input) -> ConvertedRecord {
    let mut records = convert_full(&Claude, input).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records.len(), 1, "a log is a session");
    records.remove(0)
}

/// Converts a fixture to its only record.
fn convert_fixture(case: &str) -> ConvertedRecord {
    convert_one(&fixture(&Claude, case))
}

/// Finds the entry of a record with an id.
fn find_entry(record: &Value, id: &str) -> Value {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let found = entries.iter().find(|entry| entry["id"] == id);
    found.unwrap_or_else(|| panic!("no entry {id}")).clone()
}

/// Returns the contents of the user's messages without tool results, in order.
fn prompts(record: &Value) -> Vec<Value> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let is_prompt = |entry: &&Value| entry["type"] == "user" && entry["children"].is_null();
    entries.iter().filter(is_prompt).map(|entry| entry["content"].clone()).collect()
}
