//! Signs records.

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
use vac_validate::lint::{Secret, may_contain_secrets, secrets, secrets_in_bytes};
use vac_validate::signed::media_type;
use vac_value::{EncodeError, Encoding};

use crate::certificate::{CertificateError, Chain};
use crate::key::{Algorithm, PublicKey};
use crate::label::{
    CWT_CLAIMS, IAT, ISS, PAYLOAD_HASH_ALG, PREIMAGE_CONTENT_TYPE, SUB, TIME_STAMP_THEN_COSE,
    TRACE_METADATA, X5CHAIN, X5T,
};
use crate::message::{Message, push_bytes_head};
use crate::metadata;
use crate::parallel::run_both;
use crate::record::{Examined, RecordFacts, examine, sha256};
use crate::signer::{Signer, SignerError};
use crate::timestamp::{self, StampedPart, TimeStampError};

/// The COSE algorithm identifier of SHA-256.
pub(crate) const SHA_256: i64 = -16;

/// Options for signing a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignOptions<'o> {
    /// The issuer; by default the key's thumbprint.
    pub issuer: Option<&'o str>,
    /// The subject; by default the session's id.
    pub subject: Option<&'o str>,
    /// The key identifier; by default the key's thumbprint.
    pub key_id: Option<&'o [u8]>,
    /// The media type of the record; by default that of its encoding.
    pub content_type: Option<&'o str>,
    /// The signer's certificate, followed by those of its issuers.
    pub certificates: Option<&'o Chain>,
    /// Whether the envelope contains the record.
    pub carriage: Carriage,
    /// The time of signing, in seconds since 1970, as a claim of the signer (`iat`). Without it,
    /// the same record and key always give the same protected header.
    pub time: Option<u64>,
    /// A time stamp of the payload, which is signed with it (`3161-ttc`): a token, or the response of an
    /// authority.
    pub time_stamp: Option<&'o [u8]>,
}

/// How an envelope carries the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carriage {
    /// The envelope contains the record.
    #[default]
    Attached,
    /// The envelope does not contain the record.
    Detached,
    /// The envelope contains the SHA-256 of the record (a hash envelope, RFC 9995).
    Digest,
}

/// A record that may be signed: its bytes, and the result of validating them.
///
/// Only [`Checked::new`] creates one, so that the facts in an envelope are always those of the
/// signed bytes. A record that is not valid has to be accepted explicitly ([`Invalid::accept`]).
///
/// ```compile_fail
/// # use vac_sign::sign::Checked;
/// # use vac_value::Encoding;
/// // The fields are private: bytes cannot be combined with the verdict on another record.
/// let one = Checked::new(b"{}", Encoding::Json).unwrap_or_else(|invalid| invalid.accept());
/// let other = Checked { bytes: b"[]", ..one };
/// ```
#[derive(Clone, Debug)]
pub struct Checked<'p> {
    bytes: &'p [u8],
    encoding: Encoding,
    sha256: [u8; 32],
    facts: RecordFacts,
    secrets: Vec<Secret>,
}

impl<'p> Checked<'p> {
    /// Hashes and validates a record, and searches it for likely secrets.
    pub fn new(bytes: &'p [u8], encoding: Encoding) -> Result<Self, Invalid<'p>> {
        let search = || may_contain_secrets(bytes, encoding);
        let hash = || run_both(bytes.len(), || sha256(bytes), search);
        let ((sha256, has_secrets), (Examined { verdict, facts }, document)) =
            run_both(bytes.len(), hash, || examine(bytes, encoding));
        let secrets = match document {
            _ if !has_secrets => Vec::new(),
            Some(document) => secrets(&document),
            None => secrets_in_bytes(bytes),
        };
        let record = Self { bytes, encoding, sha256, facts, secrets };
        match verdict {
            Ok(()) => Ok(record),
            Err(violations) => Err(Invalid { record: Box::new(record), violations }),
        }
    }

    /// Returns the SHA-256 of the record's bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Returns the facts that the record states about its session.
    pub fn facts(&self) -> &RecordFacts {
        &self.facts
    }

    /// Returns the likely secrets in the record, by kind and path, without their values. [`sign`]
    /// does not refuse them: whether a record with secrets may be signed is the caller's decision.
    pub fn secrets(&self) -> &[Secret] {
        &self.secrets
    }
}

/// A record that is not valid, and its violations.
#[derive(Clone, Debug)]
pub struct Invalid<'p> {
    record: Box<Checked<'p>>,
    violations: Violations,
}

impl<'p> Invalid<'p> {
    /// Returns the violations.
    pub fn violations(&self) -> &Violations {
        &self.violations
    }

    /// Returns the violations, which do not borrow the record, so that `?` can return them.
    pub fn into_violations(self) -> Violations {
        self.violations
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

/// The reason why a record was not signed.
#[derive(Clone, Debug, PartialEq)]
pub enum SignError {
    /// The record states no session id, and no subject was given.
    NoSubject,
    /// The given content type is not one for the record's encoding.
    ContentType(Encoding),
    /// The certificate is not for this key.
    Certificate(CertificateError),
    /// The time stamp is not one of the payload.
    TimeStamp(TimeStampError),
    /// The signer failed.
    Signer(SignerError),
    /// Internal error: a header could not be encoded.
    Header(String),
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSubject => f.write_str("the record states no session id to use as the subject"),
            Self::ContentType(encoding) => {
                write!(f, "the content type is not one for a record in {encoding}")
            }
            Self::Certificate(error) => error.fmt(f),
            Self::TimeStamp(error) => error.fmt(f),
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

/// A signed record, in three parts, so that a large record is not copied.
#[derive(Clone, Debug)]
pub struct Signed<'p> {
    before: Vec<u8>,
    payload: Cow<'p, [u8]>,
    after: Vec<u8>,
    /// The issuer that the envelope states.
    pub issuer: String,
    /// The subject that the envelope states.
    pub subject: String,
    /// The trace metadata in the unprotected header; `None` if the record does not state all
    /// that is required for it.
    pub metadata: Option<TraceMetadata<'static>>,
}

impl Signed<'_> {
    /// Returns the parts of the envelope in order.
    pub fn parts(&self) -> [&[u8]; 3] {
        [&self.before, &self.payload, &self.after]
    }

    /// Returns the envelope in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        self.parts().concat()
    }
}

/// Signs a record. The signature covers its bytes, or their digest for [`Carriage::Digest`].
pub fn sign<'p>(
    record: &Checked<'p>,
    options: &SignOptions<'_>,
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
    let content = match options.carriage {
        Carriage::Digest => Cow::Owned(record.sha256.to_vec()),
        Carriage::Attached | Carriage::Detached => Cow::Borrowed(record.bytes),
    };
    let token = options.time_stamp.map(timestamp::token_of).transpose();
    let token = token.map_err(SignError::TimeStamp)?;
    if let Some(token) = token {
        timestamp::check(token, StampedPart::Payload, &content, None)
            .map_err(SignError::TimeStamp)?;
    }
    let protected = protected(record.encoding, &issuer, &subject, options, token, signer)?;
    let message = Message::new(&protected, &content);
    let signature = signer.sign(&message).map_err(SignError::Signer)?;
    let metadata = metadata::from_facts(facts, &record.sha256);
    let (mut before, after) = envelope(protected, metadata.as_ref(), &signature)?;
    let payload = if options.carriage == Carriage::Detached {
        Cow::Borrowed(NULL)
    } else {
        push_bytes_head(content.len(), &mut before);
        content
    };
    Ok(Signed { before, payload, after, issuer, subject, metadata })
}

/// A detached payload: `null` in CBOR.
const NULL: &[u8] = &[0xf6];

fn subject(facts: &RecordFacts) -> Option<String> {
    Some(match facts.session_id.as_ref()? {
        SessionId::Text(text) => text.clone().into_owned(),
        SessionId::Bytes(bytes) => HEXLOWER.encode(bytes),
    })
}

/// Builds the protected header. Parameters are added in the order of their labels, which makes it
/// deterministic.
fn protected(
    encoding: Encoding,
    issuer: &str,
    subject: &str,
    options: &SignOptions<'_>,
    token: Option<&[u8]>,
    signer: &dyn Signer,
) -> Result<Vec<u8>, SignError> {
    let key = signer.public_key();
    let content_type = options.content_type.unwrap_or(match encoding {
        Encoding::Json => "application/json",
        Encoding::Cbor => "application/cbor",
    });
    let claims = Value::Map(claims(issuer, subject, options.time));
    let key_id = options.key_id.map_or_else(|| key.thumbprint().to_vec(), <[u8]>::to_vec);
    let mut header = HeaderBuilder::new().algorithm(cose_algorithm(key)).key_id(key_id);
    if options.carriage != Carriage::Digest {
        header = header.content_type(content_type.to_owned());
    }
    let mut header = header.build();
    let mut add = |label: i128, value| header.rest.push((cose_label(label), value));
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
    if let Some(token) = token {
        add(TIME_STAMP_THEN_COSE, Value::Bytes(token.to_vec()));
    }
    Ok(header.to_vec()?)
}

/// Encodes a chain: one certificate as a byte string, several as an array (RFC 9360).
fn certificates(chain: &Chain) -> Value {
    let mut all: Vec<_> = chain.certificates().map(|one| Value::Bytes(one.to_vec())).collect();
    match (all.len(), all.pop()) {
        (1, Some(one)) => one,
        (_, last) => Value::Array(all.into_iter().chain(last).collect()),
    }
}

/// Returns the parts of the envelope before and after its payload.
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
        unprotected.rest.push((cose_label(TRACE_METADATA), value));
    }
    let envelope = CoseSign1 {
        protected: ProtectedHeader { original_data: Some(protected), ..<_>::default() },
        unprotected,
        payload: None,
        signature: signature.to_vec(),
    };
    let mut before = envelope.to_tagged_vec()?;
    // The envelope ends with the null payload, and the signature with its head of two bytes.
    let after = before.split_off(before.len() - 2 - signature.len());
    before.pop();
    Ok((before, after))
}

/// Returns the claims of every statement, in the order of their keys.
pub(crate) fn claims(issuer: &str, subject: &str, time: Option<u64>) -> Vec<(Value, Value)> {
    let mut claims = vec![
        (number(ISS), Value::Text(issuer.to_owned())),
        (number(SUB), Value::Text(subject.to_owned())),
    ];
    claims.extend(time.map(|time| (number(IAT), Value::from(time))));
    claims
}

pub(crate) fn cose_algorithm(key: &PublicKey) -> iana::Algorithm {
    match key.algorithm() {
        Algorithm::EdDsa | Algorithm::Ed25519 => iana::Algorithm::EdDSA,
        Algorithm::Es256 => iana::Algorithm::ES256,
    }
}

pub(crate) fn cose_label(label: i128) -> Label {
    Label::Int(i64::try_from(label).expect("labels of COSE fit into 64 bits"))
}

pub(crate) fn number(number: i128) -> Value {
    Value::from(i64::try_from(number).expect("claim keys fit into 64 bits"))
}
