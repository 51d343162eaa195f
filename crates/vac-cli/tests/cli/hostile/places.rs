//! Tests files in folders that are not logs, and logs in unusual places.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::{Ended, assert_untouched, files, folder_with_log, log, names, run, shell};
use crate::home::{lock, unlock};
use crate::run::Folder;

/// Runs `vac` with a limit that only a run that never ends reaches.
const PATIENCE: &str = "timeout 100 $vac";

/// Adds files to a folder that cannot be read, or whose reading never ends.
fn fill_with_traps(folder: &Folder, below: &str) -> UnixListener {
    let pipes = ["json", "jsonl", "cbor", "db", "zst"].map(|end| format!("{below}/pipe.{end}"));
    assert_eq!(shell(folder.path(), &format!("mkfifo {}", pipes.join(" "))).code, 0);
    let place = |name: &str| folder.path().join(below).join(name);
    symlink("/dev/zero", place("endless.json")).unwrap();
    symlink("pipe.json", place("to-a-pipe.json")).unwrap();
    symlink("nowhere", place("dangling.jsonl")).unwrap();
    symlink("circle.jsonl", place("circle.jsonl")).unwrap();
    symlink(".", place("round")).unwrap();
    UnixListener::bind(place("socket.jsonl")).unwrap()
}

#[test]
fn pipes_devices_sockets_and_circles_are_skipped() {
    let folder = Folder::new();
    folder.write("in/log.jsonl", log("one"));
    folder.write("in/folder.jsonl/log.jsonl", log("two"));
    fs::create_dir(folder.path().join("in/empty.json")).unwrap();
    let _socket = fill_with_traps(&folder, "in");
    let before = files(folder.path());
    let ended = shell(folder.path(), &format!("{PATIENCE} convert in -o out/"));
    ended.says(0, "2 sessions converted, 0 failed");
    assert_eq!(names(&folder.path().join("out")), ["claude-one.json", "claude-two.json"]);
    for command in ["inspect", "events"] {
        let ended = shell(folder.path(), &format!("{PATIENCE} {command} in"));
        assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
    }
    // Links to files are followed here; two of them lead nowhere.
    let ended = shell(folder.path(), &format!("{PATIENCE} validate in"));
    ended.says(2, "4 files: 0 valid, 2 invalid, 2 unreadable");
    ended.says(2, "error: in/dangling.jsonl: ");
    ended.says(2, "error: in/circle.jsonl: ");
    assert_untouched(&before);
}

#[test]
fn special_files_in_agent_places_are_skipped() {
    let folder = Folder::new();
    let place = "home/.claude/projects/p";
    folder.write(&format!("{place}/log.jsonl"), log("one"));
    let _socket = fill_with_traps(&folder, place);
    let others = [
        ".codex/sessions/2026/03/01/rollout-1.jsonl",
        ".gemini/tmp/x/chats/session-1.json",
        ".gemini/tmp/x/logs.json",
        ".gemini/tmp/x/.project_root",
        ".cursor/chats/a/b/store.db",
        ".cursor/chats/a/b/meta.json",
        ".local/share/opencode/opencode.db",
        ".local/share/opencode/storage/message/m/m.json",
        ".local/share/opencode/storage/session/p/s.json",
        ".config/Cursor/User/globalStorage/state.vscdb",
    ];
    for other in others {
        let line = format!("mkdir -p $(dirname home/{other}) && mkfifo home/{other}");
        assert_eq!(shell(folder.path(), &line).code, 0);
    }
    for command in ["list", "convert --discover -o out/"] {
        let line = format!("{PATIENCE} {command} --root home");
        let Ended { code, stderr, stdout } = shell(folder.path(), &line);
        let printed = String::from_utf8(stdout).unwrap() + &stderr;
        assert!(
            code != 1 && (printed.contains("one") || printed.contains("1 new")),
            "{line}: {printed}"
        );
    }
    assert!(names(&folder.path().join("out")).contains(&"claude-one.json".to_owned()));
}

#[test]
fn names_may_be_anything_that_a_disk_allows() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("in")).unwrap();
    let long = "n".repeat(249) + ".jsonl";
    let file_names: [&[u8]; 7] = [
        b"\xff\xfe.jsonl",
        b"a\x1b[2J\x07.jsonl",
        b"two\nlines.jsonl",
        "right\u{202e}left.jsonl".as_bytes(),
        b"-o.jsonl",
        b"'; rm -rf $HOME #.jsonl",
        long.as_bytes(),
    ];
    let mut made = 0;
    for (number, name) in file_names.iter().enumerate() {
        let path = folder.path().join("in").join(OsStr::from_bytes(name));
        match fs::write(&path, log(&format!("s{number}"))) {
            Ok(()) => made += 1,
            Err(error) => println!("skipped: {path:?} ({error})"),
        }
        if !path.exists() {
            continue;
        }
        let named = run(folder.path(), &[OsStr::new("inspect"), path.as_os_str()]);
        assert_eq!(named.code, 0, "{path:?}: {named:?}");
        let shown = String::from_utf8(named.stdout).expect("text");
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{shown}");
        let missing = path.with_extension("gone");
        for command in ["convert", "validate", "inspect", "events"] {
            let ended = run(folder.path(), &[OsStr::new(command), missing.as_os_str()]);
            assert_eq!(ended.code, 2, "{command} {missing:?}");
        }
    }
    let ended = run(folder.path(), &["convert", "-v", "in", "-o", "out/", "--report", "r.json"]);
    ended.says(0, &format!("{made} sessions converted, 0 failed"));
    assert_eq!(run(folder.path(), &["validate", "out"]).code, 0);
    let report = fs::read(folder.path().join("r.json")).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&report).is_ok());
}

#[test]
fn forbidden_files_are_reported_and_the_rest_converted() {
    let folder = folder_with_log();
    folder.write("in/log.jsonl", log("two"));
    folder.write("in/locked/log.jsonl", log("three"));
    let file = folder.write("in/locked.jsonl", log("four"));
    let below = folder.path().join("in/locked");
    let is_locked = lock(&file) && lock(&below);
    if is_locked {
        let ended = run(folder.path(), &["convert", "in", "-o", "out/"]);
        ended.says(2, "in/locked.jsonl: Permission denied");
        ended.says(2, "in/locked: Permission denied");
        ended.says(2, "1 session converted");
        assert_eq!(run(folder.path(), &["validate", "in"]).code, 2);
    }
    unlock(&file);
    unlock(&below);
}

#[test]
fn an_input_that_is_named_again_is_one_input() {
    let folder = Folder::new();
    let transcript = r#"{"role":"user","message":{"content":[{"type":"text","text":"Hm"}]}}"#;
    folder.write("in/log.jsonl", log("one"));
    folder.write("in/nameless.jsonl", transcript);
    symlink("log.jsonl", folder.path().join("in/link.jsonl")).unwrap();
    fs::hard_link(folder.path().join("in/log.jsonl"), folder.path().join("in/other.jsonl"))
        .unwrap();
    let (a, b) = ("in/log.jsonl", "in/nameless.jsonl");
    let again = [a, b, "in/link.jsonl", "./in/../in/log.jsonl", "in", "in/", a, b];
    let ended = run(folder.path(), &[&["convert", "-o", "out/"], &again[..]].concat());
    ended.says(0, "2 sessions converted, 0 failed");
    assert_eq!(names(&folder.path().join("out")).len(), 2);
}
