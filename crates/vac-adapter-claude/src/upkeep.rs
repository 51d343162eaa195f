//! When Claude Code deletes sessions, and the hooks that it calls.
//!
//! At its start it deletes sessions whose files were not changed for `cleanupPeriodDays`. A hook of
//! the event `SessionEnd` has 1.5 seconds, together with all others.

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
