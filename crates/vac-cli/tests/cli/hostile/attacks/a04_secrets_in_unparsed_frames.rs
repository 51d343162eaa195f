//! Tests that secrets are redacted in frames that could not be parsed, too.

use data_encoding::HEXLOWER;
use rusqlite::Connection;
use rusqlite::types::Value;
use sha2::{Digest, Sha256};

use crate::run::Folder;

/// The secret in all tests.
const HUSH: &str = "HUSH-7f3a";

const OPENCODE: &str =
    r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}"#;
const CURSOR: &str = r#"{"key": "bubbleId:c:b", "value": {"type": 1, "text": "Hello"}}"#;

/// Converts a log in both encodings. Nothing of the secret may be in a record, in a report
/// or on the terminal, and report and terminal count `redacted`. Returns the JSON record.
#[track_caller]
fn converted(agent: &str, log: &[u8], redacted: u64) -> String {
    let folder = Folder::new();
    folder.write("log.jsonl", log);
    let mut record = String::new();
    for format in ["json", "cbor"] {
        let arguments = [
            "convert",
            "-a",
            agent,
            "log.jsonl",
            "-f",
            format,
            "--report",
            "report.json",
            "-o",
            "r",
        ];
        let ran = folder.vac(&[&arguments[..], &["--force"]].concat());
        let shown = String::from_utf8_lossy(log);
        assert_eq!(ran.code, 0, "{shown}: {}", ran.stderr);
        let written = std::fs::read(folder.path().join("r")).expect("a record");
        let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
        for part in [HUSH, "HUSH", "7f3a", "SFVTSC03ZjNh"] {
            let is_in =
                |text: &[u8]| text.windows(part.len()).any(|bytes| bytes == part.as_bytes());
            assert!(!is_in(&written), "{shown}: {}", String::from_utf8_lossy(&written));
            assert!(!is_in(report.as_bytes()) && !is_in(ran.stderr.as_bytes()), "{shown}");
        }
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let counts = report["sessions"][0]["redacted"].as_object().expect("counts");
        let count: u64 = counts.values().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!(count, redacted, "{shown}: {counts:?}");
        assert_eq!(ran.stderr.contains("redacted: "), redacted > 0, "{}", ran.stderr);
        if format == "json" {
            record = String::from_utf8(written).expect("text");
            assert_eq!(folder.vac(&["validate", "r"]).code, 0, "{shown}");
        }
    }
    record
}

#[test]
fn broken_share_objects_of_opencode_keep_their_secret() {
    for (frames, share) in [
        (1, r#"{"id": "ses_1", "secret": "HUSH", "url": "u"#),
        (1, r#"{"id": "ses_1", "s\u0065cret": "HUSH", "url": "u"#),
        (1, r#"{"id": "ses_1", "type": "x", "\u0073ecret" : "HUSH", "url": "u"#),
        (1, r#"{"id": "ses_1", "role": "x", "secret":"HUSH", "url": "u", "url": "v"}"#),
        (1, r#"{"id": "ses_1", "secret": "HUSH", "secret": "HUSH"}"#),
        (1, r#"{"id": "ses_1", "secret": "HUSH", "s\u0065cret": "HUSH"}"#),
        (1, "{\n  \"id\": \"ses_1\",\n  \"secret\":\n    \"HUSH\",\n  \"url\": \n"),
        (2, "{\"id\": \"ses_1\", \"secret\":\n\"HUSH\", \"url\": \"u"),
        (3, "{\"id\": \"ses_1\", \"secret\"\n:\n\"HUSH\""),
        (1, "{\"id\": \"ses_1\", \"secr\net\": \"HUSH\""),
        (2, "{\"id\": \"ses_1\", \"secret\": \"\nHUSH\"}"),
        (2, "{\"id\": \"ses_1\", \"secret\": \"\0\0HUSH\"}"),
        (1, r#""{\"id\": \"ses_1\", \"secret\": \"HUSH\"}""#),
        (1, r#"{"text": "{\\\"secret\\\": \\\"HUSH\\\"}", "text": 1}"#),
        (1, r#"{"id": "ses_1", "projectID": "p", "share": "{\"secret\": \"HUSH\"}"}"#),
        (1, r#"{"id": "ses_1", "projectID": "p", "share": {"a": {"secret": "HUSH"}}}"#),
        (1, r#"[{"type": "session", "data": {"share": {"secret": "HUSH"}}, "more": 1}]"#),
        (1, r#"[[{"id": "ses_1", "secret": "HUSH"}]]"#),
        (1, r#"{"id": "ses_1", "type": "share", "secret": "HUSH", "url": "u"}"#),
        (1, r#"{"id": "ses_1", "projectID": "\ud800", "share": "{\"secret\": \"HUSH\"}"}"#),
        (1, r#"{"info": {"id": "ses_1"}, "messages": [], "share": {"secret": "HUSH"}}"#),
        (1, r#"{"info": {"id": "ses_1"}, "messages": [{"info": {"secret": "HUSH""#),
        (1, r#"{"id": "ses_1", "secret": "HUSH", "url": "\ud800"}"#),
        (1, r#"{"id": "ses_1", "projectID": "p", "t": "\ud800", "share": {"secret": "HUSH"}}"#),
    ] {
        let log = format!("{OPENCODE}\n{}", share.replace("HUSH", HUSH));
        converted("opencode", log.as_bytes(), frames);
    }
    for share in [&br#"{"secret": "HUSH-7f3a", "url": ""#[..], b"{\"se\xffcret\": \"HUSH-7f3a\""] {
        let log = [OPENCODE.as_bytes(), b"\n", share, b"\xff\""].concat();
        converted("opencode", &log, 1);
        let wide = share.iter().flat_map(|byte| [*byte, 0x80]).collect::<Vec<_>>();
        converted("opencode", &[OPENCODE.as_bytes(), b"\n", &wide].concat(), 1);
    }
}

#[test]
fn broken_composers_of_cursor_keep_their_keys() {
    for (frames, composer) in [
        (1, r#"{"key": "composerData:c", "value": {"blobEncryptionKey": "HUSH"#),
        (
            1,
            r#"{"key": "composerData:c", "value": {"blobEncryption\u004bey": "HUSH", "a": 1, "a": 2}}"#,
        ),
        (
            1,
            r#"{"key": "composerData:c", "value": {"blobEncryptionKey": "a\"HUSH", "a": 1, "a": 2}}"#,
        ),
        (2, "{\"key\": \"composerData:c\", \"value\": {\"blobEncryptionKey\":\n\"HUSH\""),
        (1, r#"{"key": "composerData:c", "text": "{\"blobEncryptionKey\" :\r\n \"HUSH\""}"#),
        (1, r#"{"key": "composerData:c", "text": "{\"blobEncryptionKey\": \"HUSH\"\ud800"}"#),
        (
            1,
            r#"{"key": "composerData:c", "base64": "eyJibG9iRW5jcnlwdGlvbktleSI6IkhVU0gtN2YzYf8iLA=="}"#,
        ),
        (1, r#"{"key": "composerData:c", "value": "{\"blobEncryptionKey\": \"HUSH\"}"}"#),
        (
            1,
            r#"{"key": "composerData:c", "x": "\ud800", "value": "{\"blobEncryptionKey\": \"HUSH\"}"}"#,
        ),
        (1, r#"{"key": "composerData:c", "value": [{"blobEncryptionKey": "HUSH"}]}"#),
        (1, r#"{"k\u0065y": "composerData:c", "value": {"blobEncryptionKey": "HUSH"}}"#),
        (1, r#"{"key": "composerData:c", "type": "x", "value": {"blobEncryptionKey": "HUSH"}}"#),
        (1, r#"{"key": "composerData:\ud800", "value": {"blobEncryptionKey": "HUSH"}}"#),
        (
            1,
            r#"{"key": "composerData:c", "value": {"t": "\ud800", "blobEncryption\u004bey": "HUSH"}}"#,
        ),
        (1, r#"{"composerId": "c", "blobEncryptionKey": "HUSH", "text": "\ud800"}"#),
        (
            1,
            r#"{"rows": [{"key": "composerData:c", "value": {"blobEncryption\u004bey": "HUSH"}}]}"#,
        ),
        (1, r#"{"speculativeSummarizationEncryptionKey": "HUSH"#),
    ] {
        let log = format!("{CURSOR}\n{}", composer.replace("HUSH", HUSH));
        converted("cursor", log.as_bytes(), frames);
        let transcript = r#"{"role": "user", "message": {"content": "Hello"}}"#;
        converted("cursor", format!("{transcript}\n{log}").as_bytes(), frames);
    }
}

#[test]
fn rows_of_cursors_database_that_are_not_json_keep_their_keys() {
    let text = format!(r#"{{"blobEncryptionKey": "{HUSH}", "#);
    let bytes = [text.as_bytes(), b"\xff"].concat();
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let quoted = serde_json::to_string(&text).expect("JSON");
    for value in [Value::Text(text), Value::Text(quoted), Value::Blob(bytes), Value::Blob(wide)] {
        let folder = Folder::new();
        let database = Connection::open(folder.path().join("state.vscdb")).expect("a database");
        database
            .execute_batch("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
            .expect("SQL");
        database
            .execute("INSERT INTO cursorDiskKV VALUES ('composerData:c', ?1)", [&value])
            .expect("SQL");
        database.close().expect("closed");
        let ran = folder.vac(&["convert", "state.vscdb"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for part in [HUSH, "7f3a", "SFVTSC"] {
            assert!(!ran.stdout.contains(part), "{}", ran.stdout);
        }
        assert!(ran.stdout.contains("\"reason\":\"redacted\""), "{}", ran.stdout);
        assert!(
            ran.stderr.contains("redacted: cursor composerData, unparsed (1)"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_redacted_frame_keeps_its_length_and_digest() {
    let frame = r#"{"id": "ses_1", "secret": "HUSH-7f3a", "url": "u"#;
    let record = converted("opencode", format!("{OPENCODE}\n{frame}").as_bytes(), 1);
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["session"]["entries"][1]["vac"]["reason"], "redacted");
    assert_eq!(
        record["session"]["entries"][1]["data"],
        serde_json::json!({
            "line": 2,
            "length": frame.len(),
            "sha-256": HEXLOWER.encode(&Sha256::digest(frame)),
        }),
    );
}

#[test]
fn duplicate_key_redacts_only_the_secret() {
    let composer = r#"{"key": "composerData:c", "value": {"blobEncryptionKey": "HUSH-7f3a",
        "name": "kept", "a": 1, "a": 2}}"#;
    let record = converted("cursor", format!("{CURSOR}\n{composer}").as_bytes(), 1);
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    let data = &record["session"]["entries"][1]["data"];
    let raw = data["raw"].as_str().expect("text");
    assert!(raw.contains(r#"{"(redacted)":null"#) && raw.contains(r#""name": "kept""#), "{raw}");
    assert_eq!(data["redacted"], 1);
}

#[test]
fn words_of_parsed_frames_are_not_taken_for_secrets() {
    let part = r#"{"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool",
        "tool": "read", "callID": "c", "state": {"status": "completed", "input": {"secret": "kept-1"},
        "output": "{\"secret\": \"kept-2\", \"blobEncryptionKey\": \"kept-3\"}"}}"#;
    let message = r#"{"role": "assistant", "message": {"content": [{"type": "text",
        "text": "{\"secret\": \"kept-2\", \"blobEncryptionKey\": \"kept-3\"} kept-1"}]}}"#;
    for (agent, log) in [("opencode", format!("{OPENCODE}\n{part}")), ("cursor", message.into())] {
        let record = converted(agent, log.as_bytes(), 0);
        for word in ["kept-1", "kept-2", "kept-3"] {
            assert!(record.contains(word), "{word}: {record}");
        }
    }
}
