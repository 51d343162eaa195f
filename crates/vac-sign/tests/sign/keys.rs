//! Key files: which are accepted, and the errors for the others.

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

/// Bytes in hex, followed by other bytes.
fn der(head: &str, tail: &[u8]) -> Vec<u8> {
    [HEXLOWER.decode(head.as_bytes()).expect("hex"), tail.to_vec()].concat()
}

#[track_caller]
fn is_not_a_secret_key(text: &str, words: &str) {
    let error = SecretKey::from_pem(text).expect_err("not a private key").to_string();
    assert!(error.contains(words), "{words}: {error}");
}

#[track_caller]
fn is_not_a_public_key(text: &str, words: &str) {
    let error = PublicKey::from_pem(text).expect_err("not a public key").to_string();
    assert!(error.contains(words), "{words}: {error}");
}

#[test]
fn text_around_the_key_is_ignored() {
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
fn other_files_are_named() {
    for text in ["", "{\"kty\":\"OKP\"}", "ssh-ed25519 AAAAC3Nz signer", "5151", "-----BEGIN "] {
        is_not_a_secret_key(text, "not PEM: it has no line -----BEGIN PRIVATE KEY-----");
        is_not_a_public_key(text, "not PEM: it has no line -----BEGIN PUBLIC KEY-----");
    }
    for (label, hint) in [
        ("EC PRIVATE KEY", "convert it first"),
        ("EC PARAMETERS", "convert it first"),
        ("RSA PRIVATE KEY", "found RSA PRIVATE KEY"),
    ] {
        // The content is not read if the label is wrong.
        is_not_a_secret_key(&pem(label, b"openssh-key-v1"), hint);
        is_not_a_secret_key(&format!("-----BEGIN {label}-----\nProc-Type: 4,ENCRYPTED\n"), hint);
    }
    let text = key().to_pem().expect("PEM");
    is_not_a_public_key(&text, "use the public key");
    is_not_a_public_key(&pem("OPENSSH PRIVATE KEY", b""), "use the public key (ssh-keygen -y)");
    is_not_a_public_key(&pem("CERTIFICATE", b""), "extract its key");
    is_not_a_secret_key(&pem("OPENSSH PRIVATE KEY", b"openssh-key-v2"), "another format");
    is_not_a_secret_key(&format!("{}{}", *text, *text), "more than one");
    is_not_a_secret_key(text.split("-----END").next().expect("a beginning"), "no line -----END");
    is_not_a_secret_key(&pem("PRIVATE KEY", b"nothing"), "not a key");
}

#[test]
fn unsupported_key_types_are_named() {
    // RSA, X25519, Ed448 and P-384, as far as they are read.
    let rsa = der("3013300d06092a864886f70d01010105000302", &[0, 0]);
    is_not_a_public_key(
        &pem("PUBLIC KEY", &rsa),
        "unsupported key type RSA (1.2.840.113549.1.1.1)",
    );
    let x25519 = der("302a300506032b656e032100", &[9; 32]);
    is_not_a_public_key(&pem("PUBLIC KEY", &x25519), "unsupported key type X25519 (1.3.101.110)");
    let ed448 = der("3047020100300506032b6571043b0439", &[9; 57]);
    is_not_a_secret_key(&pem("PRIVATE KEY", &ed448), "unsupported key type Ed448 (1.3.101.113)");
    let p384 = der("304e020100301006072a8648ce3d020106052b81040022043730350201010430", &[9; 48]);
    is_not_a_secret_key(&pem("PRIVATE KEY", &p384), "unsupported key type P-384 (1.3.132.0.34)");
}

#[test]
fn an_included_public_key_has_to_match() {
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
    is_not_a_secret_key(&with(&public(&SecretKey::ed25519(&[9; 32]))), "not a key");
}

#[test]
fn weak_and_non_canonical_points_are_refused() {
    let with = |point: &[u8; 32]| pem("PUBLIC KEY", &der("302a300506032b6570032100", point));
    // y = 0, 1 and -1, and one of order 8.
    let (zero, mut one, mut minus_one) = ([0; 32], [0; 32], [0xff; 32]);
    one[0] = 1;
    (minus_one[0], minus_one[31]) = (0xec, 0x7f);
    let eight = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";
    let eight = der(eight, &[]).try_into().expect("32 bytes");
    for weak in [zero, one, minus_one, eight] {
        is_not_a_public_key(&with(&weak), "small order");
    }
    // p + 3, where 3 would do.
    let (mut three, mut longer) = ([0; 32], [0xff; 32]);
    three[0] = 3;
    (longer[0], longer[31]) = (0xed + 3, 0x7f);
    assert!(PublicKey::from_pem(&with(&three)).is_ok());
    is_not_a_public_key(&with(&longer), "not in canonical form");
}
