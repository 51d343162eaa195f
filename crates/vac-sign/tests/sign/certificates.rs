//! Certificates and trust roots.

use vac_sign::sign::{Carriage, Checked, SignError, SignOptions, sign};
use vac_sign::{
    Answers, CertificateError, Chain, Envelope, Message, SecretKey, Signer as _, Trust,
    Verification, verify,
};
use vac_value::Encoding;

use super::{
    RECORD, assert_refused, bytes, fixture, head, key, options, p256_key, signed, signed_by, text,
};

/// Some days after the certificates were made.
const TIME: u64 = 1_795_500_000;

fn chain(name: &str) -> Chain {
    Chain::from_pem(&fixture(&format!("sign/{name}"))).expect("certificates")
}

fn signed_with(key: &SecretKey, certificates: &Chain) -> Vec<u8> {
    let options = SignOptions { certificates: Some(certificates), ..options(Carriage::Attached) };
    signed_by(key, RECORD.as_bytes(), &options)
}

fn verify_with_root<'e>(envelope: &'e [u8], root: &str, time: u64) -> Answers<'e> {
    let trust = Trust { roots: chain(root), time };
    verify(envelope, &Verification { trust: Some(&trust), ..Verification::default() })
}

#[test]
fn a_trusted_certificate_provides_the_key() {
    for (key, certificates, root) in [
        (key(), "signer.chain.pem", "root.cert.pem"),
        (key(), "signer-rsa.cert.pem", "rsa-root.cert.pem"),
        (key(), "signer-alone.cert.pem", "signer-alone.cert.pem"),
        (p256_key(), "signer-p256.cert.pem", "root.cert.pem"),
        // Trusted itself.
        (p256_key(), "signer-p256.cert.pem", "signer-p256.cert.pem"),
    ] {
        let envelope = signed_with(&key, &chain(certificates));
        let answers = verify_with_root(&envelope, root, TIME);
        assert!(answers.is_verified(), "{certificates}: {answers:#?}");
        assert!(answers.signer.detail().contains("certificate trusted"));
        let facts = answers.facts.expect("a signature that holds");
        assert_eq!(facts.key, key.public_key().thumbprint_uri());
    }
}

#[test]
fn untrusted_certificates_are_refused() {
    for (certificates, root, time, words) in [
        ("signer.chain.pem", "other-root.cert.pem", TIME, "does not lead to a trust root"),
        ("signer-one-day.cert.pem", "root.cert.pem", TIME, "it has expired"),
        ("signer-alone.cert.pem", "signer-alone.cert.pem", 0, "it is not valid yet"),
        ("signer.chain.pem", "root.cert.pem", 0, "it is not valid yet"),
        ("signer-server.cert.pem", "root.cert.pem", TIME, "usage is not one for signing"),
        ("signer-alone.cert.pem", "root.cert.pem", TIME, "it belongs to an authority"),
    ] {
        let envelope = signed_with(&key(), &chain(certificates));
        let answers = verify_with_root(&envelope, root, time);
        assert_refused(&answers, "signer", words);
        assert_eq!(answers.signature.word(), "not checked");
    }
    // Without a certificate no key is trusted.
    assert_refused(
        &verify_with_root(&signed(Carriage::Attached), "root.cert.pem", TIME),
        "signer",
        "no certificate",
    );
}

/// A root, and the signer's certificate by it, for a key that receives and does not sign.
const OTHER_USES: [&str; 2] = [
    "\
-----BEGIN CERTIFICATE-----
MIIBcjCCARmgAwIBAgIUXmQtq/tCgNduclKim1wHhpgoAJEwCgYIKoZIzj0EAwIw
JjEkMCIGA1UEAwwbbWFkZS11cCByb290IGZvciBvdGhlciB1c2VzMCAXDTI2MTEx
NjAwMDAwMFoYDzIxMjYxMDIzMDAwMDAwWjAmMSQwIgYDVQQDDBttYWRlLXVwIHJv
b3QgZm9yIG90aGVyIHVzZXMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARIeTUh
QVlrjoh4ci0dZUFZ/zAbcoUnfSHgNu3MZ0DkYe1RlZQWxyD+b1iOE84a5GRgvpgI
BeJqoT66LB7FOxlEoyMwITAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIC
BDAKBggqhkjOPQQDAgNHADBEAiBy2YEkYZ9nNHmc0Fumge2a3H5/DTGhSnFIhAe0
Xx6wEwIgGYIjlzBY9pBcwKbfBoPQWVmYoW4TgSvxkS9GfLemOKE=
-----END CERTIFICATE-----
",
    "\
-----BEGIN CERTIFICATE-----
MIIBNTCB3KADAgECAhQHTJvYMi+ulhDMtDj8mQ+wsMykSTAKBggqhkjOPQQDAjAm
MSQwIgYDVQQDDBttYWRlLXVwIHJvb3QgZm9yIG90aGVyIHVzZXMwIBcNMjYxMTE2
MDAwMDAwWhgPMjEyNjEwMjMwMDAwMDBaMBsxGTAXBgNVBAMMEG1hZGUtdXAgcmVj
ZWl2ZXIwKjAFBgMrZXADIQDAUMVjekT6hin/88zM4jAMs2KmPZnZX8VBRSZvQzJE
WqMgMB4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCAygwCgYIKoZIzj0EAwID
SAAwRQIgQ90g6gTRrdGUx1tNSBRKCM/QVeXDAONFaTTMy3EUzO8CIQCaA7A9ls3H
1/OVTv2BQBuiH4HvEfaRQZwRihbA7SDZag==
-----END CERTIFICATE-----
",
];

#[test]
fn certificates_not_for_signing_are_refused() {
    let [root, receiver] =
        OTHER_USES.map(|pem| Chain::from_pem(pem.as_bytes()).expect("a certificate"));
    let envelope = signed_with(&key(), &receiver);
    let check = |roots: &Chain| {
        let trust = Trust { roots: roots.clone(), time: TIME };
        verify(&envelope, &Verification { trust: Some(&trust), ..Verification::default() })
    };
    assert_refused(&check(&root), "signer", "its key usage is not one for signing");
    // Unless it is trusted itself.
    assert!(check(&receiver).is_verified());
}

#[test]
fn a_given_key_has_to_match_the_certificate() {
    let envelope = signed_with(&key(), &chain("signer.chain.pem"));
    let trust = Trust { roots: chain("root.cert.pem"), time: TIME };
    let (signer, other) = (key(), SecretKey::ed25519(&[9; 32]));
    let with = Verification { trust: Some(&trust), ..Verification::default() };
    let own = Verification { key: Some(signer.public_key()), ..with };
    assert!(verify(&envelope, &own).is_verified());
    let wrong = Verification { key: Some(other.public_key()), ..with };
    let answers = verify(&envelope, &wrong);
    assert_refused(&answers, "signer", "the certificate is for another key");
    assert_refused(&answers, "signature", "not made with this key");
}

#[test]
fn signing_refuses_the_certificate_of_another_key() {
    let record = Checked::new(RECORD.as_bytes(), Encoding::Json).expect("a valid record");
    let chain = chain("signer-p256.cert.pem");
    let options = SignOptions { certificates: Some(&chain), ..options(Carriage::Attached) };
    let error = sign(&record, &options, &key()).map(drop);
    assert_eq!(error, Err(SignError::Certificate(CertificateError::OtherKey)));
}

#[test]
fn certificates_and_their_hash_are_protected() {
    let envelope = signed_with(&key(), &chain("signer.chain.pem"));
    let read = Envelope::read(&envelope).expect("an envelope");
    assert_eq!(read.header.chain.as_ref().map(Vec::len), Some(2));
    assert_eq!(read.header.certificate_hash, chain("signer.chain.pem").hash().ok());
    // Without asking for trust they are the key's, and no more is known.
    let answers = super::answers(&envelope, None);
    assert!(answers.is_verified(), "{answers:#?}");
    assert!(answers.signer.detail().ends_with("certificate not checked: no trust root"));
}

#[test]
fn protected_certificates_match_the_key_without_roots() {
    let first = |name| chain(name).certificates().next().expect("a certificate").to_vec();
    let with = |certificate: &[u8], hash: Option<&[u8]>| {
        let hash = hash.map(|hash| [vec![0x18, 34, 0x82, 0x2f], bytes(hash)].concat());
        let protected = [
            head(5, 3 + usize::from(hash.is_some())),
            vec![1, 0x27],
            [vec![15, 0xa2, 1], text("i"), vec![2], text("s")].concat(),
            [vec![0x18, 33], bytes(certificate)].concat(),
            hash.unwrap_or_default(),
        ]
        .concat();
        build_envelope(&protected, &[0xa0])
    };
    let own = first("signer.chain.pem");
    assert!(super::answers(&with(&own, None), None).is_verified());
    let hash = chain("signer.chain.pem").hash().expect("a hash").value;
    assert!(super::answers(&with(&own, Some(&hash)), None).is_verified());
    for (envelope, words) in [
        (with(&own, Some(&[7; 32])), "not the one that the protected header names"),
        (with(&first("signer-p256.cert.pem"), None), "the certificate is for another key"),
        (with(b"nothing", None), "the certificate could not be parsed"),
    ] {
        assert_refused(&super::answers(&envelope, None), "signer", words);
    }
}

/// Returns an envelope with these protected parameters after the usual ones, and the chain in its
/// unprotected header.
fn with_unprotected_chain(critical: &[u8], hash: Option<Vec<u8>>) -> Vec<u8> {
    let count = 3 + usize::from(!critical.is_empty()) + usize::from(hash.is_some());
    let claims = [vec![15, 0xa2, 1], text("i"), vec![2], text("s")].concat();
    let hash = hash.map(|hash| [vec![0x18, 34, 0x82, 0x2f], bytes(&hash)].concat());
    let protected = [
        head(5, count),
        vec![1, 0x27],
        critical.to_vec(),
        [vec![3], text("application/json")].concat(),
        claims,
        hash.unwrap_or_default(),
    ]
    .concat();
    let mut unprotected = vec![0xa1, 0x18, 33, 0x82];
    for certificate in chain("signer.chain.pem").certificates() {
        unprotected.extend(bytes(certificate));
    }
    build_envelope(&protected, &unprotected)
}

/// Returns an envelope with these headers, signed.
fn build_envelope(protected: &[u8], unprotected: &[u8]) -> Vec<u8> {
    let message = Message::new(protected, RECORD.as_bytes());
    let signature = key().sign(&message).expect("a signature");
    let (protected, payload) = (bytes(protected), bytes(RECORD.as_bytes()));
    [&[0xd2, 0x84][..], &protected, unprotected, &payload, &bytes(&signature)].concat()
}

#[test]
fn unprotected_certificates_need_a_protected_hash() {
    let hash = || chain("signer.chain.pem").hash().expect("a hash").value;
    let named = with_unprotected_chain(&[], Some(hash()));
    let answers = verify_with_root(&named, "root.cert.pem", TIME);
    assert!(answers.is_verified(), "{answers:#?}");
    let without = with_unprotected_chain(&[], None);
    let without = verify_with_root(&without, "root.cert.pem", TIME);
    assert_refused(&without, "signer", "the only certificate is in the unprotected header");
    let other = with_unprotected_chain(&[], Some(vec![7; 32]));
    let other = verify_with_root(&other, "root.cert.pem", TIME);
    assert_refused(&other, "signer", "not the one that the protected header names");
    // Without trust roots the certificate is not checked, unless it is critical.
    assert!(super::answers(&with_unprotected_chain(&[], None), None).is_verified());
    let critical = with_unprotected_chain(&[2, 0x81, 0x18, 34], Some(hash()));
    assert_refused(&super::answers(&critical, None), "envelope", "crit lists the certificate");
    let answers = verify_with_root(&critical, "root.cert.pem", TIME);
    assert!(answers.is_verified(), "{answers:#?}");
}
