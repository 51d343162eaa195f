//! The protected header of an envelope, read strictly.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use ed25519_dalek::pkcs8::ObjectIdentifier;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use vac_validate::signed;
use vac_value::{Document, Encoding, Kind, Node, found, printable};

use crate::certificate::MAX_CHAIN;
use crate::envelope::{EnvelopeError, Role};
use crate::key::{Algorithm, PublicKey};
use crate::label::{
    ALG, CONTENT_TYPE, CRIT, CTI, CWT_CLAIMS, EXP, IAT, ISS, KID, NBF, PAYLOAD_HASH_ALG,
    PREIMAGE_CONTENT_TYPE, SUB, VERIFIABLE_DATA_STRUCTURE, X5CHAIN, X5T, format_label,
};
use crate::thumbprint::{self, KeyMismatch};

/// The parameters of a protected header.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The algorithm of the signature.
    pub algorithm: Algorithm,
    /// The content type of the payload, or of the bytes whose hash is the payload.
    pub content_type: Option<ContentType>,
    /// The key identifier.
    pub key_id: Option<Vec<u8>>,
    /// The CWT claims.
    pub claims: Claims,
    /// The certificates of the signer and of its issuers, in DER.
    pub chain: Option<Vec<Vec<u8>>>,
    /// The hash of the signer's certificate.
    pub certificate_hash: Option<CertificateHash>,
    /// For a hash envelope, the algorithm of the digest in the payload.
    pub payload_hash: Option<HashAlgorithm>,
    /// For a receipt, the verifiable data structure.
    pub data_structure: Option<i128>,
    /// Whether the certificate has to be checked (`crit`).
    pub certificate_is_critical: bool,
    /// Whether the key identifier has to be understood (`crit`).
    pub key_id_is_critical: bool,
}

/// A content type: a media type, or its number in the `CoAP` registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    /// The text of the media type, or a description of the number.
    pub name: String,
    /// The encoding, if the content type determines it.
    pub encoding: Option<Encoding>,
}

/// Claims of a CBOR Web Token (RFC 8392).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The issuer.
    pub issuer: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The time of expiration, in seconds since 1970.
    pub expires: Option<f64>,
    /// The time before which the claims are not valid, in seconds since 1970.
    pub not_before: Option<f64>,
    /// The time of signing that the signer states, in seconds since 1970.
    pub issued_at: Option<f64>,
}

impl Claims {
    /// Returns the reason why the claims are not valid at a time, in seconds since 1970. Without a
    /// time nothing is checked.
    pub(crate) fn time_error(&self, time: Option<u64>) -> Option<&'static str> {
        #[allow(clippy::cast_precision_loss)] // seconds are far below 2^53
        let time = time? as f64;
        if self.expires.is_some_and(|expires| time >= expires) {
            Some("the claims have expired")
        } else if self.not_before.is_some_and(|from| time < from) {
            Some("the claims are not valid yet")
        } else {
            None
        }
    }
}

/// The hash of a certificate and its algorithm (`x5t`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateHash {
    /// The hash algorithm.
    pub algorithm: HashAlgorithm,
    /// The hash.
    pub value: Vec<u8>,
}

/// A hash algorithm of COSE (RFC 9054).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashAlgorithm {
    /// SHA-256 (-16).
    Sha256,
    /// SHA-384 (-43).
    Sha384,
    /// SHA-512 (-44).
    Sha512,
}

impl HashAlgorithm {
    /// Returns the algorithm with this COSE identifier. Algorithms that are only for filtering
    /// are not supported.
    pub fn from_id(id: i128) -> Option<Self> {
        match id {
            -16 => Some(Self::Sha256),
            -43 => Some(Self::Sha384),
            -44 => Some(Self::Sha512),
            _ => None,
        }
    }

    /// Returns the algorithm with this object identifier.
    pub(crate) fn from_oid(oid: ObjectIdentifier) -> Option<Self> {
        const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
        const SHA_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
        const SHA_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");
        match oid {
            SHA_256 => Some(Self::Sha256),
            SHA_384 => Some(Self::Sha384),
            SHA_512 => Some(Self::Sha512),
            _ => None,
        }
    }

    /// Returns the hash of bytes.
    pub fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    /// Returns the number of bytes of a hash.
    pub fn length(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

impl fmt::Display for HashAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sha256 => "sha-256",
            Self::Sha384 => "sha-384",
            Self::Sha512 => "sha-512",
        })
    }
}

impl Header {
    /// Reads the known parameters. Unknown parameters are skipped unless they are critical.
    pub(crate) fn read(
        header: &Document<'_>,
        unprotected: Node<'_, '_>,
        role: Role,
    ) -> Result<Self, EnvelopeError> {
        let map = header.root();
        let hash = read(map, PAYLOAD_HASH_ALG, "SHA-256, SHA-384 or SHA-512", |node| {
            HashAlgorithm::from_id(node.integer()?)
        })?;
        let type_label = if hash.is_some() { PREIMAGE_CONTENT_TYPE } else { CONTENT_TYPE };
        let content_type = read(map, type_label, "text or uint", content_type)?;
        let critical = critical(map)?;
        let understood = Understood {
            role,
            is_hash_envelope: hash.is_some(),
            has_encoding: content_type.as_ref().is_some_and(|one| one.encoding.is_some()),
            has_content_type: labelled(map, CONTENT_TYPE).is_some(),
            has_certificate: [map, unprotected]
                .into_iter()
                .any(|header| labelled(header, X5CHAIN).is_some()),
        };
        for label in &critical {
            understood.check(*label)?;
        }
        let is_critical = |one: i128| critical.iter().any(|label| label.integer() == Some(one));
        if hash.is_some() && labelled(map, CONTENT_TYPE).is_some() {
            return Err(EnvelopeError::HashEnvelopeContentType);
        }
        Ok(Self {
            algorithm: algorithm(map)?,
            content_type,
            key_id: read(map, KID, "bytes", bytes)?,
            claims: match labelled(map, CWT_CLAIMS) {
                Some(node) => claims(node)?,
                None => Claims::default(),
            },
            chain: read(map, X5CHAIN, "one certificate, or 2 to 8", chain)?,
            certificate_hash: read(map, X5T, "a hash algorithm and a hash", certificate_hash)?,
            payload_hash: hash,
            data_structure: read(map, VERIFIABLE_DATA_STRUCTURE, "int", Node::integer)?,
            certificate_is_critical: is_critical(X5CHAIN) || is_critical(X5T),
            key_id_is_critical: is_critical(KID),
        })
    }

    /// Compares the header's statements about the signer's key with a key: a critical key
    /// identifier, which has to be the key's thumbprint, and an issuer that is a thumbprint.
    pub fn check_key(&self, key: &PublicKey) -> Result<(), KeyMismatch> {
        if self.key_id_is_critical && self.key_id.as_deref() != Some(&key.thumbprint()) {
            return Err(KeyMismatch::KeyId);
        }
        match &self.claims.issuer {
            Some(issuer) => thumbprint::check_issuer(issuer, key),
            None => Ok(()),
        }
    }
}

/// Returns the value of the member with this integer label.
pub(crate) fn labelled<'d, 'a>(map: Node<'d, 'a>, label: i128) -> Option<Node<'d, 'a>> {
    map.members().find(|(key, _)| key.integer() == Some(label)).map(|(_, value)| value)
}

/// A set of labels, compared by value: integers and text.
#[derive(Default)]
pub(crate) struct Labels(BTreeSet<(Option<i128>, Option<String>)>);

impl Labels {
    /// Collects the labels of a map.
    pub fn new(map: Node<'_, '_>) -> Self {
        Self(map.members().map(|(label, _)| Self::value(label)).collect())
    }

    /// Adds a label. Returns false if it was already present.
    fn insert(&mut self, label: Node<'_, '_>) -> bool {
        self.0.insert(Self::value(label))
    }

    /// Returns whether a label is present.
    pub fn contains(&self, label: Node<'_, '_>) -> bool {
        self.0.contains(&Self::value(label))
    }

    fn value(label: Node<'_, '_>) -> (Option<i128>, Option<String>) {
        (label.integer(), label.text().map(Cow::into_owned))
    }
}

/// Formats a label for messages.
pub(crate) fn label_text(label: Node<'_, '_>) -> String {
    match (label.integer(), label.text()) {
        (Some(number), _) => format_label(number),
        (_, Some(text)) => format!("\"{}\"", printable(&text, 40)),
        _ => found(label),
    }
}

/// Reads an optional parameter. Fails if its value is not of the expected type.
pub(crate) fn read<'d, 'a, T>(
    map: Node<'d, 'a>,
    label: i128,
    expected: &'static str,
    take: impl FnOnce(Node<'d, 'a>) -> Option<T>,
) -> Result<Option<T>, EnvelopeError> {
    let Some(node) = labelled(map, label) else { return Ok(None) };
    match take(node) {
        Some(value) => Ok(Some(value)),
        None => Err(EnvelopeError::Parameter {
            label: format_label(label),
            expected,
            found: found(node),
        }),
    }
}

fn algorithm(map: Node<'_, '_>) -> Result<Algorithm, EnvelopeError> {
    let id = read(map, ALG, "int", Node::integer)?.ok_or(EnvelopeError::NoAlgorithm)?;
    Algorithm::from_id(id).ok_or(EnvelopeError::UnsupportedAlgorithm(id))
}

fn bytes(node: Node<'_, '_>) -> Option<Vec<u8>> {
    node.bytes().map(Cow::into_owned)
}

fn content_type(node: Node<'_, '_>) -> Option<ContentType> {
    let name = match node.uint() {
        Some(number) => format!("CoAP content format {number}"),
        None => node.text()?.into_owned(),
    };
    Some(ContentType { name, encoding: signed::content_type(node) })
}

fn claims(map: Node<'_, '_>) -> Result<Claims, EnvelopeError> {
    let text = |label| read(map, label, "text", |node| node.text().map(Cow::into_owned));
    let time = |label| {
        read(map, label, "a number", |node| {
            node.number().map(|number| number.to_f64()).filter(|time| time.is_finite())
        })
    };
    let claims = || {
        // The claim is not used, but its value has to be of the right type.
        read(map, CTI, "bytes", bytes)?;
        Ok(Claims {
            issuer: text(ISS)?,
            subject: text(SUB)?,
            expires: time(EXP)?,
            not_before: time(NBF)?,
            issued_at: time(IAT)?,
        })
    };
    claims().map_err(EnvelopeError::in_claims)
}

/// Reads certificates: a `bstr`, or an array of two to [`MAX_CHAIN`] of them.
pub(crate) fn chain(node: Node<'_, '_>) -> Option<Vec<Vec<u8>>> {
    if node.kind() == Kind::Bytes {
        return Some(vec![bytes(node)?]);
    }
    if node.elements().nth(MAX_CHAIN).is_some() {
        return None;
    }
    let chain: Vec<_> = node.elements().map(bytes).collect::<Option<_>>()?;
    (chain.len() >= 2).then_some(chain)
}

fn certificate_hash(node: Node<'_, '_>) -> Option<CertificateHash> {
    let mut elements = node.elements();
    let algorithm = HashAlgorithm::from_id(elements.next()?.integer()?)?;
    let value = bytes(elements.next()?)?;
    elements.next().is_none().then_some(CertificateHash { algorithm, value })
}

/// Returns the labels that `crit` lists. The header has to have each of them.
fn critical<'d, 'a>(map: Node<'d, 'a>) -> Result<Vec<Node<'d, 'a>>, EnvelopeError> {
    let labels = read(map, CRIT, "an array of one or more labels", |node| {
        let labels: Vec<_> = node.elements().collect();
        let are_labels =
            labels.iter().all(|label| matches!(label.kind(), Kind::Integer | Kind::Text));
        (node.kind() == Kind::Array && !labels.is_empty() && are_labels).then_some(labels)
    })?;
    let Some(labels) = labels else { return Ok(Vec::new()) };
    let refuse =
        |label: Node<'_, '_>, why| Err(EnvelopeError::Critical { label: label_text(label), why });
    let (present, mut listed) = (Labels::new(map), Labels::default());
    for label in &labels {
        if !present.contains(*label) {
            return refuse(*label, "which the protected header does not have");
        }
        if !listed.insert(*label) {
            return refuse(*label, "which it lists twice");
        }
    }
    Ok(labels)
}

/// Decides which parameters may be critical: those that are checked.
#[allow(clippy::struct_excessive_bools)] // they are independent
struct Understood {
    role: Role,
    is_hash_envelope: bool,
    /// Whether the content type, or that of the preimage, names an encoding.
    has_encoding: bool,
    has_content_type: bool,
    has_certificate: bool,
}

impl Understood {
    fn check(&self, label: Node<'_, '_>) -> Result<(), EnvelopeError> {
        let why = match label.integer() {
            Some(ALG | CWT_CLAIMS | KID) => return Ok(()),
            // The payload of a receipt is the root of a tree, even if its header states a content
            // type.
            Some(CONTENT_TYPE | PAYLOAD_HASH_ALG | PREIMAGE_CONTENT_TYPE)
                if self.role == Role::Receipt =>
            {
                "which is not understood in a receipt"
            }
            Some(PAYLOAD_HASH_ALG | PREIMAGE_CONTENT_TYPE) if self.has_content_type => {
                "which is not supported with a content type (3)"
            }
            Some(PAYLOAD_HASH_ALG) if self.is_hash_envelope => return Ok(()),
            Some(PREIMAGE_CONTENT_TYPE) if self.is_hash_envelope && self.has_encoding => {
                return Ok(());
            }
            Some(CONTENT_TYPE) if !self.is_hash_envelope && self.has_encoding => return Ok(()),
            Some(CONTENT_TYPE | PREIMAGE_CONTENT_TYPE) if !self.has_encoding => {
                "which is neither JSON nor CBOR"
            }
            Some(X5CHAIN | X5T) if self.role == Role::Record && self.has_certificate => {
                return Ok(());
            }
            Some(X5CHAIN | X5T) => "which requires a certificate, and the header has none",
            Some(VERIFIABLE_DATA_STRUCTURE) if self.role == Role::Receipt => return Ok(()),
            _ => "which is not understood",
        };
        Err(EnvelopeError::Critical { label: label_text(label), why })
    }
}
