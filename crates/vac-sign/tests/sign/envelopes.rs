//! Each rule for envelopes, violated alone. All envelopes are signed with the right key.

use vac_sign::{
    Answers, Message, SignatureVerdict, SignedContent, Signer as _, Verification, verify,
};

use super::{RECORD, answers, assert_refused, bytes, head, key, text};

/// An envelope in parts, each as CBOR.
struct Parts {
    /// Labels and values of the protected header, one after the other.
    protected: Vec<Vec<u8>>,
    unprotected: Vec<u8>,
    /// The encoded payload.
    payload: Vec<u8>,
    /// The signed bytes.
    signed: Vec<u8>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            protected: vec![alg(-8), content_type(), claims()],
            unprotected: vec![0xa0],
            payload: bytes(RECORD.as_bytes()),
            signed: RECORD.as_bytes().to_vec(),
        }
    }
}

impl Parts {
    fn with_protected(protected: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { protected: protected.into_iter().collect(), ..Self::default() }
    }

    fn header(&self) -> Vec<u8> {
        [head(5, self.protected.len()), self.protected.concat()].concat()
    }

    fn signature(&self) -> [u8; 64] {
        key().sign(&Message::new(&self.header(), &self.signed)).expect("a signature")
    }

    /// Returns the envelope without its tag.
    fn array(&self) -> Vec<u8> {
        let (header, signature) = (bytes(&self.header()), bytes(&self.signature()));
        [&[0x84][..], &header, &self.unprotected, &self.payload, &signature].concat()
    }

    fn envelope(&self) -> Vec<u8> {
        [&[0xd2][..], &self.array()].concat()
    }

    #[track_caller]
    fn is_refused(&self, words: &str) {
        assert_refused(&answers(&self.envelope(), None), "envelope", words);
    }
}

fn alg(id: i8) -> Vec<u8> {
    vec![1, u8::try_from(0x20 - 1 - i16::from(id)).expect("a small one")]
}

fn content_type() -> Vec<u8> {
    [vec![3], text("application/json")].concat()
}

fn claims() -> Vec<u8> {
    [vec![15, 0xa2, 1], text("https://example.com"), vec![2], text("subject")].concat()
}

fn critical(labels: &[u8]) -> Vec<u8> {
    [&[2][..], labels].concat()
}

#[test]
fn an_envelope_of_unchanged_parts_verifies() {
    let envelope = Parts::default().envelope();
    let answers = answers(&envelope, None);
    assert!(answers.is_verified(), "{answers:#?}");
}

#[test]
fn the_tag_is_required_exactly_once() {
    let parts = Parts::default();
    let refuse = |envelope: Vec<u8>, words: &str| {
        assert_refused(&answers(&envelope, None), "envelope", words);
    };
    refuse(parts.array(), "the tag of COSE_Sign1 (18) is missing");
    refuse([&[0xd2][..], &parts.envelope()].concat(), "tag 18 is around the tag");
    refuse([&[0xd8, 61][..], &parts.envelope()].concat(), "tag 61 is around the tag");
    refuse([&[0xd8, 98][..], &parts.array()].concat(), "found tag 98");
    let inside = [&[0xd2, 0xd9, 0xd9, 0xf7][..], &parts.array()].concat();
    refuse(inside, "tag 55799 is inside the tag of COSE_Sign1");
    refuse([&[0xd8, 18][..], &parts.array()].concat(), "the head of the envelope is not encoded");
    refuse([&parts.envelope()[..], &[0]].concat(), "unexpected bytes after the document");
    refuse([&parts.envelope()[..], &parts.envelope()].concat(), "unexpected bytes after");
}

#[test]
fn input_that_is_not_an_envelope_is_named() {
    for (content, what) in [
        (RECORD.as_bytes(), "not signed: this is plain JSON"),
        (b"", "not signed: this is an empty file"),
        (b"\xa1\x61a\x01", "not signed: this is a CBOR map"),
        (b"hello", "not signed: this is neither JSON nor CBOR of an envelope"),
        (b"\x80", "not signed: this is another CBOR item"),
        (b"\x85\x40\xa0\xf6\x40\x00", "not signed: this is another CBOR item"),
    ] {
        let answers = answers(content, None);
        assert_refused(&answers, "envelope", what);
        assert!(!answers.is_signed);
        let ok = answers.lines().iter().any(|(_, answer)| answer.is_ok());
        assert!(!ok, "{answers:#?}");
    }
}

#[test]
fn the_algorithm_is_protected_and_supported() {
    Parts::with_protected([content_type(), claims()]).is_refused("names no algorithm");
    Parts::with_protected([alg(-9), content_type(), claims()])
        .is_refused("algorithm -9 is not supported");
    let text = [vec![1], text("EdDSA")].concat();
    Parts::with_protected([text, content_type(), claims()])
        .is_refused("1 (alg): expected int, found text");
    let alg_label = vec![0xa1, 1, 0x27];
    let both = Parts { unprotected: alg_label.clone(), ..Parts::default() };
    both.is_refused("label 1 (alg) is in the protected and the unprotected header");
    let unprotected =
        Parts { unprotected: alg_label, ..Parts::with_protected([content_type(), claims()]) };
    unprotected.is_refused("label 1 (alg) is in the unprotected header");
    let es256 = Parts::with_protected([alg(-7), content_type(), claims()]).envelope();
    assert_refused(&answers(&es256, None), "signature", "the header names ES256");
    let ed25519 = Parts::with_protected([alg(-19), content_type(), claims()]).envelope();
    assert!(answers(&ed25519, None).is_verified());
}

#[test]
fn critical_parameters_have_to_be_supported() {
    let with = |labels: &[u8], more: Vec<u8>| {
        Parts::with_protected(
            [alg(-8), critical(labels), content_type(), claims()]
                .into_iter()
                .chain((!more.is_empty()).then_some(more)),
        )
    };
    with(&[0x81, 0x18, 99], vec![0x18, 99, 0]).is_refused("crit lists 99, which is not understood");
    let text_label = [&[0x81][..], &text("x")].concat();
    with(&text_label, [text("x"), vec![0]].concat()).is_refused("crit lists \"x\", which is not");
    with(&[0x81, 4], vec![]).is_refused("crit lists 4 (kid), which the protected header does not");
    with(&[0x82, 1, 1], vec![]).is_refused("crit lists 1 (alg), which it lists twice");
    with(&[0x80], vec![]).is_refused("2 (crit): expected an array of one or more labels");
    with(&[0x01], vec![]).is_refused("2 (crit): expected an array of one or more labels");
    with(&[0x81, 0xf6], vec![]).is_refused("2 (crit): expected an array of one or more labels");
    with(&[0x81, 0x19, 1, 0x8b], vec![0x19, 1, 0x8b, 1]).is_refused("crit lists 395 (vds)");
    let x5t = [vec![0x18, 34, 0x82, 0x2f], bytes(&[0; 32])].concat();
    with(&[0x81, 0x18, 34], x5t).is_refused("crit lists 34 (x5t), which requires a certificate");
    let understood = with(&[0x83, 1, 3, 15], vec![]).envelope();
    assert!(answers(&understood, None).is_verified());
    let unprotected = Parts { unprotected: vec![0xa1, 2, 0x81, 1], ..Parts::default() };
    unprotected.is_refused("label 2 (crit) is in the unprotected header");
}

#[test]
fn duplicate_labels_are_refused() {
    Parts::with_protected([alg(-8), alg(-8), content_type(), claims()])
        .is_refused("label 1 (alg) of the");
    let nested = [vec![15, 0xa3, 1], text("a"), vec![1], text("b"), vec![2], text("c")].concat();
    Parts::with_protected([alg(-8), content_type(), nested])
        .is_refused("label 1 (/15/1) of the protected header occurs twice in its map");
    let zeros = vec![0x18, 99, 0xa2, 0xf9, 0, 0, 0, 0xf9, 0x80, 0, 0];
    Parts::with_protected([alg(-8), content_type(), claims(), zeros])
        .is_refused("occurs twice in its map");
    for unprotected in [
        vec![0xa2, 0x18, 99, 0, 0x18, 99, 1],
        // The same label in more bytes.
        vec![0xa2, 0x18, 99, 0, 0x19, 0, 99, 1],
        vec![0xa1, 0x18, 99, 0x81, 0xa2, 0x61, b'a', 0, 0x61, b'a', 0],
    ] {
        Parts { unprotected, ..Parts::default() }.is_refused("occurs twice in its map");
    }
    let both = Parts { unprotected: vec![0xa1, 3, 0x18, 50], ..Parts::default() };
    both.is_refused("label 3 (content type) is in the protected and the unprotected");
}

/// Asserts that a protected header is accepted and reported as not deterministic, and is refused
/// with `strict`.
#[track_caller]
fn is_read_unless_strict(parts: &Parts) {
    let envelope = parts.envelope();
    let lenient = answers(&envelope, None);
    assert_eq!(lenient.verdict(), SignatureVerdict::Verified, "{lenient:#?}");
    assert_eq!(lenient.is_deterministic, Some(false));
    assert!(lenient.envelope.detail().contains("deterministic: no"), "{lenient:#?}");
    let key = key();
    let with =
        Verification { key: Some(key.public_key()), strict: true, ..Verification::default() };
    assert_refused(&verify(&envelope, &with), "envelope", "not encoded deterministically");
}

#[test]
fn protected_headers_may_be_encoded_in_any_way() {
    is_read_unless_strict(&Parts::with_protected([content_type(), alg(-8), claims()]));
    let long = vec![0x18, 1, 0x27];
    is_read_unless_strict(&Parts::with_protected([long, content_type(), claims()]));
    let long = [vec![3, 0x78, 16], b"application/json".to_vec()].concat();
    is_read_unless_strict(&Parts::with_protected([alg(-8), long, claims()]));
    for value in [
        &[0x7f, 0x61, b'a', 0xff][..],
        // A single where a half would do, and an integer as a bignum.
        &[0xfa, 0x3f, 0xc0, 0, 0],
        &[0xc2, 0x41, 1],
        &[0xc3, 0x4a, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        let odd = [&[16][..], value].concat();
        is_read_unless_strict(&Parts::with_protected([alg(-8), content_type(), claims(), odd]));
    }
    let sound = Parts::default().envelope();
    let key = key();
    let with =
        Verification { key: Some(key.public_key()), strict: true, ..Verification::default() };
    let sound = verify(&sound, &with);
    assert!(sound.is_verified() && sound.is_deterministic == Some(true), "{sound:#?}");
}

#[test]
fn duplicate_labels_are_found_by_value() {
    let long = vec![0x18, 1, 0x26];
    Parts::with_protected([alg(-8), long, content_type(), claims()])
        .is_refused("occurs twice in its map");
    let chunks = [vec![0x7f], text("x"), vec![0xff]].concat();
    let twice = [text("x"), vec![0], chunks, vec![0]].concat();
    let header = [head(5, 5), alg(-8), content_type(), claims(), twice].concat();
    let signature = key().sign(&Message::new(&header, RECORD.as_bytes())).expect("a signature");
    let (header, payload) = (bytes(&header), bytes(RECORD.as_bytes()));
    let envelope = [&[0xd2, 0x84][..], &header, &[0xa0], &payload, &bytes(&signature)].concat();
    assert_refused(&answers(&envelope, None), "envelope", "occurs twice in its map");
    // A bignum has the same value, but does not name a parameter.
    let bignum = vec![0xc2, 0x41, 1, 0x27];
    Parts::with_protected([alg(-8), content_type(), claims(), bignum.clone()])
        .is_refused("occurs twice");
    Parts::with_protected([content_type(), claims(), bignum]).is_refused("names no algorithm");
}

#[test]
fn a_header_of_indefinite_length_is_verified_as_received() {
    let parts = Parts::default();
    let header = [vec![0xbf], parts.protected.concat(), vec![0xff]].concat();
    let signature = key().sign(&Message::new(&header, RECORD.as_bytes())).expect("a signature");
    let of = |header: &[u8]| {
        let payload = bytes(RECORD.as_bytes());
        [&[0xd2, 0x84][..], &bytes(header), &[0xa0], &payload, &bytes(&signature)].concat()
    };
    let answer = |header: &[u8]| answers(&of(header), None).verdict();
    assert_eq!(answer(&header), SignatureVerdict::Verified);
    assert_eq!(answer(&parts.header()), SignatureVerdict::Failed, "the same header in other bytes");
}

#[test]
fn payloads_are_null_or_one_byte_string() {
    let with = |payload: &[u8]| Parts { payload: payload.to_vec(), ..Parts::default() };
    with(&[0xf7]).is_refused("the payload is undefined");
    with(&[0xf4]).is_refused("the payload: expected bytes or null, found bool false");
    with(&text(RECORD)).is_refused("the payload: expected bytes or null, found text");
    let chunks = [&[0x5f][..], &bytes(RECORD.as_bytes()), &[0xff]].concat();
    with(&chunks).is_refused("the payload is not encoded deterministically");
    let length = u64::try_from(RECORD.len()).expect("not too long");
    let long = [&[0x5b][..], &length.to_be_bytes(), RECORD.as_bytes()].concat();
    with(&long).is_refused("the payload is not encoded deterministically");
}

#[test]
fn envelopes_are_validated() {
    Parts::with_protected([alg(-8), content_type()]).is_refused("not a valid signed-agent-record");
    let no_subject = [vec![15, 0xa1, 1], text("https://example.com")].concat();
    Parts::with_protected([alg(-8), content_type(), no_subject])
        .is_refused("not a valid signed-agent-record");
    let number = [vec![15, 0xa2, 1, 7, 2], text("subject")].concat();
    Parts::with_protected([alg(-8), content_type(), number]).is_refused("claim 1: expected text");
    let kid = [vec![4], text("key")].concat();
    Parts::with_protected([alg(-8), content_type(), kid, claims()])
        .is_refused("4 (kid): expected bytes");
}

#[test]
fn hash_envelopes_have_protected_parameters() {
    let hash = vec![0x19, 1, 2, 0x2f];
    Parts::with_protected([alg(-8), content_type(), claims(), hash.clone()])
        .is_refused("a hash envelope (258) must not have a content type (3)");
    let unprotected = Parts { unprotected: [&[0xa1][..], &hash].concat(), ..Parts::default() };
    unprotected.is_refused("label 258 (payload-hash-alg) is in the unprotected header");
    for (label, name) in
        [(2, "payload-hash-alg"), (3, "preimage-content-type"), (4, "payload-location")]
    {
        let unprotected = [&[0xa1, 0x19, 1, label], &text("x")[..]].concat();
        let parts = Parts { unprotected, ..Parts::default() };
        parts
            .is_refused(&format!("({name}) is in the unprotected header, but has to be protected"));
    }
    let sha1 = vec![0x19, 1, 2, 0x2d];
    Parts::with_protected([alg(-8), claims(), sha1])
        .is_refused("expected SHA-256, SHA-384 or SHA-512");
    // A payload that cannot be a digest.
    let record = Parts::with_protected([alg(-8), claims(), hash]).envelope();
    let answers = answers(&record, Some(RECORD.as_bytes()));
    assert_refused(&answers, "payload hash", "the payload is not a sha-256 digest but");
    // Nor without a record to compare it with; and nothing of it is shown.
    let answers = super::answers(&record, None);
    assert_refused(&answers, "payload hash", "the payload is not a sha-256 digest but");
    assert!(answers.payload_hash.detail().len() < 100, "{answers:#?}");
}

#[test]
fn a_record_given_in_addition_is_compared() {
    let envelope = Parts::default().envelope();
    let same = answers(&envelope, Some(RECORD.as_bytes()));
    assert!(same.is_verified() && same.payload_hash.is_ok(), "{same:#?}");
    assert!(same.payload_hash.detail().starts_with("the payload is the given record"));
    let other = RECORD.replace("red", "tan");
    let other = answers(&envelope, Some(other.as_bytes()));
    assert_refused(&other, "payload hash", "the given record is not the payload");
}

#[test]
fn unknown_content_types_are_reported() {
    for (content_type, words) in [
        (None, "valid, in JSON (guessed from the bytes; no content type)"),
        (Some(text("text/plain")), "(guessed from the bytes; the content type is \"text/plain\")"),
        (Some(vec![0]), "the content type is \"CoAP content format 0\")"),
        (Some(vec![0x18, 50]), "valid, in JSON"),
    ] {
        let content_type = content_type.map(|value| [vec![3], value].concat());
        let parts = Parts::with_protected(
            [Some(alg(-8)), content_type, Some(claims())].into_iter().flatten(),
        );
        let envelope = parts.envelope();
        let answers = answers(&envelope, None);
        assert!(answers.is_verified(), "{answers:#?}");
        assert!(answers.record.detail().ends_with(words), "{:?}", answers.record);
    }
    let cbor = Parts::with_protected([alg(-8), vec![3, 0x18, 60], claims()]).envelope();
    assert_refused(&answers(&cbor, None), "record", "expected a record in CBOR");
}

#[test]
fn unchecked_answers_are_not_failures() {
    let detached = Parts { payload: vec![0xf6], ..Parts::default() }.envelope();
    let answers = answers(&detached, None);
    assert!(!answers.is_verified());
    assert_eq!(answers.signer.word(), "not checked");
    assert_eq!(answers.signer.detail(), "the signature was not checked");
}

#[test]
fn digests_of_all_three_lengths_are_compared() {
    use sha2::{Digest as _, Sha384, Sha512};
    let sha384 = (vec![0x38, 42], Sha384::digest(RECORD).to_vec());
    let sha512 = (vec![0x38, 43], Sha512::digest(RECORD).to_vec());
    for (id, digest) in [sha384, sha512] {
        let hash = [vec![0x19, 1, 2], id].concat();
        let attached = Parts {
            payload: bytes(&digest),
            signed: digest.clone(),
            ..Parts::with_protected([alg(-8), claims(), hash.clone()])
        };
        let detached = Parts {
            payload: vec![0xf6],
            signed: digest,
            ..Parts::with_protected([alg(-8), claims(), hash])
        };
        for parts in [attached, detached] {
            let envelope = parts.envelope();
            let sound = answers(&envelope, Some(RECORD.as_bytes()));
            assert!(sound.is_verified(), "{sound:#?}");
            let signed = sound.facts.as_ref().map(|facts| facts.signed);
            assert_eq!(signed, Some(SignedContent::RecordDigest));
            let other = RECORD.replace("red", "tan");
            assert!(!answers(&parts.envelope(), Some(other.as_bytes())).is_verified());
        }
    }
}

#[test]
fn claims_are_checked_at_the_time() {
    fn verify_at(envelope: &[u8], time: Option<u64>) -> Answers<'_> {
        let key = key();
        let with = Verification { key: Some(key.public_key()), time, ..Verification::default() };
        verify(envelope, &with)
    }
    let timed = |claims: &[u8]| {
        let count = u8::try_from(0xa2 + claims.len() / 2).expect("few");
        let all = [vec![15, count, 1], text("i"), vec![2], text("s"), claims.to_vec()].concat();
        Parts::with_protected([alg(-8), content_type(), all]).envelope()
    };
    let (expires, begins) = (timed(&[4, 20]), timed(&[5, 20]));
    assert!(verify_at(&expires, Some(19)).is_verified());
    assert_refused(&verify_at(&expires, Some(20)), "signer", "the claims have expired");
    assert!(verify_at(&begins, Some(20)).is_verified());
    assert_refused(&verify_at(&begins, Some(19)), "signer", "the claims are not valid yet");
    assert!(verify_at(&expires, None).is_verified(), "the time is unknown");
    let refuse = |claims: &[u8], words| {
        assert_refused(&verify_at(&timed(claims), Some(19)), "envelope", words);
    };
    refuse(&[4, 0xf6], "claim 4: expected a number");
    refuse(&[6, 0xf6], "claim 6: expected a number");
    refuse(&[7, 0xf6], "claim 7: expected bytes");
}

#[test]
fn a_thumbprint_issuer_has_to_match_the_key() {
    let other = vac_sign::SecretKey::ed25519(&[9; 32]).public_key().thumbprint_uri();
    let claims = [vec![15, 0xa2, 1], text(&other), vec![2], text("subject")].concat();
    let envelope = Parts::with_protected([alg(-8), content_type(), claims]).envelope();
    assert_refused(&answers(&envelope, None), "signer", "the thumbprint of another key");
}

#[test]
fn expected_issuers_and_subjects_are_compared_in_full() {
    let long = format!("https://example.com/{}", "a".repeat(300));
    let claims = [vec![15, 0xa2, 1], text(&long), vec![2], text("subject")].concat();
    let envelope = Parts::with_protected([alg(-8), content_type(), claims]).envelope();
    let expect = |issuer: Option<&str>, subject: Option<&str>| {
        let key = key();
        let key = Some(key.public_key());
        let with = Verification { key, issuer, subject, ..Verification::default() };
        verify(&envelope, &with).signer
    };
    assert!(expect(Some(&long), Some("subject")).is_ok());
    for other in ["", "https://example.com/", &long[..long.len() - 1], &format!("{long}a")] {
        assert!(expect(Some(other), None).is_failed(), "{other}");
    }
    let failed = expect(None, Some("Subject"));
    assert_eq!(failed.detail(), r#"the subject is "subject", not "Subject""#);
}

#[test]
fn malformed_trace_metadata_fails_its_answer() {
    for unprotected in [vec![0xa1, 0x18, 100, 0xa0], vec![0xa1, 0x18, 100, 0xf6]] {
        let envelope = Parts { unprotected, ..Parts::default() }.envelope();
        assert_refused(&answers(&envelope, None), "trace metadata", "(rule trace-metadata)");
    }
}

#[test]
fn unknown_unprotected_labels_are_reported() {
    let unprotected = vec![0xa2, 4, 0x41, 1, 0x18, 101, 0];
    let envelope = Parts { unprotected, ..Parts::default() }.envelope();
    let answers = answers(&envelope, None);
    assert!(answers.is_verified());
    let detail = answers.envelope.detail();
    assert!(detail.ends_with("unprotected and ignored: 4 (kid), 101"), "{detail}");
}

#[test]
fn duplicate_keys_in_a_record_fail_its_answer() {
    let record = RECORD.replace(r#""at": 1.5"#, r#""at": 1.5, "\u0061t": 2"#);
    let payload = bytes(record.as_bytes());
    let parts = Parts { payload, signed: record.into_bytes(), ..Parts::default() };
    let envelope = parts.envelope();
    let answers = answers(&envelope, None);
    assert!(answers.signature.is_ok());
    assert_refused(&answers, "record", "/session/entries/1/input/at: duplicate key");
}
