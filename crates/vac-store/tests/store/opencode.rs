//! Tests of the stores of `OpenCode`.

use std::path::Path;

use serde_json::Value;
use vac_adapter::Report;
use vac_adapter_check::{ConvertedRecord, check};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

use crate::{Stored, sessions};

mod database;
mod replaced;
mod rows;
mod tree;

/// Converts the only session in a path, without loss.
pub fn convert_single(path: &Path) -> (Value, Report) {
    let mut sessions = sessions(path);
    assert_eq!(sessions.len(), 1, "{:?}", keys(path));
    let (key, bytes) = sessions.remove(0);
    let converted = convert(&key, &bytes);
    (converted.value(), converted.report)
}

/// Converts a session, without loss.
pub fn convert(key: &str, documents: &Stored) -> ConvertedRecord {
    check(&OPENCODE, &OpenCode, &documents.0.clone().named(key.to_owned())).only().clone()
}

/// Returns the keys of the sessions in a path.
pub fn keys(path: &Path) -> Vec<String> {
    sessions(path).into_iter().map(|(key, _)| key).collect()
}

/// Returns the ids of a record's entries, in order.
pub fn ids(record: &Value) -> Vec<&str> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["id"].as_str().unwrap_or_default()).collect()
}
