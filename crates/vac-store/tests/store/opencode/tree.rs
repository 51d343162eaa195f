//! Storage trees.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use vac_adapter_check::logs::root;

use super::{convert, convert_single, ids, keys, sessions};
use crate::snapshot::Snapshot;

/// Writes the files of a tree.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

const SESSION: &str = r#"{"id": "ses_1", "projectID": "prj_1", "version": "1.0.1", "title": "t",
    "directory": "/w", "time": {"created": 5, "updated": 9}}"#;
const MESSAGE: &str =
    r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 6}}"#;

fn part(id: &str, text: &str) -> String {
    format!(
        r#"{{"id": "{id}", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "{text}"}}"#
    )
}

/// Creates a small valid tree.
fn valid_tree() -> TempDir {
    tree(&[
        ("storage/project/prj_1.json", r#"{"id": "prj_1", "worktree": "/w", "vcs": "git"}"#),
        ("storage/session/prj_1/ses_1.json", SESSION),
        ("storage/message/ses_1/msg_1.json", MESSAGE),
        ("storage/part/msg_1/prt_1.json", &part("prt_1", "first")),
        ("storage/part/msg_1/prt_2.json", &part("prt_2", "second")),
    ])
}

#[test]
fn list_reads_only_the_file_of_a_session() {
    let folder = valid_tree();
    let storage = folder.path().join("storage");
    // A conversion reads the parts, and reports them.
    fs::write(storage.join("part/msg_1/prt_1.json"), "what is this?").expect("a file");
    let found = vac_store::find(&[folder.path().to_owned()], crate::AGENTS);
    let known = vac_store::join::detect(
        found.logs.into_iter().next().expect("a session"),
        &[&vac_adapter_opencode::OpenCode],
    );
    assert_eq!(known.agent, Some("opencode"));
    assert_eq!(known.preview.variant, "tree");
    assert_eq!(known.preview.session_id.as_deref(), Some("ses_1"));
    assert_eq!(known.preview.start, Some(vac_record::AbstractTimestamp::Uint(5)));
    assert_eq!(known.preview.project.as_deref(), Some("/w"));
    assert_eq!(known.preview.version.as_deref(), Some("1.0.1"));
}

#[test]
fn session_is_its_own_files_in_a_fixed_order() {
    let folder = valid_tree();
    let other = SESSION.replace("ses_1", "ses_2");
    write(folder.path(), "storage/session/prj_1/ses_2.json", &other);
    write(folder.path(), "storage/todo/ses_1.json", "[]");
    let sessions = sessions(folder.path());
    assert_eq!(keys(folder.path()), ["ses_1", "ses_2"]);
    let text = String::from_utf8_lossy(&sessions[0].1);
    let places: Vec<_> =
        ["\"prj_1\", \"worktree\"", "\"title\"", "[]", "\"role\"", "first", "second"]
            .iter()
            .map(|what| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}")))
            .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!text.contains("ses_2"));
    let converted = convert(&sessions[0].0, &sessions[0].1);
    assert_eq!(converted.variant, "tree");
    assert_eq!(converted.value()["environment"].get("x"), None);
    assert_eq!(ids(&converted.value()), ["msg_1", "prt_1", "prt_2"]);
}

#[test]
fn other_folders_are_not_trees() {
    for files in [
        &[("session/a.rs", "x"), ("message/b.rs", "y")][..],
        &[("session/a/a.rs", "x"), ("message/b/b.rs", "y"), ("part/c/c.rs", "z")],
        &[("message/b.json", "{}")],
    ] {
        let folder = tree(files);
        let found = vac_store::find(&[folder.path().to_owned()], crate::AGENTS);
        assert!(found.logs.iter().all(|log| !log.shown.contains('#')), "{files:?}");
    }
}

#[test]
fn part_without_its_message_is_kept() {
    let lost = part("prt_9", "of a message that is gone").replace("msg_1", "msg_9");
    let without = r#"{"id": "prt_7", "messageID": "msg_7", "type": "text", "text": "whose?"}"#;
    let folder = valid_tree();
    write(folder.path(), "storage/part/msg_9/prt_9.json", &lost);
    write(folder.path(), "storage/part/msg_7/prt_7.json", without);
    write(folder.path(), "storage/message/ses_3/msg_3.json", &MESSAGE.replace("_1", "_3"));
    assert_eq!(keys(folder.path()), ["ses_1", "ses_3", "without-session"]);
    let sessions = sessions(folder.path());
    let record = |at: usize| {
        let (key, bytes) = &sessions[at];
        convert(key, bytes).value()
    };
    assert_eq!(ids(&record(0)), ["msg_1", "prt_1", "prt_2", "prt_9"]);
    assert_eq!(ids(&record(1)), ["msg_3"]);
    assert_eq!(ids(&record(2)), ["prt_7"]);
}

#[test]
fn session_called_like_parts_without_session_is_another() {
    let without = r#"{"id": "prt_7", "messageID": "msg_7", "type": "text", "text": "whose?"}"#;
    let folder = valid_tree();
    write(folder.path(), "storage/part/msg_7/prt_7.json", without);
    let message = MESSAGE.replace("ses_1", "without-session").replace("msg_1", "msg_2");
    write(folder.path(), "storage/message/without-session/msg_2.json", &message);
    assert_eq!(keys(folder.path()), ["ses_1", "without-session+", "without-session"]);
    let sessions = sessions(folder.path());
    let record = |at: usize| convert(&sessions[at].0, &sessions[at].1).value();
    assert_eq!(ids(&record(1)), ["msg_2"]);
    assert_eq!(ids(&record(2)), ["prt_7"]);
}

#[test]
fn malformed_file_is_reported_and_others_are_read() {
    let folder = valid_tree();
    let storage = folder.path().join("storage");
    write(&storage, "part/msg_1/prt_3.json", "");
    write(&storage, "part/msg_1/prt_4.json", "{\n  \"id\": \"prt_4\",\n  \"type\": \"te");
    fs::create_dir_all(storage.join("part/msg_1/prt_5.json")).expect("a folder");
    write(&storage, "part/msg_1/.oc-prt_6.json.17.tmp", "half");
    write(&storage, "part/msg_1/prt_8.json", &part("prt_8", "last"));
    let snapshot = Snapshot::new(folder.path());
    let (record, report) = convert_single(folder.path());
    snapshot.assert_unchanged(folder.path());
    assert_eq!(
        report.warnings,
        ["part/msg_1/prt_3.json: it is empty", "part/msg_1/prt_5.json: not a regular file",]
    );
    assert_eq!(report.unparsed.count, 1);
    let ids = ids(&record);
    assert!(ids.contains(&"prt_1") && ids.contains(&"prt_8"), "{ids:?}");
    let entries = record["session"]["entries"].as_array().expect("entries");
    let unparsed = entries.iter().find(|entry| entry["event-type"] == "unparsed");
    assert!(unparsed.expect("raw")["data"]["raw"].as_str().expect("text").contains("prt_4"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = valid_tree();
    let storage = folder.path().join("storage");
    let outside = tree(&[("secret.json", r#"{"id": "prt_0", "text": "HUSH"}"#)]);
    symlink(outside.path().join("secret.json"), storage.join("part/msg_1/prt_0.json"))
        .expect("a link");
    symlink(&storage, storage.join("session/loop")).expect("a link");
    symlink("..", storage.join("message/ses_1/up")).expect("a link");
    symlink(&storage, storage.join("part/msg_8")).expect("a link");
    let snapshot = Snapshot::new(folder.path());
    let (record, report) = convert_single(folder.path());
    snapshot.assert_unchanged(folder.path());
    assert_eq!(report.warnings, ["part/msg_1/prt_0.json: symbolic link, not followed"]);
    assert!(!record.to_string().contains("HUSH"));
    assert_eq!(ids(&record).len(), 4, "the message, its parts, and the line about the link");
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported_and_others_are_read() {
    use std::os::unix::fs::PermissionsExt;

    let folder = valid_tree();
    let file = folder.path().join("storage/part/msg_1/prt_1.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("to lock it");
    if fs::read(&file).is_ok() {
        println!("skipped: this user may read every file");
        return;
    }
    let (record, report) = convert_single(folder.path());
    assert!(report.warnings[0].starts_with("part/msg_1/prt_1.json: "), "{:?}", report.warnings);
    assert!(ids(&record).contains(&"prt_2"));
}

#[test]
fn paths_in_a_file_are_not_followed() {
    let folder = valid_tree();
    write(folder.path(), "outside.json", r#"{"id": "../../outside", "worktree": "HUSH"}"#);
    let session = SESSION.replace("prj_1", "../../outside");
    write(folder.path(), "storage/session/prj_1/ses_1.json", &session);
    let sessions = sessions(&folder.path().join("storage"));
    assert!(!String::from_utf8_lossy(&sessions[0].1).contains("HUSH"));
}

#[test]
fn reading_changes_no_files() {
    for case in ["tree/basic", "tree/minimal", "early/basic"] {
        let folder = root().join("fixtures/opencode").join(case);
        let snapshot = Snapshot::new(&folder);
        assert_eq!(sessions(&folder.join("storage")).len(), 1, "{case}");
        snapshot.assert_unchanged(&folder);
    }
}
