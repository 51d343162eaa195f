//! Defines the tools of Gemini CLI.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::{Action, Category};

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string"],
    new: &["new_string"],
    content: &["content"],
    ..ChangeKeys::NONE
};

/// The table of the agent's tools.
pub(crate) const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["run_shell_command", "run_command"])
            .command(&["command"]),
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["list_background_processes", "read_background_output"],
        ),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write_file"])
            .paths(&["file_path", "path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["replace", "edit"])
            .paths(&["file_path", "path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["read_file", "read_many_files", "list_directory"],
        )
        .paths(&["file_path", "absolute_path", "path", "dir_path", "paths", "include"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &["glob", "search_file_content", "grep_search"],
        )
        .paths(&["dir_path", "path"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["codebase_investigator"]),
        Tool::new(canonical::WEB_ACCESS, Category::Fetch, &["web_fetch", "google_web_search"])
            .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["save_memory"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &[
                "write_todos",
                "update_topic",
                "enter_plan_mode",
                "exit_plan_mode",
                "tracker_create_task",
                "tracker_update_task",
                "tracker_get_task",
                "tracker_list_tasks",
                "tracker_add_dependency",
                "tracker_visualize",
            ],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["activate_skill"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["delegate_to_agent", "invoke_agent", "generalist", "cli_help", "browser_agent"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["ask_user"]),
    ],
    server,
};

/// Returns the server in the name of a tool: `mcp_<server>_<tool>` since 0.33, `<server>__<tool>`
/// before.
fn server(name: &str) -> Option<&str> {
    let (server, tool) = match name.strip_prefix("mcp_") {
        Some(rest) => rest.trim_start_matches('_').split_once('_')?,
        None => name.split_once("__")?,
    };
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}

/// Returns the action of a call. Before 0.33, the name of a server's tool does not contain the
/// server; only the displayed name does: `list_pages (browser MCP Server)`.
pub(crate) fn action<'n>(name: &'n str, display_name: Option<&str>) -> Action<'n> {
    let action = TOOLS.action(name);
    let shown = display_name.and_then(|shown| {
        let (_, server) = shown.strip_suffix(" MCP Server)")?.rsplit_once(" (")?;
        (!server.is_empty()).then(|| server.to_owned())
    });
    match shown {
        Some(server) if action.tool == canonical::UNKNOWN || action.tool == canonical::MCP => {
            Action { tool: canonical::MCP.into(), server: Some(server.into()), ..action }
        }
        _ => action,
    }
}

/// Returns whether a tool runs commands.
pub(crate) fn is_shell(name: &str) -> bool {
    TOOLS.action(name).category == Category::Execute
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn tools_have_canonical_names_and_categories() {
        for (native, canonical, category) in [
            ("run_shell_command", "shell_exec", Category::Execute),
            ("write_file", "file_write", Category::Edit),
            ("replace", "file_edit", Category::Edit),
            ("read_file", "file_read", Category::Read),
            ("list_directory", "file_read", Category::Read),
            ("glob", "file_search", Category::Search),
            ("search_file_content", "file_search", Category::Search),
            ("grep_search", "file_search", Category::Search),
            ("web_fetch", "web_access", Category::Fetch),
            ("google_web_search", "web_access", Category::Fetch),
            ("save_memory", "memory", Category::Think),
            ("write_todos", "planning", Category::Plan),
            ("codebase_investigator", "file_search", Category::Search),
            ("activate_skill", "skill", Category::Other),
            ("delegate_to_agent", "delegation", Category::Delegate),
            ("something_else", "unknown", Category::Other),
        ] {
            let action = TOOLS.action(native);
            assert_eq!((&*action.tool, action.category), (canonical, category), "{native}");
        }
    }

    #[test]
    fn tools_of_servers_name_the_server() {
        for (name, shown, expected) in [
            ("mcp_crm_look_up", None, Some("crm")),
            ("mcp__crm__look_up", None, Some("crm")),
            ("crm__look_up", None, Some("crm")),
            ("look_up", Some("look_up (crm MCP Server)"), Some("crm")),
            ("look_up", Some("Look up"), None),
            ("read_file", Some("read_file (crm MCP Server)"), None),
            ("mcp_crm", None, None),
        ] {
            let action = action(name, shown);
            assert_eq!(action.server.as_deref(), expected, "{name} {shown:?}");
            assert_eq!(action.tool == canonical::MCP, expected.is_some(), "{name} {shown:?}");
        }
    }

    #[test]
    fn calls_name_their_command_and_paths() {
        let target = |tool: &str, input: &str| {
            TOOLS.target(tool, Document::json(input.as_bytes()).expect("JSON").root())
        };
        let run = target("run_shell_command", r#"{"command": "ls", "description": "List"}"#);
        assert_eq!(run.command.as_deref(), Some("ls"));
        let read = target("read_file", r#"{"file_path": "a.rs", "offset": 1}"#);
        assert_eq!(read.paths, ["a.rs"]);
        assert_eq!(target("read_file", r#"{"absolute_path": "/a.rs"}"#).paths, ["/a.rs"]);
    }
}
