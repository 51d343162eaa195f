//! Tests that receipts are limited, and that nothing unsigned is printed as verified.

use super::craft::parameter::{claims, crit, kid};
use super::craft::{
    bytes, envelope, envelope_with, folder, header, receipt, receipts, signer, usual,
};
use crate::run::{Folder, Ran};
use crate::sign::timed;
use vac::signature::{SecretKey, Signer as _};

fn log() -> SecretKey {
    SecretKey::ed25519(&[0x10; 32])
}

/// Returns a statement without receipts.
fn statement() -> Vec<u8> {
    envelope(&header(&usual()))
}

/// Returns a folder with the key of the log, and the statement with these receipts.
fn transparent(all: &[Vec<u8>]) -> Folder {
    let folder = folder();
    folder.write("log.pem", log().public_key().to_pem().expect("PEM"));
    let envelope = envelope_with(&header(&usual()), &receipts(all), timed().as_bytes());
    folder.write("transparent", envelope);
    folder
}

fn verify(folder: &Folder) -> Ran {
    folder.vac(&["verify", "transparent", "--key", "pub.pem", "--receipt-key", "log.pem"])
}

fn line(ran: &Ran) -> &str {
    ran.stdout.lines().find(|line| line.starts_with("receipts:")).expect("the line")
}

#[test]
fn the_tree_size_is_not_printed_as_verified() {
    let issuer = claims("https://log.example");
    let mut receipt = receipt(&log(), &statement(), &[issuer], 1);
    let ran = verify(&transparent(&[receipt.clone()]));
    assert_eq!(ran.code, 0, "{ran:?}");
    let key = log().public_key().thumbprint_uri();
    let expected = format!(
        "receipts:       ok (included in the log with the key {key}, issuer \"https://log.example\")"
    );
    assert_eq!(line(&ran), expected);
    // Entry 1 of 2 has the same proof: the log signed neither.
    let at = receipt.windows(4).position(|part| part == [0x83, 3, 2, 0x81]).expect("the proof");
    receipt[at + 1] = 2;
    receipt[at + 2] = 1;
    let ran = verify(&transparent(&[receipt]));
    assert_eq!((ran.code, line(&ran)), (0, expected.as_str()));
}

#[test]
fn receipts_and_proofs_are_limited() {
    let one = receipt(&log(), &statement(), &[], 1);
    assert_eq!(verify(&transparent(&vec![one.clone(); 64])).code, 0);
    let limit = "too many receipts: at most 64 with 1 MiB together are allowed";
    let folder = transparent(&vec![one.clone(); 65]);
    for options in [&["--receipt-key", "log.pem"][..], &[]] {
        let verify = ["verify", "transparent", "--key", "pub.pem"];
        let ran = folder.vac(&[&verify[..], options].concat());
        assert!(ran.code == 1 && line(&ran).contains(limit), "{ran:?}");
    }
    // Two receipts with 600 kB of other data each.
    let long =
        receipt(&log(), &statement(), &[[vec![0x18, 99], bytes(&vec![0; 600_000])].concat()], 1);
    assert_eq!(verify(&transparent(std::slice::from_ref(&long))).code, 0);
    let ran = verify(&transparent(&[long.clone(), long]));
    assert!(ran.code == 1 && line(&ran).contains(limit), "{ran:?}");
    let proofs = |count| verify(&transparent(&[receipt(&log(), &statement(), &[], count)]));
    assert_eq!(proofs(16).code, 0);
    let ran = proofs(17);
    assert!(ran.code == 1 && line(&ran).contains("at most 16 proofs"), "{ran:?}");
    // No more can be attached.
    let folder = transparent(&vec![one.clone(); 64]);
    folder.write("receipt", one);
    let ran = folder.vac(&["receipts", "attach", "transparent", "receipt", "-o", "more"]);
    assert!(ran.code != 0 && ran.stderr.contains(limit), "{ran:?}");
}

#[test]
fn a_receipt_of_another_key_does_not_count() {
    let attacker = SecretKey::ed25519(&[0x66; 32]);
    // The attacker names the issuer of the log, and the log's thumbprint.
    for issuer in ["https://log.example".to_owned(), log().public_key().thumbprint_uri()] {
        let forged = receipt(&attacker, &statement(), &[claims(&issuer)], 1);
        let ran = verify(&transparent(&[forged]));
        assert!(ran.code == 1 && line(&ran).contains("the log's signature"), "{ran:?}");
    }
    // A log that claims to be another one.
    let other = claims(&attacker.public_key().thumbprint_uri());
    let ran = verify(&transparent(&[receipt(&log(), &statement(), &[other], 1)]));
    assert!(ran.code == 1 && line(&ran).contains("the thumbprint of another key"), "{ran:?}");
    let other = [crit(&[4]), kid(b"another")];
    let ran = verify(&transparent(&[receipt(&log(), &statement(), &other, 1)]));
    assert!(ran.code == 1 && line(&ran).contains("crit lists 4 (kid)"), "{ran:?}");
}

#[test]
fn a_receipt_does_not_mend_a_statement() {
    // The receipt is valid, but the signature is not.
    let sound = receipt(&log(), &statement(), &[], 1);
    let folder = transparent(std::slice::from_ref(&sound));
    let other = SecretKey::ed25519(&[0x67; 32]).public_key().to_pem().expect("PEM");
    folder.write("pub.pem", other);
    let ran = verify(&folder);
    assert!(ran.code == 1 && line(&ran).starts_with("receipts:       ok"), "{ran:?}");
    // A receipt for another statement.
    let other = envelope(&header(&[usual()[0].clone(), usual()[1].clone(), claims("other")]));
    let ran = verify(&transparent(&[receipt(&log(), &other, &[], 1), sound]));
    assert!(ran.code == 1 && line(&ran).contains("receipt 1 of 2: the log's signature"), "{ran:?}");
    // The signer's key is not a log's.
    let own = receipt(&signer(), &statement(), &[], 1);
    assert_eq!(verify(&transparent(&[own])).code, 1);
}
