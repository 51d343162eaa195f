//! Tests that every command reads several records in one file, as `convert` writes them.

use std::fs;

use super::super::{log, run};
use crate::records::{record, small, small_cbor};
use crate::run::Folder;
use crate::sign;

/// Returns a folder with three sessions in `many`.
fn many() -> Folder {
    let folder = Folder::new();
    for id in ["one", "two", "three"] {
        folder.write(&format!("many/{id}.jsonl"), log(id));
    }
    folder
}

#[test]
fn several_records_in_one_file_are_read_whatever_its_name() {
    let folder = many();
    for format in [&["-f", "json"][..], &["-f", "json", "--pretty"], &["-f", "cbor"]] {
        for name in ["all.json", "all.cbor", "all.jsonl", "all.cborseq", "all.txt", "all"] {
            let converted = run(folder.path(), &[&["convert", "many"], format].concat());
            assert_eq!(converted.code, 0);
            folder.write(name, converted.stdout);
            let validated = run(folder.path(), &["validate", name]);
            validated.says(0, "1 file: 1 valid, 0 invalid, 0 unreadable (3 documents)");
            let inspected = run(folder.path(), &["inspect", "--json", name]);
            let inspected: serde_json::Value =
                serde_json::from_slice(&inspected.stdout).expect("JSON");
            assert_eq!(inspected["sessions"].as_array().map(Vec::len), Some(3), "{name}");
            let events = run(folder.path(), &["events", "--only", "prompts", name]);
            assert_eq!(events.code, 0, "{name}: {}", events.stderr);
            assert_eq!(events.stdout.split(|byte| *byte == b'\n').count(), 4, "{name}");
        }
    }
}

#[test]
fn violations_name_the_record_they_are_in() {
    let folder = Folder::new();
    let bad = record(r#"{"type": "robot"}"#);
    let pretty = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        serde_json::to_string_pretty(&value).expect("JSON")
    };
    let place = "/session/entries/0/type: expected \"user\", ";
    let validate = |name: &str, content: &[u8]| {
        folder.write(name, content);
        let ran = folder.vac(&["validate", name]);
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.stdout
    };
    let lines = format!("{}\n{bad}\n{}\n", small(), small());
    assert!(validate("a.json", lines.as_bytes()).starts_with(&format!("a.json:2: {place}")));
    let (first, second) = (pretty(&small()), pretty(&bad));
    let line = first.lines().count() + 1;
    let found = validate("a.json", format!("{first}\n{second}\n").as_bytes());
    assert!(found.starts_with(&format!("a.json:{line}: {place}")), "{found}");
    let found = validate("a.json", format!("{}\n\n{second}\n", small()).as_bytes());
    assert!(found.starts_with(&format!("a.json:3: {place}")), "{found}");
    let items = [small_cbor(), vec![0xa0], small_cbor()].concat();
    let found = validate("a.cbor", &items);
    assert!(found.starts_with("a.cbor:2: /: missing key \"version\""), "{found}");
}

#[test]
fn garbage_after_a_record_is_invalid() {
    let folder = Folder::new();
    let pretty = small().replace(", ", ",\n");
    let lines = pretty.lines().count();
    let column = small().len() + 1;
    for (content, place) in [
        (format!("{pretty}\ngarbage"), format!("{}: column 1: ", lines + 1)),
        (format!("{pretty}}}"), format!("{lines}: column ")),
        (format!("{}garbage", small()), format!("1: column {column}: ")),
        (format!("{}\0", small()), format!("1: column {column}: ")),
        (format!("{}\n\n  {{\"x\" 1}}", small()), "3: column 8: ".to_owned()),
        (format!("{}\n{}", small(), &small()[..40]), "2: column 41: ".to_owned()),
    ] {
        folder.write("a.json", &content);
        let ran = folder.vac(&["validate", "a.json"]);
        let is_found = ran.stdout.starts_with(&format!("a.json:{place}"));
        assert!(ran.code == 1 && is_found, "{content}: {ran:?}");
    }
    for content in ["", "\n \n", &" ".repeat(17 << 20), &"\n".repeat(17 << 20)] {
        folder.write("empty.json", content);
        folder.vac(&["validate", "empty.json"]).gives(1, "empty.json: the input is empty\n");
    }
    folder.write("a.cbor", [small_cbor(), vec![0xff]].concat());
    let ran = folder.vac(&["validate", "a.cbor"]);
    assert!(ran.code == 1 && ran.stdout.starts_with("a.cbor:2: byte "), "{ran:?}");
}

#[test]
fn big_records_in_one_file_are_separated() {
    let folder = Folder::new();
    let text = format!(r#"}}]\\\"{{{}"#, "x".repeat(1 << 20));
    let entry = format!(r#"{{"type": "user", "content": "{text}"}}"#);
    let big = record(&vec![entry; 17].join(",\n"));
    let bad = record("{\n\"type\": \"robot\"}");
    let line = big.lines().count() + 1;
    let found = "/session/entries/0/type: expected \"user\", ";
    for (content, expected) in [
        (format!("{big}{bad}\n{}", small()), Some(format!("{}: {found}", line - 1))),
        (format!("{big}\n  nonsense"), Some(format!("{line}: column 3: "))),
        (format!("{big}\n]"), Some(format!("{line}: column 1: "))),
        (format!("{big}\n{}\n\n", small()), None),
    ] {
        fs::write(folder.path().join("all.json"), &content).expect("a file");
        let ran = folder.vac(&["validate", "all.json"]);
        match expected {
            None => ran.gives(0, ""),
            Some(expected) => {
                let is_found = ran.stdout.starts_with(&format!("all.json:{expected}"));
                assert!(ran.code == 1 && is_found, "{expected}: {ran:?}");
            }
        }
    }
}

#[test]
fn commands_for_one_record_reject_several() {
    let folder = sign::folder();
    folder.write("lines.json", format!("{}\n{}\n", small(), small()));
    folder.write("items.cbor", [small_cbor(), small_cbor()].concat());
    folder.write("garbage.json", format!("{}\n?", small()));
    for name in ["lines.json", "items.cbor"] {
        let sign = ["sign", name, "--key", "keys/signing-key.pem", "-o", "no"];
        for arguments in [&["transcode", name, "--to", "cbor", "-o", "no"][..], &sign] {
            let words = format!("{name}: several records in one file");
            run(folder.path(), arguments).says(1, &words);
        }
    }
    let transcode = ["transcode", "garbage.json", "--to", "cbor", "-o", "no"];
    run(folder.path(), &transcode).says(1, "garbage.json: not JSON: ");
    assert!(!folder.path().join("no").exists());
}
