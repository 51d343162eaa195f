//! Tests outputs on a full disk, outputs without permission, and outputs that already exist.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{assert_untouched, files, folder_with_log, log, names, run, shell};
use crate::home::gemini;
use crate::records::small;
use crate::run::Folder;

#[test]
fn a_log_is_not_written_to_by_any_name() {
    let folder = folder_with_log();
    symlink("log.jsonl", folder.path().join("link.jsonl")).unwrap();
    symlink(".", folder.path().join("round")).unwrap();
    let before = files(folder.path());
    for output in ["log.jsonl", "./log.jsonl", "link.jsonl", "round/log.jsonl"] {
        let convert = ["convert", "log.jsonl", "-o", output];
        for arguments in [&convert[..], &[&convert[..], &["--force"]].concat()] {
            run(folder.path(), arguments).says(2, "/log.jsonl is an input and is not overwritten");
        }
        let report = ["convert", "log.jsonl", "-o", "out.json", "--force", "--report", output];
        run(folder.path(), &report).says(2, "/log.jsonl is an input and is not overwritten");
    }
    assert_untouched(&before);
}

#[test]
fn another_name_of_a_log_can_be_given_away() {
    let folder = folder_with_log();
    fs::hard_link(folder.path().join("log.jsonl"), folder.path().join("hard.jsonl")).unwrap();
    let convert = ["convert", "log.jsonl", "-o", "hard.jsonl"];
    run(folder.path(), &convert).says(2, "already exists");
    assert_eq!(run(folder.path(), &[&convert[..], &["--force"]].concat()).code, 0);
    assert_eq!(fs::read_to_string(folder.path().join("log.jsonl")).unwrap(), log("one"));
    // If both names are inputs, the file is not written to.
    fs::remove_file(folder.path().join("hard.jsonl")).unwrap();
    fs::hard_link(folder.path().join("log.jsonl"), folder.path().join("hard.jsonl")).unwrap();
    run(folder.path(), &["convert", ".", "-o", "hard.jsonl", "--force"]).says(2, "is an input");
}

#[test]
fn a_log_that_has_the_name_of_its_record_stays() {
    let folder = Folder::new();
    let native = gemini("g", "2026-03-01T09:00:00Z");
    folder.write("in/gemini-g.json", &native);
    folder.write("in/log.jsonl", log("one"));
    for force in [&[][..], &["--force"]] {
        let ended = run(folder.path(), &[&["convert", "in", "-o", "in"], force].concat());
        let code = i32::from(force.is_empty());
        assert_eq!(ended.code, code, "{}", ended.stderr);
        assert_eq!(fs::read_to_string(folder.path().join("in/gemini-g.json")).unwrap(), native);
        assert!(folder.path().join("in/claude-one.json").exists(), "the other one is made");
        assert_eq!(fs::read_to_string(folder.path().join("in/log.jsonl")).unwrap(), log("one"));
    }
    // An omitted copy stays, too.
    folder.write("in/a.json", &native);
    run(folder.path(), &["convert", "in", "-o", "in", "--force"]).says(0, "2 changed");
    assert_eq!(fs::read_to_string(folder.path().join("in/gemini-g.json")).unwrap(), native);
    // A folder of records inside the folder of logs is not an input of the second run.
    for force in [&[][..], &["--force"]] {
        let arguments = [&["convert", "in/log.jsonl", "in", "-o", "in/records/"], force].concat();
        let ended = run(folder.path(), &arguments);
        ended.says(0, "2 sessions converted, 0 failed");
    }
    assert_eq!(names(&folder.path().join("in/records")), ["claude-one.json", "gemini-g.json"]);
}

#[test]
fn report_replaces_only_a_report() {
    let folder = folder_with_log();
    folder.write("notes.txt", "remember");
    let convert = |output: &str, more: &[&str]| {
        let arguments = ["convert", "log.jsonl", "-o", output, "--report"];
        run(folder.path(), &[&arguments[..], more].concat())
    };
    convert("a.json", &["notes.txt"]).says(2, "notes.txt already exists and is not a report");
    assert!(!folder.path().join("a.json").exists(), "that was known before");
    convert("a.json", &["a.json"]).says(2, "a.json is for records");
    convert("a.json", &["./a.json", "--force"]).says(2, "a.json is for records");
    assert_eq!(convert("a.json", &["r.json"]).code, 0);
    assert_eq!(convert("b.json", &["r.json"]).code, 0, "a later report");
    convert("c.json", &["a.json"]).says(2, "a.json already exists and is not a report");
    let record = fs::read(folder.path().join("a.json")).unwrap();
    for force in [&[][..], &["--force"]] {
        let more = [&["out/claude-one.json"], force].concat();
        convert("out/", &more).says(2, "out/claude-one.json is ");
        assert!(fs::read(folder.path().join("out/claude-one.json")).unwrap() == record);
    }
    let ended = convert("d.json", &["-"]);
    assert!(ended.stdout.starts_with(b"{\n  \"vac\": \""), "{ended:?}");
    run(folder.path(), &["convert", "log.jsonl", "--report", "-"]).says(2, "cannot both go to");
    assert!(!folder.path().join("-").exists());
    assert_eq!(fs::read_to_string(folder.path().join("notes.txt")).unwrap(), "remember");
}

#[test]
fn inputs_of_sign_and_transcode_are_not_overwritten() {
    let folder = Folder::new();
    folder.write("record.json", small());
    assert_eq!(run(folder.path(), &["keygen", "-o", "keys"]).code, 0);
    let key = "keys/signing-key.pem";
    let before = files(folder.path());
    for output in ["record.json", key] {
        let sign = ["sign", "record.json", "--key", key, "--force", "-o", output];
        run(folder.path(), &sign).says(2, "is an input and is not overwritten");
    }
    let transcode = ["transcode", "record.json", "--to=cbor", "--force", "-o", "./record.json"];
    run(folder.path(), &transcode).says(2, "is an input and is not overwritten");
    assert_untouched(&before);
}

#[test]
fn full_disk_is_an_error_and_leaves_no_files() {
    let folder = folder_with_log();
    folder.write("record.json", small());
    if !Path::new("/dev/full").exists() {
        return println!("skipped: /dev/full does not exist");
    }
    let full = "No space left on device";
    for line in [
        "convert log.jsonl",
        "events log.jsonl",
        "inspect log.jsonl",
        "validate --json log.jsonl",
        "transcode record.json --to cbor",
        "schema",
    ] {
        shell(folder.path(), &format!("$vac {line} > /dev/full")).says(2, full);
    }
    run(folder.path(), &["convert", "log.jsonl", "-o", "/dev/full"]).says(2, full);
    run(folder.path(), &["convert", "log.jsonl", "-o", "/dev/full", "--force"]).says(2, full);
    let report = ["convert", "log.jsonl", "-o", "a.json", "--report", "/dev/full"];
    run(folder.path(), &report).says(2, "cannot write /dev/full: No space left");
    let transcode = ["transcode", "record.json", "--to=cbor", "-o", "/dev/full", "--force"];
    run(folder.path(), &transcode).says(2, "cannot write /dev/full: No space left");
    assert!(!Path::new("/dev/full").metadata().unwrap().is_file(), "it is still a device");
}

#[test]
fn a_file_that_may_not_grow_is_like_a_full_disk() {
    let folder = folder_with_log();
    folder.write("big.jsonl", log("big").replace("Weave it", &"w".repeat(3 << 20)));
    folder.write("out/claude-big.json", "an earlier one");
    // The record is written at once up to a size, and else in blocks.
    folder.write("middle.jsonl", log("middle").replace("Weave it", &"w".repeat(200 << 10)));
    let limited = "ulimit -f 200; $vac convert --force";
    let ended = shell(folder.path(), &format!("{limited} big.jsonl log.jsonl -o out/"));
    ended.says(2, "error: big.jsonl: cannot write in out/: File too large");
    ended.says(2, "1 session converted, 1 failed");
    assert_eq!(names(&folder.path().join("out")), ["claude-big.json", "claude-one.json"]);
    let earlier = fs::read_to_string(folder.path().join("out/claude-big.json")).unwrap();
    assert_eq!(earlier, "an earlier one");
    let ended = shell(folder.path(), "ulimit -f 100; $vac convert middle.jsonl -o new/");
    ended.says(2, "middle.jsonl: cannot write in new/: File too large");
    assert_eq!(names(&folder.path().join("new")), [""; 0]);
    // All in one file: a part of them is not all of them.
    let line = "ulimit -f 500; $vac convert middle.jsonl log.jsonl in -o all.jsonl";
    for number in 0..5 {
        let text = format!("w{}", "w".repeat(100 << 10));
        folder
            .write(&format!("in/{number}.jsonl"), log(&number.to_string()).replace("Weave", &text));
    }
    shell(folder.path(), line).says(2, "all.jsonl: File too large");
    let left: Vec<_> = names(folder.path());
    assert!(
        !left.iter().any(|name| name.contains("all.jsonl") || name.contains(".vac-")),
        "{left:?}"
    );
}

#[test]
fn file_is_kept_if_nothing_was_converted() {
    let folder = Folder::new();
    folder.write("notes.txt", "not a log");
    folder.write("records.json", "earlier ones");
    let ended = run(folder.path(), &["convert", "notes.txt", "-o", "records.json", "--force"]);
    ended.says(1, "notes.txt: unrecognised log format");
    assert_eq!(fs::read_to_string(folder.path().join("records.json")).unwrap(), "earlier ones");
    assert_eq!(run(folder.path(), &["convert", "notes.txt", "-o", "new.json"]).code, 1);
    assert_eq!(names(folder.path()), ["notes.txt", "records.json"]);
}

#[test]
fn unwritable_places_are_reported() {
    let folder = folder_with_log();
    folder.write("file", "");
    folder.write("record.json", small());
    // Not even root can create files there.
    let nowhere = if Path::new("/proc/self").exists() { "/proc" } else { "file" };
    let before = files(folder.path());
    for output in ["file/", "file/below.json", &format!("{nowhere}/a.json")] {
        let ended = run(folder.path(), &["convert", "log.jsonl", "-o", output]);
        let path = output.trim_end_matches('/');
        assert!(ended.code == 2 && ended.stderr.contains(path), "{output}: {ended:?}");
        let ended = run(folder.path(), &["transcode", "record.json", "--to=cbor", "-o", output]);
        assert!(ended.code == 2 && ended.stderr.contains(path), "{output}: {ended:?}");
    }
    let ended = run(folder.path(), &["convert", "log.jsonl", "-o", &format!("{nowhere}/records/")]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert_eq!(run(folder.path(), &["keygen", "-o", "file"]).code, 2);
    assert_eq!(run(folder.path(), &["convert", "log.jsonl", "-o", ""]).code, 2);
    assert_untouched(&before);
}

#[test]
fn pipes_and_devices_are_written_to_and_links_stay_links() {
    let folder = folder_with_log();
    let record = run(folder.path(), &["convert", "-q", "log.jsonl"]).stdout;
    let line = "mkfifo pipe && { cat pipe > copy & $vac convert -q log.jsonl -o pipe; wait; }";
    assert_eq!(shell(folder.path(), line).code, 0);
    assert!(fs::read(folder.path().join("copy")).unwrap() == record);
    assert!(
        shell(folder.path(), "$vac convert -q log.jsonl -o /dev/stdout | cat").stdout == record
    );
    assert_eq!(run(folder.path(), &["convert", "log.jsonl", "-o", "/dev/null", "--force"]).code, 0);
    assert!(!Path::new("/dev/null").metadata().unwrap().is_file(), "it is still a device");
    let target = folder.write("target.json", "old");
    symlink("target.json", folder.path().join("latest.json")).unwrap();
    let convert = ["convert", "-q", "log.jsonl", "-o", "latest.json", "--force"];
    assert_eq!(run(folder.path(), &convert).code, 0);
    assert!(folder.path().join("latest.json").is_symlink());
    assert!(fs::read(target).unwrap() == record);
}

#[test]
fn failed_keygen_leaves_no_private_key() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("keys")).unwrap();
    // The private key's path is as long as a path may be; the public one's is too long.
    let way = "keys".len() + "/signing-key.pem".len();
    let long = "./".repeat((4095 - way) / 2) + "keys";
    let ended = run(folder.path(), &["keygen", "-o", &long]);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert_eq!(names(folder.path()), ["keys"]);
}
