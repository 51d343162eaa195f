//! Lists the places where Goose keeps its sessions.
//!
//! Sessions that were imported into the database still exist as files, which the database replaces.
//! Not sessions, and never opened: settings, credentials, schedules, logs of the program.

use vac_adapter::places::System::{Linux, MacOs, Windows};
use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The sessions below the folder for data.
const SESSIONS: &[Keep] =
    &[Keep::stores(&["sessions"], &["sessions.db"]), Keep::logs(&["sessions"], &["*.jsonl"])];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        systems: &[Linux, MacOs],
        variables: Variables::Folder(&[("GOOSE_PATH_ROOT", "data"), ("XDG_DATA_HOME", "goose")]),
        in_home: &[".local/share/goose"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[MacOs],
        in_home: &["Library/Application Support/Block/goose"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[Windows],
        variables: Variables::Folder(&[
            ("GOOSE_PATH_ROOT", "data"),
            ("APPDATA", "Block/goose/data"),
        ]),
        in_home: &["AppData/Roaming/Block/goose/data"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
];
