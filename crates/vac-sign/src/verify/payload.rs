//! Determines what was signed: the record unchanged, its canonical form, or its digest.

use vac_value::{Document, Encoding};

use crate::answers::{Answer, SignedContent};
use crate::canonical::{Form, canonical};
use crate::envelope::Envelope;
use crate::header::HashAlgorithm;
use crate::key::{PublicKey, SignatureError};
use crate::message::Message;

/// The payload of an envelope, and the record that was given.
pub(super) enum Content<'a> {
    /// The payload is the record. Another record may have been given to compare it with.
    Attached { payload: &'a [u8], given: Option<&'a [u8]> },
    /// The payload is absent: the record is the given one.
    Detached { given: Option<&'a [u8]> },
    /// The payload is the digest of the record, or that digest is detached.
    Digest { algorithm: HashAlgorithm, digest: Option<&'a [u8]>, given: Option<&'a [u8]> },
}

/// The result of checking a payload.
pub(super) struct CheckedPayload {
    pub signature: Answer,
    /// Whether the payload is the given record; an error states the reason why not.
    pub is_record: Result<(), String>,
    /// Whether a record was given in addition to the attached one and equals it.
    pub is_given: bool,
    /// The digest of a hash envelope.
    pub digest: Option<Vec<u8>>,
    /// The record's SHA-256, if it was computed.
    pub sha256: Option<[u8; 32]>,
    /// The record's canonical form, if it was computed.
    pub canonical: Option<Vec<u8>>,
    /// The form of the record that was signed, if it is known.
    pub form: Option<RecordForm>,
    /// The content that was signed.
    pub signed: SignedContent,
}

/// A form of the record that can be signed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordForm {
    Unchanged,
    Canonical,
}

impl CheckedPayload {
    fn new(signature: Answer, signed: SignedContent) -> Self {
        let form = Some(RecordForm::Unchanged);
        let (digest, sha256, canonical) = (None, None, None);
        let (is_record, is_given) = (Ok(()), false);
        Self { signature, is_record, is_given, digest, sha256, canonical, form, signed }
    }
}

const UNCHANGED: &str = "the record as it is";
const CANONICAL: &str = "the record's canonical JSON";

impl<'a> Content<'a> {
    pub fn new(envelope: &Envelope<'a>, given: Option<&'a [u8]>) -> Self {
        match (envelope.header.payload_hash, envelope.payload) {
            (Some(algorithm), digest) => Self::Digest { algorithm, digest, given },
            (None, Some(payload)) => Self::Attached { payload, given },
            (None, None) => Self::Detached { given },
        }
    }

    /// Returns the record.
    pub fn record(&self) -> Option<&'a [u8]> {
        match self {
            Self::Attached { payload, .. } => Some(payload),
            Self::Detached { given } | Self::Digest { given, .. } => *given,
        }
    }

    /// Returns the given record if another one is attached.
    pub fn other_record(&self) -> Option<&'a [u8]> {
        match self {
            Self::Attached { payload, given } => given.filter(|given| given != payload),
            Self::Detached { .. } | Self::Digest { .. } => None,
        }
    }

    /// Returns whether [`Content::check`] computes the record's SHA-256.
    pub fn is_sha256(&self) -> bool {
        let Self::Digest { algorithm, digest, given } = self else { return false };
        let is_digest = digest.is_some_and(|digest| digest.len() == algorithm.length());
        *algorithm == HashAlgorithm::Sha256 && is_digest && given.is_some()
    }

    /// Checks the signature over each form of the record that may have been signed.
    pub fn check(
        &self,
        envelope: &Envelope<'_>,
        key: Option<&PublicKey>,
        encoding: Encoding,
    ) -> CheckedPayload {
        let check = |payload: &[u8]| {
            let key = key?;
            let message = Message::new(envelope.protected, payload);
            Some(key.verify(envelope.header.algorithm, &message, envelope.signature))
        };
        let verdict = |checked: SignatureCheck, what: &str| match (checked, key) {
            (Some(Ok(())), Some(key)) => {
                Answer::Ok(format!("over {what}, with the key {}", key.thumbprint_uri()))
            }
            (Some(Err(error)), _) => Answer::Failed(format!("over {what}: {error}")),
            _ => Answer::NotChecked("no key to check it with".to_owned()),
        };
        match *self {
            Self::Attached { payload, given } => {
                let signature = verdict(check(payload), "the attached record");
                let compared = given.map(|given| check_form(payload, given, encoding));
                let is_given = matches!(compared, Some(Ok(())));
                let is_record = compared.unwrap_or(Ok(()));
                CheckedPayload {
                    is_record,
                    is_given,
                    ..CheckedPayload::new(signature, SignedContent::Record)
                }
            }
            Self::Detached { given: None } | Self::Digest { digest: None, given: None, .. } => {
                let why = "the record is detached and was not given";
                CheckedPayload::new(Answer::NotChecked(why.to_owned()), SignedContent::Record)
            }
            Self::Detached { given: Some(record) } => detached(record, encoding, check, verdict),
            Self::Digest { algorithm, digest: Some(digest), given } => {
                let signature = verdict(check(digest), "the record's digest");
                compare_digest(algorithm, digest, given, encoding, signature)
            }
            // The digest is detached: it is computed from the record.
            Self::Digest { algorithm, digest: None, given: Some(record) } => {
                let found =
                    detached(record, encoding, |form| check(&algorithm.digest(form)), verdict);
                CheckedPayload { signed: found.signed.digest(), ..found }
            }
        }
    }
}

/// The result of checking a signature; `None` without a key.
type SignatureCheck = Option<Result<(), SignatureError>>;

/// Checks the signature over the bytes of the record, then over its canonical form.
fn detached(
    record: &[u8],
    encoding: Encoding,
    check: impl Fn(&[u8]) -> SignatureCheck,
    verdict: impl Fn(SignatureCheck, &str) -> Answer,
) -> CheckedPayload {
    let checked = check(record);
    if checked != Some(Err(SignatureError::Mismatch)) {
        return CheckedPayload::new(verdict(checked, UNCHANGED), SignedContent::Record);
    }
    let neither = |why: &str| {
        let failed = verdict(checked, UNCHANGED);
        Answer::Failed(format!("{}; {why}", failed.detail()))
    };
    match canonical_form(record, encoding) {
        Ok(canonical) => match check(&canonical) {
            Some(Err(_)) => CheckedPayload {
                canonical: Some(canonical),
                form: None,
                ..CheckedPayload::new(neither("nor over its canonical JSON"), SignedContent::Record)
            },
            holds => CheckedPayload {
                canonical: Some(canonical),
                form: Some(RecordForm::Canonical),
                ..CheckedPayload::new(verdict(holds, CANONICAL), SignedContent::CanonicalJson)
            },
        },
        Err(error) => CheckedPayload::new(
            neither(&format!("and it has no canonical JSON: {error}")),
            SignedContent::Record,
        ),
    }
}

/// Compares a digest with that of the bytes of the record, then with that of its canonical form.
fn compare_digest(
    algorithm: HashAlgorithm,
    digest: &[u8],
    record: Option<&[u8]>,
    encoding: Encoding,
    signature: Answer,
) -> CheckedPayload {
    let mut found = CheckedPayload::new(signature, SignedContent::RecordDigest);
    if digest.len() != algorithm.length() {
        found.is_record =
            Err(format!("the payload is not a {algorithm} digest but {} bytes", digest.len()));
        return found;
    }
    found.digest = Some(digest.to_vec());
    if let Some(record) = record {
        let own = algorithm.digest(record);
        found.sha256 = own[..].try_into().ok();
        if own != digest {
            match canonical_form(record, encoding) {
                Ok(canonical) if algorithm.digest(&canonical) == digest => {
                    found.canonical = Some(canonical);
                    found.form = Some(RecordForm::Canonical);
                    found.signed = SignedContent::CanonicalJsonDigest;
                }
                _ => found.is_record = Err("the payload is not the record's digest".to_owned()),
            }
        }
    }
    found
}

/// Checks that a payload is the bytes of a record, or its canonical form.
fn check_form(payload: &[u8], record: &[u8], encoding: Encoding) -> Result<(), String> {
    let is_form = payload == record
        || canonical_form(record, encoding).is_ok_and(|canonical| canonical == payload);
    if is_form { Ok(()) } else { Err("the given record is not the payload".to_owned()) }
}

fn canonical_form(record: &[u8], encoding: Encoding) -> Result<Vec<u8>, String> {
    if encoding == Encoding::Cbor {
        return Err("the record is CBOR".to_owned());
    }
    let document = Document::json(record).map_err(|error| error.to_string())?;
    canonical(&document, Form::Sorted).map_err(|error| error.to_string())
}
