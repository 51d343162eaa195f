//! Databases that another program writes to while they are read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;
use vac_adapter::Input as _;

use crate::snapshot::Snapshot;

/// The rows that every transaction changes together, on pages of their own.
const ROWS: usize = 40;
/// The number of reads in each journal mode.
const READS: usize = 15;

/// Creates a database in which all rows have the same number.
fn create_numbered(journal_mode: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("opencode.db");
    let connection = Connection::open(&path).expect("a database");
    let tables = format!(
        "PRAGMA journal_mode = {journal_mode};
         CREATE TABLE project (id text);
         CREATE TABLE part (id text, session_id text, message_id text, data text);
         CREATE TABLE todo (session_id text);
         CREATE TABLE session (id text, project_id text, directory text, title text);
         CREATE TABLE message (id text, session_id text, number integer, data text);
         INSERT INTO session VALUES ('ses_1', 'prj_1', '/w', '0');"
    );
    connection.execute_batch(&tables).expect("SQL");
    let data = format!("{{\"role\": \"user\", \"padding\": \"{}\"}}", "x".repeat(3000));
    for number in 0..ROWS {
        let id = format!("msg_{number:02}");
        connection
            .execute("INSERT INTO message VALUES (?1, 'ses_1', 0, ?2)", (id, &data))
            .expect("a row");
    }
    connection.close().expect("closed");
    (folder, path)
}

/// Changes all rows in one transaction.
fn write(connection: &Connection, number: usize) {
    let sql = format!(
        "BEGIN IMMEDIATE;
         UPDATE session SET title = '{number}';
         UPDATE message SET number = {number};
         COMMIT;"
    );
    connection.execute_batch(&sql).expect("a transaction");
}

/// Returns the numbers of all rows, as the session's documents have them.
fn numbers(path: &Path) -> io::Result<Vec<String>> {
    let found = vac_store::find(&[path.to_owned()], crate::AGENTS);
    if let Some(trouble) = found.troubles.first() {
        assert!(trouble.reason.contains("being written to by another program"), "{trouble}");
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    let loaded = found.logs.first().expect("a session").load()?;
    let text = String::from_utf8(loaded.bytes().expect("in memory").to_vec()).expect("text");
    let number = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let number = line.get("number").or(line.get("title"));
        number.unwrap_or_else(|| panic!("{line}")).to_string().trim_matches('"').to_owned()
    };
    Ok(text.lines().map(number).collect())
}

/// Ends the thread that writes, also if an assertion fails.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads while another thread writes; returns how many reads succeeded.
fn read_while_writing(journal_mode: &str, reads: usize) -> usize {
    let (_folder, path) = create_numbered(journal_mode);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let connection = Connection::open(&path).expect("a database");
            let settings = format!(
                "PRAGMA journal_mode = {journal_mode}; PRAGMA synchronous = OFF;
                 PRAGMA cache_size = 5;"
            );
            connection.execute_batch(&settings).expect("settings");
            for number in 1..10_000 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                write(&connection, number);
                // A reader needs pauses between transactions.
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        let _ends = Ends(&is_over);
        let mut succeeded = 0;
        for _ in 0..reads {
            match numbers(&path) {
                Ok(numbers) => {
                    assert_eq!(numbers.len(), ROWS + 1, "{journal_mode}");
                    let first = numbers.first();
                    assert!(
                        numbers.iter().all(|it| Some(it) == first),
                        "{journal_mode}: {numbers:?}"
                    );
                    succeeded += 1;
                }
                Err(error) => {
                    assert_eq!(
                        error.kind(),
                        io::ErrorKind::ResourceBusy,
                        "{journal_mode}: {error}"
                    );
                }
            }
        }
        succeeded
    })
}

#[test]
fn session_is_never_a_mix_of_two_transactions() {
    for journal_mode in ["DELETE", "TRUNCATE", "PERSIST", "WAL"] {
        let succeeded = read_while_writing(journal_mode, READS);
        println!("{journal_mode}: {succeeded} of {READS} reads succeeded");
        assert!(succeeded > 0, "{journal_mode}");
    }
}

/// Creates a folder with a database in the middle of a transaction.
fn interrupted(journal_mode: &str) -> (TempDir, PathBuf) {
    let (folder, path) = create_numbered(journal_mode);
    let connection = Connection::open(&path).expect("a database");
    // Pages are written to the database before the transaction ends.
    let begin = format!(
        "PRAGMA journal_mode = {journal_mode}; PRAGMA cache_size = 5; PRAGMA cache_spill = 5;
         BEGIN IMMEDIATE; UPDATE session SET title = '1'; UPDATE message SET number = 1;"
    );
    connection.execute_batch(&begin).expect("a transaction");
    let copy = TempDir::new().expect("a folder");
    for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
        fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("a copy");
    }
    let path = copy.path().join("opencode.db");
    (copy, path)
}

#[test]
fn unfinished_transactions_are_rolled_back() {
    for (journal_mode, journal) in [
        ("DELETE", "opencode.db-journal"),
        ("PERSIST", "opencode.db-journal"),
        ("WAL", "opencode.db-wal"),
    ] {
        let (folder, path) = interrupted(journal_mode);
        assert!(fs::metadata(folder.path().join(journal)).expect("a journal").len() > 512);
        let snapshot = Snapshot::new(folder.path());
        assert_eq!(numbers(&path).expect("numbers"), vec!["0"; ROWS + 1], "{journal_mode}");
        snapshot.assert_unchanged(folder.path());
    }
    // The journal is needed: some pages of the database are new.
    let (folder, path) = interrupted("DELETE");
    fs::remove_file(folder.path().join("opencode.db-journal")).expect("a file less");
    let numbers = numbers(&path).expect("numbers");
    assert!(numbers.contains(&"1".to_owned()), "{numbers:?}");
}

#[test]
fn ended_journals_are_not_applied() {
    let (folder, path) = create_numbered("DELETE");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch("PRAGMA journal_mode = PERSIST").expect("a setting");
    write(&connection, 1);
    let journal = fs::read(folder.path().join("opencode.db-journal")).expect("a journal");
    assert!(journal.len() > 512 && journal.starts_with(&[0; 8]));
    assert_eq!(numbers(&path).expect("numbers"), vec!["1"; ROWS + 1]);
}

/// Appends the name of another journal, as a transaction over several databases does.
fn name_another_journal(journal: &Path, name: &str) {
    let mut bytes = fs::read(journal).expect("a journal");
    let sum: u32 = name.bytes().map(u32::from).sum();
    bytes.extend(1u32.to_be_bytes());
    bytes.extend(name.bytes());
    bytes.extend(u32::try_from(name.len()).expect("a short name").to_be_bytes());
    bytes.extend(sum.to_be_bytes());
    bytes.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(journal, bytes).expect("a file");
}

#[test]
fn file_named_by_a_journal_is_kept() {
    let (folder, path) = interrupted("DELETE");
    let treasure = folder.path().join("treasure-mj0000009AB");
    fs::write(&treasure, "not a journal").expect("a file");
    let name = treasure.to_str().expect("text");
    name_another_journal(&folder.path().join("opencode.db-journal"), name);
    let found = vac_store::find(&[path], crate::AGENTS);
    assert!(treasure.exists(), "{:?}", found.troubles);
    assert_eq!(found.logs.len(), 0);
    assert!(found.troubles[0].reason.contains("over several databases"), "{:?}", found.troubles);
}

#[cfg(unix)]
#[test]
fn linked_journal_is_not_followed() {
    for (journal_mode, journal) in [("DELETE", "opencode.db-journal"), ("WAL", "opencode.db-wal")] {
        let (folder, path) = interrupted(journal_mode);
        let elsewhere = TempDir::new().expect("a folder");
        let target = elsewhere.path().join("journal");
        fs::rename(folder.path().join(journal), &target).expect("another place");
        std::os::unix::fs::symlink(&target, folder.path().join(journal)).expect("a link");
        let found = vac_store::find(&[path], crate::AGENTS);
        assert_eq!((found.logs.len(), found.troubles.len()), (1, 0), "{:?}", found.troubles);
        let skipped = found.skipped.unreported();
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert!(skipped[0].0.ends_with(journal), "{skipped:?}");
    }
}

#[cfg(unix)]
#[test]
fn journals_are_next_to_the_target_of_a_named_link() {
    let (_folder, path) = interrupted("DELETE");
    let elsewhere = TempDir::new().expect("a folder");
    let link = elsewhere.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert_eq!(numbers(&link).expect("numbers"), vec!["0"; ROWS + 1]);
}
