//! Tests that a database that is being written gives a consistent record or a clear error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::Value;

use crate::hostile::{names, run};
use crate::run::Folder;

/// The rows that every transaction changes together, on pages of their own.
const ROWS: usize = 20;
/// The number of conversions of the database in each journal mode.
const RUNS: usize = 8;

/// Returns a database in which all rows have the same number.
fn numbered(folder: &Folder) -> PathBuf {
    let path = folder.write("in/opencode.db", "");
    let connection = Connection::open(&path).expect("a database");
    let tables = "
        CREATE TABLE project (id text);
        CREATE TABLE part (id text, session_id text, message_id text, data text);
        CREATE TABLE todo (session_id text);
        CREATE TABLE session (id text, project_id text, directory text, title text);
        CREATE TABLE message (id text, session_id text, number integer, data text);
        INSERT INTO session VALUES ('ses_1', 'prj_1', '/w', '0');";
    connection.execute_batch(tables).expect("SQL");
    let data = format!("{{\"role\": \"user\", \"padding\": \"{}\"}}", "x".repeat(3000));
    for number in 0..ROWS {
        let row = (format!("msg_{number:02}"), &data);
        let sql = "INSERT INTO message VALUES (?1, 'ses_1', 0, ?2)";
        connection.execute(sql, row).expect("a row");
    }
    path
}

/// Changes all rows, one transaction after the other, until `is_over` is set.
fn write(path: &Path, journal_mode: &str, is_over: &AtomicBool) {
    let connection = Connection::open(path).expect("a database");
    let settings = format!(
        "PRAGMA journal_mode = {journal_mode}; PRAGMA synchronous = OFF; PRAGMA cache_size = 5;"
    );
    connection.execute_batch(&settings).expect("settings");
    for number in 1..20_000 {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let sql = format!(
            "BEGIN IMMEDIATE; UPDATE session SET title = '{number}';
             UPDATE message SET number = {number}; COMMIT;"
        );
        connection.execute_batch(&sql).expect("a transaction");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Returns the numbers in a record.
fn numbers(record: &Value) -> Vec<String> {
    let entries = record["session"]["entries"].as_array().expect("entries");
    let numbers = entries.iter().filter_map(|entry| entry.get("number"));
    let title = &record["session"]["title"];
    let text = |number: &Value| number.to_string().trim_matches('"').to_owned();
    numbers.chain([title]).map(text).collect()
}

/// Ends the thread that writes, even if an assertion fails.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn records_of_a_written_database_are_not_torn() {
    for journal_mode in ["DELETE", "PERSIST", "WAL"] {
        let folder = Folder::new();
        let path = numbered(&folder);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| write(&path, journal_mode, &is_over));
            let _ends = Ends(&is_over);
            let mut succeeded = 0;
            for _ in 0..RUNS {
                let ended = run(folder.path(), &["convert", "in/opencode.db"]);
                if ended.code != 0 {
                    ended.says(2, "in/opencode.db");
                    ended.says(2, "being written to by another program: try again later");
                    continue;
                }
                let record = serde_json::from_slice(&ended.stdout).expect("a record");
                let numbers = numbers(&record);
                assert_eq!(numbers.len(), ROWS + 1, "{journal_mode}: {numbers:?}");
                let is_same = numbers.iter().all(|number| Some(number) == numbers.first());
                assert!(is_same, "{journal_mode}: {numbers:?}");
                succeeded += 1;
            }
            println!("{journal_mode}: {succeeded} of {RUNS} runs succeeded");
        });
    }
}

#[test]
fn a_transaction_that_was_cut_off_is_rolled_back() {
    let folder = Folder::new();
    let path = numbered(&folder);
    let connection = Connection::open(&path).expect("a database");
    // Pages are written to the database before the transaction ends.
    let begin = "PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN IMMEDIATE;
         UPDATE session SET title = '1'; UPDATE message SET number = 1;";
    connection.execute_batch(begin).expect("a transaction");
    fs::create_dir(folder.path().join("cut")).unwrap();
    for name in ["opencode.db", "opencode.db-journal"] {
        let copy = folder.path().join("cut").join(name);
        fs::copy(folder.path().join("in").join(name), copy).unwrap();
    }
    drop(connection);
    let ended = run(folder.path(), &["convert", "cut"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record = serde_json::from_slice(&ended.stdout).expect("a record");
    assert_eq!(numbers(&record), vec!["0"; ROWS + 1]);
    assert_eq!(names(&folder.path().join("cut")).len(), 2, "and nothing else");
}

/// A journal can name another file, which `SQLite` would open.
#[cfg(unix)]
#[test]
fn a_file_that_a_journal_names_is_not_opened() {
    let folder = Folder::new();
    let path = numbered(&folder);
    let connection = Connection::open(&path).expect("a database");
    let begin = "PRAGMA synchronous = OFF; BEGIN IMMEDIATE; UPDATE session SET title = '1';";
    connection.execute_batch(begin).expect("a transaction");
    let mut journal = fs::read(folder.path().join("in/opencode.db-journal")).unwrap();
    fs::create_dir(folder.path().join("cut")).unwrap();
    fs::copy(&path, folder.path().join("cut/opencode.db")).unwrap();
    drop(connection);
    let pipe = folder.path().join("pipe-mj0000009AB");
    let name = pipe.to_str().expect("text");
    assert_eq!(crate::hostile::shell(folder.path(), &format!("mkfifo {name}")).code, 0);
    let sum: u32 = name.bytes().map(u32::from).sum();
    journal.extend(1u32.to_be_bytes());
    journal.extend(name.bytes());
    journal.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    folder.write("cut/opencode.db-journal", journal);
    let ended = crate::hostile::shell(folder.path(), "timeout 100 $vac convert cut");
    ended.says(2, "cut/opencode.db: the database's journal is of a transaction over several");
}
