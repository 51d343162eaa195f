//! The tools of Codex CLI: their actions, and the members of their inputs that state their targets.
//!
//! Names are those of `function_call` and `custom_tool_call` items, the types of the
//! provider's own calls (`web_search_call`), and those of printed items (`command_execution`).

use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable, canonical};
use vac_record::annotations::{Action, Category};
use vac_value::{Kind, Node};

/// The tools.
pub(crate) const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new(
            canonical::SHELL_EXEC,
            Category::Execute,
            &[
                "shell",
                "shell_command",
                "local_shell",
                "local_shell_call",
                "container.exec",
                "exec_command",
                "unified_exec",
                "command_execution",
                "exec",
                "js_repl",
            ],
        )
        .command(&["command", "cmd", "code"]),
        Tool::new(canonical::SHELL_EXEC, Category::Execute, &["write_stdin", "js_repl_reset"]),
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["apply_patch", "file_change"])
            .paths(&["input", "patch", "changes"])
            .changes(ChangeKeys { patch: &["input", "patch", "changes"], ..ChangeKeys::NONE }),
        // Printed before October 2025: the input is the `changes` of the event.
        Tool::new(canonical::FILE_EDIT, Category::Edit, &["patch_apply"]).path_keys(),
        Tool::new(canonical::FILE_READ, Category::Read, &["view_image", "read_file", "list_dir"])
            .paths(&["path", "file_path", "dir_path"]),
        Tool::new(canonical::FILE_SEARCH, Category::Search, &["grep_files"]).paths(&["path"]),
        Tool::new(
            canonical::WEB_ACCESS,
            Category::Fetch,
            &["web_search", "web_search_call", "web_search_request"],
        )
        .address(&["url"]),
        Tool::new(
            canonical::PLANNING,
            Category::Plan,
            &["update_plan", "todo_list", "create_goal", "update_goal", "get_goal"],
        ),
        Tool::new(canonical::USER_QUESTION, Category::Other, &["request_user_input"]),
        Tool::new(
            canonical::DELEGATION,
            Category::Delegate,
            &[
                "spawn_agent",
                "spawn_agents_on_csv",
                "send_input",
                "send_message",
                "followup_task",
                "assign_task",
                "resume_agent",
                "wait",
                "wait_agent",
                "interrupt_agent",
                "close_agent",
                "list_agents",
                "report_agent_job_result",
                "collab_tool_call",
            ],
        ),
        Tool::new(
            canonical::MCP,
            Category::Other,
            &["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"],
        ),
    ],
    server,
};

/// Returns the server in `mcp__server__tool`, and in `server__tool` as it was written before
/// 0.5x. No tool of the CLI has `__` in its name.
fn server(name: &str) -> Option<&str> {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    name.split_once("__").map(|(server, _)| server).filter(|server| !server.is_empty())
}

/// Returns the action of a call, by its name, its namespace and its arguments.
///
/// | namespace | tool |
/// |---|---|
/// | `mcp__server` (since 0.115) | of that server |
/// | `web` | access to the web |
/// | any other (`functions`, `collaboration`) | the one of this name |
pub(crate) fn action<'n>(
    name: &'n str,
    namespace: Option<&'n str>,
    arguments: Option<Node<'_, '_>>,
) -> Action<'n> {
    let known = TOOLS.action(name);
    match namespace {
        Some(space) if space.starts_with("mcp__") => {
            let server = space["mcp__".len()..].trim_end_matches('_');
            let server = server.split_once("__").map_or(server, |(server, _)| server);
            mcp(Some(server))
        }
        Some("web") => {
            Action { tool: canonical::WEB_ACCESS.into(), category: Category::Fetch, server: None }
        }
        // A cell is a script that `exec` runs. Waiting for it is not waiting for an agent.
        _ if name == "wait" && arguments.is_some_and(has_cell) => TOOLS.action("exec"),
        _ => known,
    }
}

/// Returns the action of a call of an MCP server.
pub(crate) fn mcp(server: Option<&str>) -> Action<'_> {
    let server = server.filter(|server| !server.is_empty()).map(Into::into);
    Action { tool: canonical::MCP.into(), category: Category::Other, server }
}

fn has_cell(arguments: Node<'_, '_>) -> bool {
    match arguments.kind() {
        Kind::Text => arguments.text().is_some_and(|text| text.contains("cell_id")),
        _ => arguments.member("cell_id").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn calls_have_canonical_names_and_servers() {
        let cell = Document::json(br#""{\"cell_id\":\"8\"}""#).expect("JSON");
        let ids = Document::json(br#""{\"ids\":[]}""#).expect("JSON");
        for (name, namespace, arguments, tool, server) in [
            ("exec", None, None, "shell_exec", None),
            ("exec_command", Some("functions"), None, "shell_exec", None),
            ("apply_patch", None, None, "file_edit", None),
            ("spawn_agent", None, None, "delegation", None),
            ("send_message", Some("collaboration"), None, "delegation", None),
            ("wait", None, Some(&cell), "shell_exec", None),
            ("wait", None, Some(&ids), "delegation", None),
            ("run", Some("web"), None, "web_access", None),
            ("mcp__crm__look_up", None, None, "mcp_tool", Some("crm")),
            ("crm__look_up", None, None, "mcp_tool", Some("crm")),
            ("look_up", Some("mcp__crm"), None, "mcp_tool", Some("crm")),
            ("look_up", Some("mcp__crm__"), None, "mcp_tool", Some("crm")),
            ("look_up", Some("mcp__crm__mail"), None, "mcp_tool", Some("crm")),
            ("look_up", None, None, "unknown", None),
        ] {
            let found = action(name, namespace, arguments.map(Document::root));
            assert_eq!((&*found.tool, found.server.as_deref()), (tool, server), "{name}");
        }
    }

    #[test]
    fn targets_are_read_from_every_form_of_input() {
        let target = |name: &str, input: &str| {
            TOOLS.target(name, Document::json(input.as_bytes()).expect("JSON").root())
        };
        for (name, input, command) in [
            ("shell", r#"{"command": ["bash", "-lc", "ls | wc"]}"#, "ls | wc"),
            ("shell_command", r#"{"command": "ls"}"#, "ls"),
            ("exec_command", r#"{"cmd": "ls", "workdir": "/w"}"#, "ls"),
            ("local_shell_call", r#"{"type": "exec", "command": ["git", "log"]}"#, "git log"),
            ("command_execution", r#""ls -l""#, "ls -l"),
            ("exec", r#""text(1)""#, "text(1)"),
        ] {
            assert_eq!(target(name, input).command.as_deref(), Some(command), "{name}");
        }
        let patch = r"*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n*** End Patch";
        for input in [
            format!("\"{patch}\""),
            format!(r#"{{"input": "{patch}"}}"#),
            format!(r#"{{"patch": "{patch}"}}"#),
        ] {
            assert_eq!(target("apply_patch", &input).paths, ["a.rs", "b.rs"], "{input}");
        }
        let changes = r#"[{"path": "a.rs", "kind": "update"}]"#;
        assert_eq!(target("file_change", changes).paths, ["a.rs"]);
        let changes = r#"{"/w/a.rs": {"add": {"content": ""}}, "/w/b.rs": {"delete": {}}}"#;
        assert_eq!(target("patch_apply", changes).paths, ["/w/a.rs", "/w/b.rs"]);
        let page = r#"{"type": "open_page", "url": "https://example.org/x"}"#;
        assert_eq!(target("web_search_call", page).host.as_deref(), Some("example.org"));
    }
}
