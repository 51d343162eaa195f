//! What the tests of `OpenCode`'s stores share.

use std::path::Path;

use serde_json::Value;
use vac_adapter::Report;
use vac_adapter_check::agents::OPENCODE;
use vac_adapter_check::{Converted, Log, check};
use vac_adapter_opencode::OpenCode;

mod beside;
mod database;
mod rows;
mod tree;

/// The sessions in a path, by their keys, with their documents.
pub fn sessions(path: &Path) -> Vec<(String, Vec<u8>)> {
    let found = vac_store::find(&[path.to_owned()], crate::AGENTS);
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let sessions = found.logs.iter().map(|log| {
        let key = log.shown.rsplit_once('#').expect("a session of a store").1.to_owned();
        let loaded = log.load().expect("documents");
        let bytes = vac_adapter::Input::bytes(&loaded).expect("in memory").to_vec();
        (key, bytes)
    });
    sessions.collect()
}

/// The record of the only session in a path; nothing of its documents is lost.
pub fn only(path: &Path) -> (Value, Report) {
    let mut sessions = sessions(path);
    assert_eq!(sessions.len(), 1, "{:?}", keys(path));
    let (key, bytes) = sessions.remove(0);
    let converted = converted(&key, &bytes);
    (converted.value(), converted.report)
}

/// The record of a session; nothing of its documents is lost.
pub fn converted(key: &str, documents: &[u8]) -> Converted {
    check(&OPENCODE, &OpenCode, &Log::new(key, documents)).only().clone()
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
