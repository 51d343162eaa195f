//! Lists the places where Hermes Agent keeps its sessions.
//!
//! Not sessions, and never opened: settings and credentials (`config.yaml`, `.env`, `auth.json`).

use vac_adapter::places::System::Windows;
use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The databases below the folder of the program.
const DATABASES: &[Keep] =
    &[Keep::stores(&[], &["state.db"]), Keep::stores(&["profiles", "*"], &["state.db"])];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("HERMES_HOME", "")]),
        in_home: &[".hermes"],
        keeps: DATABASES,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        systems: &[Windows],
        variables: Variables::Folder(&[("HERMES_HOME", ""), ("LOCALAPPDATA", "hermes")]),
        in_home: &["AppData/Local/hermes"],
        keeps: DATABASES,
        ..AgentPlace::DEFAULT
    },
];
