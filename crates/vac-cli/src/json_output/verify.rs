//! The documents of `vac verify`, of one file and of several.

use serde::Serialize;
use vac::{LogVerification, Verified};

/// The result of `vac verify`.
#[derive(Serialize)]
pub struct VerifyOutput {
    /// The file that was verified.
    pub file: String,
    /// The verdict and the answers about the signature, unless only the log was compared.
    #[serde(flatten)]
    pub verified: Option<Verified>,
    /// Whether the record was made from the log (`--log`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogVerification>,
}

/// The result of `vac verify` of several files.
#[derive(Serialize)]
pub struct VerifyBatchOutput {
    /// The files, in the order of the arguments.
    pub files: Vec<VerifyBatchFile>,
    /// Totals of all files.
    pub summary: VerifySummary,
}

/// The answers about a file, or the reason why there are none.
#[derive(Serialize)]
pub struct VerifyBatchFile {
    /// The file.
    pub file: String,
    /// The verdict and the answers about the signature.
    #[serde(flatten)]
    pub verified: Option<Verified>,
    /// The reason why it could not be read, or its record not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Totals of `vac verify`.
#[derive(Clone, Copy, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct VerifySummary {
    /// Number of files.
    pub files: usize,
    /// Number of files that are verified.
    pub verified: usize,
    /// Number of files that are not verified.
    pub not_verified: usize,
    /// Number of files that could not be read or written.
    pub failed: usize,
    /// Number of files in folders that are not signed.
    pub skipped: usize,
}
