//! The adapter against files: ours, with the records they must become, and
//! those of a corpus, if there is one.

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
use vac_adapter_check::{Log, Outcome};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

/// What becomes of an input, after it was seen that it is what it has to be.
fn check(name: &str, bytes: &[u8]) -> Outcome {
    vac_adapter_check::check(&CODEX, &Codex, &Log::new(name, bytes))
}

/// A line with an envelope.
fn line(kind: &str, payload: &Value) -> String {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}).to_string()
}

/// The entries of lines, to look into.
fn entries(lines: &[String]) -> Vec<Value> {
    check("rollout.jsonl", lines.join("\n").as_bytes()).only().entries()
}

/// The record of lines, to look into.
fn converted(lines: &[&str]) -> (Value, Report) {
    let outcome = check("rollout.jsonl", lines.join("\n").as_bytes());
    (outcome.only().value(), outcome.only().report.clone())
}
