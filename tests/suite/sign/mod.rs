//! Signed records: what needs adapters, or the vectors next to the workspace.

mod canonical;
mod corpus;
mod vectors;

use vac_sign::sign::{Carriage, Checked, Options, sign};
use vac_sign::{Answers, SecretKey, Signer as _, Verdict, Verification, verify};

/// The signer of these tests.
fn key() -> SecretKey {
    SecretKey::ed25519(&[0x51; 32])
}

fn signed(record: &[u8]) -> Vec<u8> {
    let record =
        Checked::new(record, vac_validate::detect_encoding(record)).expect("a valid record");
    let options = Options { carriage: Carriage::Attached, ..Options::default() };
    sign(&record, &options, &key()).expect("a record that can be signed").to_vec()
}

/// Verifies an envelope with the signer's key.
fn answers(envelope: &[u8]) -> Answers<'_> {
    let key = key();
    verify(envelope, &Verification { key: Some(key.public_key()), ..Verification::default() })
}

/// Fails unless this line failed, with a detail that contains these words.
#[track_caller]
fn refused(answers: &Answers<'_>, line: &str, words: &str) {
    assert_eq!(answers.verdict(), Verdict::Failed, "{answers:#?}");
    let (_, answer) = answers.lines().into_iter().find(|(name, _)| *name == line).expect("a line");
    assert!(answer.is_failed() && answer.detail().contains(words), "{words}: {answer:?}");
}
