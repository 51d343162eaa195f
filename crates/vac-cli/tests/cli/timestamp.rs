//! Tests `vac timestamp`, and time stamps in `vac sign` and `vac verify`.

use std::fs;

use vac::signature::SecretKey;

use crate::home;
use crate::run::{Folder, Ran};

/// Returns the record of the tests of `vac-sign`, which the tokens of the fixtures are for.
pub fn record() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../vac-sign/tests/sign/main.rs");
    let source = fs::read_to_string(path).expect("a source");
    let (_, rest) = source.split_once("const RECORD: &str = r#\"").expect("a record");
    rest.split_once("\"#;").expect("its end").0.to_owned()
}

/// Puts the key, the record and the tokens of the fixtures into a folder.
pub fn tokens(folder: &Folder) {
    folder.write("stamped.json", record());
    let key = SecretKey::ed25519(&[0x51; 32]);
    folder.write("tsa/key.pem", key.to_pem().expect("PEM").as_bytes());
    let public = vac::signature::Signer::public_key(&key).to_pem().expect("PEM");
    folder.write("tsa/pub.pem", public);
    for name in ["rsa.tst", "p256.tsr", "payload.tst", "rsa-root.pem", "other-root.pem"] {
        home::copy(&format!("sign/timestamps/{name}"), folder, &format!("tsa/{name}"));
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    tokens(&folder);
    let ran = sign(&folder, &["-o", "a.cose"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

fn sign(folder: &Folder, arguments: &[&str]) -> Ran {
    let key = ["--key", "tsa/key.pem", "--insecure-key-permissions", "--no-time"];
    folder.vac(&[&["sign", "stamped.json"][..], &key, arguments].concat())
}

fn verify(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.vac(&[&["verify", "--key", "tsa/pub.pem", "--at", "2026-11-19"][..], arguments].concat())
}

#[test]
fn tokens_are_attached_and_verified() {
    let folder = folder();
    folder
        .vac(&["timestamp", "digest", "a.cose"])
        .gives(0, "2994136fc6e276f1399759614d681bbd207a61b7e2c35dd7a362f7a2719c6d96\n");
    let attach = ["timestamp", "attach", "a.cose", "tsa/p256.tsr"];
    let ran = folder.vac(&[&attach[..], &["-o", "b.cose", "--json"]].concat());
    let json = ran.json();
    let expected = serde_json::json!({
        "vac": env!("CARGO_PKG_VERSION"), "command": "timestamp attach",
        "output": "b.cose", "stamped-at": 1_795_023_863, "checked": false
    });
    assert_eq!((ran.code, json), (0, expected), "{ran:?}");
    let ran = folder.vac(&[&attach[..], &["-o", "b.cose"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("already exists"), "{ran:?}");
    let root = ["--tsa-root", "tsa/other-root.pem", "--force", "--mode", "600"];
    let ran = folder.vac(&[&attach[..], &["-o", "b.cose"], &root].concat());
    assert!(ran.code == 0 && ran.stderr.contains("authority checked"), "{ran:?}");

    let ran = verify(&folder, &["b.cose", "--tsa-root", "tsa/other-root.pem"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = "time stamp:     ok (the signature existed at 2026-11-18T17:44:23Z (accurate to 1 s), as \
                \"Sample time stamps p256\" states under policy 1.2.3.4.1)";
    assert!(ran.lines().contains(&line), "{ran:?}");
    let ran = verify(&folder, &["b.cose"]);
    assert!(ran.code == 0 && ran.stdout.contains("time stamp:     not checked ("), "{ran:?}");
    let ran = verify(&folder, &["b.cose", "--tsa-root", "tsa/rsa-root.pem", "--json"]);
    let json = ran.json();
    assert_eq!((ran.code, &json["time-stamp"]["verdict"]), (1, &"failed".into()), "{ran:?}");
    assert_eq!(json.get("stamped-at"), None);
    // A token in a separate file.
    let ran = verify(
        &folder,
        &["a.cose", "--timestamp", "tsa/rsa.tst", "--tsa-root", "tsa/rsa-root.pem", "--json"],
    );
    assert_eq!((ran.code, &ran.json()["stamped-at"]), (0, &1_795_023_863.into()), "{ran:?}");
    let ran = verify(&folder, &["a.cose", "--tsa-root", "tsa/rsa-root.pem"]);
    assert!(ran.code == 1 && ran.stdout.contains("failed (no time stamp)"), "{ran:?}");
    let ran = verify(&folder, &["a.cose", "b.cose", "--timestamp", "tsa/rsa.tst"]);
    assert!(ran.code == 2 && ran.stderr.contains("one signature"), "{ran:?}");
    let ran = verify(&folder, &["b.cose", "a.cose", "--tsa-root", "tsa/other-root.pem"]);
    assert!(
        ran.code == 1 && ran.stdout.contains("a.cose: NOT verified (time stamp: no"),
        "{ran:?}"
    );
}

#[test]
fn payload_is_stamped_before_it_is_signed() {
    let folder = folder();
    let record = folder.vac(&["timestamp", "digest", "stamped.json"]);
    record.gives(0, "cc78aaf0126f15d4b771428ab6545f7bb8da90b09f3eb9dad6df2e783b439f41\n");
    let digest = folder.vac(&["timestamp", "digest", "--hash-envelope", "stamped.json"]);
    assert!(digest.code == 0 && digest.stdout != record.stdout, "{digest:?}");
    let ran = sign(&folder, &["--timestamp", "tsa/payload.tst", "-o", "p.cose"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = verify(&folder, &["p.cose", "--tsa-root", "tsa/other-root.pem"]);
    assert!(ran.code == 0 && ran.stdout.contains("ok (the payload existed at"), "{ran:?}");
    let json = verify(&folder, &["p.cose", "--tsa-root", "tsa/other-root.pem", "--json"]).json();
    assert_eq!(json["payload-stamped-at"], 1_795_023_864, "{json}");
    assert_eq!(json.get("stamped-at"), None);
    for arguments in [
        &["--timestamp", "tsa/rsa.tst"][..],
        &["--hash-envelope", "--timestamp", "tsa/payload.tst"],
    ] {
        let ran = sign(&folder, &[arguments, &["-o", "q.cose"]].concat());
        assert!(ran.code == 2 && ran.stderr.contains("is not for this payload"), "{ran:?}");
        assert!(!folder.path().join("q.cose").exists());
    }
    let ran = sign(&folder, &["stamped.json", "--timestamp", "tsa/rsa.tst", "-o", "many/"]);
    assert!(ran.code == 2 && ran.stderr.contains("for one record"), "{ran:?}");
}

#[test]
fn wrong_files_are_named() {
    let folder = folder();
    for (arguments, words) in [
        (["timestamp", "attach", "a.cose", "tsa/payload.tst"], "tsa/payload.tst: the token is not"),
        (["timestamp", "attach", "a.cose", "a.cose"], "a.cose: not a time-stamp token"),
        (["timestamp", "attach", "stamped.json", "tsa/rsa.tst"], "stamped.json: not signed"),
    ] {
        let ran = folder.vac(&[&arguments[..], &["--output", "out"]].concat());
        assert!(ran.code == 1 && ran.stderr.contains(words), "{ran:?}");
    }
    folder.write("cut.cose", &fs::read(folder.path().join("a.cose")).unwrap()[..40]);
    let ran = folder.vac(&["timestamp", "digest", "cut.cose"]);
    assert!(ran.code == 1 && ran.stderr.contains("cut.cose: not one item"), "{ran:?}");
    assert_eq!(folder.vac(&["timestamp", "digest", "none"]).code, 2);
}
