//! Lists the places where Copilot CLI, and Copilot Chat in VS Code and editors made from it, keep
//! their sessions.
//!
//! Not sessions, and never opened: the index (`session-store.db`), attachments and copies of files
//! (`files/`, `rewind-snapshots/`), spans of telemetry (`otel/`), configuration.

use vac_adapter::places::System::{Linux, MacOs, Windows};
use vac_adapter::places::{AgentPlace, Keep, System, Variables};

/// The transcripts below the folder of an editor.
const TRANSCRIPTS: &[Keep] =
    &[Keep::logs(&["workspaceStorage", "*", "GitHub.copilot-chat", "transcripts"], &["*.jsonl"])];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("COPILOT_HOME", "")]),
        in_home: &[".copilot"],
        keeps: &[
            Keep::logs(&["session-state", "*"], &["events.jsonl"]),
            // 2025 and early 2026; the folder of the same session replaces it.
            Keep::logs(&["session-state"], &["*.jsonl"]),
        ],
        ..AgentPlace::DEFAULT
    },
    editor(&[Linux], &[("XDG_CONFIG_HOME", "Code/User")], &[".config/Code/User"]),
    editor(
        &[Linux],
        &[("XDG_CONFIG_HOME", "Code - Insiders/User")],
        &[".config/Code - Insiders/User"],
    ),
    editor(&[Linux], &[("XDG_CONFIG_HOME", "VSCodium/User")], &[".config/VSCodium/User"]),
    editor(&[Linux], &[("XDG_CONFIG_HOME", "Positron/User")], &[".config/Positron/User"]),
    editor(
        &[MacOs],
        &[],
        &[
            "Library/Application Support/Code/User",
            "Library/Application Support/Code - Insiders/User",
            "Library/Application Support/VSCodium/User",
            "Library/Application Support/Positron/User",
        ],
    ),
    editor(&[Windows], &[("APPDATA", "Code/User")], &["AppData/Roaming/Code/User"]),
    editor(
        &[Windows],
        &[("APPDATA", "Code - Insiders/User")],
        &["AppData/Roaming/Code - Insiders/User"],
    ),
    editor(&[Windows], &[("APPDATA", "VSCodium/User")], &["AppData/Roaming/VSCodium/User"]),
    editor(&[Windows], &[("APPDATA", "Positron/User")], &["AppData/Roaming/Positron/User"]),
    // An editor on another machine that works on this one.
    editor(System::ALL, &[], &[".vscode-server/data/User", ".vscode-server-insiders/data/User"]),
];

/// The folder of an editor.
const fn editor(
    systems: &'static [System],
    variables: &'static [(&'static str, &'static str)],
    in_home: &'static [&'static str],
) -> AgentPlace {
    let variables = Variables::Folder(variables);
    AgentPlace { systems, variables, in_home, keeps: TRANSCRIPTS, ..AgentPlace::DEFAULT }
}
