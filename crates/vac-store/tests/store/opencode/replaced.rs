//! Files next to a database that replaced them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use vac_adapter_opencode::OpenCode;
use vac_store::join::{detect, join};

use super::database::database;

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Creates a database with one session, and the files of two sessions next to it.
fn database_and_files() -> TempDir {
    let (folder, _) = database(
        r#"CREATE TABLE session (id text, project_id text, directory text, title text);
           CREATE TABLE message (id text, session_id text, data text);
           INSERT INTO session VALUES ('ses_1', 'prj_1', '/w', 'newer');
           INSERT INTO message VALUES ('msg_1', 'ses_1', '{"role": "user"}');"#,
    );
    for id in ["ses_1", "ses_2"] {
        let session = format!(r#"{{"id": "{id}", "projectID": "prj_1", "title": "older"}}"#);
        write(folder.path(), &format!("storage/session/prj_1/{id}.json"), &session);
        let message = format!(r#"{{"id": "msg_1", "sessionID": "{id}", "role": "user"}}"#);
        write(folder.path(), &format!("storage/message/{id}/msg_1.json"), &message);
    }
    folder
}

#[test]
fn files_that_a_database_replaced_are_skipped_and_reported() {
    let folder = database_and_files();
    let found = vac_store::find(&[folder.path().to_owned()], crate::AGENTS);
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let known = join(found.logs.into_iter().map(|log| detect(log, &[&OpenCode])).collect());
    let seen: Vec<_> = known
        .iter()
        .map(|known| (known.preview.variant, known.preview.session_id.as_deref()))
        .collect();
    assert_eq!(seen, [("database", Some("ses_1")), ("tree", Some("ses_2"))]);
    let left_out: Vec<_> =
        known.iter().flat_map(|known| &known.left_out).map(ToString::to_string).collect();
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    assert!(left_out[0].contains("storage#ses_1: skipped"), "{left_out:?}");
    assert!(left_out[0].contains("opencode.db#ses_1"), "{left_out:?}");
}
