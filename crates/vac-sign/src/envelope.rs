//! A `COSE_Sign1` envelope, read strictly.

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest as _, Sha256};
use vac_validate::{Violations, rules, validate_document};
use vac_value::{Document, Encode, Encoder, Key, Kind, MapEncoder, Node, SyntaxError, found, path};

use crate::header::{Header, Labels, label_text, labelled};
use crate::label::{
    ALG, CRIT, PAYLOAD_HASH_ALG, PAYLOAD_LOCATION, PREIMAGE_CONTENT_TYPE, TIME_STAMP_THEN_COSE,
    format_label,
};
use crate::receipt::AttachError;

/// The tag of a signature by one signer.
const COSE_SIGN1: u64 = 18;

/// A well-formed envelope. Its signature has not been checked.
#[derive(Clone, Debug)]
pub struct Envelope<'a> {
    /// The protected header's bytes, which the signature covers.
    pub protected: &'a [u8],
    /// The parsed protected header.
    pub header: Header,
    /// The unprotected header: a map in CBOR. No signature covers it.
    pub unprotected: &'a [u8],
    /// The payload, unless it is detached.
    pub payload: Option<&'a [u8]>,
    /// The signature.
    pub signature: &'a [u8],
    /// Whether the protected header is encoded deterministically (RFC 8949 section 4.2.1).
    /// RFC 9052 does not require it: the signature covers the bytes as received.
    pub is_deterministic: bool,
    /// The encoded elements: protected header, unprotected header, payload, signature.
    items: [&'a [u8]; 4],
}

/// The reason why bytes are not an acceptable envelope.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvelopeError {
    /// The bytes are not an envelope.
    NotSigned(&'static str),
    /// The bytes are not CBOR, or more than one item.
    Syntax(SyntaxError),
    /// An array of four elements without a tag.
    Untagged,
    /// The tag of a `COSE_Sign1` inside another tag.
    DoubleTagged(u64),
    /// Another tag inside the tag of a `COSE_Sign1`.
    TagInside(u64),
    /// Another tag in place of that of a `COSE_Sign1`.
    OtherTag(u64),
    /// The envelope does not have four elements of the right kinds.
    Shape {
        /// The element, or the whole envelope.
        what: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The type that was found.
        found: String,
    },
    /// The payload is `undefined` instead of `null`.
    UndefinedPayload,
    /// A part that has to be encoded deterministically is not.
    NotDeterministic(&'static str),
    /// A duplicate label.
    DuplicateLabel(String),
    /// The protected header is not CBOR.
    Protected(SyntaxError),
    /// A label that both headers have.
    InBothHeaders(String),
    /// A parameter that only the protected header may have.
    NotProtected(String),
    /// The protected header names no algorithm.
    NoAlgorithm,
    /// The protected header names an unsupported algorithm.
    UnsupportedAlgorithm(i128),
    /// A parameter of the protected header with a value of the wrong type.
    Parameter {
        /// The label of the parameter.
        label: String,
        /// The expected type.
        expected: &'static str,
        /// The value that was found.
        found: String,
    },
    /// A critical parameter that is not supported.
    Critical {
        /// The label of the parameter.
        label: String,
        /// The reason for which it is not supported.
        why: &'static str,
    },
    /// A hash envelope with a content type (3) in addition to that of the hashed bytes (259).
    HashEnvelopeContentType,
    /// A violation of the schema.
    Schema(Box<Violations>),
}

impl EnvelopeError {
    /// Marks an error as one in the claims.
    pub(crate) fn in_claims(self) -> Self {
        match self {
            Self::Parameter { label, expected, found } => {
                let label = label.split_once(' ').map_or(&*label, |(number, _)| number);
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
                write!(f, "tag {tag} is around the tag of COSE_Sign1 (18)")
            }
            Self::TagInside(tag) => {
                write!(f, "tag {tag} is inside the tag of COSE_Sign1 (18)")
            }
            Self::OtherTag(tag) => {
                write!(f, "expected the tag of COSE_Sign1 (18), found tag {tag}")
            }
            Self::Shape { what, expected, found } => {
                write!(f, "{what}: expected {expected}, found {found}")
            }
            Self::UndefinedPayload => {
                f.write_str("the payload is undefined, which is neither bytes nor null")
            }
            Self::NotDeterministic(what) => write!(f, "{what} is not encoded deterministically"),
            Self::DuplicateLabel(place) => write!(f, "{place} occurs twice in its map"),
            Self::Protected(error) => write!(f, "the protected header is not CBOR: {error}"),
            Self::InBothHeaders(label) => {
                write!(f, "label {label} is in the protected and the unprotected header")
            }
            Self::NotProtected(label) => {
                write!(f, "label {label} is in the unprotected header, but has to be protected")
            }
            Self::NoAlgorithm => f.write_str("the protected header names no algorithm (label 1)"),
            Self::UnsupportedAlgorithm(id) => write!(
                f,
                "algorithm {id} is not supported (supported: EdDSA -8, Ed25519 -19, ES256 -7)"
            ),
            Self::Parameter { label, expected, found } => {
                write!(f, "protected header, {label}: expected {expected}, found {found}")
            }
            Self::Critical { label, why } => write!(f, "crit lists {label}, {why}"),
            Self::HashEnvelopeContentType => {
                f.write_str("a hash envelope (258) must not have a content type (3), only 259")
            }
            Self::Schema(violations) => {
                write!(f, "not a valid signed-agent-record: {}", violations.summary())
            }
        }
    }
}

impl std::error::Error for EnvelopeError {}

impl<'a> Envelope<'a> {
    /// Reads a signed record.
    pub fn read(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        let document = scan(bytes)?;
        let envelope = Self::from_document(&document, Role::Record)?;
        validate_document(&document, rules::SIGNED_AGENT_RECORD, 1)
            .map_err(|violations| EnvelopeError::Schema(Box::new(violations)))?;
        Ok(envelope)
    }

    /// Reads a receipt.
    pub fn read_receipt(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        Self::from_document(&scan(bytes)?, Role::Receipt)
    }

    fn from_document(document: &Document<'a>, role: Role) -> Result<Self, EnvelopeError> {
        let [protected, unprotected, payload, signature] = parts(document)?;
        if let Some(label) = duplicate_label(document, 2) {
            return Err(EnvelopeError::DuplicateLabel(label));
        }
        let protected_bytes = string(protected, "the protected header")?;
        let header = protected_header(protected_bytes)?;
        if let Some(label) = duplicate_label(&header, 1) {
            let place = format!("{label} of the protected header");
            return Err(EnvelopeError::DuplicateLabel(place));
        }
        check_placement(header.root(), unprotected)?;
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

    /// Returns the entry of a transparency log for this envelope: the SHA-256 of the envelope
    /// with an empty unprotected header.
    pub fn log_entry(&self) -> [u8; 32] {
        let [protected, _, payload, signature] = self.items;
        let mut hash = Sha256::new();
        for part in [&[0xd2, 0x84], protected, &[0xa0], payload, signature] {
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// Returns the signature as it is encoded in CBOR, which a time stamp is for (RFC 9921).
    pub fn encoded_signature(&self) -> &'a [u8] {
        self.items[3]
    }

    /// Returns the envelope with a parameter in its unprotected header, in place of one of the same
    /// label.
    pub(crate) fn with_parameter(
        &self,
        label: i128,
        value: &impl Encode,
    ) -> Result<Vec<u8>, AttachError> {
        let unprotected = Document::cbor(self.unprotected).map_err(AttachError::Unprotected)?;
        let members = unprotected.root().members();
        let members: Vec<_> = members
            .filter(|(other, _)| other.integer() != Some(label))
            .map(|(other, value)| (other.carry(), value.carry()))
            .collect();
        let mut encoder = Encoder::cbor();
        let mut header = MapEncoder::new(&mut encoder);
        for (other, value) in &members {
            header.extension(Key::Other(other), value).map_err(AttachError::Encode)?;
        }
        header.extension(Key::Integer(label), value).map_err(AttachError::Encode)?;
        header.end().map_err(AttachError::Encode)?;
        Ok(self.with_unprotected(encoder.written()))
    }

    /// Returns the envelope with another unprotected header.
    pub fn with_unprotected(&self, unprotected: &[u8]) -> Vec<u8> {
        let [protected, _, payload, signature] = self.items;
        [&[0xd2, 0x84], protected, unprotected, payload, signature].concat()
    }
}

/// The purpose of an envelope.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Record,
    Receipt,
}

fn scan(bytes: &[u8]) -> Result<Document<'_>, EnvelopeError> {
    // An envelope begins with a tag, or with an array if the tag is missing.
    let may_be_one = |byte: &u8| matches!(byte >> 5, 4 | 6) && !byte.is_ascii();
    match bytes.first() {
        None => return Err(EnvelopeError::NotSigned("an empty file")),
        Some(0xa0..=0xbf) => return Err(EnvelopeError::NotSigned("a CBOR map")),
        Some(first) if may_be_one(first) => {}
        Some(_) if Document::json(bytes).is_ok() => {
            return Err(EnvelopeError::NotSigned("plain JSON"));
        }
        Some(_) => return Err(EnvelopeError::NotSigned("neither JSON nor CBOR of an envelope")),
    }
    Document::cbor(bytes).map_err(EnvelopeError::Syntax)
}

/// Returns the four elements, which are of the right kinds.
fn parts<'d, 'a>(document: &'d Document<'a>) -> Result<[Node<'d, 'a>; 4], EnvelopeError> {
    let root = document.root();
    let content = match root.tag() {
        None if elements(root).is_some() => return Err(EnvelopeError::Untagged),
        None => return Err(EnvelopeError::NotSigned("another CBOR item")),
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

/// Describes the first duplicate label, with its path unless it is a header parameter. The
/// parameters are `parameter` steps from the root.
fn duplicate_label(document: &Document<'_>, parameter: usize) -> Option<String> {
    let key = document.duplicate_keys().next()?;
    let value = document.node(key.after());
    if path::steps(value).len() == parameter {
        return Some(format!("label {}", label_text(key)));
    }
    // Only labels of parameters have names, not labels at deeper levels.
    let label = key.integer().map_or_else(|| label_text(key), |number| number.to_string());
    Some(format!("label {label} ({})", path::pointer(value)))
}

/// Returns the content of a byte string, which has to be encoded deterministically.
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
    // An empty byte string is an empty map (RFC 9052 section 3).
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

/// Checks that no label is in both headers, and that no label is in the unprotected header
/// that has to be protected.
fn check_placement(
    protected: Node<'_, '_>,
    unprotected: Node<'_, '_>,
) -> Result<(), EnvelopeError> {
    const PROTECTED_ONLY: [i128; 6] = [
        ALG,
        CRIT,
        PAYLOAD_HASH_ALG,
        PREIMAGE_CONTENT_TYPE,
        PAYLOAD_LOCATION,
        TIME_STAMP_THEN_COSE,
    ];
    let labels = Labels::new(protected);
    for (label, _) in unprotected.members() {
        if labels.contains(label) {
            return Err(EnvelopeError::InBothHeaders(label_text(label)));
        }
    }
    match PROTECTED_ONLY.into_iter().find(|label| labelled(unprotected, *label).is_some()) {
        Some(label) => Err(EnvelopeError::NotProtected(format_label(label))),
        None => Ok(()),
    }
}
