//! Tests `vac receipts` with receipts of a sample transparency log that contains one statement.

use sha2::{Digest as _, Sha256};
use vac::signature::{Envelope, Message, SecretKey, Signer as _};

use crate::records::{bytes, text};
use crate::run::Folder;
use crate::sign::{self, sign, verify};

/// Returns the receipt of a log with this key for a statement.
pub fn receipt(statement: &[u8], key: &SecretKey) -> Vec<u8> {
    let entry = Envelope::read(statement).expect("an envelope").log_entry();
    let root = Sha256::new().chain_update([0]).chain_update(entry).finalize();
    let claims = [vec![15, 0xa2, 1], text("https://log.example"), vec![2], text("s")].concat();
    let protected = [&[0xa3, 1, 0x27][..], &claims, &[0x19, 1, 0x8b, 1]].concat();
    let proof = bytes(&[0x83, 1, 0, 0x80]);
    let unprotected = [&[0xa1, 0x19, 1, 0x8c, 0xa1, 0x20, 0x81][..], &proof].concat();
    let signature = key.sign(&Message::new(&protected, &root)).expect("a signature");
    [&[0xd2, 0x84][..], &bytes(&protected), &unprotected, &[0xf6], &bytes(&signature)].concat()
}

/// Returns a folder with a signed record, a receipt for it, and the keys of two logs.
pub fn folder() -> Folder {
    let folder = sign::folder();
    assert_eq!(sign(&folder, &["a.json", "-o", "statement.cbor"]).code, 0);
    let statement = std::fs::read(folder.path().join("statement.cbor")).expect("a statement");
    let log = SecretKey::ed25519(&[0x10; 32]);
    folder.write("receipt.cbor", receipt(&statement, &log));
    for (name, key) in [("log", &log), ("other", &SecretKey::ed25519(&[0x11; 32]))] {
        let pem = key.public_key().to_pem().expect("PEM");
        folder.write(&format!("{name}.pub.pem"), pem.as_bytes());
    }
    folder
}

#[test]
fn a_receipt_is_attached_and_holds() {
    let folder = folder();
    let attach = ["receipts", "attach", "statement.cbor", "receipt.cbor"];
    let output = ["--output", "transparent.cbor"];
    let ran = folder.vac(&[&attach[..], &output].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.stderr, "transparent.cbor: 1 receipt attached, not checked\n");
    let ran = verify(&folder, &["transparent.cbor", "--receipt-key", "log.pub.pem"]);
    assert!(ran.code == 0 && ran.stdout.contains("\nreceipts:       ok ("), "{ran:?}");
    let ran = verify(&folder, &["transparent.cbor", "--receipt-key", "other.pub.pem"]);
    assert!(ran.code == 1 && ran.stdout.contains("\nreceipts:       failed ("), "{ran:?}");

    let again = folder.vac(&[&attach[..], &output].concat());
    assert!(again.code == 2 && again.stderr.contains("use --force to overwrite"), "{again:?}");
    let checked = ["--force", "--json", "-q", "--receipt-key", "log.pub.pem"];
    let ran = folder.vac(&[&attach[..], &output, &checked].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let expected = serde_json::json!({
        "vac": env!("CARGO_PKG_VERSION"), "command": "receipts attach",
        "output": "transparent.cbor", "receipts": 1, "checked": true
    });
    assert_eq!(ran.json(), expected);
}

#[test]
fn foreign_receipts_are_not_attached() {
    let folder = folder();
    let attach = |arguments: &[&str]| folder.vac(&[&["receipts", "attach"], arguments].concat());
    let wrong = ["statement.cbor", "receipt.cbor", "--receipt-key", "other.pub.pem", "-o", "no"];
    let ran = attach(&wrong);
    assert!(ran.code == 1 && ran.stderr.starts_with("error: receipt.cbor: "), "{ran:?}");
    assert_eq!(attach(&["statement.cbor", "statement.cbor", "-o", "no"]).code, 1);
    assert_eq!(attach(&["a.json", "receipt.cbor", "-o", "no"]).code, 1);
    assert_eq!(attach(&["statement.cbor", "nowhere", "-o", "no"]).code, 2);
    assert_eq!(attach(&["statement.cbor", "-o", "no"]).code, 2, "a receipt is needed");
    let ran = attach(&["statement.cbor", "receipt.cbor", "--json"]);
    assert!(ran.code == 2 && ran.stderr.contains("--output"), "{ran:?}");
    assert!(!folder.path().join("no").exists());
}
