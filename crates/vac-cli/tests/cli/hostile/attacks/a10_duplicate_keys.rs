//! Tests that duplicate keys are invalid at every depth, in every command.

use crate::records::{bytes, record, signed, small, small_cbor, text, with};
use crate::run::Folder;
use crate::sign::{self, sign};

/// Records with a duplicate key, and where it is.
fn bad_records() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let in_content = |content: &str| {
        record(&format!(r#"{{"type": "user", "content": {content}}}"#)).into_bytes()
    };
    // `x` becomes the first member of the record, which then has four.
    let cbor = |x: &[&[u8]]| [&[0xa4][..], &text("x"), &x.concat(), &small_cbor()[1..]].concat();
    vec![
        ("top.json", with(r#""id": "r1""#).into_bytes(), r#"/id: duplicate key "id""#),
        (
            "any.json",
            in_content(r#"[0, {"a": 1, "a": 1}]"#),
            r#"/session/entries/0/content/1/a: duplicate key "a""#,
        ),
        ("escaped.json", in_content(r#"{"a": 1, "\u0061": 2}"#), r#"duplicate key "a""#),
        (
            "surrogate.json",
            in_content(r#"{"\ud800": 1, "\uD800": 2}"#),
            "duplicate key text with a lone surrogate",
        ),
        (
            "extension.json",
            with(r#""x": {"y": [{"z": {}, "z": {}}]}"#).into_bytes(),
            r#"/x/y/0/z: duplicate key "z""#,
        ),
        // {1: 0, 0x1801: 0}: one integer, written in two ways.
        ("integer.cbor", cbor(&[b"\xa2\x01\x00\x18\x01\x00"]), "/x/1: duplicate key 1"),
        // {0.0: 0, -0.0: 0} in a tag, in two widths.
        (
            "float.cbor",
            cbor(&[b"\xc9\xa2\xf9\x00\x00\x00\xfa\x80\x00\x00\x00\x00"]),
            "duplicate key float",
        ),
        // {[1]: 0, [_ 1]: 0}
        ("array.cbor", cbor(&[b"\xa2\x81\x01\x00\x9f\x01\xff\x00"]), "duplicate key array of 1"),
        // {{"a": 1, "a": 1}: 0}: inside of a key.
        (
            "in-key.cbor",
            cbor(&[b"\xa1\xa2\x61a\x01\x61a\x01\x00"]),
            r#"/x/(key 0)/a: duplicate key "a""#,
        ),
    ]
}

#[test]
fn every_command_refuses_a_record_with_duplicate_keys() {
    let folder = sign::folder();
    folder.write("any.cddl", "start = any");
    folder.write("map.cddl", "start = { * tstr => any }");
    for (name, record, words) in bad_records() {
        folder.write(name, record);
        for schema in [&[][..], &["--schema", "any.cddl"], &["--schema", "map.cddl"]] {
            let ran = folder.vac(&[&["validate", name], schema].concat());
            assert!(ran.code == 1 && ran.stdout.contains(words), "{name} {schema:?}: {ran:?}");
            assert_eq!(ran.lines().len(), 1, "it counts once: {ran:?}");
        }
        for command in ["inspect", "events"] {
            let ran = folder.vac(&[command, name]);
            assert!(ran.code != 0 && ran.stderr.contains("duplicate key"), "{name}: {ran:?}");
        }
        let ran = sign(&folder, &[name, "-o", "signed"]);
        assert!(ran.code == 1 && ran.stderr.contains("duplicate key"), "{name}: {ran:?}");
        assert!(!folder.path().join("signed").exists());
        for to in ["json", "cbor"] {
            let ran = folder.vac(&["transcode", name, "--to", to]);
            assert!(ran.code != 0 && ran.stdout.is_empty(), "{name} to {to}: {ran:?}");
        }
    }
}

#[test]
fn duplicate_keys_in_envelopes_and_payloads_are_found() {
    let folder = sign::folder();
    let payload = |record: &[u8]| bytes(record);
    let good = payload(small().as_bytes());
    let bad = payload(with(r#""x": {"y": 1, "y": 2}"#).as_bytes());
    // Label 100 twice.
    let twice = [0x18, 100, 0, 0x18, 100, 0];
    for (name, envelope, place) in [
        ("payload.cose", signed((0, b""), (0, b""), &bad), "/2(payload)/x/y: "),
        ("protected.cose", signed((2, &twice), (0, b""), &good), "/0(protected)/100: "),
        ("unprotected.cose", signed((0, b""), (2, &twice), &good), "/1(unprotected)/100: "),
        (
            "value.cose",
            signed((0, b""), (1, b"\x18\x64\xa2\x61a\x00\x61a\x00"), &good),
            "/1(unprotected)/100(trace-metadata-key)/a: ",
        ),
    ] {
        folder.write(name, envelope);
        let ran = folder.vac(&["validate", name]);
        assert!(ran.code == 1 && ran.stdout.contains("duplicate key"), "{name}: {ran:?}");
        assert!(ran.stdout.contains(place), "{name}: {ran:?}");
        let ran = sign::verify(&folder, &[name]);
        assert_ne!(ran.code, 0, "{name}: {ran:?}");
    }
    // Byte strings whose content the schema describes are checked, also with another schema.
    folder.write("embedded.cddl", "start = bstr .cbor any");
    folder.write("embedded.cbor", bytes(b"\xa2\x61a\x00\x61a\x00"));
    folder
        .vac(&["validate", "--schema", "embedded.cddl", "embedded.cbor"])
        .gives(1, "embedded.cbor: /a: duplicate key \"a\"\n");
}

#[test]
fn sequences_and_streams_are_searched_too() {
    let folder = Folder::new();
    let bad = record(r#"{"type": "user", "content": {"a": 1, "a": 2}}"#);
    folder.write("lines.jsonl", format!("{}\n{bad}\n{}\n", small(), small()));
    let ran = folder.vac(&["validate", "lines.jsonl"]);
    assert!(ran.code == 1 && ran.stdout.starts_with("lines.jsonl:2: /session/"), "{ran:?}");
    let twice = [&small_cbor()[..], b"\xa2\x61a\x00\x61a\x00"].concat();
    folder.write("items.cborseq", twice);
    let ran = folder.vac(&["validate", "items.cborseq"]);
    assert!(ran.code == 1 && ran.stdout.contains("items.cborseq:2: /a: "), "{ran:?}");

    // Long enough to be validated while it is read.
    let filler = format!(r#"{{"type": "user", "content": "{}"}}"#, "x".repeat(1 << 20));
    let mut entries = vec![filler; 17];
    entries.push(r#"{"type": "tool-call", "name": "n", "input": [{"k": {}, "k": {}}]}"#.to_owned());
    let big = record(&entries.join(","));
    let big = format!("{}, \"x\": {{\"y\": 1, \"y\": 1}}, \"id\": 3}}", &big[..big.len() - 1]);
    folder.write("big.json", big);
    folder.vac(&["validate", "big.json"]).gives(
        1,
        "big.json: /session/entries/17/input/0/k: duplicate key \"k\"\n\
         big.json: /x/y: duplicate key \"y\"\n\
         big.json: /id: duplicate key \"id\"\n",
    );
}

#[test]
fn duplicate_keys_count_like_other_violations() {
    let folder = Folder::new();
    let twice: Vec<_> = (0..50).map(|at| format!(r#"{{"k{at}": 1, "k{at}": 2}}"#)).collect();
    folder.write("a.json", with(&format!(r#""x": [{}]"#, twice.join(","))));
    let json = folder.vac(&["validate", "--json", "--lint", "a.json"]).json();
    let file = &json["files"][0];
    assert_eq!(file["violation-count"], 50);
    assert_eq!(file["violations"].as_array().map(Vec::len), Some(20));
    assert_eq!(file["violations"][0]["path"], "/x/0/k0");
    assert_eq!(file["violations"][0]["found"], "duplicate key \"k0\"");
    assert!(file["violations"][0].get("rule").is_none(), "no rule of the schema says so");
    assert_eq!(file["lint"].as_array().map(Vec::len), Some(0), "they are not reported twice");
    let ran = folder.vac(&["validate", "--max-errors", "0", "a.json"]);
    assert_eq!((ran.code, ran.lines().len()), (1, 50));
}

#[test]
fn converted_logs_keep_duplicate_keys_as_text() {
    let folder = Folder::new();
    let line = |message: &str| {
        format!(
            r#"{{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-03-01T09:00:00.000Z","message":{message}}}"#
        )
    };
    let log = [
        line(r#"{"role":"user","content":"first"}"#),
        line(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"deep":{"secret-a":1,"secret-a":2}}]}]}"#,
        ),
        line(r#"{"role":"user","content":"x","ro\u006ce":"assistant"}"#),
    ];
    folder.write("log.jsonl", log.join("\n") + "\n");
    for format in ["json", "cbor"] {
        let out = format!("out.{format}");
        let ran = folder.vac(&["convert", "log.jsonl", "--format", format, "-o", &out]);
        assert_eq!(ran.code, 0, "{ran:?}");
        folder.vac(&["validate", &out]).gives(0, "");
        let written = std::fs::read(folder.path().join(&out)).expect("a record");
        let written = String::from_utf8_lossy(&written).replace('\\', "");
        assert!(written.contains(r#"{"secret-a":1,"secret-a":2}"#), "nothing is lost: {written}");
        assert!(written.contains(r#""rou006ce":"assistant""#), "nothing is lost: {written}");
    }
}
