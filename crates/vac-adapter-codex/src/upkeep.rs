//! Describes the hooks that Codex calls. It is not known to delete sessions.
//!
//! It has no event for the end of a session: `Stop` is the end of a turn. The setting `notify` is
//! not used, because it names a single program, which users may already have set.

use vac_adapter::places::{AgentPlace, Variables};
use vac_adapter::upkeep::{AgentHook, HookKind, Upkeep};

pub(crate) const UPKEEP: Upkeep = Upkeep {
    retention: None,
    hook: Some(AgentHook {
        place: AgentPlace {
            variables: Variables::Folder(&[("CODEX_HOME", "")]),
            in_home: &[".codex"],
            ..AgentPlace::DEFAULT
        },
        file: "config.toml",
        kind: HookKind::TomlGroups(&["Stop", "PreCompact"]),
        since: "0.130",
        advice: Some("review and trust the hook with `/hooks` in Codex, which asks for it once"),
    }),
};
