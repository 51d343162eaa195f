//! The document of `vac doctor`.

use std::collections::BTreeMap;

use serde::Serialize;

/// The result of `vac doctor`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DoctorOutput {
    /// The agents.
    pub agents: Vec<AgentState>,
    /// Number of files in places of agents that are not logs.
    pub skipped: usize,
    /// The state of the archive that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveState>,
    /// The problems that keep sessions from being found or kept.
    pub problems: Vec<DoctorProblem>,
}

/// The state of an agent on this machine.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgentState {
    /// The agent.
    pub agent: String,
    /// The places where it keeps sessions.
    pub places: Vec<PlaceState>,
    /// Number of logs.
    pub logs: usize,
    /// The newest version that a log states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_version: Option<String>,
    /// The newest version that was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_tested: Option<&'static str>,
    /// Whether a log is of a newer version.
    pub is_newer: bool,
    /// Types in the latest logs that are not known, with their numbers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_types: BTreeMap<String, u64>,
    /// The time after which it deletes sessions, if it is known to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<DeletionState>,
    /// Number of the latest logs that could not be examined for unknown types.
    pub unexamined: usize,
    /// Whether it calls `vac` when a session ends; absent if it is not known to call programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookPresence>,
    /// The hooks in its settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookState>,
}

/// Whether the settings of an agent contain a hook.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookPresence {
    /// They do.
    Installed,
    /// They do not.
    Absent,
    /// They cannot be read.
    Unknown,
}

/// A hook in the settings of an agent.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HookState {
    /// The folder of the archive.
    pub archive: String,
    /// When it was run last, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// The reason why it cannot work, or why the last run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A place where an agent keeps sessions.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlaceState {
    /// The folder or file.
    pub path: String,
    /// The path of the place relative to the home folder, if it is below that.
    #[serde(skip)]
    pub name_in_home: Option<String>,
    /// The variable that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<&'static str>,
    /// Whether it exists.
    pub exists: bool,
    /// Number of logs in it.
    pub logs: usize,
}

/// The time after which an agent deletes sessions.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeletionState {
    /// The days after the last change of a session; absent if it deletes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<f64>,
    /// Whether its settings state that.
    pub is_stated: bool,
    /// The settings.
    pub file: String,
}

/// The state of an archive.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArchiveState {
    /// The folder.
    pub archive: String,
    /// Number of sessions.
    pub sessions: usize,
    /// Number of versions.
    pub versions: usize,
    /// When the newest head was signed, as the signer claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Number of logs of sessions that are not in the archive.
    pub not_archived: usize,
    /// Number of logs that no longer contain what was archived.
    pub discontinued: usize,
    /// Whether the private key is found without an option.
    pub has_key: bool,
}

/// A problem that keeps sessions from being found or kept.
#[derive(Serialize)]
pub struct DoctorProblem {
    /// The code.
    pub code: ProblemCode,
    /// A description of the problem, and what to do.
    pub message: String,
}

/// What keeps sessions from being found or kept.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The home folder is unknown.
    NoHome,
    /// A folder that a variable or an option names does not exist.
    MissingFolder,
    /// A file or folder cannot be read.
    Unreadable,
    /// Settings of an agent cannot be read.
    Settings,
    /// A log is of a newer version of its agent than was tested.
    NewerVersion,
    /// A hook cannot work, or failed when it was run last.
    Hook,
    /// No session was found.
    NoSession,
    /// The folder with records that a variable names cannot be used.
    Records,
    /// The archive cannot be read.
    Archive,
    /// A log no longer contains what was archived.
    Discontinued,
    /// The private key of the archive was not found.
    Key,
}
