//! Lists the places where Cursor keeps its sessions.

use vac_adapter::places::System::{Linux, MacOs, Windows};
use vac_adapter::places::{AgentPlace, Keep, Variables};

const CHATS: Keep = Keep::stores(&["chats", "*", "*"], &["store.db"]);
const EDITOR: Keep = Keep::stores(&["globalStorage"], &["state.vscdb"]);

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        in_home: &[".cursor"],
        keeps: &[
            Keep::logs(&["projects", "*", "agent-transcripts", "**"], &["*.jsonl", "*.txt"]),
            CHATS,
        ],
        ..AgentPlace::DEFAULT
    },
    // The chats of the command line if its configuration folder is set. Other programs read this
    // place; no real log of it was seen.
    AgentPlace {
        variables: Variables::Folder(&[("CURSOR_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "cursor")]),
        in_home: &[".config/cursor"],
        keeps: &[CHATS],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[Linux],
        variables: Variables::Folder(&[("XDG_CONFIG_HOME", "Cursor/User")]),
        in_home: &[".config/Cursor/User"],
        keeps: &[EDITOR],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[MacOs],
        in_home: &["Library/Application Support/Cursor/User"],
        keeps: &[EDITOR],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[Windows],
        variables: Variables::Folder(&[("APPDATA", "Cursor/User")]),
        in_home: &["AppData/Roaming/Cursor/User"],
        keeps: &[EDITOR],
        ..AgentPlace::DEFAULT
    },
];
