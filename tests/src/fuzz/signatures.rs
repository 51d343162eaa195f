//! Checks signed records, receipts, time stamps, keys and certificates.

use std::sync::LazyLock;

use vac_sign::receipt::{ParsedReceipt, attach};
use vac_sign::timestamp::{self, StampedPart};
use vac_sign::{Chain, Envelope, PublicKey, SecretKey, Signer as _, Trust, Verification};

/// The record that the envelopes of the corpus sign.
const RECORD: &[u8] = include_bytes!("../../fuzz/corpus/json/small");
/// A statement for receipts.
const STATEMENT: &[u8] = include_bytes!("../../fuzz/corpus/verify/attached");
/// An envelope with a time stamp of its signature.
const STAMPED: &[u8] = include_bytes!("../../fuzz/corpus/verify/stamped");
/// A time in seconds since 1970, some days after the certificates were created.
const TIME: u64 = 1_795_500_000;

static ROOT: LazyLock<Chain> =
    LazyLock::new(|| certificates(include_bytes!("../../../fixtures/sign/root.cert.pem")));
static SIGNER: LazyLock<Chain> =
    LazyLock::new(|| certificates(include_bytes!("../../../fixtures/sign/signer.chain.pem")));
/// The keys of the signers, one of each kind. They are also the keys of the transparency logs.
static KEYS: LazyLock<[PublicKey; 2]> = LazyLock::new(|| {
    let other = certificates(include_bytes!("../../../fixtures/sign/signer-p256.cert.pem"));
    [&*SIGNER, &other].map(|chain| chain.public_key().expect("a key that can be used"))
});

/// The roots of the time-stamping authorities.
static AUTHORITIES: LazyLock<Chain> = LazyLock::new(|| {
    let rsa: &[u8] = include_bytes!("../../../fixtures/sign/timestamps/rsa-root.pem");
    let other: &[u8] = include_bytes!("../../../fixtures/sign/timestamps/other-root.pem");
    certificates(&[rsa, other].concat())
});

fn certificates(pem: &[u8]) -> Chain {
    Chain::from_pem(pem).expect("certificates")
}

/// Verifies an envelope with every kind of key. Nothing is verified without a key, and the
/// unprotected header does not decide whether a signature is valid.
pub fn verify(bytes: &[u8]) {
    let is_verified = |with: &Verification<'_>| vac_sign::verify(bytes, with).is_verified();
    let trust = Trust { roots: ROOT.clone(), time: TIME };
    for record in [None, Some(RECORD), Some(bytes)] {
        assert!(!is_verified(&Verification { record, ..Verification::default() }), "no key");
        is_verified(&Verification { record, trust: Some(&trust), ..Verification::default() });
        for key in &*KEYS {
            let (key, receipt_keys) = (Some(key), &KEYS[..]);
            let authorities = Trust { roots: AUTHORITIES.clone(), time: TIME };
            let authorities = Some(&authorities);
            let with =
                Verification { key, record, receipt_keys, authorities, ..Verification::default() };
            let verdicts = vac_sign::verify(bytes, &with);
            if let Ok(envelope) = Envelope::read(bytes) {
                let bare = envelope.with_unprotected(&[0xa0]);
                let bare = vac_sign::verify(&bare, &with);
                assert_eq!(bare.signature.is_ok(), verdicts.signature.is_ok(), "{bare:?}");
            }
        }
    }
}

/// Attaches and verifies a receipt. Attaching it does not change what a receipt covers, and a proof
/// for one statement does not verify another.
pub fn receipts(bytes: &[u8]) {
    let statement = Envelope::read(STATEMENT).expect("an envelope");
    let entry = statement.log_entry();
    if let Ok(receipt) = ParsedReceipt::read(bytes) {
        let _ = receipt.verify(&entry, &*KEYS, Some(TIME));
        assert!(receipt.verify(&[0; 32], &*KEYS, None).is_err(), "a receipt for anything");
        assert!(receipt.verify(&entry, &[], None).is_err(), "a receipt without a key");
    }
    for receipts in [&[bytes][..], &[bytes, bytes]] {
        let Ok(transparent) = attach(&statement, receipts) else { continue };
        let envelope = Envelope::read(&transparent).expect("still an envelope");
        assert_eq!(envelope.log_entry(), entry);
        let with =
            Verification { key: Some(&KEYS[0]), receipt_keys: &*KEYS, ..Verification::default() };
        assert!(vac_sign::verify(&transparent, &with).signature.is_ok());
    }
}

/// Checks a token of a time-stamping authority. A token of a trusted authority states the same
/// without trust roots, does not cover other bytes, and can be attached.
pub fn tokens(bytes: &[u8]) {
    let stamped = Envelope::read(STAMPED).expect("an envelope");
    let signature = stamped.encoded_signature();
    let check = |bytes: &[u8], token: &[u8], trust| {
        timestamp::check(token, StampedPart::Signature, bytes, trust)
    };
    let trust = Trust { roots: AUTHORITIES.clone(), time: TIME };
    let token = timestamp::token_of(bytes);
    assert!(token.is_ok() || check(signature, bytes, None).is_err());
    let Ok(token) = token else { return };
    assert!(check(b"", token, None).is_err(), "a token for anything");
    if let Ok(checked) = check(signature, token, Some(&trust)) {
        let unchecked = check(signature, token, None).expect("fewer checks");
        assert_eq!((checked.seconds, checked.is_trusted), (unchecked.seconds, true));
        assert!(!unchecked.is_trusted);
    }
    let again = timestamp::attach(&stamped, token).expect("an envelope");
    let again = Envelope::read(&again).expect("still an envelope");
    assert_eq!(again.log_entry(), stamped.log_entry());
}

/// Checks keys and certificates, in PEM and in DER. Encrypted keys are read up to the point where a
/// password is needed. Writing and reading a key gives the same key, and a certificate of another
/// signer is not accepted.
pub fn keys(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    for key in [PublicKey::parse(text), PublicKey::from_spki(bytes)].into_iter().flatten() {
        let again = PublicKey::from_pem(&key.to_pem().expect("PEM")).expect("a key");
        assert_eq!(again.thumbprint(), key.thumbprint());
    }
    if let Ok(key) = SecretKey::from_pem(text) {
        let again = SecretKey::from_pem(&key.to_pem().expect("PEM")).expect("a key");
        assert_eq!(again.public_key().thumbprint(), key.public_key().thumbprint());
    }
    let in_der = Chain::from_der(vec![bytes.to_vec()]);
    for chain in [Chain::from_pem(bytes).ok(), Some(in_der)].into_iter().flatten() {
        let _ = (chain.public_key(), chain.hash());
        let _ = chain.check(&Trust { roots: ROOT.clone(), time: TIME });
        let _ = chain.check(&Trust { roots: chain.clone(), time: TIME });
        let _ = SIGNER.check(&Trust { roots: chain, time: TIME });
    }
}
