//! Tests the adapter of Gemini CLI with fixtures, hostile input and real sessions.

mod companion_files;
mod every_log;
mod hostile;
mod lines;
mod mapping;
mod meaning;
mod preview;
mod split;
mod stream;
mod tokens;

use vac_adapter_check::{CheckOutcome, TestLog};
use vac_adapter_gemini::Gemini;
use vac_adapter_gemini::check::GEMINI;

/// Checks an input and returns the outcome.
fn check(name: &str, bytes: &[u8]) -> CheckOutcome {
    vac_adapter_check::check(&GEMINI, &Gemini, &TestLog::new(name, bytes))
}

/// Converts an input to its only record.
fn record(name: &str, text: &str) -> serde_json::Value {
    check(name, text.as_bytes()).only().value()
}
