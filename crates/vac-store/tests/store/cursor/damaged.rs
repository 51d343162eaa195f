//! Databases that are in use or damaged, and files that are not databases.

use std::fs;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use vac_adapter::Input;

use super::{chat, composers, database, sessions};
use crate::snapshot::Snapshot;

/// Reads all sessions in a folder, and returns the messages about those that fail.
fn troubles(folder: &Path) -> Vec<String> {
    let found = vac_store::find(&[folder.to_owned()], crate::AGENTS);
    let mut troubles: Vec<_> = found.troubles.iter().map(ToString::to_string).collect();
    for log in &found.logs {
        let read = log.load().and_then(|loaded| {
            let mut bytes = Vec::new();
            loaded.open()?.read_to_end(&mut bytes)
        });
        if let Err(error) = read {
            troubles.push(format!("{}: {error}", log.shown));
        }
    }
    troubles
}

#[test]
fn locked_database_is_read_and_unchanged() {
    let (folder, path) = database("state.vscdb", composers::SQL);
    let expected = sessions(&path);
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let before = Snapshot::new(folder.path());
    assert_eq!(sessions(&path), expected);
    before.assert_unchanged(folder.path());
    writer.execute_batch("ROLLBACK").expect("unlocked");
}

#[test]
fn rows_in_the_write_ahead_log_are_read_and_files_unchanged() {
    let (folder, path) = database("state.vscdb", composers::SQL);
    let writer = Connection::open(&path).expect("a database");
    writer
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             INSERT INTO cursorDiskKV VALUES ('composerData:new', '{\"name\":\"new\"}');",
        )
        .expect("SQL");
    let before = Snapshot::new(folder.path());
    let found = sessions(&path);
    assert!(found.iter().any(|(key, _)| key == "new"));
    assert_eq!(found.len(), 5);
    before.assert_unchanged(folder.path());
    drop(writer);
}

#[test]
fn damaged_database_is_reported_and_others_are_read() {
    for (name, sql) in [("state.vscdb", composers::SQL), ("store.db", chat::SQL)] {
        let (_made, made) = database(name, sql);
        let whole = fs::read(&made).expect("bytes");
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("a.jsonl"), "{}\n").expect("to write");
        let path = folder.path().join(name);
        let mut reported = 0;
        for at in (0..whole.len()).step_by(whole.len() / 25) {
            let mut changed = whole.clone();
            changed[at..].iter_mut().take(40).for_each(|byte| *byte ^= 0x55);
            for bytes in [&whole[..at], &changed] {
                fs::write(&path, bytes).expect("to write");
                let before = Snapshot::new(folder.path());
                let troubles = troubles(folder.path());
                assert!(troubles.iter().all(|line| line.contains(name) && line.contains(": ")));
                reported += usize::from(!troubles.is_empty());
                let others = vac_store::find(&[folder.path().to_owned()], crate::AGENTS).logs;
                assert!(others.iter().any(|log| log.shown.ends_with("a.jsonl")));
                before.assert_unchanged(folder.path());
            }
        }
        assert!(reported > 10, "only {reported} were reported");
    }
}

#[test]
fn file_that_only_begins_like_a_database_is_reported() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("state.vscdb");
    fs::write(&path, b"SQLite format 3\0 and then something else entirely".repeat(100))
        .expect("to write");
    let before = Snapshot::new(folder.path());
    let troubles = troubles(folder.path());
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].contains("state.vscdb") && troubles[0].contains("database"));
    before.assert_unchanged(folder.path());
}
