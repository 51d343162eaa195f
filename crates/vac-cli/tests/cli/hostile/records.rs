//! Tests input that is not a record.

use vac::validation::{Encoding, validate};

use super::Dice;
use crate::records::{bytes, record, signed as signed_record, small, small_cbor, text};
use crate::run::Folder;

#[test]
fn bytes_that_are_not_a_document_are_reported() {
    let folder = Folder::new();
    let nested_json = "[".repeat(100_000) + &"]".repeat(100_000);
    let nested_entry = record(&nested_json);
    let nested_cbor = [vec![0x81; 100_000], vec![0xf6]].concat();
    let cases: [(&str, &[u8], &str); 13] = [
        ("empty.json", b"", "the input is empty"),
        ("empty.cbor", b"", "the input is empty"),
        ("empty.jsonl", b"\n \n", "the input is empty"),
        ("spaces.json", b" \n ", "the input is empty"),
        ("words.json", b"hello world", "line 1, column 1: expected a JSON value"),
        (
            "words.txt",
            b"hello world",
            "neither JSON nor CBOR (as CBOR, unexpected bytes after the document",
        ),
        ("elf.cbor", b"\x7fELF\x02\x01\x01", "neither JSON nor CBOR (as CBOR, "),
        ("utf8.json", b"{\"a\": \"\xff\"}", "line 1, column 8: the text is not valid UTF-8"),
        ("bom.json", b"\xef\xbb\xbf{}", "line 1, column 1: a byte-order mark precedes"),
        ("utf16.json", b"\xff\xfe{\0}\0", "0xff cannot begin an item here"),
        ("deep.json", nested_json.as_bytes(), "column 257: nested deeper than 256 levels"),
        ("deep-entry.json", nested_entry.as_bytes(), "nested deeper than 256 levels"),
        ("deep.cbor", &nested_cbor, "byte 256: nested deeper than 256 levels"),
    ];
    for (name, content, message) in cases {
        folder.write(name, content);
        let ran = folder.vac(&["validate", name]);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
        assert!(ran.lines()[0].starts_with(&format!("{name}: ")), "{name}: {ran:?}");
        assert!(ran.lines()[0].contains(message), "{name}: {ran:?}");
        // The same from standard input.
        let ran = folder.vac_with(&["validate", "--lint", "-"], content);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
    }
}

/// Checks bytes as the fuzz targets do, and returns whether they are a valid record.
fn is_valid_in_every_way(bytes: &[u8], encoding: Encoding) -> bool {
    match encoding {
        Encoding::Json => vac_tests::fuzz::json(bytes),
        Encoding::Cbor => vac_tests::fuzz::cbor(bytes),
    }
    validate(bytes, encoding).is_ok()
}

fn signed_sample() -> Vec<u8> {
    let protected = [vec![3], text("application/json"), vec![0x18, 34, 0x82, 0x2f, 0x41, 1]];
    let unprotected = [vec![0x19, 1, 0x8a, 0x81, 0xf6, 0x18, 33], bytes(b"cert")].concat();
    signed_record((2, &protected.concat()), (2, &unprotected), &bytes(small().as_bytes()))
}

fn samples() -> [(Vec<u8>, Encoding); 3] {
    let entries = r#"{"type": "tool-call", "name": "n", "input": {"a": [1.5, null, true]},
        "call-id": "c", "timestamp": "2026-01-01T00:00:00.5+01:00", "children":
        [{"type": "user", "id": "é\u00e9\n", "token-usage": {"input": 1, "cost": 0.1}}]}"#;
    [
        (record(entries).into_bytes(), Encoding::Json),
        (small_cbor(), Encoding::Cbor),
        (signed_sample(), Encoding::Cbor),
    ]
}

#[test]
fn beginning_of_a_record_is_not_a_record() {
    for (bytes, encoding) in samples() {
        assert!(is_valid_in_every_way(&bytes, encoding));
        for end in 0..bytes.len() {
            assert!(!is_valid_in_every_way(&bytes[..end], encoding), "{end} bytes");
        }
    }
}

#[test]
fn a_cut_off_file_is_invalid() {
    let folder = Folder::new();
    for (bytes, _) in samples() {
        for end in (1..bytes.len()).step_by(bytes.len() / 7) {
            let ran = folder.vac_with(&["validate", "-"], &bytes[..end]);
            assert_eq!((ran.code, ran.lines().len()), (1, 1), "{end} bytes: {ran:?}");
        }
    }
}

#[test]
fn mutated_records_are_validated_without_a_panic() {
    let mut dice = Dice(0x5eed_0003);
    for (sample, encoding) in samples() {
        for _ in 0..1500 {
            let mut bytes = sample.clone();
            dice.damage(&mut bytes);
            is_valid_in_every_way(&bytes, encoding);
        }
    }
}

#[test]
fn long_and_deep_records_are_validated() {
    let entries = vec![r#"{"type": "user", "content": [1, 2, 3]}"#; 10_000].join(",");
    let flat = record(&entries);
    let mut nested = r#"{"type": "user"}"#.to_owned();
    for _ in 0..100 {
        nested = format!(r#"{{"type": "assistant", "children": [{nested}]}}"#);
    }
    let nested = record(&nested);
    let folder = Folder::new();
    for document in [flat, nested] {
        assert!(is_valid_in_every_way(document.as_bytes(), Encoding::Json));
        folder.vac_with(&["validate", "--lint=deny", "-"], document.as_bytes()).gives(0, "");
    }
}
