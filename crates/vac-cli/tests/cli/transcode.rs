//! Tests that `vac transcode` writes the same record in the other encoding, or reports an error.

use vac::value::{Any, Document};

use crate::records::{small, small_cbor};
use crate::run::Folder;

fn written(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).unwrap()
}

#[test]
fn a_record_goes_to_cbor_and_back() {
    let folder = Folder::new();
    folder.write("a.json", small());
    folder.vac(&["transcode", "a.json", "--to", "cbor", "-o", "a.cbor"]).gives(0, "");
    let cbor = written(&folder, "a.cbor");
    assert!(Document::cbor(&cbor).unwrap().is_tidy(), "it is deterministic");
    assert_eq!(Any::from_cbor(&cbor).unwrap(), Any::from_json(small().as_bytes()).unwrap());
    // Members in another order are the same record.
    folder.write("b.cbor", small_cbor());
    folder.vac(&["transcode", "b.cbor", "--to", "cbor", "-o", "c.cbor"]).gives(0, "");
    assert_eq!(written(&folder, "c.cbor"), cbor);

    let back = folder.vac(&["transcode", "a.cbor", "--to", "json"]);
    assert_eq!(back.code, 0);
    assert_eq!(
        Any::from_json(back.stdout.as_bytes()).unwrap(),
        Any::from_json(small().as_bytes()).unwrap()
    );
    let pretty = folder.vac(&["transcode", "a.cbor", "--to", "json", "--pretty"]);
    assert!(pretty.lines().len() > 10, "{pretty:?}");
    folder
        .vac_with(&["transcode", "-", "--to", "json"], b"{ \"a\" : 1.50 }")
        .gives(0, "{\"a\":1.50}\n");
}

#[test]
fn the_encoding_can_be_named() {
    let folder = Folder::new();
    folder.write("a.json", small());
    // The byte of a digit is a number in JSON, and the integer -17 in CBOR.
    folder.write("digit", "0");
    let as_cbor = ["transcode", "digit", "--from", "cbor", "--to", "json"];
    folder.vac(&as_cbor).gives(0, "-17\n");
    folder.vac(&["transcode", "digit", "--from", "json", "--to", "json"]).gives(0, "0\n");
    folder.vac(&["transcode", "digit", "--from", "auto", "--to", "json"]).gives(0, "0\n");
    let arguments = ["transcode", "a.json", "--from", "cbor", "--to", "json", "--output", "out"];
    let ran = folder.vac(&arguments);
    assert!(ran.code == 1 && ran.stderr.contains("a.json: not CBOR: "), "{ran:?}");
    assert!(!folder.path().join("out").exists());
    let ran = folder.vac(&["transcode", "a.json", "--from", "xml", "--to", "json"]);
    assert!(ran.code == 2 && ran.stderr.contains("auto, json, cbor"), "{ran:?}");
}

#[test]
fn canonical_json_is_that_of_rfc_8785() {
    let folder = Folder::new();
    let input = "{\"\u{e9}\": 1E2, \"b\": [1.50, -0, true], \"a\\u0062\": \"\\u00e9\\n\"}";
    let canonical = "{\"ab\":\"\u{e9}\\n\",\"b\":[1.5,0,true],\"\u{e9}\":100}";
    folder.vac_with(&["transcode", "-", "--canonical"], input.as_bytes()).gives(0, canonical);
    folder.vac_with(&["transcode", "-", "--canonical"], canonical.as_bytes()).gives(0, canonical);
    folder.write("a.cbor", [0xa2, 0x61, b'b', 0xf9, 0x3e, 0, 0x61, b'a', 1]);
    folder.vac(&["transcode", "a.cbor", "--canonical"]).gives(0, r#"{"a":1,"b":1.5}"#);
}

#[test]
fn value_without_a_counterpart_is_an_error_with_its_place() {
    let folder = Folder::new();
    for (arguments, input, words) in [
        (&["--canonical"][..], r#"{"a":{"b":1e400}}"#, "/a/b: 1e400 has no canonical form"),
        (&["--canonical"], "[9007199254740993]", "/0: 9007199254740993 has no canonical form"),
        (&["--canonical"], r#"["\ud800"]"#, "/0: text with a lone surrogate"),
        (&["--canonical"], r#"{"a":1,"a":2}"#, "/a: duplicate key"),
        (&["--to", "cbor"], r#"["\ud800"]"#, "CBOR cannot represent text with a lone surrogate"),
        (&["--to", "cbor"], r#"{"a":1,"\u0061":2}"#, "duplicate key a in a map"),
        (&["--to", "cbor"], r#"{"a":1"#, "not JSON: byte 6: the input ends inside"),
    ] {
        folder.write("in.json", input);
        let arguments: Vec<_> =
            ["transcode", "in.json", "-o", "out"].iter().chain(arguments).copied().collect();
        let ran = folder.vac(&arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.stderr.starts_with("error: in.json: ") && ran.stderr.contains(words),
            "{ran:?}"
        );
        assert!(!folder.path().join("out").exists());
    }
    for (bytes, what) in [
        (&[0x81, 0xf7][..], "undefined"),
        (&[0x81, 0x41, 0], "a byte string"),
        (&[0x82, 0xc2, 0x41, 1, 0x40], "a byte string"),
        (&[0xd8, 18, 0x40], "a byte string"),
        (&[0xc1, 0], "this tag"),
        (&[0xf9, 0x7e, 0], "a number that is not finite"),
    ] {
        folder.write("in.cbor", bytes);
        for form in [&["--to", "json"][..], &["--canonical"]] {
            let arguments = [&["transcode", "in.cbor", "--from", "cbor"], form].concat();
            let ran = folder.vac(&arguments);
            let words = format!("JSON cannot represent {what}");
            assert!(ran.code == 1 && ran.stderr.contains(&words), "{ran:?}");
        }
    }
    // Big integers and decimal fractions in CBOR are numbers in JSON.
    folder.write("in.cbor", [0x82, 0xc2, 0x41, 1, 0xc4, 0x82, 0x20, 0xc3, 0x41, 4]);
    folder.vac(&["transcode", "in.cbor", "--to", "json"]).gives(0, "[1,-5e-1]\n");
}

#[test]
fn existing_files_are_kept_without_force() {
    let folder = Folder::new();
    folder.write("a.json", small());
    folder.write("out", "precious");
    let ran = folder.vac(&["transcode", "a.json", "--to", "cbor", "-o", "out"]);
    assert!(ran.code == 2 && ran.stderr.contains("use --force to overwrite"), "{ran:?}");
    assert_eq!(written(&folder, "out"), b"precious");
    folder.vac(&["transcode", "a.json", "--to", "cbor", "-o", "out", "--force"]).gives(0, "");
    assert_ne!(written(&folder, "out"), b"precious");
    assert_eq!(folder.vac(&["transcode", "a.json"]).code, 2, "--to is needed");
    assert_eq!(folder.vac(&["transcode", "nothing.json", "--to", "cbor"]).code, 2);
    assert_eq!(folder.vac(&["transcode", "a.json", "--to", "cbor", "--canonical"]).code, 2);
}
