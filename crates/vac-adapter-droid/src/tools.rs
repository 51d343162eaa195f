//! The tools of Factory Droid.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::Category;

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_str", "old_string"],
    new: &["new_str", "new_string"],
    content: &["content"],
    list: &["changes", "edits"],
    patch: &["input", "patch"],
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["Execute"]).command(&["command"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["Create"])
            .paths(&["file_path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["Edit", "MultiEdit", "ApplyPatch"])
            .paths(&["file_path", "input", "patch"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["Read", "LS"])
            .paths(&["file_path", "directory_path"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["Grep", "Glob"])
            .paths(&["path", "folder"]),
        Tool::new(canonical::WEB_ACCESS, Category::Fetch, &["WebSearch", "FetchUrl"])
            .address(&["url"]),
        Tool::new(canonical::PLANNING, Category::Plan, &["TodoWrite", "ExitSpecMode"]),
        Tool::new(canonical::SKILL, Category::Other, &["Skill"]),
        Tool::new(canonical::DELEGATION, Category::Delegate, &["Task"]),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["AskUser"]),
    ],
    server,
};

/// Returns the server in a name: `<server>___<tool>`.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = name.split_once("___")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
