//! Describes when Claude Code deletes sessions, and the hooks that it calls.
//!
//! When it starts, it deletes sessions whose files have not changed for `cleanupPeriodDays`. All
//! hooks of the event `SessionEnd` together have 1.5 seconds.

use vac_adapter::places::{AgentPlace, Variables};
use vac_adapter::upkeep::{AgentHook, HookKind, Retention, Upkeep};

pub(crate) const UPKEEP: Upkeep = Upkeep {
    retention: Some(Retention {
        file: "settings.json",
        age: &["cleanupPeriodDays"],
        enabled: &[],
        default_days: 30,
        documented: "2.1.114",
    }),
    hook: Some(AgentHook {
        place: AgentPlace {
            variables: Variables::Folder(&[("CLAUDE_CONFIG_DIR", "")]),
            in_home: &[".claude"],
            ..AgentPlace::DEFAULT
        },
        file: "settings.json",
        kind: HookKind::JsonGroups(&["SessionEnd", "PreCompact"]),
        since: "1.0.85",
        advice: None,
    }),
};
