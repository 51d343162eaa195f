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

/// Canonical names with their category, and the native names that mean them.
const TOOLS: &[(&str, Category, &[&str])] = &[
    (
        "shell_exec",
        Category::Execute,
        &[
            "run_shell_command",
            "Bash",
            "BashOutput",
            "KillShell",
            "KillBash",
            "PowerShell",
            "bash",
            "shell",
            "local_shell",
            "local_shell_call",
            "shell_command",
            "exec_command",
            "write_stdin",
            "container.exec",
            "unified_exec",
            "Shell",
            "run_terminal_cmd",
            "run_terminal_command",
            "run_terminal_command_v2",
            "shellToolCall",
        ],
    ),
    (
        "file_write",
        Category::Edit,
        &["write_file", "Write", "write", "create_file", "delete_file", "Delete", "writeToolCall"],
    ),
    (
        "file_edit",
        Category::Edit,
        &[
            "replace",
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "edit",
            "patch",
            "multiedit",
            "apply_patch",
            "edit_file",
            "edit_file_v2",
            "search_replace",
            "StrReplace",
            "ApplyPatch",
            "EditNotebook",
            "editToolCall",
        ],
    ),
    (
        "file_read",
        Category::Read,
        &[
            "read_file",
            "read_many_files",
            "list_directory",
            "Read",
            "LS",
            "NotebookRead",
            "read",
            "list",
            "view_image",
            "list_dir",
            "read_file_v2",
            "read_lints",
            "ReadLints",
            "readToolCall",
            "lsToolCall",
        ],
    ),
    (
        "file_search",
        Category::Search,
        &[
            "glob",
            "search_file_content",
            "grep_search",
            "codebase_investigator",
            "Grep",
            "Glob",
            "ToolSearch",
            "grep",
            "lsp",
            "codesearch",
            "file_search",
            "codebase_search",
            "glob_file_search",
            "SemanticSearch",
            "grepToolCall",
            "globToolCall",
        ],
    ),
    (
        "web_access",
        Category::Fetch,
        &[
            "web_fetch",
            "google_web_search",
            "WebFetch",
            "WebSearch",
            "web_search",
            "webfetch",
            "websearch",
            "web_search_call",
            "fetch",
            "webFetchToolCall",
            "webSearchToolCall",
        ],
    ),
    ("memory", Category::Think, &["save_memory", "memory", "update_memory"]),
    (
        "planning",
        Category::Plan,
        &[
            "write_todos",
            "TodoWrite",
            "TodoRead",
            "TaskCreate",
            "TaskUpdate",
            "TaskList",
            "TaskGet",
            "EnterPlanMode",
            "ExitPlanMode",
            "exit_plan_mode",
            "todowrite",
            "todoread",
            "update_plan",
            "todo_write",
            "create_plan",
            "CreatePlan",
            "SwitchMode",
            "updateTodosToolCall",
        ],
    ),
    ("skill", Category::Other, &["activate_skill", "Skill", "skill"]),
];

/// The canonical name and the category of a tool; `unknown` and other for one
/// that nobody has listed.
///
/// ```
/// use vac_adapter::tools::{Category, tool};
///
/// assert_eq!(tool("list_directory"), ("file_read", Category::Read));
/// assert_eq!(tool("Bash"), ("shell_exec", Category::Execute));
/// assert_eq!(tool("mcp__crm__lookup"), ("unknown", Category::Other));
/// ```
pub fn tool(native: &str) -> (&'static str, Category) {
    TOOLS
        .iter()
        .find(|(_, _, names)| names.contains(&native))
        .map_or(("unknown", Category::Other), |(name, category, _)| (name, *category))
}
