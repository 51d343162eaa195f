//! Receipts of transparency services.
//!
//! A receipt is a `COSE_Sign1` of the service (RFC 9942) which proves that a statement is in the
//! service's log. Its payload is detached: it is the root of a Merkle tree, which is computed
//! from the statement and the proof in the receipt. The entry in the tree is
//! [`Envelope::log_entry`].

use std::fmt;

use vac_value::{Any, Document, Encode, EncodeError, Encoder, Kind, Node, SyntaxError, printable};

use crate::envelope::{Envelope, EnvelopeError};
use crate::header::labelled;
use crate::key::{PublicKey, SignatureError};
use crate::label::{RECEIPTS, VERIFIABLE_DATA_PROOFS};
use crate::merkle::{self, Hash};
use crate::message::Message;
use crate::thumbprint::KeyMismatch;

/// The verifiable data structure `RFC9162_SHA256`.
pub(crate) const RFC9162_SHA256: i128 = 1;
/// The label of inclusion proofs.
pub(crate) const INCLUSION: i128 = -1;
/// The maximum length of a path, which is that in a tree of 2^64 entries.
const MAX_HASHES: usize = 64;
/// The maximum number of proofs in a receipt. Each requires verifying a signature.
pub const MAX_PROOFS: usize = 16;
/// The maximum number of receipts in an envelope.
pub const MAX_RECEIPTS: usize = 64;
/// The maximum size of the receipts in an envelope together, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The fact that a valid receipt proves: the log with this key contains the entry. The index and
/// the size of the tree are not part of it, because they are not signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// The issuer that the log states.
    pub issuer: Option<String>,
    /// The thumbprint of the log's key, as a URI.
    pub key: String,
}

impl fmt::Display for Inclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "included in the log with the key {}", self.key)?;
        match &self.issuer {
            Some(issuer) => write!(f, ", issuer \"{}\"", printable(issuer, 200)),
            None => Ok(()),
        }
    }
}

/// The reason why a receipt is not valid.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceiptError {
    /// The receipt is not a valid envelope.
    Envelope(EnvelopeError),
    /// The receipt has an attached payload, which is not bound to the statement.
    Attached,
    /// The receipt is for an unsupported data structure.
    DataStructure(Option<i128>),
    /// The receipt has no valid inclusion proof.
    Proof(&'static str),
    /// The length of a proof does not fit the index and the tree size that it states.
    Path {
        /// The stated index.
        index: u64,
        /// The stated tree size.
        size: u64,
    },
    /// The signature is not valid for the root that the proof leads to.
    Signature(SignatureError),
    /// The header of the receipt names another key than the one that signed it.
    Key(KeyMismatch),
    /// The claims of the receipt are not valid at the time of verification.
    Time(&'static str),
    /// None of the given keys verifies the receipt.
    NoKey,
}

impl fmt::Display for ReceiptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Envelope(error) => error.fmt(f),
            Self::Attached => f.write_str("it has a payload of its own, bound to no statement"),
            Self::DataStructure(None) => {
                f.write_str("the protected header names no verifiable data structure (395)")
            }
            Self::DataStructure(Some(other)) => write!(
                f,
                "verifiable data structure {other} is not supported (supported: RFC9162_SHA256, 1)"
            ),
            Self::Proof(why) => write!(f, "no inclusion proof: {why}"),
            Self::Path { index, size } => {
                write!(f, "the proof does not fit the index {index} and tree size {size} it states")
            }
            Self::Signature(error) => {
                write!(f, "the log's signature of this statement's inclusion: {error}")
            }
            Self::Key(mismatch) => mismatch.fmt(f),
            Self::Time(why) => f.write_str(why),
            Self::NoKey => f.write_str("no key of a log was given"),
        }
    }
}

impl std::error::Error for ReceiptError {}

impl From<EnvelopeError> for ReceiptError {
    fn from(error: EnvelopeError) -> Self {
        Self::Envelope(error)
    }
}

/// A well-formed receipt.
#[derive(Clone, Debug)]
pub struct ParsedReceipt<'a> {
    envelope: Envelope<'a>,
    proofs: Vec<Proof>,
}

#[derive(Clone, Debug)]
struct Proof {
    size: u64,
    index: u64,
    path: Vec<Hash>,
}

impl<'a> ParsedReceipt<'a> {
    /// Reads a receipt.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ReceiptError> {
        let envelope = Envelope::read_receipt(bytes)?;
        if envelope.payload.is_some() {
            return Err(ReceiptError::Attached);
        }
        if envelope.header.data_structure != Some(RFC9162_SHA256) {
            return Err(ReceiptError::DataStructure(envelope.header.data_structure));
        }
        let proofs = proofs(envelope.unprotected)?;
        Ok(Self { envelope, proofs })
    }

    /// Checks that a log with one of these keys contains an entry. Every proof has to be
    /// valid. If a time, in seconds since 1970, is given, the claims have to be valid then.
    pub fn verify(
        &self,
        entry: &[u8; 32],
        keys: &[PublicKey],
        time: Option<u64>,
    ) -> Result<Inclusion, ReceiptError> {
        let mut failure = ReceiptError::NoKey;
        for key in keys {
            match self.verify_with(entry, key) {
                Ok(()) => return self.inclusion(key, time),
                // Keep the earlier error: that a key is for another algorithm is less useful.
                Err(ReceiptError::Signature(SignatureError::Algorithm { .. }))
                    if failure != ReceiptError::NoKey => {}
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Checks that the log with this key signed the root that each proof leads to.
    fn verify_with(&self, entry: &[u8; 32], key: &PublicKey) -> Result<(), ReceiptError> {
        for Proof { size, index, path } in &self.proofs {
            let (size, index) = (*size, *index);
            let root =
                merkle::root(entry, index, size, path).ok_or(ReceiptError::Path { index, size })?;
            let message = Message::new(self.envelope.protected, &root);
            key.verify(self.envelope.header.algorithm, &message, self.envelope.signature)
                .map_err(ReceiptError::Signature)?;
        }
        Ok(())
    }

    /// Checks the claims of a receipt that a key has verified, and returns the fact that it proves.
    fn inclusion(&self, key: &PublicKey, time: Option<u64>) -> Result<Inclusion, ReceiptError> {
        let header = &self.envelope.header;
        header.check_key(key).map_err(ReceiptError::Key)?;
        match header.claims.time_error(time) {
            Some(why) => Err(ReceiptError::Time(why)),
            None => {
                Ok(Inclusion { issuer: header.claims.issuer.clone(), key: key.thumbprint_uri() })
            }
        }
    }
}

fn proofs(unprotected: &[u8]) -> Result<Vec<Proof>, ReceiptError> {
    let unprotected =
        Document::cbor(unprotected).map_err(|_| ReceiptError::Proof("the header is not a map"))?;
    let proofs = labelled(unprotected.root(), VERIFIABLE_DATA_PROOFS)
        .ok_or(ReceiptError::Proof("the unprotected header has no proofs (396)"))?;
    let list = labelled(proofs, INCLUSION)
        .ok_or(ReceiptError::Proof("the proofs do not include inclusion proofs (-1)"))?;
    if list.kind() != Kind::Array || list.elements().nth(MAX_PROOFS).is_some() {
        return Err(ReceiptError::Proof("expected an array of at most 16 proofs"));
    }
    list.elements()
        .map(|proof| proof.bytes().and_then(|bytes| read_proof(&bytes)))
        .collect::<Option<Vec<_>>>()
        .filter(|proofs| !proofs.is_empty())
        .ok_or(ReceiptError::Proof("expected bytes that contain a size, an index and a path"))
}

fn read_proof(bytes: &[u8]) -> Option<Proof> {
    let document = Document::cbor(bytes).ok()?;
    let mut elements = document.root().elements();
    let (size, index) = (elements.next()?.uint()?, elements.next()?.uint()?);
    let path = elements.next()?;
    if elements.next().is_some() || path.kind() != Kind::Array {
        return None;
    }
    let hash = |node: Node<'_, '_>| Hash::try_from(&*node.bytes()?).ok();
    let path: Vec<Hash> = path.elements().take(MAX_HASHES + 1).map(hash).collect::<Option<_>>()?;
    (path.len() <= MAX_HASHES).then_some(Proof { size, index, path })
}

/// The reason why the receipts in an unprotected header are not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptsError {
    /// Label 394 is not a list of receipts.
    NotReceipts,
    /// There are more than [`MAX_RECEIPTS`] receipts, or they have more than [`MAX_BYTES`]
    /// together.
    TooMany,
}

impl fmt::Display for ReceiptsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReceipts => f.write_str("label 394 is not a list of receipts"),
            Self::TooMany => write!(
                f,
                "too many receipts: at most {MAX_RECEIPTS} with {} MiB together are allowed",
                MAX_BYTES >> 20
            ),
        }
    }
}

impl std::error::Error for ReceiptsError {}

/// Checks the number of receipts and their size together.
fn check_limits(sizes: impl IntoIterator<Item = usize>) -> Result<(), ReceiptsError> {
    let (mut count, mut bytes) = (0_usize, 0_usize);
    for size in sizes {
        count += 1;
        bytes = bytes.saturating_add(size);
        if count > MAX_RECEIPTS || bytes > MAX_BYTES {
            return Err(ReceiptsError::TooMany);
        }
    }
    Ok(())
}

/// Returns the receipts in the unprotected header of an envelope.
pub(crate) fn attached(unprotected: &Document<'_>) -> Result<Vec<Vec<u8>>, ReceiptsError> {
    let Some(list) = labelled(unprotected.root(), RECEIPTS) else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array || list.elements().next().is_none() {
        return Err(ReceiptsError::NotReceipts);
    }
    check_limits(list.elements().map(|node| node.raw().len()))?;
    // RFC 9942 puts receipts into byte strings, the schema does not.
    let receipt = |node: Node<'_, '_>| match node.kind() {
        Kind::Bytes => node.bytes().map(std::borrow::Cow::into_owned),
        Kind::Tag | Kind::Array => Some(node.raw().to_vec()),
        _ => None,
    };
    list.elements().map(receipt).collect::<Option<_>>().ok_or(ReceiptsError::NotReceipts)
}

/// The reason why receipts could not be attached.
#[derive(Clone, Debug, PartialEq)]
pub enum AttachError {
    /// Internal error: the statement's unprotected header cannot be read.
    Unprotected(SyntaxError),
    /// Label 394 of the statement is not a list of receipts, or there would be too many.
    Receipts(ReceiptsError),
    /// Internal error: the unprotected header cannot be written.
    Encode(EncodeError),
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprotected(error) => error.fmt(f),
            Self::Receipts(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AttachError {}

/// Returns the envelope with receipts added after the existing ones, in byte strings
/// (RFC 9942). The protected header, payload and signature do not change.
pub fn attach(envelope: &Envelope<'_>, receipts: &[&[u8]]) -> Result<Vec<u8>, AttachError> {
    let unprotected = Document::cbor(envelope.unprotected).map_err(AttachError::Unprotected)?;
    let map = unprotected.root();
    let before = attached(&unprotected).map_err(AttachError::Receipts)?;
    check_limits(before.iter().map(Vec::len).chain(receipts.iter().map(|it| it.len())))
        .map_err(AttachError::Receipts)?;
    let mut list = Receipts(Vec::new());
    if let Some(before) = labelled(map, RECEIPTS) {
        list.0.extend(before.elements().map(|node| Element::Before(node.carry())));
    }
    list.0.extend(receipts.iter().map(|receipt| Element::New(receipt)));
    envelope.with_parameter(RECEIPTS, &list)
}

struct Receipts<'a>(Vec<Element<'a>>);

enum Element<'a> {
    Before(Any<'a>),
    New(&'a [u8]),
}

impl Encode for Receipts<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        to.array(&self.0)
    }
}

impl Encode for Element<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        match self {
            Self::Before(carried) => carried.encode(to),
            Self::New(receipt) => {
                to.bytes(receipt);
                Ok(())
            }
        }
    }
}
