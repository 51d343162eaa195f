//! What was signed: the record as it is, its canonical form, or its digest.

use vac_value::{Document, Encoding};

use crate::answers::Answer;
use crate::canonical::{Form, canonical};
use crate::envelope::Envelope;
use crate::header::HashAlgorithm;
use crate::key::{PublicKey, SignatureError};
use crate::message::Message;

/// What an envelope has for its payload, with the record as it was given.
pub(super) enum Content<'a> {
    /// The record. Another may have been given to compare it with.
    Attached { payload: &'a [u8], given: Option<&'a [u8]> },
    /// Nothing: the record is what was given.
    Detached { given: Option<&'a [u8]> },
    /// The digest of the record, or not even that.
    Digest { algorithm: HashAlgorithm, digest: Option<&'a [u8]>, given: Option<&'a [u8]> },
}

/// What came out.
pub(super) struct Found {
    pub signature: Answer,
    /// Whether the payload is the record's; why not, otherwise.
    pub is_record: Result<(), String>,
    /// Whether a record was given besides, and is the one attached.
    pub is_given: bool,
    /// Of a hash envelope: its digest.
    pub digest: Option<Vec<u8>>,
    /// The record's SHA-256, if it was needed.
    pub sha256: Option<[u8; 32]>,
    /// The record's canonical form, if it was looked at.
    pub canonical: Option<Vec<u8>>,
    /// Which form was signed, if that is known.
    pub form: Option<RecordForm>,
    /// What was signed, in words.
    pub signed: &'static str,
}

/// A form of the record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordForm {
    AsItIs,
    Canonical,
}

impl Found {
    fn new(signature: Answer, signed: &'static str) -> Self {
        let form = Some(RecordForm::AsItIs);
        let (digest, sha256, canonical) = (None, None, None);
        let (is_record, is_given) = (Ok(()), false);
        Self { signature, is_record, is_given, digest, sha256, canonical, form, signed }
    }
}

const AS_IT_IS: &str = "the record as it is";
const CANONICAL: &str = "the record's canonical JSON";

impl<'a> Content<'a> {
    pub fn of(envelope: &Envelope<'a>, given: Option<&'a [u8]>) -> Self {
        match (envelope.header.payload_hash, envelope.payload) {
            (Some(algorithm), digest) => Self::Digest { algorithm, digest, given },
            (None, Some(payload)) => Self::Attached { payload, given },
            (None, None) => Self::Detached { given },
        }
    }

    /// The record to look at.
    pub fn record(&self) -> Option<&'a [u8]> {
        match self {
            Self::Attached { payload, .. } => Some(payload),
            Self::Detached { given } | Self::Digest { given, .. } => *given,
        }
    }

    /// The record that was given in addition to another one that is attached.
    pub fn other_record(&self) -> Option<&'a [u8]> {
        match self {
            Self::Attached { payload, given } => given.filter(|given| given != payload),
            Self::Detached { .. } | Self::Digest { .. } => None,
        }
    }

    /// Whether [`Content::find`] takes the record's SHA-256.
    pub fn is_sha256(&self) -> bool {
        let Self::Digest { algorithm, digest, given } = self else { return false };
        let is_digest = digest.is_some_and(|digest| digest.len() == algorithm.length());
        *algorithm == HashAlgorithm::Sha256 && is_digest && given.is_some()
    }

    /// Looks for the form of the record that was signed, and checks the signature.
    pub fn find(
        &self,
        envelope: &Envelope<'_>,
        key: Option<&PublicKey>,
        encoding: Encoding,
    ) -> Found {
        let check = |payload: &[u8]| {
            let key = key?;
            let message = Message::new(envelope.protected, payload);
            Some(key.verify(envelope.header.algorithm, &message, envelope.signature))
        };
        let verdict = |checked: Checked, what: &str| match (checked, key) {
            (Some(Ok(())), Some(key)) => {
                Answer::Ok(format!("over {what}, with the key {}", key.thumbprint_uri()))
            }
            (Some(Err(error)), _) => Answer::Failed(format!("over {what}: {error}")),
            _ => Answer::NotChecked("there is no key to check it with".to_owned()),
        };
        match *self {
            Self::Attached { payload, given } => {
                let signature = verdict(check(payload), "the attached record");
                let compared = given.map(|given| is_form_of(payload, given, encoding));
                let is_given = matches!(compared, Some(Ok(())));
                let is_record = compared.unwrap_or(Ok(()));
                Found { is_record, is_given, ..Found::new(signature, AS_IT_IS) }
            }
            Self::Detached { given: None } | Self::Digest { digest: None, given: None, .. } => {
                let why = "the record is detached and was not given";
                Found::new(Answer::NotChecked(why.to_owned()), AS_IT_IS)
            }
            Self::Detached { given: Some(record) } => detached(record, encoding, check, verdict),
            Self::Digest { algorithm, digest: Some(digest), given } => {
                let signature = verdict(check(digest), "the record's digest");
                by_digest(algorithm, digest, given, encoding, signature)
            }
            // Not even the digest is there: it follows from the record.
            Self::Digest { algorithm, digest: None, given: Some(record) } => {
                detached(record, encoding, |form| check(&algorithm.digest(form)), verdict)
            }
        }
    }
}

/// What came of a signature; nothing without a key.
type Checked = Option<Result<(), SignatureError>>;

/// The record as it is, or else its canonical form.
fn detached(
    record: &[u8],
    encoding: Encoding,
    check: impl Fn(&[u8]) -> Checked,
    verdict: impl Fn(Checked, &str) -> Answer,
) -> Found {
    let checked = check(record);
    if checked != Some(Err(SignatureError::Mismatch)) {
        return Found::new(verdict(checked, AS_IT_IS), AS_IT_IS);
    }
    let neither = |why: &str| {
        let failed = verdict(checked, AS_IT_IS);
        Answer::Failed(format!("{}; {why}", failed.detail()))
    };
    match canonical_form(record, encoding) {
        Ok(canonical) => match check(&canonical) {
            Some(Err(_)) => Found {
                canonical: Some(canonical),
                form: None,
                ..Found::new(neither("nor over its canonical JSON"), AS_IT_IS)
            },
            holds => Found {
                canonical: Some(canonical),
                form: Some(RecordForm::Canonical),
                ..Found::new(verdict(holds, CANONICAL), CANONICAL)
            },
        },
        Err(error) => {
            Found::new(neither(&format!("and it has no canonical JSON: {error}")), AS_IT_IS)
        }
    }
}

/// A digest of the record as it is, or else of its canonical form.
fn by_digest(
    algorithm: HashAlgorithm,
    digest: &[u8],
    record: Option<&[u8]>,
    encoding: Encoding,
    signature: Answer,
) -> Found {
    let mut found = Found::new(signature, "the record's digest");
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
                    found.signed = "the digest of the record's canonical JSON";
                }
                _ => found.is_record = Err("the payload is not the record's digest".to_owned()),
            }
        }
    }
    found
}

/// Whether a payload is a record as it is, or its canonical form.
fn is_form_of(payload: &[u8], record: &[u8], encoding: Encoding) -> Result<(), String> {
    let is_form = payload == record
        || canonical_form(record, encoding).is_ok_and(|canonical| canonical == payload);
    if is_form { Ok(()) } else { Err("the record given is not the payload".to_owned()) }
}

fn canonical_form(record: &[u8], encoding: Encoding) -> Result<Vec<u8>, String> {
    if encoding == Encoding::Cbor {
        return Err("the record is CBOR".to_owned());
    }
    let document = Document::json(record).map_err(|error| error.to_string())?;
    canonical(&document, Form::Sorted).map_err(|error| error.to_string())
}
