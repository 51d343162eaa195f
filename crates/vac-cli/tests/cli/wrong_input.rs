//! Tests messages about input for another command, and about missing input.

use crate::home::{CLAUDE_ID, claude, codex, copy};
use crate::records::small;
use crate::run::Folder;

const NAMES: &str = "(supported: claude, codex, gemini, opencode, cursor";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("session.jsonl", claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z"));
    folder
}

#[test]
fn validate_names_the_agent_of_a_log_in_one_line() {
    let folder = folder();
    let line = |name: &str, agent: &str| {
        format!("{name}: this is {agent} log, not a record; convert it first with `vac convert`\n")
    };
    folder.vac(&["validate", "session.jsonl"]).gives(1, &line("session.jsonl", "a Claude Code"));
    let log = codex("c1", "2026-03-02T09:00:00.000Z");
    folder.write("logs/one.jsonl", &log);
    folder.vac(&["validate", "logs"]).gives(1, &line("logs/one.jsonl", "a Codex"));
    folder.vac_with(&["validate", "-"], log.as_bytes()).gives(1, &line("-", "a Codex"));
    copy("opencode/database/basic/opencode.db", &folder, "opencode.db");
    folder.vac(&["validate", "opencode.db"]).gives(1, &line("opencode.db", "an OpenCode"));
    let json = folder.vac(&["validate", "--json", "session.jsonl"]).json();
    let message = json["files"][0]["syntax"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("this is a Claude Code log"), "{message}");
    assert_eq!(json["files"][0]["syntax"][0]["agent"], "claude");
    assert_eq!(json["files"][0]["violation-count"], 1);
}

#[test]
fn validate_reads_text_named_jsonl_as_json() {
    let folder = Folder::new();
    for name in ["notes.jsonl", "notes.ndjson", "notes.json"] {
        folder.write(name, "hello\n");
        let ran = folder.vac(&["validate", name]);
        assert_eq!(ran.code, 1);
        assert!(!ran.stdout.contains("CBOR"), "{}", ran.stdout);
    }
    // An invalid record is not treated as a log.
    folder.write("bad.json", small().replace("\"version\"", "\"versio\""));
    let ran = folder.vac(&["validate", "bad.json"]);
    assert!(ran.stdout.contains("missing key \"version\""), "{}", ran.stdout);
}

#[test]
fn convert_says_that_its_input_is_a_record() {
    let folder = folder();
    folder.vac(&["convert", "session.jsonl", "-o", "r.json"]);
    folder.vac(&["convert", "session.jsonl", "-f", "cbor", "-o", "r.cbor"]);
    for record in ["r.json", "r.cbor"] {
        let ran = folder.vac(&["convert", record]);
        ran.gives(1, "");
        let line = format!(
            "error: {record}: this is a record, not a session log (see `vac inspect` and \
             `vac validate`)\n"
        );
        assert!(ran.stderr.starts_with(&line), "{}", ran.stderr);
    }
}

#[test]
fn no_session_found_says_where_and_for_which_agents() {
    let folder = folder();
    folder.write("notes/a.txt", "text");
    folder.write("notes/b.txt", "text");
    for command in ["convert", "inspect", "events"] {
        let ran = folder.vac(&[command, "notes"]);
        ran.gives(1, "");
        let line = format!("error: no session found in notes {NAMES}");
        assert!(ran.stderr.contains(&line), "{}", ran.stderr);
        let ran = folder.vac(&[command, "notes/a.txt"]);
        ran.gives(1, "");
        assert!(ran.stderr.contains(NAMES), "{}", ran.stderr);
    }
    for arguments in [&["list"][..], &["convert", "--discover"]] {
        let ran = folder.vac_at_home(&[], arguments);
        ran.gives(0, "");
        let claude = folder.path().join("home/.claude");
        let lines = "no session found; searched the places of these agents:\n  claude: ";
        assert!(ran.stderr.starts_with(lines), "{}", ran.stderr);
        assert!(ran.stderr.contains(&claude.display().to_string()), "{}", ran.stderr);
        assert!(ran.stderr.contains("\n  cursor: "), "{}", ran.stderr);
    }
    let one = folder.vac_at_home(&[], &["list", "-a", "codex"]);
    assert_eq!(one.stderr.matches("\n  ").count(), 1, "{}", one.stderr);
}

#[test]
fn convert_without_a_path_mentions_discover() {
    let ran = Folder::new().vac(&["convert"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("use --discover"), "{}", ran.stderr);
    let ran = Folder::new().vac(&["convert", "--root", "homes"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("--root requires --discover"), "{}", ran.stderr);
}

#[test]
fn commands_for_records_name_the_agent_of_a_log() {
    let folder = folder();
    folder.vac(&["keygen", "-o", "key"]);
    for arguments in [
        &["sign", "session.jsonl", "--key", "key/signing-key.pem", "-o", "signed"][..],
        &["transcode", "session.jsonl", "--to", "cbor", "-o", "out"],
    ] {
        let ran = folder.vac(arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.stderr);
        let line = "this is a Claude Code log, not a record; convert it first";
        assert!(ran.stderr.contains(line), "{arguments:?}: {}", ran.stderr);
    }
    copy("antigravity/transcript/basic", &folder, "antigravity");
    let ran = folder.vac(&["validate", "antigravity/transcript_full.jsonl"]);
    assert!(ran.stdout.contains("this is an Antigravity log"), "{}", ran.stdout);
}

#[test]
fn a_missing_log_is_not_a_verdict() {
    let folder = folder();
    folder.vac(&["convert", "session.jsonl", "-o", "record.json"]);
    let ran = folder.vac(&["verify", "--log", "sesion.jsonl", "record.json"]);
    ran.gives(2, "");
    assert!(ran.stderr.contains("sesion.jsonl: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("no log to compare the record with"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_read_is_listed_in_json() {
    let folder = folder();
    let ran = folder.vac(&["convert", "session.jsonl", "missing.jsonl", "-o", "r/", "--json"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let json = ran.json();
    assert_eq!(json["failed"][0]["file"], "missing.jsonl");
    assert_eq!(json["sessions"].as_array().map(Vec::len), Some(1));
    assert!(ran.stderr.contains("1 session converted, 1 failed"), "{}", ran.stderr);
}

#[test]
fn standard_input_is_decompressed_and_is_not_a_database() {
    let folder = folder();
    let log = claude(CLAUDE_ID, "2026-03-01T09:00:00.000Z");
    let compressed = zstd::encode_all(log.as_bytes(), 0).expect("compressed");
    let ran = folder.vac_with(&["convert", "-q", "-"], &compressed);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let plain = folder.vac_with(&["convert", "-q", "-"], log.as_bytes());
    let entries = |ran: &crate::run::Ran| ran.json()["session"]["entries"].clone();
    assert_eq!(entries(&ran), entries(&plain));
    let database = vac_tests::root().join("fixtures/opencode/database/basic/opencode.db");
    let ran = folder.vac_with(&["convert", "-"], &std::fs::read(database).expect("a database"));
    ran.gives(2, "");
    assert!(ran.stderr.contains("-: a database cannot be read from there: pass its path"));
}

#[test]
fn options_that_cannot_be_met_are_refused() {
    let folder = folder();
    for (arguments, reason) in [
        (&["convert", "session.jsonl", "-j", "0"][..], "expected a number, 1 or more"),
        (&["convert", "session.jsonl", "--pretty", "-o", "r.jsonl"], "--pretty"),
        (&["convert", "session.jsonl", "-o", "r.json.zst"], "output is not compressed"),
        (&["list", "--since", "2026-05", "--until", "2026-04"], "ends before it begins"),
        (&["search", "x", "--since", "2026-05", "--until", "2026-04", "."], "ends before it"),
        (
            &["show", "abcdef"],
            "abcdef: neither a file nor the beginning of the id of a session; upper and lower case differ",
        ),
        (&["show", "abc"], "abc: not a file; at least 4 characters of an id name a session"),
    ] {
        let ran = folder.vac_at_home(&[], arguments);
        ran.gives(2, "");
        assert!(ran.stderr.contains(reason), "{arguments:?}: {}", ran.stderr);
    }
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect("a file")
}

/// Returns a folder with a log, its record, a file with the record twice, and a key.
fn with_record() -> Folder {
    let folder = folder();
    folder.vac(&["convert", "session.jsonl", "-o", "record.json"]).gives(0, "");
    let record = read(&folder, "record.json");
    folder.write("two.json", record.repeat(2));
    folder.vac(&["keygen", "-o", "keys/"]);
    folder
}

#[test]
fn verify_names_what_is_not_a_record() {
    let folder = with_record();
    let fails = |arguments: &[&str], message: &str| {
        let ran = folder.vac(arguments);
        ran.gives(2, "");
        assert_eq!(ran.stderr, format!("error: {message}\n"));
    };
    fails(
        &["verify", "--log", "record.json", "session.jsonl"],
        "session.jsonl: this is a Claude Code log, and record.json is a record: they are swapped \
         (run `vac verify --log session.jsonl record.json`)",
    );
    fails(
        &["verify", "--log", "session.jsonl", "session.jsonl"],
        "session.jsonl: this is a Claude Code log, not a record; convert it first with `vac convert`",
    );
    fails(
        &["verify", "--log", "session.jsonl", "two.json"],
        "two.json: several records in one file, where one is expected (`vac convert -o FOLDER/` \
         writes one file for each session)",
    );
    let twice = read(&folder, "record.json").replacen('{', r#"{"a": 1, "a": 2, "#, 1);
    folder.write("twice.json", twice);
    fails(
        &["verify", "--log", "session.jsonl", "twice.json"],
        "twice.json: the record has duplicate keys",
    );
    fails(
        &["verify", "record.json"],
        "nothing to verify with (pass the signer's key with --key PUB, certificates with \
         --trust-root FILE, or --log LOG to compare a record with its log)",
    );
    let ran = folder.vac(&["verify", "session.jsonl", "--key", "keys/signing-key.pub.pem"]);
    assert_eq!(ran.code, 1);
    let last = ran.stderr.lines().last().expect("a message");
    assert!(
        last.starts_with("error: session.jsonl: this is a Claude Code log, not a signed record ("),
        "{last}"
    );
}

#[test]
fn digest_of_a_log_has_a_warning() {
    let folder = with_record();
    let of_log = folder.vac(&["timestamp", "digest", "session.jsonl"]);
    assert_eq!(of_log.code, 0);
    let warning = "warning: session.jsonl: this is a Claude Code log, not a record: `vac sign \
                   --timestamp` takes the time stamp of a record only\n";
    assert_eq!(of_log.stderr, warning);
    assert_eq!(folder.vac(&["timestamp", "digest", "record.json"]).stderr, "");
}

#[test]
fn commands_without_a_session_say_how_to_name_one() {
    for command in ["inspect", "events", "view"] {
        let ran = Folder::new().vac(&[command]);
        ran.gives(2, "");
        assert_eq!(
            ran.stderr,
            "error: no session named (pass a file, a folder, - for stdin, the id of a session that \
             `vac list` prints, or --last)\n"
        );
    }
}

#[test]
fn numbers_that_are_not_say_what_is_expected() {
    for (arguments, expected) in [
        (&["show", "--last", "x"][..], "expected a number from 1"),
        (&["show", "--last", "0"], "expected a number from 1"),
        (&["search", "-m", "z", "a"], "expected a number; 0 means no limit"),
        (&["validate", "--max-errors", "z", "a"], "expected a number; 0 means no limit"),
    ] {
        let ran = Folder::new().vac(arguments);
        ran.gives(2, "");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn missing_key_says_how_to_make_one() {
    let folder = with_record();
    let ran = folder.vac(&["sign", "record.json", "--key", "keys/missing.pem", "-o", "a.cose"]);
    ran.gives(2, "");
    assert!(ran.stderr.ends_with("(make a key with `vac keygen -o keys/`)\n"), "{}", ran.stderr);
}
