//! Private keys with a password, and keys of OpenSSH. The files in `fixtures/sign/keys` were made by
//! OpenSSL 3.0 and OpenSSH 9.2; their password is `sesame`.

use data_encoding::{BASE64, HEXLOWER};
use vac_sign::{KeyError, PublicKey, SecretKey, Signer as _};

use super::{fixture, key, p256_key};

const PASSWORD: &[u8] = b"sesame";

fn read(name: &str) -> String {
    String::from_utf8(fixture(&format!("sign/keys/{name}"))).expect("text")
}

/// Encrypted keys, and the public keys that they belong to.
const ENCRYPTED: [(&str, &str); 6] = [
    ("pkcs8-pbkdf2.pem", "pkcs8-ed25519.pub.pem"),
    ("pkcs8-pbkdf2-sha512.pem", "pkcs8-ed25519.pub.pem"),
    ("pkcs8-scrypt.pem", "pkcs8-ed25519.pub.pem"),
    ("openssh-aes256-ctr", "openssh-ed25519.pub"),
    ("openssh-aes256-cbc", "openssh-ed25519.pub"),
    ("openssh-p256", "openssh-p256.pub"),
];

#[track_caller]
fn error(text: &str, password: Option<&[u8]>) -> KeyError {
    SecretKey::parse(text, password).expect_err("not a key that can be used")
}

#[test]
fn keys_of_other_tools_are_decrypted() {
    for (private, public) in ENCRYPTED {
        let (private, public) = (read(private), read(public));
        let public = PublicKey::parse(&public).expect("a public key");
        let key = SecretKey::parse(&private, Some(PASSWORD)).expect("a private key");
        assert_eq!(*key.public_key(), public);
        assert_eq!(error(&private, None), KeyError::PasswordRequired);
        for wrong in [&b"Sesame"[..], b"", b"sesame ", b"\0"] {
            assert_eq!(error(&private, Some(wrong)), KeyError::WrongPassword, "{wrong:?}");
        }
    }
}

#[test]
fn password_of_a_key_without_encryption_is_ignored() {
    let text = read("openssh-ed25519");
    let public = PublicKey::parse(&read("openssh-ed25519.pub")).expect("a public key");
    for password in [None, Some(PASSWORD)] {
        let key = SecretKey::parse(&text, password).expect("a private key");
        assert_eq!(*key.public_key(), public);
        let text = key.to_pem().expect("PEM");
        assert_eq!(*SecretKey::parse(&text, password).expect("a key").public_key(), public);
    }
}

#[test]
fn encrypted_keys_are_read_back() {
    for key in [key(), p256_key()] {
        let text = key.to_encrypted_pem(PASSWORD, [1; 16], [2; 16]).expect("PEM");
        assert!(text.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"), "{}", *text);
        let again = SecretKey::parse(&text, Some(PASSWORD)).expect("a key");
        assert_eq!(again.public_key(), key.public_key());
        let plain = (again.to_pem().expect("PEM"), key.to_pem().expect("PEM"));
        assert_eq!(plain.0, plain.1);
        assert_eq!(error(&text, Some(b"other")), KeyError::WrongPassword);
    }
}

#[test]
fn unsupported_encryption_is_named() {
    for (file, words) in [
        ("pkcs8-3des.pem", "3DES"),
        ("pkcs8-sha1.pem", "PBKDF2 with SHA-1"),
        ("pkcs8-pbes1.pem", "not PBES2"),
        ("openssh-aes256-gcm", "cipher aes256-gcm@openssh.com"),
    ] {
        // The error does not ask for a password where none would help.
        let error = error(&read(file), None);
        assert!(matches!(error, KeyError::Encryption(_)), "{file}: {error:?}");
        assert!(error.to_string().contains(words), "{file}: {error}");
    }
    let rsa = error(&read("openssh-rsa"), None).to_string();
    assert_eq!(rsa, "unsupported key type RSA (ssh-rsa); supported: Ed25519, P-256");
    let rsa = PublicKey::parse(&read("openssh-rsa.pub")).expect_err("RSA").to_string();
    assert_eq!(rsa, "unsupported key type RSA (ssh-rsa); supported: Ed25519, P-256");
}

/// Encodes a value in DER.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("short content");
    let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
    [head, content.to_vec()].concat()
}

fn integer(number: u64) -> Vec<u8> {
    let digits = number.to_be_bytes();
    let start = digits.iter().position(|byte| *byte != 0).unwrap_or(7);
    let zero = if digits[start] & 0x80 == 0 { &[][..] } else { &[0] };
    tlv(2, &[zero, &digits[start..]].concat())
}

/// Returns a key in PKCS #8 that is encrypted with these parameters.
fn with_derivation(derivation: &[u8]) -> String {
    let hex = |text: &str| HEXLOWER.decode(text.as_bytes()).expect("hex");
    let aes = [hex("060960864801650304012a"), tlv(4, &[7; 16])].concat();
    let pbes2 =
        [hex("06092a864886f70d01050d"), tlv(0x30, &[derivation, &tlv(0x30, &aes)].concat())];
    let info = [tlv(0x30, &pbes2.concat()), tlv(4, &[9; 64])].concat();
    let text = BASE64.encode(&tlv(0x30, &info));
    let lines: Vec<_> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("base64")).collect();
    let label = "ENCRYPTED PRIVATE KEY";
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

fn scrypt(n: u64, r: u64, p: u64) -> String {
    let oid = HEXLOWER.decode(b"06092b06010401da47040b").expect("hex");
    let options = [tlv(4, &[3; 16]), integer(n), integer(r), integer(p)].concat();
    with_derivation(&tlv(0x30, &[oid, tlv(0x30, &options)].concat()))
}

fn pbkdf2(iterations: u64) -> String {
    let oid = HEXLOWER.decode(b"06092a864886f70d01050c").expect("hex");
    let sha256 = HEXLOWER.decode(b"300c06082a864886f70d02090500").expect("hex");
    let options = [tlv(4, &[3; 16]), integer(iterations), sha256].concat();
    with_derivation(&tlv(0x30, &[oid, tlv(0x30, &options)].concat()))
}

#[test]
fn absurd_costs_are_refused_before_they_are_paid() {
    assert_eq!(error(&scrypt(1 << 14, 8, 1), Some(PASSWORD)), KeyError::WrongPassword);
    assert_eq!(error(&pbkdf2(2048), Some(PASSWORD)), KeyError::WrongPassword);
    for (text, words) in [
        (scrypt(1 << 20, 8, 1), "scrypt with N = 1048576, r = 8, p = 1, where at most 256 MiB"),
        (scrypt(1 << 62, 8, 1), "N = 4611686018427387904"),
        (scrypt(1 << 14, 0xffff, 1), "r = 65535"),
        (scrypt(1 << 14, 8, 0xffff), "p = 65535"),
        (pbkdf2(10_000_001), "10000001 iterations of PBKDF2, where at most 10000000"),
    ] {
        let error = error(&text, None);
        assert!(matches!(error, KeyError::Cost { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    for (n, r, p) in [(0, 8, 1), (3, 8, 1), (1, 8, 1), (1 << 14, 0, 1), (1 << 14, 8, 0)] {
        let error = error(&scrypt(n, r, p), Some(PASSWORD));
        assert!(matches!(error, KeyError::Encryption(_)), "{n}, {r}, {p}: {error:?}");
    }
    assert!(matches!(error(&pbkdf2(u64::MAX), Some(PASSWORD)), KeyError::Der(_)));
}

/// Returns a private key of OpenSSH with its content changed.
fn changed(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let text = read(name);
    let lines: String = text.lines().filter(|line| !line.starts_with('-')).collect();
    let mut content = BASE64.decode(lines.as_bytes()).expect("base64");
    change(&mut content);
    let label = "OPENSSH PRIVATE KEY";
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64.encode(&content))
}

#[test]
fn rounds_of_bcrypt_are_bounded() {
    let with = |rounds: u32| {
        changed("openssh-aes256-ctr", |content| {
            let salt = b"\0\0\0\x18\0\0\0\x10";
            let at = content.windows(8).position(|it| it == salt).expect("the options") + 24;
            assert_eq!(content[at..at + 4], [0, 0, 0, 4]);
            content[at..at + 4].copy_from_slice(&rounds.to_be_bytes());
        })
    };
    assert_eq!(error(&with(5), Some(PASSWORD)), KeyError::WrongPassword);
    for rounds in [2001, u32::MAX] {
        let error = error(&with(rounds), Some(PASSWORD)).to_string();
        let words = format!("{rounds} rounds of bcrypt, where at most 2000 rounds are allowed");
        assert!(error.contains(&words), "{error}");
    }
    assert!(matches!(error(&with(0), Some(PASSWORD)), KeyError::OpenSsh(_)));
}

#[test]
fn damaged_openssh_keys_are_refused() {
    let public = PublicKey::parse(&read("openssh-ed25519.pub")).expect("a public key");
    let mut length = 0;
    changed("openssh-ed25519", |content| length = content.len());
    let mut accepted = 0;
    for at in 0..length {
        let text = changed("openssh-ed25519", |content| content[at] ^= 0x20);
        // The comment and one copy of the public key are not read.
        if let Ok(key) = SecretKey::from_pem(&text) {
            assert_eq!(*key.public_key(), public, "byte {at}");
            accepted += 1;
        }
    }
    assert!(accepted <= 32 + "signer".len(), "{accepted}");
    for cut in 0..200 {
        let text = changed("openssh-aes256-ctr", |content| content.truncate(cut));
        assert!(SecretKey::parse(&text, Some(PASSWORD)).is_err(), "{cut}");
    }
}

#[test]
fn lines_of_public_keys_are_read_strictly() {
    let line = read("openssh-ed25519.pub");
    let key = PublicKey::parse(&line).expect("a key");
    let (start, _comment) = line.rsplit_once(' ').expect("a comment");
    for same in [start.to_owned(), format!("\n{start}  two words \r\n\n")] {
        assert_eq!(PublicKey::parse(&same).as_ref(), Ok(&key));
    }
    for (wrong, words) in [
        (format!("{line}{line}"), "more than one line"),
        ("ssh-ed25519".to_owned(), "no base64"),
        ("ssh-ed25519 AAAA-".to_owned(), "not base64"),
        ("ssh-ed25519 AAAA".to_owned(), "it is cut"),
        (line.replace("ssh-ed25519", "ssh-rsa"), "not the one inside"),
        (
            "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t".to_owned(),
            "of a security key",
        ),
    ] {
        let error = PublicKey::parse(&wrong).expect_err("not a key").to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let weak = [&b"\0\0\0\x0bssh-ed25519\0\0\0\x20"[..], &[0; 32]].concat();
    let weak = PublicKey::parse(&format!("ssh-ed25519 {}", BASE64.encode(&weak)));
    assert_eq!(weak, Err(KeyError::Weak));
}

#[test]
fn p256_keys_are_made_from_random_bytes() {
    let key = SecretKey::p256(&[0x52; 32]).expect("a key");
    assert_eq!(key.public_key(), p256_key().public_key());
    for seed in [[0; 32], [0xff; 32]] {
        assert!(SecretKey::p256(&seed).is_err());
    }
}
