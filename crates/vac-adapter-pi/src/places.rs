//! Lists the places where Pi, and programs that write the same format, keep their sessions.
//!
//! Not sessions, and never opened: the index of `OpenClaw` (`sessions.json`), and settings and
//! credentials of all of them, also those in the tables of its databases.

use vac_adapter::places::{AgentPlace, Keep, Variables};

/// The sessions below the folder of the program.
const SESSIONS: &[Keep] = &[Keep::logs(&["sessions", "**"], &["*.jsonl"])];

/// The places.
pub(crate) const PLACES: &[AgentPlace] = &[
    AgentPlace {
        variables: Variables::Folder(&[("PI_CODING_AGENT_DIR", "")]),
        in_home: &[".pi/agent"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        variables: Variables::Folder(&[("PI_CODING_AGENT_SESSION_DIR", "")]),
        // The variable can name any folder, so only file names of Pi are accepted.
        keeps: &[Keep::logs(&[], &["20*_*.jsonl"])],
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        agent: Some("omp"),
        in_home: &[".omp/agent"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    AgentPlace {
        agent: Some("prime"),
        in_home: &[".prime/agent"],
        keeps: SESSIONS,
        ..AgentPlace::DEFAULT
    },
    // Until 2026.7.1 in files; later sessions are in a database.
    AgentPlace {
        agent: Some("openclaw"),
        in_home: &[".openclaw", ".clawdbot", ".moltbot"],
        keeps: &[
            Keep::logs(&["agents", "*", "sessions"], &["*.jsonl"]),
            Keep::stores(&["agents", "*", "agent"], &["openclaw-agent.sqlite"]),
        ],
        ..AgentPlace::DEFAULT
    },
];
