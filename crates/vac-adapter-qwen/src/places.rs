//! Lists the places where Qwen Code keeps its sessions.
//!
//! Not sessions, and never opened: the state of running processes (`*.runtime.json`), runs of
//! workflows (`workflows/`), stored tool output, checkpoints and prompts (`tmp/`), credentials.

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[AgentPlace {
    variables: Variables::Folder(&[("QWEN_RUNTIME_DIR", ""), ("QWEN_HOME", "")]),
    in_home: &[".qwen"],
    without_home: true,
    keeps: &[
        Keep::logs(&["projects", "*", "chats"], &["*.jsonl"]),
        Keep::logs(&["projects", "*", "chats", "archive", "**"], &["*.jsonl"]),
        Keep::logs(&["projects", "*", "subagents", "**"], &["*.jsonl"]),
    ],
    ..AgentPlace::DEFAULT
}];
