//! Where Cursor keeps its sessions.

use vac_adapter::places::System::{Linux, MacOs, Windows};
use vac_adapter::places::{Keep, Place, Variables};

const CHATS: Keep = Keep::stores(&["chats", "*", "*"], &["store.db"]);
const EDITOR: Keep = Keep::stores(&["globalStorage"], &["state.vscdb"]);

/// The places.
pub(crate) const PLACES: &[Place] = &[
    Place {
        in_home: &[".cursor"],
        keeps: &[
            Keep::logs(&["projects", "*", "agent-transcripts", "**"], &["*.jsonl", "*.txt"]),
            CHATS,
        ],
        ..Place::DEFAULT
    },
    // Chats of the command line if its configuration folder is set; seen in other programs only.
    Place {
        variables: Variables::Folder(&[("CURSOR_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "cursor")]),
        in_home: &[".config/cursor"],
        keeps: &[CHATS],
        ..Place::DEFAULT
    },
    Place {
        systems: &[Linux],
        variables: Variables::Folder(&[("XDG_CONFIG_HOME", "Cursor/User")]),
        in_home: &[".config/Cursor/User"],
        keeps: &[EDITOR],
        ..Place::DEFAULT
    },
    Place {
        systems: &[MacOs],
        in_home: &["Library/Application Support/Cursor/User"],
        keeps: &[EDITOR],
        ..Place::DEFAULT
    },
    Place {
        systems: &[Windows],
        variables: Variables::Folder(&[("APPDATA", "Cursor/User")]),
        in_home: &["AppData/Roaming/Cursor/User"],
        keeps: &[EDITOR],
        ..Place::DEFAULT
    },
];
