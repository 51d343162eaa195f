//! Interprets the tools of an agent, by a table in the agent's crate.
//!
//! A [`ToolTable`] gives a native tool name its canonical name and category, which a record
//! states in the annotation `action`, and states which members of a call's input are the command,
//! the paths and the address. Records do not contain these, because they would repeat the input;
//! [`ToolTable::target`] reads them.
//!
//! ```
//! use vac_adapter::tools::{Tool, ToolTable, no_server};
//! use vac_record::annotations::Category;
//! use vac_value::Document;
//!
//! const TOOLS: ToolTable = ToolTable {
//!     tools: &[
//!         Tool::new("shell_exec", Category::Execute, &["Bash"]).command(&["command"]),
//!         Tool::new("web_access", Category::Fetch, &["WebFetch"]).address(&["url"]),
//!     ],
//!     server: no_server,
//! };
//! assert_eq!(TOOLS.action("Bash").tool, "shell_exec");
//! let input = Document::json(br#"{"command": "cargo test"}"#)?;
//! assert_eq!(TOOLS.target("Bash", input.root()).command.as_deref(), Some("cargo test"));
//! let input = Document::json(br#"{"url": "https://docs.rs/serde"}"#)?;
//! assert_eq!(TOOLS.target("WebFetch", input.root()).host.as_deref(), Some("docs.rs"));
//! # Ok::<(), vac_value::SyntaxError>(())
//! ```

pub mod edits;

use std::borrow::Cow;

use vac_record::annotations::{Action, Category};
use vac_value::{Kind, Node};

use edits::ChangeKeys;

/// Canonical names of tools.
pub mod canonical {
    /// Runs a command.
    pub const SHELL_EXEC: &str = "shell_exec";
    /// Runs a command that the user typed, not the model.
    pub const USER_COMMAND: &str = "user_command";
    /// Creates, replaces or deletes a file.
    pub const FILE_WRITE: &str = "file_write";
    /// Changes parts of a file.
    pub const FILE_EDIT: &str = "file_edit";
    /// Reads a file or lists a folder.
    pub const FILE_READ: &str = "file_read";
    /// Searches for files or in files.
    pub const FILE_SEARCH: &str = "file_search";
    /// Reads from the network.
    pub const WEB_ACCESS: &str = "web_access";
    /// Stores something for later sessions.
    pub const MEMORY: &str = "memory";
    /// Creates or updates a plan or a list of tasks.
    pub const PLANNING: &str = "planning";
    /// Uses a skill.
    pub const SKILL: &str = "skill";
    /// Starts, asks or stops another agent.
    pub const DELEGATION: &str = "delegation";
    /// Asks the user.
    pub const USER_QUESTION: &str = "user_question";
    /// A tool that an MCP server provides.
    pub const MCP: &str = "mcp_tool";
    /// A tool that no table lists.
    pub const UNKNOWN: &str = "unknown";
}

/// The tools of an agent.
#[derive(Clone, Copy, Debug)]
pub struct ToolTable {
    /// The tools whose names are known.
    pub tools: &'static [Tool],
    /// Returns the MCP server that a tool's name contains.
    pub server: fn(&str) -> Option<&str>,
}

/// Returns `None`: the [`ToolTable::server`] of agents whose tool names do not contain servers.
pub fn no_server(_: &str) -> Option<&str> {
    None
}

/// Tools with the same meaning.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The canonical name: one of [`canonical`].
    pub canonical: &'static str,
    /// The category of such tools.
    pub category: Category,
    /// The native names.
    pub names: &'static [&'static str],
    /// Members of the input that contain the command, most specific first.
    pub command: &'static [&'static str],
    /// Members of the input that contain paths: texts, lists of texts, or a patch.
    pub paths: &'static [&'static str],
    /// Members of the input that contain an address.
    pub address: &'static [&'static str],
    /// Whether the input is an object whose keys are paths.
    pub has_path_keys: bool,
    /// The members of the input that state the changes of an edit.
    pub changes: ChangeKeys,
}

impl Tool {
    /// Creates an entry for tools whose input is not interpreted.
    pub const fn new(
        canonical: &'static str,
        category: Category,
        names: &'static [&'static str],
    ) -> Self {
        Self {
            canonical,
            category,
            names,
            command: &[],
            paths: &[],
            address: &[],
            has_path_keys: false,
            changes: ChangeKeys::NONE,
        }
    }

    /// Names the members that contain the command.
    #[must_use]
    pub const fn command(mut self, keys: &'static [&'static str]) -> Self {
        self.command = keys;
        self
    }

    /// Names the members that contain paths.
    #[must_use]
    pub const fn paths(mut self, keys: &'static [&'static str]) -> Self {
        self.paths = keys;
        self
    }

    /// States that the input is an object with a member for each path.
    #[must_use]
    pub const fn path_keys(mut self) -> Self {
        self.has_path_keys = true;
        self
    }

    /// Names the members that state the changes of an edit.
    #[must_use]
    pub const fn changes(mut self, keys: ChangeKeys) -> Self {
        self.changes = keys;
        self
    }

    /// Names the members that contain an address.
    #[must_use]
    pub const fn address(mut self, keys: &'static [&'static str]) -> Self {
        self.address = keys;
        self
    }
}

/// The target of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The command line of a shell tool.
    pub command: Option<String>,
    /// The paths of files and folders.
    pub paths: Vec<String>,
    /// The host of an address.
    pub host: Option<String>,
}

/// The maximum number of paths of one call that are returned.
const MAX_PATHS: usize = 1000;

impl ToolTable {
    /// A table without tools.
    pub const EMPTY: Self = Self { tools: &[], server: no_server };

    fn find(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.names.contains(&name))
    }

    /// Returns the canonical name and the category of a tool.
    pub fn action<'n>(&self, name: &'n str) -> Action<'n> {
        if let Some(tool) = self.find(name) {
            let (canonical, category) = (Cow::Borrowed(tool.canonical), tool.category);
            return Action { tool: canonical, category, server: None };
        }
        match (self.server)(name) {
            Some(server) => Action {
                tool: Cow::Borrowed(canonical::MCP),
                category: Category::Other,
                server: Some(Cow::Borrowed(server)),
            },
            None => Action {
                tool: Cow::Borrowed(canonical::UNKNOWN),
                category: Category::Other,
                server: None,
            },
        }
    }

    /// Returns whether a tool runs commands.
    pub fn is_shell(&self, name: &str) -> bool {
        self.action(name).category == Category::Execute
    }

    /// Returns the target of a call. An input that is not an object is the command of a shell tool,
    /// and may be the patch of an edit.
    pub fn target(&self, name: &str, input: Node<'_, '_>) -> Target {
        let Some(tool) = self.find(name) else { return Target::default() };
        let first = |keys: &'static [&'static str]| keys.iter().find_map(|key| input.member(key));
        let is_object = input.kind() == Kind::Map;
        let command = if is_object || tool.command.is_empty() {
            first(tool.command).and_then(command_line)
        } else {
            command_line(input)
        };
        let mut paths = Vec::new();
        if tool.has_path_keys {
            add(&mut paths, input);
        } else if is_object {
            tool.paths
                .iter()
                .filter_map(|key| input.member(key))
                .for_each(|it| add(&mut paths, it));
        } else if !tool.paths.is_empty() {
            add(&mut paths, input);
        }
        let host = first(tool.address).and_then(Node::text).and_then(|address| host(&address));
        Target { command, paths, host }
    }
}

/// Returns a command as one line: the script of `sh -c`, or the words joined by spaces.
fn command_line(node: Node<'_, '_>) -> Option<String> {
    if let Some(text) = node.text() {
        return Some(text.into_owned());
    }
    let words: Option<Vec<_>> =
        (node.kind() == Kind::Array).then(|| node.elements().map(Node::text).collect())?;
    let words = words?;
    let is_shell = |word: &str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        matches!(name.trim_end_matches(".exe"), "sh" | "bash" | "zsh" | "dash" | "ash")
    };
    match words.as_slice() {
        [shell, flag, script] if is_shell(shell) && matches!(&**flag, "-c" | "-lc" | "-ic") => {
            Some(script.clone().into_owned())
        }
        words => Some(words.join(" ")),
    }
}

/// Adds the paths that a member contains.
fn add(paths: &mut Vec<String>, node: Node<'_, '_>) {
    match node.kind() {
        Kind::Array => node.elements().for_each(|it| add_text(paths, it)),
        // The changes of Codex: an object with a member for each path.
        Kind::Map => node.members().for_each(|(key, _)| add_text(paths, key)),
        _ => add_text(paths, node),
    }
}

fn add_text(paths: &mut Vec<String>, node: Node<'_, '_>) {
    let Some(text) = node.text() else {
        // An element such as `{"path": "a.rs"}`.
        let path = ["path", "file_path", "filePath"].iter().find_map(|key| node.member(key));
        if let Some(text) = path.and_then(Node::text) {
            push(paths, &text);
        }
        return;
    };
    if text.starts_with("*** Begin Patch") {
        patched_paths(&text).for_each(|path| push(paths, path));
    } else {
        push(paths, &text);
    }
}

/// Returns the paths of a patch in the format of `apply_patch`.
fn patched_paths(patch: &str) -> impl Iterator<Item = &str> {
    const HEADS: [&str; 4] =
        ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)))
}

fn push(paths: &mut Vec<String>, path: &str) {
    if !path.is_empty() && paths.len() < MAX_PATHS {
        paths.push(path.to_owned());
    }
}

/// Returns the host of an address, without port and credentials.
fn host(address: &str) -> Option<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
    is_host.then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    const TOOLS: ToolTable = ToolTable {
        tools: &[
            Tool::new("shell_exec", Category::Execute, &["shell"]).command(&["command", "cmd"]),
            Tool::new("file_edit", Category::Edit, &["edit"]).paths(&["path", "files", "input"]),
            Tool::new("file_edit", Category::Edit, &["change"]).path_keys(),
            Tool::new("web_access", Category::Fetch, &["fetch"]).address(&["url"]),
        ],
        server: |name| name.strip_prefix("mcp__")?.split_once("__").map(|(server, _)| server),
    };

    fn target(tool: &str, input: &str) -> Target {
        TOOLS.target(tool, Document::json(input.as_bytes()).expect("JSON").root())
    }

    #[test]
    fn commands_are_joined_to_one_line() {
        for (input, command) in [
            (r#"{"command": "ls -l"}"#, "ls -l"),
            (r#"{"cmd": "ls -l"}"#, "ls -l"),
            (r#"{"command": ["bash", "-lc", "ls | wc"]}"#, "ls | wc"),
            (r#"{"command": ["/bin/sh", "-c", "ls"]}"#, "ls"),
            (r#"{"command": ["git", "log"]}"#, "git log"),
            (r#""ls""#, "ls"),
        ] {
            assert_eq!(target("shell", input).command.as_deref(), Some(command), "{input}");
        }
        for input in [r#"{"command": 7}"#, r#"{"command": [7]}"#, "{}", "7"] {
            assert_eq!(target("shell", input).command, None, "{input}");
        }
    }

    #[test]
    fn paths_are_read_from_texts_lists_and_patches() {
        let patch = r#"{"input": "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b c\n*** End Patch"}"#;
        for (input, paths) in [
            (r#"{"path": "a"}"#, &["a"][..]),
            (r#"{"files": ["a", {"path": "b"}, 7]}"#, &["a", "b"]),
            (r#"{"files": {"a": {}, "b": {}}}"#, &["a", "b"]),
            (patch, &["a.rs", "b c"]),
            ("{}", &[]),
        ] {
            assert_eq!(target("edit", input).paths, paths, "{input}");
        }
        assert_eq!(target("change", r#"{"a.rs": {}, "path": {}}"#).paths, ["a.rs", "path"]);
    }

    #[test]
    fn hosts_have_neither_ports_nor_credentials() {
        for (url, expected) in [
            ("https://Docs.rs/serde?q=1", Some("docs.rs")),
            ("http://ada:secret@example.org:8080/x", Some("example.org")),
            ("http://[::1]:80/", Some("::1")),
            ("example.org/path", Some("example.org")),
            ("https:///x", None),
            ("two words", None),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn tools_of_servers_name_the_server() {
        let action = TOOLS.action("mcp__crm__lookup");
        assert_eq!((&*action.tool, action.server.as_deref()), ("mcp_tool", Some("crm")));
        assert_eq!(TOOLS.action("nothing").tool, "unknown");
    }
}
