//! Logs and databases of many small things. Each of these takes a moment; with work that
//! grows with the square of their number it would take minutes. The steps themselves are
//! counted where the code is: in `vac-store` those of `SQLite`, in `vac-adapter` those of
//! the search for secrets.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::Connection;

use crate::run::{Folder, Ran};

/// A number of items that is too large for pairwise comparison.
const MANY: usize = 16_000;

/// Makes a database.
fn database(path: &Path, make: impl FnOnce(&Connection) -> rusqlite::Result<()>) {
    let connection = Connection::open(path).expect("a database");
    connection.execute_batch("PRAGMA journal_mode = OFF; BEGIN").expect("SQL");
    make(&connection).expect("SQL");
    connection.execute_batch("COMMIT").expect("SQL");
    connection.close().expect("closed");
}

/// Converts a log of many lines.
#[track_caller]
fn converted(agent: &str, line: impl Fn(usize, &mut String)) -> Ran {
    let mut log = String::new();
    for number in 0..MANY {
        line(number, &mut log);
        log.push('\n');
    }
    let folder = Folder::new();
    folder.write("log.jsonl", log);
    let ran = folder.vac(&["convert", "-a", agent, "log.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

#[test]
fn names_of_secrets_are_searched_for_once() {
    const BUBBLE: &str = r#"{"key":"bubbleId:c:b","value":{"type":1}}"#;
    // Never a name: what follows is neither a quotation mark nor a colon.
    let text = r"blobEncryptionKe\u0079 is not one ".repeat(MANY);
    let folder = Folder::new();
    folder.write("log.jsonl", format!("{BUBBLE}\n{{\"a\": \"{text}"));
    let ran = folder.vac(&["convert", "-a", "cursor", "log.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("is not one").count(), MANY);
    let names = r#"{"blobEncryptionKey": "HUSH"},"#.repeat(MANY);
    folder.write("log.jsonl", format!("{BUBBLE}\n[{names}"));
    let ran = folder.vac(&["convert", "-a", "cursor", "log.jsonl"]);
    assert!(ran.code == 0 && !ran.stdout.contains("HUSH"), "{}", ran.stderr);
}

#[test]
fn projects_that_no_session_names_are_moved_once() {
    let ran = converted("opencode", |number, log| {
        let project = if number % 2 == 0 { "prj_same".to_owned() } else { format!("prj_{number}") };
        write!(log, r#"{{"id": "{project}", "worktree": "/w", "time": {{"created": {number}}}}}"#)
            .and_then(|()| {
                writeln!(log, r#"{{"id": "ses_{}", "projectID": "prj_same"}}"#, number / 8)
            })
            .expect("text");
    });
    assert_eq!(ran.stdout.lines().count(), MANY / 8);
    assert_eq!(ran.stdout.matches(r#""event-type":"project""#).count(), MANY - 1);
}

#[test]
fn models_are_looked_up() {
    let ran = converted("opencode", |number, log| {
        write!(
            log,
            r#"{{"id": "msg_{number}", "sessionID": "ses_1", "role": "assistant", "modelID": "model-{number}", "providerID": "p"}}"#
        )
        .expect("text");
    });
    assert_eq!(ran.stdout.matches("\"model-id\":\"model-").count(), MANY + 1);
    let ran = converted("cursor", |number, log| {
        write!(
            log,
            r#"{{"role": "assistant", "model": "model-{number}", "message": {{"content": "x"}}}}"#
        )
        .expect("text");
    });
    assert_eq!(ran.stdout.matches("\"model-id\":\"model-").count(), MANY + 1);
}

#[test]
fn calls_of_early_messages_are_looked_up() {
    let (mut parts, mut tools) = (String::new(), String::new());
    for number in 0..MANY {
        let comma = if number == 0 { "" } else { "," };
        write!(parts, r#"{comma}{{"type":"tool-invocation","toolInvocation":{{"toolCallId":"c{number}","toolName":"t","result":1}}}}"#).expect("text");
        write!(tools, r#"{comma}"c{number}":{{"time":{{"start":{number},"end":{number}}}}}"#)
            .expect("text");
    }
    let folder = Folder::new();
    folder.write(
        "log.json",
        format!(r#"{{"id":"m","role":"assistant","parts":[{parts}],"metadata":{{"sessionID":"s","tool":{{{tools}}}}}}}"#),
    );
    let ran = folder.vac(&["convert", "-a", "opencode", "log.json"]);
    assert_eq!(ran.stdout.matches("\"timestamp\":").count(), 2 * MANY, "{}", ran.stderr);
}

#[test]
fn members_of_a_damaged_document_are_looked_up() {
    let mut log = String::from(r#"{"session":{"id":"s","timestamp":"2026-01-01T00:00:00Z"}"#);
    for number in 0..MANY {
        write!(log, r#","member-{number}":1"#).expect("text");
    }
    let folder = Folder::new();
    folder.write("rollout.json", log + r#","items":[{"type":"message","role":"user","#);
    let ran = folder.vac(&["convert", "-a", "codex", "rollout.json"]);
    assert_eq!(ran.stdout.matches("member-").count(), MANY, "{}", ran.stderr);
}

#[test]
fn lines_of_a_damaged_document_are_counted_once() {
    let message = r#"{"id":"m","timestamp":"2026-01-01T00:00:00Z","type":"user","content":x}"#;
    let messages = vec![message; MANY].join(",");
    let folder = Folder::new();
    folder.write(
        "session.json",
        format!(r#"{{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","messages":[{messages}]"#),
    );
    let ran = folder.vac(&["convert", "-a", "gemini", "session.json"]);
    assert_eq!(ran.stdout.matches("\"unparsed\"").count(), MANY + 1, "{}", ran.stderr);
}

#[test]
fn tables_without_an_index_are_read_once() {
    const SESSIONS: usize = 2_000;
    const NUMBERS: std::ops::Range<i64> = 0..2_000;
    let folder = Folder::new();
    database(&folder.path().join("opencode.db"), |connection| {
        connection.execute_batch(
            "CREATE TABLE session (id, project_id, directory, title);
             CREATE TABLE message (id, session_id, data);
             CREATE TABLE part (id, message_id, session_id, data);",
        )?;
        for number in NUMBERS {
            connection.execute("INSERT INTO session VALUES (?1, 'p', '/w', 't')", [number])?;
            let data = r#"{"role": "user", "time": {"created": 1}}"#;
            connection
                .execute("INSERT INTO message VALUES ('msg_' || ?1, ?1, ?2)", (number, data))?;
            let data = r#"{"type": "text", "text": "x"}"#;
            connection.execute(
                "INSERT INTO part VALUES ('prt_' || ?1, 'msg_' || ?1, NULL, ?2)",
                (number, data),
            )?;
        }
        Ok(())
    });
    database(&folder.path().join("state.vscdb"), |connection| {
        connection.execute_batch("CREATE TABLE cursorDiskKV (key, value)")?;
        for number in NUMBERS {
            let key = format!("bubbleId:{number}:b");
            let bubble = r#"{"type": 1, "text": "x"}"#;
            connection.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", (key, bubble))?;
        }
        Ok(())
    });
    for name in ["opencode.db", "state.vscdb"] {
        let ran = folder.vac(&["convert", name]);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, SESSIONS), "{}", ran.stderr);
        assert_eq!(ran.stdout.matches(r#""content":"x""#).count(), SESSIONS, "{name}");
    }
}

#[test]
fn virtual_tables_are_not_read() {
    const FORGED: &str = "PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage = 2 WHERE sql LIKE 'CREATE VIRTUAL%';";
    for forge in ["", FORGED] {
        let folder = Folder::new();
        database(&folder.path().join("opencode.db"), |connection| {
            connection.execute_batch(
                "CREATE TABLE message (id, session_id, data);
                 INSERT INTO message VALUES ('m', 's', '{\"role\": \"user\"}');
                 CREATE VIRTUAL TABLE part USING fts5(id, message_id, session_id, data);
                 INSERT INTO part VALUES ('p', 'm', 's', '{\"type\": \"text\", \"text\": \"HUSH\"}');",
            )?;
            connection.execute_batch(forge)
        });
        let ran = folder.vac(&["convert", "opencode.db", "--report", "report.json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains("HUSH"), "{}", ran.stdout);
        let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
        assert!(report.contains("table part: there is no such table"), "{report}");
        database(&folder.path().join("state.vscdb"), |connection| {
            connection.execute_batch(
                "CREATE VIRTUAL TABLE cursorDiskKV USING fts5(key, value);
                 INSERT INTO cursorDiskKV VALUES ('bubbleId:c:b', '{\"type\": 1}');",
            )?;
            connection.execute_batch(forge)
        });
        let ran = folder.vac(&["convert", "state.vscdb"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn values_of_nul_bytes_take_the_memory_of_two_copies() {
    const SIZE: usize = 6 << 20;
    for key in ["composerData:c", "bubbleId:c:b"] {
        // The difference does not contain what the program takes without any value.
        let (one, two) = (peak_kilobytes(key, SIZE), peak_kilobytes(key, 2 * SIZE));
        assert!(two.saturating_sub(one) < 3 * (SIZE >> 10), "{key}: {one} kB, then {two} kB");
    }
}

/// Returns the most memory that converting a value of NUL bytes takes.
#[cfg(target_os = "linux")]
fn peak_kilobytes(key: &str, size: usize) -> usize {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    database(&folder.path().join("state.vscdb"), |connection| {
        connection.execute_batch("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")?;
        let sql = "INSERT INTO cursorDiskKV VALUES (?1, zeroblob(?2))";
        connection.execute(sql, (key, i64::try_from(size).expect("a size"))).map(drop)
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_vac"))
        .args(["convert", "state.vscdb"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut record = vec![0; size];
    // When this much of an entry was written, all of it was built.
    stdout.read_exact(&mut record).expect("a record");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    stdout.read_to_end(&mut record).expect("the rest");
    assert!(child.wait().expect("it ends").success());
    let record = String::from_utf8(record).expect("text");
    assert!(record.contains(&"A".repeat(size / 3 * 4)), "base64 of all of it");
    peak
}
