//! Signed records: canonical forms, envelopes, receipts, certificates.

mod bit_flips;
mod canonical;
mod certificates;
mod encrypted_keys;
mod envelopes;
mod hostile;
mod keys;
mod receipts;
mod round_trips;
mod timestamps;

use vac_sign::sign::{Carriage, Checked, SignOptions, sign};
use vac_sign::{
    Answers, PublicKey, SecretKey, SignatureVerdict, Signer as _, Verification, verify,
};

/// Returns the signer of these tests.
fn key() -> SecretKey {
    SecretKey::ed25519(&[0x51; 32])
}

/// Returns a signer with a key on P-256.
fn p256_key() -> SecretKey {
    // PKCS #8 around the scalar of 32 bytes of 0x52.
    let head = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";
    let mut der = data_encoding::HEXLOWER.decode(head.as_bytes()).expect("hex");
    der.extend([0x52; 32]);
    let text = data_encoding::BASE64.encode(&der);
    let (one, other) = text.split_at(64);
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{one}\n{other}\n-----END PRIVATE KEY-----\n");
    SecretKey::from_pem(&pem).expect("a key")
}

/// Reads a file of the workspace's fixtures.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A valid record.
const RECORD: &str = r#"{
  "version": "3.0.0-draft", "id": "r-1", "created": "2026-03-01T08:00:09Z",
  "session": {
    "session-id": "s-ü1", "session-start": "2026-03-01T08:00:00Z",
    "session-end": "2026-03-01T08:00:08Z",
    "agent-meta": {"model-id": "m-1", "model-provider": "provider"},
    "entries": [
      {"type": "user", "content": "why is it \"red\"?\n"},
      {"type": "tool-call", "name": "Look", "input": {"at": 1.5, "n": 18446744073709551617}}
    ]
  }
}
"#;

fn options<'o>(carriage: Carriage) -> SignOptions<'o> {
    SignOptions { carriage, ..SignOptions::default() }
}

fn signed_by(key: &SecretKey, record: &[u8], options: &SignOptions<'_>) -> Vec<u8> {
    let record =
        Checked::new(record, vac_validate::detect_encoding(record)).expect("a valid record");
    sign(&record, options, key).expect("a record that can be signed").to_vec()
}

/// [`RECORD`], signed.
fn signed(carriage: Carriage) -> Vec<u8> {
    signed_by(&key(), RECORD.as_bytes(), &options(carriage))
}

/// Verifies an envelope with the signer's key.
fn answers<'e>(envelope: &'e [u8], record: Option<&[u8]>) -> Answers<'e> {
    with_key(key().public_key(), envelope, record)
}

fn with_key<'e>(key: &PublicKey, envelope: &'e [u8], record: Option<&[u8]>) -> Answers<'e> {
    verify(envelope, &Verification { key: Some(key), record, ..Verification::default() })
}

/// Asserts that the check of this name failed, and that its detail contains these words.
#[track_caller]
fn assert_refused(answers: &Answers<'_>, line: &str, words: &str) {
    assert_eq!(answers.verdict(), SignatureVerdict::Failed, "{answers:#?}");
    let (_, answer) = answers.lines().into_iter().find(|(name, _)| *name == line).expect("a line");
    assert!(answer.is_failed() && answer.detail().contains(words), "{words}: {answer:?}");
}

/// Returns a CBOR head.
fn head(major: u8, argument: usize) -> Vec<u8> {
    match (u8::try_from(argument), u16::try_from(argument)) {
        (Ok(small @ 0..24), _) => vec![major << 5 | small],
        (Ok(byte), _) => vec![major << 5 | 0x18, byte],
        (_, argument) => {
            let argument = argument.expect("not too long");
            [&[major << 5 | 0x19][..], &argument.to_be_bytes()].concat()
        }
    }
}

/// Returns a byte string.
fn bytes(content: &[u8]) -> Vec<u8> {
    [head(2, content.len()), content.to_vec()].concat()
}

/// Returns a text.
fn text(content: &str) -> Vec<u8> {
    [head(3, content.len()), content.as_bytes().to_vec()].concat()
}
