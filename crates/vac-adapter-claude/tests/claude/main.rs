//! Claude Code logs: the fixtures, hostile input, real sessions where there are any.

mod decisions;
mod every_log;
mod exports;
mod glimpse;
mod meaning;
mod queue;
mod session_folder;
mod sessions;
mod subagents;
mod tokens;

use serde_json::Value;
use vac_adapter::Input;
use vac_adapter_check::{Converted, Log, Outcome, fixture, full};
use vac_adapter_claude::Claude;
use vac_adapter_claude::check::CLAUDE;

/// Converts an input, after checking that nothing of it is lost.
fn check(name: &str, text: &str) -> Outcome {
    vac_adapter_check::check(&CLAUDE, &Claude, &Log::new(name, text))
}

/// The only record of an input.
fn one(input: &dyn Input) -> Converted {
    let mut records = full(&Claude, input).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records.len(), 1, "a log is a session");
    records.remove(0)
}

/// The only record of a fixture.
fn converted(case: &str) -> Converted {
    one(&fixture(&Claude, case))
}

/// The entry of a record that has an id.
fn entry(record: &Value, id: &str) -> Value {
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
