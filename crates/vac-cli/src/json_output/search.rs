//! The document of `vac search`.

use serde::Serialize;
use vac::view::SkipReason;
use vac::view::text_search::TextField;

/// The result of `vac search`.
#[derive(Serialize)]
pub struct SearchOutput {
    /// The sessions with hits, in the order in which they were found.
    pub sessions: Vec<SearchedSession>,
}

/// A session with hits.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchedSession {
    /// The id of the session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// The time at which it began, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// The name of the session for other commands: an id or a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number of all hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The first hits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitOutput>,
}

/// A text that matches.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HitOutput {
    /// The kind of text.
    pub field: TextField,
    /// The index of the entry in the session.
    pub entry: usize,
    /// JSON pointer to the entry in the record.
    pub path: String,
    /// The id of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// The time at which it was written, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The id of the subagent that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The way in which it stopped being part of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<&'static str>,
    /// The reason why it is usually not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<SkipReason>,
    /// The number of the line in which the first match begins.
    pub line: u64,
    /// The line, or the part of it around the match.
    pub text: String,
    /// The part of it that matches.
    #[serde(rename = "match")]
    pub matched: String,
    /// The number of lines with matches.
    pub lines: u64,
    /// The command that shows the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
}
