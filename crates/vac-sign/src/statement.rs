//! Signed statements about a record by its hash, and signed heads of a Merkle tree of statements,
//! as an archive keeps them.
//!
//! Both are [`Sign1`]: a `COSE_Sign1` with an empty unprotected header, a payload of 32 bytes and a
//! signature of 64. A file of them can therefore be divided without a CBOR parser. An application
//! can add one claim with a name of its own ([`sign`]).
//!
//! ```
//! use vac_sign::statement::{Purpose, Sign1, sign};
//! use vac_sign::{SecretKey, Signer};
//!
//! let key = SecretKey::ed25519(&[7; 32]); // use 32 random bytes
//! let purpose = Purpose::Record { content_type: "application/json" };
//! let claim = ("example", &[0x18, 0x2a][..]);
//! let bytes = sign(purpose, "session", Some(1_772_352_000), claim, &[9; 32], &key)?;
//! let (statement, rest) = Sign1::split(&bytes).ok_or("not a statement")?;
//! assert!(rest.is_empty());
//! let read = statement.verify(key.public_key())?;
//! assert_eq!(read.subject.as_deref(), Some("session"));
//! assert_eq!(statement.claim("example").as_deref(), Some(&[0x18, 0x2a][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use coset::cbor::value::Value;
use coset::{CborSerializable as _, HeaderBuilder};
use sha2::{Digest as _, Sha256};
use vac_value::{Document, Node};

use crate::envelope::{Envelope, EnvelopeError};
use crate::header::{Claims, labelled};
use crate::key::{PublicKey, SignatureError};
use crate::label::{
    CWT_CLAIMS, PAYLOAD_HASH_ALG, PREIMAGE_CONTENT_TYPE, VERIFIABLE_DATA_PROOFS,
    VERIFIABLE_DATA_STRUCTURE,
};
use crate::merkle::Hash;
use crate::message::{Message, push_bytes_head};
use crate::receipt::{INCLUSION, RFC9162_SHA256};
use crate::sign::{SHA_256, SignError, claims, cose_algorithm, cose_label, number};
use crate::signer::Signer;
use crate::thumbprint::KeyMismatch;

/// The first bytes of a `COSE_Sign1`: tag 18, and the head of an array of four elements.
const START: [u8; 2] = [0xd2, 0x84];
/// An empty unprotected header, and the head of a payload of 32 bytes.
const PAYLOAD: [u8; 3] = [0xa0, 0x58, 0x20];
/// The head of a signature of 64 bytes.
const SIGNATURE: [u8; 2] = [0x58, 0x40];
/// Maximum size of a protected header, in bytes.
pub const MAX_PROTECTED: usize = u16::MAX as usize;

/// The kind of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'p> {
    /// The SHA-256 of a record (a hash envelope, RFC 9995).
    Record {
        /// The media type of the record.
        content_type: &'p str,
    },
    /// The root of a tree (RFC 9162).
    TreeHead,
}

/// Signs 32 bytes as a statement or a tree head. Does not validate the record whose hash they are.
///
/// # Errors
/// If the claim is not CBOR, the header is longer than [`MAX_PROTECTED`], or the signer fails.
pub fn sign(
    purpose: Purpose<'_>,
    subject: &str,
    time: Option<u64>,
    claim: (&str, &[u8]),
    payload: &Hash,
    signer: &dyn Signer,
) -> Result<Vec<u8>, SignError> {
    let key = signer.public_key();
    let (name, value) = claim;
    let value: Value = coset::cbor::de::from_reader(value)
        .map_err(|error| SignError::Header(error.to_string()))?;
    let mut claims = claims(&key.thumbprint_uri(), subject, time);
    claims.push((Value::Text(name.to_owned()), value));
    let header =
        HeaderBuilder::new().algorithm(cose_algorithm(key)).key_id(key.thumbprint().into());
    let mut header = header.build();
    let mut add = |label: i128, value| header.rest.push((cose_label(label), value));
    add(CWT_CLAIMS, Value::Map(claims));
    match purpose {
        Purpose::Record { content_type } => {
            add(PAYLOAD_HASH_ALG, Value::from(SHA_256));
            add(PREIMAGE_CONTENT_TYPE, Value::Text(content_type.to_owned()));
        }
        Purpose::TreeHead => add(VERIFIABLE_DATA_STRUCTURE, number(RFC9162_SHA256)),
    }
    let protected = header.to_vec()?;
    if protected.len() > MAX_PROTECTED {
        let length = protected.len();
        return Err(SignError::Header(format!("it has {length} bytes, more than {MAX_PROTECTED}")));
    }
    let signature = signer.sign(&Message::new(&protected, payload)).map_err(SignError::Signer)?;
    let mut bytes = START.to_vec();
    push_bytes_head(protected.len(), &mut bytes);
    bytes.extend(protected);
    bytes.extend(PAYLOAD);
    bytes.extend(payload);
    bytes.extend(SIGNATURE);
    bytes.extend(signature);
    Ok(bytes)
}

/// A statement or a tree head. Its signature has not been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign1<'a> {
    /// The complete encoded bytes.
    pub bytes: &'a [u8],
    /// The protected header.
    pub protected: &'a [u8],
    /// The payload.
    pub payload: &'a Hash,
    /// The signature.
    pub signature: &'a [u8; 64],
}

/// The reason why a statement or a tree head is not valid.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementError {
    /// The bytes cannot be read.
    Envelope(EnvelopeError),
    /// The protected header is not encoded deterministically.
    NotDeterministic,
    /// The header is not that of a statement, or not that of a tree head.
    Purpose,
    /// The signature is not valid.
    Signature(SignatureError),
    /// The protected header names another key.
    Key(KeyMismatch),
}

impl std::fmt::Display for StatementError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Envelope(error) => error.fmt(f),
            Self::NotDeterministic => {
                f.write_str("the protected header is not encoded deterministically")
            }
            Self::Purpose => f.write_str("it is neither a statement about a record nor a head"),
            Self::Signature(error) => write!(f, "the signature is not valid: {error}"),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StatementError {}

impl<'a> Sign1<'a> {
    /// Divides bytes into the first statement and the rest; `None` if they do not begin with a
    /// complete one.
    pub fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let rest = bytes.strip_prefix(&START)?;
        let (length, rest) = split_length(rest)?;
        let (protected, rest) = rest.split_at_checked(length)?;
        let (payload, rest) = rest.strip_prefix(&PAYLOAD)?.split_first_chunk()?;
        let (signature, rest) = rest.strip_prefix(&SIGNATURE)?.split_first_chunk()?;
        let bytes = &bytes[..bytes.len() - rest.len()];
        Some((Self { bytes, protected, payload, signature }, rest))
    }

    /// Returns whether bytes are an incomplete statement, as an interrupted write leaves it.
    pub fn is_cut_off(bytes: &[u8]) -> bool {
        let begins = |bytes: &[u8], with: &[u8]| {
            let length = bytes.len().min(with.len());
            bytes[..length] == with[..length]
        };
        let Some(rest) = bytes.strip_prefix(&START) else { return begins(bytes, &START) };
        let Some((length, rest)) = split_length(rest) else { return rest.len() < 3 };
        let Some((_, rest)) = rest.split_at_checked(length) else { return true };
        let Some(rest) = rest.strip_prefix(&PAYLOAD) else { return begins(rest, &PAYLOAD) };
        let Some((_, rest)) = rest.split_at_checked(32) else { return true };
        let Some(rest) = rest.strip_prefix(&SIGNATURE) else { return begins(rest, &SIGNATURE) };
        rest.len() < 64
    }

    /// Returns the entry of the tree for a statement: its SHA-256. It is that of
    /// [`Envelope::log_entry`].
    pub fn entry(&self) -> Hash {
        Sha256::digest(self.bytes).into()
    }

    /// Returns a claim of the application as CBOR.
    pub fn claim(&self, name: &str) -> Option<Vec<u8>> {
        let document = Document::cbor(self.protected).ok()?;
        let claims = labelled(document.root(), CWT_CLAIMS)?;
        let mut members = claims.members();
        let (_, value) = members.find(|(key, _)| key.is_text(name))?;
        Some(value.raw().to_vec())
    }

    /// Returns `true` for a tree head and `false` for a statement about a record; `None` if the
    /// header is that of neither.
    pub fn is_tree_head(&self) -> Option<bool> {
        let document = Document::cbor(self.protected).ok()?;
        let integer = |label| labelled(document.root(), label).and_then(Node::integer);
        match (integer(PAYLOAD_HASH_ALG), integer(VERIFIABLE_DATA_STRUCTURE)) {
            (Some(algorithm), None) if algorithm == i128::from(SHA_256) => Some(false),
            (None, Some(RFC9162_SHA256)) => Some(true),
            _ => None,
        }
    }

    /// Verifies the signature, and returns the claims.
    ///
    /// # Errors
    /// If it cannot be read, or was not signed with this key.
    pub fn verify(&self, key: &PublicKey) -> Result<Claims, StatementError> {
        let is_head = self.is_tree_head().ok_or(StatementError::Purpose)?;
        let read = if is_head { Envelope::read_receipt } else { Envelope::read };
        let envelope = read(self.bytes).map_err(StatementError::Envelope)?;
        if !envelope.is_deterministic {
            return Err(StatementError::NotDeterministic);
        }
        let message = Message::new(self.protected, self.payload);
        key.verify(envelope.header.algorithm, &message, self.signature)
            .map_err(StatementError::Signature)?;
        envelope.header.check_key(key).map_err(StatementError::Key)?;
        Ok(envelope.header.claims)
    }

    /// Creates the receipt (RFC 9942) of a leaf from this tree head, whose tree has `size` leaves.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn receipt(&self, size: u64, index: u64, path: &[Hash]) -> Result<Vec<u8>, SignError> {
        let path = path.iter().map(|hash| Value::Bytes(hash.to_vec())).collect();
        let proof = Value::Array(vec![Value::from(size), Value::from(index), Value::Array(path)]);
        let proof = encode(&proof)?;
        let proofs = Value::Map(vec![(number(INCLUSION), Value::Array(vec![Value::Bytes(proof)]))]);
        let unprotected = Value::Map(vec![(number(VERIFIABLE_DATA_PROOFS), proofs)]);
        let mut bytes = START.to_vec();
        push_bytes_head(self.protected.len(), &mut bytes);
        bytes.extend(self.protected);
        bytes.extend(encode(&unprotected)?);
        bytes.push(0xf6);
        bytes.extend(SIGNATURE);
        bytes.extend(self.signature);
        Ok(bytes)
    }
}

fn encode(value: &Value) -> Result<Vec<u8>, SignError> {
    let mut bytes = Vec::new();
    coset::cbor::ser::into_writer(value, &mut bytes)
        .map_err(|error| SignError::Header(error.to_string()))?;
    Ok(bytes)
}

/// Reads the head of a byte string, which has to be in its shortest form.
fn split_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let (length, rest) = match first {
        0x40..=0x57 => (usize::from(first & 0x1f), rest),
        0x58 => rest.split_first().map(|(length, rest)| (usize::from(*length), rest))?,
        0x59 => rest
            .split_first_chunk()
            .map(|(length, rest)| (usize::from(u16::from_be_bytes(*length)), rest))?,
        _ => return None,
    };
    let mut shortest = Vec::new();
    push_bytes_head(length, &mut shortest);
    bytes.starts_with(&shortest).then_some((length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::{MerkleTree, leaf};
    use crate::receipt::{ParsedReceipt, attach};
    use crate::{SecretKey, Verification, verify};

    const CLAIM: (&str, &[u8]) = ("example", &[0x01]);

    fn statement(number: u8, key: &SecretKey) -> Vec<u8> {
        let purpose = Purpose::Record { content_type: "application/json" };
        let subject = format!("session {number}");
        sign(purpose, &subject, Some(7), CLAIM, &[number; 32], key).unwrap()
    }

    #[test]
    fn statements_are_divided_as_they_were_joined() {
        let key = SecretKey::ed25519(&[7; 32]);
        let all: Vec<_> = (0..5).map(|number| statement(number, &key)).collect();
        let joined = all.concat();
        let mut rest = &joined[..];
        for expected in &all {
            let (one, after) = Sign1::split(rest).unwrap();
            assert_eq!(one.bytes, &expected[..]);
            assert_eq!(one.entry(), Envelope::read(one.bytes).unwrap().log_entry());
            rest = after;
        }
        assert!(rest.is_empty());
        assert!(!Sign1::is_cut_off(&all[0]));
        assert!(!Sign1::is_cut_off(b"garbage") && !Sign1::is_cut_off(&all[0][1..]));
        for end in 0..all[0].len() {
            assert_eq!(Sign1::split(&all[0][..end]), None, "{end} bytes");
            assert!(Sign1::is_cut_off(&all[0][..end]), "{end} bytes");
        }
    }

    #[test]
    fn header_that_no_reader_accepts_is_not_signed() {
        let key = SecretKey::ed25519(&[7; 32]);
        let signed = |length: usize| {
            let purpose = Purpose::Record { content_type: "application/json" };
            sign(purpose, &"x".repeat(length), None, CLAIM, &[1; 32], &key)
        };
        let statement = signed(MAX_PROTECTED - 1000).unwrap();
        let (_, rest) = Sign1::split(&statement).unwrap();
        assert!(rest.is_empty());
        assert!(matches!(signed(MAX_PROTECTED), Err(SignError::Header(_))));
    }

    #[test]
    fn every_changed_bit_of_a_statement_is_found() {
        let key = SecretKey::ed25519(&[7; 32]);
        let bytes = statement(1, &key);
        let claims = Sign1::split(&bytes).unwrap().0.verify(key.public_key()).unwrap();
        assert_eq!(claims.issued_at, Some(7.0));
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let is_valid = Sign1::split(&changed)
                .is_some_and(|(it, rest)| rest.is_empty() && it.verify(key.public_key()).is_ok());
            assert!(!is_valid, "bit {bit}");
        }
        let other = SecretKey::ed25519(&[8; 32]);
        assert!(Sign1::split(&bytes).unwrap().0.verify(other.public_key()).is_err());
    }

    #[test]
    fn head_becomes_the_receipt_of_every_leaf() {
        let key = SecretKey::ed25519(&[7; 32]);
        let all: Vec<_> = (0..6).map(|number| statement(number, &key)).collect();
        let entries: Vec<_> =
            all.iter().map(|bytes| Sign1::split(bytes).unwrap().0.entry()).collect();
        let leaves: Vec<_> = entries.iter().map(|entry| leaf(entry)).collect();
        let tree = MerkleTree::new(leaves);
        let head = sign(Purpose::TreeHead, "a", None, CLAIM, &tree.root(), &key).unwrap();
        let (head, _) = Sign1::split(&head).unwrap();
        assert_eq!(head.is_tree_head(), Some(true));
        head.verify(key.public_key()).unwrap();
        let keys = [key.public_key().clone()];
        for (number, entry) in entries.iter().enumerate() {
            let path = tree.inclusion_path(number).unwrap();
            let receipt = head.receipt(6, number as u64, &path).unwrap();
            let parsed = ParsedReceipt::read(&receipt).unwrap();
            parsed.verify(entry, &keys, None).unwrap();
            assert!(parsed.verify(&entries[(number + 1) % 6], &keys, None).is_err());
            let envelope = Envelope::read(&all[number]).unwrap();
            let transparent = attach(&envelope, &[&receipt]).unwrap();
            let with =
                Verification { key: Some(key.public_key()), receipt_keys: &keys, ..<_>::default() };
            let answers = verify(&transparent, &with);
            assert_eq!(answers.receipts.word(), "ok", "{answers:?}");
        }
    }
}
