//! A `COSE_Sign1` envelope, read strictly.

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest as _, Sha256};
use vac_validate::{Violations, rules, validate_document};
use vac_value::{Document, Kind, Node, SyntaxError, found, path};

use crate::header::{Header, Labels, label_text, labelled};
use crate::label::{ALG, CRIT, PAYLOAD_HASH_ALG, PAYLOAD_LOCATION, PREIMAGE_CONTENT_TYPE, shown};

/// The tag of a signature by one signer.
const COSE_SIGN1: u64 = 18;

/// An envelope whose form is right. Nothing is said about its signature.
#[derive(Clone, Debug)]
pub struct Envelope<'a> {
    /// The protected header's bytes, which the signature covers.
    pub protected: &'a [u8],
    /// What they say.
    pub header: Header,
    /// The unprotected header: a map in CBOR. Anybody may have changed it.
    pub unprotected: &'a [u8],
    /// The payload, unless it is detached.
    pub payload: Option<&'a [u8]>,
    /// The signature.
    pub signature: &'a [u8],
    /// Whether the protected header is encoded deterministically (RFC 8949 section 4.2.1).
    /// RFC 9052 does not require it: the signature is over the bytes as they are.
    pub is_deterministic: bool,
    /// The four of them as they stand in the envelope.
    items: [&'a [u8]; 4],
}

/// Why bytes are no envelope to rely on.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvelopeError {
    /// Something else altogether.
    NotSigned(&'static str),
    /// Not CBOR, or more than one item.
    Syntax(SyntaxError),
    /// An array of four without a tag.
    Untagged,
    /// A tag around the tag.
    DoubleTagged(u64),
    /// A tag inside the tag.
    TagInside(u64),
    /// Another tag.
    OtherTag(u64),
    /// Not four elements of the right kinds.
    Shape {
        /// Which element, or the whole.
        what: &'static str,
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The payload is `undefined`, which is not `null`.
    UndefinedPayload,
    /// A part that has to be written in one way only is written in another.
    NotDeterministic(&'static str),
    /// A label that its map has had before.
    DuplicateLabel(String),
    /// The protected header is not CBOR.
    Protected(SyntaxError),
    /// A label that both headers have.
    InBothHeaders(String),
    /// A parameter that only the protected header may have.
    NotProtected(String),
    /// The protected header names no algorithm.
    NoAlgorithm,
    /// It names one that is not supported.
    UnsupportedAlgorithm(i128),
    /// A parameter of the protected header that is something else than it should be.
    Parameter {
        /// Which.
        label: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A critical parameter.
    Critical {
        /// Which.
        label: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A hash envelope with a content type besides that of what was hashed.
    HashEnvelopeContentType,
    /// Not what the schema wants.
    Schema(Box<Violations>),
}

impl EnvelopeError {
    /// The error, in the claims of the header.
    pub(crate) fn in_claims(self) -> Self {
        match self {
            Self::Parameter { label, expected, found } => {
                let label = label.split(' ').next().unwrap_or_default();
                Self::Parameter { label: format!("claim {label}"), expected, found }
            }
            other => other,
        }
    }
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSigned(what) => write!(f, "not signed: this is {what}"),
            Self::Syntax(error) => write!(f, "not one item of CBOR: {error}"),
            Self::Untagged => f.write_str("the tag of COSE_Sign1 (18) is missing"),
            Self::DoubleTagged(tag) => {
                write!(f, "tag {tag} stands around the tag of COSE_Sign1 (18)")
            }
            Self::TagInside(tag) => {
                write!(f, "tag {tag} stands inside the tag of COSE_Sign1 (18)")
            }
            Self::OtherTag(tag) => write!(f, "tag {tag} instead of COSE_Sign1's (18)"),
            Self::Shape { what, expected, found } => {
                write!(f, "{what}: expected {expected}, found {found}")
            }
            Self::UndefinedPayload => {
                f.write_str("the payload is undefined, which is neither bytes nor null")
            }
            Self::NotDeterministic(what) => write!(f, "{what} is not encoded deterministically"),
            Self::DuplicateLabel(place) => write!(f, "{place} stands twice in its map"),
            Self::Protected(error) => write!(f, "the protected header is not CBOR: {error}"),
            Self::InBothHeaders(label) => {
                write!(f, "label {label} stands in the protected and the unprotected header")
            }
            Self::NotProtected(label) => {
                write!(f, "label {label} stands in the unprotected header, where it means nothing")
            }
            Self::NoAlgorithm => f.write_str("the protected header names no algorithm (label 1)"),
            Self::UnsupportedAlgorithm(id) => write!(
                f,
                "algorithm {id} is not supported; there are EdDSA (-8), Ed25519 (-19), ES256 (-7)"
            ),
            Self::Parameter { label, expected, found } => {
                write!(f, "protected header, {label}: expected {expected}, found {found}")
            }
            Self::Critical { label, why } => write!(f, "crit lists {label}, {why}"),
            Self::HashEnvelopeContentType => {
                f.write_str("a hash envelope (258) must not have a content type (3) beside 259")
            }
            Self::Schema(violations) => {
                write!(f, "not a signed-agent-record: {}", violations.summary())
            }
        }
    }
}

impl std::error::Error for EnvelopeError {}

impl<'a> Envelope<'a> {
    /// Reads a signed record.
    pub fn read(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        let document = scan(bytes)?;
        let envelope = Self::of(&document, Role::Record)?;
        validate_document(&document, rules::SIGNED_AGENT_RECORD, 1)
            .map_err(|violations| EnvelopeError::Schema(Box::new(violations)))?;
        Ok(envelope)
    }

    /// Reads a receipt.
    pub fn read_receipt(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        Self::of(&scan(bytes)?, Role::Receipt)
    }

    fn of(document: &Document<'a>, role: Role) -> Result<Self, EnvelopeError> {
        let [protected, unprotected, payload, signature] = parts(document)?;
        if let Some(label) = twice(document, 2) {
            return Err(EnvelopeError::DuplicateLabel(label));
        }
        let protected_bytes = string(protected, "the protected header")?;
        let header = protected_header(protected_bytes)?;
        if let Some(label) = twice(&header, 1) {
            let place = format!("{label} of the protected header");
            return Err(EnvelopeError::DuplicateLabel(place));
        }
        check_buckets(header.root(), unprotected)?;
        let read = Header::read(&header, unprotected, role)?;
        Ok(Self {
            protected: protected_bytes,
            header: read,
            unprotected: unprotected.raw(),
            payload: match payload.kind() {
                Kind::Null => None,
                _ => Some(string(payload, "the payload")?),
            },
            signature: string(signature, "the signature")?,
            is_deterministic: header.is_tidy(),
            items: [protected, unprotected, payload, signature].map(Node::raw),
        })
    }

    /// What a transparency service has on record for it: the SHA-256 of the envelope
    /// with an empty unprotected header.
    pub fn log_entry(&self) -> [u8; 32] {
        let [protected, _, payload, signature] = self.items;
        let mut hash = Sha256::new();
        for part in [&[0xd2, 0x84], protected, &[0xa0], payload, signature] {
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// The same envelope with another unprotected header.
    pub fn with_unprotected(&self, unprotected: &[u8]) -> Vec<u8> {
        let [protected, _, payload, signature] = self.items;
        [&[0xd2, 0x84], protected, unprotected, payload, signature].concat()
    }
}

/// What an envelope is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Record,
    Receipt,
}

fn scan(bytes: &[u8]) -> Result<Document<'_>, EnvelopeError> {
    // A tag, or the array that should be in one.
    let may_be_one = |byte: &u8| matches!(byte >> 5, 4 | 6) && !byte.is_ascii();
    match bytes.first() {
        None => return Err(EnvelopeError::NotSigned("an empty file")),
        Some(0xa0..=0xbf) => return Err(EnvelopeError::NotSigned("a map in CBOR, no envelope")),
        Some(first) if may_be_one(first) => {}
        Some(_) if Document::json(bytes).is_ok() => {
            return Err(EnvelopeError::NotSigned("plain JSON"));
        }
        Some(_) => return Err(EnvelopeError::NotSigned("no envelope in CBOR")),
    }
    Document::cbor(bytes).map_err(EnvelopeError::Syntax)
}

/// The four elements, of the right kinds.
fn parts<'d, 'a>(document: &'d Document<'a>) -> Result<[Node<'d, 'a>; 4], EnvelopeError> {
    let root = document.root();
    let content = match root.tag() {
        None if elements(root).is_some() => return Err(EnvelopeError::Untagged),
        None => return Err(EnvelopeError::NotSigned("CBOR of another kind")),
        Some((COSE_SIGN1, content)) => content,
        Some((tag, content)) => {
            return Err(match content.tag() {
                Some((COSE_SIGN1, _)) => EnvelopeError::DoubleTagged(tag),
                _ => EnvelopeError::OtherTag(tag),
            });
        }
    };
    match content.tag() {
        Some((COSE_SIGN1, _)) => return Err(EnvelopeError::DoubleTagged(COSE_SIGN1)),
        Some((tag, _)) => return Err(EnvelopeError::TagInside(tag)),
        None => {}
    }
    let shape = |what, expected, node| EnvelopeError::Shape { what, expected, found: found(node) };
    let parts = elements(content).ok_or_else(|| shape("the envelope", "an array of 4", content))?;
    let [protected, unprotected, payload, signature] = parts;
    if payload.kind() == Kind::Undefined {
        return Err(EnvelopeError::UndefinedPayload);
    }
    for (node, kinds, what, expected) in [
        (protected, &[Kind::Bytes][..], "the protected header", "bytes"),
        (unprotected, &[Kind::Map], "the unprotected header", "a map"),
        (payload, &[Kind::Bytes, Kind::Null], "the payload", "bytes or null"),
        (signature, &[Kind::Bytes], "the signature", "bytes"),
    ] {
        if !kinds.contains(&node.kind()) {
            return Err(shape(what, expected, node));
        }
    }
    if root.raw().first_chunk() != Some(&[0xd2, 0x84]) {
        return Err(EnvelopeError::NotDeterministic("the head of the envelope"));
    }
    Ok(parts)
}

fn elements<'d, 'a>(node: Node<'d, 'a>) -> Option<[Node<'d, 'a>; 4]> {
    let mut elements = node.elements();
    let parts = [elements.next()?, elements.next()?, elements.next()?, elements.next()?];
    elements.next().is_none().then_some(parts)
}

/// The first label that its map has had before, and where it is unless it is a parameter
/// of the header, which is so many steps from the root.
fn twice(document: &Document<'_>, parameter: usize) -> Option<String> {
    let key = document.duplicate_keys().next()?;
    let value = document.node(key.after());
    if path::steps(value).len() == parameter {
        return Some(format!("label {}", label_text(key)));
    }
    // Numbers further down are no parameters.
    let label = key.integer().map_or_else(|| label_text(key), |number| number.to_string());
    Some(format!("label {label} ({})", path::pointer(value)))
}

/// The content of a byte string in its only deterministic form.
fn string<'a>(node: Node<'_, 'a>, what: &'static str) -> Result<&'a [u8], EnvelopeError> {
    let Some(Cow::Borrowed(content)) = node.bytes() else {
        return Err(EnvelopeError::NotDeterministic(what));
    };
    let mut head = Vec::new();
    crate::message::push_bytes_head(content.len(), &mut head);
    if node.raw().starts_with(&head) && node.raw().len() == head.len() + content.len() {
        Ok(content)
    } else {
        Err(EnvelopeError::NotDeterministic(what))
    }
}

fn protected_header(bytes: &[u8]) -> Result<Document<'_>, EnvelopeError> {
    // No bytes stand for an empty map (RFC 9052 section 3).
    let bytes = if bytes.is_empty() { &[0xa0] } else { bytes };
    let header = Document::cbor(bytes).map_err(EnvelopeError::Protected)?;
    match header.root().kind() {
        Kind::Map => Ok(header),
        _ => Err(EnvelopeError::Shape {
            what: "the protected header",
            expected: "a map",
            found: found(header.root()),
        }),
    }
}

/// Nothing in both headers, and nothing where it would not be protected.
fn check_buckets(protected: Node<'_, '_>, unprotected: Node<'_, '_>) -> Result<(), EnvelopeError> {
    const PROTECTED_ONLY: [i128; 5] =
        [ALG, CRIT, PAYLOAD_HASH_ALG, PREIMAGE_CONTENT_TYPE, PAYLOAD_LOCATION];
    let labels = Labels::of(protected);
    for (label, _) in unprotected.members() {
        if labels.contains(label) {
            return Err(EnvelopeError::InBothHeaders(label_text(label)));
        }
    }
    match PROTECTED_ONLY.into_iter().find(|label| labelled(unprotected, *label).is_some()) {
        Some(label) => Err(EnvelopeError::NotProtected(shown(label))),
        None => Ok(()),
    }
}
