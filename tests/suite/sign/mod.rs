//! Tests signed records with adapters or with the vectors next to the workspace.

mod canonical;
mod corpus;
mod vectors;

use vac_sign::sign::{Carriage, Checked, SignOptions, sign};
use vac_sign::{Answers, SecretKey, SignatureVerdict, Signer as _, Verification, verify};

/// Returns the signer of these tests.
fn key() -> SecretKey {
    SecretKey::ed25519(&[0x51; 32])
}

fn signed(record: &[u8]) -> Vec<u8> {
    let record =
        Checked::new(record, vac_validate::detect_encoding(record)).expect("a valid record");
    let options = SignOptions { carriage: Carriage::Attached, ..SignOptions::default() };
    sign(&record, &options, &key()).expect("a record that can be signed").to_vec()
}

/// Verifies an envelope with the signer's key.
fn answers(envelope: &[u8]) -> Answers<'_> {
    let key = key();
    verify(envelope, &Verification { key: Some(key.public_key()), ..Verification::default() })
}

/// Asserts that this line of the answers failed, with a detail that contains these words.
#[track_caller]
fn assert_refused(answers: &Answers<'_>, line: &str, words: &str) {
    assert_eq!(answers.verdict(), SignatureVerdict::Failed, "{answers:#?}");
    let (_, answer) = answers.lines().into_iter().find(|(name, _)| *name == line).expect("a line");
    assert!(answer.is_failed() && answer.detail().contains(words), "{words}: {answer:?}");
}
