//! Describes the plugin that `OpenCode` loads. `OpenCode` is not known to delete sessions.

use vac_adapter::places::{AgentPlace, Variables};
use vac_adapter::upkeep::{AgentHook, HookKind, Upkeep};

pub(crate) const UPKEEP: Upkeep = Upkeep {
    retention: None,
    hook: Some(AgentHook {
        place: AgentPlace {
            variables: Variables::Folder(&[
                ("OPENCODE_CONFIG_DIR", ""),
                ("XDG_CONFIG_HOME", "opencode"),
            ]),
            in_home: &[".config/opencode"],
            ..AgentPlace::DEFAULT
        },
        file: "plugins/vac-archive.js",
        kind: HookKind::Plugin(PLUGIN),
        since: "1.17",
        advice: Some("restart OpenCode, which loads plugins when it starts"),
    }),
};

/// The event `session.idle` marks the end of a turn. The plugin starts the program and does not
/// wait for it.
///
/// `OpenCode` 2 loads `setup` of the default export and rejects plugins without it; earlier
/// versions load `server` and may call `setup`, too, which then has nothing to subscribe to.
const PLUGIN: &str = r#"import { spawn } from "node:child_process"

const [program, ...options] = {command}

function add(event) {
  if (event?.type !== "session.idle" && event?.type !== "session.compacted") return
  try {
    const child = spawn(program, options, { detached: true, stdio: "ignore" })
    child.on("error", () => {})
    child.unref()
  } catch {}
}

async function server() {
  return { event: async ({ event }) => add(event) }
}

async function setup(context) {
  if (typeof context?.event?.subscribe !== "function") return
  const controller = new AbortController()
  const listen = async () => {
    try {
      for await (const event of context.event.subscribe({ signal: controller.signal })) add(event)
    } catch {}
  }
  listen()
  return () => controller.abort()
}

export default { id: "vac-archive", server, setup }
"#;
