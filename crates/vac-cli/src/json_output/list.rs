//! The document of `vac list`.

use serde::Serialize;
use vac::search::Duplicate;

use super::FailedFile;

/// The result of `vac list`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListOutput {
    /// The sessions, the latest first.
    pub sessions: Vec<ListedSession>,
    /// Number of files that have the name of a session and are not one.
    pub skipped: usize,
    /// Logs that are copies of others, or contain less of a session than another one.
    pub duplicates: Vec<Duplicate>,
    /// Logs that could not be read.
    pub failed: Vec<FailedFile>,
}

/// A session that was found.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListedSession {
    /// The agent.
    pub agent: String,
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The time at which it began, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The size of its files in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The format of the log.
    pub variant: &'static str,
    /// The working directory or the name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The version of the agent's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_version: Option<String>,
    /// The id of the session that this one came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The relation to that session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
    /// The beginning of the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The files of the log.
    pub files: Vec<String>,
}
