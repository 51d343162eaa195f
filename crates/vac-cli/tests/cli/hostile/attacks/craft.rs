//! Envelopes, receipts and certificates that are made by hand, with sound signatures unless a
//! test changes them afterwards.

use ed25519_dalek::{Signer as _, SigningKey};
use sha2::{Digest as _, Sha256};
use vac::signature::{Message, SecretKey, Signer as _};

use crate::run::Folder;
use crate::sign::timed;

/// Returns a CBOR head in its shortest form.
pub fn head(major: u8, argument: usize) -> Vec<u8> {
    let major = major << 5;
    match (u8::try_from(argument), u16::try_from(argument)) {
        (Ok(small @ 0..24), _) => vec![major | small],
        (Ok(byte), _) => vec![major | 0x18, byte],
        (_, Ok(short)) => [&[major | 0x19][..], &short.to_be_bytes()].concat(),
        _ => {
            let argument = u32::try_from(argument).expect("not too long");
            [&[major | 0x1a][..], &argument.to_be_bytes()].concat()
        }
    }
}

/// Returns a CBOR byte string.
pub fn bytes(content: &[u8]) -> Vec<u8> {
    [head(2, content.len()), content.to_vec()].concat()
}

/// Returns a CBOR text.
pub fn text(content: &str) -> Vec<u8> {
    [head(3, content.len()), content.as_bytes().to_vec()].concat()
}

/// Returns a CBOR array.
pub fn array(elements: &[Vec<u8>]) -> Vec<u8> {
    [head(4, elements.len()), elements.concat()].concat()
}

/// Returns the signer of these tests.
pub fn signer() -> SecretKey {
    SecretKey::ed25519(&[0x51; 32])
}

/// Returns a folder with the record `a.json`, and the signer's public key in `pub.pem`.
pub fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.json", timed());
    folder.write("pub.pem", signer().public_key().to_pem().expect("PEM"));
    folder
}

/// Parameters of a protected header, each a label and a value.
pub mod parameter {
    use super::{bytes, text};

    pub fn alg() -> Vec<u8> {
        vec![1, 0x27]
    }

    pub fn content_type(name: &str) -> Vec<u8> {
        [vec![3], text(name)].concat()
    }

    pub fn kid(kid: &[u8]) -> Vec<u8> {
        [vec![4], bytes(kid)].concat()
    }

    pub fn crit(labels: &[u8]) -> Vec<u8> {
        [&[2, 0x80 | u8::try_from(labels.len()).expect("few")], labels].concat()
    }

    pub fn claims(issuer: &str) -> Vec<u8> {
        [vec![15, 0xa2, 1], text(issuer), vec![2], text("s")].concat()
    }

    pub fn payload_hash() -> Vec<u8> {
        vec![0x19, 1, 2, 0x2f]
    }
}

/// Returns a protected header with these parameters, in this order.
pub fn header(parameters: &[Vec<u8>]) -> Vec<u8> {
    [head(5, parameters.len()), parameters.concat()].concat()
}

/// Returns a usual protected header.
pub fn usual() -> Vec<Vec<u8>> {
    use parameter::{alg, claims, content_type};
    vec![alg(), content_type("application/json"), claims("https://example.com")]
}

/// Returns an envelope around the record `a.json` with this protected header, signed.
pub fn envelope(protected: &[u8]) -> Vec<u8> {
    envelope_with(protected, &[0xa0], timed().as_bytes())
}

/// Returns an envelope with these headers and this payload, signed.
pub fn envelope_with(protected: &[u8], unprotected: &[u8], payload: &[u8]) -> Vec<u8> {
    let signature = signer().sign(&Message::new(protected, payload)).expect("a signature");
    [&[0xd2, 0x84][..], &bytes(protected), unprotected, &bytes(payload), &bytes(&signature)]
        .concat()
}

/// Returns a receipt of a log for the envelope of [`envelope_with`], as the last of three entries.
/// The parameters follow the usual ones of the protected header.
pub fn receipt(
    log: &SecretKey,
    statement: &[u8],
    parameters: &[Vec<u8>],
    proofs: usize,
) -> Vec<u8> {
    let leaf = |entry: &[u8]| Sha256::new().chain_update([0]).chain_update(entry).finalize();
    let node = |left: &[u8], right: &[u8]| {
        Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize()
    };
    let statement = vac::signature::Envelope::read(statement).expect("an envelope");
    let before = node(&leaf(b"one"), &leaf(b"two"));
    let root = node(&before, &leaf(&statement.log_entry()));
    let usual = [parameter::alg(), vec![0x19, 1, 0x8b, 1]];
    let protected = header(&[&usual[..], parameters].concat());
    let proof = [&[0x83, 3, 2, 0x81][..], &bytes(&before)].concat();
    let proofs = array(&vec![bytes(&proof); proofs]);
    let unprotected = [&[0xa1, 0x19, 1, 0x8c, 0xa1, 0x20][..], &proofs].concat();
    let signature = log.sign(&Message::new(&protected, &root)).expect("a signature");
    [&[0xd2, 0x84][..], &bytes(&protected), &unprotected, &[0xf6], &bytes(&signature)].concat()
}

/// Returns an unprotected header with these receipts.
pub fn receipts(receipts: &[Vec<u8>]) -> Vec<u8> {
    let receipts: Vec<_> = receipts.iter().map(|receipt| bytes(receipt)).collect();
    [&[0xa1, 0x19, 1, 0x8a][..], &array(&receipts)].concat()
}

/// A certificate in the making. Its key is Ed25519, from 32 equal bytes.
#[derive(Clone)]
pub struct Certificate {
    pub name: &'static str,
    pub key: u8,
    /// Two digits each of year, month and day.
    pub from: &'static str,
    pub to: &'static str,
    /// Extensions in DER.
    pub extensions: Vec<Vec<u8>>,
}

/// A time at which the usual certificates are valid: 24 November 2026.
pub const TIME: &str = "1795500000";

impl Certificate {
    /// Returns the certificate of an authority.
    pub fn authority(name: &'static str, key: u8) -> Self {
        let extensions = vec![basic_constraints(true, None), key_usage(0x04)];
        Self { name, key, from: "260101", to: "360101", extensions }
    }

    /// Returns the certificate of a signer.
    pub fn signer(name: &'static str, key: u8) -> Self {
        let extensions = vec![basic_constraints(false, None), key_usage(0x80)];
        Self { extensions, ..Self::authority(name, key) }
    }

    /// Returns the certificate with other extensions.
    pub fn with(self, extensions: Vec<Vec<u8>>) -> Self {
        Self { extensions, ..self }
    }

    /// Returns the certificate in PEM, issued by another or by itself.
    pub fn issued_by(&self, issuer: &Self) -> String {
        let algorithm = der(0x30, &[&[0x06, 3, 0x2b, 0x65, 0x70]]);
        let name = |name: &str| {
            let value = der(0x0c, &[name.as_bytes()]);
            let attribute = der(0x30, &[&[0x06, 3, 0x55, 4, 3], &value]);
            der(0x30, &[&der(0x31, &[&attribute])])
        };
        let time = |day: &str| der(0x17, &[format!("{day}000000Z").as_bytes()]);
        let public = SigningKey::from_bytes(&[self.key; 32]).verifying_key();
        let point = der(0x03, &[&[0], public.as_bytes()]);
        let contents = der(
            0x30,
            &[
                &[0xa0, 3, 2, 1, 2],
                &[2, 1, 7],
                &algorithm,
                &name(issuer.name),
                &der(0x30, &[&time(self.from), &time(self.to)]),
                &name(self.name),
                &der(0x30, &[&algorithm, &point]),
                &der(0xa3, &[&der(0x30, &[&self.extensions.concat()])]),
            ],
        );
        let signature = SigningKey::from_bytes(&[issuer.key; 32]).sign(&contents).to_bytes();
        let whole = der(0x30, &[&contents, &algorithm, &der(0x03, &[&[0], &signature])]);
        let text = data_encoding::BASE64.encode(&whole);
        let lines: Vec<_> = text
            .as_bytes()
            .chunks(64)
            .map(|line| std::str::from_utf8(line).expect("base64"))
            .collect();
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----");
        format!("{begin}\n{}\n{end}\n", lines.join("\n"))
    }

    /// Returns a root in PEM.
    pub fn root(&self) -> String {
        self.issued_by(self)
    }
}

fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = match (u8::try_from(content.len()), u16::try_from(content.len())) {
        (Ok(short @ 0..128), _) => vec![short],
        (Ok(long), _) => vec![0x81, long],
        (_, long) => [&[0x82][..], &long.expect("not too long").to_be_bytes()].concat(),
    };
    [&[tag][..], &length, &content].concat()
}

/// Returns an extension of the arc 2.5.29.
pub fn extension(number: u8, is_critical: bool, content: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if is_critical { &[1, 1, 0xff] } else { &[] };
    der(0x30, &[&[0x06, 3, 0x55, 0x1d, number], critical, &der(0x04, &[content])])
}

pub fn basic_constraints(is_authority: bool, path_length: Option<u8>) -> Vec<u8> {
    let authority: &[u8] = if is_authority { &[1, 1, 0xff] } else { &[] };
    let length = path_length.map(|length| vec![2, 1, length]).unwrap_or_default();
    extension(19, true, &der(0x30, &[authority, &length]))
}

/// Returns a key usage with these bits in its first byte.
pub fn key_usage(bits: u8) -> Vec<u8> {
    extension(15, true, &[3, 2, 0, bits])
}

/// Returns an extended key usage with one purpose below 1.3.6.1.5.5.7.3.
pub fn extended_key_usage(purpose: u8) -> Vec<u8> {
    extension(37, false, &der(0x30, &[&[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, purpose]]))
}

/// Returns name constraints that permit one DNS name only.
pub fn permitted_dns_name(name: &str) -> Vec<u8> {
    let subtree = der(0x30, &[&der(0x82, &[name.as_bytes()])]);
    extension(30, true, &der(0x30, &[&der(0xa0, &[&subtree])]))
}

/// Returns a subject alternative name with one DNS name.
pub fn dns_name(name: &str) -> Vec<u8> {
    extension(17, false, &der(0x30, &[&der(0x82, &[name.as_bytes()])]))
}
