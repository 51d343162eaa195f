//! Tests that a link or a special file inside the folder of a session is not opened.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::home::{self, CHAT_ID, CURSOR, CURSOR_ID, OPENCODE_ID, claude, copy};
use crate::hostile::{Ended, names, run, shell};
use crate::run::Folder;

/// The content of a file that must not be read.
const SECRET: &str = "-----BEGIN OPENSSH PRIVATE KEY----- aHVzaA";
const GEMINI_OUTPUTS: &str = "in/tool-outputs/session-b2e17ec3-0019-4a00-8000-00000000a019";
const CLAUDE: &str = "0a0a0a0a-0000-4000-8000-000000000001";

/// Replaces a file or a folder by a link to one with a secret in every file.
fn replace_by_link(folder: &Folder, name: &str) {
    let path = folder.path().join(name);
    let outside = folder.path().join("outside");
    let secret = |file: &Path| {
        let text = format!(
            "{{\"id\": \"{OPENCODE_ID}\", \"schemaVersion\": 1, \
             \"createdAtMs\": 1, \"cwd\": \"{SECRET}\", \"text\": \"{SECRET}\"}}"
        );
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    if path.is_dir() {
        for below in names(&path) {
            if path.join(&below).is_file() {
                secret(&outside.join(below));
            }
        }
        fs::create_dir_all(&outside).unwrap();
        fs::remove_dir_all(&path).unwrap();
    } else {
        secret(&outside);
        fs::remove_file(&path).unwrap();
    }
    symlink(outside, &path).unwrap();
}

/// Folders in which one item is replaced by a link: the function that creates them, and the item.
fn cases() -> Vec<(Folder, String)> {
    let mut cases = Vec::new();
    let mut case = |make: &dyn Fn(&Folder), name: &str| {
        let folder = Folder::new();
        make(&folder);
        replace_by_link(&folder, name);
        cases.push((folder, name.to_owned()));
    };
    let gemini = |folder: &Folder| copy("gemini/jsonl/project-folder", folder, "in");
    case(&gemini, GEMINI_OUTPUTS);
    case(&gemini, "in/tool-outputs");
    case(&gemini, &format!("{GEMINI_OUTPUTS}/run_shell_command-1773-0.txt"));
    case(&gemini, "in/.project_root");
    let claude = |folder: &Folder| {
        folder.write(&format!("in/{CLAUDE}.jsonl"), claude(CLAUDE, "2026-03-01T09:00:00.000Z"));
        folder.write(&format!("in/{CLAUDE}/tool-results/one.txt"), "one");
        let agent = home::claude(CLAUDE, "2026-03-01T09:00:00.000Z");
        folder.write(&format!("in/{CLAUDE}/subagents/agent-one.jsonl"), agent);
    };
    case(&claude, &format!("in/{CLAUDE}"));
    case(&claude, &format!("in/{CLAUDE}/tool-results"));
    case(&claude, &format!("in/{CLAUDE}/tool-results/one.txt"));
    case(&claude, &format!("in/{CLAUDE}/subagents"));
    case(&claude, &format!("in/{CLAUDE}/subagents/agent-one.jsonl"));
    let meta = "{\"schemaVersion\": 1, \"createdAtMs\": 1, \"cwd\": \"/w\"}";
    let chat = format!("in/chats/0123/{CHAT_ID}");
    let cursor_chat = |folder: &Folder| {
        copy("cursor/chat/basic/store.db", folder, &format!("{chat}/store.db"));
        folder.write(&format!("{chat}/meta.json"), meta);
    };
    case(&cursor_chat, &format!("{chat}/meta.json"));
    let chat = format!("in/chats/0123/{CURSOR_ID}");
    let cursor_transcript = |folder: &Folder| {
        folder.write(&format!("in/projects/p/agent-transcripts/{CURSOR_ID}.jsonl"), CURSOR);
        folder.write(&format!("{chat}/meta.json"), meta);
    };
    for name in ["in/chats", "in/chats/0123", &chat, &format!("{chat}/meta.json")] {
        case(&cursor_transcript, name);
    }
    let tree = |folder: &Folder| copy("opencode/tree/basic/storage", folder, "in/storage");
    for name in ["project", "todo", "session_share", "session_diff"] {
        case(&tree, &format!("in/storage/{name}"));
    }
    let file = format!("{OPENCODE_ID}.json");
    for name in ["todo", "session_share", "session_diff"] {
        case(&tree, &format!("in/storage/{name}/{file}"));
    }
    let database = |folder: &Folder| {
        copy("opencode/database/basic/opencode.db", folder, "in/opencode.db");
        folder.write(&format!("in/storage/session_diff/{file}"), "[]");
    };
    for name in
        ["in/storage", "in/storage/session_diff", &format!("in/storage/session_diff/{file}")]
    {
        case(&database, name);
    }
    cases
}

#[test]
fn linked_companions_stay_out_of_records() {
    for (folder, name) in cases() {
        let ended = run(folder.path(), &["convert", "in", "-o", "out/", "--report", "report.json"]);
        ended.says(0, &format!("warning: {name}: symbolic link, not followed\n"));
        let out = folder.path().join("out");
        let records = names(&out);
        assert!(!records.is_empty(), "{name}: {ended:?}");
        for record in records {
            let text = fs::read_to_string(out.join(&record)).unwrap();
            assert!(!text.contains("PRIVATE KEY"), "{name}: {record}");
        }
        let report = fs::read(folder.path().join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["links-skipped"], 1, "{name}");
        assert_eq!(report["special-files-skipped"], 0, "{name}");
        for command in ["inspect", "events"] {
            let Ended { code, stdout, stderr } = run(folder.path(), &[command, "in"]);
            assert_eq!(code, 0, "{command} {name}: {stderr}");
            assert!(!String::from_utf8_lossy(&stdout).contains("PRIVATE KEY"), "{command} {name}");
            let warning = format!("warning: {name}: symbolic link, not followed\n");
            assert!(stderr.contains(&warning), "{command} {name}: {stderr}");
        }
    }
}

#[test]
fn linked_logs_and_databases_are_not_read() {
    let folder = Folder::new();
    copy("cursor/chat/basic/store.db", &folder, "outside/store.db");
    copy("codex/envelopes/compressed", &folder, "outside/codex");
    folder.write("outside/log.jsonl", claude("outside", "2026-03-01T09:00:00.000Z"));
    folder.write("in/log.jsonl", claude("inside", "2026-03-01T09:00:00.000Z"));
    for (target, name) in [
        ("../outside/store.db", "in/store.db"),
        ("../outside/codex", "in/codex"),
        ("../outside/log.jsonl", "in/other.jsonl"),
    ] {
        symlink(target, folder.path().join(name)).unwrap();
    }
    let ended = run(folder.path(), &["convert", "in", "-o", "out/"]);
    for name in ["store.db", "codex", "other.jsonl"] {
        ended.says(0, &format!("warning: in/{name}: symbolic link, not followed\n"));
    }
    assert_eq!(names(&folder.path().join("out")), ["claude-inside.json"]);
    // Links that are named are followed.
    let named = ["in/store.db", "in/codex", "in/other.jsonl"];
    let ended = run(folder.path(), &[&["convert", "-o", "named/"], &named[..]].concat());
    assert!(ended.code == 0 && !ended.stderr.contains("symbolic link"), "{ended:?}");
    assert!(names(&folder.path().join("named")).len() >= 3, "{ended:?}");
}

#[test]
fn pipes_named_like_companions_do_not_hang() {
    let folder = home::home();
    let chat = format!("home/.cursor/chats/0123abcd/{CHAT_ID}");
    let pipes = [
        format!("{chat}/meta.json"),
        format!("{chat}/store.db-wal"),
        format!("{chat}/store.db-journal"),
        "home/.gemini/tmp/twin/tool-outputs".to_owned(),
        "home/.local/share/opencode/storage/session_diff/pipe.json".to_owned(),
        format!("home/.cursor/chats/x/{CURSOR_ID}/meta.json"),
    ];
    for pipe in &pipes {
        let line = format!("mkdir -p $(dirname {pipe}) && mkfifo {pipe}");
        assert_eq!(shell(folder.path(), &line).code, 0);
    }
    for command in [
        "list --root home",
        "convert --discover --root home -o out/ --report report.json",
        "convert home -o named/",
        "inspect home",
        "events home",
    ] {
        let ended = shell(folder.path(), &format!("timeout 100 $vac {command}"));
        ended.says(0, &format!("warning: {chat}/meta.json: pipe, socket or device, not opened\n"));
    }
    let report = fs::read(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(
        (&report["links-skipped"], &report["special-files-skipped"]),
        (&0.into(), &4.into())
    );
}

#[test]
fn below_a_named_root_not_even_places_are_followed() {
    let folder = home::home();
    let places = [
        "home/.claude",
        "home/.codex/sessions",
        "home/.gemini/tmp/twin/chats",
        "home/.local/share",
    ];
    for place in places {
        let elsewhere = folder.path().join(place.replace('/', "-"));
        fs::rename(folder.path().join(place), &elsewhere).unwrap();
        symlink(elsewhere, folder.path().join(place)).unwrap();
    }
    let named = folder.vac(&["list", "--root", "home"]);
    assert_eq!(named.code, 0);
    for place in places {
        let warning = format!("warning: {place}: symbolic link, not followed\n");
        assert!(named.stderr.contains(&warning), "{}", named.stderr);
    }
    // A user's own folders may be links, but not those of single projects.
    let own = folder.vac_at_home(&[], &["list"]);
    assert!(own.stdout.contains(home::CLAUDE_ID) && own.stdout.contains(home::CODEX_ID));
    assert!(!own.stdout.contains(home::GEMINI_ID));
    assert_eq!(own.stderr.matches("symbolic link").count(), 1, "{}", own.stderr);
}

#[test]
fn many_links_are_counted_and_some_are_listed() {
    let folder = Folder::new();
    folder.write("in/log.jsonl", claude("one", "2026-03-01T09:00:00.000Z"));
    for number in 0..30 {
        symlink("log.jsonl", folder.path().join(format!("in/{number:02}\u{1b}[2J.jsonl"))).unwrap();
    }
    let ended = run(folder.path(), &["convert", "in", "-o", "out/", "--report", "r.json"]);
    ended.says(0, "warning: 10 more links or special files not opened (-v lists them)\n");
    assert_eq!(ended.stderr.matches(": symbolic link, not followed").count(), 20);
    let report = fs::read(folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["links-skipped"], 30);
    let ended = run(folder.path(), &["convert", "in", "-v", "-o", "again/"]);
    assert_eq!(ended.stderr.matches(": symbolic link, not followed").count(), 30);
}

#[test]
fn folders_deeper_than_a_limit_are_an_error() {
    let folder = Folder::new();
    folder.write("in/log.jsonl", claude("one", "2026-03-01T09:00:00.000Z"));
    // The path is longer than the system allows, and must not overflow the stack.
    let line = "cd in; for i in $(seq 600); do mkdir -p dddddddddd && cd -P dddddddddd; done";
    assert_eq!(shell(folder.path(), line).code, 0);
    run(folder.path(), &["convert", "in", "-o", "out/"]).says(2, "more than 128 folders deep");
    assert_eq!(names(&folder.path().join("out")), ["claude-one.json"]);
}
