//! The adapter of Antigravity over fixtures, hostile input and real sessions.

mod database;
mod every_log;
mod meaning;

use serde_json::Value;
use vac_adapter_antigravity::Antigravity;
use vac_adapter_check::{convert_full, fixture};

/// Converts a fixture to its only record.
fn convert_fixture(case: &str) -> Value {
    let mut records = convert_full(&Antigravity, &fixture(&Antigravity, case))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records.len(), 1, "a log is a session");
    records.remove(0).value()
}

/// Returns the entries of a record.
fn entries(record: &Value) -> &[Value] {
    record["session"]["entries"].as_array().expect("entries")
}
