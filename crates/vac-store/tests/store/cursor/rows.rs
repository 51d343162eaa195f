//! Rows are converted without loss; the test reads them on its own.

use std::path::Path;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When};
use vac_adapter_check::logs::{TestLog, corpus, fixture_logs};
use vac_adapter_check::no_drop::{Where, compare};
use vac_adapter_check::{Tokens, tokens};
use vac_adapter_cursor::Cursor;
use vac_adapter_cursor::check::CURSOR;

use super::convert;

/// The rules for rows.
const ROWS: AgentRules = AgentRules {
    exceptions: &[
        Exception {
            paths: &["type", "role", "conversation[].type"],
            when: When::Always,
            reason: "the type of its entry",
        },
        Exception {
            paths: &["content[].type"],
            when: When::Is(&["tool-result"]),
            reason: "the type of its entry",
        },
        Exception { paths: &["blobEncryptionKey"], when: When::Always, reason: "a secret" },
    ],
    reads_damaged: |_| true,
    ..CURSOR
};

/// Returns the rows of a session as documents: JSON as it is, other text as a string, and bytes in
/// base64.
fn rows(path: &Path, key: &str) -> Vec<Vec<u8>> {
    let connection = Connection::open(format!("file:{}?immutable=1", path.display()));
    let connection = connection.expect("a database");
    let is_chat = path.extension().is_some_and(|extension| extension == "db");
    let query = if is_chat {
        "SELECT data FROM blobs UNION ALL SELECT value FROM meta WHERE key = '0'".to_owned()
    } else {
        format!(
            "SELECT value FROM cursorDiskKV WHERE key = 'composerData:{key}'
             OR key LIKE 'bubbleId:{key}:%'"
        )
    };
    let mut statement = connection.prepare(&query).expect("SQL");
    let mut rows = statement.query([]).expect("rows");
    let mut found = Vec::new();
    while let Some(row) = rows.next().expect("a row") {
        found.push(match row.get_ref(0).expect("a column") {
            ValueRef::Null => continue,
            ValueRef::Integer(number) => number.to_string().into_bytes(),
            ValueRef::Real(number) => number.to_string().into_bytes(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => document(bytes),
        });
    }
    found
}

fn document(bytes: &[u8]) -> Vec<u8> {
    let is_json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).is_ok();
    if is_json(bytes) {
        return bytes.to_vec();
    }
    if let Some(decoded) = HEXLOWER_PERMISSIVE.decode(bytes).ok().filter(|bytes| is_json(bytes)) {
        return decoded;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => BASE64.encode(bytes),
    };
    Value::from(text).to_string().into_bytes()
}

/// Returns the sessions of the databases among the fixtures and the corpus.
fn stored() -> Vec<TestLog> {
    let logs = fixture_logs(&Cursor).into_iter().chain(corpus(&Cursor));
    let logs: Vec<_> = logs.filter(|log| log.shown.contains('#')).collect();
    assert!(logs.len() >= 5, "the fixtures at least");
    logs
}

fn key(log: &TestLog) -> &str {
    log.shown.rsplit_once('#').expect("a session of a store").1
}

#[test]
fn rows_are_converted_without_loss() {
    for log in stored() {
        let record = convert(key(&log), &crate::Stored(log.clone()));
        let rows = rows(&log.files[0], key(&log));
        let outcome = compare(&ROWS, &rows, &[&record.record], Where::Anywhere);
        assert!(outcome.missing.is_empty(), "{}: {:#?}", log.shown, outcome.missing);
        println!("{}: {} leaves, {:?}", log.shown, outcome.leaves, outcome.excepted);
    }
}

#[test]
fn record_counts_the_tokens_of_its_bubbles() {
    let mut total = Tokens::default();
    for log in stored() {
        let record = convert(key(&log), &crate::Stored(log.clone())).value();
        let mut expected = Tokens::default();
        for row in rows(&log.files[0], key(&log)) {
            let row: Value = serde_json::from_slice(&row).unwrap_or_default();
            let inside = row["conversation"].as_array().cloned().unwrap_or_default();
            for bubble in inside.iter().chain([&row]) {
                let count = |key: &str| bubble["tokenCount"][key].as_u64().unwrap_or_default();
                expected.input += count("inputTokens");
                expected.output += count("outputTokens");
            }
        }
        assert_eq!(tokens(&record), expected, "{}", log.shown);
        println!("{}: {expected:?}", log.shown);
        total += expected;
    }
    assert!(total.output > 90);
}
