//! Lists the places where Gemini CLI keeps its sessions.
//!
//! `projects.json`, `shell_history` and credentials are not sessions and are never opened.

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[AgentPlace {
    variables: Variables::Folder(&[("GEMINI_CLI_HOME", ".gemini")]),
    in_home: &[".gemini"],
    without_home: true,
    keeps: &[
        Keep::logs(&["tmp", "*", "chats", "**"], &["*.json", "*.jsonl", "*.jsonl.unreadable-*"]),
        // Each file in `checkpoints` repeats a session up to one tool call, so that folder is not
        // searched.
        Keep::logs(&["tmp", "*"], &["checkpoint.json", "checkpoint-*.json"]),
        Keep::prompts(&["tmp", "*"], &["logs.json"]),
    ],
    ..AgentPlace::DEFAULT
}];
