//! Lists the places where Grok Build keeps its sessions.
//!
//! `chat_history.jsonl` next to a log is made from it. Not sessions, and never opened: settings and
//! credentials of the program, copies of files for rewinding (`rewind_points.jsonl`).

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("GROK_HOME", "")]),
        in_home: &[".grok"],
        keeps: &[Keep::logs(&["sessions", "*", "*"], &["updates.jsonl"])],
        ..AgentPlace::DEFAULT
    },
    // Clients write captures to any place.
    AgentPlace { agent: Some(crate::lines::ACP), ..AgentPlace::DEFAULT },
];
