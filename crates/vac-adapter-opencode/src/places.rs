//! Lists the places where `OpenCode`, and forks of it that write the same format, keep their
//! sessions.
//!
//! Logs of the program (`log/`) and credentials (`auth.json`) are not sessions and are never
//! opened.

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("XDG_DATA_HOME", "opencode")]),
        in_home: &[".local/share/opencode"],
        keeps: &[
            Keep::stores(&[], &["opencode.db", "opencode-*.db"]),
            Keep::stores(&[], &["storage"]),
            Keep::stores(&["project", "*"], &["storage"]),
        ],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        variables: Variables::File { name: "OPENCODE_DB", none: ":memory:" },
        keeps: &[Keep::stores(&[], &[])],
        ..AgentPlace::DEFAULT
    },
    // Kilo CLI, and Kilo's extension since April 2026.
    AgentPlace {
        agent: Some("kilo"),
        variables: Variables::Folder(&[("XDG_DATA_HOME", "kilo")]),
        in_home: &[".local/share/kilo"],
        keeps: &[
            Keep::stores(&[], &["kilo.db", "kilo-*.db", "opencode.db"]),
            Keep::stores(&[], &["storage"]),
        ],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        agent: Some("kilo"),
        variables: Variables::File { name: "KILO_DB", none: ":memory:" },
        keeps: &[Keep::stores(&[], &[])],
        ..AgentPlace::DEFAULT
    },
    // MiMo Code.
    AgentPlace {
        agent: Some("mimocode"),
        variables: Variables::Folder(&[("XDG_DATA_HOME", "mimocode")]),
        in_home: &[".local/share/mimocode"],
        keeps: &[Keep::stores(&[], &["*.db"]), Keep::stores(&[], &["storage"])],
        ..AgentPlace::DEFAULT
    },
];
