//! Tests that the payload of an envelope is written only after verification.

use crate::run::Folder;
use crate::sign::{folder, sign, timed, verify};

/// Returns a folder with the signed record, and one whose payload was changed.
fn signed() -> Folder {
    let folder = folder();
    assert_eq!(sign(&folder, &["a.json", "-o", "signed"]).code, 0);
    let mut envelope = std::fs::read(folder.path().join("signed")).expect("an envelope");
    let at = envelope.windows(4).position(|part| part == b"\"hi\"").expect("the prompt");
    envelope[at + 1] = b'H';
    folder.write("tampered", envelope);
    folder
}

fn written(folder: &Folder, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.path().join(name)).ok()
}

#[test]
fn the_payload_is_written_byte_by_byte() {
    let folder = signed();
    let ran = verify(&folder, &["signed", "-o", "record.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("signature:      ok"), "{ran:?}");
    assert!(ran.stdout.ends_with("\nverdict:        verified (signed)\n"), "{ran:?}");
    assert_eq!(ran.stderr, "signed -> record.json\n");
    assert_eq!(written(&folder, "record.json"), Some(timed()));
}

#[test]
fn the_payload_goes_to_stdout_and_the_answers_to_stderr() {
    let folder = signed();
    let ran = verify(&folder, &["signed", "-o", "-"]);
    ran.gives(0, &timed());
    assert!(ran.stderr.contains("signature:      ok"), "{ran:?}");
    assert!(ran.stderr.contains("\nverdict:        verified (signed)\n"), "{ran:?}");
    let ran = verify(&folder, &["tampered", "-o", "-"]);
    ran.gives(1, "");
    assert!(ran.stderr.contains("NOT verified"), "{ran:?}");
    let ran = verify(&folder, &["tampered", "-o", "-", "-q"]);
    ran.gives(1, "");
    assert!(ran.stderr.contains("nothing was written"), "{ran:?}");
    let ran = verify(&folder, &["signed", "-o", "-", "--json"]);
    assert!(ran.code == 2 && ran.stdout.is_empty(), "{ran:?}");
}

#[test]
fn nothing_is_written_unless_everything_is_verified() {
    let folder = signed();
    assert_eq!(folder.vac(&["keygen", "-o", "other"]).code, 0);
    folder.write("b.json", timed().replace("hi", "ho"));
    folder.write("bad.json", timed().replace("user", "robot"));
    assert_eq!(sign(&folder, &["bad.json", "-o", "invalid", "--allow-invalid"]).code, 0);
    let (own, other) = ("keys/signing-key.pub.pem", "other/signing-key.pub.pem");
    for arguments in [
        &["tampered", "--key", own][..],
        &["signed", "--key", other],
        &["signed", "--key", own, "--record", "b.json"],
        &["signed", "--key", own, "--issuer", "https://example.com"],
        &["signed", "--key", own, "--receipt-key", own],
        &["invalid", "--key", own],
        &["a.json", "--key", own],
    ] {
        let ran = folder.vac(&[&["verify", "-o", "out.json"], arguments].concat());
        assert!(ran.code == 1 && ran.stderr.contains("nothing was written"), "{ran:?}");
        assert_eq!(written(&folder, "out.json"), None, "{arguments:?}");
    }
}

#[test]
fn an_existing_file_is_kept_without_force() {
    let folder = signed();
    folder.write("out.json", "precious");
    let ran = verify(&folder, &["signed", "-o", "out.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("--force"), "{ran:?}");
    assert_eq!(written(&folder, "out.json").as_deref(), Some("precious"));
    assert_eq!(verify(&folder, &["tampered", "-o", "out.json", "--force"]).code, 1);
    assert_eq!(written(&folder, "out.json").as_deref(), Some("precious"));
    assert_eq!(verify(&folder, &["signed", "-o", "out.json", "--force"]).code, 0);
    assert_eq!(written(&folder, "out.json"), Some(timed()));
    // Inputs are never overwritten.
    for input in ["signed", "keys/signing-key.pub.pem"] {
        let ran = verify(&folder, &["signed", "-o", input, "--force"]);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
}

#[test]
fn a_detached_record_is_not_written() {
    let folder = folder();
    for option in ["--detached", "--hash-envelope"] {
        assert_eq!(sign(&folder, &["a.json", option, "-o", "signed", "--force"]).code, 0);
        let ran = verify(&folder, &["signed", "-o", "out.json"]);
        assert!(ran.code == 1 && ran.stdout.contains("--record FILE"), "{ran:?}");
        let ran = verify(&folder, &["signed", "--record", "a.json", "-o", "out.json"]);
        let words = "the record is not in the envelope, so there is nothing to write";
        assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
        assert_eq!(written(&folder, "out.json"), None);
    }
}

#[test]
fn transcode_and_convert_say_how_to_open_an_envelope() {
    let folder = signed();
    let words = "this is a signed record (`vac verify ENV --key KEY -o FILE` writes the record";
    for arguments in [
        &["transcode", "signed", "--to", "json"][..],
        &["transcode", "signed", "--to", "cbor", "-o", "out"],
        &["transcode", "signed", "--canonical"],
        &["convert", "signed"],
        &["convert", "signed", "-o", "out"],
    ] {
        let ran = folder.vac(arguments);
        assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
        assert!(ran.stdout.is_empty() && !folder.path().join("out").is_file(), "{ran:?}");
    }
}
