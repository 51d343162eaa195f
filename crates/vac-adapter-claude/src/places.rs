//! Where Claude Code keeps its sessions.
//!
//! Not sessions, and never opened: indexes (`sessions-index.json`), the prompts of all sessions
//! (`history.jsonl`), notes (`memory/`, `plans/`), copies of edited files (`file-history/`).

use vac_adapter::places::{Keep, Place, Variables};

/// The places.
pub(crate) const PLACES: &[Place] = &[Place {
    variables: Variables::Folders(&[("CLAUDE_CONFIG_DIR", "")]),
    in_home: &[".claude", ".config/claude"],
    keeps: &[
        Keep::logs(&["projects", "*"], &["*.jsonl"]),
        // Subagents whose session is gone; otherwise they are read with it.
        Keep::logs(&["projects", "*", "*", "subagents", "**"], &["agent-*.jsonl"]),
    ],
    ..Place::DEFAULT
}];
