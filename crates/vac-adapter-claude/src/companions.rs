//! The companion files that Claude Code keeps next to a log.
//!
//! A folder `<id>` next to `<id>.jsonl` contains the logs of subagents, and tool output as plain
//! files.

use vac_adapter::companions::{Companions, SessionFolder};

/// The rules.
pub(crate) const COMPANIONS: Companions = Companions {
    session_folder: Some(SessionFolder {
        ending: ".jsonl",
        signs: &[("tool-results", &[]), ("subagents", &["agent-*", "workflows"])],
        logs: &["agent-*.jsonl"],
    }),
    ..Companions::NONE
};
