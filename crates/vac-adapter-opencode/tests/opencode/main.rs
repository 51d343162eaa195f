//! Tests the adapter of `OpenCode` with fixtures, hostile input and real sessions.

mod containers;
mod every_log;
mod hostile;
mod meaning;
mod order;
mod tokens;
mod variants;

use vac_adapter::Report;
use vac_adapter_check::{CheckOutcome, TestLog};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

/// Checks an input and returns the outcome.
fn check(name: &str, bytes: &[u8]) -> CheckOutcome {
    vac_adapter_check::check(&OPENCODE, &OpenCode, &TestLog::new(name, bytes))
}

/// Converts an input to its only record and the report.
fn convert_one(bytes: &[u8]) -> (serde_json::Value, Report) {
    let outcome = check("s.jsonl", bytes);
    (outcome.only().value(), outcome.only().report.clone())
}
