//! The places of all agents.

use std::ffi::OsString;
use std::path::Path;

use vac::AGENTS;
use vac_store::places::{AgentRoot, Surroundings, System, roots_below};

/// Returns a line for each place, with `/` for every separator: agent, path, and the variable
/// that names it.
fn roots(system: System, home: Option<&str>, variables: &[(&str, &str)]) -> Vec<String> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let around = Surroundings {
        system,
        home: home.map(Path::new),
        temporary: Path::new("/tmp"),
        variable: &variable,
    };
    let line = |root: &AgentRoot| {
        let path = root.path.to_string_lossy().replace('\\', "/");
        let variable = root.variable.map(|name| format!(" ({name})")).unwrap_or_default();
        format!("{} {path}{variable}", root.agent)
    };
    vac_store::places::roots(AGENTS, &around).iter().map(line).collect()
}

#[test]
fn a_linux_home_has_a_place_for_each_agent() {
    assert_eq!(
        roots(System::Linux, Some("/home/ada"), &[]),
        [
            "claude /home/ada/.claude",
            "claude /home/ada/.config/claude",
            "openclaude /home/ada/.openclaude",
            "iflow /home/ada/.iflow",
            "codex /home/ada/.codex",
            "traex /home/ada/.trae/cli",
            "gemini /home/ada/.gemini",
            "opencode /home/ada/.local/share/opencode",
            "kilo /home/ada/.local/share/kilo",
            "mimocode /home/ada/.local/share/mimocode",
            "cursor /home/ada/.cursor",
            "cursor /home/ada/.config/cursor",
            "cursor /home/ada/.config/Cursor/User",
            "qwen /home/ada/.qwen",
            "copilot /home/ada/.copilot",
            "copilot /home/ada/.config/Code/User",
            "copilot /home/ada/.config/Code - Insiders/User",
            "copilot /home/ada/.config/VSCodium/User",
            "copilot /home/ada/.config/Positron/User",
            "copilot /home/ada/.vscode-server/data/User",
            "copilot /home/ada/.vscode-server-insiders/data/User",
            "pi /home/ada/.pi/agent",
            "omp /home/ada/.omp/agent",
            "prime /home/ada/.prime/agent",
            "openclaw /home/ada/.openclaw",
            "openclaw /home/ada/.clawdbot",
            "openclaw /home/ada/.moltbot",
            "droid /home/ada/.factory",
            "antigravity /home/ada/.gemini/antigravity-cli",
            "antigravity /home/ada/.gemini/antigravity",
            "antigravity /home/ada/.gemini/antigravity-ide",
            "grok /home/ada/.grok",
            "goose /home/ada/.local/share/goose",
            "hermes /home/ada/.hermes",
        ]
    );
}

#[test]
fn a_mac_keeps_the_editor_in_its_library() {
    let roots = roots(System::MacOs, Some("/Users/ada"), &[]);
    let library = "/Users/ada/Library/Application Support";
    for place in [
        "claude /Users/ada/.claude".to_owned(),
        "opencode /Users/ada/.local/share/opencode".to_owned(),
        format!("cursor {library}/Cursor/User"),
        format!("cowork {library}/Claude/local-agent-mode-sessions"),
    ] {
        assert_eq!(roots.iter().filter(|root| **root == place).count(), 1, "{place}: {roots:?}");
    }
}

#[test]
fn windows_keeps_the_editor_with_the_applications() {
    let home = Some("C:\\Users\\ada");
    let plain = roots(System::Windows, home, &[]);
    for place in [
        "claude C:/Users/ada/.claude",
        "codex C:/Users/ada/.codex",
        "gemini C:/Users/ada/.gemini",
        "opencode C:/Users/ada/.local/share/opencode",
        "cursor C:/Users/ada/AppData/Roaming/Cursor/User",
    ] {
        assert!(plain.iter().any(|root| root == place), "{place}: {plain:?}");
    }
    let moved = roots(System::Windows, home, &[("APPDATA", "D:\\Roaming")]);
    let place = "cursor D:/Roaming/Cursor/User (APPDATA)";
    assert!(moved.iter().any(|root| root == place), "{moved:?}");
}

#[test]
fn variables_take_precedence_over_the_home_folder() {
    let variables = [
        ("CLAUDE_CONFIG_DIR", "/a/claude"),
        ("CODEX_HOME", "/a/codex"),
        ("GEMINI_CLI_HOME", "/a/gemini"),
        ("XDG_DATA_HOME", "/a/data"),
        ("XDG_CONFIG_HOME", "/a/config"),
        ("OPENCODE_DB", "mine.db"),
        ("KILO_DB", "ours.db"),
        ("QWEN_HOME", "/a/qwen"),
        ("COPILOT_HOME", "/a/copilot"),
        ("PI_CODING_AGENT_DIR", "/a/pi"),
        ("PI_CODING_AGENT_SESSION_DIR", "/a/sessions"),
    ];
    assert_eq!(
        roots(System::Linux, Some("/home/ada"), &variables),
        [
            "claude /a/claude (CLAUDE_CONFIG_DIR)",
            "openclaude /home/ada/.openclaude",
            "iflow /home/ada/.iflow",
            "codex /a/codex (CODEX_HOME)",
            "traex /home/ada/.trae/cli",
            "gemini /a/gemini/.gemini (GEMINI_CLI_HOME)",
            "opencode /a/data/opencode (XDG_DATA_HOME)",
            "opencode /a/data/opencode/mine.db (OPENCODE_DB)",
            "kilo /a/data/kilo (XDG_DATA_HOME)",
            "kilo /a/data/kilo/ours.db (KILO_DB)",
            "mimocode /a/data/mimocode (XDG_DATA_HOME)",
            "cursor /home/ada/.cursor",
            "cursor /a/config/cursor (XDG_CONFIG_HOME)",
            "cursor /a/config/Cursor/User (XDG_CONFIG_HOME)",
            "qwen /a/qwen (QWEN_HOME)",
            "copilot /a/copilot (COPILOT_HOME)",
            "copilot /a/config/Code/User (XDG_CONFIG_HOME)",
            "copilot /a/config/Code - Insiders/User (XDG_CONFIG_HOME)",
            "copilot /a/config/VSCodium/User (XDG_CONFIG_HOME)",
            "copilot /a/config/Positron/User (XDG_CONFIG_HOME)",
            "copilot /home/ada/.vscode-server/data/User",
            "copilot /home/ada/.vscode-server-insiders/data/User",
            "pi /a/pi (PI_CODING_AGENT_DIR)",
            "pi /a/sessions (PI_CODING_AGENT_SESSION_DIR)",
            "omp /home/ada/.omp/agent",
            "prime /home/ada/.prime/agent",
            "openclaw /home/ada/.openclaw",
            "openclaw /home/ada/.clawdbot",
            "openclaw /home/ada/.moltbot",
            "droid /home/ada/.factory",
            "antigravity /home/ada/.gemini/antigravity-cli",
            "antigravity /home/ada/.gemini/antigravity",
            "antigravity /home/ada/.gemini/antigravity-ide",
            "grok /home/ada/.grok",
            "goose /a/data/goose (XDG_DATA_HOME)",
            "hermes /home/ada/.hermes",
        ]
    );
    let variables = [("CURSOR_CONFIG_DIR", "/a/cursor"), ("XDG_CONFIG_HOME", "/a/config")];
    let cursor = roots(System::MacOs, Some("/Users/ada"), &variables);
    let cursor: Vec<_> = cursor.iter().filter(|root| root.starts_with("cursor ")).collect();
    assert_eq!(cursor[1], "cursor /a/cursor (CURSOR_CONFIG_DIR)");
    assert_eq!(cursor[2], "cursor /Users/ada/Library/Application Support/Cursor/User");
}

#[test]
fn empty_variable_is_ignored() {
    let empty = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME"];
    let variables: Vec<_> = empty.iter().map(|name| (*name, "")).collect();
    let home = Some("/home/ada");
    assert_eq!(roots(System::Linux, home, &variables), roots(System::Linux, home, &[]));
}

#[test]
fn claude_may_have_several_folders() {
    let of = |system, value| {
        let roots = roots(system, None, &[("CLAUDE_CONFIG_DIR", value)]);
        let claude = roots.iter().filter_map(|root| root.strip_prefix("claude "));
        let claude = claude.map(|root| root.trim_end_matches(" (CLAUDE_CONFIG_DIR)").to_owned());
        claude.collect::<Vec<_>>()
    };
    assert_eq!(of(System::Linux, "/a"), ["/a"]);
    // The whole may be a name with a comma in it.
    assert_eq!(of(System::Linux, "/a, /b"), ["/a, /b", "/a", "/b"]);
    assert_eq!(of(System::MacOs, "/a:/b"), ["/a:/b", "/a", "/b"]);
    assert_eq!(of(System::Windows, "C:\\a;D:\\b"), ["C:/a;D:/b", "C:/a", "D:/b"]);
}

#[test]
fn a_database_may_be_anywhere() {
    let database = |value| {
        let roots = roots(System::Linux, Some("/home/ada"), &[("OPENCODE_DB", value)]);
        roots.into_iter().find(|root| root.ends_with("(OPENCODE_DB)"))
    };
    assert_eq!(database("/x/y.db").as_deref(), Some("opencode /x/y.db (OPENCODE_DB)"));
    assert_eq!(database("C:\\y.db").as_deref(), Some("opencode C:/y.db (OPENCODE_DB)"));
    assert_eq!(
        database("y.db").as_deref(),
        Some("opencode /home/ada/.local/share/opencode/y.db (OPENCODE_DB)")
    );
    assert_eq!(database(":memory:"), None);
}

#[test]
fn without_a_home_gemini_and_its_fork_have_places() {
    assert_eq!(roots(System::Linux, None, &[]), ["gemini /tmp/.gemini", "qwen /tmp/.qwen"]);
}

#[test]
fn a_named_folder_may_be_any_home_or_any_agents_folder() {
    let roots = roots_below(AGENTS, Path::new("/backup"));
    let has = |agent: &str, path: &str| {
        roots.iter().any(|root| root.agent == agent && root.path == Path::new(path))
    };
    for agent in ["claude", "codex", "gemini", "opencode", "cursor", "qwen", "copilot"] {
        assert!(has(agent, "/backup"), "{agent}");
    }
    assert!(has("claude", "/backup/.claude"));
    assert!(has("kilo", "/backup/.local/share/kilo") && !has("kilo", "/backup"));
    assert!(has("cursor", "/backup/.config/Cursor/User"));
    assert!(has("cursor", "/backup/Library/Application Support/Cursor/User"));
    assert!(has("cursor", "/backup/AppData/Roaming/Cursor/User"));
    assert!(roots.iter().all(|root| root.variable.is_none()));
}
