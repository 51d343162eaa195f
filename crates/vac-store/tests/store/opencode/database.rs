//! Databases of `OpenCode`.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use vac_adapter_check::logs::root;

use super::{convert, convert_single, ids, keys, sessions};
use crate::snapshot::Snapshot;

/// The statements that create the fixture.
pub const SQL: &str = include_str!("../opencode.sql");

/// The statements that create the fixture of a newer version.
const MESSAGES: &str = include_str!("../opencode-messages.sql");

/// Creates a database with SQL statements, in a temporary folder.
pub fn database(sql: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("opencode.db");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(sql).expect("SQL");
    connection.close().expect("closed");
    (folder, path)
}

const TABLES: &str = "
    CREATE TABLE project (id text, worktree text, vcs text, sandboxes text);
    CREATE TABLE session (id text, project_id text, directory text, title text, version text,
        cost real, time_created integer, time_updated integer);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, time_created integer, data text);
    CREATE TABLE todo (session_id text, content text, status text, position integer);
    INSERT INTO session VALUES ('ses_1', 'prj_1', '/w', 't', '1.2.0', 0, 5, 9);
    INSERT INTO message VALUES ('msg_1', 'ses_1', 6, '{\"role\": \"user\", \"time\": {\"created\": 6}}');
    INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 6, '{\"type\": \"text\", \"text\": \"first\"}');
";

/// Creates those tables, with further statements.
fn database_with(sql: &str) -> (TempDir, PathBuf) {
    database(&format!("{TABLES}{sql}"))
}

#[test]
fn fixtures_are_up_to_date() {
    for (sql, name, count) in [(SQL, "database/basic", 2), (MESSAGES, "database/messages", 1)] {
        let (_folder, made) = database(sql);
        let fixture = root().join("fixtures/opencode").join(name).join("opencode.db");
        if std::env::var_os("VAC_BLESS").is_some() {
            fs::copy(&made, &fixture).expect("to write");
        }
        assert_eq!(sessions(&fixture), sessions(&made), "{name}");
        assert_eq!(sessions(&made).len(), count, "{name}");
    }
}

#[test]
fn table_of_messages_is_sufficient() {
    let (_folder, path) = database(MESSAGES);
    let (whole, _) = convert_single(&path);
    let (_folder, path) = database(&format!("{MESSAGES} DROP TABLE message; DROP TABLE part;"));
    let (record, report) = convert_single(&path);
    assert_eq!(record["session"], whole["session"]);
    assert_eq!(report.warnings, [""; 0]);
    assert_eq!((report.entries["user"], report.entries["tool-call"]), (1, 4));
    // A single missing table is reported.
    let (_folder, path) = database(&format!("{MESSAGES} DROP TABLE part;"));
    let (_, report) = convert_single(&path);
    assert_eq!(report.warnings, ["table part: there is no such table"]);
}

/// The tables of the v2 branch.
const V2: &str = "
    CREATE TABLE project (id text PRIMARY KEY, worktree text, vcs text);
    CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text, parent_id text,
        fork_session_id text, fork_boundary text, slug text, directory text, title text,
        version text, cost real, tokens_input integer, time_created integer,
        time_updated integer, time_suspended integer);
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer,
        time_created integer, time_updated integer, data text);
    CREATE TABLE session_inbox (id text PRIMARY KEY, session_id text, type text, payload text,
        delivery text, enqueued_seq integer, time_created integer);
    CREATE TABLE session_pending (id text PRIMARY KEY, session_id text, type text, payload text,
        time_created integer);
    INSERT INTO project VALUES ('prj_1', '/w', 'git');
    INSERT INTO session_v2 VALUES ('ses_1', 'prj_1', 'ses_0', 'ses_9', 'msg_4', 'calm', '/w', 't',
        '2.0.1', 1.5, 777, 5, 90, NULL);
    INSERT INTO session_message VALUES ('msg_1', 'ses_1', 'user', 0, 10, 10,
        '{\"text\": \"first\", \"time\": {\"created\": 10}}');
    INSERT INTO session_message VALUES ('msg_2', 'ses_1', 'assistant', 1, 20, 20,
        '{\"content\": [{\"type\": \"text\", \"text\": \"answer\"}], \"time\": {\"created\": 20}}');
    INSERT INTO session_inbox VALUES ('msg_3', 'ses_1', 'user', '{\"text\": \"second\"}', 'steer', 3, 30);
    INSERT INTO session_pending VALUES ('msg_4', 'ses_1', 'user', '{\"text\": \"third\"}', 40);
";

#[test]
fn sessions_of_the_second_version_are_read_with_waiting_prompts() {
    let (_folder, path) = database(V2);
    let (record, report) = convert_single(&path);
    assert_eq!(report.warnings, [""; 0]);
    assert!(report.unknown_types.is_empty(), "{:?}", report.unknown_types);
    let session = &record["session"];
    assert_eq!(session["environment"]["working-dir"], "/w");
    assert_eq!(session["agent-meta"]["cli-version"], "2.0.1");
    assert_eq!(
        (&session["parentID"], &session["forkSessionID"]),
        (&"ses_0".into(), &"ses_9".into())
    );
    assert_eq!(ids(&record), ["msg_1", "msg_2", "msg_2:1", "msg_3", "msg_4"]);
    let entries = session["entries"].as_array().expect("entries");
    for (entry, (text, time)) in entries[3..].iter().zip([("second", 30), ("third", 40)]) {
        assert_eq!((&entry["type"], &entry["content"]), (&"user".into(), &text.into()));
        assert_eq!(entry["timestamp"], time);
    }
}

#[test]
fn messages_in_old_and_new_tables_are_read_once() {
    let (_folder, path) = database_with(
        "CREATE TABLE session_message (id text, session_id text, type text, seq integer,
            time_created integer, data text);
         INSERT INTO session_message VALUES ('msg_a', 'ses_1', 'user', 1, 6,
            '{\"text\": \"first\", \"time\": {\"created\": 6}}');
         INSERT INTO session_message VALUES ('msg_b', 'ses_1', 'assistant', 2, 7,
            '{\"content\": [{\"type\": \"text\", \"text\": \"x\"}], \"tokens\": {\"input\": 9}}');",
    );
    let (record, report) = convert_single(&path);
    assert_eq!(ids(&record), ["msg_1", "prt_1", "msg_a", "msg_b"]);
    assert_eq!((report.entries["user"], report.entries["system-event"]), (2, 2));
    assert_eq!(report.entries.get("assistant"), None);
    assert!(report.unknown_types.is_empty(), "{:?}", report.unknown_types);
}

#[test]
fn tables_with_secrets_are_never_read() {
    let (_folder, path) = database(SQL);
    let with = sessions(&path);
    for (key, documents) in &with {
        assert!(!String::from_utf8_lossy(documents).contains("HUSH"), "{key}");
    }
    let without = "DROP TABLE account; DROP TABLE control_account; DROP TABLE credential;
        DROP TABLE session_share;";
    let (_folder, path) = database(&format!("{SQL}{without}"));
    assert_eq!(sessions(&path), with, "they are not reported as missing");
}

#[test]
fn view_is_not_a_table() {
    let (_folder, path) = database(
        "CREATE TABLE credential (id text, data text);
         INSERT INTO credential VALUES ('k', 'HUSH');
         CREATE TABLE message (id text, session_id text, data text);
         INSERT INTO message VALUES ('msg_1', 'ses_1', '{\"role\": \"user\"}');
         CREATE VIEW part AS SELECT id, 'msg_1' AS message_id, 'ses_1' AS session_id, data
            FROM credential;",
    );
    let (record, report) = convert_single(&path);
    assert!(!record.to_string().contains("HUSH"));
    assert!(report.warnings.contains(&"table part: there is no such table".to_owned()));
}

#[test]
fn generated_columns_are_not_read() {
    let (_folder, path) = database_with(
        "
        ALTER TABLE part ADD COLUMN \"a\"\"b\" text DEFAULT 'kept';
        ALTER TABLE part ADD COLUMN bomb text AS (hex(zeroblob(400000000)));",
    );
    let (record, _) = convert_single(&path);
    assert!(record.to_string().contains("kept"), "a name may be anything");
    assert!(!record.to_string().contains("bomb"));
}

#[test]
fn list_reads_the_table_of_sessions() {
    let (_folder, path) = database_with("");
    let found = vac_store::find(&[path], crate::AGENTS);
    let log = found.logs.into_iter().next().expect("a session");
    let known = vac_store::join::detect(log, &[&vac_adapter_opencode::OpenCode]);
    assert_eq!(known.agent, Some("opencode"));
    assert_eq!(known.preview.variant, "database");
    assert_eq!(known.preview.session_id.as_deref(), Some("ses_1"));
    assert_eq!(known.preview.start, Some(vac_record::AbstractTimestamp::Uint(5)));
    assert_eq!(known.preview.project.as_deref(), Some("/w"));
    assert_eq!(known.preview.version.as_deref(), Some("1.2.0"));
}

#[test]
fn numbers_stay_as_they_were_written() {
    let (_folder, path) = database_with(
        "INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', 7,
            '{\"type\": \"beam\", \"n\": [1.0, 1e400, 18446744073709551617, 0.10]}');
         UPDATE session SET cost = 0.25;",
    );
    let (key, documents) = sessions(&path).remove(0);
    let text = String::from_utf8_lossy(&documents);
    assert!(text.contains("[1.0, 1e400, 18446744073709551617, 0.10]"), "{text}");
    assert!(text.contains("\"cost\":0.25"), "{text}");
    assert_eq!(convert(&key, &documents).variant, "database");
}

#[test]
fn rows_without_values_are_kept_or_reported() {
    let (_folder, path) = database_with(
        "INSERT INTO message VALUES (NULL, NULL, NULL, NULL);
         INSERT INTO message VALUES ('msg_2', 'ses_1', 7, NULL);
         INSERT INTO part VALUES (NULL, NULL, NULL, NULL, NULL);
         INSERT INTO part VALUES ('prt_2', 'msg_1', NULL, 8, '{\"type\": \"text\", \"text\": \"mine\"}');
         INSERT INTO part VALUES ('prt_3', NULL, 'ses_1', 8, '{\"type\": \"text\", \"text\": \"whose?\"}');
         INSERT INTO session VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
         INSERT INTO todo VALUES ('ses_1', NULL, NULL, NULL);",
    );
    assert_eq!(keys(&path), ["ses_1", "without-session"]);
    let sessions = sessions(&path);
    let converted = convert(&sessions[0].0, &sessions[0].1);
    let record = converted.value();
    let ids = ids(&record);
    for id in ["msg_1", "prt_1", "prt_2", "prt_3", "msg_2"] {
        assert!(ids.contains(&id), "{id} of {ids:?}");
    }
    assert_eq!(converted.report.unknown_types["message without data"], 1);
}

#[test]
fn session_called_like_rows_without_session_is_another() {
    let (_folder, path) = database_with(
        "INSERT INTO session VALUES ('without-session', 'prj_1', '/w', 't', '1.2.0', 0, 5, 9);
         INSERT INTO message VALUES ('msg_2', 'without-session', 7, '{\"role\": \"user\"}');
         INSERT INTO message VALUES ('msg_3', NULL, 7, '{\"role\": \"user\"}');",
    );
    assert_eq!(keys(&path), ["ses_1", "without-session+", "without-session"]);
    let sessions = sessions(&path);
    let record = |at: usize| convert(&sessions[at].0, &sessions[at].1).value();
    assert_eq!(record(1)["id"], "without-session");
    assert_eq!(ids(&record(1)), ["msg_2"]);
    assert_eq!(ids(&record(2)), ["msg_3"]);
}

#[test]
fn values_of_other_types_are_kept() {
    let (_folder, path) = database(
        "CREATE TABLE session (id, project_id, directory, title, version, time_created, odd);
         CREATE TABLE message (id, session_id, data);
         CREATE TABLE part (id, message_id, session_id, data);
         INSERT INTO session VALUES (7, 1.5, x'ff00', NULL, 3, 'soon', x'68690a');
         INSERT INTO message VALUES ('msg_1', 7, '{\"role\": \"user\"}');
         INSERT INTO message VALUES (8, 7, 9);
         INSERT INTO part VALUES ('prt_1', 'msg_1', 7, x'7b2274797065223a2274657874227d');
         INSERT INTO part VALUES ('prt_2', 'msg_1', x'37', x'ff');
         INSERT INTO part VALUES ('prt_3', 'msg_1', 7, '[1, 2]');
         INSERT INTO part VALUES ('prt_4', 'msg_1', 7, 9e999);",
    );
    assert_eq!(keys(&path), ["7"]);
    let (record, _) = convert_single(&path);
    let text = record.to_string();
    for value in ["/wA=", "hi\\n", "soon", "/w==", "[1,2]", "inf"] {
        assert!(text.contains(value), "{value} in {text}");
    }
    assert_eq!(record["id"], "7", "an id that is not text is used as it is");
}

#[test]
fn data_that_is_not_json_is_kept_as_text_with_the_reason() {
    let (_folder, path) = database_with(
        "INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', 7, '{\"type\": \"text\", ');
         INSERT INTO part VALUES ('prt_3', 'msg_1', 'ses_1', 7, 'plain
words');",
    );
    let (record, report) = convert_single(&path);
    assert_eq!(report.unparsed.count, 2);
    let entries = record["session"]["entries"].as_array().expect("entries");
    let broken = entries.iter().find(|entry| entry["id"] == "prt_2").expect("there");
    assert_eq!(broken["event-type"], "unparsed");
    assert_eq!(broken["data"]["raw"], "{\"type\": \"text\", ");
    assert_eq!(broken["vac"]["reason"], "syntax");
    assert_eq!(broken["data"]["messageID"], "msg_1");
}

#[test]
fn ids_inside_data_do_not_replace_those_of_the_row() {
    let (_folder, path) = database_with(
        "INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', 7,
            '{\"id\": \"other\", \"type\": \"text\", \"text\": \"x\", \"time_created\": 1}');
         INSERT INTO part VALUES ('prt_3', 'msg_1', 'ses_1', 7, '{\"a\": 1, \"a\": 2}');",
    );
    let (record, report) = convert_single(&path);
    assert_eq!(report.unparsed.count, 1, "a key twice");
    let entries = record["session"]["entries"].as_array().expect("entries");
    let other = entries.iter().find(|entry| entry["id"] == "other").expect("there");
    assert_eq!(other["column:id"], "prt_2");
    assert_eq!(other["column:time_created"], 7);
}

#[test]
fn missing_tables_are_reported_and_the_rest_is_read() {
    for (sql, warning) in [
        ("DROP TABLE session;", "table session: there is no such table"),
        ("DROP TABLE part;", "table part: there is no such table"),
        ("DROP TABLE message;", "table message: there is no such table"),
        (
            "ALTER TABLE message RENAME COLUMN session_id TO of;",
            "table message: no column names a session",
        ),
    ] {
        let (_folder, path) = database_with(sql);
        let (record, report) = convert_single(&path);
        assert!(report.warnings.contains(&warning.to_owned()), "{sql} {:?}", report.warnings);
        assert_eq!(record["id"], "ses_1");
    }
    let (_folder, path) = database_with("DROP TABLE todo; DROP TABLE project;");
    assert_eq!(
        convert_single(&path).1.warnings,
        Vec::<String>::new(),
        "optional tables are not reported"
    );
    let (_folder, path) = database_with("ALTER TABLE part DROP COLUMN session_id;");
    assert_eq!(ids(&convert_single(&path).0), ["msg_1", "prt_1"], "a part is its message's");
}

/// Returns the number of logs in a path, and the troubles.
fn find_logs(path: &Path) -> (usize, Vec<String>) {
    let found = vac_store::find(&[path.to_owned()], crate::AGENTS);
    let troubles = found.troubles.iter().map(ToString::to_string).collect();
    (found.logs.iter().filter(|log| log.shown.contains('#')).count(), troubles)
}

#[test]
fn file_that_is_not_a_database_is_reported() {
    let (folder, path) = database_with("");
    let whole = fs::read(&path).expect("a database");
    let other = folder.path().join("other.db");
    fs::write(&other, b"just text, whatever it is called").expect("a file");
    assert_eq!(find_logs(&other), (0, Vec::new()), "a file like any other");
    fs::write(&other, &whole[..700]).expect("a file");
    let (count, troubles) = find_logs(&other);
    assert_eq!(count, 0);
    assert!(troubles[0].contains("other.db: database: "), "{troubles:?}");
    let mut rubbish = whole[..16].to_vec();
    rubbish.resize(5000, 0xa5);
    fs::write(&other, &rubbish).expect("a file");
    assert!(find_logs(&other).1[0].contains("other.db: database: "));
    let found = vac_store::find(&[folder.path().to_owned()], crate::AGENTS);
    assert_eq!(found.logs.len(), 1, "the intact one next to it is found");
}

/// Creates a database of many pages.
fn large_database() -> (TempDir, PathBuf) {
    let data = format!(r#"{{"type": "text", "text": "{}"}}"#, "long ".repeat(60));
    let rows = (0..200).map(|number| {
        format!("INSERT INTO part VALUES ('prt_{number:03}', 'msg_1', 'ses_1', 7, '{data}');")
    });
    database_with(&rows.collect::<String>())
}

#[test]
fn truncated_database_is_reported() {
    let (folder, path) = large_database();
    let whole = fs::read(&path).expect("a database");
    fs::write(&path, &whole[..whole.len() / 8 * 7]).expect("a file");
    let snapshot = Snapshot::new(folder.path());
    let (count, troubles) = find_logs(&path);
    snapshot.assert_unchanged(folder.path());
    assert_eq!(count, 0);
    assert!(troubles[0].ends_with("database disk image is malformed"), "{troubles:?}");
}

#[test]
fn damaged_page_is_reported_and_the_rest_is_read() {
    let (folder, path) = large_database();
    let mut bytes = fs::read(&path).expect("a database");
    let last = bytes.len() - 4096;
    bytes[last..].fill(0xa5);
    fs::write(&path, &bytes).expect("a file");
    let snapshot = Snapshot::new(folder.path());
    let (record, report) = convert_single(&path);
    snapshot.assert_unchanged(folder.path());
    let is_reported = |line: &String| line.starts_with("table part: database: ");
    assert!(report.warnings.iter().any(is_reported), "{:?}", report.warnings);
    assert!(ids(&record).contains(&"msg_1"));
}

#[test]
fn locked_database_is_read_and_unchanged() {
    let (folder, path) = database_with("");
    let other = Connection::open(&path).expect("a database");
    other.execute_batch("BEGIN EXCLUSIVE; UPDATE session SET title = 'later';").expect("a lock");
    let snapshot = Snapshot::new(folder.path());
    let (record, _) = convert_single(&path);
    snapshot.assert_unchanged(folder.path());
    assert_eq!(record["session"]["title"], "t", "what is not committed is not there");
    other.execute_batch("COMMIT").expect("still ours");
}

#[test]
fn rows_in_the_write_ahead_log_are_read() {
    let (folder, path) = database_with("");
    let other = Connection::open(&path).expect("a database");
    other
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', 7, '{\"type\": \"text\"}');",
        )
        .expect("SQL");
    assert!(folder.path().join("opencode.db-wal").is_file());
    let snapshot = Snapshot::new(folder.path());
    assert_eq!(ids(&convert_single(&path).0), ["msg_1", "prt_1", "prt_2"]);
    snapshot.assert_unchanged(folder.path());
    drop(other);
}

#[test]
fn database_without_its_write_ahead_log_is_read() {
    let (folder, path) = database_with("PRAGMA journal_mode = WAL;");
    let snapshot = Snapshot::new(folder.path());
    assert_eq!(ids(&convert_single(&path).0), ["msg_1", "prt_1"]);
    snapshot.assert_unchanged(folder.path());
}

#[test]
fn diffs_of_newer_versions_are_read() {
    let (folder, path) = database_with("");
    let diffs = folder.path().join("storage/session_diff");
    fs::create_dir_all(&diffs).expect("a folder");
    fs::write(diffs.join("ses_1.json"), r#"[{"file": "a.rs", "additions": 1}]"#).expect("a file");
    assert_eq!(convert_single(&path).0["session"]["session_diff"][0]["file"], "a.rs");
}
