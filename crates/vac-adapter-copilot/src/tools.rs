//! The tools of Copilot CLI, and of Copilot Chat in VS Code.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical, no_server};
use vac_record::annotations::{Action, Category};

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_str", "oldString"],
    new: &["new_str", "newString"],
    content: &["file_text", "content"],
    list: &["replacements"],
    patch: &["input", "patch"],
};

/// The table of the agent's tools. Names of MCP tools do not contain their server, but calls state
/// it.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["bash", "powershell", "run_in_terminal", "run_task"],
        )
        .command(&["command"]),
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &[
                "read_bash",
                "write_bash",
                "stop_bash",
                "list_bash",
                "read_powershell",
                "write_powershell",
                "stop_powershell",
                "list_powershell",
                "get_terminal_output",
            ],
        ),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["create", "create_file"])
            .paths(&["path", "filePath"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &[
                "edit",
                "str_replace_editor",
                "apply_patch",
                "replace_string_in_file",
                "multi_replace_string_in_file",
                "insert_edit_into_file",
            ],
        )
        .paths(&["path", "filePath", "input", "patch"])
        .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["view", "read_file", "list_dir", "show_file"],
        )
        .paths(&["path", "filePath"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["glob", "grep", "rg", "file_search", "grep_search", "semantic_search", "lsp"],
        )
        .paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["web_fetch", "web_search", "fetch_webpage"],
        )
        .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["store_memory", "memory"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &[
                "update_todo",
                "report_intent",
                "exit_plan_mode",
                "manage_todo_list",
                "task_complete",
            ],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["skill"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["task", "read_agent", "list_agents", "write_agent", "stop_agent", "runSubagent"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask_user", "ask_questions"]),
    ],
    server: no_server,
};

/// Returns the action of a call, with the server that it states.
pub(crate) fn action<'n>(name: &'n str, server: Option<&'n str>) -> Action<'n> {
    match server {
        Some(server) => Action {
            tool: canonical::MCP.into(),
            category: Category::Other,
            server: Some(server.into()),
        },
        None => TOOLS.action(name),
    }
}
