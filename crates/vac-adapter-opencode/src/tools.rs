//! Defines the tools of `OpenCode`.
//!
//! The table also contains the tools of forks that write the same format (Kilo, `MiMo`), and of
//! common plugins. The tools of MCP servers are called `<server>_<tool>`.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category::{
    Delegate, Edit, Execute, Fetch, Other, Plan, Read, Search, Think,
};

/// The shell tools, whose results may have an exit code.
const SHELL: &[&str] = &[
    "bash",
    "shell",
    "execute",
    "interactive_bash",
    "background_process",
    "interactive_terminal",
    "notebook_execute",
    "pty_spawn",
    "pty_write",
    "pty_read",
    "pty_list",
    "pty_kill",
];

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["oldString"],
    new: &["newString"],
    content: &["content"],
    list: &["edits"],
    patch: &["patchText", "patch", "input"],
};

/// The tools.
pub(crate) const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::SHELL_EXEC, Execute, SHELL).command(&[
            "command",
            "cmd",
            "code",
            "tmux_command",
        ]),
        Tool::new(canonical::FILE_WRITE, Edit, &["write"])
            .paths(&["filePath", "path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Edit,
            &["edit", "multiedit", "patch", "apply_patch", "hash_edit", "notebook_edit"],
        )
        .paths(&["filePath", "path", "patchText", "patch", "input"])
        .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Read,
            &["read", "list", "ls", "look_at", "notebook_read", "notebook_inspect"],
        )
        .paths(&["filePath", "path", "file_path"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Search,
            &[
                "grep",
                "glob",
                "lsp",
                "lsp_diagnostics",
                "lsp_find_references",
                "lsp_goto_definition",
                "lsp_hover",
                "lsp_symbols",
                "ast_grep_search",
                "codebase_search",
                "semantic_search",
                "diagnostics",
            ],
        )
        .paths(&["path", "filePath"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Fetch,
            &["webfetch", "websearch", "codesearch", "web_search", "google_search", "browser_open"],
        )
        .address(&["url"]),
        Tool::new(
            canonical::MEMORY,
            Think,
            &["memory", "recall", "remember", "kilo_memory_save", "kilo_memory_recall"],
        ),
        Tool::new(
            canonical::PLANNING,
            Plan,
            &[
                "todowrite",
                "todoread",
                "todo_write",
                "todo_read",
                "plan_enter",
                "plan_exit",
                "mode_switch",
                "switch_agent",
            ],
        ),
        Tool::new(canonical::SKILL, Other, &["skill", "slashcommand", "skill_mcp"]),
        Tool::new(
            canonical::DELEGATION,
            Delegate,
            &[
                "task",
                "subagent",
                "agent_manager",
                "background_task",
                "background_output",
                "background_cancel",
                "call_omo_agent",
                "delegate_task",
                "task_status",
            ],
        ),
        Tool::new(canonical::USER_QUESTION, Other, &["question", "notify_user"]),
        // These are not tools of a server.
        Tool::new(
            canonical::UNKNOWN,
            Other,
            &["batch", "invalid", "StructuredOutput", "generate_image", "send_file"],
        ),
    ],
    server: |name| {
        let (server, tool) = name.split_once('_')?;
        (!server.is_empty() && !tool.is_empty()).then_some(server)
    },
};

/// The tool of calls whose name or input the program rejected.
pub(crate) const INVALID: &str = "invalid";

/// Returns whether a tool runs commands.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELL.contains(&name)
}

#[cfg(test)]
mod tests {
    use vac_value::Document;

    use super::*;

    #[test]
    fn tools_have_canonical_names() {
        for (name, tool, server) in [
            ("bash", "shell_exec", None),
            ("apply_patch", "file_edit", None),
            ("task", "delegation", None),
            ("question", "user_question", None),
            ("plan_exit", "planning", None),
            ("context7_resolve-library-id", "mcp_tool", Some("context7")),
            ("invalid", "unknown", None),
            ("hologram", "unknown", None),
            ("_odd", "unknown", None),
        ] {
            let action = TOOLS.action(name);
            assert_eq!((&*action.tool, action.server.as_deref()), (tool, server), "{name}");
        }
        assert_eq!(TOOLS.action("task").category, Delegate);
    }

    #[test]
    fn targets_are_read_from_the_input() {
        let target = |tool: &str, input: &str| {
            TOOLS.target(tool, Document::json(input.as_bytes()).expect("JSON").root())
        };
        assert_eq!(target("bash", r#"{"command": "ls"}"#).command.as_deref(), Some("ls"));
        assert_eq!(target("shell", r#""ls""#).command.as_deref(), Some("ls"));
        assert_eq!(target("edit", r#"{"filePath": "/a.rs"}"#).paths, ["/a.rs"]);
        let patch = r#"{"patchText": "*** Begin Patch\n*** Add File: b.rs\n*** End Patch"}"#;
        assert_eq!(target("apply_patch", patch).paths, ["b.rs"]);
        let host = target("webfetch", r#"{"url": "https://docs.rs/x"}"#).host;
        assert_eq!(host.as_deref(), Some("docs.rs"));
    }
}
