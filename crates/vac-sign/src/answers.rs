//! The result of a verification: one answer for each check, and a verdict.

use crate::header::HashAlgorithm;
use crate::record::Examined;

/// The answer of one check. Its text describes what was found, and is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an answer that is not read was not checked"]
pub enum Answer {
    /// The check succeeded.
    Ok(String),
    /// The check failed.
    Failed(String),
    /// Not checked, because something that the check needs was not given.
    NotChecked(String),
    /// The check does not apply.
    Absent(String),
}

impl Answer {
    /// Returns the answer as a word, for display.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotChecked(_) => "not checked",
            other => other.code(),
        }
    }

    /// Returns the answer as a code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::Failed(_) => "failed",
            Self::NotChecked(_) => "not-checked",
            Self::Absent(_) => "none",
        }
    }

    /// Returns a description of what was found.
    pub fn detail(&self) -> &str {
        match self {
            Self::Ok(detail)
            | Self::Failed(detail)
            | Self::NotChecked(detail)
            | Self::Absent(detail) => detail,
        }
    }

    /// Returns whether the check succeeded.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }

    /// Returns whether the check failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// The result of all checks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the signature may not be valid"]
pub enum SignatureVerdict {
    /// The signature is valid for a record that was examined, and no check failed.
    Verified,
    /// The signature is valid for the digest of a record that was not given, and no check failed.
    /// Nothing is known about the record.
    StatementOnly,
    /// The signature is not valid or was not checked, or another check failed.
    Failed,
}

impl SignatureVerdict {
    /// Returns the verdict as a code, for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::StatementOnly => "statement-only",
            Self::Failed => "failed",
        }
    }
}

/// The result of verifying an envelope of lifetime `'e`: an answer for each check.
#[derive(Clone, Debug)]
#[must_use = "the signature may not be valid"]
pub struct Answers<'e> {
    /// Whether the bytes are an envelope.
    pub is_signed: bool,
    /// Whether the protected header is encoded deterministically (RFC 8949 section 4.2.1);
    /// `None` if it could not be read.
    pub is_deterministic: Option<bool>,
    /// Whether the envelope is well-formed and understood.
    pub envelope: Answer,
    /// Whether the signature is one of the key over the payload.
    pub signature: Answer,
    /// Whether the payload has the stated hash, and is the given record.
    pub payload_hash: Answer,
    /// Whether the record is valid.
    pub record: Answer,
    /// Whether the trace metadata agrees with the record.
    pub trace_metadata: Answer,
    /// Whether the signer is the one that the envelope names.
    pub signer: Answer,
    /// Whether the receipts are valid.
    pub receipts: Answer,
    /// Whether the time stamps are valid; `None` if the envelope has none and none were asked for.
    pub time_stamp: Option<Answer>,
    /// The earliest time at which the signature existed, as a trusted authority states, in seconds
    /// since 1970.
    pub stamped_at: Option<u64>,
    /// The time at which the payload existed, as a trusted authority states, in seconds since 1970.
    /// It may have been signed much later.
    pub payload_stamped_at: Option<u64>,
    /// Hashes of the payload and of the record.
    pub hashes: Hashes,
    /// The facts that the signature covers; `None` unless it is valid.
    pub facts: Option<SignedFacts>,
    /// The result of validating the record, if there was one.
    pub examined: Option<Examined>,
    /// Whether the envelope has no payload.
    pub(crate) is_detached: bool,
    /// The attached record.
    pub(crate) attached: Option<&'e [u8]>,
}

/// Hashes that a verification computed or read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    /// SHA-256 of the payload: the attached bytes or, if the payload is detached, the form of
    /// the record that was signed. `None` for hash envelopes.
    pub payload: Option<[u8; 32]>,
    /// SHA-256 of the record: of the given one, or else of the attached one.
    pub record: Option<[u8; 32]>,
    /// The digest that a hash envelope states.
    pub stated_digest: Option<(HashAlgorithm, Vec<u8>)>,
}

/// The content that a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedContent {
    /// The bytes of the record.
    Record,
    /// The record's canonical JSON.
    CanonicalJson,
    /// The digest of the bytes of the record.
    RecordDigest,
    /// The digest of the record's canonical JSON.
    CanonicalJsonDigest,
}

impl SignedContent {
    /// Returns the digest of this content, if it is not a digest itself.
    pub(crate) fn digest(self) -> Self {
        match self {
            Self::Record | Self::RecordDigest => Self::RecordDigest,
            Self::CanonicalJson | Self::CanonicalJsonDigest => Self::CanonicalJsonDigest,
        }
    }

    /// Returns its code in output.
    pub fn code(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::CanonicalJson => "canonical-json",
            Self::RecordDigest => "record-digest",
            Self::CanonicalJsonDigest => "canonical-json-digest",
        }
    }
}

/// The facts that a valid signature covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedFacts {
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key that verified it, as a URI.
    pub key: String,
    /// The issuer.
    pub issuer: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The time of signing that the signer claims, in whole seconds since 1970.
    pub issued_at: Option<i64>,
    /// The media type of the record.
    pub content_type: Option<String>,
    /// The content that the signature covers.
    pub signed: SignedContent,
}

impl<'e> Answers<'e> {
    /// Creates the answers for bytes that are not a valid envelope.
    pub(crate) fn without_envelope(is_signed: bool, why: String) -> Self {
        let unknown = || Answer::NotChecked("the envelope could not be read".to_owned());
        Self {
            is_signed,
            is_deterministic: None,
            envelope: Answer::Failed(why),
            signature: unknown(),
            payload_hash: unknown(),
            record: unknown(),
            trace_metadata: unknown(),
            signer: unknown(),
            receipts: unknown(),
            time_stamp: None,
            stamped_at: None,
            payload_stamped_at: None,
            hashes: Hashes::default(),
            facts: None,
            examined: None,
            is_detached: false,
            attached: None,
        }
    }

    /// Returns the names of the checks and their answers, in order.
    pub fn lines(&self) -> Vec<(&'static str, &Answer)> {
        let mut lines = vec![
            ("envelope", &self.envelope),
            ("signature", &self.signature),
            ("payload hash", &self.payload_hash),
            ("record", &self.record),
            ("trace metadata", &self.trace_metadata),
            ("signer", &self.signer),
            ("receipts", &self.receipts),
        ];
        lines.extend(self.time_stamp.as_ref().map(|answer| ("time stamp", answer)));
        lines
    }

    /// Returns the result of all checks together.
    pub fn verdict(&self) -> SignatureVerdict {
        let has_failed = self.lines().iter().any(|(_, answer)| answer.is_failed());
        match (self.signature.is_ok() && !has_failed, &self.examined) {
            (false, _) => SignatureVerdict::Failed,
            (true, None) => SignatureVerdict::StatementOnly,
            (true, Some(_)) => SignatureVerdict::Verified,
        }
    }

    /// Returns whether the verdict is [`SignatureVerdict::Verified`].
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.verdict() == SignatureVerdict::Verified
    }

    /// Returns whether the signature could not be checked because the record is detached and was not
    /// given.
    pub fn is_missing_record(&self) -> bool {
        self.is_detached && self.examined.is_none()
    }

    /// Returns the exact bytes of the attached record, if the verdict is [`SignatureVerdict::Verified`].
    pub fn verified_payload(&self) -> Option<&'e [u8]> {
        self.attached.filter(|_| self.is_verified())
    }
}
