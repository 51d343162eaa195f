//! What a verification came to, question by question.

use crate::record::Examined;

/// The answer to one question. The text says what was found; it is safe to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Ok(String),
    /// No.
    Failed(String),
    /// Nobody knows, because something is missing.
    NotChecked(String),
    /// There is nothing to ask about.
    Absent(String),
}

impl Verdict {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::Failed(_) => "failed",
            Self::NotChecked(_) => "not checked",
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

/// The answers.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// Whether it is an envelope at all.
    pub is_signed: bool,
    /// Whether the envelope's form is one to rely on.
    pub envelope: Verdict,
    /// Whether the signature is the key's over the payload.
    pub signature: Verdict,
    /// Whether the payload has the hash that is stated for it, and is the record given.
    pub payload_hash: Verdict,
    /// Whether the record is valid.
    pub record: Verdict,
    /// Whether the trace metadata says what the record says.
    pub trace_metadata: Verdict,
    /// Whether the signer is who it says.
    pub signer: Verdict,
    /// Whether the receipts hold.
    pub receipts: Verdict,
    /// What is known of the signature, once it holds.
    pub facts: Option<SignedFacts>,
    /// What is known of the record.
    pub examined: Option<Examined>,
}

/// What a signature that holds says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedFacts {
    /// The algorithm's number.
    pub algorithm: i64,
    /// The thumbprint of the key that it was checked with, as a URI.
    pub key: String,
    /// Who signs.
    pub issuer: Option<String>,
    /// What is signed.
    pub subject: Option<String>,
    /// What the record is written in.
    pub content_type: Option<String>,
    /// What was signed: the record as it is, its canonical form, or its digest.
    pub signed: &'static str,
}

impl Verdicts {
    /// When there is no envelope to ask about.
    pub(crate) fn without_envelope(is_signed: bool, why: String) -> Self {
        let unknown = || Verdict::NotChecked("there is no envelope to rely on".to_owned());
        Self {
            is_signed,
            envelope: Verdict::Failed(why),
            signature: unknown(),
            payload_hash: unknown(),
            record: unknown(),
            trace_metadata: unknown(),
            signer: unknown(),
            receipts: unknown(),
            facts: None,
            examined: None,
        }
    }

    /// The questions and the answers, in order.
    pub fn lines(&self) -> [(&'static str, &Verdict); 7] {
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

    /// Whether the signature holds and nothing else failed.
    pub fn is_verified(&self) -> bool {
        self.signature.is_ok() && !self.lines().iter().any(|(_, verdict)| verdict.is_failed())
    }
}
