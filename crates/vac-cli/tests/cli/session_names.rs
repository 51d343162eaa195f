//! Tests names of sessions in place of files.

use crate::home::{CLAUDE_ID, CODEX_ID, GEMINI_ID, OPENCODE_CHILD, OPENCODE_ID, claude, home};

/// Returns the ids of the sessions that `vac inspect` reads.
fn inspected(ran: &crate::run::Ran) -> Vec<String> {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json = ran.json();
    let sessions = json["sessions"].as_array().expect("a list");
    sessions.iter().map(|it| it["session-id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn ids_and_their_beginnings_are_sessions() {
    let folder = home();
    let inspect = |name: &str| inspected(&folder.vac_at_home(&[], &["inspect", "--json", name]));
    assert_eq!(inspect(CLAUDE_ID), [CLAUDE_ID]);
    assert_eq!(inspect("0a0a"), [CLAUDE_ID]);
    assert_eq!(inspect("0b0b0b0b-0000"), [CODEX_ID]);
    // Sessions of one database.
    assert_eq!(inspect(OPENCODE_ID), [OPENCODE_ID]);
    assert_eq!(inspect("ses_0a1b2c3d4effd"), [OPENCODE_CHILD]);
    let events = folder.vac_at_home(&[], &["events", "--only", "prompts", "0c0c", "0a0a"]);
    let found: Vec<_> = events.lines().iter().map(|line| line.contains(GEMINI_ID)).collect();
    assert_eq!(found, [true, false], "{}", events.stderr);
    let converted = folder.vac_at_home(&[], &["convert", "ses_0a1b2c3d4effd", "-o", "r.json"]);
    assert_eq!(converted.code, 0, "{}", converted.stderr);
    let json = folder.vac(&["inspect", "--json", "r.json"]);
    assert_eq!(inspected(&json), [OPENCODE_CHILD]);
}

#[test]
fn ambiguous_names_are_refused_with_their_candidates() {
    let folder = home();
    let log = claude("0a0a0a0a-0000-4000-8000-00000000ffff", "2026-03-01T10:00:00Z");
    folder.write("home/.claude/projects/p/2.jsonl", log);
    for command in ["inspect", "events", "show", "convert"] {
        let ran = folder.vac_at_home(&[], &[command, "0a0a"]);
        ran.gives(2, "");
        let expected = "error: `0a0a` is the beginning of 2 session ids (type more of it):\n  0a0a";
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
        assert!(ran.stderr.contains(CLAUDE_ID), "{}", ran.stderr);
    }
    let whole = folder.vac_at_home(&[], &["inspect", "--json", CLAUDE_ID]);
    assert_eq!(inspected(&whole), [CLAUDE_ID]);
}

#[test]
fn files_take_precedence_over_names() {
    let folder = home();
    folder.write("0a0a", claude("from-the-file", "2026-03-01T10:00:00Z"));
    let ran = folder.vac_at_home(&[], &["inspect", "--json", "0a0a"]);
    assert_eq!(inspected(&ran), ["from-the-file"]);
    for name in ["zzzz", "0a0", "nothing-of-that-name"] {
        let ran = folder.vac_at_home(&[], &["inspect", name]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}

#[test]
fn the_last_sessions_are_those_that_began_last() {
    let folder = home();
    let listed = folder.vac_at_home(&[], &["list", "--json", "--limit", "2"]).json();
    let latest = |at: usize| listed["sessions"][at]["session-id"].as_str().expect("an id");
    for (arguments, expected) in
        [(&["--last"][..], &[latest(0)][..]), (&["--last", "2"], &[latest(0), latest(1)])]
    {
        let ran = folder.vac_at_home(&[], &[&["inspect", "--json"], arguments].concat());
        let mut found = inspected(&ran);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
    let ran = folder.vac_at_home(&[], &["events", "--last", "--only", "boundaries"]);
    assert!(ran.stdout.contains(latest(0)), "{}", ran.stderr);
    let ran = folder.vac_at_home(&[], &["convert", "--last"]);
    assert!(ran.stdout.contains(latest(0)), "{}", ran.stderr);
    let ran = folder.vac_at_home(&[("HOME", "/nonexistent")], &["show", "--last"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}

#[test]
fn records_are_found_in_the_folder_of_records() {
    let folder = home();
    let ran = folder.vac_at_home(&[], &["convert", "0c0c", "-o", "records/"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::remove_dir_all(folder.path().join("home/.gemini")).expect("a folder");
    let records = [("VAC_RECORDS", "records")];
    let ran = folder.vac_at_home(&records, &["inspect", "--json", "0c0c"]);
    assert_eq!(inspected(&ran), [GEMINI_ID]);
    let ran = folder.vac_at_home(&records, &["validate", "0c0c0c"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran =
        folder.vac_at_home(&records, &["transcode", GEMINI_ID, "--to", "cbor", "-o", "r.cbor"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let key = folder.vac_at_home(&records, &["keygen", "-o", "keys/"]);
    assert_eq!(key.code, 0, "{}", key.stderr);
    let arguments =
        ["sign", "0c0c", "--key", "keys/signing-key.pem", "-o", "records/0c0c-signed.cose"];
    let ran = folder.vac_at_home(&records, &arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let arguments = ["verify", "0c0c-signed", "--key", "keys/signing-key.pub.pem"];
    let ran = folder.vac_at_home(&records, &arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = folder.vac_at_home(&[("VAC_RECORDS", "none")], &["validate", "0c0c"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: VAC_RECORDS: none"), "{}", ran.stderr);
}
