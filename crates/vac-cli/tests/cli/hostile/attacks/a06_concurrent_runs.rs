//! Tests that two runs that write to one folder take turns.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use super::super::{log, names, run};
use crate::run::Folder;

const SESSIONS: usize = 30;

/// Returns a home folder with many sessions.
fn home() -> Folder {
    let folder = Folder::new();
    for number in 0..SESSIONS {
        let id = format!("session-{number}");
        folder.write(&format!("home/.claude/projects/a/{id}.jsonl"), log(&id));
    }
    folder
}

fn discover(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vac"));
    command.args(["convert", "--discover", "--root", "home", "-o", "records"]);
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn runs_at_the_same_time_write_each_session_once() {
    let folder = home();
    // The first run creates the folder.
    let runs: Vec<_> = (0..4).map(|_| discover(&folder).spawn().expect("a run")).collect();
    let mut new = 0;
    for run in runs {
        let output = run.wait_with_output().expect("a run that ends");
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "{stderr}");
        let counts = stderr.lines().last().expect("a summary");
        let count = counts.split_once(" new, 0 changed, ").expect(counts).0;
        new += count.parse::<usize>().expect("a number");
    }
    assert_eq!(new, SESSIONS);
    let expected = if cfg!(unix) { SESSIONS } else { SESSIONS + 1 };
    assert_eq!(names(&folder.path().join("records")).len(), expected);
}

#[cfg(unix)]
#[test]
fn a_run_waits_for_another_and_says_so() {
    let folder = home();
    fs::create_dir(folder.path().join("records")).expect("a folder");
    let lock = File::open(folder.path().join("records")).expect("a folder");
    lock.lock().expect("a lock");
    let mut waiting = discover(&folder).spawn().expect("a run");
    let mut stderr = BufReader::new(waiting.stderr.take().expect("a pipe"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("a line");
    assert_eq!(line, "waiting for another vac that writes to records\n");
    assert_eq!(names(&folder.path().join("records")), [""; 0]);
    // A session that is added while the run waits is converted.
    folder.write("home/.claude/projects/a/late.jsonl", log("late"));
    drop(lock);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    assert!(waiting.wait().expect("an end").success(), "{rest}");
    assert_eq!(names(&folder.path().join("records")).len(), SESSIONS + 1);
}

#[cfg(unix)]
#[test]
fn no_wait_fails_at_once() {
    let folder = home();
    fs::create_dir(folder.path().join("records")).expect("a folder");
    let lock = File::open(folder.path().join("records")).expect("a folder");
    lock.lock().expect("a lock");
    let discover = ["convert", "--discover", "--root", "home", "-o", "records", "--no-wait"];
    let named = ["convert", "home", "-o", "records/", "--no-wait"];
    let linked = ["convert", "home", "-o", "link", "--no-wait"];
    std::os::unix::fs::symlink("records", folder.path().join("link")).expect("a link");
    for arguments in [&discover[..], &named, &linked] {
        run(folder.path(), arguments).says(2, "is in use by another vac");
    }
    assert_eq!(names(&folder.path().join("records")), [""; 0]);
    // Runs that write to separate files or standard output do not wait.
    assert_eq!(run(folder.path(), &["convert", "home", "-o", "all.jsonl", "--no-wait"]).code, 0);
    drop(lock);
    for arguments in [&discover[..], &linked] {
        let ended = run(folder.path(), arguments);
        assert!(!ended.stderr.contains("in use"), "{}", ended.stderr);
    }
    assert_eq!(names(&folder.path().join("records")).len(), SESSIONS);
}
