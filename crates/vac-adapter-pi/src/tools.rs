//! The tools of Pi, and of the programs that write the same format.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category;

/// The role of a command that the user typed with `!`, which is the name of its call.
pub(crate) const USER_COMMAND: &str = "bashExecution";

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["oldText", "old_text"],
    new: &["newText", "new_text"],
    content: &["content"],
    list: &["edits"],
    patch: &["input", "patch"],
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::USER_COMMAND, Category::Execute, &[USER_COMMAND])
            .command(&["command"]),
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["bash", "exec", "process", "run_terminal", "ssh", "python", "eval"],
        )
        .command(&["command", "code"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write"])
            .paths(&["path", "file_path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &["edit", "edit_file", "apply_patch", "ast_edit"],
        )
        .paths(&["path", "file_path", "input", "patch"])
        .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["read", "ls", "open_file", "read_file"])
            .paths(&["path", "file_path"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["grep", "find", "glob", "search", "ast_grep", "lsp"],
        )
        .paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["web_fetch", "web_search", "fetch", "browser"],
        )
        .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["memory_search", "memory_get"]),
        Tool::new(canonical::PLANNING, Category::Plan, &["todo", "todo_write", "update_plan"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["task", "sessions_spawn", "sessions_send", "subagent"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask"]),
    ],
    server,
};

/// Returns the server in a name: `mcp__<server>__<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
