//! Time stamps of authorities. The tokens in `fixtures/sign/timestamps` were made with OpenSSL for the
//! signature of [`RECORD`], for its bytes, or for its signature with a certificate.

use vac_sign::sign::{Carriage, Checked, SignError, SignOptions, sign};
use vac_sign::timestamp::{self, StampedPart, TimeStampError};
use vac_sign::{Answer, Answers, Chain, Envelope, Signer as _, Trust, Verification, verify};
use vac_value::Encoding;

use super::{RECORD, assert_refused, fixture, key, options, signed, signed_by};

/// The time of the first token, 2026-11-18T17:44:23Z.
const STAMPED: u64 = 1_795_023_863;
const HOUR: u64 = 3600;
/// 2127, when every certificate has expired.
const MUCH_LATER: u64 = 4_954_435_200;

fn token(name: &str) -> Vec<u8> {
    fixture(&format!("sign/timestamps/{name}"))
}

fn trust(root: &str, time: u64) -> Trust {
    let roots = Chain::from_pem(&token(&format!("{root}-root.pem"))).expect("certificates");
    Trust { roots, time }
}

/// Verifies an envelope with a token that is kept apart.
fn answers<'e>(envelope: &'e [u8], token: Option<&[u8]>, trust: Option<&Trust>) -> Answers<'e> {
    let key = key();
    let with = Verification {
        key: Some(key.public_key()),
        record: Some(RECORD.as_bytes()),
        time_stamp: token,
        authorities: trust,
        ..Verification::default()
    };
    verify(envelope, &with)
}

#[track_caller]
fn is_refused(token: &[u8], trust: &Trust, words: &str) {
    let envelope = signed(Carriage::Attached);
    let answers = answers(&envelope, Some(token), Some(trust));
    match &answers.time_stamp {
        Some(Answer::Failed(why)) => assert!(why.contains(words), "{words}: {why}"),
        other => panic!("{words}: {other:?}"),
    }
    assert!(!answers.is_verified() && answers.stamped_at.is_none());
}

#[test]
fn tokens_of_openssl_are_checked() {
    let envelope = signed(Carriage::Attached);
    for (name, root, time) in [
        ("rsa.tst", "rsa", STAMPED),
        ("p256.tst", "other", STAMPED),
        ("p256.tsr", "other", STAMPED),
        ("p384.tst", "rsa", STAMPED + 1),
        ("chained.tst", "rsa", STAMPED + 30),
        ("sha1.tst", "other", STAMPED + 30),
        ("one-day.tst", "other", STAMPED + 1),
    ] {
        let token = token(name);
        let trust = trust(root, STAMPED + HOUR);
        let checked = answers(&envelope, Some(&token), Some(&trust));
        assert_eq!(checked.stamped_at, Some(time), "{name}: {:?}", checked.time_stamp);
        assert!(checked.is_verified(), "{name}");
        let detail = checked.time_stamp.as_ref().map(Answer::detail).unwrap_or_default();
        for words in [
            "the signature existed at 2026-11-18T17:44:",
            "Z (accurate to 1 s), as \"Sample time stamps",
        ] {
            assert!(detail.contains(words), "{words}: {detail}");
        }
        // Without a root, nothing is trusted, and nothing fails.
        let unchecked = answers(&envelope, Some(&token), None);
        assert!(matches!(unchecked.time_stamp, Some(Answer::NotChecked(_))), "{name}");
        assert!(unchecked.is_verified() && unchecked.stamped_at.is_none());
    }
}

#[test]
fn tokens_are_attached_to_envelopes() {
    for carriage in [Carriage::Attached, Carriage::Detached] {
        let bytes = signed(carriage);
        let envelope = Envelope::read(&bytes).expect("an envelope");
        let stamped = timestamp::attach(&envelope, &token("rsa.tst")).expect("an envelope");
        let trust = trust("rsa", STAMPED + HOUR);
        let checked = answers(&stamped, None, Some(&trust));
        assert_eq!((checked.is_verified(), checked.stamped_at), (true, Some(STAMPED)));
        // A second one replaces the first, and the entry of a transparency log stays the same.
        let again = Envelope::read(&stamped).expect("an envelope");
        assert_eq!(again.log_entry(), envelope.log_entry());
        let again = timestamp::attach(&again, &token("p256.tst")).expect("an envelope");
        let other = self::trust("other", STAMPED + HOUR);
        assert!(answers(&again, None, Some(&other)).is_verified());
        assert!(!answers(&again, None, Some(&trust)).is_verified());
        let none = answers(&bytes, None, Some(&trust));
        assert_eq!(none.time_stamp, Some(Answer::Failed("no time stamp".to_owned())));
        assert_eq!(answers(&bytes, None, None).time_stamp, None);
    }
}

#[test]
fn payloads_are_stamped_before_they_are_signed() {
    let response = token("payload.tst");
    let trust = trust("other", STAMPED + HOUR);
    for carriage in [Carriage::Attached, Carriage::Detached] {
        let mut options = options(carriage);
        options.time_stamp = Some(&response);
        let envelope = signed_by(&key(), RECORD.as_bytes(), &options);
        let checked = answers(&envelope, None, Some(&trust));
        assert!(checked.is_verified(), "{checked:#?}");
        let detail = checked.time_stamp.as_ref().map(Answer::detail).unwrap_or_default();
        assert!(detail.starts_with("the payload existed at"), "{detail}");
        // The signature can be much younger.
        assert_eq!((checked.stamped_at, checked.payload_stamped_at), (None, Some(STAMPED + 1)));
        assert_eq!(checked.is_deterministic, Some(true));
    }
    // A token for other bytes is not signed.
    let record = Checked::new(RECORD.as_bytes(), Encoding::Json).expect("a record");
    for carriage in [Carriage::Digest, Carriage::Attached] {
        let other = token("rsa.tst");
        let mut options = options(carriage);
        options.time_stamp = Some(&other);
        let error = sign(&record, &options, &key()).expect_err("another imprint");
        let SignError::TimeStamp(error) = error else { panic!("{error}") };
        assert!(matches!(error, TimeStampError::Imprint { part: StampedPart::Payload, .. }));
    }
}

#[test]
fn hostile_tokens_are_refused_with_words() {
    let other = trust("other", STAMPED + HOUR);
    let rsa = trust("rsa", STAMPED + HOUR);
    is_refused(&token("rsa.tst"), &other, "it does not lead to a trust root");
    is_refused(&token("payload.tst"), &other, "the token is not for this signature");
    is_refused(&token("no-cert.tst"), &other, "does not contain the certificate");
    for name in ["code.tst", "both.tst", "soft.tst"] {
        is_refused(&token(name), &other, "timeStamping alone, and critical");
    }
    is_refused(&token("sslchained.tst"), &rsa, "not one for time stamps");
    is_refused(&token("late.tst"), &other, "at the time that it states: the certificate is not");
    is_refused(&token("p256.tst"), &trust("other", STAMPED - HOUR), "3600 seconds after");
    is_refused(b"", &other, "not a time-stamp token in DER");
    is_refused(RECORD.as_bytes(), &other, "not a time-stamp token in DER");
    is_refused(&vec![0; 1 << 20], &other, "not a time-stamp token");
    // A response without a token: status 2, rejection.
    is_refused(&[0x30, 5, 0x30, 3, 2, 1, 2], &other, "did not stamp the request (status 2)");
}

/// Signs with a certificate, and verifies with it as a trust root of its own.
struct Certified {
    envelope: Vec<u8>,
    roots: Chain,
}

impl Certified {
    fn new(certificates: &str, root: &str, payload_token: Option<&[u8]>) -> Self {
        let [certificates, roots] = [certificates, root]
            .map(|name| Chain::from_pem(&fixture(&format!("sign/{name}"))).expect("certificates"));
        let options = SignOptions {
            certificates: Some(&certificates),
            time_stamp: payload_token,
            ..options(Carriage::Attached)
        };
        Self { envelope: signed_by(&key(), RECORD.as_bytes(), &options), roots }
    }

    /// Verifies at a time, with a token and the root of its authority.
    fn answers(&self, time: u64, token: Option<&[u8]>, authority: Option<&str>) -> Answers<'_> {
        let authorities = authority.map(|root| trust(root, time));
        let with = Verification {
            trust: Some(&Trust { roots: self.roots.clone(), time }),
            time: Some(time),
            time_stamp: token,
            authorities: authorities.as_ref(),
            ..Verification::default()
        };
        verify(&self.envelope, &with)
    }
}

#[test]
fn trusted_time_stamps_outlive_certificates() {
    let certified = Certified::new("signer.chain.pem", "root.cert.pem", None);
    let stamp = token("certified.tst");
    let checked = certified.answers(MUCH_LATER, Some(&stamp), Some("brief"));
    assert!(checked.is_verified(), "{checked:#?}");
    assert_eq!(checked.stamped_at, Some(1_795_061_243));
    let words = ", certificate trusted at the time of the time stamp, 2026-11-19T04:07:23Z";
    assert!(checked.signer.detail().ends_with(words), "{}", checked.signer.detail());
    let detail = checked.time_stamp.as_ref().map(Answer::detail).unwrap_or_default();
    assert!(detail.contains("2026-11-19T04:07:23Z (accurate to 1.5 s), as"), "{detail}");
    // A token that is not trusted proves nothing.
    let untrusted = certified.answers(MUCH_LATER, Some(&stamp), None);
    assert_refused(&untrusted, "signer", "not trusted: it has expired");
    let of_another = certified.answers(MUCH_LATER, Some(&stamp), Some("other"));
    assert_refused(&of_another, "signer", "not trusted: it has expired");
    assert_refused(&of_another, "time stamp", "it does not lead to a trust root");
    // Without a certificate of the signer, the token alone is checked.
    let envelope = signed(Carriage::Attached);
    let trust = trust("other", MUCH_LATER);
    assert!(answers(&envelope, Some(&token("one-day.tst")), Some(&trust)).is_verified());
}

#[test]
fn certificates_have_to_be_valid_at_the_stamped_time() {
    let december = "signer-december.cert.pem";
    let certified = Certified::new(december, december, None);
    let valid = 1_796_428_800;
    assert!(certified.answers(valid, None, None).is_verified());
    let stamped = certified.answers(valid, Some(&token("december.tst")), Some("brief"));
    let words = "at the time of the time stamp, 2026-11-19T04:07:23Z: the certificate is not \
                 trusted: it is not valid yet";
    assert_refused(&stamped, "signer", words);
}

#[test]
fn payload_stamps_do_not_outlive_certificates() {
    let payload = token("payload.tst");
    let certified = Certified::new("signer.chain.pem", "root.cert.pem", Some(&payload));
    assert!(certified.answers(STAMPED + HOUR, None, Some("other")).is_verified());
    let later = certified.answers(MUCH_LATER, None, Some("other"));
    assert_refused(&later, "signer", "not trusted: it has expired");
    assert_eq!(later.payload_stamped_at, Some(STAMPED + 1));
}

/// Every bit of a token is signed, or decides how it is checked.
#[test]
fn every_changed_bit_of_a_token_is_refused() {
    let bytes = signed(Carriage::Attached);
    let envelope = Envelope::read(&bytes).expect("an envelope");
    for (name, root) in [("p256.tst", "other"), ("rsa.tst", "rsa")] {
        let (good, trust) = (token(name), trust(root, STAMPED + HOUR));
        let check = |token: &[u8]| {
            let bytes = envelope.encoded_signature();
            timestamp::check(token, StampedPart::Signature, bytes, Some(&trust))
        };
        let stamp = check(&good).expect("a valid token");
        let mut accepted = Vec::new();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            match check(&bad) {
                Err(error) => assert!(!error.to_string().is_empty()),
                Ok(found) => {
                    assert_eq!(found, stamp);
                    accepted.push(bit);
                }
            }
        }
        assert!(accepted.is_empty(), "{name}: {accepted:?}");
        for length in 0..good.len() {
            assert!(check(&good[..length]).is_err(), "{name}: {length}");
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(check(&longer).is_err(), "{name}");
    }
}
