//! Tests of the databases of Cursor.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;
use vac_adapter_check::{ConvertedRecord, check};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

use crate::{Stored, sessions};

mod chat;
mod composers;
mod damaged;
mod rows;

/// Creates a database with SQL statements, in a temporary folder.
fn database(name: &str, sql: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(name);
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(sql).expect("SQL");
    connection.close().expect("closed");
    (folder, path)
}

/// Returns the documents of the only session in a path.
fn documents(path: &Path) -> Vec<Value> {
    let mut sessions = sessions(path);
    assert_eq!(sessions.len(), 1, "one session");
    let (_, bytes) = sessions.remove(0);
    values(&bytes)
}

fn values(documents: &[u8]) -> Vec<Value> {
    let values = serde_json::Deserializer::from_slice(documents).into_iter();
    values.map(|value| value.expect("a document")).collect()
}

/// Converts a session, without loss.
fn convert(key: &str, documents: &Stored) -> ConvertedRecord {
    check(&CURSOR, &Cursor, &documents.0.clone().named(key.to_owned())).only().clone()
}

/// Converts the only session in a path.
fn convert_single(path: &Path) -> ConvertedRecord {
    let mut sessions = sessions(path);
    assert_eq!(sessions.len(), 1, "one session");
    let (key, bytes) = sessions.remove(0);
    convert(&key, &bytes)
}
