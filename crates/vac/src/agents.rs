//! The supported agents.
//!
//! Adapters do not depend on each other; only this crate depends on all of them. The list is
//! ordered: if two adapters have the same confidence in a log, the first reads it.

use std::fmt;

use vac_adapter::Adapter;
use vac_adapter::places::Variables;

/// The adapters of all supported agents, in the order of detection: if two have the same confidence
/// in a log, the first reads it.
pub static AGENTS: &[&dyn Adapter] = &[
    &vac_adapter_claude::Claude,
    &vac_adapter_codex::Codex,
    &vac_adapter_gemini::Gemini,
    &vac_adapter_opencode::OpenCode,
    &vac_adapter_cursor::Cursor,
    &vac_adapter_qwen::Qwen,
    &vac_adapter_copilot::Copilot,
    &vac_adapter_pi::Pi,
    &vac_adapter_droid::Droid,
    &vac_adapter_antigravity::Antigravity,
    &vac_adapter_grok::Grok,
    &vac_adapter_goose::Goose,
    &vac_adapter_hermes::Hermes,
    &vac_adapter_atif::Atif,
];

/// An agent, and the adapter that reads its logs.
#[derive(Clone, Copy)]
pub struct Agent {
    /// The name of the agent.
    pub name: &'static str,
    /// The adapter: the agent's own, or that of the agent whose format it writes.
    pub adapter: &'static dyn Adapter,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let adapter = self.adapter.name();
        f.debug_struct("Agent").field("name", &self.name).field("adapter", &adapter).finish()
    }
}

impl Agent {
    /// Returns the agent's name for display.
    ///
    /// ```
    /// assert_eq!(vac::agent("claude").map(|agent| agent.title()), Some("Claude Code"));
    /// ```
    pub fn title(&self) -> &'static str {
        if self.name == self.adapter.name() { self.adapter.title() } else { self.name }
    }
}

/// Returns the names of all agents, separated by commas.
pub fn agent_names() -> String {
    agents().iter().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
}

/// Returns all agents: those of the adapters, and then others that write the same formats and
/// have places of their own.
pub fn agents() -> Vec<Agent> {
    let own = AGENTS.iter().map(|adapter| Agent { name: adapter.name(), adapter: *adapter });
    let mut agents: Vec<_> = own.collect();
    for adapter in AGENTS.iter().copied() {
        for name in adapter.places().iter().filter_map(|place| place.agent) {
            if !agents.iter().any(|agent| agent.name == name) {
                agents.push(Agent { name, adapter });
            }
        }
    }
    agents
}

/// Returns the agent of this name, or `None` if no supported agent has it.
///
/// ```
/// assert_eq!(vac::agent("codex").map(|agent| agent.adapter.name()), Some("codex"));
/// assert_eq!(vac::agent("kilo").map(|agent| agent.adapter.name()), Some("opencode"));
/// assert!(vac::agent("unheard-of").is_none());
/// ```
pub fn agent(name: &str) -> Option<Agent> {
    agents().into_iter().find(|agent| agent.name == name)
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
