//! The tools of Grok Build, and the kinds of tools of the Agent Client Protocol.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::{Action, Category};

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string", "oldText"],
    new: &["new_string", "newText"],
    content: &["content"],
    ..ChangeKeys::NONE
};

/// The members of inputs that are paths.
const PATHS: &[&str] = &["target_file", "file_path", "path", "target_directory"];

/// The table of the agent's tools. The last names of each are kinds of the protocol.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["run_terminal_command", "bash", "shell", "execute"],
        )
        .command(&["command", "cmd"]),
        Tool::new(
            canonical::FILE_WRITE,
            Category::Edit,
            &["write", "write_file", "delete", "move"],
        )
        .paths(PATHS)
        .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["search_replace", "edit_file", "edit"])
            .paths(PATHS)
            .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["read_file", "list_dir", "read"])
            .paths(PATHS),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["grep", "glob", "search"])
            .paths(PATHS),
        Tool::new(canonical::WEB_ACCESS, Category::Fetch, &["web_fetch", "web_search", "fetch"])
            .address(&["url"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["spawn_subagent", "task", "get_task_output", "kill_task"],
        ),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &["todo_write", "enter_plan_mode", "exit_plan_mode", "switch_mode"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask_user_question"]),
        Tool::new(canonical::SKILL, Category::Other, &["skill"]),
        Tool::new(canonical::MEMORY, Category::Think, &["memory"]),
        Tool::new(canonical::UNKNOWN, Category::Think, &["think"]),
    ],
    server,
};

/// Returns the server in a name: `mcp__<server>__<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}

/// Returns the action of a call, by the name of its tool, or else by the kind that the protocol
/// states.
pub(crate) fn action<'n>(name: &'n str, kind: Option<&'n str>) -> Action<'n> {
    let by_name = TOOLS.action(name);
    match kind {
        Some(kind) if by_name.tool == canonical::UNKNOWN => TOOLS.action(kind),
        _ => by_name,
    }
}
