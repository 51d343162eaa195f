//! Checks and attaches time stamps of authorities (RFC 3161) in envelopes (RFC 9921).
//!
//! A token is made by other tools, such as `openssl ts`. It states that an authority has seen the
//! hash of some bytes at a time: of the signature, in the unprotected header ([`StampedPart::Signature`]), or of
//! the payload before it was signed, in the protected header ([`StampedPart::Payload`]).
//!
//! A token outlives the authority's certificate, which has to be valid at the time that the token
//! states ([`check`]). A trusted token of the signature in turn makes the signature outlive the
//! signer's certificate ([`crate::verify()`]). A token of the payload does not show when the
//! payload was signed.

mod token;

use std::fmt;
use std::time::Duration;

use data_encoding::HEXLOWER;
use ed25519_dalek::pkcs8::ObjectIdentifier;
use ed25519_dalek::pkcs8::spki::der;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use vac_value::{Document, Encode, EncodeError, Encoder, printable};
use webpki::EndEntityCert;

use crate::certificate::{CertificateError, Chain, Trust};
use crate::envelope::Envelope;
use crate::header::{HashAlgorithm, labelled};
use crate::label::{COSE_THEN_TIME_STAMP, TIME_STAMP_THEN_COSE};
use crate::receipt::AttachError;
use crate::x509::{Constraints, Names, Purpose};
use token::{SignerName, Statement, Token};

/// The maximum number of seconds by which the time of a token may be after that of the
/// verification.
const MAX_AHEAD: u64 = 300;

/// The bytes that a time stamp is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampedPart {
    /// The signature, encoded in CBOR (`3161-ctt`).
    Signature,
    /// The payload (`3161-ttc`).
    Payload,
}

/// A token whose imprint and signature are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeStamp {
    /// The time that the authority states, in whole seconds since 1970.
    pub seconds: u64,
    /// The maximum deviation of the time, if the authority states one.
    pub accuracy: Option<Duration>,
    /// The common name of the authority's certificate.
    pub authority: Option<String>,
    /// The policy, as an object identifier.
    pub policy: String,
    /// Whether the authority's certificate leads to a trust root.
    pub is_trusted: bool,
}

impl fmt::Display for TimeStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_time(self.seconds))?;
        if let Some(accuracy) = self.accuracy {
            write!(f, " (accurate to {} s)", accuracy.as_secs_f64())?;
        }
        let name = self.authority.as_deref().map_or_else(
            || "an authority without a name".to_owned(),
            |name| format!("\"{}\"", printable(name, 100)),
        );
        write!(f, ", as {name} states under policy {}", self.policy)
    }
}

/// Formats seconds since 1970 in UTC, or as a number if their year has more than four digits.
pub(crate) fn format_time(seconds: impl Into<i128>) -> String {
    let seconds = seconds.into();
    let text = vac_record::time::utc(seconds * 1_000_000_000);
    text.map_or_else(|| format!("{seconds} seconds since 1970"), |text| text.replace(".000Z", "Z"))
}

/// The reason why a token is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeStampError {
    /// The bytes are not DER.
    Der(String),
    /// The bytes are not a time-stamp token.
    NotAToken(&'static str),
    /// The token has more bytes than the maximum of 256 KiB.
    TooLarge(usize),
    /// The authority refused the request, with this status.
    Rejected(u8),
    /// The token uses an algorithm that is not supported.
    Algorithm(ObjectIdentifier),
    /// The token is for other bytes.
    Imprint {
        /// The hash that the token states.
        stated: String,
        /// The hash of the bytes.
        found: String,
        /// The bytes that the token should be for.
        part: StampedPart,
    },
    /// The attributes state the digest of another content.
    Digest,
    /// The token does not contain the certificate of its signer.
    NoCertificate,
    /// The authority's key did not make the signature.
    Signature,
    /// The certificate is not one for time stamps.
    Purpose,
    /// The certificate could not be parsed.
    Certificate(CertificateError),
    /// The certificate is not trusted at the time of the stamp.
    CertificateThen(CertificateError),
    /// The token has a critical extension. None is supported.
    CriticalExtension(ObjectIdentifier),
    /// The token states a time after that of the verification.
    Future(u64),
}

impl fmt::Display for TimeStampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Der(why) => write!(f, "not a time-stamp token in DER: {why}"),
            Self::NotAToken(why) => write!(f, "not a time-stamp token: {why}"),
            Self::TooLarge(size) => {
                write!(f, "{size} bytes, where a token has at most {}", token::MAX_SIZE)
            }
            Self::Rejected(status) => {
                write!(f, "the authority did not stamp the request (status {status})")
            }
            Self::Algorithm(oid) => write!(
                f,
                "the token uses algorithm {oid}, which is not supported (supported: SHA-256, \
                 SHA-384, SHA-512, RSA PKCS #1 v1.5, ECDSA with P-256 or P-384, Ed25519)"
            ),
            Self::Imprint { stated, found, part } => {
                let what = match part {
                    StampedPart::Signature => "this signature",
                    StampedPart::Payload => "this payload",
                };
                write!(f, "the token is not for {what}: it states {stated}, expected {found}")
            }
            Self::Digest => f.write_str("the token's content does not have the signed digest"),
            Self::NoCertificate => f.write_str(
                "the token does not contain the certificate that it names (`openssl ts -query \
                 -cert` asks for it)",
            ),
            Self::Signature => f.write_str("the token's signature is not valid"),
            Self::Purpose => f.write_str(
                "the authority's certificate is not one for time stamps: its extended key usage \
                 has to be timeStamping alone, and critical",
            ),
            Self::Certificate(error) => write!(f, "the authority: {error}"),
            Self::CertificateThen(error) => {
                write!(f, "the authority, at the time that it states: {error}")
            }
            Self::CriticalExtension(oid) => {
                write!(f, "the token has the critical extension {oid}, which is not supported")
            }
            Self::Future(seconds) => {
                write!(f, "the token states a time {seconds} seconds after that of verification")
            }
        }
    }
}

impl std::error::Error for TimeStampError {}

impl From<der::Error> for TimeStampError {
    fn from(error: der::Error) -> Self {
        Self::Der(error.to_string())
    }
}

/// Returns the SHA-256 of an envelope's signature, for which a time stamp is requested.
pub fn signature_digest(envelope: &Envelope<'_>) -> Vec<u8> {
    HashAlgorithm::Sha256.digest(envelope.encoded_signature())
}

/// Returns the token in an authority's response, or the bytes themselves if they are a token.
pub fn token_of(bytes: &[u8]) -> Result<&[u8], TimeStampError> {
    let token = token::in_response(bytes)?;
    Token::read(token).and_then(|token| Statement::read(token.content).map(drop))?;
    Ok(token)
}

/// Checks that a token is for these bytes and that its signature is valid. Without a trust root,
/// the result is not trusted.
///
/// The certificates have to be valid at the time that the token states, which may not be after the
/// time of verification. They may have expired since. A leaked key of an authority can therefore
/// state any time within the validity of its certificate: do not trust the root of such an
/// authority. Revocation is not checked.
pub fn check(
    token: &[u8],
    part: StampedPart,
    bytes: &[u8],
    trust: Option<&Trust>,
) -> Result<TimeStamp, TimeStampError> {
    let token = Token::read(token)?;
    let statement = Statement::read(token.content)?;
    let digest = statement.imprint_algorithm.digest(bytes);
    if statement.imprint != digest {
        let shown = |digest: &[u8]| {
            let digest = digest.get(..64).unwrap_or(digest);
            format!("{} {}", statement.imprint_algorithm, HEXLOWER.encode(digest))
        };
        let (stated, found) = (shown(statement.imprint), shown(&digest));
        return Err(TimeStampError::Imprint { stated, found, part });
    }
    if token.digest_algorithm.digest(token.content) != token.message_digest {
        return Err(TimeStampError::Digest);
    }
    let chain = chain(&token)?;
    let certificate = chain.certificates().next().ok_or(TimeStampError::NoCertificate)?;
    check_signature(&token, certificate)?;
    if !Constraints::parse(certificate)?.is_for_time_stamps_only() {
        return Err(TimeStampError::Purpose);
    }
    if let Some(trust) = trust {
        let ahead = statement.seconds.saturating_sub(trust.time);
        if ahead > MAX_AHEAD {
            return Err(TimeStampError::Future(ahead));
        }
        chain
            .check_for(Purpose::TimeStamping, &trust.roots, statement.seconds)
            .map_err(TimeStampError::CertificateThen)?;
    }
    Ok(TimeStamp {
        seconds: statement.seconds,
        accuracy: statement.accuracy,
        authority: Names::parse(certificate)?.common_name(),
        policy: statement.policy.to_string(),
        is_trusted: trust.is_some(),
    })
}

/// Returns the certificates of a token, that of the signer first. The signer's certificate has to
/// have the hash that the signed attributes state, and the name that the signature states.
fn chain(token: &Token<'_>) -> Result<Chain, TimeStampError> {
    let (algorithm, hash) = token.certificate_hash;
    let is_signer = |certificate: &Vec<u8>| match algorithm {
        Some(algorithm) => algorithm.digest(certificate) == hash,
        None => {
            let sha_1 = &ring::digest::SHA1_FOR_LEGACY_USE_ONLY;
            ring::digest::digest(sha_1, certificate).as_ref() == hash
        }
    };
    let mut certificates = token.certificates.clone();
    let at = certificates.iter().position(is_signer).ok_or(TimeStampError::NoCertificate)?;
    certificates.swap(0, at);
    if let SignerName::Issuer(issuer, serial) = token.signer {
        let names = Names::parse(&certificates[0])?;
        if (names.issuer, names.serial) != (issuer, serial) {
            return Err(TimeStampError::NoCertificate);
        }
    }
    Ok(Chain::from_der(certificates))
}

fn check_signature(token: &Token<'_>, certificate: &[u8]) -> Result<(), TimeStampError> {
    let certificate = CertificateDer::from(certificate);
    let parsed = EndEntityCert::try_from(&certificate).map_err(|error| {
        TimeStampError::Certificate(CertificateError::Unreadable(error.to_string()))
    })?;
    let algorithms = algorithms(token.signature_algorithm, token.digest_algorithm);
    if algorithms.is_empty() {
        return Err(TimeStampError::Algorithm(token.signature_algorithm));
    }
    let is_valid = |algorithm: &&dyn SignatureVerificationAlgorithm| {
        parsed.verify_signature(*algorithm, &token.signed_attributes, token.signature).is_ok()
    };
    if algorithms.iter().any(is_valid) { Ok(()) } else { Err(TimeStampError::Signature) }
}

/// Returns the algorithms that an identifier can mean: those of any curve, and of RSA with the hash
/// that the signer states.
fn algorithms(
    oid: ObjectIdentifier,
    hash: HashAlgorithm,
) -> Vec<&'static dyn SignatureVerificationAlgorithm> {
    use webpki::ring::{
        ECDSA_P256_SHA256, ECDSA_P256_SHA384, ECDSA_P384_SHA256, ECDSA_P384_SHA384, ED25519,
        RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    };
    match (oid.to_string().as_str(), hash) {
        ("1.2.840.113549.1.1.1" | "1.2.840.113549.1.1.11", HashAlgorithm::Sha256) => {
            vec![RSA_PKCS1_2048_8192_SHA256]
        }
        ("1.2.840.113549.1.1.1" | "1.2.840.113549.1.1.12", HashAlgorithm::Sha384) => {
            vec![RSA_PKCS1_2048_8192_SHA384]
        }
        ("1.2.840.113549.1.1.1" | "1.2.840.113549.1.1.13", HashAlgorithm::Sha512) => {
            vec![RSA_PKCS1_2048_8192_SHA512]
        }
        ("1.2.840.10045.4.3.2", HashAlgorithm::Sha256) => {
            vec![ECDSA_P256_SHA256, ECDSA_P384_SHA256]
        }
        ("1.2.840.10045.4.3.3", HashAlgorithm::Sha384) => {
            vec![ECDSA_P256_SHA384, ECDSA_P384_SHA384]
        }
        ("1.3.101.112", _) => vec![ED25519],
        _ => vec![],
    }
}

/// The tokens of an envelope.
#[derive(Default)]
pub(crate) struct AttachedTokens {
    pub signature: Option<Vec<u8>>,
    pub payload: Option<Vec<u8>>,
}

/// Returns the tokens of an envelope.
pub(crate) fn attached(
    envelope: &Envelope<'_>,
    unprotected: &Document<'_>,
) -> Result<AttachedTokens, TimeStampError> {
    let bytes = |node: vac_value::Node<'_, '_>| match node.bytes() {
        Some(bytes) => Ok(bytes.into_owned()),
        None => Err(TimeStampError::NotAToken("the header parameter is not bytes")),
    };
    let mut tokens = AttachedTokens::default();
    if let Ok(protected) = Document::cbor(envelope.protected) {
        if labelled(protected.root(), COSE_THEN_TIME_STAMP).is_some() {
            let why = "a time stamp of the signature (270) is in the protected header";
            return Err(TimeStampError::NotAToken(why));
        }
        if let Some(node) = labelled(protected.root(), TIME_STAMP_THEN_COSE) {
            tokens.payload = Some(bytes(node)?);
        }
    }
    if let Some(node) = labelled(unprotected.root(), COSE_THEN_TIME_STAMP) {
        tokens.signature = Some(bytes(node)?);
    }
    Ok(tokens)
}

/// Returns the envelope with a token for its signature in the unprotected header, in place of one
/// that it may have.
pub fn attach(envelope: &Envelope<'_>, token: &[u8]) -> Result<Vec<u8>, AttachError> {
    envelope.with_parameter(COSE_THEN_TIME_STAMP, &Bytes(token))
}

/// A byte string.
struct Bytes<'b>(&'b [u8]);

impl Encode for Bytes<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        to.bytes(self.0);
        Ok(())
    }
}
