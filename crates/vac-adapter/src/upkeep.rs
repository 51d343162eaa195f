//! Describes when an agent deletes sessions, and how it calls another program when a session ends,
//! as data.
//!
//! An adapter states both ([`Adapter::upkeep`](crate::Adapter::upkeep)), from the public
//! documentation of its agent. `vac archive status`, `vac doctor` and `vac hook` use it.

use crate::places::AgentPlace;

/// The rules by which an agent deletes sessions and calls other programs.
#[derive(Clone, Copy, Debug)]
pub struct Upkeep {
    /// When the agent deletes sessions; `None` if it is not known to delete any.
    pub retention: Option<Retention>,
    /// How the agent calls another program; `None` if it is not known to call one.
    pub hook: Option<AgentHook>,
}

impl Upkeep {
    /// The rules of an agent about which nothing is known.
    pub const NONE: Self = Self { retention: None, hook: None };
}

/// The rule by which an agent deletes sessions: a number of days after their files were last
/// changed.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// The settings file in the folder of the agent, in JSON with or without comments.
    pub file: &'static str,
    /// The keys that lead to the number of days.
    pub age: &'static [&'static str],
    /// The keys that lead to `false` if nothing is deleted; empty without such a setting.
    pub enabled: &'static [&'static str],
    /// The number of days if the settings state none.
    pub default_days: u32,
    /// The version of the agent whose documentation states this.
    pub documented: &'static str,
}

/// The settings with which an agent calls another program when a session ends.
#[derive(Clone, Copy, Debug)]
pub struct AgentHook {
    /// The folder with the settings. Its `keeps` are not used.
    pub place: AgentPlace,
    /// The file in it, with `/` between the names.
    pub file: &'static str,
    /// The content of the file.
    pub kind: HookKind,
    /// The first version of the agent that reads it, by its documentation.
    pub since: &'static str,
    /// A step that the user has to do, if there is one.
    pub advice: Option<&'static str>,
}

/// The content that a settings file needs for a hook.
#[derive(Clone, Copy, Debug)]
pub enum HookKind {
    /// JSON: `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": ...}]}]}}`.
    JsonGroups(&'static [&'static str]),
    /// JSON: `{"version": 1, "hooks": {EVENT: [{"command": ...}]}}`.
    JsonCommands(&'static [&'static str]),
    /// TOML: `[[hooks.EVENT]]` with `[[hooks.EVENT.hooks]]` in it.
    TomlGroups(&'static [&'static str]),
    /// A file of its own. `{command}` is replaced by the command as a JSON array of texts.
    Plugin(&'static str),
}
