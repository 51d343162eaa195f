//! The CLI's `store.db`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use tempfile::TempDir;
use vac_adapter_check::logs::root;
use vac_adapter_cursor::Cursor;
use vac_record::AbstractTimestamp;
use vac_store::join::detect;

use super::{convert_single, database, documents, sessions, values};
use crate::snapshot::Snapshot;

/// The statements that create the fixture.
pub const SQL: &str = include_str!("chat.sql");

/// Creates a chat with these blobs; the id of each is its number.
fn chat(root: u8, blobs: &[(u8, &[u8])]) -> (TempDir, PathBuf) {
    let meta = format!(r#"{{"agentId":"chat","latestRootBlobId":"{}"}}"#, id(root));
    let mut sql = format!(
        "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
         CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
         INSERT INTO meta VALUES ('0', '{}');",
        HEXLOWER.encode(meta.as_bytes())
    );
    for (number, data) in blobs {
        let _ = write!(
            sql,
            "INSERT INTO blobs VALUES ('{}', x'{}');",
            id(*number),
            HEXLOWER.encode(data)
        );
    }
    database("store.db", &sql)
}

fn id(number: u8) -> String {
    HEXLOWER.encode(&[number; 32])
}

/// Returns a list of messages, as a root contains it.
fn list(numbers: &[u8]) -> Vec<u8> {
    numbers.iter().flat_map(|number| [&[0x0a, 32][..], &[*number; 32]].concat()).collect()
}

/// Returns a reference in another field.
fn reference(field: u8, number: u8) -> Vec<u8> {
    [&[field << 3 | 2, 32][..], &[number; 32]].concat()
}

/// Returns the blobs of a chat in order: their numbers and the codes of their troubles.
fn blob_codes(path: &Path) -> Vec<String> {
    let (_, stored) = sessions(path).remove(0);
    let documents = values(&stored).into_iter().zip(stored.codes());
    let blobs = documents.filter_map(|(document, codes)| {
        let id = document["blob"].as_str()?;
        let is_told = |code: &&&str| !["row-null", "row-not-json"].contains(*code);
        let codes = codes.iter().filter(is_told);
        Some(codes.fold(id[..2].to_owned(), |name, code| format!("{name} {code}")))
    });
    blobs.collect()
}

const HELLO: &[u8] = br#"{"role":"user","content":"hello"}"#;

#[test]
fn fixture_is_up_to_date() {
    let (_folder, made) = database("store.db", SQL);
    let fixture = root().join("fixtures/cursor/chat/basic/store.db");
    if std::env::var_os("VAC_BLESS").is_some() {
        fs::copy(&made, &fixture).expect("to write");
    }
    assert_eq!(sessions(&fixture), sessions(&made));
    let (_, documents) = sessions(&made).remove(0);
    assert!(!String::from_utf8_lossy(&documents).contains("credential"), "one row of meta");
}

#[test]
fn messages_have_the_order_of_the_root_and_unlinked_ones_are_marked() {
    let turn = [reference(1, 2), reference(2, 7)].concat();
    let root = [list(&[2, 3, 2, 9]), reference(8, 6)].concat();
    let blobs: &[(u8, &[u8])] = &[
        (5, br#"{"role":"assistant","content":"given up"}"#),
        (3, br#"{"role":"assistant","content":"hi"}"#),
        (2, HELLO),
        (6, &turn),
        (7, b"\x0a\x02hi"),
        (8, &list(&[2])),
        (1, &root),
    ];
    let (folder, path) = chat(1, blobs);
    let before = Snapshot::new(folder.path());
    let expected = [
        "01 row-lists",
        "02",
        "03",
        "02 row-repeated",
        "09 row-missing",
        "06 row-linked",
        "07 row-linked",
        "05 row-unlisted",
        "08 row-unlisted",
    ];
    assert_eq!(blob_codes(&path), expected);
    let record = convert_single(&path);
    let entries = record.entries();
    let ids: Vec<_> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids[2], id(2));
    assert_eq!(ids[4], format!("{}:2", id(2)), "the same message again has an id of its own");
    let superseded =
        entries.iter().filter(|entry| entry["vac"]["superseded"]["how"] == "other").count();
    assert_eq!(superseded, 4);
    before.assert_unchanged(folder.path());
}

#[test]
fn circular_and_dangling_references_are_handled() {
    let one = [list(&[2]), reference(8, 1), reference(8, 3)].concat();
    let three = [reference(1, 1), reference(1, 3), reference(1, 4), reference(1, 99)].concat();
    let four = reference(1, 3);
    let (_folder, path) = chat(1, &[(1, &one), (2, HELLO), (3, &three), (4, &four)]);
    assert_eq!(blob_codes(&path), ["01 row-lists", "02", "03 row-linked", "04 row-linked"]);
    // A list that lists itself.
    let (_folder, path) = chat(1, &[(1, &list(&[1, 1]))]);
    assert_eq!(blob_codes(&path), ["01 row-lists", "01 row-repeated", "01 row-repeated"]);
    convert_single(&path);
}

#[test]
fn invalid_root_is_reported_and_messages_keep_the_stored_order() {
    for root in [
        &b"\x0a\xff\x01too short"[..],
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x0b\x0b\x0b",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let (_folder, path) = chat(1, &[(2, HELLO), (1, root), (3, HELLO)]);
        assert_eq!(blob_codes(&path), ["01 row-lists", "02", "03"]);
        let record = convert_single(&path);
        let warning = "the list of messages cannot be read";
        assert!(record.report.warnings.iter().any(|line| line.starts_with(warning)));
        assert_eq!(record.entries().iter().filter(|entry| entry["type"] == "user").count(), 2);
    }
    let (_folder, path) = chat(1, &[(2, HELLO)]);
    assert_eq!(blob_codes(&path), ["01 row-lists row-missing", "02"]);
    convert_single(&path);
}

#[test]
fn repeated_long_blob_is_limited() {
    let long = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(1 << 20));
    let root = list(&[2; 1000]);
    let (_folder, path) = chat(1, &[(1, &root), (2, long.as_bytes())]);
    let (_, documents) = sessions(&path).remove(0);
    assert!(documents.len() < 20 << 20, "{} bytes", documents.len());
    assert_eq!(blob_codes(&path).iter().filter(|name| name.starts_with("02")).count(), 1000);
}

#[test]
fn unusual_rows_are_kept() {
    let meta = HEXLOWER.encode(br#"{"agentId":"","createdAt":"never"}"#);
    let (folder, path) = database(
        "store.db",
        &format!(
            "CREATE TABLE blobs (id, data, PRIMARY KEY (id)) WITHOUT ROWID;
             CREATE TABLE meta (key, value);
             INSERT INTO meta VALUES ('0', '{meta}');
             INSERT INTO blobs VALUES (x'abcd', '{{\"role\":\"user\",\"content\":1}}');
             INSERT INTO blobs VALUES (7, 1.5);
             INSERT INTO blobs VALUES (0.5, x'ff');
             INSERT INTO blobs VALUES ('t', 'some text');
             INSERT INTO blobs VALUES ('n', '{{\"role\":7}}');
             INSERT INTO blobs VALUES ('l', '[]');"
        ),
    );
    let record = convert_single(&path);
    assert_eq!(record.report.session_id.len(), 36, "named by its bytes");
    let ids: Vec<_> = record.entries().iter().map(|entry| entry["id"].clone()).collect();
    for id in ["abcd", "7", "0.5", "t", "n", "l"] {
        assert!(ids.contains(&id.into()), "{id}");
    }
    drop(folder);
    for meta in ["'zz'", "NULL", "7", "x'ff'", "hex('[1]')", "hex('{\"agentId\":')"] {
        let sql = format!(
            "CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value);
             INSERT INTO meta VALUES ('0', {meta});
             INSERT INTO blobs VALUES ('a', '{{\"role\":\"user\"}}');"
        );
        let (_folder, path) = database("store.db", &sql);
        assert_eq!(convert_single(&path).entries().len(), 2, "{meta}");
    }
    let nothing = "CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value);";
    let (_folder, path) = database("store.db", nothing);
    let found = vac_store::find(std::slice::from_ref(&path), crate::AGENTS);
    assert!(found.logs.iter().all(|log| log.load().is_ok()), "nothing is something, too");
}

#[test]
fn file_next_to_the_database_belongs_to_it() {
    let (folder, path) = chat(1, &[(1, &list(&[2])), (2, HELLO)]);
    let meta = folder.path().join("meta.json");
    let seen = || {
        detect(
            vac_store::find(std::slice::from_ref(&path), crate::AGENTS).logs.remove(0),
            &[&Cursor],
        )
    };
    assert_eq!(seen().preview.project, None);
    fs::write(&meta, r#"{"schemaVersion":1,"createdAtMs":17,"updatedAtMs":19,"cwd":"/home/ada"}"#)
        .expect("to write");
    let preview = seen().preview;
    assert_eq!(preview.session_id.as_deref(), Some("chat"));
    assert_eq!(preview.project.as_deref(), Some("/home/ada"));
    assert_eq!(preview.start, Some(AbstractTimestamp::Uint(17)));
    let record = convert_single(&path).value();
    assert_eq!(record["session"]["environment"]["working-dir"], "/home/ada");
    assert_eq!(record["session"]["session-end"], 19);
    assert_eq!(record["session"]["entries"][1]["event-type"], "meta.json");
    for other in ["{}", "not JSON", "{\"name\":\"package\"}"] {
        fs::write(&meta, other).expect("to write");
        assert!(documents(&path).iter().all(|document| document["file"] == Value::Null));
    }
}

#[test]
fn chat_without_a_name_has_that_of_its_folder() {
    let top = TempDir::new().expect("a folder");
    let folder = top.path().join("0f0e0d0c-0b0a-4090-8080-706050403020");
    fs::create_dir(&folder).expect("a folder");
    let (_made, made) = database(
        "store.db",
        "CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value);
         INSERT INTO blobs VALUES ('a', '{\"role\":\"user\"}');",
    );
    fs::copy(&made, folder.join("store.db")).expect("a copy");
    let record = convert_single(top.path());
    assert_eq!(record.report.session_id, "0f0e0d0c-0b0a-4090-8080-706050403020");
}
