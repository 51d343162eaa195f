//! The whole program with malformed inputs, unusual places and names, full disks and signals.
//!
//! [`run`] checks what holds in all cases: nothing panics, the exit code is one of three, and a
//! failure has a message.

mod attacks;
mod files;
mod ids;
mod outputs;
mod places;
mod records;
#[cfg(target_os = "linux")]
mod signals;
mod sizes;
mod sweep;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use crate::home;
use crate::run::Folder;

/// The result of a run.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ended {
    #[track_caller]
    fn of(output: Output, what: &str) -> Self {
        let stderr = String::from_utf8(output.stderr).expect("talk is text");
        assert!(!stderr.contains("panicked"), "{what}: {stderr}");
        let code = output.status.code();
        let code = code.unwrap_or_else(|| panic!("{what}: {}: {stderr}", output.status));
        let is_told = stderr.lines().any(|line| line.starts_with("error: "));
        let is_warned = stderr.lines().any(|line| line.starts_with("warning: "));
        let is_answered = is_told || is_warned || !output.stdout.is_empty();
        match code {
            0 => {}
            1 => assert!(is_answered, "{what}: no, and no reason"),
            2 => assert!(is_told, "{what}: trouble, and no reason"),
            other => panic!("{what}: exit code {other}: {stderr}"),
        }
        let is_harmless = |c: char| c == '\n' || !c.is_control();
        assert!(stderr.chars().all(is_harmless), "{what}: {stderr:?}");
        Self { code, stdout: output.stdout, stderr }
    }

    /// Fails unless the run ended with this exit code, and its message contains these words.
    #[track_caller]
    pub fn says(&self, code: i32, words: &str) {
        assert!(self.code == code && self.stderr.contains(words), "{words}: {self:?}");
    }
}

/// Runs `vac` in a folder.
#[track_caller]
pub fn run<A: AsRef<std::ffi::OsStr> + std::fmt::Debug>(folder: &Path, arguments: &[A]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vac"));
    let output = command.args(arguments).current_dir(folder).output().expect("it runs");
    Ended::of(output, &format!("{arguments:?}"))
}

/// Runs a line of shell in a folder, where `$vac` is the program.
#[cfg(unix)]
#[track_caller]
pub fn shell(folder: &Path, line: &str) -> Ended {
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("vac", env!("CARGO_BIN_EXE_vac")).current_dir(folder);
    Ended::of(command.output().expect("a shell"), line)
}

/// Returns a folder with a session in `log.jsonl`.
pub fn folder_with_log() -> Folder {
    let folder = Folder::new();
    folder.write("log.jsonl", log("one"));
    folder
}

/// Returns a session of Claude Code with this id, which needs no escapes in JSON.
pub fn log(id: &str) -> String {
    home::claude(id, "2026-03-01T09:00:00.000Z")
}

/// Makes a database of `OpenCode` of at least this size, with a change that is only in its
/// write-ahead log.
pub fn database_with_wal(folder: &Folder, name: &str, size: u64) {
    home::copy("opencode/database/basic/opencode.db", folder, "making/opencode.db");
    let making = folder.path().join("making/opencode.db");
    let connection = rusqlite::Connection::open(&making).expect("a database");
    let sql = "PRAGMA journal_mode = WAL; UPDATE session SET title = 'only in the log';";
    connection.execute_batch(sql).expect("SQL");
    for ending in ["", "-wal"] {
        let to = folder.write(&format!("{name}{ending}"), "");
        fs::copy(folder.path().join(format!("making/opencode.db{ending}")), to).expect("a copy");
    }
    drop(connection);
    fs::remove_dir_all(folder.path().join("making")).expect("a folder less");
    let file = fs::File::options().write(true).open(folder.path().join(name)).expect("a file");
    // SQLite does not look at what is after the last page.
    let length = file.metadata().expect("a file").len().max(size);
    file.set_len(length).expect("room");
}

/// Returns the names of all files and folders in a folder, at any depth.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        // A file may be removed during the search.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).expect("it is below");
            names.push(name.to_string_lossy().into_owned());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            }
        }
    }
    names.sort();
    names
}

/// Returns the names in an output folder without that of its index.
pub fn record_names(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name != ".vac-index").collect()
}

/// Returns the files in a folder, at any depth, with their bytes and when they were changed;
/// without the index of an output folder, which states the times of other files.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, (Option<SystemTime>, Vec<u8>)> {
    let mut state = home::state(folder);
    let is_index = |path: &Path| path.ends_with(".vac-index");
    state.retain(|path, _| path.is_file() && !path.is_symlink() && !is_index(path));
    state
}

/// Asserts that none of these files was changed or removed. New files are ignored.
#[track_caller]
pub fn assert_untouched(before: &BTreeMap<PathBuf, (Option<SystemTime>, Vec<u8>)>) {
    for (path, (time, bytes)) in before {
        let now = path.metadata().and_then(|metadata| metadata.modified()).ok();
        assert!(
            now == *time && fs::read(path).ok().as_ref() == Some(bytes),
            "{} has changed",
            path.display()
        );
    }
}

/// A generator of pseudo-random numbers, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap_or_default()
    }

    pub fn byte(&mut self) -> u8 {
        u8::try_from(self.roll(256)).unwrap_or_default()
    }

    /// Damages bytes in a few places, as disks, editors and attackers do.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.roll(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.roll(bytes.len());
            let end = (at + self.roll(9)).min(bytes.len());
            match self.roll(5) {
                0 => bytes[at] = self.byte(),
                1 => bytes[at] ^= 1 << self.roll(8),
                2 => drop(bytes.splice(at..at, [self.byte()])),
                3 if bytes.len() > 9 => drop(bytes.splice(at..end, [])),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    let to = self.roll(bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
    }
}
