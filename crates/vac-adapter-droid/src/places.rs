//! Lists the places where Factory Droid keeps its sessions.
//!
//! Not sessions, and never opened: settings and credentials of the program.

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[AgentPlace {
    variables: Variables::Folder(&[("FACTORY_DIR", "")]),
    in_home: &[".factory"],
    keeps: &[Keep::logs(&["sessions", "**"], &["*.jsonl"])],
    ..AgentPlace::DEFAULT
}];
