//! The documents of `vac sign`, of one file and of several.

use serde::Serialize;
use vac::sign::StatedDigest;

/// The result of `vac sign`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SignOutput {
    /// The file that was written.
    pub output: String,
    /// The COSE identifier of the algorithm.
    pub algorithm: i64,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// The issuer.
    pub issuer: String,
    /// The subject.
    pub subject: String,
    /// The hash that was signed.
    #[serde(flatten)]
    pub hash: SignedHash,
    /// Whether the envelope has trace metadata.
    pub trace_metadata: bool,
    /// Whether the record is valid.
    pub valid: bool,
    /// Likely secrets in the record.
    pub secrets: Vec<LikelySecret>,
}

/// The result of `vac sign` of several files.
#[derive(Serialize)]
pub struct SignBatchOutput {
    /// The files, in the order of the arguments.
    pub files: Vec<SignBatchFile>,
    /// Totals of all files.
    pub summary: SignSummary,
}

/// A file that was signed, or the reason why it was not: the document of one file, and a part of that of
/// several.
#[derive(Serialize)]
pub struct SignBatchFile {
    /// The record.
    pub file: String,
    /// The members of the result for one file.
    #[serde(flatten)]
    pub signed: Option<SignOutput>,
    /// The reason why it was not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Totals of `vac sign`.
#[derive(Clone, Copy, Default, Serialize)]
pub struct SignSummary {
    /// Number of files.
    pub files: usize,
    /// Number of files that were signed.
    pub signed: usize,
    /// Number of records that are invalid, or have likely secrets.
    pub refused: usize,
    /// Number of files that could not be read or written.
    pub failed: usize,
    /// Number of files in folders that are signed already.
    pub skipped: usize,
}

/// A string of a record with likely secrets of one kind.
#[derive(Serialize)]
pub struct LikelySecret {
    /// The kind of secret.
    pub kind: &'static str,
    /// JSON pointer to the string.
    pub path: String,
}

/// The hash that a signature covers.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignedHash {
    /// The hash of the attached or detached payload.
    #[serde(rename = "payload-sha-256")]
    Payload(String),
    /// The digest that a hash envelope states.
    StatedDigest(StatedDigest),
}
