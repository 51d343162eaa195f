//! Defines the tools of Cursor. Transcripts name them `Shell`, databases `run_terminal_cmd`, and
//! streams `shellToolCall`.

use std::borrow::Cow;

use vac_adapter::annotation::annotate;
use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::Entry;
use vac_record::annotations::{Action, Category};
use vac_value::{Document, Kind, Node};

/// The members of edits that state their changes.
const CHANGES: ChangeKeys = ChangeKeys {
    old: &["old_string", "oldString"],
    new: &["new_string", "newString", "code_edit"],
    content: &["contents", "content", "fileText"],
    list: &["edits"],
    patch: &[],
};

/// The table of the agent's tools.
pub(crate) const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &[
                "Shell",
                "run_terminal_cmd",
                "run_terminal_command",
                "run_terminal_command_v2",
                "shellToolCall",
            ],
        )
        .command(&["command"]),
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &["Await", "awaitToolCall", "writeShellStdinToolCall"],
        ),
        Tool::new(
            canonical::FILE_WRITE,
            Category::Edit,
            &["Write", "write", "create_file", "writeToolCall"],
        )
        .paths(FILE)
        .changes(CHANGES),
        Tool::new(
            canonical::FILE_WRITE,
            Category::Edit,
            &["Delete", "delete_file", "deleteToolCall"],
        )
        .paths(FILE),
        Tool::new(
            canonical::FILE_EDIT,
            Category::Edit,
            &[
                "StrReplace",
                "MultiStrReplace",
                "Edit",
                "EditNotebook",
                "edit_file",
                "edit_file_v2",
                "edit_notebook",
                "search_replace",
                "reapply",
                "editToolCall",
            ],
        )
        .paths(FILE)
        .changes(CHANGES),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["ApplyPatch", "apply_patch"])
            .paths(&["path", "patch", "input"])
            .changes(ChangeKeys { patch: &["patch", "input"], ..ChangeKeys::NONE }),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["Read", "LS", "read_file", "read_file_v2", "readToolCall"],
        )
        .paths(FILE),
        Tool::new(canonical::FILE_READ, Category::Read, &["list_dir", "list_dir_v2", "lsToolCall"])
            .paths(FOLDER),
        Tool::new(
            canonical::FILE_READ,
            Category::Read,
            &["ReadLints", "read_lints", "readLintsToolCall"],
        )
        .paths(&["paths", "path"]),
        Tool::new(
            canonical::FILE_SEARCH,
            Category::Search,
            &[
                "Grep",
                "Glob",
                "SemanticSearch",
                "codebase_search",
                "semantic_search_full",
                "file_search",
                "glob_file_search",
                "grep",
                "grep_search",
                "ripgrep",
                "ripgrep_raw_search",
                "search",
                "grepToolCall",
                "globToolCall",
                "semSearchToolCall",
            ],
        )
        .paths(FOLDER),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &[
                "WebFetch",
                "WebSearch",
                "web_fetch",
                "web_search",
                "fetch",
                "fetchToolCall",
                "webFetchToolCall",
                "webSearchToolCall",
            ],
        )
        .address(&["url"]),
        Tool::new(canonical::MEMORY, Category::Think, &["update_memory"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &[
                "TodoWrite",
                "TodoRead",
                "todo_write",
                "create_plan",
                "CreatePlan",
                "SwitchMode",
                "switch_mode",
                "updateTodosToolCall",
                "readTodosToolCall",
                "createPlanToolCall",
                "switchModeToolCall",
            ],
        ),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &["Task", "Subagent", "task", "task_v2", "taskToolCall"],
        ),
        Tool::new(
            canonical::USER_QUESTION,
            Category::Other,
            &["AskQuestion", "ask_question", "askQuestionToolCall"],
        ),
        Tool::new(canonical::SKILL, Category::Other, &["Skill"]),
        Tool::new(canonical::MCP, Category::Other, WITH_SERVER),
    ],
    server,
};

/// Members with the path of a file, in transcripts, databases and streams.
const FILE: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "target_file",
    "targetFile",
    "target_notebook",
    "relativeWorkspacePath",
    "relative_workspace_path",
];
/// Members with the path of a folder.
const FOLDER: &[&str] = &[
    "path",
    "target_directory",
    "targetDirectory",
    "target_directories",
    "targetDirectories",
    "relativeWorkspacePath",
    "relative_workspace_path",
    "directoryPath",
];
/// Tools whose input names the server of the called tool.
const WITH_SERVER: &[&str] =
    &["CallMcpTool", "FetchMcpResource", "mcpToolCall", "call_mcp_tool", "mcp"];

/// Returns the server in a name: `mcp_<server>_<tool>` or `mcp-<server>-<tool>`.
fn server(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("mcp")?;
    let separator = rest.chars().next().filter(|char| matches!(char, '_' | '-'))?;
    let (server, tool) = rest.trim_start_matches(separator).split_once(separator)?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}

/// Returns the server that the input of a call names.
fn server_of_input(input: Node<'_, '_>) -> Option<String> {
    if let Some(text) = input.text() {
        let inside = Document::json(text.as_bytes()).ok()?;
        return (inside.root().kind() == Kind::Map).then(|| server_of_input(inside.root()))?;
    }
    let keys = ["server", "serverName", "server_name", "providerIdentifier"];
    let found = keys.iter().find_map(|key| input.member(key).and_then(Node::text));
    found.map(Cow::into_owned).filter(|server| !server.is_empty())
}

/// Adds the action of a call to its annotations.
pub(crate) fn annotate_call(entry: &mut Entry<'_>) {
    let Entry::ToolCall(call) = entry else { return };
    let mut action = TOOLS.action(&call.name);
    if WITH_SERVER.contains(&&*call.name) {
        let document = call.input.document().ok();
        action.server = document.and_then(|it| server_of_input(it.root())).map(Into::into);
    }
    let (tool, server) = (action.tool.into_owned(), action.server.map(Cow::into_owned));
    let category = action.category;
    annotate(entry, |it| {
        it.action = Some(Action { tool: tool.into(), category, server: server.map(Into::into) });
    });
}

/// Returns whether a tool runs commands.
pub(crate) fn is_shell(name: &str) -> bool {
    TOOLS.action(name).category == Category::Execute
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_record::ToolCallEntry;
    use vac_value::Any;

    #[test]
    fn all_names_of_a_tool_mean_the_same() {
        for (names, canonical, category) in [
            (&["Shell", "run_terminal_cmd", "shellToolCall"][..], "shell_exec", Category::Execute),
            (&["Read", "read_file_v2", "readToolCall"], "file_read", Category::Read),
            (&["StrReplace", "search_replace", "editToolCall"], "file_edit", Category::Edit),
            (&["Write", "write", "writeToolCall"], "file_write", Category::Edit),
            (&["Grep", "ripgrep_raw_search", "grepToolCall"], "file_search", Category::Search),
            (&["Task", "task_v2", "taskToolCall"], "delegation", Category::Delegate),
            (&["TodoWrite", "todo_write", "updateTodosToolCall"], "planning", Category::Plan),
            (&["GetDynamicTools"], "unknown", Category::Other),
        ] {
            for name in names {
                let action = TOOLS.action(name);
                assert_eq!((&*action.tool, action.category), (canonical, category), "{name}");
            }
        }
    }

    #[test]
    fn calls_name_their_command_and_paths() {
        let target = |tool: &str, input: &str| {
            TOOLS.target(tool, Document::json(input.as_bytes()).expect("JSON").root())
        };
        let shell = target("shellToolCall", r#"{"command": "ls", "workingDirectory": ""}"#);
        assert_eq!(shell.command.as_deref(), Some("ls"));
        for (tool, input) in [
            ("Read", r#"{"path": "a.rs", "limit": 100}"#),
            ("read_file", r#"{"target_file": "a.rs"}"#),
            ("search_replace", r#"{"file_path": "a.rs"}"#),
            ("edit_file_v2", r#"{"relativeWorkspacePath": "a.rs"}"#),
            ("Glob", r#"{"target_directory": "a.rs", "glob_pattern": "*"}"#),
        ] {
            assert_eq!(target(tool, input).paths, ["a.rs"], "{tool}");
        }
    }

    #[test]
    fn tools_of_servers_name_the_server() {
        for (name, input, server) in [
            ("mcp_crm_look_up", "{}", Some("crm")),
            ("mcp-crm-look_up", "{}", Some("crm")),
            ("CallMcpTool", r#"{"server": "crm", "toolName": "look_up"}"#, Some("crm")),
            ("mcpToolCall", r#"{"providerIdentifier": "crm", "toolName": "x"}"#, Some("crm")),
            ("CallMcpTool", r#""{\"server\": \"crm\"}""#, Some("crm")),
            ("CallMcpTool", "{}", None),
        ] {
            let input = Any::from_json(input.as_bytes()).expect("JSON");
            let mut entry = Entry::ToolCall(ToolCallEntry {
                name: name.into(),
                input,
                call_id: None,
                timestamp: None,
                id: None,
                children: None,
                extensions: vac_value::Map::default(),
            });
            annotate_call(&mut entry);
            let found = vac_adapter::annotation::annotations(&entry).expect("valid");
            let action = found.and_then(|it| it.action).expect("an action");
            assert_eq!((&*action.tool, action.server.as_deref()), ("mcp_tool", server), "{name}");
        }
    }
}
