//! The tools of Qwen Code.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category;

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string"],
    new: &["new_string"],
    content: &["content"],
    ..ChangeKeys::NONE
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["run_shell_command", "monitor"])
            .command(&["command"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write_file"])
            .paths(&["file_path", "path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["edit", "replace", "notebook_edit"])
            .paths(&["file_path", "notebook_path", "path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["read_file", "read_many_files", "list_directory"],
        )
        .paths(&["file_path", "absolute_path", "path", "paths"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["glob", "grep_search", "search_file_content", "lsp"],
        )
        .paths(&["path", "dir_path", "filePath"]),
        Tool::new(canonical::WEB_ACCESS, Category::Fetch, &["web_fetch", "web_search"])
            .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["save_memory"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &[
                "todo_write",
                "enter_plan_mode",
                "exit_plan_mode",
                "task_create",
                "task_get",
                "task_list",
                "task_update",
            ],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["skill"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["task", "agent", "task_stop", "task_output", "send_message", "create_sub_session"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask_user_question"]),
    ],
    server,
};

/// Returns the server in a name: `mcp__<server>__<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
