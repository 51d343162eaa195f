//! The adapter of trajectories over fixtures and hostile input.

mod every_log;
mod meaning;
mod tokens;

use serde_json::Value;
use vac_adapter_atif::Atif;
use vac_adapter_check::{convert_full, fixture};

/// Converts a fixture to its only record.
fn convert_fixture(case: &str) -> Value {
    let mut records =
        convert_full(&Atif, &fixture(&Atif, case)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records.len(), 1, "a log is a session");
    records.remove(0).value()
}

/// Returns the entries of a record.
fn entries(record: &Value) -> &[Value] {
    record["session"]["entries"].as_array().expect("entries")
}
