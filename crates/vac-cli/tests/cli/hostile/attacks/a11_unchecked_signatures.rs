//! Tests that a command that does not check a signature reports that.

use super::craft::{envelope, folder, header, usual};
use crate::run::{Folder, Ran};

const NOTE: &str = "signature: not checked; run vac verify";

/// Returns a folder with a valid envelope, and one whose record was changed.
fn envelopes() -> Folder {
    let folder = folder();
    let mut envelope = envelope(&header(&usual()));
    folder.write("sound.cose", &envelope);
    let at = envelope.windows(4).position(|part| part == b"\"hi\"").expect("the prompt");
    envelope[at + 1] = b'H';
    folder.write("tampered.cose", &envelope);
    folder
}

fn with_key(folder: &Folder, command: &str, file: &str) -> Ran {
    folder.vac(&[command, "--key", "pub.pem", file])
}

#[test]
fn inspect_says_that_it_does_not_check_a_signature() {
    let folder = envelopes();
    for file in ["sound.cose", "tampered.cose"] {
        let ran = folder.vac(&["inspect", file]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.stderr, format!("{file}: {NOTE}\n"));
        assert!(ran.stdout.contains("\nsignature  not checked; its envelope claims:\n"), "{ran:?}");
        let json = folder.vac(&["inspect", "--json", file]).json();
        assert_eq!(json["sessions"][0]["signature"], "not-checked");
    }
    let json = folder.vac(&["inspect", "--json", "a.json"]).json();
    assert_eq!(json["sessions"][0].get("signature"), None, "it is not signed");
}

#[test]
fn events_say_that_the_signature_is_not_checked() {
    let folder = envelopes();
    let line = |line: &str| -> serde_json::Value { serde_json::from_str(line).expect("JSON") };
    for only in [&[][..], &["--only", "prompts"]] {
        let ran = folder.vac(&[&["events", "tampered.cose"], only].concat());
        assert_eq!((ran.code, ran.stderr), (0, format!("tampered.cose: {NOTE}\n")));
        let lines: Vec<_> = ran.stdout.lines().map(line).collect();
        let (first, others) = lines.split_first().expect("an event");
        assert_eq!(first["signature"], "not-checked");
        assert!(others.iter().all(|event| event.get("signature").is_none()));
    }
    let ran = folder.vac(&["events", "a.json"]);
    assert!(!ran.stdout.contains("signature") && ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn validate_says_that_it_does_not_check_a_signature() {
    let folder = envelopes();
    let ran = folder.vac(&["validate", "tampered.cose"]);
    assert!(ran.code == 0 && ran.stderr.contains(&format!("tampered.cose: {NOTE}\n")), "{ran:?}");
    let json = folder.vac(&["validate", "--json", "tampered.cose", "a.json"]).json();
    assert_eq!(json["files"][0]["signature"], "not-checked");
    assert_eq!(json["files"][1].get("signature"), None);
}

#[test]
fn a_key_is_checked_before_anything_is_printed() {
    let folder = envelopes();
    for command in ["inspect", "events"] {
        let ran = with_key(&folder, command, "tampered.cose");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("signature: failed (signature: "), "{ran:?}");
        let ran = with_key(&folder, command, "sound.cose");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        assert!(ran.stdout.contains("verified"), "{ran:?}");
    }
    let json = folder.vac(&["inspect", "--json", "--key", "pub.pem", "sound.cose"]).json();
    assert_eq!(json["sessions"][0]["signature"], "verified");
    let key = json["sessions"][0]["signature-key"].as_str().expect("a key");
    assert!(key.starts_with("urn:ietf:params:oauth:ckt:sha-256:"), "{key}");
}

#[test]
fn key_option_rejects_unsigned_records() {
    let folder = envelopes();
    folder.write("log.jsonl", super::super::log("one"));
    for command in ["inspect", "events"] {
        for file in ["a.json", "log.jsonl"] {
            let ran = with_key(&folder, command, file);
            assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
            assert!(ran.stderr.contains("not signed"), "{ran:?}");
        }
    }
}

#[test]
fn a_failed_signature_stops_the_command() {
    let folder = envelopes();
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("an envelope");
    let (sound, tampered) = (read("sound.cose"), read("tampered.cose"));
    folder.write("sequence.cborseq", [&tampered[..], &sound].concat());
    for files in [&["tampered.cose", "sound.cose"][..], &["sequence.cborseq"]] {
        for command in ["inspect", "events"] {
            let ran = folder.vac(&[&[command, "--key", "pub.pem"], files].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        }
    }
    // Facts are collected first, and none of them printed.
    let ran = folder.vac(&["inspect", "--key", "pub.pem", "sound.cose", "tampered.cose"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
}

#[test]
fn a_detached_record_is_named_as_such() {
    let folder = crate::sign::folder();
    for option in ["--detached", "--hash-envelope"] {
        let signed = crate::sign::sign(&folder, &["a.json", option, "-o", "signed", "--force"]);
        assert_eq!(signed.code, 0, "{signed:?}");
        for command in ["inspect", "events"] {
            let ran = folder.vac(&[command, "signed"]);
            let words = "the signature is detached: read the record itself";
            assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
            let ran = folder.vac(&[command, "--key", "keys/signing-key.pub.pem", "signed"]);
            let words = "the record is detached; run `vac verify ENV --key KEY --record FILE`";
            assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
            assert_eq!(ran.stdout, "");
        }
    }
}
