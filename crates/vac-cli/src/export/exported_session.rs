//! Identifies a session across exports.

use serde::{Deserialize, Serialize};
use vac::adapter::SourceFile;

/// A session: its agent and id, and the files that it was read from.
///
/// A session that grows has the same agent and id, but so may two sessions of two machines: the
/// files show whether one continues the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExportedSession {
    pub agent: String,
    /// The id of its record.
    pub id: String,
    pub sources: Vec<SourceFile>,
    /// Whether it was read from a record.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_record: bool,
}

impl ExportedSession {
    /// Returns its agent and its id.
    pub fn agent_and_id(&self) -> (&str, &str) {
        (&self.agent, &self.id)
    }

    /// Returns the bytes of its files.
    pub fn size(&self) -> u64 {
        self.sources.iter().fold(0, |size, source| size.saturating_add(source.size))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !flag
}
