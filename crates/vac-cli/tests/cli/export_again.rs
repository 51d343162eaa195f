//! Tests `vac export` to a folder that contains an earlier export: which sessions stay, and which
//! are exported once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::export::{FIRST, SECOND, files, texts, two_sessions};
use crate::home::{claude, codex};
use crate::run::Folder;

const TIME: &str = "2026-03-01T09:00:00.000Z";

/// Returns a log and the same log after it has grown.
fn growing() -> (String, String) {
    let log = claude(FIRST, TIME);
    let grown = format!("{log}{}", log.replace("T09:", "T10:").replace("\"u", "\"v"));
    (log, grown)
}

fn sessions(folder: &Folder) -> usize {
    texts(&folder.path().join("t"), "sessions", "session_id").len()
}

/// Returns the files of an export, without the lock.
fn exported(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    files(&folder.path().join("t"))
}

#[test]
fn export_that_reads_nothing_changes_nothing() {
    let folder = two_sessions();
    for format in ["csv", "ndjson", "parquet", "atif"] {
        let export = ["export", "-f", format, "-o", "t", "--force"];
        let ran = folder.vac_at_home(&[], &export);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let before = exported(&folder);
        assert!(before.len() > 2, "{format}");
        let empty = folder.path().join("empty").to_string_lossy().into_owned();
        std::fs::create_dir_all(&empty).expect("a folder");
        for (code, arguments) in [
            (2, &["no/such"][..]),
            (1, &[&empty]),
            (0, &["--since", "2030"]),
            (0, &["--root", &empty]),
        ] {
            let ran = folder.vac_at_home(&[], &[&export[..], arguments].concat());
            assert_eq!(ran.code, code, "{}", ran.stderr);
            let message = "no session was read, so the export in t stays";
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert_eq!(exported(&folder), before, "{format} {arguments:?}");
        }
    }
}

#[test]
fn log_that_was_moved_and_grew_counts_once() {
    let folder = Folder::new();
    let log = codex(FIRST, TIME);
    folder.write("sessions/log.jsonl", &log);
    folder.write("archived/other.jsonl", codex(SECOND, TIME));
    let export = || {
        let ran = folder.vac(&["export", "sessions", "archived", "-o", "t"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stderr
    };
    export();
    std::fs::remove_file(folder.path().join("sessions/log.jsonl")).expect("the log is moved");
    let grown = format!("{log}{}", log.lines().last().expect("a line"));
    folder.write("archived/log.jsonl", &grown);
    assert!(export().contains("(0 new, 1 changed, 1 unchanged)"));
    assert_eq!(sessions(&folder), 2);
    assert!(export().contains("(0 new, 0 changed, 2 unchanged)"));
    // The earlier state is not exported again; another session with the same id is exported.
    folder.write("sessions/log.jsonl", &log);
    export();
    assert_eq!(sessions(&folder), 2);
    folder.write("sessions/log.jsonl", log.replace("Grind", "Mill"));
    assert!(export().contains("1 session exported with the id of another one"));
    assert_eq!(sessions(&folder), 3);
}

#[test]
fn log_that_grows_on_standard_input_counts_once() {
    let folder = Folder::new();
    let (log, grown) = growing();
    for text in [&log, &grown, &log] {
        let ran = folder.vac_with(&["export", "-", "-o", "t"], text.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(sessions(&folder), 1);
    }
}

#[test]
fn log_that_grew_and_its_record_count_once() {
    let (log, grown) = growing();
    let folder = Folder::new();
    folder.write("a/log.jsonl", &log);
    assert_eq!(folder.vac(&["convert", "a/log.jsonl", "-o", "record.json"]).code, 0);
    folder.write("b/log.jsonl", &grown);
    for inputs in [["record.json", "b"], ["b", "record.json"], ["a", "record.json"]] {
        for target in ["t", "-"] {
            let options = ["export", "-f", "ndjson", "--tables", "sessions", "-o", target];
            let ran = folder.vac(&[&options[..], &inputs].concat());
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            assert!(ran.stderr.starts_with("1 session exported"), "{inputs:?}: {}", ran.stderr);
        }
    }
    // The same is true for two runs in succession.
    for inputs in [&["record.json"][..], &["b"], &["record.json"], &["record.json", "b"]] {
        let ran = folder.vac(&[&["export", "-o", "u"], inputs].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(
            texts(&folder.path().join("u"), "sessions", "session_id"),
            [FIRST],
            "{inputs:?}"
        );
    }
}

#[test]
fn sessions_of_one_id_that_differ_count_with_a_warning() {
    let folder = Folder::new();
    let (log, grown) = growing();
    folder.write("a/log.jsonl", &log);
    for (other, target) in
        [(log.replace("Weave", "Knit"), "t"), (log.replace("Weave", "Knit"), "-"), (grown, "u")]
    {
        folder.write("b/log.jsonl", other);
        let options = ["export", "a", "b", "-f", "csv", "--tables", "sessions", "-o", target];
        let ran = folder.vac(&options);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("2 sessions exported to"), "{}", ran.stderr);
        assert!(ran.stderr.contains("exported with the id of another one"), "{}", ran.stderr);
    }
}

#[test]
fn force_replaces_an_export_whose_manifest_is_damaged() {
    let folder = two_sessions();
    let export =
        |options: &[&str]| folder.vac_at_home(&[], &[&["export", "-o", "t"], options].concat());
    assert_eq!(export(&["-f", "csv", "--partition-by", "day"]).code, 0);
    let manifest = folder.path().join("t/.vac-export.json");
    let text = std::fs::read(&manifest).expect("a manifest");
    std::fs::write(&manifest, &text[..text.len() / 2]).expect("a manifest");
    let note = folder.write("t/sessions/notes.csv", "Not ours");
    let ran = export(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is damaged (use --force to replace the export"), "{}", ran.stderr);
    let ran = export(&["--force"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(exported(&folder).keys().all(|name| !name.to_string_lossy().contains("day=")));
    assert_eq!(texts(&folder.path().join("t"), "usage", "record_key").len(), 0);
    assert_eq!(std::fs::read_to_string(note).expect("a note"), "Not ours");
}

#[test]
fn damaged_part_is_reported_with_a_remedy() {
    let folder = two_sessions();
    let export = || folder.vac_at_home(&[], &["export", "-o", "t"]);
    assert_eq!(export().code, 0);
    let entries = exported(&folder).into_keys().find(|name| name.starts_with("entries"));
    let entries = folder.path().join("t").join(entries.expect("a file of entries"));
    std::fs::write(&entries, "damaged").expect("a file");
    let (_, grown) = growing();
    folder.write(&format!("home/.claude/projects/p/{FIRST}.jsonl"), grown);
    let ran = export();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("remove it to export its sessions again"), "{}", ran.stderr);
    std::fs::remove_file(&entries).expect("the file is removed");
    assert_eq!(export().code, 0);
    assert_eq!(sessions(&folder), 2);
}

#[test]
fn folder_of_logs_is_refused_and_its_own_output_is_not_read() {
    let folder = Folder::new();
    folder.write("logs/log.jsonl", claude(FIRST, TIME));
    for (arguments, name) in [
        (["export", "logs", "-o", "logs"], "logs is an input"),
        (["export", "logs/../logs/", "-o", "./logs"], "logs is an input"),
        (["export", "--root=logs", "-o", "logs"], "logs is an input"),
    ] {
        let ran = folder.vac(&arguments);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    for number in 0..2 {
        let ran = folder.vac(&["export", "logs", "-f", "atif", "-o", "logs/t"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let expected = if number == 0 { "(1 new, 0" } else { "(0 new, 0 changed, 1" };
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn options_that_would_have_no_effect_are_refused() {
    let folder = two_sessions();
    let stdout = ["export", "-f", "csv", "--tables", "usage", "-o", "-"];
    for (options, reason) in [
        (&["--partition-by", "day"][..], "--partition-by cannot be used with --output -"),
        (&["--json"], "--json cannot be used with --output -"),
        (&["--force"], "--force cannot be used with --output -"),
    ] {
        let ran = folder.vac_at_home(&[], &[&stdout[..], options].concat());
        ran.gives(2, "");
        assert_eq!(ran.stderr, format!("error: {reason}\n"));
    }
    let ran = folder.vac(&["export", "-o", "t", "--partition-by", "agent,day,agent"]);
    ran.gives(2, "");
    assert_eq!(ran.stderr, "error: --partition-by names the column agent twice\n");
}

#[test]
fn sessions_of_another_time_are_not_called_unsupported() {
    let folder = two_sessions();
    let ran = folder.vac(&["export", "home", "-o", "t", "--since", "2030"]);
    assert_eq!(ran.code, 1);
    let message = "no session selected: all 2 found are of other times or projects";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}
