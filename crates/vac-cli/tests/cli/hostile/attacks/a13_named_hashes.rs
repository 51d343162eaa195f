//! Tests that every printed hash is printed with the name of the hashed data.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::run::{Folder, Ran};
use crate::sign::{folder, sign, timed, verify};

fn sha256(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// Returns a folder with the record `a.json`, signed, and another record `b.json`.
fn signed(options: &[&str]) -> Folder {
    let folder = folder();
    folder.write("b.json", other());
    let ran = sign(&folder, &[&["a.json", "-o", "signed"], options].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

fn other() -> String {
    timed().replace("hi", "ho")
}

/// Returns the line about the hash of the payload.
fn line(ran: &Ran) -> &str {
    ran.stdout.lines().find(|line| line.starts_with("payload hash:")).expect("the line")
}

#[test]
fn another_record_is_printed_with_its_own_hash() {
    let folder = signed(&[]);
    let ran = verify(&folder, &["signed", "--record", "b.json"]);
    let (payload, record) = (sha256(&timed()), sha256(&other()));
    let expected = format!(
        "payload hash:   failed (the given record is not the payload: \
         payload sha-256 {payload}, record sha-256 {record})"
    );
    assert_eq!((ran.code, line(&ran)), (1, expected.as_str()));
    let json = verify(&folder, &["signed", "--record", "b.json", "--json"]).json();
    assert_eq!(json["payload-sha-256"], payload);
    assert_eq!(json["record-sha-256"], record);
}

#[test]
fn an_attached_record_has_the_hash_of_the_payload() {
    let folder = signed(&[]);
    let ran = verify(&folder, &["signed"]);
    let hash = sha256(&timed());
    let expected =
        format!("payload hash:   ok (payload sha-256 {hash}, as the trace metadata says)");
    assert_eq!(line(&ran), expected);
    let json = verify(&folder, &["signed", "--json"]).json();
    assert_eq!(
        (&json["payload-sha-256"], &json["record-sha-256"]),
        (&hash.as_str().into(), &hash.into())
    );
}

#[test]
fn the_digest_of_a_hash_envelope_is_named_as_stated() {
    let folder = signed(&["--hash-envelope"]);
    let (stated, record) = (sha256(&timed()), sha256(&other()));
    let ran = verify(&folder, &["signed", "--record", "b.json"]);
    let expected = format!(
        "payload hash:   failed (the payload is not the record's digest: \
         stated sha-256 {stated}, record sha-256 {record})"
    );
    assert_eq!(line(&ran), expected);
    let json = verify(&folder, &["signed", "--record", "b.json", "--json"]).json();
    assert_eq!(json["stated-digest"]["algorithm"], "sha-256");
    assert_eq!(json["stated-digest"]["value"], stated);
    assert_eq!(json["record-sha-256"], record);
    assert_eq!(json.get("payload-sha-256"), None);
    let json = verify(&folder, &["signed", "--json"]).json();
    assert_eq!(json.get("record-sha-256"), None, "no record was given");
}

#[test]
fn the_canonical_form_and_the_record_have_their_own_hashes() {
    let folder = signed(&["--payload", "canonical-json", "--detached"]);
    let ran = verify(&folder, &["signed", "--record", "a.json"]);
    let canonical = folder.vac(&["transcode", "a.json", "--canonical"]).stdout;
    let (payload, record) = (sha256(&canonical), sha256(&timed()));
    let expected = format!(
        "payload hash:   ok (payload sha-256 {payload}, record sha-256 {record}, \
         as the trace metadata says)"
    );
    assert_eq!((ran.code, line(&ran)), (0, expected.as_str()), "{ran:?}");
}

#[test]
fn sign_names_the_hash_of_what_it_signed() {
    let folder = folder();
    let json = sign(&folder, &["a.json", "-o", "one", "--json"]).json();
    assert_eq!(json["payload-sha-256"], sha256(&timed()));
    let json = sign(&folder, &["a.json", "-o", "two", "--json", "--hash-envelope"]).json();
    assert_eq!(json["stated-digest"]["value"], sha256(&timed()));
    assert_eq!(json.get("payload-sha-256"), None);
}
