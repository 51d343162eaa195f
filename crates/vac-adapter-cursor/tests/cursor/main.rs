//! Tests the adapter of Cursor with fixtures, hostile input and real sessions.

mod capture;
mod detection;
mod every_log;
mod hostile;
mod mapping;
mod meaning;
mod text;

use vac_adapter::Report;
use vac_adapter_check::{CheckOutcome, TestLog};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

/// Checks an input and returns the outcome.
fn check(name: &str, bytes: &[u8]) -> CheckOutcome {
    vac_adapter_check::check(&CURSOR, &Cursor, &TestLog::new(name, bytes))
}

/// Converts an input to its only record and the report.
fn convert_one(bytes: &[u8]) -> (serde_json::Value, Report) {
    let outcome = check("s.jsonl", bytes);
    (outcome.only().value(), outcome.only().report.clone())
}
