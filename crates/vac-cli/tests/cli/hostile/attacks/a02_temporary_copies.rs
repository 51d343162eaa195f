//! Tests that temporary copies of databases are private, and are removed even after the process was
//! killed.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::home::copy;
use crate::hostile::signals::{send, start, wait_for};
use crate::hostile::{database_with_wal, log, names, shell};
use crate::run::Folder;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Asserts that only the owner can read the content of a folder.
#[track_caller]
fn assert_private(folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{name}");
    }
}

#[test]
fn copies_of_killed_runs_are_private_and_removed() {
    let folder = Folder::new();
    database_with_wal(&folder, "in/opencode.db", 200 << 20);
    let aside = folder.path().join("aside");
    let mut child = start(&folder, "USR1", "convert in -o out.jsonl");
    wait_for(&mut child, || names(&aside).iter().any(|name| name.ends_with("copy")));
    send("KILL", &child);
    child.wait().unwrap();
    let left = names(&aside);
    assert!(left.iter().any(|name| name.ends_with("copy")), "{left:?}");
    assert_private(&aside);
    // Anything other than a folder of an ended process stays.
    fs::create_dir(aside.join("vac-other")).unwrap();
    fs::write(aside.join("vac-other/file"), "another program's").unwrap();
    fs::create_dir(aside.join("target")).unwrap();
    fs::write(aside.join("target/lock"), "locked by vac as long as it runs\n").unwrap();
    symlink("target", aside.join("vac-link")).unwrap();
    fs::create_dir(aside.join("vac-wide")).unwrap();
    fs::write(aside.join("vac-wide/lock"), "locked by vac as long as it runs\n").unwrap();
    fs::set_permissions(aside.join("vac-wide"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.write("log.jsonl", log("one"));
    assert!(start(&folder, "USR1", "list --root .").wait().unwrap().success());
    let expected = [
        "target",
        "target/lock",
        "vac-link",
        "vac-other",
        "vac-other/file",
        "vac-wide",
        "vac-wide/lock",
    ];
    assert_eq!(names(&aside), expected);
}

#[test]
fn folders_of_running_processes_stay() {
    let folder = Folder::new();
    folder.write("log.jsonl", log("one"));
    let aside = folder.path().join("aside");
    fs::create_dir(&aside).unwrap();
    let mut first = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["convert", "-", "-o", "out.json"])
        .env("TMPDIR", &aside)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The process waits for its input.
    let is_locked = || {
        let lock = names(&aside).into_iter().find(|name| name.ends_with("lock"));
        lock.is_some_and(|lock| fs::metadata(aside.join(lock)).is_ok_and(|it| it.len() > 0))
    };
    wait_for(&mut first, is_locked);
    let before = names(&aside);
    assert_eq!(before.len(), 2, "a folder and its lock; what is kept has no name: {before:?}");
    assert_private(&aside);
    assert!(start(&folder, "USR1", "inspect log.jsonl").wait().unwrap().success());
    assert_eq!(names(&aside), before);
    let mut stdin = first.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, log("two").as_bytes()).unwrap();
    drop(stdin);
    assert!(first.wait().unwrap().success());
    assert_eq!(names(&aside), [""; 0]);
}

#[test]
fn a_database_without_a_live_journal_is_not_copied() {
    let nowhere = "TMPDIR=/nowhere/at/all $vac convert in -o out/";
    // No journal, an empty one, one that has ended, and a file that is not a journal.
    let zeros = [0; 600];
    let journals: [(&str, &[u8]); 5] = [
        ("-shm", b""),
        ("-wal", b""),
        ("-journal", b""),
        ("-journal", &zeros),
        ("-wal", b"something else, which is longer than the header of a log"),
    ];
    for (ending, bytes) in journals {
        let folder = Folder::new();
        copy("opencode/database/basic/opencode.db", &folder, "in/opencode.db");
        folder.write(&format!("in/opencode.db{ending}"), bytes);
        shell(folder.path(), nowhere).says(0, "2 sessions converted");
    }
    let folder = Folder::new();
    database_with_wal(&folder, "in/opencode.db", 0);
    let words = "in/opencode.db: the database cannot be copied to /nowhere/at/all: ";
    shell(folder.path(), nowhere).says(2, words);
    shell(folder.path(), "$vac convert in -o out/").says(0, "2 sessions converted");
    let out = folder.path().join("out");
    let is_new =
        |name: &String| fs::read_to_string(out.join(name)).unwrap().contains("only in the log");
    assert!(names(&out).iter().all(is_new));
}
