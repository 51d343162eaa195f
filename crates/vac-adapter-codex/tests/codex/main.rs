//! The adapter of Codex over fixtures, hostile input and real sessions.

mod capture;
mod every_log;
mod exec_event;
mod hostile;
mod mapping;
mod meaning;
mod newer;
mod tokens;
mod variants;

use serde_json::{Value, json};
use vac_adapter::Report;
use vac_adapter_check::{CheckOutcome, TestLog};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

/// Checks an input and returns the outcome.
fn check(name: &str, bytes: &[u8]) -> CheckOutcome {
    vac_adapter_check::check(&CODEX, &Codex, &TestLog::new(name, bytes))
}

/// Returns a line with an envelope.
fn line(kind: &str, payload: &Value) -> String {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}).to_string()
}

/// Converts lines and returns the entries.
fn entries(lines: &[String]) -> Vec<Value> {
    check("rollout.jsonl", lines.join("\n").as_bytes()).only().entries()
}

/// Converts lines to a record and its report.
fn convert_lines(lines: &[&str]) -> (Value, Report) {
    let outcome = check("rollout.jsonl", lines.join("\n").as_bytes());
    (outcome.only().value(), outcome.only().report.clone())
}
