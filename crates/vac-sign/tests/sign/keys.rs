//! Files of keys: which are taken, and what is said of those that are not.

use data_encoding::{BASE64, HEXLOWER};
use vac_sign::{PublicKey, SecretKey, Signer as _};

use super::{key, p256_key};

/// Bytes in PEM.
fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64.encode(der);
    let lines: Vec<_> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("base64")).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Hex, and bytes behind it.
fn der(head: &str, tail: &[u8]) -> Vec<u8> {
    [HEXLOWER.decode(head.as_bytes()).expect("hex"), tail.to_vec()].concat()
}

#[track_caller]
fn is_no_secret(text: &str, words: &str) {
    let error = SecretKey::from_pem(text).expect_err("no private key").to_string();
    assert!(error.contains(words), "{words}: {error}");
}

#[track_caller]
fn is_no_public(text: &str, words: &str) {
    let error = PublicKey::from_pem(text).expect_err("no public key").to_string();
    assert!(error.contains(words), "{words}: {error}");
}

#[test]
fn what_stands_around_the_key_does_not_count() {
    for key in [key(), p256_key()] {
        let text = key.to_pem().expect("PEM");
        for around in [
            text.trim_end().to_owned(),
            text.replace('\n', "\r\n"),
            format!("{}\n\n  \n", *text),
            format!("Attributes\n    friendlyName: signer\n{}", *text),
            format!("\u{feff}{}", *text),
        ] {
            let again = SecretKey::from_pem(&around).expect("a key");
            assert_eq!(again.public_key(), key.public_key(), "{around:?}");
        }
    }
}

#[test]
fn what_is_no_key_says_what_it_is() {
    for text in ["", "{\"kty\":\"OKP\"}", "ssh-ed25519 AAAAC3Nz signer", "5151", "-----BEGIN "] {
        is_no_secret(text, "not PEM: it has no line -----BEGIN PRIVATE KEY-----");
        is_no_public(text, "not PEM: it has no line -----BEGIN PUBLIC KEY-----");
    }
    for (label, hint) in [
        ("ENCRYPTED PRIVATE KEY", "decrypt it first"),
        ("EC PRIVATE KEY", "convert it first"),
        ("EC PARAMETERS", "convert it first"),
        ("OPENSSH PRIVATE KEY", "found one of a OPENSSH PRIVATE KEY"),
        ("RSA PRIVATE KEY", "found one of a RSA PRIVATE KEY"),
    ] {
        // The label says enough: what it holds need not be read.
        is_no_secret(&pem(label, b"openssh-key-v1"), hint);
        is_no_secret(&format!("-----BEGIN {label}-----\nProc-Type: 4,ENCRYPTED\n"), hint);
    }
    let text = key().to_pem().expect("PEM");
    is_no_public(&text, "take the public one");
    is_no_public(&pem("CERTIFICATE", b""), "take its key");
    is_no_secret(&format!("{}{}", *text, *text), "more than one");
    is_no_secret(text.split("-----END").next().expect("a beginning"), "no line -----END");
    is_no_secret(&pem("PRIVATE KEY", b"nothing"), "not a key");
}

#[test]
fn keys_of_other_kinds_are_named() {
    // RSA, X25519, Ed448 and P-384, as far as anybody reads them.
    let rsa = der("3013300d06092a864886f70d01010105000302", &[0, 0]);
    is_no_public(&pem("PUBLIC KEY", &rsa), "a key of RSA (1.2.840.113549.1.1.1)");
    let x25519 = der("302a300506032b656e032100", &[9; 32]);
    is_no_public(&pem("PUBLIC KEY", &x25519), "a key of X25519 (1.3.101.110)");
    let ed448 = der("3047020100300506032b6571043b0439", &[9; 57]);
    is_no_secret(&pem("PRIVATE KEY", &ed448), "a key of Ed448 (1.3.101.113)");
    let p384 = der("304e020100301006072a8648ce3d020106052b81040022043730350201010430", &[9; 48]);
    is_no_secret(&pem("PRIVATE KEY", &p384), "a key of P-384 (1.3.132.0.34)");
}

#[test]
fn a_public_key_beside_a_private_one_is_its_own() {
    // PKCS #8, version 2.
    let with = |public: &[u8]| {
        let mut der = der("3051020101300506032b657004220420", &[0x51; 32]);
        der.extend([0x81, 0x21, 0]);
        der.extend(public);
        pem("PRIVATE KEY", &der)
    };
    let public = |key: &SecretKey| match key.public_key() {
        PublicKey::Ed25519(point) => point.to_bytes(),
        PublicKey::P256(_) => panic!("an Ed25519 key"),
    };
    let own = SecretKey::from_pem(&with(&public(&key()))).expect("a key");
    assert_eq!(own.public_key(), key().public_key());
    is_no_secret(&with(&public(&SecretKey::ed25519(&[9; 32]))), "not a key");
}

#[test]
fn points_that_are_weak_or_not_in_their_only_form_are_no_keys() {
    let with = |point: &[u8; 32]| pem("PUBLIC KEY", &der("302a300506032b6570032100", point));
    // y = 0, 1 and -1, and one of order 8.
    let (zero, mut one, mut minus_one) = ([0; 32], [0; 32], [0xff; 32]);
    one[0] = 1;
    (minus_one[0], minus_one[31]) = (0xec, 0x7f);
    let eight = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";
    let eight = der(eight, &[]).try_into().expect("32 bytes");
    for weak in [zero, one, minus_one, eight] {
        is_no_public(&with(&weak), "small order");
    }
    // p + 3, where 3 would do.
    let (mut three, mut longer) = ([0; 32], [0xff; 32]);
    three[0] = 3;
    (longer[0], longer[31]) = (0xed + 3, 0x7f);
    assert!(PublicKey::from_pem(&with(&three)).is_ok());
    is_no_public(&with(&longer), "not in its only form");
}
