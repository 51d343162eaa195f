//! The tools of Antigravity.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical, no_server};
use vac_record::annotations::Category;

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["TargetContent"],
    new: &["ReplacementContent"],
    content: &["CodeContent"],
    list: &["ReplacementChunks"],
    ..ChangeKeys::NONE
};

/// The table of the agent's tools.
pub(crate) static TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["run_command", "command_status", "send_command_input"],
        )
        .command(&["CommandLine"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write_to_file"])
            .paths(&["TargetFile"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &["replace_file_content", "multi_replace_file_content"],
        )
        .paths(&["TargetFile"])
        .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["view_file", "list_dir"])
            .paths(&["AbsolutePath", "DirectoryPath"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["grep_search", "find_by_name"])
            .paths(&["SearchPath", "SearchDirectory"]),
        Tool::new(canonical::WEB_ACCESS, Category::Fetch, &["read_url_content", "search_web"])
            .address(&["Url"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["invoke_subagent", "send_message", "define_subagent", "browser_subagent"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask_question", "notify_user"]),
    ],
    server: no_server,
};
