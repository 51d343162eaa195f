//! The report on a conversion: counts of frames, entries and unknown types and keys, and warnings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vac_record::annotations::UnparsedReason;
use vac_record::{Entry, MessageEntryType, ToolCallEntry};

/// Maximum number of names, lines or warnings that a report lists; it counts all of them.
const MAX_LISTED: usize = 1000;
/// Maximum number of characters of a name that comes from a log.
const MAX_NAME: usize = 200;

/// The warning about a session in which no message and no tool call was found.
pub const NO_CONVERSATION: &str = "no message and no tool call found";

/// A file that a record was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceFile {
    /// The name of the file, without the folder.
    pub name: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    #[serde(rename = "sha-256")]
    pub sha_256: String,
}

/// The report on the conversion of one session.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The adapter's name.
    pub agent: String,
    /// The variant of the log.
    pub variant: String,
    /// The version of the agent that wrote the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_version: Option<String>,
    /// The session's id.
    pub session_id: String,
    /// The labels that the user gave the record.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The files that it was made from.
    pub sources: Vec<SourceFile>,
    /// The number of frames: documents, and bytes that could not be parsed.
    pub frames: u64,
    /// The frames that are kept unparsed.
    pub unparsed: Unparsed,
    /// The number of entries by type, including children.
    pub entries: BTreeMap<&'static str, u64>,
    /// The number of entries by native type that the adapter does not know.
    pub unknown_types: BTreeMap<String, u64>,
    /// The number of members by native key that no mapping names, with the name of the object
    /// before the key. Their values are kept.
    pub unknown_keys: BTreeMap<String, u64>,
    /// The number of secrets that were redacted, by path.
    pub redacted: BTreeMap<String, u64>,
    /// The number of entries that repeat another one and are linked to it.
    pub duplicates_linked: u64,
    /// Other warnings.
    pub warnings: Vec<String>,
}

/// Frames that are kept unparsed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unparsed {
    /// The number of frames.
    pub count: u64,
    /// The lines of the first of these frames.
    pub lines: Vec<u64>,
    /// The number of frames by the code of the reason, as in records.
    pub reasons: BTreeMap<&'static str, u64>,
}

impl Report {
    /// Counts a frame, or a part of one, that is kept unparsed.
    pub fn unparsed(&mut self, line: u64, reason: UnparsedReason) {
        self.unparsed.count += 1;
        let is_piece = reason == UnparsedReason::TooLong;
        if is_piece {
            self.warn(format!("line {line} is too long to be parsed (see --max-event)"));
        }
        // The pieces of one frame are listed once.
        let is_listed = is_piece && self.unparsed.lines.last() == Some(&line);
        if !is_listed && self.unparsed.lines.len() < MAX_LISTED {
            self.unparsed.lines.push(line);
        }
        *self.unparsed.reasons.entry(reason.as_str()).or_default() += 1;
    }

    /// Counts a native type that the adapter does not know.
    pub fn unknown(&mut self, native: &str) {
        count(&mut self.unknown_types, native);
    }

    /// Counts a native key that the mapping of an object does not name.
    pub fn unknown_key(&mut self, object: &str, key: &str) {
        count(&mut self.unknown_keys, &format!("{object}.{key}"));
    }

    /// Counts a secret that was redacted.
    pub fn redact(&mut self, path: &str) {
        count(&mut self.redacted, path);
    }

    /// Adds a warning, once.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if self.warnings.len() < MAX_LISTED && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Returns whether the session has a message or a tool call.
    pub fn has_conversation(&self) -> bool {
        let said = [MessageEntryType::User.as_str(), MessageEntryType::Assistant.as_str()];
        let kinds = said.into_iter().chain([ToolCallEntry::TYPE]);
        kinds.into_iter().any(|kind| self.entries.contains_key(kind))
    }

    /// Returns whether the log has unknown types, keys or values, or the session has no
    /// conversation.
    pub fn has_unknown(&self) -> bool {
        self.unparsed.count > 0 || !self.unknown_types.is_empty() || !self.has_conversation()
    }

    /// Ends the report: warns about a session without a conversation.
    pub(crate) fn finish(&mut self) {
        if !self.has_conversation() {
            self.warn(NO_CONVERSATION);
        }
    }

    /// Counts an entry and its children.
    pub fn entry(&mut self, entry: &Entry<'_>) {
        *self.entries.entry(entry.kind()).or_default() += 1;
        for child in entry.children().into_iter().flatten() {
            self.entry(child);
        }
    }
}

/// Counts by name. Long names are truncated, and names beyond the limit are counted together.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let name = match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => &name[..end],
        None => name,
    };
    if let Some(number) = counts.get_mut(name) {
        *number += 1;
        return;
    }
    let name = if counts.len() < MAX_LISTED { name } else { "(others)" };
    *counts.entry(name.to_owned()).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_a_log_are_limited_in_number_and_length() {
        let mut report = Report::default();
        for number in 0..2 * MAX_LISTED {
            report.unknown_key("line", &format!("{}{number}", "\u{e4}".repeat(number)));
        }
        assert!(report.unknown_keys.len() <= MAX_LISTED + 1);
        assert!(report.unknown_keys.keys().all(|name| name.chars().count() <= MAX_NAME));
        assert_eq!(report.unknown_keys.values().sum::<u64>(), 2 * MAX_LISTED as u64);
    }
}
