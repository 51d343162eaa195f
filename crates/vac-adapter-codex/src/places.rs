//! Where Codex keeps its sessions.
//!
//! Not sessions, and never opened: the index (`session_index.jsonl`), the prompts of all sessions
//! (`history.jsonl`), databases made from the sessions (`state_*.sqlite`), credentials.

use vac_adapter::places::{Keep, Place, Variables};

const ROLLOUTS: &[&str] =
    &["rollout-*.jsonl", "rollout-*.json", "rollout-*.jsonl.zst", "rollout-*.json.zst"];

/// The places.
pub(crate) const PLACES: &[Place] = &[Place {
    variables: Variables::Folder(&[("CODEX_HOME", "")]),
    in_home: &[".codex"],
    keeps: &[
        Keep::logs(&["sessions", "**"], ROLLOUTS),
        Keep::logs(&["archived_sessions", "**"], ROLLOUTS),
    ],
    ..Place::DEFAULT
}];
