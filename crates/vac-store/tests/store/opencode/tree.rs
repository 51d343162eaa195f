//! Storage trees.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use vac_adapter_check::logs::root;

use super::{converted, ids, keys, only, sessions};
use crate::untouched::Untouched;

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

/// A small tree that is as it should be.
fn good() -> TempDir {
    tree(&[
        ("storage/project/prj_1.json", r#"{"id": "prj_1", "worktree": "/w", "vcs": "git"}"#),
        ("storage/session/prj_1/ses_1.json", SESSION),
        ("storage/message/ses_1/msg_1.json", MESSAGE),
        ("storage/part/msg_1/prt_1.json", &part("prt_1", "first")),
        ("storage/part/msg_1/prt_2.json", &part("prt_2", "second")),
    ])
}

#[test]
fn a_list_knows_a_session_by_its_own_file_alone() {
    let folder = good();
    let storage = folder.path().join("storage");
    // Whoever reads more finds out.
    fs::write(storage.join("part/msg_1/prt_1.json"), "what is this?").expect("a file");
    let found = vac_store::find(&[folder.path().to_owned()], crate::AGENTS);
    let known = vac_store::join::look(
        found.logs.into_iter().next().expect("a session"),
        &[&vac_adapter_opencode::OpenCode],
    );
    assert_eq!(known.agent, Some("opencode"));
    assert_eq!(known.glimpse.variant, "tree");
    assert_eq!(known.glimpse.session_id.as_deref(), Some("ses_1"));
    assert_eq!(known.glimpse.start, Some(vac_record::AbstractTimestamp::Uint(5)));
    assert_eq!(known.glimpse.project.as_deref(), Some("/w"));
    assert_eq!(known.glimpse.version.as_deref(), Some("1.0.1"));
}

#[test]
fn a_session_is_its_files_in_a_fixed_order_and_none_of_another() {
    let folder = good();
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
    let converted = converted(&sessions[0].0, &sessions[0].1);
    assert_eq!(converted.variant, "tree");
    assert_eq!(converted.value()["environment"].get("x"), None);
    assert_eq!(ids(&converted.value()), ["msg_1", "prt_1", "prt_2"]);
}

#[test]
fn other_folders_are_no_trees() {
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
fn what_is_missing_around_a_part_does_not_hide_it() {
    let lost = part("prt_9", "of a message that is gone").replace("msg_1", "msg_9");
    let without = r#"{"id": "prt_7", "messageID": "msg_7", "type": "text", "text": "whose?"}"#;
    let folder = good();
    write(folder.path(), "storage/part/msg_9/prt_9.json", &lost);
    write(folder.path(), "storage/part/msg_7/prt_7.json", without);
    write(folder.path(), "storage/message/ses_3/msg_3.json", &MESSAGE.replace("_1", "_3"));
    assert_eq!(keys(folder.path()), ["ses_1", "ses_3", "without-session"]);
    let sessions = sessions(folder.path());
    let record = |at: usize| {
        let (key, bytes) = &sessions[at];
        converted(key, bytes).value()
    };
    assert_eq!(ids(&record(0)), ["msg_1", "prt_1", "prt_2", "prt_9"]);
    assert_eq!(ids(&record(1)), ["msg_3"]);
    assert_eq!(ids(&record(2)), ["prt_7"]);
}

#[test]
fn a_bad_file_is_told_and_the_rest_goes_on() {
    let folder = good();
    let storage = folder.path().join("storage");
    write(&storage, "part/msg_1/prt_3.json", "");
    write(&storage, "part/msg_1/prt_4.json", "{\n  \"id\": \"prt_4\",\n  \"type\": \"te");
    fs::create_dir_all(storage.join("part/msg_1/prt_5.json")).expect("a folder");
    write(&storage, "part/msg_1/.oc-prt_6.json.17.tmp", "half");
    write(&storage, "part/msg_1/prt_8.json", &part("prt_8", "last"));
    let untouched = Untouched::of(folder.path());
    let (record, report) = only(folder.path());
    untouched.assert_still(folder.path());
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
fn links_are_not_followed_and_lead_nowhere() {
    use std::os::unix::fs::symlink;

    let folder = good();
    let storage = folder.path().join("storage");
    let outside = tree(&[("secret.json", r#"{"id": "prt_0", "text": "HUSH"}"#)]);
    symlink(outside.path().join("secret.json"), storage.join("part/msg_1/prt_0.json"))
        .expect("a link");
    symlink(&storage, storage.join("session/loop")).expect("a link");
    symlink("..", storage.join("message/ses_1/up")).expect("a link");
    symlink(&storage, storage.join("part/msg_8")).expect("a link");
    let untouched = Untouched::of(folder.path());
    let (record, report) = only(folder.path());
    untouched.assert_still(folder.path());
    assert_eq!(report.warnings, ["part/msg_1/prt_0.json: symbolic link, not followed"]);
    assert!(!record.to_string().contains("HUSH"));
    assert_eq!(ids(&record).len(), 4, "the message, its parts, and the line about the link");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_told_and_the_rest_goes_on() {
    use std::os::unix::fs::PermissionsExt;

    let folder = good();
    let file = folder.path().join("storage/part/msg_1/prt_1.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("to lock it");
    if fs::read(&file).is_ok() {
        println!("skipped: whoever runs this may read everything");
        return;
    }
    let (record, report) = only(folder.path());
    assert!(report.warnings[0].starts_with("part/msg_1/prt_1.json: "), "{:?}", report.warnings);
    assert!(ids(&record).contains(&"prt_2"));
}

#[test]
fn names_in_a_file_lead_nowhere_else() {
    let folder = good();
    write(folder.path(), "outside.json", r#"{"id": "../../outside", "worktree": "HUSH"}"#);
    let session = SESSION.replace("prj_1", "../../outside");
    write(folder.path(), "storage/session/prj_1/ses_1.json", &session);
    let sessions = sessions(&folder.path().join("storage"));
    assert!(!String::from_utf8_lossy(&sessions[0].1).contains("HUSH"));
}

#[test]
fn reading_the_fixtures_changes_nothing() {
    for case in ["tree/basic", "tree/minimal", "early/basic"] {
        let folder = root().join("fixtures/opencode").join(case);
        let untouched = Untouched::of(&folder);
        assert_eq!(sessions(&folder.join("storage")).len(), 1, "{case}");
        untouched.assert_still(&folder);
    }
}
