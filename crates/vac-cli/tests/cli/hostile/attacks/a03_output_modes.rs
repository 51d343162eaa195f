//! Tests that output is not readable by more users than its sources.

#![cfg(unix)]

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use super::super::{log, run, shell};
use crate::home;
use crate::receipts;
use crate::run::Folder;

fn mode(folder: &Folder, name: &str) -> u32 {
    folder.path().join(name).metadata().expect("an output").mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
}

/// Returns a folder that everyone can search, with a log of this mode; nothing where the temporary
/// folder is private.
fn public_folder(log_mode: u32) -> Option<Folder> {
    let folder = Folder::new();
    set_mode(folder.path(), 0o755);
    set_mode(&folder.write("log.jsonl", log("one")), log_mode);
    let is_open = |path: &Path| path.metadata().is_ok_and(|it| it.mode() & 0o011 == 0o011);
    let path = folder.path().canonicalize().expect("a path");
    if !path.ancestors().all(is_open) {
        println!("skipped: temporary files are private here");
        return None;
    }
    Some(folder)
}

/// Runs a line of shell that has to succeed.
#[track_caller]
fn succeed(folder: &Folder, line: &str) {
    let ended = shell(folder.path(), line);
    assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
}

#[test]
fn output_of_private_logs_is_private() {
    // A private file, and a public one in a private folder, as temporary folders are.
    for (log_mode, folder_mode) in [(0o600, 0o755), (0o644, 0o700), (0o666, 0o711)] {
        let folder = Folder::new();
        folder.write("in/log.jsonl", log("one"));
        set_mode(&folder.path().join("in/log.jsonl"), log_mode);
        set_mode(&folder.path().join("in"), folder_mode);
        if folder_mode == 0o711 {
            // Other users cannot reach this folder.
            set_mode(folder.path(), 0o700);
        }
        succeed(&folder, "umask 000; $vac convert in/log.jsonl -o a.json --report report.json");
        succeed(&folder, "umask 000; $vac convert in -o new/deep/ -f cbor");
        succeed(&folder, "umask 000; $vac convert --discover --root in -o found");
        succeed(&folder, "umask 000; $vac transcode a.json --to cbor -o a.cbor");
        succeed(&folder, "umask 000; $vac keygen -o keys");
        succeed(&folder, "umask 000; $vac sign a.json --key keys/signing-key.pem -o a.cose");
        let outputs = ["a.json", "report.json", "new/deep/claude-one.cbor", "a.cbor", "a.cose"];
        for name in outputs {
            assert_eq!(mode(&folder, name), 0o600, "{log_mode:o} {folder_mode:o} {name}");
        }
        for name in ["new", "new/deep"] {
            assert_eq!(mode(&folder, name), 0o700, "{log_mode:o} {folder_mode:o} {name}");
        }
    }
}

#[test]
fn output_of_public_logs_is_as_public_as_the_umask_says() {
    let Some(folder) = public_folder(0o666) else { return };
    for (umask, file, around) in
        [("000", 0o644, 0o755), ("022", 0o644, 0o755), ("027", 0o640, 0o750), ("077", 0o600, 0o700)]
    {
        let line = format!("umask {umask}; $vac convert log.jsonl -o {umask}/");
        succeed(&folder, &line);
        assert_eq!(mode(&folder, &format!("{umask}/claude-one.json")), file, "{umask}");
        assert_eq!(mode(&folder, umask), around, "{umask}");
    }
}

#[test]
fn the_narrowest_source_decides() {
    let Some(folder) = public_folder(0o644) else { return };
    set_mode(&folder.write("private.jsonl", log("two")), 0o600);
    succeed(
        &folder,
        "umask 022; $vac convert log.jsonl private.jsonl -o all.jsonl --report r.json",
    );
    assert_eq!((mode(&folder, "all.jsonl"), mode(&folder, "r.json")), (0o600, 0o600));
    // Each separate record has the mode of its log.
    succeed(&folder, "umask 022; $vac convert log.jsonl private.jsonl -o each/");
    assert_eq!(mode(&folder, "each"), 0o700);
    assert_eq!(mode(&folder, "each/claude-one.json"), 0o644);
    assert_eq!(mode(&folder, "each/claude-two.json"), 0o600);
}

#[test]
fn output_of_databases_and_stdin_is_private() {
    let Some(folder) = public_folder(0o644) else { return };
    home::copy("opencode/database/basic/opencode.db", &folder, "opencode.db");
    set_mode(&folder.path().join("opencode.db"), 0o644);
    succeed(&folder, "umask 022; $vac convert opencode.db -o database.jsonl");
    succeed(&folder, "umask 022; $vac convert - < log.jsonl -o stdin.json");
    succeed(&folder, "umask 022; cat stdin.json | $vac transcode - --to cbor -o stdin.cbor");
    for name in ["database.jsonl", "stdin.json", "stdin.cbor"] {
        assert_eq!(mode(&folder, name), 0o600, "{name}");
    }
}

#[test]
fn replacing_a_file_never_widens_it() {
    let folder = Folder::new();
    set_mode(&folder.write("log.jsonl", log("one")), 0o600);
    set_mode(&folder.write("wide.json", "old"), 0o666);
    succeed(&folder, "umask 000; $vac convert log.jsonl -o wide.json --force");
    assert_eq!(mode(&folder, "wide.json"), 0o600);
    let Some(folder) = public_folder(0o644) else { return };
    set_mode(&folder.write("narrow.json", "old"), 0o600);
    succeed(&folder, "umask 000; $vac convert log.jsonl -o narrow.json --force");
    assert_eq!(mode(&folder, "narrow.json"), 0o600);
}

#[test]
fn groups_are_not_mixed_up() {
    let Some(folder) = public_folder(0o640) else { return };
    succeed(&folder, "umask 000; $vac convert log.jsonl -o same.json");
    let log = folder.path().join("log.jsonl");
    let new_group = folder.path().join("same.json").metadata().expect("a record").gid();
    let log_group = log.metadata().expect("a log").gid();
    let expected = if new_group == log_group { 0o640 } else { 0o600 };
    assert_eq!(mode(&folder, "same.json"), expected);
    if chown(&log, None, Some(log_group + 1)).is_err() {
        return println!("skipped: this user cannot give files to other groups");
    }
    succeed(&folder, "umask 000; $vac convert log.jsonl -o other.json");
    succeed(&folder, "umask 000; $vac convert log.jsonl -o folder/");
    assert_eq!((mode(&folder, "other.json"), mode(&folder, "folder")), (0o600, 0o700));
}

#[test]
fn mode_option_overrides_the_readers() {
    let folder = receipts::folder();
    folder.write("log.jsonl", log("one"));
    let vac = |arguments: &[&str]| {
        let ran = run(folder.path(), arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    };
    vac(&["convert", "log.jsonl", "-o", "one.json", "--report", "r.json", "--mode", "640"]);
    vac(&["convert", "log.jsonl", "-o", "folder/", "--mode", "0664"]);
    vac(&["transcode", "one.json", "--to", "cbor", "-o", "one.cbor", "--mode", "444"]);
    vac(&["sign", "one.json", "--key", "keys/signing-key.pem", "-o", "one.cose", "--mode", "0644"]);
    let attach = ["receipts", "attach", "statement.cbor", "receipt.cbor", "-o", "new.cbor"];
    vac(&[&attach[..], &["--mode", "606"]].concat());
    for (name, expected) in [
        ("one.json", 0o640),
        ("r.json", 0o640),
        ("folder", 0o755),
        ("folder/claude-one.json", 0o664),
        ("one.cbor", 0o444),
        ("one.cose", 0o644),
        ("new.cbor", 0o606),
    ] {
        assert_eq!(mode(&folder, name), expected, "{name}");
    }
    for wrong in ["", "7", "64", "4644", "755", "00644", "rw-", "-644", "688"] {
        let option = format!("--mode={wrong}");
        let ended = run(folder.path(), &["convert", "log.jsonl", "-o", "no.json", &option]);
        ended.says(2, "--mode");
        assert!(!folder.path().join("no.json").exists(), "{wrong}");
    }
}
