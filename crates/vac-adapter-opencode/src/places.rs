//! Where `OpenCode` keeps its sessions.
//!
//! Not sessions, and never opened: logs of the program (`log/`), credentials (`auth.json`).

use vac_adapter::places::{Keep, Place, Variables};

/// The places.
pub(crate) const PLACES: &[Place] = &[
    Place {
        variables: Variables::Folder(&[("XDG_DATA_HOME", "opencode")]),
        in_home: &[".local/share/opencode"],
        keeps: &[
            Keep::stores(&[], &["opencode.db", "opencode-*.db"]),
            Keep::stores(&[], &["storage"]),
            Keep::stores(&["project", "*"], &["storage"]),
        ],
        ..Place::DEFAULT
    },
    Place {
        variables: Variables::File { name: "OPENCODE_DB", none: ":memory:" },
        keeps: &[Keep::stores(&[], &[])],
        ..Place::DEFAULT
    },
];
