//! Tests `vac sign` and `vac verify` with many files and folders.

use std::fs;

use serde_json::Value;

use crate::records::{small, small_cbor};
use crate::run::Folder;
use crate::sign::{folder, sign, timed, verify};

/// Returns a folder with a key and a folder of records, one of which is not valid.
fn records() -> Folder {
    let folder = folder();
    for name in ["records/a.json", "records/deep/b.json", "records/d.json"] {
        folder.write(name, timed());
    }
    folder.write("records/c.cbor", small_cbor());
    folder
}

fn count(folder: &Folder, name: &str) -> usize {
    fs::read_dir(folder.path().join(name)).map_or(0, Iterator::count)
}

#[test]
fn folders_are_signed_and_verified() {
    let folder = records();
    let ran = sign(&folder, &["records", "-o", "signed/"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.ends_with("\n4 files: 4 signed, 0 refused, 0 failed\n"), "{ran:?}");
    let ran = verify(&folder, &["signed"]);
    let names = ["a.cose", "c.cose", "d.cose", "deep/b.cose"];
    assert_eq!(ran.lines(), names.map(|name| format!("signed/{name}: verified")), "{ran:?}");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stderr, "4 files: 4 verified, 0 not verified, 0 failed\n");
    // The written records equal the original ones.
    let ran = verify(&folder, &["signed", "-o", "out/"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["a.json", "c.cbor", "deep/b.json"] {
        let read = |root: &str| fs::read(folder.path().join(root).join(name)).unwrap();
        assert_eq!(read("out"), read("records"), "{name}");
    }
    let again = verify(&folder, &["signed", "-o", "out/"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("out/a.json already exists (use --force"), "{again:?}");
    assert!(again.stderr.contains("0 verified, 0 not verified, 4 failed"), "{again:?}");
    assert_eq!(verify(&folder, &["signed", "-o", "out/", "--force"]).code, 0);
}

#[test]
fn records_that_are_kept_apart_are_found_by_name() {
    let folder = records();
    for carriage in ["--hash-envelope", "--detached"] {
        let ran = sign(&folder, &["records", carriage, "-o", "signed/", "--force"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = verify(&folder, &["signed", "--record", "records"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.starts_with("4 files: 4 verified"), "{ran:?}");
        let ran = verify(&folder, &["signed"]);
        assert!(ran.code == 1 && ran.stdout.contains("pass --record FILE"), "{ran:?}");
    }
    sign(&folder, &["records", "--hash-envelope", "-o", "signed/", "--force"]);
    assert_eq!(verify(&folder, &["signed", "--statement-only"]).code, 0);
    fs::write(folder.path().join("records/d.json"), small()).unwrap();
    let ran = verify(&folder, &["signed", "--record", "records"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let wrong: Vec<_> = ran.lines().into_iter().filter(|line| line.contains("NOT")).collect();
    assert!(matches!(wrong[..], [line] if line.starts_with("signed/d.cose: NOT")), "{ran:?}");
    assert!(wrong[0].contains("payload hash: the payload is not the record's digest"), "{ran:?}");
    let ran = verify(&folder, &["signed", "--record", "a.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("has to be a folder"), "{ran:?}");
}

#[test]
fn bad_files_are_named_and_the_rest_goes_on() {
    let folder = records();
    folder.write("records/bad.json", "{}");
    let ran = sign(&folder, &["records", "missing.json", "-o", "signed", "--json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let json = ran.json();
    let summary = serde_json::json!(
        {"files": 6, "signed": 4, "refused": 1, "failed": 1, "skipped": 0}
    );
    assert_eq!(json["summary"], summary, "{ran:?}");
    let by_name = |name: &str| -> Value {
        let mut files = json["files"].as_array().unwrap().iter();
        files.find(|file| file["file"] == name).cloned().unwrap_or_default()
    };
    assert!(by_name("records/bad.json")["error"].as_str().unwrap().contains("not a valid record"));
    assert!(by_name("missing.json")["error"].as_str().unwrap().contains("cannot read"));
    assert_eq!(by_name("records/a.json")["output"], "signed/a.cose");
    for words in ["error: records/bad.json: not a valid record", "error: cannot read missing.json"]
    {
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    assert_eq!(sign(&folder, &["records", "-o", "other/"]).code, 1);
    // The file with a changed signature is named.
    let mut envelope = fs::read(folder.path().join("signed/d.cose")).unwrap();
    *envelope.last_mut().unwrap() ^= 1;
    folder.write("signed/d.cose", envelope);
    folder.write("signed/note.json", "{}");
    let ran = verify(&folder, &["signed", "nothing.cose", "--json"]);
    let json = ran.json();
    let summary = serde_json::json!(
        {"files": 5, "verified": 3, "not-verified": 1, "failed": 1, "skipped": 1}
    );
    assert_eq!((ran.code, &json["summary"]), (2, &summary), "{ran:?}");
    let files = json["files"].as_array().unwrap();
    let verdicts: Vec<_> = files.iter().map(|file| file["verdict"].as_str()).collect();
    let (yes, no) = (Some("verified"), Some("failed"));
    assert_eq!(verdicts, [yes, yes, no, yes, None], "{ran:?}");
    assert!(ran.stderr.contains("1 other file skipped (not signed)"), "{ran:?}");
}

#[test]
fn several_files_need_a_folder() {
    let folder = records();
    for (arguments, words) in [
        (&["a.json", "records/d.json"][..], "cannot be written to standard output"),
        (&["a.json", "records/d.json", "-o", "x.cose"], "use x/ for a folder"),
        (&["records", "-o", "-"], "cannot be written to standard output"),
    ] {
        let ran = sign(&folder, arguments);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    }
    // One record is written to a folder, and names collide.
    assert_eq!(sign(&folder, &["a.json", "-o", "one/"]).code, 0);
    assert!(folder.path().join("one/a.cose").exists());
    let ran = sign(&folder, &["a.json", "records/a.json", "-o", "two"]);
    assert_eq!((ran.code, count(&folder, "two")), (2, 1), "{ran:?}");
    let words = "records/a.json: two/a.cose is also the name for a.json";
    assert!(ran.stderr.contains(words), "{ran:?}");
    let ran = verify(&folder, &["one", "two", "--log", "a.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("--log compares one record"), "{ran:?}");
    folder.write("empty/other.txt", "");
    for command in [sign(&folder, &["empty", "-o", "three/"]), verify(&folder, &["empty"])] {
        assert!(command.code == 2 && command.stderr.contains("in this directory"), "{command:?}");
    }
    let ran = verify(&folder, &["records"]);
    assert!(ran.code == 2 && ran.stderr.contains("no signed records in this"), "{ran:?}");
}

#[test]
fn envelopes_next_to_records_are_not_signed_again() {
    let folder = records();
    assert_eq!(sign(&folder, &["records", "-o", "records/"]).code, 0);
    let ran = sign(&folder, &["records", "-o", "records/", "--force"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let words = "4 files: 4 signed, 0 refused, 0 failed; 4 other files skipped (already signed)\n";
    assert!(ran.stderr.ends_with(words), "{ran:?}");
    let ran = verify(&folder, &["records"]);
    assert!(ran.code == 0 && ran.stderr.contains("4 verified"), "{ran:?}");
}

#[test]
fn password_is_needed_once() {
    let folder = records();
    folder.write_private("password", "sesame\n");
    let password = ["--encrypt", "--password-file", "password"];
    assert_eq!(folder.vac(&[&["keygen", "-o", "secret"][..], &password].concat()).code, 0);
    // A pipe can be read only once.
    #[cfg(unix)]
    {
        let line = "cat password | vac sign records --key secret/signing-key.pem \
                    --password-file /dev/stdin -o signed/";
        let ran = folder.shell(&[], line);
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = folder.vac(&["verify", "signed", "--key", "secret/signing-key.pub.pem"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}
