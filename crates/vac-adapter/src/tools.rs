//! What a tool is for: a canonical name and a category for the native names of
//! all agents.

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Runs a command.
    Execute,
    /// Changes files.
    Edit,
    /// Reads files.
    Read,
    /// Looks for files or in them.
    Search,
    /// Goes to the network.
    Fetch,
    /// Remembers.
    Think,
    /// Plans.
    Plan,
    /// Anything else.
    Other,
}

impl Category {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Execute => "Execute",
            Self::Edit => "Edit",
            Self::Read => "Read",
            Self::Search => "Search",
            Self::Fetch => "Fetch",
            Self::Think => "Think",
            Self::Plan => "Plan",
            Self::Other => "Other",
        }
    }
}

/// Canonical names with their category, and the native names that mean them, in the order
/// Gemini, Claude, Codex, `OpenCode`, Cursor.
const TOOLS: &[(&str, Category, &str)] = &[
    (
        "shell_exec",
        Category::Execute,
        "run_shell_command list_background_processes read_background_output
         Bash BashOutput KillShell KillBash PowerShell Monitor TaskOutput TaskStop
         bash_code_execution code_execution
         shell shell_command command_execution container.exec exec exec_command js_repl
         local_shell local_shell_call unified_exec write_stdin
         bash
         Shell Await run_terminal_cmd run_terminal_command run_terminal_command_v2
         shellToolCall",
    ),
    (
        "file_write",
        Category::Edit,
        "write_file
         Write
         write
         Delete create_file delete_file writeToolCall deleteToolCall",
    ),
    (
        "file_edit",
        Category::Edit,
        "replace
         Edit MultiEdit NotebookEdit str_replace_editor str_replace_based_edit_tool
         text_editor_code_execution
         apply_patch file_change patch_apply
         edit multiedit patch
         StrReplace ApplyPatch EditNotebook edit_file edit_file_v2 edit_notebook search_replace
         reapply editToolCall",
    ),
    (
        "file_read",
        Category::Read,
        "read_file read_many_files list_directory
         Read LS NotebookRead
         list_dir view_image
         read list
         ReadLints read_lints read_file_v2 list_dir_v2 readToolCall lsToolCall
         readLintsToolCall",
    ),
    (
        "file_search",
        Category::Search,
        "glob search_file_content grep_search codebase_investigator
         Glob Grep LSP
         grep_files
         grep lsp
         SemanticSearch codebase_search semantic_search_full file_search glob_file_search
         ripgrep ripgrep_raw_search grepToolCall globToolCall semSearchToolCall",
    ),
    (
        "web_access",
        Category::Fetch,
        "web_fetch google_web_search
         WebFetch WebSearch
         web_search web_search_call
         webfetch websearch codesearch
         fetch fetchToolCall webFetchToolCall webSearchToolCall",
    ),
    (
        "memory",
        Category::Think,
        "save_memory
         memory
         update_memory",
    ),
    (
        "planning",
        Category::Plan,
        "write_todos enter_plan_mode exit_plan_mode tracker_create_task tracker_update_task
         tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize
         TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet EnterPlanMode ExitPlanMode
         update_plan todo_list
         todowrite todoread plan_enter plan_exit
         todo_write create_plan CreatePlan SwitchMode updateTodosToolCall createPlanToolCall",
    ),
    (
        "skill",
        Category::Other,
        "activate_skill
         Skill SlashCommand
         skill",
    ),
];

/// The canonical name and the category of a tool; `unknown` and other for one that nobody
/// has listed: tools of MCP servers, subagents, questions to the user.
///
/// ```
/// use vac_adapter::tools::{Category, tool};
///
/// assert_eq!(tool("list_directory"), ("file_read", Category::Read));
/// assert_eq!(tool("Bash"), ("shell_exec", Category::Execute));
/// assert_eq!(tool("mcp__crm__lookup"), ("unknown", Category::Other));
/// ```
pub fn tool(native: &str) -> (&'static str, Category) {
    let means = |names: &str| names.split_ascii_whitespace().any(|name| name == native);
    TOOLS
        .iter()
        .find(|(_, _, names)| means(names))
        .map_or(("unknown", Category::Other), |(name, category, _)| (name, *category))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_of_gemini_have_the_names_and_categories_that_were_agreed_on() {
        for (native, canonical, category) in [
            ("run_shell_command", "shell_exec", "Execute"),
            ("write_file", "file_write", "Edit"),
            ("replace", "file_edit", "Edit"),
            ("read_file", "file_read", "Read"),
            ("list_directory", "file_read", "Read"),
            ("glob", "file_search", "Search"),
            ("search_file_content", "file_search", "Search"),
            ("grep_search", "file_search", "Search"),
            ("web_fetch", "web_access", "Fetch"),
            ("google_web_search", "web_access", "Fetch"),
            ("save_memory", "memory", "Think"),
            ("write_todos", "planning", "Plan"),
            ("codebase_investigator", "file_search", "Search"),
            ("activate_skill", "skill", "Other"),
            ("something_else", "unknown", "Other"),
        ] {
            let (name, found) = tool(native);
            assert_eq!((name, found.name()), (canonical, category), "{native}");
        }
    }

    #[test]
    fn what_codex_prints_of_its_tools_is_known() {
        for (native, expected) in [
            ("command_execution", ("shell_exec", Category::Execute)),
            ("file_change", ("file_edit", Category::Edit)),
            ("patch_apply", ("file_edit", Category::Edit)),
            ("todo_list", ("planning", Category::Plan)),
        ] {
            assert_eq!(tool(native), expected, "{native}");
        }
    }

    #[test]
    fn a_name_means_one_thing() {
        let mut names: Vec<_> =
            TOOLS.iter().flat_map(|(_, _, names)| names.split_ascii_whitespace()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
