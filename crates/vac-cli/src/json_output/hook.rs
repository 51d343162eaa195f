//! The document of `vac hook`.

use serde::Serialize;

/// The result of `vac hook`.
#[derive(Serialize)]
pub struct HookOutput {
    /// The hooks, one for each agent.
    pub hooks: Vec<PrintedHook>,
}

/// The hook of an agent.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PrintedHook {
    /// The agent, or `timer`.
    pub agent: &'static str,
    /// The settings file.
    pub file: String,
    /// The first version of the agent that reads it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub since: &'static str,
    /// The change of the file.
    pub change: HookChange,
    /// The command that the agent calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The content that the file needs, if it was not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The change of a settings file.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookChange {
    /// Nothing: its content was printed.
    Printed,
    /// The hook was added.
    Written,
    /// It contains the hook already.
    Unchanged,
    /// The hook was removed.
    Removed,
    /// It does not contain a hook.
    Absent,
}
