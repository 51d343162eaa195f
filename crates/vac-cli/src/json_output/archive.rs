//! The documents of `vac archive`.

use std::collections::BTreeMap;

use serde::Serialize;
use vac::search::Duplicate;
use vac_archive::{AddSummary, ArchiveHead, ArchivedVersion};

use super::FailedFile;

/// The result of `vac archive init`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveInitOutput {
    /// The folder of the archive.
    pub archive: String,
    /// The id of the archive.
    pub id: String,
    /// The thumbprint of the key, as a URI.
    pub key: String,
    /// The file of the private key, if it was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key: Option<String>,
}

/// The result of `vac archive add`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveAddOutput<'s> {
    /// The versions that were added.
    pub sessions: &'s [ArchivedVersion],
    /// Number of logs that are unchanged.
    pub unchanged: usize,
    /// Number of files in directories that are not logs.
    pub skipped: usize,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: &'s [Duplicate],
    /// Logs that could not be added.
    pub failed: Vec<FailedFile>,
    /// The remains of an interrupted run that were repaired.
    pub repaired: &'s [String],
    /// Versions that do not contain the previous ones.
    pub discontinued: Vec<&'s ArchivedVersion>,
    /// The numbers of statements about such versions of earlier runs that were acknowledged.
    pub acknowledged: Vec<u64>,
    /// Number of statements in the archive.
    pub statements: u64,
}

impl<'s> From<&'s AddSummary> for ArchiveAddOutput<'s> {
    fn from(summary: &'s AddSummary) -> Self {
        let failed = summary.failed.iter();
        let failed =
            failed.map(|(file, error)| FailedFile { file: file.clone(), error: error.clone() });
        Self {
            sessions: &summary.added,
            unchanged: summary.unchanged,
            skipped: summary.skipped,
            duplicates: &summary.duplicates,
            failed: failed.collect(),
            repaired: &summary.repaired,
            discontinued: summary.discontinued.iter().map(|(version, _)| version).collect(),
            acknowledged: summary.acknowledged.iter().map(|(version, _)| version.number).collect(),
            statements: summary.size,
        }
    }
}

/// The result of `vac archive head`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveHeadOutput {
    /// The id of the archive.
    pub id: String,
    /// The number of the head.
    pub number: u64,
    /// Number of statements that it covers.
    pub statements: u64,
    /// The root of the tree, in hexadecimal.
    pub root: String,
    /// The time of signing that the signer claims, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The bytes of the head, in base64.
    pub head: String,
}

impl ArchiveHeadOutput {
    /// Describes a head.
    pub fn new(head: &ArchiveHead, text: String) -> Self {
        Self {
            id: head.archive_id.clone(),
            number: head.claim.number,
            statements: head.claim.size,
            root: data_encoding::HEXLOWER.encode(&head.root),
            time: head.time,
            head: text,
        }
    }
}

/// The result of `vac archive prove`.
#[derive(Serialize)]
pub struct ArchiveProofOutput {
    /// The name of the file.
    pub output: String,
    /// The version.
    #[serde(flatten)]
    pub session: ArchivedVersion,
}

/// The result of `vac archive list`.
#[derive(Serialize)]
pub struct ArchiveListOutput {
    /// The versions, the last added first.
    pub sessions: Vec<ArchivedVersion>,
}

/// The result of `vac archive export`.
#[derive(Serialize)]
pub struct ArchiveExportOutput {
    /// The files that were written.
    pub files: Vec<String>,
}

/// The result of `vac archive status`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveStatusOutput {
    /// Number of sessions.
    pub sessions: usize,
    /// Number of versions.
    pub versions: usize,
    /// Number of sessions by agent.
    pub agents: BTreeMap<String, usize>,
    /// Number of sessions by label.
    pub labels: BTreeMap<String, usize>,
    /// The time that the signer claims for the newest head, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Logs that agents keep, of sessions that are not in the archive or have changed since.
    pub not_archived: Vec<UnarchivedLog>,
    /// Sessions whose log no longer contains what was archived.
    pub discontinued: Vec<String>,
}

/// A log that is not in an archive, or has changed since.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnarchivedLog {
    /// The path of the log.
    pub log: String,
    /// The agent.
    pub agent: String,
    /// The id of its session, if its beginning states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Whether the archive has an earlier state of it.
    pub state: LogState,
    /// The time from which the agent deletes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_from: Option<String>,
    /// The days until then; negative if the time has passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_left: Option<f64>,
}

/// The state of a log that an archive does not contain.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogState {
    /// The session is not in the archive.
    New,
    /// The archive contains an earlier state.
    Changed,
}

impl LogState {
    /// Returns the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}
