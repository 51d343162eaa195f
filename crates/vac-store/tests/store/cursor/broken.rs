//! Databases that are in use, damaged, or none.

use std::fs;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use vac_adapter::Input;

use super::{chat, composers, database, sessions};
use crate::untouched::Untouched;

/// Finds and reads what can be read; every line about what cannot.
fn troubles(folder: &Path) -> Vec<String> {
    let mut found = vac_store::find(&[folder.to_owned()], crate::AGENTS);
    for log in &found.logs {
        let read = log.load().and_then(|loaded| {
            let mut bytes = Vec::new();
            loaded.open()?.read_to_end(&mut bytes)
        });
        if let Err(error) = read {
            found.troubles.push(format!("{}: {error}", log.shown));
        }
    }
    found.troubles
}

#[test]
fn a_locked_database_is_read_and_not_touched() {
    let (folder, path) = database("state.vscdb", composers::SQL);
    let expected = sessions(&path);
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let before = Untouched::of(folder.path());
    assert_eq!(sessions(&path), expected);
    before.assert_still(folder.path());
    writer.execute_batch("ROLLBACK").expect("unlocked");
}

#[test]
fn what_is_only_in_the_log_of_a_database_is_read_and_nothing_is_touched() {
    let (folder, path) = database("state.vscdb", composers::SQL);
    let writer = Connection::open(&path).expect("a database");
    writer
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             INSERT INTO cursorDiskKV VALUES ('composerData:new', '{\"name\":\"new\"}');",
        )
        .expect("SQL");
    let before = Untouched::of(folder.path());
    let found = sessions(&path);
    assert!(found.iter().any(|(key, _)| key == "new"));
    assert_eq!(found.len(), 5);
    before.assert_still(folder.path());
    drop(writer);
}

#[test]
fn a_database_cut_or_changed_anywhere_is_a_line_and_the_rest_goes_on() {
    for (name, sql) in [("state.vscdb", composers::SQL), ("store.db", chat::SQL)] {
        let (_made, made) = database(name, sql);
        let whole = fs::read(&made).expect("bytes");
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("a.jsonl"), "{}\n").expect("to write");
        let path = folder.path().join(name);
        let mut told = 0;
        for at in (0..whole.len()).step_by(whole.len() / 25) {
            let mut changed = whole.clone();
            changed[at..].iter_mut().take(40).for_each(|byte| *byte ^= 0x55);
            for bytes in [&whole[..at], &changed] {
                fs::write(&path, bytes).expect("to write");
                let before = Untouched::of(folder.path());
                let troubles = troubles(folder.path());
                assert!(troubles.iter().all(|line| line.contains(name) && line.contains(": ")));
                told += usize::from(!troubles.is_empty());
                let others = vac_store::find(&[folder.path().to_owned()], crate::AGENTS).logs;
                assert!(others.iter().any(|log| log.shown.ends_with("a.jsonl")));
                before.assert_still(folder.path());
            }
        }
        assert!(told > 10, "only {told} were told");
    }
}

#[test]
fn what_only_begins_like_a_database_is_a_line() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("state.vscdb");
    fs::write(&path, b"SQLite format 3\0 and then something else entirely".repeat(100))
        .expect("to write");
    let before = Untouched::of(folder.path());
    let troubles = troubles(folder.path());
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].contains("state.vscdb") && troubles[0].contains("database"));
    before.assert_still(folder.path());
}
