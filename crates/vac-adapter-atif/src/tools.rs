//! The tools of agents in benchmarks, with the names that different agents use.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category;

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string", "old_str"],
    new: &["new_string", "new_str"],
    content: &["content", "file_text"],
    ..ChangeKeys::NONE
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &[
                "Bash",
                "bash",
                "bash_command",
                "execute_bash",
                "execute_command",
                "exec_command",
                "run_command",
                "run_shell_command",
                "shell",
                "terminal",
            ],
        )
        .command(&["command", "cmd", "keystrokes"]),
        Tool::new(
            canonical::FILE_WRITE,
            Category::Edit,
            &["Write", "write", "write_file", "create_file"],
        )
        .paths(&["file_path", "path"])
        .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &[
                "Edit",
                "MultiEdit",
                "apply_patch",
                "edit",
                "edit_file",
                "replace",
                "str_replace_editor",
            ],
        )
        .paths(&["file_path", "path"])
        .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["Read", "read", "read_file", "view"])
            .paths(&["file_path", "path"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["Glob", "Grep", "glob", "grep", "search"],
        )
        .paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["WebFetch", "WebSearch", "web_fetch", "web_search"],
        )
        .address(&["url"]),
        Tool::new(canonical::PLANNING, Category::Plan, &["TodoWrite", "update_plan"]),
        Tool::new(canonical::DELEGATION, Category::Delegate, &["Agent", "Task", "delegate"]),
    ],
    server,
};

/// Returns the server in a name: `mcp__<server>__<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
