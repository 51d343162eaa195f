//! Logs that change after they are found, duplicates, and companion files.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use vac_adapter::{Adapter, Input};
use vac_adapter_antigravity::Antigravity;
use vac_adapter_cursor::Cursor;
use vac_store::join::{DetectedLog, UnusedReason, detect, join};
use vac_store::{StoredLog, find};

const TRANSCRIPT: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"Hm"}]}}"#;
const ADAPTERS: &[&dyn Adapter] = &[&Cursor, &Antigravity];

fn detect_all(logs: Vec<StoredLog>) -> Vec<DetectedLog> {
    join(logs.into_iter().map(|log| detect(log, ADAPTERS)).collect())
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    folder
}

#[test]
fn vanished_file_is_reported_and_others_are_read() {
    let other = TRANSCRIPT.replace("Hm", "Mh");
    let folder = folder(&[("a.jsonl", TRANSCRIPT), ("b.jsonl", &other), ("c.jsonl", TRANSCRIPT)]);
    let found = find(&[folder.path().to_owned()], crate::AGENTS);
    assert!(found.troubles.is_empty());
    fs::remove_file(folder.path().join("a.jsonl")).expect("a file less");
    let logs = detect_all(found.logs);
    let troubles: Vec<_> = logs.iter().map(|known| known.trouble.is_some()).collect();
    assert_eq!(troubles, [true, false, false]);
    fs::remove_file(folder.path().join("b.jsonl")).expect("a file less");
    assert!(logs[1].log.load().is_err());
    let loaded = logs[2].log.load().expect("a log");
    let sources = loaded.sources().expect("sources");
    assert_eq!(sources[0].size, TRANSCRIPT.len() as u64);
    assert!(logs[2].log.is_made_of(&sources).expect("an answer"));
    assert!(logs[1].log.is_made_of(&sources).is_err());
}

#[test]
fn copy_of_a_session_without_an_id_is_skipped() {
    let other = TRANSCRIPT.replace("Hm", "Mh");
    let folder = folder(&[("a.jsonl", TRANSCRIPT), ("b.jsonl", &other), ("d/c.jsonl", TRANSCRIPT)]);
    let first = folder.path().join("a.jsonl");
    let logs = detect_all(
        find(&[first.clone(), folder.path().to_owned(), first.clone()], crate::AGENTS).logs,
    );
    let shown: Vec<_> = logs.iter().map(|known| known.log.shown.as_str()).collect();
    assert_eq!(shown, [first.to_str(), folder.path().join("b.jsonl").to_str()].map(Option::unwrap));
    assert_eq!(logs[0].left_out.len(), 3, "named again, found, and a copy elsewhere");
}

#[test]
fn own_log_is_kept_if_the_shortened_form_is_the_same() {
    let step = r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-06-20T09:00:00Z","content":"Hi"}"#;
    let logs = "brain/c-1/.system_generated/logs";
    let [shortened, full] =
        ["transcript.jsonl", "transcript_full.jsonl"].map(|name| format!("{logs}/{name}"));
    let folder = folder(&[(&shortened, step), (&full, step)]);
    let logs = detect_all(find(&[folder.path().to_owned()], crate::AGENTS).logs);
    let [log] = logs.as_slice() else { panic!("{logs:?}") };
    assert!(log.log.shown.ends_with(&full), "{}", log.log.shown);
    let reason = UnusedReason::Copy(log.log.shown.clone());
    let [unused] = log.left_out.as_slice() else { panic!("{:?}", log.left_out) };
    assert_eq!(unused.reason, reason);
}

#[test]
fn transcript_replaces_the_database_of_its_conversation() {
    let step = r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-06-20T09:00:00Z","content":"Hi"}"#;
    let name = "c0ffee00-0000-4000-8000-000000000010";
    let fixture = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../fixtures/antigravity/database/basic/{name}.db"));
    for transcript in ["transcript_full.jsonl", "transcript.jsonl"] {
        let transcript = format!("brain/{name}/.system_generated/logs/{transcript}");
        let folder = folder(&[(&transcript, step), ("conversations/x", "")]);
        let database = folder.path().join(format!("conversations/{name}.db"));
        fs::copy(&fixture, &database).expect("a copy");
        let found = || detect_all(find(&[folder.path().to_owned()], ADAPTERS).logs);
        let logs = found();
        let logs: Vec<_> = logs.iter().filter(|log| log.agent.is_some()).collect();
        let [log] = logs.as_slice() else { panic!("{logs:?}") };
        assert!(log.log.shown.ends_with(&transcript), "{}", log.log.shown);
        let [unused] = log.left_out.as_slice() else { panic!("{:?}", log.left_out) };
        assert_eq!(unused.reason, UnusedReason::Remains(log.log.shown.clone()));
        fs::remove_file(folder.path().join(&transcript)).expect("a file less");
        let logs = found();
        let shown: Vec<_> =
            logs.iter().filter(|log| log.agent.is_some()).map(|log| &log.log.shown).collect();
        assert_eq!(shown, [&format!("{}#{name}", database.display())]);
    }
}

#[test]
fn lines_appended_to_a_large_log_while_it_is_read_are_ignored() {
    let large = format!("{TRANSCRIPT}\n{}\n", " ".repeat(65 << 20));
    let folder = folder(&[("a.jsonl", &large)]);
    let path = folder.path().join("a.jsonl");
    let found = find(std::slice::from_ref(&path), crate::AGENTS);
    let loaded = found.logs[0].load().expect("a log");
    let sources = loaded.sources().expect("sources");
    assert!(loaded.bytes().is_none(), "it is not in memory");
    let mut file = fs::OpenOptions::new().append(true).open(&path).expect("the file");
    file.write_all(TRANSCRIPT.as_bytes()).expect("room");
    let mut bytes = Vec::new();
    loaded.open().and_then(|mut log| log.read_to_end(&mut bytes)).expect("the log");
    assert_eq!(bytes.len(), large.len());
    assert_eq!(loaded.sources().expect("sources"), sources, "it has only grown");
}

#[cfg(unix)]
#[test]
fn database_may_have_a_name_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;

    let store =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cursor/chat/basic/store.db");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"50%\xff?#&.db"));
    if let Err(error) = fs::copy(store, &path) {
        return println!("skipped: this disk wants names to be text ({error})");
    }
    let found = find(&[path], crate::AGENTS);
    assert_eq!((found.logs.len(), found.troubles), (1, Vec::new()));
    assert!(found.logs[0].load().is_ok());
}

#[test]
fn log_has_the_names_and_bytes_that_were_found() {
    let folder = folder(&[("a.jsonl", TRANSCRIPT)]);
    let path = folder.path().join("a.jsonl");
    let found = find(std::slice::from_ref(&path), crate::AGENTS);
    let log = &found.logs[0];
    let sources = log.load().expect("a log").sources().expect("sources");
    let is_made_of = |sources: &[_]| log.is_made_of(sources).expect("an answer");
    assert!(is_made_of(&sources));
    assert!(!is_made_of(&[]));
    assert!(!is_made_of(&[sources.clone(), sources.clone()].concat()));
    let mut other = sources.clone();
    other[0].name.push('x');
    assert!(!is_made_of(&other));
    fs::write(&path, TRANSCRIPT.replace("Hm", "Mh")).expect("a file");
    assert!(!is_made_of(&sources), "the same size, other bytes");
    fs::write(&path, TRANSCRIPT.to_owned() + "\n").expect("a file");
    assert!(!is_made_of(&sources), "another size");
}

#[test]
fn file_next_to_a_transcript_is_read_with_it() {
    let id = "0d0d0d0d-0000-4000-8000-000000000004";
    let transcript = format!("projects/p/agent-transcripts/{id}/{id}.jsonl");
    let meta = format!("chats/0123/{id}/meta.json");
    let files = [(transcript.as_str(), TRANSCRIPT), (meta.as_str(), "{\"cwd\": \"/w\"}")];
    let folder = folder(&files);
    let logs = detect_all(find(&[folder.path().to_owned()], crate::AGENTS).logs);
    assert_eq!(logs.len(), 1);
    assert_eq!(logs[0].preview.project.as_deref(), Some("/w"));
    let loaded = logs[0].log.load().expect("a log");
    let parts = loaded.parts();
    assert_eq!(
        parts[1].bytes(),
        Some(&b"{\"file\":\"meta.json\",\"value\":{\"cwd\": \"/w\"}}\n"[..])
    );
    let sources = loaded.sources().expect("sources");
    assert_eq!((sources[1].name.as_str(), sources[1].size), ("meta.json", 13));
    // A file that is not an object, or that belongs to a database, is not read.
    for change in [(meta.as_str(), "{\"cwd\""), (&format!("chats/0123/{id}/store.db"), "")] {
        fs::write(folder.path().join(change.0), change.1).expect("a file");
        let logs = detect_all(find(&[folder.path().join("projects")], crate::AGENTS).logs);
        assert_eq!(logs[0].log.load().expect("a log").parts().len(), 1);
    }
}

#[test]
fn number_of_open_databases_is_limited() {
    let store =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cursor/chat/basic/store.db");
    let store = fs::read(store).expect("a fixture");
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..40 {
        let chat = folder.path().join(format!("chats/a/{number}"));
        fs::create_dir_all(&chat).expect("a folder");
        fs::write(chat.join("store.db"), &store).expect("a database");
    }
    let found = find(&[folder.path().to_owned()], crate::AGENTS);
    assert_eq!((found.logs.len(), found.troubles.len()), (40, 0));
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        let under = |entry: fs::DirEntry| fs::read_link(entry.path()).unwrap_or_default();
        let open = open.flatten().map(under).filter(|path| path.starts_with(folder.path()));
        assert_eq!(open.count(), 0);
    }
    let bytes = |log: &StoredLog| {
        let loaded = log.load().expect("a log");
        loaded.bytes().map(<[u8]>::to_vec)
    };
    assert!(bytes(&found.logs[39]).is_some());
    assert_eq!(bytes(&found.logs[0]), bytes(&found.logs[39]));
}
