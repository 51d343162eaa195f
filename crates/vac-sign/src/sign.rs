//! Making signed records.

use std::borrow::Cow;
use std::fmt;

use coset::cbor::value::Value;
use coset::{
    CborSerializable as _, CoseSign1, HeaderBuilder, Label, ProtectedHeader,
    TaggedCborSerializable as _, iana,
};
use data_encoding::HEXLOWER;
use vac_record::{Encode as _, SessionId, TraceMetadata};
use vac_validate::Violations;
use vac_validate::signed::media_type;
use vac_value::{EncodeError, Encoding};

use crate::certificate::{CertificateError, Chain};
use crate::key::Algorithm;
use crate::label::{
    CWT_CLAIMS, ISS, PAYLOAD_HASH_ALG, PREIMAGE_CONTENT_TYPE, SUB, TRACE_METADATA, X5CHAIN, X5T,
};
use crate::message::{Message, push_bytes_head};
use crate::metadata;
use crate::parallel::both;
use crate::record::{Examined, Facts, sha256};
use crate::signer::{Signer, SignerError};

/// SHA-256 among the algorithms of COSE.
const SHA_256: i64 = -16;

/// How a record is signed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// Who signs; by default the key's thumbprint.
    pub issuer: Option<&'o str>,
    /// What is signed; by default the session.
    pub subject: Option<&'o str>,
    /// Which key it is; by default its thumbprint.
    pub key_id: Option<&'o [u8]>,
    /// What the record is written in; by default that of its encoding.
    pub content_type: Option<&'o str>,
    /// The signer's certificate, and those above it.
    pub certificates: Option<&'o Chain>,
    /// Where the record is.
    pub carriage: Carriage,
}

/// Where the record of a signed record is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carriage {
    /// In the envelope.
    #[default]
    Attached,
    /// Elsewhere.
    Detached,
    /// Elsewhere, and its SHA-256 is in the envelope (a hash envelope, RFC 9995).
    Digest,
}

/// A record that may be signed. Only validation makes one: [`Checked::new`], or
/// [`Invalid::accept`] after it failed.
#[derive(Clone, Debug)]
pub struct Checked<'p> {
    bytes: &'p [u8],
    encoding: Encoding,
    sha256: [u8; 32],
    facts: Facts,
}

impl<'p> Checked<'p> {
    /// Hashes and validates a record.
    pub fn new(bytes: &'p [u8], encoding: Encoding) -> Result<Self, Invalid<'p>> {
        let (sha256, Examined { verdict, facts }) =
            both(bytes.len(), || sha256(bytes), || Examined::new(bytes, encoding));
        let record = Self { bytes, encoding, sha256, facts };
        match verdict {
            Ok(()) => Ok(record),
            Err(violations) => Err(Invalid { record: Box::new(record), violations }),
        }
    }

    /// The SHA-256 of the record's bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// What the record states about its session.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// A record that is not valid.
#[derive(Clone, Debug)]
pub struct Invalid<'p> {
    record: Box<Checked<'p>>,
    violations: Violations,
}

impl<'p> Invalid<'p> {
    /// Why it is not valid.
    pub fn violations(&self) -> &Violations {
        &self.violations
    }

    /// Accepts the record for signing although it is not valid.
    pub fn accept(self) -> Checked<'p> {
        *self.record
    }
}

impl fmt::Display for Invalid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid record: {}", self.violations.summary())
    }
}

impl std::error::Error for Invalid<'_> {}

/// Why a record was not signed.
#[derive(Clone, Debug, PartialEq)]
pub enum SignError {
    /// It names no session, and no subject was given.
    NoSubject,
    /// The content type given is that of another encoding than the record's.
    ContentType(Encoding),
    /// The certificate is none for this key.
    Certificate(CertificateError),
    /// The key did not sign.
    Signer(SignerError),
    /// Never: a header that has no encoding.
    Header(String),
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSubject => f.write_str("the record names no session to be the subject"),
            Self::ContentType(encoding) => {
                write!(f, "the record is written in {encoding}, the content type says otherwise")
            }
            Self::Certificate(error) => error.fmt(f),
            Self::Signer(error) => error.fmt(f),
            Self::Header(why) => write!(f, "the header cannot be encoded: {why}"),
        }
    }
}

impl std::error::Error for SignError {}

impl From<coset::CoseError> for SignError {
    fn from(error: coset::CoseError) -> Self {
        Self::Header(error.to_string())
    }
}

impl From<EncodeError> for SignError {
    fn from(error: EncodeError) -> Self {
        Self::Header(error.to_string())
    }
}

/// A signed record, in three parts, so that a big record is not copied.
#[derive(Clone, Debug)]
pub struct Signed<'p> {
    before: Vec<u8>,
    payload: Cow<'p, [u8]>,
    behind: Vec<u8>,
    /// Who signs, as the envelope says.
    pub issuer: String,
    /// What is signed, as the envelope says.
    pub subject: String,
    /// What stands beside the record; nothing if it does not say enough of itself.
    pub metadata: Option<TraceMetadata<'static>>,
}

impl Signed<'_> {
    /// The envelope, in order.
    pub fn parts(&self) -> [&[u8]; 3] {
        [&self.before, &self.payload, &self.behind]
    }

    /// The envelope in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        self.parts().concat()
    }
}

/// Signs a record.
pub fn sign<'p>(
    record: &Checked<'p>,
    options: &Options<'_>,
    signer: &dyn Signer,
) -> Result<Signed<'p>, SignError> {
    let stated = options.content_type.and_then(media_type);
    if stated.is_some_and(|encoding| encoding != record.encoding) {
        return Err(SignError::ContentType(record.encoding));
    }
    let facts = &record.facts;
    let key = signer.public_key();
    let issuer = options.issuer.map_or_else(|| key.thumbprint_uri(), str::to_owned);
    let subject = match options.subject {
        Some(subject) => subject.to_owned(),
        None => subject(facts).ok_or(SignError::NoSubject)?,
    };
    let protected = protected(record.encoding, &issuer, &subject, options, signer)?;
    let content = match options.carriage {
        Carriage::Digest => Cow::Owned(record.sha256.to_vec()),
        Carriage::Attached | Carriage::Detached => Cow::Borrowed(record.bytes),
    };
    let message = Message::new(&protected, &content);
    let signature = signer.sign(&message).map_err(SignError::Signer)?;
    let metadata = metadata::of_record(facts, &record.sha256);
    let (mut before, behind) = envelope(protected, metadata.as_ref(), &signature)?;
    let payload = if options.carriage == Carriage::Detached {
        Cow::Borrowed(NULL)
    } else {
        push_bytes_head(content.len(), &mut before);
        content
    };
    Ok(Signed { before, payload, behind, issuer, subject, metadata })
}

/// A payload that is elsewhere.
const NULL: &[u8] = &[0xf6];

fn subject(facts: &Facts) -> Option<String> {
    Some(match facts.session_id.as_ref()? {
        SessionId::Text(text) => text.clone().into_owned(),
        SessionId::Bytes(bytes) => HEXLOWER.encode(bytes),
    })
}

/// The protected header. Parameters are added in the order of their labels, which makes it
/// deterministic.
fn protected(
    encoding: Encoding,
    issuer: &str,
    subject: &str,
    options: &Options<'_>,
    signer: &dyn Signer,
) -> Result<Vec<u8>, SignError> {
    let key = signer.public_key();
    let content_type = options.content_type.unwrap_or(match encoding {
        Encoding::Json => "application/json",
        Encoding::Cbor => "application/cbor",
    });
    let claims = Value::Map(vec![
        (number(ISS), Value::Text(issuer.to_owned())),
        (number(SUB), Value::Text(subject.to_owned())),
    ]);
    let mut header = HeaderBuilder::new()
        .algorithm(match key.algorithm() {
            Algorithm::EdDsa | Algorithm::Ed25519 => iana::Algorithm::EdDSA,
            Algorithm::Es256 => iana::Algorithm::ES256,
        })
        .key_id(options.key_id.map_or_else(|| key.thumbprint().to_vec(), <[u8]>::to_vec));
    if options.carriage != Carriage::Digest {
        header = header.content_type(content_type.to_owned());
    }
    let mut header = header.build();
    let mut add = |label: i128, value| header.rest.push((label_of(label), value));
    add(CWT_CLAIMS, claims);
    if let Some(chain) = options.certificates {
        chain.check_length().map_err(SignError::Certificate)?;
        if chain.public_key().map_err(SignError::Certificate)? != *key {
            return Err(SignError::Certificate(CertificateError::OtherKey));
        }
        let hash = chain.hash().map_err(SignError::Certificate)?.value;
        add(X5CHAIN, certificates(chain));
        add(X5T, Value::Array(vec![Value::from(SHA_256), Value::Bytes(hash)]));
    }
    if options.carriage == Carriage::Digest {
        add(PAYLOAD_HASH_ALG, Value::from(SHA_256));
        add(PREIMAGE_CONTENT_TYPE, Value::Text(content_type.to_owned()));
    }
    Ok(header.to_vec()?)
}

/// One certificate stands alone, several in an array.
fn certificates(chain: &Chain) -> Value {
    let mut all: Vec<_> = chain.certificates().map(|one| Value::Bytes(one.to_vec())).collect();
    match (all.len(), all.pop()) {
        (1, Some(one)) => one,
        (_, last) => Value::Array(all.into_iter().chain(last).collect()),
    }
}

/// The envelope before and behind its payload.
fn envelope(
    protected: Vec<u8>,
    metadata: Option<&TraceMetadata<'_>>,
    signature: &[u8; 64],
) -> Result<(Vec<u8>, Vec<u8>), SignError> {
    let mut unprotected = coset::Header::default();
    if let Some(metadata) = metadata {
        let metadata = metadata.to_cbor()?;
        let value = coset::cbor::de::from_reader(&metadata[..])
            .map_err(|error| SignError::Header(error.to_string()))?;
        unprotected.rest.push((label_of(TRACE_METADATA), value));
    }
    let envelope = CoseSign1 {
        protected: ProtectedHeader { original_data: Some(protected), ..<_>::default() },
        unprotected,
        payload: None,
        signature: signature.to_vec(),
    };
    let mut before = envelope.to_tagged_vec()?;
    // The signature with its head is the end of it, and the null before it makes room.
    let behind = before.split_off(before.len().saturating_sub(2 + signature.len()));
    before.pop();
    Ok((before, behind))
}

fn label_of(label: i128) -> Label {
    Label::Int(i64::try_from(label).unwrap_or_default())
}

fn number(number: i128) -> Value {
    Value::from(i64::try_from(number).unwrap_or_default())
}
