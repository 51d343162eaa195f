//! The tools of Hermes Agent.

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
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["terminal", "process", "execute_code"],
        )
        .command(&["command", "code"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write_file"])
            .paths(&["path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["patch"])
            .paths(&["path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["read_file"]).paths(&["path"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["search_files", "session_search"])
            .paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["web_search", "web_extract", "browser_navigate"],
        )
        .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["memory"]),
        Tool::new(canonical::PLANNING, Category::Plan, &["todo"]),
        Tool::new(
            canonical::SKILL,
            Category::Other,
            &["skill_view", "skills_list", "skill_manage"],
        ),
        Tool::new(canonical::DELEGATION, Category::Delegate, &["delegate_task"]),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["clarify"]),
    ],
    server,
};

/// Returns the server in a name: `mcp__<server>__<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
