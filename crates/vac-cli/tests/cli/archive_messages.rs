//! What `vac archive` prints when something is not as it should be.

use std::fs;

use crate::home;
use crate::run::{Folder, Ran};

const LOG: &str = "logs/5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11.jsonl";

fn vac(folder: &Folder, arguments: &str) -> Ran {
    let arguments: Vec<_> = arguments.split(' ').collect();
    folder.vac(&[&["archive"], &arguments[..]].concat())
}

#[track_caller]
fn fails(ran: &Ran, words: &str) {
    assert!(ran.code != 0 && (ran.stderr.contains(words) || ran.stdout.contains(words)), "{ran:?}");
}

/// Returns a folder with a log and an archive of it.
fn archived() -> Folder {
    let folder = Folder::new();
    home::copy("claude/jsonl/basic/session.jsonl", &folder, LOG);
    for arguments in ["init box --keygen", "add box logs"] {
        assert_eq!(vac(&folder, arguments).code, 0, "{arguments}");
    }
    folder
}

#[test]
fn init_that_failed_can_be_repeated() {
    let folder = Folder::new();
    let long = format!("init box --keygen --label k={}", "x".repeat(20_000));
    fails(&vac(&folder, &long), "the labels have 20001 bytes");
    assert!(!folder.path().join("box-key").exists() && !folder.path().join("box").exists());
    fails(&vac(&folder, "init box"), "--keygen");
    // As if the first run had ended after it wrote the private key.
    assert_eq!(vac(&folder, "init box --keygen").code, 0);
    let public = folder.path().join("box-key/signing-key.pub.pem");
    let before = fs::read(&public).unwrap();
    fs::remove_file(&public).unwrap();
    fs::remove_file(folder.path().join("box/archive.json")).unwrap();
    let again = vac(&folder, "init box --keygen");
    assert!(again.code == 0 && again.stderr.contains("already exists: it is used"), "{again:?}");
    assert_eq!(fs::read(&public).unwrap(), before);
    assert_eq!(vac(&folder, "verify box --key box-key/signing-key.pub.pem").code, 0);
}
