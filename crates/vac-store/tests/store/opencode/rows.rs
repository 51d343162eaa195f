//! Rows are converted without loss; the test reads them on its own.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};
use std::path::Path;

use vac_adapter_check::agents::{AgentRules, Exception, When};
use vac_adapter_check::no_drop::{Where, compare};
use vac_adapter_check::{logs, tokens};
use vac_adapter_opencode::check::OPENCODE;

use super::{convert, sessions};

/// The rules for rows with parsed data.
const ROWS: AgentRules = AgentRules {
    exceptions: &[
        Exception {
            paths: &["data.type"],
            when: When::Is(&["text", "reasoning", "tool"]),
            reason: "of a part: the type of its entry",
        },
        Exception {
            paths: &["data.content[].type"],
            when: When::Is(&["text", "reasoning", "tool"]),
            reason: "of a part inside its message: the type of its entry",
        },
        Exception {
            paths: &["type"],
            when: When::Is(&["user", "assistant"]),
            reason: "of a message: the type of its entry",
        },
        Exception {
            paths: &["data.role"],
            when: When::Is(&["user", "assistant"]),
            reason: "of a message: the type of its entry",
        },
        Exception {
            paths: &["id", "session_id"],
            when: When::Equals("session.session-id"),
            reason: "the session's id",
        },
    ],
    ..OPENCODE
};

/// Columns that contain JSON.
const JSON: &[&str] =
    &["data", "permission", "model", "metadata", "sandboxes", "summary_diffs", "revert"];

/// Returns the rows of a session, as objects.
fn rows(path: &Path, session: &str) -> Vec<Value> {
    let connection = Connection::open(path).expect("a database");
    let project = format!(
        "SELECT * FROM project WHERE id = (SELECT project_id FROM session WHERE id = '{session}')"
    );
    let own = format!("SELECT * FROM session WHERE id = '{session}'");
    let mut queries = vec![project, own];
    for table in ["message", "part", "todo", "session_message"] {
        queries.push(format!("SELECT * FROM {table} WHERE session_id = '{session}'"));
    }
    queries.iter().flat_map(|query| read(&connection, query)).collect()
}

fn read(connection: &Connection, query: &str) -> Vec<Value> {
    let mut statement = connection.prepare(query).expect("SQL");
    let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).expect("rows");
    let mut found = Vec::new();
    while let Some(row) = rows.next().expect("a row") {
        let mut object = Map::new();
        for (at, name) in names.iter().enumerate() {
            let value = match row.get_ref(at).expect("a column") {
                ValueRef::Null => continue,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) if JSON.contains(&name.as_str()) => {
                    serde_json::from_slice(text).expect("JSON")
                }
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    String::from_utf8_lossy(text).into_owned().into()
                }
            };
            object.insert(name.clone(), value);
        }
        found.push(Value::Object(object));
    }
    found
}

fn databases() -> Vec<std::path::PathBuf> {
    let default = logs::root().with_file_name("shared").join("corpus");
    let corpus = std::env::var_os("VAC_CORPUS").map_or(default, Into::into);
    let real = corpus.join("opencode/o10_opencode.db");
    let fixtures = logs::root().join("fixtures/opencode");
    let mut all = vec![
        fixtures.join("database/basic/opencode.db"),
        fixtures.join("database/messages/opencode.db"),
    ];
    if real.is_file() {
        all.push(real);
    } else {
        println!("skipped: no corpus of opencode (set VAC_CORPUS to name one)");
    }
    all
}

#[test]
fn rows_are_converted_without_loss() {
    for path in databases() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let copy = folder.path().join("copy.db");
        std::fs::copy(&path, &copy).expect("a copy");
        for (key, documents) in sessions(&path) {
            let record = convert(&key, &documents).record;
            let rows: Vec<_> = rows(&copy, &key).iter().map(ToString::to_string).collect();
            let outcome = compare(&ROWS, &rows, &[&record], Where::Anywhere);
            println!("{}#{key}: {} leaves of {} rows", path.display(), outcome.leaves, rows.len());
            assert!(outcome.missing.is_empty(), "{:#?}", outcome.missing);
            assert!(outcome.leaves > 20, "{key}");
        }
    }
}

#[test]
fn tokens_are_those_of_the_messages() {
    for path in databases() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let copy = folder.path().join("copy.db");
        std::fs::copy(&path, &copy).expect("a copy");
        for (key, documents) in sessions(&path) {
            let counted = tokens(&convert(&key, &documents).value());
            let number = |pointer: &str| -> u64 {
                let rows = rows(&copy, &key);
                let is_answer =
                    |row: &&Value| row["data"]["role"] == "assistant" || row["type"] == "assistant";
                let messages = rows.iter().filter(is_answer);
                messages.filter_map(|row| row.pointer(pointer)?.as_u64()).sum()
            };
            assert_eq!(counted.input, number("/data/tokens/input"));
            assert_eq!(counted.output, number("/data/tokens/output"));
            assert_eq!(counted.reasoning, number("/data/tokens/reasoning"));
            assert_eq!(counted.cached, number("/data/tokens/cache/read"));
        }
    }
}
