//! Receipts: a transparency service says that it has a statement on record.
//!
//! A receipt is a `COSE_Sign1` of the service (RFC 9942). Its payload is not there: it is
//! the root of a Merkle tree, which follows from the statement and the proof that the
//! receipt holds. What the tree has for an entry is [`Envelope::log_entry`].

use std::fmt;

use vac_value::{
    Any, Document, Encode, EncodeError, Encoder, Key, Kind, MapEncoder, Node, SyntaxError,
    printable,
};

use crate::envelope::{Envelope, EnvelopeError};
use crate::header::labelled;
use crate::key::{PublicKey, SignatureError};
use crate::label::{RECEIPTS, VERIFIABLE_DATA_PROOFS};
use crate::merkle::{self, Hash};
use crate::message::Message;

/// The verifiable data structure `RFC9162_SHA256`.
const RFC9162_SHA256: i128 = 1;
/// The label of inclusion proofs.
const INCLUSION: i128 = -1;
/// A tree of 2^64 entries is no deeper.
const MOST_HASHES: usize = 64;
/// More than anybody would attach.
const MOST_PROOFS: usize = 64;
/// More than anybody would attach.
const MOST_RECEIPTS: usize = 1024;

/// What a receipt that holds says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// Who runs the log, as its signature says.
    pub issuer: Option<String>,
    /// The place in the log.
    pub index: u64,
    /// How many entries the log had.
    pub size: u64,
}

impl fmt::Display for Inclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} of {}", self.index, self.size)?;
        match &self.issuer {
            Some(issuer) => write!(f, " in the log of \"{}\"", printable(issuer, 200)),
            None => Ok(()),
        }
    }
}

/// Why a receipt does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceiptError {
    /// It is no envelope to rely on.
    Envelope(EnvelopeError),
    /// It has a payload, which nothing ties to the statement.
    Attached,
    /// It is about another kind of data structure.
    DataStructure(Option<i128>),
    /// It has no inclusion proof, or what stands there is none.
    Proof(&'static str),
    /// A proof does not fit the size of its tree.
    Path {
        /// The place in the log.
        index: u64,
        /// How many entries the log had.
        size: u64,
    },
    /// The signature does not hold for the root that the proof leads to.
    Signature(SignatureError),
    /// Its claims are not valid at this time.
    Time(&'static str),
    /// There is no key to check it with.
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
                "verifiable data structure {other} is not supported; there is RFC9162_SHA256 (1)"
            ),
            Self::Proof(why) => write!(f, "no inclusion proof: {why}"),
            Self::Path { index, size } => {
                write!(f, "the proof cannot be one for entry {index} of a log of {size}")
            }
            Self::Signature(error) => {
                write!(f, "the log's signature of this statement's inclusion: {error}")
            }
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

/// A receipt whose form is right.
#[derive(Clone, Debug)]
pub struct Receipt<'a> {
    envelope: Envelope<'a>,
    proofs: Vec<Proof>,
}

#[derive(Clone, Debug)]
struct Proof {
    size: u64,
    index: u64,
    path: Vec<Hash>,
}

impl<'a> Receipt<'a> {
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

    /// Checks that a log with one of these keys has a statement on record. Every proof
    /// has to hold, and the claims at a time in seconds since 1970, if it is known.
    pub fn verify(
        &self,
        entry: &[u8; 32],
        keys: &[PublicKey],
        time: Option<u64>,
    ) -> Result<Inclusion, ReceiptError> {
        let mut verdict = Err(ReceiptError::NoKey);
        for key in keys {
            match (self.verify_with(entry, key), &verdict) {
                (Ok(inclusion), _) => {
                    let untimely = self.envelope.header.claims.untimely(time);
                    return untimely.map_or(Ok(inclusion), |why| Err(ReceiptError::Time(why)));
                }
                // A key of another kind says less than one that could have been it.
                (Err(ReceiptError::Signature(SignatureError::Algorithm { .. })), Err(before))
                    if *before != ReceiptError::NoKey => {}
                (other, _) => verdict = other,
            }
        }
        verdict
    }

    fn verify_with(&self, entry: &[u8; 32], key: &PublicKey) -> Result<Inclusion, ReceiptError> {
        let header = &self.envelope.header;
        let mut included = Err(ReceiptError::Proof("the list of proofs is empty"));
        for Proof { size, index, path } in &self.proofs {
            let (size, index) = (*size, *index);
            let root =
                merkle::root(entry, index, size, path).ok_or(ReceiptError::Path { index, size })?;
            let message = Message::new(self.envelope.protected, &root);
            key.verify(header.algorithm, &message, self.envelope.signature)
                .map_err(ReceiptError::Signature)?;
            included = Ok(Inclusion { issuer: header.claims.issuer.clone(), index, size });
        }
        included
    }
}

fn proofs(unprotected: &[u8]) -> Result<Vec<Proof>, ReceiptError> {
    let unprotected =
        Document::cbor(unprotected).map_err(|_| ReceiptError::Proof("the header is no map"))?;
    let proofs = labelled(unprotected.root(), VERIFIABLE_DATA_PROOFS)
        .ok_or(ReceiptError::Proof("the unprotected header has no proofs (396)"))?;
    let list = labelled(proofs, INCLUSION)
        .ok_or(ReceiptError::Proof("the proofs are none of inclusion (-1)"))?;
    if list.kind() != Kind::Array || list.elements().nth(MOST_PROOFS).is_some() {
        return Err(ReceiptError::Proof("what stands there is no list of a few"));
    }
    list.elements()
        .map(|proof| proof.bytes().and_then(|bytes| read_proof(&bytes)))
        .collect::<Option<Vec<_>>>()
        .filter(|proofs| !proofs.is_empty())
        .ok_or(ReceiptError::Proof("expected bytes that hold a size, an index and a path"))
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
    let path: Vec<Hash> = path.elements().take(MOST_HASHES + 1).map(hash).collect::<Option<_>>()?;
    (path.len() <= MOST_HASHES).then_some(Proof { size, index, path })
}

/// The receipts in the unprotected header of an envelope, in bytes; `None` if what stands
/// there is no list of receipts.
pub(crate) fn attached(unprotected: &Document<'_>) -> Option<Vec<Vec<u8>>> {
    let Some(list) = labelled(unprotected.root(), RECEIPTS) else { return Some(Vec::new()) };
    let elements: Vec<_> = list.elements().take(MOST_RECEIPTS + 1).collect();
    if list.kind() != Kind::Array || elements.is_empty() || elements.len() > MOST_RECEIPTS {
        return None;
    }
    // In a byte string, as RFC 9942 has them, or directly, as the schema has them.
    let receipt = |node: Node<'_, '_>| match node.kind() {
        Kind::Bytes => node.bytes().map(std::borrow::Cow::into_owned),
        Kind::Tag | Kind::Array => Some(node.raw().to_vec()),
        _ => None,
    };
    elements.into_iter().map(receipt).collect()
}

/// Why receipts could not be attached.
#[derive(Clone, Debug, PartialEq)]
pub enum AttachError {
    /// The statement's unprotected header is no map. Never, once it has been read.
    Unprotected(SyntaxError),
    /// The statement has something else where receipts belong.
    NotReceipts,
    /// Never: CBOR that cannot be written as CBOR.
    Encode(EncodeError),
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprotected(error) => error.fmt(f),
            Self::NotReceipts => f.write_str("label 394 (receipts) holds something else"),
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AttachError {}

/// The envelope with receipts added behind those it has. Its protected header, payload and
/// signature stay as they are; receipts are put in byte strings (RFC 9942).
pub fn attach(envelope: &Envelope<'_>, receipts: &[&[u8]]) -> Result<Vec<u8>, AttachError> {
    let unprotected = Document::cbor(envelope.unprotected).map_err(AttachError::Unprotected)?;
    let map = unprotected.root();
    let mut list = Receipts(Vec::new());
    if attached(&unprotected).is_none() {
        return Err(AttachError::NotReceipts);
    }
    if let Some(before) = labelled(map, RECEIPTS) {
        list.0.extend(before.elements().map(|node| Element::Before(node.carry())));
    }
    list.0.extend(receipts.iter().map(|receipt| Element::New(receipt)));
    let members: Vec<_> = map
        .members()
        .filter(|(label, _)| label.integer() != Some(RECEIPTS))
        .map(|(label, value)| (label.carry(), value.carry()))
        .collect();
    let mut encoder = Encoder::cbor();
    write_header(&members, &list, &mut encoder).map_err(AttachError::Encode)?;
    Ok(envelope.with_unprotected(encoder.written()))
}

fn write_header(
    members: &[(Any<'_>, Any<'_>)],
    receipts: &Receipts<'_>,
    to: &mut Encoder,
) -> Result<(), EncodeError> {
    let mut header = MapEncoder::new(to);
    for (label, value) in members {
        header.extension(Key::Other(label), value)?;
    }
    header.extension(Key::Integer(RECEIPTS), receipts)?;
    header.end()
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
