//! Tests that critical key identifiers and thumbprint issuers are compared.

use super::craft::parameter::{alg, claims, content_type, crit, kid, payload_hash};
use super::craft::{array, bytes, envelope, folder, header, signer, text, usual};
use crate::run::Ran;
use vac::signature::{SecretKey, Signer as _};

/// Verifies an envelope with this protected header and a valid signature.
fn verify(parameters: &[Vec<u8>]) -> Ran {
    let folder = folder();
    folder.write("signed", envelope(&header(parameters)));
    folder.vac(&["verify", "signed", "--key", "pub.pem"])
}

#[track_caller]
fn is_refused(ran: &Ran, words: &str) {
    assert!(ran.code == 1 && ran.stdout.contains(words), "{words}: {ran:?}");
}

fn json() -> Vec<u8> {
    content_type("application/json")
}

fn with_issuer(issuer: &str) -> Ran {
    verify(&[alg(), json(), claims(issuer)])
}

#[test]
fn a_critical_kid_has_to_be_the_thumbprint_of_the_key() {
    let other = SecretKey::ed25519(&[9; 32]).public_key().thumbprint();
    let own = signer().public_key().thumbprint();
    let with =
        |id: &[u8]| verify(&[alg(), crit(&[4]), json(), kid(id), claims("https://example.com")]);
    assert_eq!(with(&own).code, 0);
    for id in [&other[..], b"", b"key", &own[..31], &[&own[..], &[0]].concat()] {
        is_refused(&with(id), "crit lists 4 (kid), which is not the SHA-256 thumbprint");
    }
    // An identifier that is not critical is a hint.
    assert_eq!(verify(&[alg(), json(), kid(b"key"), claims("i")]).code, 0);
    assert_eq!(verify(&[alg(), json(), kid(b""), claims("i")]).code, 0);
}

#[test]
fn a_thumbprint_issuer_is_compared_in_any_case() {
    let own = signer().public_key().thumbprint_uri();
    let other = SecretKey::ed25519(&[9; 32]).public_key().thumbprint_uri();
    assert_eq!(with_issuer(&own).code, 0);
    for prefix in ["urn:ietf:", "URN:ietf:", "urn:IETF:", "uRn:iEtF:"] {
        let issuer = |uri: &str| uri.replace("urn:ietf:", prefix);
        assert_eq!(with_issuer(&issuer(&own)).code, 0, "{prefix}");
        is_refused(&with_issuer(&issuer(&other)), "the issuer is the thumbprint of another key");
    }
}

#[test]
fn thumbprint_issuers_with_another_hash_are_refused() {
    let own = signer().public_key().thumbprint_uri();
    for hash in ["sha-1", "sha-384", "sha256", "md5", ""] {
        let issuer = own.replace("sha-256", hash);
        is_refused(&with_issuer(&issuer), &format!("the unsupported hash \"{hash}\""));
    }
    for issuer in [format!("{own}="), format!("{own}A"), own[..own.len() - 1].to_owned()] {
        is_refused(&with_issuer(&issuer), "without a SHA-256 in base64url");
    }
}

#[test]
fn jwk_thumbprint_issuers_are_compared() {
    let uri = |key: &SecretKey| {
        let thumbprint = key.public_key().jwk_thumbprint();
        let value = data_encoding::BASE64URL_NOPAD.encode(&thumbprint);
        format!("urn:ietf:params:oauth:jwk-thumbprint:sha-256:{value}")
    };
    assert_eq!(with_issuer(&uri(&signer())).code, 0);
    let other = uri(&SecretKey::ed25519(&[9; 32]));
    is_refused(&with_issuer(&other), "the issuer is the thumbprint of another key");
}

#[test]
fn critical_parameters_are_supported_or_refused() {
    let claims = || claims("i");
    for (parameters, words) in [
        (vec![alg(), crit(&[4]), json(), claims()], "which the protected header does not have"),
        (vec![alg(), crit(&[9]), json(), vec![9, 0], claims()], "which is not understood"),
        (vec![alg(), crit(&[16]), json(), claims(), vec![16, 0]], "which is not understood"),
        (vec![alg(), crit(&[2]), json(), claims()], "which is not understood"),
        (vec![alg(), crit(&[1, 1]), json(), claims()], "which it lists twice"),
        (vec![alg(), crit(&[]), json(), claims()], "expected an array of one or more"),
        (vec![alg(), crit(&[3]), content_type("text/plain"), claims()], "neither JSON nor CBOR"),
    ] {
        is_refused(&verify(&parameters), words);
    }
    assert_eq!(verify(&[alg(), crit(&[1, 3, 15]), json(), claims()]).code, 0);
}

#[test]
fn parameters_of_the_wrong_type_are_refused() {
    let claims = || claims("i");
    let wrong_kid = |value: Vec<u8>| vec![alg(), json(), [vec![4], value].concat(), claims()];
    is_refused(&verify(&wrong_kid(text("key"))), "4 (kid): expected bytes");
    is_refused(&verify(&wrong_kid(vec![7])), "4 (kid): expected bytes");
    is_refused(&verify(&wrong_kid(vec![0xf6])), "4 (kid): expected bytes");
    // The algorithm of another key, one without integrity, and a text.
    for value in [vec![0x26], vec![0x05], vec![0x00], vec![0x38, 0x22], text("EdDSA")] {
        let ran = verify(&[[vec![1], value].concat(), json(), claims()]);
        assert!(ran.code == 1 && !ran.stdout.contains("signature:      ok"), "{ran:?}");
    }
    // One certificate alone is not in an array, and several are.
    let certificate =
        |value: Vec<u8>| vec![alg(), json(), claims(), [vec![0x18, 33], value].concat()];
    for value in [array(&[]), array(&[bytes(b"x")]), text("x"), array(&[bytes(b"x"), text("y")])] {
        is_refused(&verify(&certificate(value)), "33 (x5chain): expected one certificate");
    }
    is_refused(&verify(&certificate(bytes(b"x"))), "the certificate could not be parsed");
    // A digest of a record that is attached.
    let digest = vec![alg(), claims(), payload_hash()];
    is_refused(&verify(&digest), "the payload is not a sha-256 digest");
    assert_eq!(verify(&usual()).code, 0);
}
