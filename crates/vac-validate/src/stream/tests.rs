//! Tests that streaming returns the same result as validating the whole document.

use std::io::Read;
use std::path::Path;

use super::validate;
use crate::{Encoding, Error, Violations, lint, rules, validate_document};
use vac_value::Document;

const RECORD: &str = r#"{"version": "3.0.0-draft", "id": "r", "x": [{"session": 1}, "]"],
 "session": {"session-id": "s\"", "agent-meta": {"model-id": "m", "model-provider": "p"},
 "entries": [ {"type": "user", "content": "é [{\\\" ]"} ,
 {"type": "tool-call", "name": "n", "input": [[], {}], "children": [{"type": "user"}]} ],
 "format": "interactive"}, "created": "2026-02-10T17:27:58Z"} "#;

/// A reader that returns at most a given number of bytes at a time.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.0.len().min(self.1).min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn validate_whole(bytes: &[u8], max_violations: usize) -> Result<(), Error> {
    let document = Document::scan(bytes, Encoding::Json).map_err(Error::Syntax)?;
    validate_document(&document, rules::ROOT, max_violations).map_err(Error::Invalid)
}

fn validate_streamed(bytes: &[u8], max_violations: usize, chunk: usize) -> Result<(), Error> {
    validate(Drops(bytes, chunk), max_violations).map_err(|error| match error {
        super::Error::Syntax(error) => Error::Syntax(error),
        super::Error::Invalid(violations) => Error::Invalid(violations),
        super::Error::Io(error) => panic!("reading from memory failed: {error}"),
    })
}

fn violations(record: &str) -> Violations {
    match validate_streamed(record.as_bytes(), 20, 3) {
        Err(Error::Invalid(violations)) => violations,
        other => panic!("expected violations, found {other:?}"),
    }
}

#[track_caller]
fn assert_same(bytes: &[u8], chunks: &[usize]) {
    for max in [20, 1, 0] {
        let expected = validate_whole(bytes, max);
        for &chunk in chunks {
            let found = validate_streamed(bytes, max, chunk);
            assert_eq!(
                found,
                expected,
                "{} bytes at a time, recording {max}: {}",
                chunk,
                String::from_utf8_lossy(bytes)
            );
        }
    }
}

const CHUNKS: [usize; 5] = [1, 2, 3, 7, 1 << 20];

#[test]
fn a_valid_record_is_accepted() {
    assert_eq!(validate_streamed(RECORD.as_bytes(), 20, 7), Ok(()));
    assert_same(RECORD.as_bytes(), &CHUNKS);
}

#[test]
fn violations_keep_their_order_and_place() {
    let bad = RECORD
        .replace("\"id\": \"r\"", "\"id\": 7")
        .replace("\"user\"", "\"robot\"")
        .replace("\"interactive\"", "null")
        .replace("10T17", "10 17");
    let violations = violations(&bad);
    let paths: Vec<_> = violations.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/id",
            "/session/entries/0/type",
            "/session/entries/1/children/0/type",
            "/session/format",
            "/created"
        ]
    );
    assert_same(bad.as_bytes(), &CHUNKS);
}

#[test]
fn duplicate_keys_are_found_at_every_depth() {
    let bad = RECORD
        .replace("{\"session\": 1}", "{\"a\": 1, \"\\u0061\": 1}")
        .replace("[[], {}]", "[[], {\"b\": {\"c\": 1, \"c\": 1}}]")
        .replace("\"format\":", "\"entries\": [{\"d\": 0, \"d\": 0}], \"format\":")
        .replace("\"user\"", "\"robot\"")
        .replace("\"created\"", "\"session\": {\"entries\": 3}, \"created\"");
    let violations = violations(&bad);
    let shown: Vec<_> =
        violations.iter().map(|found| format!("{} {}", found.path, found.found)).collect();
    assert_eq!(
        shown,
        [
            "/x/0/a duplicate key \"a\"",
            "/session/entries/1/input/1/b/c duplicate key \"c\"",
            "/session/entries duplicate key \"entries\"",
            "/session/entries/0/d duplicate key \"d\"",
            "/session duplicate key \"session\"",
            "/session/entries/0/type text \"robot\"",
            "/session/entries/1/children/0/type text \"robot\"",
        ]
    );
    assert_eq!(violations.total(), 7);
    assert_same(bad.as_bytes(), &CHUNKS);
}

#[test]
fn truncated_records_have_the_same_error() {
    for end in 0..RECORD.len() {
        assert_same(&RECORD.as_bytes()[..end], &[1, 7, 1 << 20]);
    }
}

#[test]
fn odd_documents_have_the_same_result() {
    let base = |entries: &str| {
        format!(
            r#"{{"version":"3","id":"r","session":{{"session-id":"s","agent-meta":{{"model-id":"m","model-provider":"p"}},"entries":{entries}}}}}"#
        )
    };
    let in_entries = [
        "[]",
        "[ ]",
        "[",
        "{}",
        "null",
        "\"[]\"",
        "[,]",
        "[1,]",
        "[1 2]",
        "[nul]",
        "[nul,1]",
        "[nulll]",
        "[1.]",
        "[1.,2]",
        "[-]",
        "[01]",
        "[\"a\" \"b\"]",
        "[\"\\u12\"]",
        "[\"\\x\"]",
        "[\"a\nb\"]",
        "[{]",
        "[{]}]",
        "[{\"a\":1]]",
        "[[}]",
        "[true,false,null,\"\",1e3,{},[]]",
        "[]]",
        "[}",
        "[:]",
        "[{\"type\":\"user\"}}",
        "[{\"type\":\"user\"}:{}]",
        "[\u{feff}]",
        "[é]",
        "[{\"type\":\"user\",\"type\":\"user\"}]",
        "[[[[]]]],",
        "[{}{}]",
        "[\\\"]",
    ];
    for entries in in_entries {
        assert_same(base(entries).as_bytes(), &CHUNKS);
    }
    let documents = [
        "",
        "  ",
        "\u{feff}{}",
        "{}",
        "[]",
        "null",
        "]",
        "}{",
        "{} {\"session\":{\"entries\":[1]}}",
        "1 {\"session\":{\"entries\":[1]}}",
        "{\"session\" {\"entries\":[1]}}",
        "{\"session\":{\"entries\" [1]}}",
        "{\"session\":{\"entries\":[1]}",
        "{\"session\":{\"entries\":[1]}} x",
        "{\"session\":{\"entries\":[1]]}",
        "{\"session\":[\"entries\",[1]]}",
        "{\"x\":{\"entries\":[1]},\"session\":{\"x\":{\"entries\":[1]}}}",
        "{\"sess\\u0069on\":{\"entr\\u0069es\":[1,2]}}",
        "{\"session\":{\"entries\":[1],\"entries\":[2]}}",
        "{\"session\":{\"entries\":1,\"entries\":[2]}}",
        "{\"session\":{\"entries\":[1]},\"session\":{\"entries\":[2]}}",
        "{\"session\":1,\"session\":{\"entries\":[2]}}",
        "{\"session\":\"session\",\"x\":{\"entries\":[2]}}",
        "{\"\":\"session\",\"y\":{\"entries\":[2]}}",
        "{\"session\":{\"entries\":[1]},\"entries\":[1]}",
        "{1:{},\"session\":{\"entries\":[1]}}",
    ];
    for document in documents {
        assert_same(document.as_bytes(), &CHUNKS);
    }
}

#[test]
fn nesting_has_the_same_limit() {
    for levels in [252, 253, 254, 255, 256, 257, 100_000] {
        let nested = format!("[{}{}]", "[".repeat(levels), "]".repeat(levels));
        let document = RECORD.replace("[[], {}]", &nested);
        assert_same(document.as_bytes(), &[1 << 20]);
    }
}

#[test]
fn invalid_utf_8_is_found_at_the_same_offset() {
    for at in 0..RECORD.len() {
        for bytes in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80"] {
            let mut document = RECORD.as_bytes().to_vec();
            document.splice(at..at, bytes.iter().copied());
            assert_same(&document, &[3, 1 << 20]);
        }
        // Invalid UTF-8 takes precedence over a syntax error before it.
        let mut document = RECORD.as_bytes().to_vec();
        document[at] = b'\x01';
        document.push(0xc3);
        assert_same(&document, &[5]);
    }
}

/// A small generator of pseudo-random numbers: the same ones on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("less than the sides")
    }
}

#[test]
fn mutated_records_have_the_same_result() {
    const PIECES: [&str; 16] = [
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        " ",
        "\"session\":",
        "\"entries\":[",
        "1",
        "é",
        "{\"type\":\"user\"},",
        "\"id\":",
    ];
    let mut dice = Dice(0x2026_1116);
    for _ in 0..4000 {
        let mut document = RECORD.as_bytes().to_vec();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(document.len());
            let end = (at + dice.roll(12)).min(document.len());
            match dice.roll(4) {
                0 => drop(document.splice(at..end, [])),
                1 => document[at] = u8::try_from(dice.roll(256)).expect("a byte"),
                2 => drop(document.splice(at..at, PIECES[dice.roll(16)].bytes())),
                _ => {
                    let copy = document[at..end].to_vec();
                    let to = dice.roll(document.len());
                    document.splice(to..to, copy);
                }
            }
            if document.is_empty() {
                break;
            }
        }
        let chunk = CHUNKS[dice.roll(CHUNKS.len())];
        assert_same(&document, &[chunk]);
        // Lints must not panic either.
        if let Ok(document) = Document::json(&document) {
            let _ = lint::lint(&document);
        }
    }
}

#[test]
fn fixtures_have_the_same_result() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schema")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for path in folder.read_dir().expect("a folder").map(|file| file.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                assert_same(&std::fs::read(path).unwrap(), &CHUNKS);
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count} fixtures");
}
