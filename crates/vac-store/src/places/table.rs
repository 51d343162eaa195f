//! The table of places, and which files there are sessions.
//!
//! What no line names is no session and is never opened: indexes (`sessions-index.json`,
//! `session_index.jsonl`, `projects.json`), lists of prompts of all sessions
//! (`history.jsonl`), notes (`memory/`, `plans/`), copies of edited files
//! (`file-history/`), logs of the programs (`log/`, `logs/`, `shell_history`), what is
//! half written (`*.tmp`, `*.jsonl.tmp-*`, locks), databases that are made from the
//! sessions (`state_*.sqlite`) or hold credentials.

use super::System;
use super::System::{Linux, MacOs, Windows};

const EVERYWHERE: &[System] = &[Linux, MacOs, Windows];
pub(super) const OPENCODE: &str = "opencode";

/// A folder of an agent.
pub(super) struct Place {
    pub agent: &'static str,
    pub systems: &'static [System],
    /// Variables that say where it is, and its path below that; the first that is set
    /// counts, and then the home folder does not.
    pub variables: &'static [(&'static str, &'static str)],
    /// Whether such a variable may name several folders.
    pub is_list: bool,
    /// Otherwise here.
    pub in_home: &'static [&'static str],
    /// Whether there is one without a home folder, in that for temporary files.
    pub without_home: bool,
    pub keeps: &'static [Keep],
}

/// Where sessions are in a folder of an agent.
#[derive(Debug)]
pub(crate) struct Keep {
    /// The path below it: `*` is any folder, `**` any number of them.
    pub folders: &'static [&'static str],
    /// The names there; `*` is any text.
    pub names: &'static [&'static str],
    pub what: What,
}

/// What something is that has such a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A file with a session, or a part of one.
    Log,
    /// A database or a folder with several.
    Store,
    /// A file with what was asked in several, and not what came of it.
    Prompts,
}

pub(super) const PLACES: &[Place] = &[
    Place {
        agent: "claude",
        systems: EVERYWHERE,
        variables: &[("CLAUDE_CONFIG_DIR", "")],
        is_list: true,
        in_home: &[".claude", ".config/claude"],
        without_home: false,
        keeps: &[
            log(&["projects", "*"], &["*.jsonl"]),
            // Whose session is no longer there; otherwise they are read with it.
            log(&["projects", "*", "*", "subagents", "**"], &["agent-*.jsonl"]),
        ],
    },
    Place {
        agent: "codex",
        systems: EVERYWHERE,
        variables: &[("CODEX_HOME", "")],
        is_list: false,
        in_home: &[".codex"],
        without_home: false,
        keeps: &[log(&["sessions", "**"], ROLLOUTS), log(&["archived_sessions", "**"], ROLLOUTS)],
    },
    Place {
        agent: "gemini",
        systems: EVERYWHERE,
        variables: &[("GEMINI_CLI_HOME", ".gemini")],
        is_list: false,
        in_home: &[".gemini"],
        without_home: true,
        keeps: &[
            log(&["tmp", "*", "chats", "**"], &["*.json", "*.jsonl", "*.jsonl.unreadable-*"]),
            // Those in `checkpoints` repeat a session up to one tool call, each of them.
            log(&["tmp", "*"], &["checkpoint.json", "checkpoint-*.json"]),
            Keep { folders: &["tmp", "*"], names: &["logs.json"], what: What::Prompts },
        ],
    },
    Place {
        agent: OPENCODE,
        systems: EVERYWHERE,
        variables: &[("XDG_DATA_HOME", "opencode")],
        is_list: false,
        in_home: &[".local/share/opencode"],
        without_home: false,
        keeps: &[
            store(&[], &["opencode.db", "opencode-*.db"]),
            store(&[], &["storage"]),
            store(&["project", "*"], &["storage"]),
        ],
    },
    Place {
        agent: "cursor",
        systems: EVERYWHERE,
        variables: &[],
        is_list: false,
        in_home: &[".cursor"],
        without_home: false,
        keeps: &[log(&["projects", "*", "agent-transcripts", "**"], &["*.jsonl", "*.txt"]), CHATS],
    },
    // Where its command line keeps chats if it is told to; known from other programs.
    Place {
        agent: "cursor",
        systems: EVERYWHERE,
        variables: &[("CURSOR_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "cursor")],
        is_list: false,
        in_home: &[".config/cursor"],
        without_home: false,
        keeps: &[CHATS],
    },
    Place {
        agent: "cursor",
        systems: &[Linux],
        variables: &[("XDG_CONFIG_HOME", "Cursor/User")],
        is_list: false,
        in_home: &[".config/Cursor/User"],
        without_home: false,
        keeps: &[EDITOR],
    },
    Place {
        agent: "cursor",
        systems: &[MacOs],
        variables: &[],
        is_list: false,
        in_home: &["Library/Application Support/Cursor/User"],
        without_home: false,
        keeps: &[EDITOR],
    },
    Place {
        agent: "cursor",
        systems: &[Windows],
        variables: &[("APPDATA", "Cursor/User")],
        is_list: false,
        in_home: &["AppData/Roaming/Cursor/User"],
        without_home: false,
        keeps: &[EDITOR],
    },
];

/// A root that is itself a database.
pub(super) const DATABASE: &[Keep] = &[store(&[], &[])];

const ROLLOUTS: &[&str] =
    &["rollout-*.jsonl", "rollout-*.json", "rollout-*.jsonl.zst", "rollout-*.json.zst"];
const CHATS: Keep = store(&["chats", "*", "*"], &["store.db"]);
const EDITOR: Keep = store(&["globalStorage"], &["state.vscdb"]);

const fn log(folders: &'static [&'static str], names: &'static [&'static str]) -> Keep {
    Keep { folders, names, what: What::Log }
}

const fn store(folders: &'static [&'static str], names: &'static [&'static str]) -> Keep {
    Keep { folders, names, what: What::Store }
}
