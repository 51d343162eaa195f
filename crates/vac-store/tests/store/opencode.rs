//! What the tests of `OpenCode`'s stores share.

use std::path::Path;

use serde_json::Value;
use vac_adapter::Report;
use vac_adapter_check::{Converted, check};
use vac_adapter_opencode::OpenCode;
use vac_adapter_opencode::check::OPENCODE;

use crate::{Stored, sessions};

mod beside;
mod database;
mod rows;
mod tree;

/// The record of the only session in a path; nothing of its documents is lost.
pub fn only(path: &Path) -> (Value, Report) {
    let mut sessions = sessions(path);
    assert_eq!(sessions.len(), 1, "{:?}", keys(path));
    let (key, bytes) = sessions.remove(0);
    let converted = converted(&key, &bytes);
    (converted.value(), converted.report)
}

/// The record of a session; nothing of its documents is lost.
pub fn converted(key: &str, documents: &Stored) -> Converted {
    check(&OPENCODE, &OpenCode, &documents.0.clone().called(key.to_owned())).only().clone()
}

/// The keys of the sessions in a path.
pub fn keys(path: &Path) -> Vec<String> {
    sessions(path).into_iter().map(|(key, _)| key).collect()
}

/// The ids of a record's entries, in their order.
pub fn ids(record: &Value) -> Vec<&str> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["id"].as_str().unwrap_or_default()).collect()
}
