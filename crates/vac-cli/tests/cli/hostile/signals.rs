//! Tests signals, limits, and readers that close a pipe.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::{database_with_wal, folder_with_log, log, names, shell};
use crate::run::Folder;

/// Creates a log that takes some time to read and little room on the disk: a hole follows its
/// lines.
fn long_log(folder: &Folder, size: u64) {
    let path = folder.write("in/long.jsonl", log("long").repeat(64));
    File::options().write(true).open(path).and_then(|file| file.set_len(size)).unwrap();
}

/// Starts `vac` with a folder of its own for temporary files.
pub fn start(folder: &Folder, ignored: &str, arguments: &str) -> Child {
    let aside = folder.path().join("aside");
    fs::create_dir_all(&aside).unwrap();
    Command::new("sh")
        .args(["-c", &format!("trap '' {ignored}; exec $vac {arguments}")])
        .env("vac", env!("CARGO_BIN_EXE_vac"))
        .env("TMPDIR", aside)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a condition holds. Fails if the program ends before.
pub fn wait_for(child: &mut Child, is_there: impl Fn() -> bool) {
    while !is_there() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended already");
        sleep(Duration::from_millis(1));
    }
}

fn has_hidden(folder: &Path) -> bool {
    names(folder).iter().any(|name| name.contains(".vac-"))
}

pub fn send(signal: &str, child: &Child) {
    let line = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

#[test]
fn signal_ends_the_command_and_leaves_no_files() {
    for (name, signal) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(signal) {
            println!("skipped: the tests were started with {name} ignored");
            continue;
        }
        // On a busy machine the program can end before the signal reaches it: then once more.
        let is_interrupted = (0..10).any(|_| is_interrupted(name, signal));
        assert!(is_interrupted, "{name} never reached the program");
    }
}

/// Returns whether programs that a test starts ignore a signal, as they do if the tests were started
/// in the background of a script.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| {
        u64::from_str_radix(mask.trim(), 16).expect("a mask") >> (signal - 1) & 1 == 1
    })
}

/// Sends a signal to a conversion. Returns false if the conversion was complete before.
fn is_interrupted(name: &str, signal: i32) -> bool {
    let folder = Folder::new();
    folder.write("out/all.jsonl", "earlier ones");
    long_log(&folder, 200 << 20);
    let before = names(folder.path());
    let mut child = start(&folder, "USR1", "convert in -o out/all.jsonl --force");
    let out = folder.path().join("out");
    wait_for(&mut child, || has_hidden(&out));
    send(name, &child);
    let ended = child.wait_with_output().unwrap();
    if ended.status.success() {
        return false;
    }
    assert_eq!(ended.status.signal(), Some(signal), "{name}: {ended:?}");
    assert_eq!(names(&out), ["all.jsonl"], "{name}");
    assert_eq!(fs::read_to_string(out.join("all.jsonl")).unwrap(), "earlier ones");
    assert_eq!(names(&folder.path().join("aside")), [""; 0], "{name}");
    assert_eq!(names(folder.path()).len(), before.len() + 1, "{name}: and aside itself");
    true
}

#[test]
fn a_copy_of_a_database_goes_too() {
    let folder = Folder::new();
    // With a live journal next to it, a database is copied before it is read.
    database_with_wal(&folder, "in/opencode.db", 200 << 20);
    let mut child = start(&folder, "USR1", "convert in -o out.jsonl");
    let aside = folder.path().join("aside");
    wait_for(&mut child, || names(&aside).iter().any(|name| name.ends_with("copy")));
    send("TERM", &child);
    assert_eq!(child.wait_with_output().unwrap().status.signal(), Some(15));
    assert_eq!(names(&aside), [""; 0]);
    assert!(!has_hidden(folder.path()));
    // And without any signal.
    assert!(start(&folder, "USR1", "convert in -o out.jsonl").wait().unwrap().success());
    assert_eq!(names(&aside), [""; 0]);
}

#[test]
fn ignored_signal_stays_ignored() {
    let folder = Folder::new();
    long_log(&folder, 10 << 20);
    let mut child = start(&folder, "HUP INT", "convert in -o all.jsonl");
    wait_for(&mut child, || has_hidden(folder.path()));
    send("HUP", &child);
    send("INT", &child);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(folder.path().join("all.jsonl").exists());
}

#[test]
fn closed_pipe_ends_the_command_without_error() {
    let folder = Folder::new();
    for number in 0..300 {
        let text = format!("it {}", "w".repeat(5000));
        let log = log(&format!("s{number}")).replace("it", &text);
        folder.write(&format!("in/{number}.jsonl"), log);
    }
    for arguments in ["convert in", "events in", "inspect in", "inspect --json in"] {
        let mut child = start(&folder, "USR1", arguments);
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(0), "{arguments}: {stderr}");
        assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{arguments}: {stderr}");
        assert!(!stderr.contains("300 sessions converted"), "{arguments} went on: {stderr}");
    }
    let line = "$vac convert -q in | head -n 1 | $vac validate -";
    assert_eq!(shell(folder.path(), line).code, 0);
}

#[test]
fn closed_streams_are_not_an_error() {
    let folder = folder_with_log();
    for line in ["convert log.jsonl -o a.json >&-", "convert log.jsonl -o b.json 2>&-"] {
        assert_eq!(shell(folder.path(), &format!("$vac {line}")).code, 0, "{line}");
    }
    shell(folder.path(), "$vac convert - <&-").says(1, "-: unrecognised log format: it is empty");
    shell(folder.path(), "$vac validate - <&-; true");
}

#[test]
fn no_number_of_jobs_is_too_many() {
    let folder = folder_with_log();
    for jobs in ["1", "1000", "18446744073709551615"] {
        let line = format!("$vac convert log.jsonl -j {jobs} | $vac validate -");
        assert_eq!(shell(folder.path(), &line).code, 0, "{jobs}");
    }
}

#[test]
fn missing_temporary_folder_is_reported() {
    let folder = folder_with_log();
    folder.write("big.jsonl", log("big").replace("Weave it", &"w".repeat(1 << 20)));
    let nowhere = "TMPDIR=/nowhere/at/all $vac convert";
    assert_eq!(shell(folder.path(), &format!("{nowhere} log.jsonl")).code, 0, "nothing is");
    let words = "big.jsonl: cannot write its record to the temporary folder /nowhere/at/all: ";
    shell(folder.path(), &format!("{nowhere} big.jsonl")).says(2, words);
    let words = "-: cannot be copied to /nowhere/at/all: ";
    shell(folder.path(), &format!("{nowhere} - < log.jsonl")).says(2, words);
}

#[test]
fn many_files_need_few_that_are_open() {
    let folder = Folder::new();
    for number in 0..2000 {
        folder.write(&format!("in/{}/{number}.jsonl", number % 7), log(&format!("s{number}")));
    }
    let ended = shell(folder.path(), "ulimit -n 64; $vac convert in -o out/ -j 16");
    ended.says(0, "2,000 sessions converted, 0 failed, 0 skipped");
    assert_eq!(names(&folder.path().join("out")).len(), 2001, "records and their index");
    shell(folder.path(), "ulimit -n 64; $vac validate out").says(0, "2,000 files: 2,000 valid");
}
