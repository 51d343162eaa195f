//! Tests the messages of `vac archive` about problems.

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

#[test]
fn another_key_is_one_finding() {
    let folder = archived();
    assert_eq!(folder.vac(&["keygen", "-o", "other"]).code, 0);
    let key = "--key box-key/signing-key.pub.pem";
    let ran = vac(&folder, "verify box --key other/signing-key.pub.pem");
    fails(&ran, "changed: key.pub.pem: the archive is signed with another key, ");
    assert_eq!(ran.lines().len(), 2, "{ran:?}");
    fs::remove_file(folder.path().join("box/key.pub.pem")).unwrap();
    fails(&vac(&folder, &format!("verify box {key}")), "missing: key.pub.pem: ");
}

#[test]
fn what_is_not_an_archive_is_named() {
    let folder = archived();
    fails(&vac(&folder, "verify logs"), "logs: not an archive (see `vac archive init`)");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.path().join("box/archive.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        // Root reads every file.
        if fs::read(&path).is_err() {
            let ran = vac(&folder, "list box");
            fails(&ran, "ermission denied");
            assert!(!ran.stderr.contains("not an archive"), "{ran:?}");
        }
    }
}

#[test]
fn session_in_two_places_is_one_session() {
    let folder = archived();
    let text = fs::read_to_string(folder.path().join(LOG)).unwrap();
    let first: Vec<_> = text.lines().take(4).collect();
    folder.write(&LOG.replace("logs/", "copies/"), first.join("\n") + "\n");
    assert_eq!(vac(&folder, "add box copies").code, 0);
    let status = vac(&folder, "status box --root logs --json").json();
    assert_eq!((&status["sessions"], &status["versions"]), (&1.into(), &2.into()));
    let proved = vac(&folder, "prove box 5f0c -o proof.cbor");
    let name = "5f0c1c1e-0b1a-4c5e-9a52-3f1f0a6f2b11@statement-0";
    assert!(proved.code == 0 && proved.stderr.contains(name), "{proved:?}");
    let proved = vac(&folder, &format!("prove box {name} -o other.cbor --json"));
    assert_eq!(proved.json()["number"], 0, "{proved:?}");
    let ran = folder.vac(&["archive", "prove", "box", "", "-o", "none.cbor"]);
    fails(&ran, "the id of a session is empty");
}

#[test]
fn what_is_not_kept_is_reported() {
    let folder = archived();
    let labelled = vac(&folder, "add box logs --label user=x");
    let words = "--label is not kept for 1 unchanged log";
    assert!(labelled.code == 0 && labelled.stderr.contains(words), "{labelled:?}");
    for command in ["add box logs", "init new --keygen"] {
        let ran = vac(&folder, &format!("{command} --label a=1 --label a=2"));
        fails(&ran, "--label: key `a` is given twice");
    }
    assert_eq!(vac(&folder, "init bare --keygen").code, 0);
    assert_eq!(vac(&folder, "add bare logs --no-logs").code, 0);
    let exported = vac(&folder, "export bare --logs -o out");
    assert!(exported.stderr.contains("1 log not in the archive, and not written"), "{exported:?}");
}
