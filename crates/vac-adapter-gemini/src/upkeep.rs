//! Describes when Gemini CLI deletes sessions, and the hooks that it calls.

use vac_adapter::places::{AgentPlace, Variables};
use vac_adapter::upkeep::{AgentHook, HookKind, Retention, Upkeep};

pub(crate) const UPKEEP: Upkeep = Upkeep {
    retention: Some(Retention {
        file: "settings.json",
        age: &["general", "sessionRetention", "maxAge"],
        enabled: &["general", "sessionRetention", "enabled"],
        default_days: 30,
        documented: "0.26",
    }),
    hook: Some(AgentHook {
        place: AgentPlace {
            variables: Variables::Folder(&[("GEMINI_CLI_HOME", ".gemini")]),
            in_home: &[".gemini"],
            ..AgentPlace::DEFAULT
        },
        file: "settings.json",
        kind: HookKind::JsonGroups(&["SessionEnd", "PreCompress"]),
        since: "0.26",
        advice: None,
    }),
};
