//! The tools of Claude Code.

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::{Action, Category};
use vac_value::Node;

/// The members of edits that state the change.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string", "old_str"],
    new: &["new_string", "new_str", "insert_text"],
    content: &["content", "file_text", "new_source"],
    list: &["edits"],
    patch: &[],
};

/// The tools, and the members of their inputs that state their targets.
pub(crate) const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["Bash", "PowerShell", "Monitor", "REPL", "bash_code_execution", "code_execution"],
        )
        .command(&["command", "code"]),
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["BashOutput", "KillShell", "KillBash", "TaskOutput", "TaskStop"],
        ),
        // The tool names of iFlow CLI, which are those of Gemini CLI.
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["run_shell_command"])
            .command(&["command"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["write_file"])
            .paths(&["file_path"])
            .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["replace", "multi_edit"])
            .paths(&["file_path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["read_file", "read_many_files", "list_directory"],
        )
        .paths(&["absolute_path", "file_path", "path", "paths"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["glob", "search_file_content"])
            .paths(&["path"]),
        Tool::new(canonical::PLANNING, Category::Plan, &["todo_write", "todo_read"]),
        Tool::new(canonical::MEMORY, Category::Think, &["save_memory"]),
        Tool::new(canonical::FILE_WRITE, Category::Edit, &["Write"])
            .paths(&["file_path"])
            .changes(CHANGES),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &[
                "Edit",
                "MultiEdit",
                "NotebookEdit",
                "str_replace_editor",
                "str_replace_based_edit_tool",
                "text_editor_code_execution",
            ],
        )
        .paths(&["file_path", "notebook_path", "path"])
        .changes(CHANGES),
        Tool::new(canonical::FILE_READ, Category::Read, &["Read", "LS", "NotebookRead"]).paths(&[
            "file_path",
            "notebook_path",
            "path",
        ]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["Glob", "Grep", "LSP"])
            .paths(&["path", "filePath"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["WebFetch", "WebSearch", "web_fetch", "web_search"],
        )
        .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["memory"]).paths(&["path"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &[
                "TodoWrite",
                "TodoRead",
                "TaskCreate",
                "TaskUpdate",
                "TaskList",
                "TaskGet",
                "EnterPlanMode",
                "ExitPlanMode",
                "exit_plan_mode",
            ],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["Skill", "SlashCommand"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["Task", "Agent", "Workflow", "SendMessage", "TeamCreate", "TeamDelete", "advisor"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["AskUserQuestion"]),
        Tool::new(
            canonical::MCP,
            Category::Other,
            &["ListMcpResourcesTool", "ReadMcpResourceTool"],
        ),
    ],
    server: |name| name.strip_prefix("mcp__")?.split_once("__").map(|(server, _)| server),
};

/// Returns the action of a call with this name. MCP calls of the provider name their server in a
/// member of the block.
pub(crate) fn action<'n>(name: &'n str, block: Node<'n, '_>) -> Action<'n> {
    match block.member("server_name").and_then(Node::text) {
        Some(server) => {
            Action { tool: canonical::MCP.into(), category: Category::Other, server: Some(server) }
        }
        None => TOOLS.action(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn calls_name_what_they_act_on() {
        let target = |name: &str, input: &str| {
            TOOLS.target(name, Document::json(input.as_bytes()).expect("JSON").root())
        };
        let bash = target("Bash", r#"{"command": "cargo test", "description": "Test"}"#);
        assert_eq!(bash.command.as_deref(), Some("cargo test"));
        for (name, input) in [
            ("Read", r#"{"file_path": "a.rs"}"#),
            ("NotebookEdit", r#"{"notebook_path": "a.rs"}"#),
            ("Grep", r#"{"pattern": "x", "path": "a.rs"}"#),
        ] {
            assert_eq!(target(name, input).paths, ["a.rs"], "{name}");
        }
        let fetch = target("WebFetch", r#"{"url": "https://docs.rs/serde", "prompt": "x"}"#);
        assert_eq!(fetch.host.as_deref(), Some("docs.rs"));
    }

    #[test]
    fn subagents_and_servers_are_named() {
        for name in ["Task", "Agent"] {
            let action = TOOLS.action(name);
            assert_eq!((&*action.tool, action.category), ("delegation", Category::Delegate));
        }
        let action = TOOLS.action("mcp__claude_ai_Gmail__search");
        assert_eq!(
            (&*action.tool, action.server.as_deref()),
            ("mcp_tool", Some("claude_ai_Gmail"))
        );
    }
}
