//! Arbitrary and damaged input.

use proptest::prelude::*;
use vac_sign::receipt::ParsedReceipt;
use vac_sign::sign::Carriage;
use vac_sign::{Chain, PublicKey, SecretKey, Signer as _, Trust, Verification, verify};

use super::{RECORD, answers, key, p256_key, signed};

fn verify_and_read(bytes: &[u8]) -> bool {
    let (signer, log) = (key(), [p256_key().public_key().clone()]);
    let trust = Trust { roots: Chain::from_der(vec![bytes.to_vec()]), time: 0 };
    let _ = ParsedReceipt::read(bytes).map(|receipt| receipt.verify(&[0; 32], &log, None));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (PublicKey::from_pem(text), SecretKey::from_pem(text));
    }
    let with = Verification {
        key: Some(signer.public_key()),
        trust: Some(&trust),
        receipt_keys: &log,
        record: Some(bytes),
        ..Verification::default()
    };
    verify(bytes, &with).is_verified() || answers(bytes, None).is_verified()
}

proptest! {
    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!verify_and_read(&bytes));
    }

    #[test]
    fn bytes_after_the_head_of_an_envelope_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        prop_assert!(!verify_and_read(&[&[0xd2, 0x84][..], &bytes].concat()));
        let protected = [&[0xd2, 0x84, 0x58, 200][..], &bytes].concat();
        prop_assert!(!verify_and_read(&protected));
    }

    #[test]
    fn changed_bytes_are_refused_or_reported(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let sound = signed(Carriage::Attached);
        let mut envelope = sound.clone();
        for (at, byte) in changes {
            let at = at.index(envelope.len());
            envelope[at] = byte;
        }
        let now = answers(&envelope, None);
        if now.is_verified() && envelope != sound {
            let before = answers(&sound, None);
            prop_assert_ne!(now.lines(), before.lines());
        }
    }
}

#[test]
fn truncated_envelopes_do_not_verify() {
    for carriage in [Carriage::Attached, Carriage::Detached] {
        let envelope = signed(carriage);
        for end in 0..envelope.len() {
            assert!(!answers(&envelope[..end], Some(RECORD.as_bytes())).is_verified());
        }
    }
}

#[test]
fn many_labels_take_linear_time() {
    // Quadratic work on these would take minutes.
    let mut unprotected = vec![0xba, 0, 3, 0x0d, 0x40];
    for label in 1_000_000u32..1_200_000 {
        unprotected.push(0x1a);
        unprotected.extend(label.to_be_bytes());
        unprotected.push(0);
    }
    let head = [0xd2, 0x84, 0x43, 0xa1, 0x01, 0x27];
    let envelope = [&head[..], &unprotected, &[0xf6, 0x40]].concat();
    assert!(!answers(&envelope, None).is_verified());
}
