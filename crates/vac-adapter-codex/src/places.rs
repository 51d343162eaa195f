//! Lists the places where Codex, and a fork of it that writes the same format, keep their sessions.
//!
//! Not sessions, and never opened: the index (`session_index.jsonl`), the prompts of all sessions
//! (`history.jsonl`), databases made from the sessions (`state_*.sqlite`), credentials.

use vac_adapter::places::{AgentPlace, Keep, Variables};

const ROLLOUTS: &[&str] =
    &["rollout-*.jsonl", "rollout-*.json", "rollout-*.jsonl.zst", "rollout-*.json.zst"];

/// The files with sessions below the folder of the program.
const SESSIONS: &[Keep] = &[
    Keep::logs(&["sessions", "**"], ROLLOUTS),
    Keep::logs(&["archived_sessions", "**"], ROLLOUTS),
];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("CODEX_HOME", "")]),
        in_home: &[".codex"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    // TRAE CLI 2. Its logs name Codex as their originator.
    AgentPlace {
        agent: Some("traex"),
        in_home: &[".trae/cli"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
];
