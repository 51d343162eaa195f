//! Session logs of AI agents as verifiable agent records.
//!
//! [`AGENTS`] is the one list of supported agents. The command line, the tests and the benchmarks
//! read it, so a new agent is its own crate and one line here.
//!
//! ```
//! use vac_adapter::{Memory, session};
//!
//! let log = Memory {
//!     name: "session.jsonl",
//!     bytes: br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#,
//! };
//! let (adapter, _) = vac_adapter::detect(&log, vac::AGENTS)?.ok_or("unknown agent")?;
//! assert_eq!(adapter.name(), "cursor");
//! let sessions = adapter.survey(&log)?;
//! let (record, _) = session::collect(&*sessions[0], &session::Options::default())?;
//! assert_eq!(record.session.entries.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * Adapters know nothing of each other: only this crate depends on all of them.
//! * The list is ordered. Of two adapters that are equally sure of a log, the first reads it.

use vac_adapter::Adapter;
use vac_adapter::places::Variables;

/// Every supported agent.
pub static AGENTS: &[&dyn Adapter] = &[
    &vac_adapter_claude::Claude,
    &vac_adapter_codex::Codex,
    &vac_adapter_gemini::Gemini,
    &vac_adapter_opencode::OpenCode,
    &vac_adapter_cursor::Cursor,
];

/// Returns the adapter that reads the logs of an agent: one of [`AGENTS`] by its name, or the
/// one that lists a place of the agent.
///
/// ```
/// assert_eq!(vac::adapter("codex").map(|adapter| adapter.name()), Some("codex"));
/// assert!(vac::adapter("unheard-of").is_none());
/// ```
pub fn adapter(agent: &str) -> Option<&'static dyn Adapter> {
    let by_name = AGENTS.iter().find(|adapter| adapter.name() == agent);
    let keeps =
        |adapter: &&&dyn Adapter| adapter.places().iter().any(|place| place.agent == Some(agent));
    by_name.or_else(|| AGENTS.iter().find(keeps)).copied()
}

/// Returns the names of all agents: those of the adapters, and those of other agents that write
/// the same formats in places of their own.
pub fn agent_names() -> impl Iterator<Item = &'static str> {
    let others = AGENTS.iter().flat_map(|adapter| adapter.places()).filter_map(|place| place.agent);
    let mut names: Vec<_> = AGENTS.iter().map(|adapter| adapter.name()).collect();
    for name in others {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter()
}

/// Returns the environment variables that name the places of agents, each once.
///
/// ```
/// assert!(vac::place_variables().contains(&"CODEX_HOME"));
/// ```
pub fn place_variables() -> Vec<&'static str> {
    let mut all = Vec::new();
    for place in AGENTS.iter().flat_map(|adapter| adapter.places()) {
        let names: Vec<_> = match place.variables {
            Variables::Folder(names) | Variables::Folders(names) => {
                names.iter().map(|(name, _)| *name).collect()
            }
            Variables::File { name, .. } => vec![name],
        };
        for name in names {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    all
}
