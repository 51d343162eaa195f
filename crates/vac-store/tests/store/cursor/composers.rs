//! The IDE's `state.vscdb`.

use std::fs;

use vac_adapter::Share;
use vac_adapter_check::logs::root;
use vac_adapter_check::{ConvertedRecord, convert_full};
use vac_adapter_cursor::Cursor;
use vac_record::AbstractTimestamp;
use vac_store::join::detect;

use super::{convert, convert_single, database, sessions, values};
use crate::Stored;
use crate::snapshot::Snapshot;

/// The statements that create the fixture.
pub const SQL: &str = include_str!("composer.sql");

const TABLE: &str = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";

/// Converts a session without checking for losses.
fn convert_unchecked(_: &str, documents: &Stored) -> ConvertedRecord {
    convert_full(&Cursor, &documents.0).expect("a session").remove(0)
}

#[test]
fn fixture_is_up_to_date() {
    let (_folder, made) = database("state.vscdb", SQL);
    let fixture = root().join("fixtures/cursor/composer/basic/state.vscdb");
    if std::env::var_os("VAC_BLESS").is_some() {
        fs::copy(&made, &fixture).expect("to write");
    }
    assert_eq!(sessions(&fixture), sessions(&made));
    assert_eq!(sessions(&made).len(), 4);
}

#[test]
fn session_is_its_composer_its_listed_bubbles_and_then_others() {
    let (_folder, path) = database("state.vscdb", SQL);
    let (key, documents) = sessions(&path).remove(0);
    assert_eq!(key, "11111111-aaaa-4aaa-8aaa-000000000001");
    let ends = values(&documents).into_iter().zip(documents.codes()).map(|(document, codes)| {
        let name = document["key"].as_str().expect("a key");
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        codes.iter().fold(name, |name, code| format!("{name} {code}"))
    });
    let expected = [
        "11111111-aaaa-4aaa-8aaa-000000000001",
        "b-ask",
        "b-think",
        "b-read",
        "row-of-its-own",
        "b-null row-null",
        "b-gone row-missing",
        "b-run",
        "b-done",
        "b-nameless",
        "o-bytes row-unlisted row-not-json",
        "o-first-try row-unlisted",
        "o-number row-unlisted",
        "o-pending row-unlisted",
        "o-text row-unlisted row-not-json",
        "o-twice row-unlisted",
        "o-type row-unlisted",
    ];
    // Of duplicate keys the last one counts.
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

#[test]
fn values_are_spliced_as_they_are_written() {
    let (_folder, path) = database(
        "state.vscdb",
        &format!(
            "{TABLE} INSERT INTO cursorDiskKV VALUES ('composerData:c', '{{\"n\": 1.0,  \"e\":1e400}}');
             INSERT INTO cursorDiskKV VALUES ('bubbleId:c:b', '{{\"type\":1,
                 \"text\":\"\\ud800\"}}');"
        ),
    );
    let text = String::from_utf8(sessions(&path).remove(0).1.to_vec()).expect("text");
    assert!(text.starts_with(r#"{"key":"composerData:c","value":{"n": 1.0,  "e":1e400}}"#));
    assert!(text.contains(r#""text":"\ud800"}"#));
}

#[test]
fn other_rows_are_never_read() {
    let (_folder, path) = database("state.vscdb", SQL);
    let with = sessions(&path);
    for (key, documents) in &with {
        let record = convert(key, documents);
        for text in [String::from_utf8_lossy(documents).as_ref(), record.text()] {
            assert!(!text.contains("credential"), "{key}");
        }
    }
    let without = "DROP TABLE ItemTable; DELETE FROM cursorDiskKV WHERE value LIKE 'credential%';";
    let (_folder, path) = database("state.vscdb", &format!("{SQL}{without}"));
    assert_eq!(sessions(&path), with, "they are not reported as missing");
}

#[test]
fn secret_of_a_composer_is_redacted_and_reported() {
    let (_folder, path) = database("state.vscdb", SQL);
    let (key, documents) = sessions(&path).remove(0);
    let record = convert(&key, &documents);
    assert!(!record.text().contains("secret-one"));
    assert_eq!(record.report.redacted["composerData.blobEncryptionKey"], 1);
    // It is redacted, too, if the composer cannot be parsed.
    for broken in [
        r#"{"key":"composerData:c","value":{"blobEncryptionKey":"hush","a":1,"a":2}}"#,
        r#"{"key":"composerData:c","value":{"blobEncryptionKey":"hush""#,
        r#"{"key":"composerData:c","text":"{\"blobEncryptionKey\":\"hush\""}"#,
    ] {
        let log = format!("{}\n{broken}\n", r#"{"key":"bubbleId:c:b","value":{"type":1}}"#);
        let record =
            convert_unchecked("c", &Stored(vac_adapter_check::TestLog::new("c", log.as_bytes())));
        assert!(!record.text().contains("hush"), "{broken}");
        assert_eq!(record.report.redacted.len(), 1, "{broken}");
    }
}

#[test]
fn list_reads_composers_only() {
    let (_folder, path) = database("state.vscdb", SQL);
    let logs = vac_store::find(std::slice::from_ref(&path), crate::AGENTS).logs;
    let seen: Vec<_> = logs.into_iter().map(|log| detect(log, &[&Cursor])).collect();
    let glimpses: Vec<_> = seen.iter().map(|known| &known.preview).collect();
    assert!(seen.iter().all(|known| known.agent == Some("cursor") && known.trouble.is_none()));
    assert!(
        glimpses
            .iter()
            .all(|preview| { (preview.variant, preview.share) == ("composer", Share::Whole) })
    );
    assert_eq!(glimpses[0].session_id.as_deref(), Some("11111111-aaaa-4aaa-8aaa-000000000001"));
    assert_eq!(glimpses[0].start, Some(AbstractTimestamp::Uint(1_786_000_000_000)));
    assert_eq!(glimpses[0].project.as_deref(), Some("/home/ada/kettle"));
    assert_eq!(glimpses[2].start, None, "a row that is NULL tells nothing");
    assert_eq!(glimpses[3].session_id.as_deref(), Some("44444444-dddd-4ddd-8ddd-000000000004"));
}

#[test]
fn large_composer_is_listed_without_being_parsed() {
    let large = format!(
        "{TABLE} INSERT INTO cursorDiskKV SELECT 'composerData:large',
             '{{\"createdAt\":7,\"text\":\"' || hex(zeroblob(2200000)) || '\"}}';"
    );
    let (_folder, path) = database("state.vscdb", &large);
    let log = vac_store::find(std::slice::from_ref(&path), crate::AGENTS).logs.remove(0);
    let known = detect(log, &[&Cursor]);
    assert_eq!(known.preview.session_id.as_deref(), Some("large"));
    assert_eq!(known.preview.start, None);
    let (key, documents) = sessions(&path).remove(0);
    let record = convert_unchecked(&key, &documents).value();
    assert_eq!(record["session"]["session-start"], 7, "but it is converted whole");
}

#[test]
fn rows_of_wrong_types_are_kept_or_reported() {
    let (folder, path) = database(
        "state.vscdb",
        "CREATE TABLE cursorDiskKV (key, value);
         INSERT INTO cursorDiskKV VALUES ('composerData:c', 1.5);
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:real', 9e999);
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:empty', '');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:list', '[1,2]');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:a:b', '{\"type\":\"1\"}');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:', '{\"type\":1,\"text\":{\"deep\":[]}}');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:same', '{\"type\":2,\"text\":\"one\"}');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:c:same', '{\"type\":2,\"text\":\"two\"}');
         INSERT INTO cursorDiskKV VALUES ('bubbleId:lonely', '{\"type\":1}');
         INSERT INTO cursorDiskKV VALUES (CAST('bubbleId:c:bytes' AS BLOB), '{\"type\":1}');
         INSERT INTO cursorDiskKV VALUES (NULL, '{\"type\":1}');
         INSERT INTO cursorDiskKV VALUES (7, '{\"type\":1}');
         INSERT INTO cursorDiskKV VALUES (CAST(x'627562626c6549643a633aff' AS TEXT), '{\"type\":1}');",
    );
    let before = Snapshot::new(folder.path());
    let record = convert_single(&path);
    assert_eq!(record.report.unparsed.count, 2, "infinity and nothing are no JSON");
    let ids: Vec<_> = record.entries().iter().map(|entry| entry["id"].clone()).collect();
    let same = ids.iter().filter(|id| **id == "same").count();
    assert_eq!(same, 2, "both rows of a table without an index");
    assert!(record.text().contains("one") && record.text().contains("two"));
    assert!(ids.contains(&"a:b".into()), "a bubble's id may have a colon");
    before.assert_unchanged(folder.path());
}

#[test]
fn other_tables_are_not_a_store() {
    for sql in [
        "CREATE TABLE cursorDiskKV (name TEXT, value BLOB);",
        "CREATE TABLE ItemTable (key TEXT, value BLOB);",
        "CREATE TABLE t (a); CREATE VIEW cursorDiskKV AS SELECT 'composerData:c' AS key, 1 AS value;",
    ] {
        let (_folder, path) = database("state.vscdb", sql);
        let found = vac_store::find(std::slice::from_ref(&path), crate::AGENTS);
        assert!(found.troubles.is_empty(), "{:?}", found.troubles);
        assert!(found.logs.iter().all(|log| !log.shown.contains('#')), "{sql}");
    }
    let (_folder, path) = database("state.vscdb", TABLE);
    assert!(
        vac_store::find(std::slice::from_ref(&path), crate::AGENTS).logs.is_empty(),
        "nothing in it"
    );
}

#[test]
fn bubbles_are_found_by_their_own_ids_once() {
    let (_folder, path) = database(
        "state.vscdb",
        &format!(
            "{TABLE} INSERT INTO cursorDiskKV VALUES ('composerData:c',
                 '{{\"fullConversationHeadersOnly\":[{{\"bubbleId\":\"x\"}},{{\"bubbleId\":\"x\"}},
                    {{\"bubbleId\":\"gone\"}},{{\"bubbleId\":\"gone\"}},{{}},7]}}');
             INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{{\"type\":1,\"bubbleId\":\"x\"}}');
             INSERT INTO cursorDiskKV VALUES ('bubbleId:c:2', '{{\"type\":1,\"bubbleId\":\"x\"}}');"
        ),
    );
    let (_, stored) = sessions(&path).remove(0);
    let documents = values(&stored);
    let keys: Vec<_> = documents.iter().skip(1).map(|document| document["key"].clone()).collect();
    assert_eq!(keys, ["bubbleId:c:1", "bubbleId:c:gone", "bubbleId:c:2"]);
    assert_eq!(stored.codes()[3], ["row-unlisted"]);
}

#[test]
fn bubbles_without_a_composer_are_the_conversation() {
    for composer in ["", "INSERT INTO cursorDiskKV VALUES ('composerData:c', NULL);"] {
        let (_folder, path) = database(
            "state.vscdb",
            &format!(
                "{TABLE}{composer} INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1',
                     '{{\"type\":2,\"text\":\"b\",\"createdAt\":\"2026-01-01T00:00:02.000Z\"}}');
                 INSERT INTO cursorDiskKV VALUES ('bubbleId:c:2',
                     '{{\"type\":1,\"text\":\"a\",\"createdAt\":\"2026-01-01T00:00:01.000Z\"}}');"
            ),
        );
        let (_, stored) = sessions(&path).remove(0);
        let documents = values(&stored);
        let bubbles = documents.iter().filter(|document| document["value"]["type"].is_number());
        let keys: Vec<_> = bubbles.map(|bubble| &bubble["key"]).collect();
        assert_eq!(keys, ["bubbleId:c:2", "bubbleId:c:1"], "{composer}");
        assert!(!stored.codes().concat().contains(&"row-unlisted"), "{composer}");
    }
}
