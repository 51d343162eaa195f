//! Lists the places where Antigravity keeps its sessions.
//!
//! `transcript.jsonl` next to `transcript_full.jsonl` is the same session with long fields
//! truncated. It is read only if the other file does not exist, or if the user names it. A database
//! of the same conversation is read only if neither is there. Not sessions, and never opened:
//! encrypted conversations (`*.pb`), prompts of all sessions (`history.jsonl`).

use vac_adapter::places::{AgentPlace, Keep};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[AgentPlace {
    in_home: &[".gemini/antigravity-cli", ".gemini/antigravity", ".gemini/antigravity-ide"],
    keeps: &[
        Keep::logs(
            &["brain", "*", ".system_generated", "logs"],
            &["transcript_full.jsonl", "transcript.jsonl"],
        ),
        Keep::stores(&["conversations"], &["*.db"]),
    ],
    ..AgentPlace::DEFAULT
}];
