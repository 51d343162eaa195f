//! The result of a verification: one answer for each question, and the verdict on the whole.

use crate::header::HashAlgorithm;
use crate::record::Examined;

/// The answer to one question. The text says what was found and is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Ok(String),
    /// No.
    Failed(String),
    /// Unknown, because something needed to check it was not given.
    NotChecked(String),
    /// The question does not apply.
    Absent(String),
}

impl Answer {
    /// The answer in a word, for people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotChecked(_) => "not checked",
            other => other.code(),
        }
    }

    /// The answer as a code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::Failed(_) => "failed",
            Self::NotChecked(_) => "not-checked",
            Self::Absent(_) => "none",
        }
    }

    /// What was found.
    pub fn detail(&self) -> &str {
        match self {
            Self::Ok(detail)
            | Self::Failed(detail)
            | Self::NotChecked(detail)
            | Self::Absent(detail) => detail,
        }
    }

    /// Whether the answer is yes.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }

    /// Whether the answer is no.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// What all answers together come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a signature that was not looked at is worth nothing"]
pub enum Verdict {
    /// The signature holds for a record that was examined, and no check failed.
    Verified,
    /// The signature holds for the digest of a record that was not given, and no check failed.
    /// Nothing is known about the record.
    StatementOnly,
    /// The signature does not hold or was not checked, or another check failed.
    Failed,
}

impl Verdict {
    /// The verdict as a code, for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::StatementOnly => "statement-only",
            Self::Failed => "failed",
        }
    }
}

/// The answers to all questions about an envelope of lifetime `'e`.
#[derive(Clone, Debug)]
#[must_use = "a signature that was not looked at is worth nothing"]
pub struct Answers<'e> {
    /// Whether the bytes are an envelope at all.
    pub is_signed: bool,
    /// Whether the protected header is encoded deterministically (RFC 8949 section 4.2.1);
    /// `None` if it could not be read.
    pub is_deterministic: Option<bool>,
    /// Whether the envelope is well-formed and understood.
    pub envelope: Answer,
    /// Whether the signature is the key's over the payload.
    pub signature: Answer,
    /// Whether the payload has the hash that is stated for it, and is the record given.
    pub payload_hash: Answer,
    /// Whether the record is valid.
    pub record: Answer,
    /// Whether the trace metadata agrees with the record.
    pub trace_metadata: Answer,
    /// Whether the signer is the one that the envelope names.
    pub signer: Answer,
    /// Whether the receipts hold.
    pub receipts: Answer,
    /// Hashes of the payload and of the record.
    pub hashes: Hashes,
    /// What the signature covers; only if it holds.
    pub facts: Option<SignedFacts>,
    /// The result of validating the record, if there was one.
    pub examined: Option<Examined>,
    /// Whether the envelope has no payload.
    pub(crate) is_detached: bool,
    /// The attached record.
    pub(crate) attached: Option<&'e [u8]>,
}

/// Hashes that a verification computed or read, each named by what it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    /// SHA-256 of the payload: the attached bytes or, if the payload is detached, the form of
    /// the record that was signed. `None` for hash envelopes.
    pub payload: Option<[u8; 32]>,
    /// SHA-256 of the record, as it was given or as it is attached.
    pub record: Option<[u8; 32]>,
    /// The digest that a hash envelope states.
    pub stated_digest: Option<(HashAlgorithm, Vec<u8>)>,
}

/// What a signature that holds covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedFacts {
    /// The algorithm's number.
    pub algorithm: i64,
    /// The thumbprint of the key that verified it, as a URI.
    pub key: String,
    /// Who signs.
    pub issuer: Option<String>,
    /// What is signed.
    pub subject: Option<String>,
    /// The media type of the record.
    pub content_type: Option<String>,
    /// What was signed: the record as it is, its canonical form, or its digest.
    pub signed: &'static str,
}

impl<'e> Answers<'e> {
    /// The answers about bytes that are not an envelope, or not one that can be read.
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
            hashes: Hashes::default(),
            facts: None,
            examined: None,
            is_detached: false,
            attached: None,
        }
    }

    /// The questions and their answers, in order.
    pub fn lines(&self) -> [(&'static str, &Answer); 7] {
        [
            ("envelope", &self.envelope),
            ("signature", &self.signature),
            ("payload hash", &self.payload_hash),
            ("record", &self.record),
            ("trace metadata", &self.trace_metadata),
            ("signer", &self.signer),
            ("receipts", &self.receipts),
        ]
    }

    /// The verdict on the whole.
    pub fn verdict(&self) -> Verdict {
        let has_failed = self.lines().iter().any(|(_, answer)| answer.is_failed());
        match (self.signature.is_ok() && !has_failed, &self.examined) {
            (false, _) => Verdict::Failed,
            (true, None) => Verdict::StatementOnly,
            (true, Some(_)) => Verdict::Verified,
        }
    }

    /// Whether the verdict is [`Verdict::Verified`]: the record was examined, too.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.verdict() == Verdict::Verified
    }

    /// Whether the signature could not be checked because the record is detached and was not
    /// given.
    pub fn is_missing_record(&self) -> bool {
        self.is_detached && self.examined.is_none()
    }

    /// The exact bytes of the attached record, if the verdict is [`Verdict::Verified`].
    pub fn verified_payload(&self) -> Option<&'e [u8]> {
        self.attached.filter(|_| self.is_verified())
    }
}
