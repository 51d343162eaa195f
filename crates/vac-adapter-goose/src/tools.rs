//! The tools of Goose: `<extension>__<tool>`.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category;

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_str", "before"],
    new: &["new_str", "after"],
    content: &["file_text", "content"],
    ..ChangeKeys::NONE
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["developer__shell", "shell"])
            .command(&["command"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["developer__write", "write"])
            .paths(&["path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &["developer__text_editor", "developer__edit", "text_editor", "edit"],
        )
        .paths(&["path"])
        .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["developer__read", "developer__image_processor", "developer__analyze", "read"],
        )
        .paths(&["path"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["developer__tree", "developer__list_files", "tree"],
        )
        .paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["computercontroller__web_scrape", "fetch"],
        )
        .address(&["url"]),
        Tool::new(
            canonical::MEMORY,
            Category::Think,
            &["memory__remember_memory", "memory__retrieve_memories"],
        ),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &["todo__todo_write", "todo__todo_read", "todo__write"],
        ),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &[
                "dynamic_task__create_task",
                "subagent__execute_task",
                "summon__delegate",
                "delegate",
            ],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["skills__load_skill", "load_skill"]),
    ],
    server,
};

/// Returns the extension in a name.
fn server(name: &str) -> Option<&str> {
    let (extension, tool) = name.split_once("__")?;
    (!extension.is_empty() && !tool.is_empty()).then_some(extension)
}
