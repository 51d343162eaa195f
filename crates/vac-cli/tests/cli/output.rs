//! `vac convert -o`

use std::fs;

use crate::home::{CLAUDE_ID, claude, copy, state};
use crate::run::{Folder, Ran};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("logs/one.jsonl", claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z"));
    folder
}

#[track_caller]
fn fails(ran: &Ran, words: &str) {
    ran.gives(2, "");
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert!(!ran.stderr.contains(".vac-"), "{}", ran.stderr);
}

#[test]
fn output_is_a_folder_by_its_name_or_for_several_sessions() {
    let folder = folder();
    fs::create_dir(folder.path().join("there")).expect("a folder");
    copy("opencode/database/basic/opencode.db", &folder, "opencode.db");
    copy("claude/jsonl/two-sessions", &folder, "home/.claude/projects/a");
    let all = ["logs/one.jsonl", "logs"];
    for (number, (paths, output)) in [
        (&all[..1], "slash/"),
        (&all[..1], "there"),
        (&all[1..], "many"),
        (&all[..], "several"),
        (&["opencode.db"], "stored"),
        (&["--discover", "--root", "home"], "found"),
    ]
    .into_iter()
    .enumerate()
    {
        let ran = folder.vac(&[&["convert", "-o", output], paths].concat());
        assert_eq!(ran.code, 0, "{number}: {}", ran.stderr);
        assert!(folder.path().join(output).is_dir(), "{output}");
    }
    for (paths, output) in [
        (&all[..1], "one.json"),
        (&all[..1], "one"),
        (&all[1..], "many.jsonl"),
        (&all[1..], "many.cborseq"),
        (&["opencode.db"], "stored.ndjson"),
    ] {
        let ran = folder.vac(&[&["convert", "-o", output], paths].concat());
        assert_eq!(ran.code, 0, "{output}: {}", ran.stderr);
        assert!(folder.path().join(output).is_file(), "{output}");
    }
    let ran = folder.vac(&["convert", "logs", "-o", "all.json"]);
    fails(&ran, "(use all/ for a file each, or all.jsonl for one file)");
    let ran = folder.vac(&["convert", "opencode.db", "-o", "x/all.cbor"]);
    fails(&ran, "(use x/all/ for a file each, or x/all.cborseq for one file)");
    let help = folder.vac(&["convert", "--help"]).stdout;
    assert!(help.contains("-o PATH is a folder, with a file for each session, if "), "{help}");
}

#[test]
fn the_ending_of_a_file_is_its_encoding() {
    let folder = folder();
    let log = "logs/one.jsonl";
    let read = |name: &str| fs::read(folder.path().join(name)).expect("a record");
    for (name, is_cbor) in [("a.cbor", true), ("a.CBOR", true), ("a.json", false), ("a", false)] {
        let ran = folder.vac(&["convert", log, "-o", name, "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(read(name)[0] == b'{', !is_cbor, "{name}");
    }
    assert_eq!(folder.vac(&["convert", log, "--format", "cbor", "-o", "b.cbor"]).code, 0);
    assert_eq!(read("a.cbor"), read("b.cbor"));
    for (name, format) in [("x.cbor", "json"), ("x.json", "cbor"), ("x.jsonl", "cbor")] {
        let ran = folder.vac(&["convert", log, "--format", format, "-o", name]);
        fails(&ran, &format!("--format and the ending of {name} contradict each other"));
    }
    fails(&folder.vac(&["convert", log, "--pretty", "-o", "x.cbor"]), "--pretty applies to JSON");
    fails(&folder.vac(&["convert", log, "--json", "-o", "-"]), "cannot both go to standard output");
}

#[test]
fn a_missing_parent_folder_is_created_or_named() {
    let folder = folder();
    let ran = folder.vac(&["convert", "logs/one.jsonl", "-o", "new/deep/one.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(folder.path().join("new/deep/one.json").is_file());
    let report = ["convert", "logs/one.jsonl", "-o", "r.json", "--report", "gone/report.json"];
    let ran = folder.vac(&report);
    fails(&ran, "cannot write gone/report.json: folder gone does not exist");
    let ran = folder.vac(&["transcode", "--to", "cbor", "r.json", "-o", "gone/r.cbor"]);
    fails(&ran, "cannot write gone/r.cbor: folder gone does not exist");
}

#[test]
fn folders_of_agents_are_not_written_to() {
    let folder = folder();
    folder.write("home/.claude/projects/a/s.jsonl", claude("s", "2026-03-01T09:00:00Z"));
    folder.write("elsewhere/sessions/x", "");
    let before = state(&folder.path().join("home"));
    let variables = [("CODEX_HOME", "elsewhere")];
    for (output, agent) in [
        ("home/.claude", "claude"),
        ("home/.claude/records/", "claude"),
        ("home/.claude/projects/a/record.json", "claude"),
        ("home/new/../.claude/record.json", "claude"),
        ("home/.cursor/new/", "cursor"),
        ("elsewhere/sessions/", "codex"),
    ] {
        let ran =
            folder.vac_at_home(&variables, &["convert", "logs/one.jsonl", "--force", "-o", output]);
        fails(&ran, &format!("where {agent} keeps its sessions"));
    }
    let report = ["convert", "logs/one.jsonl", "--report", "home/.codex/r.json", "-o", "r.json"];
    fails(&folder.vac_at_home(&[], &report), "where codex keeps its sessions");
    fs::write(folder.path().join("r.json"), "{}").expect("a file");
    let transcode = ["transcode", "--to", "cbor", "r.json", "-o", "home/.gemini/r.cbor"];
    fails(&folder.vac_at_home(&[], &transcode), "where gemini keeps its sessions");
    assert_eq!(state(&folder.path().join("home")), before);
    let other = folder.vac_at_home(&[], &["convert", "logs/one.jsonl", "-o", "home/records/"]);
    assert_eq!(other.code, 0, "{}", other.stderr);
}

#[test]
fn folders_of_agents_below_a_root_are_not_written_to() {
    let folder = folder();
    folder.write("homes/ada/.claude/projects/a/s.jsonl", claude("s", "2026-03-01T09:00:00Z"));
    let convert =
        |output: &str| folder.vac(&["convert", "--discover", "--root", "homes/", "-o", output]);
    for output in ["homes/ada/.claude/projects/", "homes/ada/.claude/projects/a/x.jsonl"] {
        fails(&convert(output), "where claude keeps its sessions");
    }
    let ran = convert("homes/records/");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for command in [["keygen", "-o", "home/.claude/keys"], ["man", "-o", "home/.claude/man"]] {
        fails(&folder.vac_at_home(&[], &command), "where claude keeps its sessions");
    }
}
