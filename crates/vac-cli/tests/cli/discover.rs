//! `vac convert --discover`

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::home::{
    self, CLAUDE_FILE, CLAUDE_ID, CODEX_FILE, CODEX_ID, GEMINI_ID, OPENCODE_ID, copy, home, state,
};
use crate::run::{Folder, Ran};

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

fn discover(folder: &Folder, arguments: &[&str]) -> Ran {
    let all = [&["convert", "--discover", "--root", "home", "-o", "records"], arguments].concat();
    folder.vac(&all)
}

#[track_caller]
fn says(ran: &Ran, words: &str) {
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

fn append(folder: &Folder, name: &str, text: &str) {
    let path = folder.path().join(name);
    let before = fs::read_to_string(&path).expect("a file");
    fs::write(&path, before + text).expect("a longer file");
}

#[test]
fn only_what_is_new_or_has_changed_is_converted_again() {
    for format in [&["-f", "json"][..], &["-f", "cbor"], &["--pretty"]] {
        let folder = home();
        let first = discover(&folder, format);
        assert_eq!((first.code, first.stdout.as_str()), (0, ""), "{}", first.stderr);
        says(&first, "11 new, 0 changed, 0 unchanged\n");
        let records = folder.path().join("records");
        assert_eq!(names(&records).len(), 11);
        assert_eq!(folder.vac(&["validate", "records"]).code, 0);
        let before = state(&records);

        let second = discover(&folder, format);
        assert_eq!(second.code, 0, "{}", second.stderr);
        says(&second, "0 new, 0 changed, 11 unchanged\n");
        assert_eq!(state(&records), before);

        let more = home::claude(CLAUDE_ID, "2026-03-01T10:00:00.000Z").replace("\"u", "\"v");
        append(&folder, CLAUDE_FILE, &more);
        let other = "home/.codex/archived_sessions/rollout-2026-03-04T09-00-00-x.jsonl";
        folder.write(other, home::codex("0e0e0e0e", "2026-03-04T09:00:00Z"));
        let third = discover(&folder, format);
        assert_eq!(third.code, 0, "{}", third.stderr);
        says(&third, "2 sessions converted, 0 failed, 0 skipped\n");
        says(&third, "1 new, 1 changed, 10 unchanged\n");
        let after = state(&records);
        let changed: Vec<_> = before.keys().filter(|path| before[*path] != after[*path]).collect();
        let ending = if format.contains(&"cbor") { "cbor" } else { "json" };
        let claude = records.join(format!("claude-{CLAUDE_ID}.{ending}"));
        assert_eq!(changed, [&records, &claude]);
        assert_eq!(names(&records).len(), 12);
        assert_eq!(folder.vac(&["validate", "records"]).code, 0);
    }
}

#[test]
fn the_same_size_with_other_bytes_is_noticed() {
    let folder = home();
    discover(&folder, &[]);
    let path = folder.path().join(CODEX_FILE);
    let log = fs::read_to_string(&path).expect("a log");
    fs::write(&path, log.replace("Grind it", "Mill it!")).expect("a log");
    let ran = discover(&folder, &[]);
    says(&ran, "1 new, 0 changed, 10 unchanged, 1 kept\n");
    let record = folder.path().join(format!("records/codex-{CODEX_ID}-2.json"));
    assert!(fs::read_to_string(record).expect("a record").contains("Mill it!"));
}

#[test]
fn files_that_are_not_the_record_are_never_replaced() {
    let folder = home();
    discover(&folder, &["-a", "codex"]);
    let claude = format!("records/claude-{CLAUDE_ID}.json");
    let codex = format!("records/codex-{CODEX_ID}.json");
    let record = fs::read_to_string(folder.path().join(&codex)).expect("a record");
    // A note of the user, and the record of another session with the name of this one.
    for other in ["mine", &record] {
        folder.write(&claude, other);
        for arguments in [&[][..], &["--force"]] {
            fs::remove_file(folder.path().join(format!("records/claude-{CLAUDE_ID}-2.json")))
                .unwrap_or_default();
            let ran = discover(&folder, &[&["-a", "claude"], arguments].concat());
            assert_eq!(ran.code, 1, "{}", ran.stderr);
            says(&ran, "is kept, because it is not a record of this session; the new record is ");
            says(&ran, "1 new, 0 changed, 0 unchanged, 1 kept\n");
            assert_eq!(fs::read_to_string(folder.path().join(&claude)).expect("a file"), other);
        }
        says(&discover(&folder, &["-a", "claude"]), "0 new, 0 changed, 1 unchanged\n");
    }
}

#[test]
fn force_converts_everything_again() {
    let folder = home();
    discover(&folder, &[]);
    says(&discover(&folder, &[]), "0 new, 0 changed, 11 unchanged\n");
    let before = names(&folder.path().join("records"));
    // These contain less: only --force replaces full records by them.
    let force = ["--profile", "canonical", "--force"];
    says(&discover(&folder, &force), "0 new, 11 changed, 0 unchanged\n");
    assert_eq!(names(&folder.path().join("records")), before);
}

#[test]
fn sessions_of_one_id_keep_their_own_records() {
    let folder = Folder::new();
    let (one, two) = ("home/.claude/projects/a/s.jsonl", "home/.claude/projects/b/s.jsonl");
    folder.write(one, home::claude("s", "2026-03-01T09:00:00Z"));
    folder.write(two, home::claude("s", "2026-03-02T09:00:00Z"));
    says(&discover(&folder, &[]), "2 new, 0 changed, 0 unchanged\n");
    assert_eq!(names(&folder.path().join("records")), ["claude-s-2.json", "claude-s.json"]);
    let record = |name: &str| fs::read(folder.path().join("records").join(name)).expect("a record");
    let (first, second) = (record("claude-s.json"), record("claude-s-2.json"));
    // The first session has changed: the record of the second stays.
    append(&folder, one, "{\"type\":\"summary\",\"summary\":\"x\"}\n");
    says(&discover(&folder, &[]), "0 new, 1 changed, 1 unchanged\n");
    assert_ne!(record("claude-s.json"), first);
    assert_eq!(record("claude-s-2.json"), second);
    // The first session no longer exists: its record and the other one stay.
    fs::remove_file(folder.path().join(one)).expect("a file less");
    says(&discover(&folder, &[]), "0 new, 0 changed, 1 unchanged\n");
    assert_eq!(names(&folder.path().join("records")).len(), 2);
}

#[test]
fn a_copy_is_not_another_session() {
    let folder = home();
    let log = fs::read(folder.path().join(CODEX_FILE)).expect("a log");
    let name = Path::new(CODEX_FILE).file_name().expect("a name").to_string_lossy();
    folder.write(&format!("home/.codex/archived_sessions/{name}"), &log);
    let small = zstd::encode_all(&log[..], 3).expect("a compressed file");
    folder.write(&format!("home/.codex/archived_sessions/{name}.zst"), small);
    let ran = discover(&folder, &["-a", "codex", "-v"]);
    says(&ran, "1 new, 0 changed, 0 unchanged\n");
    says(&ran, "2 duplicates skipped\n");
    says(&ran, ".jsonl.zst: skipped, a copy of ");
}

#[test]
fn a_database_goes_before_the_files_it_replaced() {
    let folder = Folder::new();
    copy("opencode/tree/basic/storage", &folder, "home/.local/share/opencode/storage");
    says(&discover(&folder, &[]), "1 new, 0 changed, 0 unchanged\n");
    let record = folder.path().join(format!("records/opencode-{OPENCODE_ID}.json"));
    let source = |record: &Path| {
        let record: Value =
            serde_json::from_slice(&fs::read(record).expect("a record")).expect("JSON");
        record["recording-agent"]["sources"][0]["name"].as_str().expect("a name").to_owned()
    };
    assert_eq!(source(&record), format!("storage#{OPENCODE_ID}"));
    copy("opencode/database/basic/opencode.db", &folder, "home/.local/share/opencode/opencode.db");
    let ran = discover(&folder, &["-v", "--json"]);
    // The database knows more of each entry than the files did: these are other entries.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    says(&ran, "2 new, 0 changed, 0 unchanged, 1 kept\n");
    says(&ran, &format!("opencode.db#{OPENCODE_ID} has more of the session\n"));
    assert_eq!(source(&record), format!("storage#{OPENCODE_ID}"));
    let second = folder.path().join(format!("records/opencode-{OPENCODE_ID}-2.json"));
    assert_eq!(source(&second), format!("opencode.db#{OPENCODE_ID}"));
    assert_eq!(ran.json()["duplicates"].as_array().map(Vec::len), Some(1));
    // Both stores are converted if both are named.
    let both = folder.vac(&[
        "convert",
        "-q",
        "home/.local/share/opencode/storage",
        "home/.local/share/opencode/opencode.db",
    ]);
    assert_eq!(both.lines().len(), 3);
}

#[test]
fn older_forms_of_a_session_are_read_only_without_it() {
    let folder = Folder::new();
    let put = |fixture: &str, name: &str| {
        copy(fixture, &folder, name);
        fs::read(folder.path().join(name)).expect("a log")
    };
    let id = "44444444-0000-4000-8000-0000000000c1";
    let flat = format!("home/.copilot/session-state/{id}.jsonl");
    let events = put("copilot/events/basic/events.jsonl", &flat);
    let logs = "home/.gemini/antigravity-cli/brain/c-1/.system_generated/logs";
    let steps = "antigravity/transcript/basic/transcript_full.jsonl";
    let steps = put(steps, &format!("{logs}/transcript.jsonl"));
    let name = "20250901_090000.jsonl";
    put(&format!("goose/jsonl/basic/{name}"), &format!("home/.local/share/goose/sessions/{name}"));
    says(&discover(&folder, &[]), "3 new, 0 changed, 0 unchanged\n");
    // The log that replaced the file continues.
    let longer = |log: &[u8], line: &str| [log, line.as_bytes(), b"\n"].concat();
    let event = r#"{"type":"abort","data":{"reason":"user"},"id":"z1","parentId":null}"#;
    folder.write(&format!("home/.copilot/session-state/{id}/events.jsonl"), longer(&events, event));
    let step = r#"{"step_index":99,"source":"SYSTEM","type":"SYSTEM_MESSAGE","status":"DONE","created_at":"2026-06-20T12:00:00Z"}"#;
    folder.write(&format!("{logs}/transcript_full.jsonl"), longer(&steps, step));
    let ran = discover(&folder, &["-v"]);
    says(&ran, "0 new, 2 changed, 1 unchanged\n");
    says(&ran, &format!("session-state/{id}.jsonl: skipped, "));
    says(&ran, "transcript.jsonl: skipped, ");
    // A user can name the log.
    let ran = folder.vac(&["convert", "-o", "named.json", &flat]);
    says(&ran, "1 session converted, 0 failed, 0 skipped\n");
}

#[test]
fn records_go_to_stdout_without_a_folder() {
    let folder = home();
    for arguments in [&[][..], &["-o", "-"]] {
        let all =
            [&["convert", "--discover", "--root", "home", "-a", "claude"], arguments].concat();
        let ran = folder.vac(&all);
        assert_eq!((ran.code, ran.lines().len()), (0, 1), "{}", ran.stderr);
        assert!(!ran.stderr.contains("unchanged"), "{}", ran.stderr);
    }
    folder.write("file", "");
    let ran = folder.vac(&["convert", "--discover", "--root", "home", "-o", "file"]);
    assert_eq!(ran.code, 2);
    says(&ran, "cannot create folder file: ");
}

#[test]
fn sessions_can_be_chosen() {
    let folder = home();
    says(
        &discover(&folder, &["--since", "2026-03-02", "--until", "2026-03-02", "-a", "claude"]),
        "0 new, 0 changed",
    );
    says(
        &discover(&folder, &["--since", "2026-03-02", "--until", "2026-03-02", "-a", "codex"]),
        "1 new, 0 changed",
    );
    let ran = discover(&folder, &["-a", "cursor", "--until", "1999-12-31"]);
    // That of a chat is known after its database was read.
    says(&ran, "2 sessions of unknown start included\n");
    says(&ran, "2 new, 0 changed, 0 unchanged\n");
    let at_home = folder.vac_at_home(&[], &["convert", "--discover", "-o", "all"]);
    says(&at_home, "11 new, 0 changed, 0 unchanged\n");
    let none = folder.vac(&["convert", "--discover", "--root", "records", "-o", "none"]);
    assert_eq!(none.code, 0, "{}", none.stderr);
    says(&none, "no session found in records; searched the places of these agents there:\n");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = home();
    for wrong in [
        &["convert"][..],
        &["convert", "--discover", "home"],
        &["convert", "--root", "home", "home"],
        &["convert", "--discover", "--root", "nowhere"],
        &["convert", "--discover", "--root", "home", "-a", "unknown-agent"],
        &["convert", "--discover", "--root", "home", "--since", "soon"],
        &["convert", "--discover", "--root", "home", "--json"],
    ] {
        let ran = folder.vac(wrong);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{wrong:?}");
    }
}

#[test]
fn reading_changes_nothing() {
    let folder = home();
    let log = "home/.claude/projects/-home-ada-loom";
    folder.write(&format!("{log}/{CLAUDE_ID}/tool-results/x.txt"), "spilled");
    folder.write(&format!("{log}/empty.jsonl"), "");
    folder.write(&format!("{log}/torn.jsonl"), "{\"type\":\"us");
    let before = state(&folder.path().join("home"));
    for arguments in [
        &["list", "--root", "home"][..],
        &["convert", "--discover", "--root", "home", "-o", "a"],
        &["convert", "--discover", "--root", "home", "-o", "a", "--force"],
        &["convert", "home", "-o", "b/"],
        &["inspect", "home"],
    ] {
        folder.vac(arguments);
        assert!(state(&folder.path().join("home")) == before, "{arguments:?}");
    }
}

#[test]
fn a_session_is_more_than_its_file() {
    let folder = Folder::new();
    let log = "home/.claude/projects/-home-ada-loom";
    folder.write(
        &format!("{log}/{CLAUDE_ID}.jsonl"),
        home::claude(CLAUDE_ID, "2026-03-01T09:00:00Z"),
    );
    folder.write(&format!("{log}/{CLAUDE_ID}/tool-results/x.txt"), "spilled");
    let subagent = home::claude(CLAUDE_ID, "2026-03-01T09:00:01Z")
        .replace("\"uuid\"", "\"isSidechain\":true,\"agentId\":\"ab12\",\"uuid\"");
    folder.write(&format!("{log}/{CLAUDE_ID}/subagents/agent-ab12.jsonl"), subagent);
    let gemini = "home/.gemini/tmp/twin";
    let chat = home::gemini(GEMINI_ID, "2026-03-03T09:00:00Z");
    folder.write(&format!("{gemini}/chats/session-2026-03-03T09-00-0c0c0c0c.json"), chat);
    folder.write(&format!("{gemini}/.project_root"), "/home/ada/twin\n");
    folder.write(&format!("{gemini}/tool-outputs/session-{GEMINI_ID}/out.txt"), "masked");
    folder.write(&format!("{gemini}/tool-outputs/session-other/out.txt"), "another's");
    says(&discover(&folder, &[]), "2 new, 0 changed, 0 unchanged\n");
    let record = |name: &str| -> Value {
        let bytes = fs::read(folder.path().join("records").join(name)).expect("a record");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let sources = |record: &Value| -> Vec<String> {
        let sources = record["recording-agent"]["sources"].as_array().expect("sources");
        sources.iter().map(|source| source["name"].as_str().expect("a name").to_owned()).collect()
    };
    let claude = record(&format!("claude-{CLAUDE_ID}.json"));
    let expected = [
        format!("{CLAUDE_ID}.jsonl"),
        "agent-ab12.jsonl".to_owned(),
        format!("{CLAUDE_ID}/tool-results/x.txt"),
    ];
    assert_eq!(sources(&claude), expected);
    let gemini_record = record(&format!("gemini-{GEMINI_ID}.json"));
    let expected = [
        "session-2026-03-03T09-00-0c0c0c0c.json",
        ".project_root",
        &format!("tool-outputs/session-{GEMINI_ID}/out.txt"),
    ];
    assert_eq!(sources(&gemini_record), expected);
    assert_eq!(gemini_record["session"]["environment"]["working-dir"], "/home/ada/twin");
    assert!(gemini_record.to_string().contains("masked"));
    says(&discover(&folder, &[]), "0 new, 0 changed, 2 unchanged\n");
    folder.write(&format!("{gemini}/tool-outputs/session-{GEMINI_ID}/more.txt"), "more");
    folder.write(&format!("{log}/{CLAUDE_ID}/tool-results/x.txt"), "spilled!");
    says(&discover(&folder, &[]), "0 new, 2 changed, 0 unchanged\n");
}

#[test]
fn the_report_names_what_is_newer_and_what_is_unknown() {
    let folder = Folder::new();
    let log = home::claude("s", "2026-03-01T09:00:00Z").replace("2.1.0", "987.6.5");
    let strange = "{\"type\":\"from-the-future\",\"sessionId\":\"s\",\"what\":1}\n";
    folder.write("home/.claude/projects/a/s.jsonl", log + strange);
    let ran = discover(&folder, &["-v", "--report", "report.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    says(&ran, "s.jsonl: written by version 987.6.5, tested up to ");
    says(&ran, "unknown: claude from-the-future (1)\n");
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(
        (&report["new"], &report["changed"], &report["unchanged"]),
        (&1.into(), &0.into(), &0.into())
    );
    let session = &report["sessions"][0];
    assert_eq!(session["unknown-types"]["from-the-future"], 1);
    assert!(session["warnings"].to_string().contains("987.6.5"), "{session}");
    assert_eq!(discover(&folder, &["--force", "--strict"]).code, 1);
}

#[cfg(unix)]
mod hostile {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::home::{lock, unlock};

    #[test]
    fn links_are_not_followed() {
        let folder = home();
        let claude = folder.path().join("home/.claude");
        symlink("..", claude.join("projects/round")).expect("a link");
        symlink("round", claude.join("projects/-home-ada-loom/round")).expect("a link");
        symlink(claude.join("projects"), folder.path().join("home/.codex/sessions/2026/loop"))
            .expect("a link");
        symlink("nowhere", claude.join("projects/-home-ada-loom/lost.jsonl")).expect("a link");
        symlink(
            folder.path().join(CLAUDE_FILE),
            claude.join("projects/-home-ada-loom/again.jsonl"),
        )
        .expect("a link");
        symlink(".", folder.path().join("home/.gemini/tmp/twin/chats/self")).expect("a link");
        let ran = discover(&folder, &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        says(&ran, "11 new, 0 changed, 0 unchanged\n");
        // An agent's folder itself may be elsewhere, unless the folder around it was named.
        fs::rename(&claude, folder.path().join("elsewhere")).expect("another place");
        symlink(folder.path().join("elsewhere"), &claude).expect("a link");
        says(&discover(&folder, &[]), "0 new, 0 changed, 10 unchanged\n");
        says(&discover(&folder, &[]), "home/.claude: symbolic link, not followed\n");
        let all = ["convert", "--discover", "-o", "records"];
        says(&folder.vac_at_home(&[], &all), "0 new, 0 changed, 11 unchanged\n");
        let named = folder.vac(&["convert", "home/.claude/projects", "-q"]);
        assert_eq!((named.code, named.lines().len()), (0, 1), "{}", named.stderr);
    }

    #[test]
    fn a_name_need_not_be_text() {
        let folder = Folder::new();
        let project =
            folder.path().join("home/.claude/projects").join(OsStr::from_bytes(b"caf\xe9"));
        fs::create_dir_all(&project).expect("a folder");
        let log = home::claude("s", "2026-03-01T09:00:00Z");
        fs::write(project.join(OsStr::from_bytes(b"\xff\xfe.jsonl")), log).expect("a file");
        let listed = folder.vac(&["list", "--json", "--root", "home"]);
        assert_eq!(listed.code, 0, "{}", listed.stderr);
        assert_eq!(listed.json()["sessions"][0]["session-id"], "s");
        says(&discover(&folder, &[]), "1 new, 0 changed, 0 unchanged\n");
        says(&discover(&folder, &[]), "0 new, 0 changed, 1 unchanged\n");
    }

    #[test]
    fn invalid_databases_are_reported_and_the_rest_read() {
        let folder = home();
        folder.write("home/.local/share/opencode/opencode-dev.db", "not one");
        folder.write("home/.local/share/opencode/opencode-new.db", "");
        let torn = fs::read(folder.path().join("home/.local/share/opencode/opencode.db"))
            .expect("a database");
        folder.write("home/.local/share/opencode/opencode-torn.db", &torn[..5000]);
        for arguments in [
            &["list", "--root", "home"][..],
            &["convert", "--discover", "--root", "home", "-o", "records"],
        ] {
            let ran = folder.vac(arguments);
            assert_eq!(ran.code, 2);
            says(&ran, "opencode-dev.db: not a SQLite database\n");
            says(&ran, "opencode-torn.db: ");
            assert!(!ran.stderr.contains("opencode-new.db"), "{}", ran.stderr);
        }
        assert_eq!(names(&folder.path().join("records")).len(), 11);
    }

    #[test]
    fn unreadable_files_are_reported_and_the_rest_read() {
        let folder = home();
        let file = folder.path().join(CLAUDE_FILE);
        let place = folder.path().join("home/.codex/sessions/2026");
        let output = format!("home/.gemini/tmp/twin/tool-outputs/session-{GEMINI_ID}/out.txt");
        let output = folder.write(&output, "masked");
        let is_locked = [&file, &place, &output].map(|path| lock(path));
        let ran = discover(&folder, &[]);
        let listed = folder.vac(&["list", "--json", "--root", "home"]);
        for path in [&file, &place, &output] {
            unlock(path);
        }
        if is_locked == [true; 3] {
            assert_eq!(ran.code, 2, "{}", ran.stderr);
            for path in [&file, &place, &output] {
                says(
                    &ran,
                    &format!(
                        "error: {}: Permission denied",
                        path.strip_prefix(folder.path()).expect("below").display()
                    ),
                );
            }
            says(&ran, "9 new, 0 changed, 0 unchanged\n");
            assert_eq!(listed.code, 2);
            assert_eq!(listed.json()["sessions"].as_array().map(Vec::len), Some(9));
        }
        says(
            &discover(&folder, &[]),
            if is_locked == [true; 3] {
                "2 new, 1 changed, 8 unchanged\n"
            } else {
                "11 unchanged\n"
            },
        );
    }
}
