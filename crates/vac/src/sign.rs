//! Signs records, and verifies signed ones.

use data_encoding::HEXLOWER;
use serde::Serialize;
use vac_sign::sign::Checked;
use vac_sign::{Answer, Answers, Envelope, HashAlgorithm, Signer, Verification};
use vac_validate::detect_encoding;

use crate::SignOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::parallel::with_stack;

/// A signed record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SignedRecord {
    /// The envelope: a `COSE_Sign1` in CBOR.
    #[serde(skip)]
    pub envelope: Vec<u8>,
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// The issuer that the envelope states.
    pub issuer: String,
    /// The subject that the envelope states.
    pub subject: String,
    /// SHA-256 of the record, in hexadecimal.
    #[serde(rename = "record-sha-256")]
    pub record_sha_256: String,
    /// Whether the envelope contains trace metadata.
    pub trace_metadata: bool,
}

/// Signs the bytes of one valid record in JSON or CBOR.
///
/// # Errors
/// If the record is not valid or cannot be signed with these options.
pub fn sign(record: &[u8], options: &SignOptions<'_>, key: &dyn Signer) -> Result<SignedRecord> {
    let checked = with_stack(|| {
        Checked::new(record, detect_encoding(record)).map_err(|invalid| {
            let reason = format!("not a valid record: {}", invalid.violations().summary());
            Error::new(ErrorKind::Invalid, reason)
        })
    })??;
    let signed = vac_sign::sign::sign(&checked, options, key)
        .map_err(|error| Error::refused(error.to_string()))?;
    Ok(SignedRecord {
        envelope: signed.to_vec(),
        algorithm: key.public_key().algorithm().id(),
        key: key.public_key().thumbprint_uri(),
        record_sha_256: HEXLOWER.encode(checked.sha256()),
        trace_metadata: signed.metadata.is_some(),
        issuer: signed.issuer,
        subject: signed.subject,
    })
}

/// The result of verifying a signed record: an answer for each check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[must_use = "the signature may not be valid"]
pub struct Verified {
    /// Whether the bytes are an envelope at all.
    pub signed: bool,
    /// `verified`, `statement-only` or `failed`.
    pub verdict: &'static str,
    /// Whether the verdict is `verified`.
    pub verified: bool,
    /// Whether the protected header is encoded deterministically. Absent if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deterministic: Option<bool>,
    /// Whether the envelope is well-formed and understood.
    pub envelope: CheckAnswer,
    /// Whether the signature is one of the key over the payload.
    pub signature: CheckAnswer,
    /// Whether the payload has the stated hash, and is the given record.
    pub payload_hash: CheckAnswer,
    /// Whether the record is valid.
    pub record: CheckAnswer,
    /// Whether the trace metadata agrees with the record.
    pub trace_metadata: CheckAnswer,
    /// Whether the signer is the one that the envelope names.
    pub signer: CheckAnswer,
    /// Whether the receipts are valid.
    pub receipts: CheckAnswer,
    /// Whether the time stamps are valid. Absent if the envelope has none and none were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_stamp: Option<CheckAnswer>,
    /// The earliest time at which the signature existed, as a trusted authority states, in seconds
    /// since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stamped_at: Option<u64>,
    /// The time at which the payload existed, as a trusted authority states, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_stamped_at: Option<u64>,
    /// SHA-256 of the payload.
    #[serde(rename = "payload-sha-256", skip_serializing_if = "Option::is_none")]
    pub payload_sha_256: Option<String>,
    /// SHA-256 of the record.
    #[serde(rename = "record-sha-256", skip_serializing_if = "Option::is_none")]
    pub record_sha_256: Option<String>,
    /// The digest that a hash envelope states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_digest: Option<StatedDigest>,
    /// The claims that the signature covers, if it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<SignedClaims>,
    /// The violations of the schema, if the record is not valid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// The attached record, if the verdict is `verified`.
    #[serde(skip)]
    pub payload: Option<Vec<u8>>,
}

/// The answer of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckAnswer {
    /// The answer as a code.
    pub verdict: &'static str,
    /// The reason, as text for people.
    pub detail: String,
}

impl From<&Answer> for CheckAnswer {
    fn from(answer: &Answer) -> Self {
        Self { verdict: answer.code(), detail: answer.detail().to_owned() }
    }
}

/// The digest that a hash envelope states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatedDigest {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The digest in hexadecimal.
    pub value: String,
}

impl StatedDigest {
    /// Writes a digest in hexadecimal.
    pub fn new(algorithm: HashAlgorithm, digest: &[u8]) -> Self {
        Self { algorithm: algorithm.to_string(), value: HEXLOWER.encode(digest) }
    }
}

/// The claims that a valid signature covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SignedClaims {
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key that verified it, as a URI.
    pub key: String,
    /// The issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The time of signing that the signer claims, in whole seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<i64>,
    /// The media type of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The data that the signature covers: `record`, `canonical-json`, `record-digest` or
    /// `canonical-json-digest`.
    pub signed: &'static str,
}

/// The claims of an envelope whose signature was not checked: anyone can write them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SignerClaims {
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The time of signing that the signer claims, in whole seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<i64>,
    /// The key identifier in hexadecimal: the thumbprint of the key, unless the signer chose
    /// another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Number of certificates in the protected header.
    pub certificates: usize,
    /// The record in the envelope: `attached`, `detached` or `digest`.
    pub payload: &'static str,
    /// The name of the algorithm.
    #[serde(skip)]
    pub algorithm_name: String,
}

impl SignerClaims {
    /// Reads the claims of an envelope. Returns `None` if the bytes are not a well-formed envelope.
    pub fn read(envelope: &[u8]) -> Option<Self> {
        let Envelope { header, payload, .. } = Envelope::read(envelope).ok()?;
        Some(Self {
            algorithm: header.algorithm.id(),
            issuer: header.claims.issuer,
            subject: header.claims.subject,
            #[allow(clippy::cast_possible_truncation)] // saturates
            issued_at: header.claims.issued_at.map(|time| time as i64),
            key_id: header.key_id.map(|id| HEXLOWER.encode(&id)),
            certificates: header.chain.map_or(0, |chain| chain.len()),
            payload: match (payload, header.payload_hash) {
                (_, Some(_)) => "digest",
                (None, None) => "detached",
                (Some(_), None) => "attached",
            },
            algorithm_name: header.algorithm.to_string(),
        })
    }
}

/// Verifies a signed record.
///
/// # Errors
/// If no thread can be started. A signature that is not valid is an answer, not an error.
pub fn verify(envelope: &[u8], with: &Verification<'_>) -> Result<Verified> {
    with_stack(|| {
        let answers = vac_sign::verify(envelope, with);
        let mut verified = Verified::from(&answers);
        verified.payload = answers.verified_payload().map(<[u8]>::to_vec);
        Ok(verified)
    })?
}

/// The answers without the attached record.
impl From<&Answers<'_>> for Verified {
    fn from(answers: &Answers<'_>) -> Self {
        let hex = |hash: &[u8; 32]| HEXLOWER.encode(hash);
        let violations = answers.examined.iter().filter_map(|it| it.verdict.as_ref().err());
        Self {
            signed: answers.is_signed,
            verdict: answers.verdict().code(),
            verified: answers.is_verified(),
            deterministic: answers.is_deterministic,
            envelope: (&answers.envelope).into(),
            signature: (&answers.signature).into(),
            payload_hash: (&answers.payload_hash).into(),
            record: (&answers.record).into(),
            trace_metadata: (&answers.trace_metadata).into(),
            signer: (&answers.signer).into(),
            receipts: (&answers.receipts).into(),
            time_stamp: answers.time_stamp.as_ref().map(CheckAnswer::from),
            stamped_at: answers.stamped_at,
            payload_stamped_at: answers.payload_stamped_at,
            payload_sha_256: answers.hashes.payload.as_ref().map(hex),
            record_sha_256: answers.hashes.record.as_ref().map(hex),
            stated_digest: answers
                .hashes
                .stated_digest
                .as_ref()
                .map(|(algorithm, digest)| StatedDigest::new(*algorithm, digest)),
            claims: answers.facts.as_ref().map(|facts| SignedClaims {
                algorithm: facts.algorithm,
                key: facts.key.clone(),
                issuer: facts.issuer.clone(),
                subject: facts.subject.clone(),
                issued_at: facts.issued_at,
                content_type: facts.content_type.clone(),
                signed: facts.signed.code(),
            }),
            violations: violations.flatten().map(ToString::to_string).collect(),
            payload: None,
        }
    }
}
