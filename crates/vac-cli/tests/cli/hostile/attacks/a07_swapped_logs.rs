//! The SHA-256 of a source is that of the bytes that were converted.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::super::{log, run};
use crate::run::Folder;

/// A log that is larger than the part in memory, as lines of a megabyte.
const LINES: usize = 33;

/// Returns a log with `mark` in every line.
fn version(mark: &str) -> String {
    let text = mark.repeat((1 << 20) / mark.len());
    let line = log("swapped").lines().next().expect("a prompt").replace("Weave it", &text);
    format!("{line}\n").repeat(LINES)
}

/// Replaces a file by two others in turn, until `is_over` is set.
fn swap(one: &Path, other: &Path, place: &Path, is_over: &AtomicBool) {
    let new = place.with_extension("new");
    // The first is in the place already, and putting it there again would do nothing.
    for file in [other, one].into_iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        fs::hard_link(file, &new).expect("a link");
        fs::rename(&new, place).expect("another file");
        std::thread::sleep(Duration::from_millis(40));
    }
}

#[test]
fn record_of_a_swapped_log_is_of_one_version_or_refused() {
    let folder = Folder::new();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_770_000_000);
    let mut files = Vec::new();
    let mut expected = Vec::new();
    for name in ["one", "two"] {
        let path = folder.write(&format!("{name}/log.jsonl"), version(name));
        fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        let alone = run(folder.path(), &["convert", "-q", &format!("{name}/log.jsonl")]);
        assert_eq!(alone.code, 0, "{}", alone.stderr);
        files.push(path);
        expected.push(alone.stdout);
    }
    assert!(expected[0] != expected[1]);
    let place = folder.write("log.jsonl", "");
    fs::remove_file(&place).unwrap();
    fs::hard_link(&files[0], &place).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| swap(&files[0], &files[1], &place, &is_over));
        for _ in 0..6 {
            let ended = run(folder.path(), &["convert", "-q", "log.jsonl"]);
            if ended.code == 0 {
                let is_one = expected.contains(&ended.stdout);
                assert!(is_one, "entries and SHA-256 are of different versions");
            } else {
                ended.says(1, "log.jsonl: changed while it was being read; try again");
                assert!(ended.stdout.is_empty());
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn log_that_only_grows_is_converted() {
    use std::io::Write as _;

    let folder = Folder::new();
    let path = folder.write("log.jsonl", version("grown"));
    let is_over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::File::options().append(true).open(&path).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                writeln!(file, "{}", log("swapped").lines().next().unwrap()).unwrap();
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let ended = run(folder.path(), &["convert", "-q", "log.jsonl"]);
        is_over.store(true, Ordering::Relaxed);
        ended
    });
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let record: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    let size = record["recording-agent"]["sources"][0]["size"].as_u64().unwrap();
    let grown = fs::read(&path).unwrap();
    let first = &grown[..usize::try_from(size).unwrap()];
    // A copy of what was converted gives the same record.
    folder.write("copy/log.jsonl", first);
    let copy = run(folder.path(), &["convert", "-q", "copy/log.jsonl"]);
    assert!(copy.stdout == ended.stdout);
}
