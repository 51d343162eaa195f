//! Tests an archive in the place of a folder of records, and in the place of the log of a record.

use std::fs;

use crate::home::{self, CLAUDE_ID, CODEX_ID, CURSOR_ID, GEMINI_ID, OPENCODE_ID};
use crate::run::Folder;

/// Returns a folder with a home, and an archive of its sessions.
fn archived(format: &str) -> Folder {
    let folder = home::home();
    let made = folder.vac(&["archive", "init", "kept", "--keygen", "--format", format]);
    assert_eq!(made.code, 0, "{made:?}");
    add(&folder);
    folder
}

fn add(folder: &Folder) {
    let added = folder.vac(&["archive", "add", "kept", "--discover", "--root", "home"]);
    assert_eq!(added.code, 0, "{added:?}");
}

/// Adds a second prompt to the session of Claude Code.
fn grow(folder: &Folder) {
    let path = folder.path().join(home::CLAUDE_FILE);
    let text = fs::read_to_string(&path).unwrap();
    let more =
        home::claude(CLAUDE_ID, "2026-03-01T10:00:00.000Z").replace("\"uuid\":\"", "\"uuid\":\"b");
    fs::write(&path, text + &more).unwrap();
}

#[test]
fn archive_is_read_like_a_folder_of_records() {
    for format in ["json", "cbor"] {
        let folder = archived(format);
        let of_logs = folder.vac(&["usage", "--root", "home", "--json"]).json();
        fs::remove_dir_all(folder.path().join("home")).unwrap();
        let listed = folder.vac(&["archive", "list", "kept", "--json"]).json();
        let count = listed["sessions"].as_array().unwrap().len();
        assert!(count >= 8, "{count}");
        let inspected = folder.vac(&["inspect", "kept", "--json"]);
        assert_eq!(inspected.code, 0, "{inspected:?}");
        assert_eq!(inspected.json()["sessions"].as_array().unwrap().len(), count, "{inspected:?}");
        let validated = folder.vac(&["validate", "kept"]);
        let words = format!("{count} files: {count} valid");
        assert!(validated.code == 0 && validated.stderr.contains(&words), "{validated:?}");
        let usage = folder.vac(&["usage", "kept", "--json"]);
        assert_eq!((usage.code, &usage.json()["total"]), (0, &of_logs["total"]), "{usage:?}");
        let events = folder.vac(&["events", "kept"]);
        let starts = events.stdout.matches("\"session_start\"").count();
        assert_eq!((events.code, starts), (0, count), "{events:?}");
        let path = format!("kept/{CLAUDE_ID}");
        let shown = folder.vac(&["show", &path]);
        assert!(shown.code == 0 && shown.stdout.contains(CLAUDE_ID), "{shown:?}");
        // The name that a search prints is accepted by other commands.
        let found = folder.vac(&["search", "Weave", "kept", "--in", "prompts"]);
        assert!(found.code == 0 && found.stdout.contains(&format!("vac show {path}")), "{found:?}");
        #[cfg(feature = "parquet")]
        {
            let exported = folder.vac(&["export", "kept", "--output", "tables"]);
            let words = format!("{count} sessions exported");
            assert!(exported.code == 0 && exported.stderr.contains(&words), "{exported:?}");
        }
        // An archive below a named folder.
        fs::create_dir(folder.path().join("backup")).unwrap();
        fs::rename(folder.path().join("kept"), folder.path().join("backup/kept")).unwrap();
        for arguments in [&["inspect", "backup", "--json"][..], &["validate", "backup", "--json"]] {
            assert_eq!(folder.vac(arguments).code, 0, "{arguments:?}");
        }
    }
}

#[test]
fn sessions_of_an_archive_have_names_and_versions() {
    let folder = archived("json");
    grow(&folder);
    add(&folder);
    let prompts = |name: &str| {
        let ran = folder.vac(&["inspect", &format!("kept/{name}"), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()["sessions"][0]["prompts"]["user"].as_u64().unwrap()
    };
    let latest = prompts(CLAUDE_ID);
    assert_eq!((prompts("0a0a0a0a"), prompts("0a0a0a0a@2")), (latest, latest));
    assert!(prompts("0a0a0a0a@1") < latest);
    let refused = |path: &str, words: &str| {
        let ran = folder.vac(&["show", path]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    };
    refused("kept/nothing", "no session in the archive has the id `nothing`");
    refused("kept/0a0a0a0a@7", "has no version 7");
    refused("kept/0a0a0a0a@x", "has no version x");
    refused("kept/0", "is the beginning of several session ids");
    // The variable names an archive as it names a folder.
    let variables = [("VAC_RECORDS", "kept"), ("HOME", "/nonexistent")];
    let shown = folder.vac_at_home(&variables, &["show", "0a0a0a0a"]);
    assert!(shown.code == 0 && shown.stdout.contains(CLAUDE_ID), "{shown:?}");
    let validated = folder.vac_at_home(&variables, &["validate", "0a0a0a0a", "--json"]);
    assert_eq!(validated.code, 0, "{validated:?}");
    let transcoded = folder.vac(&["transcode", "kept/0a0a0a0a", "--to", "cbor", "-o", "a.cbor"]);
    assert_eq!(transcoded.code, 0, "{transcoded:?}");
    assert_eq!(folder.vac(&["validate", "a.cbor"]).code, 0);
}

#[test]
fn log_in_an_archive_shows_that_a_record_was_made_from_it() {
    let folder = archived("json");
    let first = folder.vac(&["transcode", "kept/0a0a0a0a", "--to", "json", "-o", "first.json"]);
    assert_eq!(first.code, 0, "{first:?}");
    grow(&folder);
    add(&folder);
    fs::remove_dir_all(folder.path().join("home")).unwrap();
    for id in [CLAUDE_ID, CODEX_ID, GEMINI_ID, OPENCODE_ID, CURSOR_ID] {
        let ran = folder.vac(&["verify", &format!("kept/{id}"), "--log", "kept", "--json"]);
        assert_eq!((ran.code, &ran.json()["log"]["verdict"]), (0, &"identical".into()), "{ran:?}");
    }
    // The record of an earlier version, as a file.
    let ran = folder.vac(&["verify", "first.json", "--log", "kept"]);
    assert!(ran.code == 0 && ran.stdout.contains("kept/0a0a0a0a-"), "{ran:?}");
    // With a key, the signed statement and its receipt are verified, too.
    let key = "kept-key/signing-key.pub.pem";
    let ran = folder.vac(&[
        "verify",
        "kept/0a0a0a0a",
        "--key",
        key,
        "--receipt-key",
        key,
        "--log",
        "kept",
    ]);
    assert!(ran.code == 0 && ran.stdout.contains("receipts:       ok"), "{ran:?}");
    // A record with another content.
    let text = fs::read_to_string(folder.path().join("first.json")).unwrap();
    folder.write(
        "other.json",
        text.replace("-home-ada-loom", "-home-ada-room").replace("loom", "room"),
    );
    let ran = folder.vac(&["verify", "other.json", "--log", "kept"]);
    assert!(ran.code == 1 && ran.stdout.contains("NOT made from it"), "{ran:?}");
}

#[test]
fn folder_of_a_kept_log_can_have_any_name() {
    let folder = Folder::new();
    assert_eq!(folder.vac(&["archive", "init", "kept", "--keygen"]).code, 0);
    // The parent of a subagent of Cursor is in the name of a folder.
    let path = format!("c#/agent-transcripts/{CLAUDE_ID}/subagents/{CURSOR_ID}.jsonl");
    folder.write(&path, home::CURSOR);
    let added = folder.vac(&["archive", "add", "kept", "c#"]);
    assert_eq!(added.code, 0, "{added:?}");
    fs::remove_dir_all(folder.path().join("c#")).unwrap();
    let ran = folder.vac(&["verify", &format!("kept/{CURSOR_ID}"), "--log", "kept", "--json"]);
    assert_eq!((ran.code, &ran.json()["log"]["verdict"]), (0, &"identical".into()), "{ran:?}");
}

#[test]
fn damaged_record_of_an_archive_is_named_and_the_others_are_read() {
    let folder = archived("json");
    let listed = folder.vac(&["archive", "list", "kept", "--json"]).json();
    let version = listed["sessions"].as_array().unwrap().iter();
    let version = version.clone().find(|it| it["session-id"] == CODEX_ID).unwrap();
    let hash = version["record-sha-256"].as_str().unwrap();
    let object = folder.path().join(format!("kept/objects/{}/{}", &hash[..2], &hash[2..]));
    fs::remove_file(&object).unwrap();
    let ran = folder.vac(&["inspect", "kept"]);
    let words = format!("kept/{CODEX_ID}: an object of the archive: missing");
    assert!(ran.code == 2 && ran.stderr.contains(&words), "{ran:?}");
    assert!(ran.stdout.contains(CLAUDE_ID), "{ran:?}");
    let ran = folder.vac(&["validate", "kept"]);
    assert!(ran.code == 2 && ran.stderr.contains("1 unreadable"), "{ran:?}");
    // A link is not followed.
    #[cfg(unix)]
    {
        fs::write(folder.path().join("elsewhere"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &object).unwrap();
        let ran = folder.vac(&["show", &format!("kept/{CODEX_ID}")]);
        assert!(ran.code == 2 && ran.stderr.contains("symbolic link, not followed"), "{ran:?}");
    }
}
