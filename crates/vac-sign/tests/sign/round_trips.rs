//! Signing and verifying: signed records verify, and envelopes state what was signed.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac_sign::canonical::{Form, canonical};
use vac_sign::sign::{Carriage, Checked, Invalid, SignError, SignOptions, sign};
use vac_sign::{Answer, Envelope, SignatureVerdict, Signer as _, Verification, verify};
use vac_value::{Document, Encoder, Encoding, Node, transcode};

use super::{RECORD, answers, assert_refused, key, options, p256_key, signed, signed_by, with_key};

const CARRIAGES: [Carriage; 3] = [Carriage::Attached, Carriage::Detached, Carriage::Digest];

fn cbor_record() -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    transcode(&Document::json(RECORD.as_bytes()).expect("JSON"), &mut encoder).expect("CBOR");
    encoder.finish()
}

#[test]
fn signed_records_verify() {
    let cbor = cbor_record();
    for key in [key(), p256_key()] {
        for record in [RECORD.as_bytes(), &cbor] {
            for carriage in CARRIAGES {
                let envelope = signed_by(&key, record, &options(carriage));
                let answers = with_key(key.public_key(), &envelope, Some(record));
                for (question, answer) in answers.lines() {
                    let is_fine = answer.is_ok() || question == "receipts";
                    assert!(is_fine, "{carriage:?}, {question}: {answer:?}");
                }
                let facts = answers.facts.expect("a signature that holds");
                assert_eq!(facts.algorithm, key.public_key().algorithm().id());
                assert_eq!(facts.issuer, Some(key.public_key().thumbprint_uri()));
                assert_eq!(facts.subject.as_deref(), Some("s-ü1"));
            }
        }
    }
}

#[test]
fn verification_before_the_time_of_signing_is_remarked() {
    let options = SignOptions { time: Some(1_795_000_000), ..options(Carriage::Attached) };
    let envelope = signed_by(&key(), RECORD.as_bytes(), &options);
    let remark = " (after the time of verification, 2026-11-18T11:06:39Z)";
    for (time, is_remarked) in
        [(Some(1_794_999_999), true), (Some(1_795_000_000), false), (None, false)]
    {
        let key = key();
        let with = Verification { key: Some(key.public_key()), time, ..Verification::default() };
        let answers = verify(&envelope, &with);
        assert!(answers.is_verified(), "{answers:#?}");
        let detail = answers.signer.detail();
        assert!(detail.contains(", signed at 2026-11-18T11:06:40Z by its own clock"), "{detail}");
        assert_eq!(detail.contains(remark), is_remarked, "{detail}");
    }
}

#[test]
fn signing_is_deterministic() {
    assert_eq!(signed(Carriage::Attached), signed(Carriage::Attached));
    let es256 = || signed_by(&p256_key(), RECORD.as_bytes(), &options(Carriage::Attached));
    assert_eq!(es256(), es256());
}

#[test]
fn the_protected_header_is_deterministic() {
    let envelope = signed(Carriage::Attached);
    let envelope = Envelope::read(&envelope).expect("an envelope");
    let header = Document::cbor(envelope.protected).expect("CBOR");
    assert!(header.is_tidy());
    let labels: Vec<_> =
        header.root().members().map(|(label, _)| label.integer().expect("int")).collect();
    assert_eq!(labels, [1, 3, 4, 15]);
    assert_eq!(envelope.header.key_id, Some(key().public_key().thumbprint().to_vec()));
    let name = |envelope: &Envelope<'_>| {
        envelope.header.content_type.as_ref().map(|one| one.name.clone()).unwrap_or_default()
    };
    assert_eq!(name(&envelope), "application/json");

    let digest = signed(Carriage::Digest);
    let digest = Envelope::read(&digest).expect("an envelope");
    let header = Document::cbor(digest.protected).expect("CBOR");
    assert!(header.is_tidy());
    let labels: Vec<_> =
        header.root().members().map(|(label, _)| label.integer().expect("int")).collect();
    assert_eq!(labels, [1, 4, 15, 258, 259]);
    assert_eq!(digest.payload.map(<[u8]>::len), Some(32));
    assert_eq!(name(&digest), "application/json");

    let cbor = cbor_record();
    let envelope = signed_by(&key(), &cbor, &options(Carriage::Attached));
    let envelope = Envelope::read(&envelope).expect("an envelope");
    assert_eq!(name(&envelope), "application/cbor");
    assert_eq!(envelope.payload, Some(&cbor[..]));
}

#[test]
fn options_set_header_parameters() {
    let options = SignOptions {
        issuer: Some("https://example.com/me"),
        subject: Some("a subject"),
        key_id: Some(b"key"),
        content_type: Some("application/agent-conversation+json"),
        ..options(Carriage::Attached)
    };
    let envelope = signed_by(&key(), RECORD.as_bytes(), &options);
    let read = Envelope::read(&envelope).expect("an envelope");
    assert_eq!(read.header.claims.issuer.as_deref(), Some("https://example.com/me"));
    assert_eq!(read.header.claims.subject.as_deref(), Some("a subject"));
    assert_eq!(read.header.key_id.as_deref(), Some(&b"key"[..]));
    assert!(answers(&envelope, None).is_verified());
    // A caller can require the issuer and the subject.
    let key = key();
    let with = Verification { key: Some(key.public_key()), ..Verification::default() };
    let with = Verification { issuer: Some("https://example.com/me"), ..with };
    assert!(verify(&envelope, &with).is_verified());
    let other = Verification { issuer: Some("https://example.com/you"), ..with };
    assert_refused(
        &verify(&envelope, &other),
        "signer",
        "the issuer is \"https://example.com/me\"",
    );
    let other = Verification { subject: Some("another"), ..with };
    assert_refused(
        &verify(&envelope, &other),
        "signer",
        "the subject is \"a subject\", not \"another\"",
    );
}

#[test]
fn trace_metadata_is_recomputed_from_the_record() {
    let envelope = signed(Carriage::Detached);
    let envelope = Envelope::read(&envelope).expect("an envelope");
    let unprotected = Document::cbor(envelope.unprotected).expect("CBOR");
    let (label, metadata) = unprotected.root().members().next().expect("a member");
    assert_eq!(label.integer(), Some(100));
    let record = Checked::new(RECORD.as_bytes(), Encoding::Json).expect("a valid record");
    let hash = HEXLOWER.encode(record.sha256());
    for (key, expected) in [
        ("session-id", "s-ü1"),
        ("agent-vendor", "provider"),
        ("trace-format", "ietf-vac-v3.0"),
        ("timestamp-start", "2026-03-01T08:00:00Z"),
        ("timestamp-end", "2026-03-01T08:00:08Z"),
        ("content-hash", &hash),
        ("content-hash-alg", "sha-256"),
    ] {
        let value = metadata.member(key).and_then(Node::text);
        assert_eq!(value.as_deref(), Some(expected), "{key}");
    }
    assert_eq!(metadata.members().count(), 7);
}

#[test]
fn a_record_without_any_time_has_no_trace_metadata() {
    let record = RECORD
        .replace(r#", "created": "2026-03-01T08:00:09Z""#, "")
        .replace(r#", "session-start": "2026-03-01T08:00:00Z""#, "")
        .replace(r#""session-end": "2026-03-01T08:00:08Z","#, "");
    let envelope = signed_by(&key(), record.as_bytes(), &options(Carriage::Attached));
    let answers = answers(&envelope, None);
    assert!(answers.is_verified(), "{answers:#?}");
    assert!(matches!(answers.trace_metadata, Answer::Absent(_)));
    // The time of an entry is enough.
    let record = record.replace(r#""type": "user","#, r#""type": "user", "timestamp": 7,"#);
    let envelope = signed_by(&key(), record.as_bytes(), &options(Carriage::Attached));
    let answers = super::answers(&envelope, None);
    assert!(answers.is_verified() && answers.trace_metadata.is_ok(), "{answers:#?}");
}

#[test]
fn invalid_records_are_not_signed() {
    let check = |record: &str| {
        let record = record.to_owned().leak();
        Checked::new(record.as_bytes(), Encoding::Json).expect_err("not valid")
    };
    let sign_anyway = |invalid: Invalid<'_>| {
        let signed = sign(&invalid.accept(), &options(Carriage::Attached), &key());
        signed.map(|signed| signed.to_vec())
    };
    let invalid = RECORD.replace("tool-call", "tool-fall");
    let twice = RECORD.replace(r#""at": 1.5"#, r#""at": 1.5, "at": 2"#);
    for record in [&invalid, &twice] {
        let invalid = check(record);
        let why = invalid.violations().to_string();
        assert!(why.starts_with("/session/entries/1/"), "{why}");
        let envelope = sign_anyway(invalid).expect("allowed");
        assert_refused(&answers(&envelope, None), "record", "/session/entries/1/");
    }
    let error = sign_anyway(check(&RECORD.replace("\"s-ü1\"", "1"))).expect_err("no session");
    assert_eq!(error, SignError::NoSubject);
    assert_eq!(check("[]").violations().total(), 1);
}

#[test]
fn a_detached_record_is_required() {
    let detached = signed(Carriage::Detached);
    let without = answers(&detached, None);
    assert!(!without.is_verified());
    assert!(matches!(without.signature, Answer::NotChecked(_)), "{without:#?}");
    // A digest can be verified alone; then nothing is said about a record.
    let digest = signed(Carriage::Digest);
    let without = answers(&digest, None);
    assert_eq!(without.verdict(), SignatureVerdict::StatementOnly, "{without:#?}");
    assert!(!without.is_verified());
    assert_eq!(without.verified_payload(), None);
    assert!(matches!(without.record, Answer::NotChecked(_)));
    assert!(matches!(without.payload_hash, Answer::NotChecked(_)));
    let other = RECORD.replace("red", "blue");
    let other = Some(other.as_bytes());
    assert_refused(
        &answers(&digest, other),
        "payload hash",
        "the payload is not the record's digest",
    );
    assert_refused(&answers(&detached, other), "signature", "nor over its canonical JSON");
    let attached = signed(Carriage::Attached);
    let attached = answers(&attached, other);
    assert_refused(&attached, "payload hash", "the given record is not the payload");
    assert!(attached.signature.is_ok());
}

#[test]
fn canonical_json_verifies_with_the_record() {
    let document = Document::json(RECORD.as_bytes()).expect("JSON");
    let form = canonical(&document, Form::Sorted).expect("canonical");
    for carriage in CARRIAGES {
        let envelope = signed_by(&key(), &form, &options(carriage));
        for record in [RECORD.as_bytes(), &form] {
            let answers = answers(&envelope, Some(record));
            assert!(answers.is_verified(), "{carriage:?}: {answers:#?}");
            assert!(answers.trace_metadata.is_ok() && answers.payload_hash.is_ok());
        }
    }
}

#[test]
fn another_key_does_not_verify() {
    let other = vac_sign::SecretKey::ed25519(&[9; 32]);
    for carriage in CARRIAGES {
        let envelope = signed(carriage);
        let answers = with_key(other.public_key(), &envelope, Some(RECORD.as_bytes()));
        assert_refused(&answers, "signature", "not made with this key");
        assert!(matches!(answers.signer, Answer::NotChecked(_)));
        assert_eq!(answers.facts, None);
        let answers = with_key(p256_key().public_key(), &envelope, Some(RECORD.as_bytes()));
        assert_refused(&answers, "signature", "the header names EdDSA, but the key is for ES256");
    }
}

#[test]
fn keys_are_read_back_from_pem() {
    for key in [key(), p256_key()] {
        let again = vac_sign::SecretKey::from_pem(&key.to_pem().expect("PEM")).expect("a key");
        assert_eq!(again.public_key(), key.public_key());
        let public = key.public_key().to_pem().expect("PEM");
        assert_eq!(vac_sign::PublicKey::from_pem(&public).as_ref(), Ok(key.public_key()));
        let wrong = vac_sign::SecretKey::from_pem(&public).expect_err("a public key");
        assert!(wrong.to_string().contains("found PUBLIC KEY"), "{wrong}");
        assert!(!format!("{key:?}").contains("51"), "nothing of the secret is shown");
    }
}

#[test]
fn a_content_type_of_the_other_encoding_is_not_signed() {
    let record = Checked::new(RECORD.as_bytes(), Encoding::Json).expect("a valid record");
    let with = |content_type| {
        let options = SignOptions { content_type: Some(content_type), ..SignOptions::default() };
        sign(&record, &options, &key()).map(drop)
    };
    for wrong in ["application/cbor", "Application/CBOR; x=y", "application/x+cbor"] {
        assert_eq!(with(wrong), Err(SignError::ContentType(Encoding::Json)), "{wrong}");
    }
    for right in ["application/json", "application/x+json; y", "application/agent-conversation"] {
        assert_eq!(with(right), Ok(()), "{right}");
    }
}

#[test]
fn trace_metadata_is_compared_with_a_digest() {
    let envelope = signed(Carriage::Digest);
    let sound = answers(&envelope, None);
    assert_eq!(sound.verdict(), SignatureVerdict::StatementOnly, "{sound:#?}");
    assert_eq!(sound.payload_hash.word(), "not checked", "{sound:#?}");
    let hash = HEXLOWER.encode(&Sha256::digest(RECORD));
    let at = envelope.windows(64).position(|part| part == hash.as_bytes()).expect("the hash");
    let mut lie = envelope.clone();
    lie[at] = if lie[at] == b'0' { b'1' } else { b'0' };
    assert_refused(&answers(&lie, None), "payload hash", "content-hash is");
}
