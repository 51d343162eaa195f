//! Lists the places where Claude Code, and programs that write the same format, keep their
//! sessions.
//!
//! Not sessions, and never opened: indexes (`sessions-index.json`), the prompts of all sessions
//! (`history.jsonl`), notes (`memory/`, `plans/`), copies of edited files (`file-history/`).

use vac_adapter::places::{AgentPlace, Keep, System, Variables};

/// The files with sessions below the folder of the program.
const PROJECTS: &[Keep] = &[
    Keep::logs(&["projects", "*"], &["*.jsonl"]),
    // Subagents whose session does not exist any more. Others are read with their session.
    Keep::logs(&["projects", "*", "*", "subagents", "**"], &["agent-*.jsonl"]),
];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folders(&[("CLAUDE_CONFIG_DIR", "")]),
        in_home: &[".claude", ".config/claude"],
        keeps: PROJECTS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        agent: Some("openclaude"),
        in_home: &[".openclaude"],
        keeps: PROJECTS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        agent: Some(crate::iflow::NAME),
        in_home: &[".iflow"],
        keeps: &[Keep::logs(&["projects", "*"], &["session-*.jsonl"])],
        ..AgentPlace::DEFAULT
    },
    // Sessions of Claude Desktop, each in a folder with its own `projects`.
    AgentPlace {
        systems: &[System::MacOs],
        in_home: &["Library/Application Support/Claude/local-agent-mode-sessions"],
        ..COWORK
    },
    AgentPlace {
        systems: &[System::Windows],
        variables: Variables::Folder(&[("APPDATA", "Claude/local-agent-mode-sessions")]),
        in_home: &["AppData/Roaming/Claude/local-agent-mode-sessions"],
        ..COWORK
    },
];

const COWORK: AgentPlace = AgentPlace {
    agent: Some("cowork"),
    keeps: &[Keep::logs(&["**", "projects", "*"], &["*.jsonl"])],
    ..AgentPlace::DEFAULT
};
