use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity as _;
use ed25519_dalek::{Signature, SigningKey};
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use sha2::{Digest as _, Sha512};

use super::*;

fn both_ways(key: &SigningKey, payload: &[u8], signature: &[u8; 64]) -> (bool, bool) {
    let message = Message::new(b"\xa1\x01\x27", payload);
    let public = PublicKey::Ed25519(key.verifying_key());
    let ours = public.verify(Algorithm::EdDsa, &message, signature).is_ok();
    let theirs = key
        .verifying_key()
        .verify_strict(&message.to_vec(), &Signature::from_bytes(signature))
        .is_ok();
    (ours, theirs)
}

fn sign(key: &SigningKey, payload: &[u8]) -> [u8; 64] {
    let signature: Signature = key.sign(&Message::new(b"\xa1\x01\x27", payload).to_vec());
    signature.to_bytes()
}

#[test]
fn ed25519_is_as_strict_as_verify_strict() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let good = sign(&key, b"payload");
    assert_eq!(both_ways(&key, b"payload", &good), (true, true));
    assert_eq!(both_ways(&key, b"other", &good), (false, false));
    for bit in 0..512 {
        let mut bad = good;
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(both_ways(&key, b"payload", &bad), (false, false), "bit {bit}");
    }
}

#[test]
fn s_beyond_the_order_is_refused() {
    // The order of the group, little-endian.
    let order = {
        let mut bytes = (-Scalar::ONE).to_bytes();
        bytes[0] += 1;
        bytes
    };
    let key = SigningKey::from_bytes(&[7; 32]);
    let mut signature = sign(&key, b"payload");
    let mut carry = 0;
    for (byte, add) in signature[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = u8::try_from(sum & 0xff).unwrap();
        carry = sum >> 8;
    }
    assert_eq!(both_ways(&key, b"payload", &signature), (false, false));
}

#[test]
fn r_of_small_order_is_refused_though_the_equation_holds() {
    let seed = [7; 32];
    let key = SigningKey::from_bytes(&seed);
    let identity = {
        let mut bytes = [0; 32];
        bytes[0] = 1;
        CompressedEdwardsY(bytes)
    };
    assert!(identity.decompress().unwrap().is_identity());
    // s = k a fulfils s B = R + k A for the identity R.
    let hash = Sha512::digest(seed);
    let mut secret: [u8; 32] = hash[..32].try_into().unwrap();
    secret[0] &= 0xf8;
    secret[31] = secret[31] & 0x7f | 0x40;
    let message = Message::new(b"\xa1\x01\x27", b"payload").to_vec();
    let challenge = Sha512::new()
        .chain_update(identity.as_bytes())
        .chain_update(key.verifying_key().as_bytes())
        .chain_update(&message)
        .finalize();
    let challenge = Scalar::from_bytes_mod_order_wide(&challenge.into());
    let s = challenge * Scalar::from_bytes_mod_order(secret);
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(identity.as_bytes());
    signature[32..].copy_from_slice(s.as_bytes());
    let lax = key.verifying_key().verify(&message, &Signature::from_bytes(&signature));
    assert!(lax.is_ok(), "the forgery is a good one");
    assert_eq!(both_ways(&key, b"payload", &signature), (false, false));
}

#[test]
fn keys_of_small_order_are_no_keys() {
    for y in [0u8, 1] {
        let mut point = [0; 32];
        point[0] = y;
        let key = ed25519_dalek::VerifyingKey::from_bytes(&point).unwrap();
        assert_eq!(PublicKey::ed25519(key), Err(KeyError::Weak));
    }
}

#[test]
fn thumbprints_are_those_of_rfc_9679() {
    // The example of its section 6, an EC2 key on P-256.
    let x = "65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d";
    let y = "1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c";
    let point = data_encoding::HEXLOWER.decode(format!("04{x}{y}").as_bytes()).unwrap();
    let key = PublicKey::P256(p256::ecdsa::VerifyingKey::from_sec1_bytes(&point).unwrap());
    assert_eq!(
        data_encoding::HEXLOWER.encode(&key.thumbprint()),
        "496bd8afadf307e5b08c64b0421bf9dc01528a344a43bda88fadd1669da253ec"
    );
    assert_eq!(
        key.thumbprint_uri(),
        "urn:ietf:params:oauth:ckt:sha-256:SWvYr63zB-WwjGSwQhv53AFSijRKQ72oj63RZp2iU-w"
    );
}

#[test]
fn the_algorithm_is_the_keys() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = PublicKey::Ed25519(key.verifying_key());
    let message = Message::new(b"\xa1\x01\x27", b"payload");
    let signature = sign(&key, b"payload");
    assert_eq!(public.verify(Algorithm::Ed25519, &message, &signature), Ok(()));
    let wrong = SignatureError::Algorithm { stated: Algorithm::Es256, key: Algorithm::EdDsa };
    assert_eq!(public.verify(Algorithm::Es256, &message, &signature), Err(wrong));
    let short = public.verify(Algorithm::EdDsa, &message, &signature[..63]);
    assert_eq!(short, Err(SignatureError::Length(63)));
}

#[test]
fn es256_takes_either_sign_of_s_and_raw_signatures_only() {
    let key = p256::ecdsa::SigningKey::from_slice(&[0x52; 32]).unwrap();
    let public = PublicKey::P256(*key.verifying_key());
    let message = Message::new(b"\xa1\x01\x26", b"payload");
    let signature: p256::ecdsa::Signature = key.sign(&message.to_vec());
    let (r, s) = signature.split_scalars();
    let other = p256::ecdsa::Signature::from_scalars(r, -s).unwrap();
    let verify = |bytes: &[u8]| public.verify(Algorithm::Es256, &message, bytes);
    assert_eq!(verify(&signature.to_bytes()), Ok(()));
    assert_eq!(verify(&other.to_bytes()), Ok(()));
    let der = signature.to_der();
    assert_eq!(verify(der.as_bytes()), Err(SignatureError::Length(der.as_bytes().len())));
    let (r, s): ([u8; 32], [u8; 32]) = (r.to_bytes().into(), s.to_bytes().into());
    for (one, two) in [([0; 32], s), (r, [0; 32]), (r, [0xff; 32]), (s, r)] {
        assert_eq!(verify(&[one, two].concat()), Err(SignatureError::Mismatch));
    }
}
