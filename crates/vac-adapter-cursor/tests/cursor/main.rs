//! The adapter over its fixtures, over hostile input and over real sessions.

mod capture;
mod detection;
mod every_log;
mod hostile;
mod mapping;
mod meaning;
mod text;

use vac_adapter::Report;
use vac_adapter_check::{Log, Outcome};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

/// What becomes of an input, after it was seen that it is what it has to be.
fn check(name: &str, bytes: &[u8]) -> Outcome {
    vac_adapter_check::check(&CURSOR, &Cursor, &Log::new(name, bytes))
}

/// The only record of an input, to look into.
fn one(bytes: &[u8]) -> (serde_json::Value, Report) {
    let outcome = check("s.jsonl", bytes);
    (outcome.only().value(), outcome.only().report.clone())
}
