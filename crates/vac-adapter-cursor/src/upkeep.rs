//! Describes the hooks that Cursor calls. It is not known to delete sessions.

use vac_adapter::places::AgentPlace;
use vac_adapter::upkeep::{AgentHook, HookKind, Upkeep};

pub(crate) const UPKEEP: Upkeep = Upkeep {
    retention: None,
    hook: Some(AgentHook {
        place: AgentPlace { in_home: &[".cursor"], ..AgentPlace::DEFAULT },
        file: "hooks.json",
        // `stop` is the end of a turn. Earlier versions reject `sessionEnd`.
        kind: HookKind::JsonCommands(&["stop"]),
        since: "1.7",
        advice: None,
    }),
};
