//! Reads the code in Markdown files of the workspace: fenced blocks and inline code.

use std::path::{Path, PathBuf};

/// A Markdown file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The path of the file, relative to the root of the workspace.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// A fenced block of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line number of its first line of text, from 1.
    pub line: usize,
    /// The language that its fence names; empty if it names none.
    pub language: String,
    /// The number of columns by which a list indents it.
    pub indent: usize,
    /// The lines of the block, without the fences and the indentation.
    pub lines: Vec<String>,
}

impl Document {
    /// Reads a document.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(crate::root().join(name));
        let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), text }
    }

    /// Returns all Markdown files of the workspace, in the order of their names.
    pub fn all() -> Vec<Self> {
        let mut names = Vec::new();
        find(crate::root(), &mut names);
        names.sort();
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// Returns the fenced blocks of the document.
    ///
    /// ```
    /// use vac_tests::markdown::Document;
    ///
    /// let text = "* Say `ls`:\n\n  ```sh\n  ls -l\n  ```\n".to_owned();
    /// let document = Document { name: String::new(), text };
    /// let blocks = document.blocks();
    /// assert_eq!((blocks[0].line, blocks[0].language.as_str()), (4, "sh"));
    /// assert_eq!(blocks[0].lines, ["ls -l"]);
    /// assert_eq!(document.inline(), [(1, "ls")]);
    /// ```
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (number, line) in (1..).zip(self.text.lines()) {
            let bare = line.trim_start();
            let indent = line.len() - bare.len();
            match (bare.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(language), None) => {
                    let language = language.trim().to_owned();
                    open = Some(Block { line: number + 1, language, indent, lines: Vec::new() });
                }
                (None, Some(block)) => {
                    block.lines.push(line[indent.min(block.indent)..].to_owned());
                }
                (None, None) => {}
            }
        }
        blocks
    }

    /// Returns the inline code of the document, each with its line number.
    pub fn inline(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        let mut is_fenced = false;
        for (number, line) in (1..).zip(self.text.lines()) {
            if line.trim_start().starts_with("```") {
                is_fenced = !is_fenced;
            } else if !is_fenced {
                found.extend(code(line).map(|code| (number, code)));
            }
        }
        found
    }

    /// Returns the cells of each row of the table whose head begins with `head`.
    ///
    /// ```
    /// use vac_tests::markdown::Document;
    ///
    /// let text = "| a | b |\n|---|---|\n| 1 | `2` |\n\n| not | this |\n".to_owned();
    /// let document = Document { name: String::new(), text };
    /// assert_eq!(document.table("| a | b |"), [["1", "`2`"]]);
    /// ```
    pub fn table(&self, head: &str) -> Vec<Vec<&str>> {
        let rows = self.text.lines().map(|line| line.trim_start_matches("//! "));
        let rows = rows.skip_while(|line| !line.starts_with(head)).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|'));
        rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
    }

    /// Returns the variants in the document's table of agents, each with its agent.
    pub fn variants(&self) -> Vec<(String, String)> {
        let mut agent = "";
        let mut found = Vec::new();
        for row in self.table("| agent | variant |") {
            let [named, variants, ..] = row[..] else { continue };
            if !named.is_empty() {
                agent = named.trim_matches('`');
            }
            found.extend(code(variants).map(|variant| (agent.to_owned(), variant.to_owned())));
        }
        found
    }

    /// Returns the commands in the document: lines of its `sh` and `console` blocks, and inline
    /// code that begins with one of `programs` and a space.
    pub fn commands(&self, programs: &[&str]) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for block in self.blocks() {
            for (number, line) in (block.line..).zip(&block.lines) {
                let command = match block.language.as_str() {
                    "sh" => Some(line.as_str()),
                    "console" => line.strip_prefix("$ "),
                    _ => None,
                };
                found.extend(command.map(|command| (number, command.to_owned())));
            }
        }
        let is_command = |code: &str| {
            programs
                .iter()
                .any(|program| code.strip_prefix(program).is_some_and(|rest| rest.starts_with(' ')))
        };
        let inline = self.inline().into_iter().filter(|(_, code)| is_command(code));
        found.extend(inline.map(|(number, code)| (number, code.to_owned())));
        found.retain(|(_, command)| !command.trim().is_empty());
        found
    }
}

/// Returns the inline code of a line.
pub fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Finds the Markdown files below a folder. Names are relative to the workspace's root.
fn find(folder: &Path, names: &mut Vec<String>) {
    let Ok(entries) = folder.read_dir() else { return };
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == "target" || name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            find(&path, names);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let below = path.strip_prefix(crate::root()).unwrap_or(&path);
            names.push(below.to_string_lossy().replace('\\', "/"));
        }
    }
}
