//! A session as Markdown, for pull requests and issues.
//!
//! Text of the session cannot become markup: in prose, characters that begin HTML, links and
//! images are escaped; everything else is in code blocks whose fences are longer than any run of
//! backticks in them.

use std::fmt::Write as _;

use vac::value::harmless;
use vac::view::diff::FileDiff;
use vac::view::transcript::{Head, Item, ItemKind, Summary};

use super::text::footer;
use super::{Detail, action, actor, ending, reasoning, relative};
use crate::layout::one_line;

/// The number of lines of an output or a diff that are printed without `--full`.
const MAX_LINES: usize = 40;

/// Writes a session as Markdown.
pub struct MarkdownView {
    detail: Detail,
    working_dir: Option<String>,
}

impl MarkdownView {
    /// Creates a writer.
    pub fn new(head: &Head, detail: Detail) -> Self {
        Self { detail, working_dir: head.working_dir.clone() }
    }

    /// Returns the heading and the facts known before the items.
    pub fn head(head: &Head) -> String {
        let mut text = format!("# {} session {}\n\n", prose(&head.agent), code(&head.session_id));
        let facts = [
            ("started", head.start.clone()),
            ("model", head.model.clone()),
            ("version", head.cli_version.clone()),
            ("folder", head.working_dir.clone()),
            ("parent", head.parent.clone()),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                writeln!(text, "- {name}: {}", code(&value)).expect(WRITES);
            }
        }
        for (key, value) in &head.labels {
            writeln!(text, "- label {}: {}", code(key), code(value)).expect(WRITES);
        }
        text + "\n"
    }

    /// Returns an item.
    pub fn item(&self, item: &Item, detail: Option<Detail>) -> String {
        let detail = detail.unwrap_or(self.detail);
        let time = item.time.as_deref().and_then(|time| time.get(11..19)).unwrap_or_default();
        let mut text = String::new();
        match &item.kind {
            ItemKind::Prompt { text: prompt, command: None, .. } => {
                write!(text, "## {} {time}\n\n{}\n", actor(item), quote(&prompt.text))
                    .expect(WRITES);
            }
            ItemKind::Prompt { command: Some(command), .. } => {
                write!(text, "## {} {time}\n\n{}\n", actor(item), block("sh", command))
                    .expect(WRITES);
            }
            ItemKind::Answer { text: answer, .. } => {
                write!(text, "**{}** {time}\n\n{}\n", actor(item), quote(&answer.text))
                    .expect(WRITES);
            }
            ItemKind::Reasoning { text: thought, subject, is_encrypted } => {
                if detail == Detail::Full && !thought.text.is_empty() {
                    write!(text, "*reasoning* {time}\n\n{}\n", quote(&thought.text)).expect(WRITES);
                } else {
                    let what = reasoning(&thought.text, subject.as_deref(), *is_encrypted);
                    writeln!(text, "- {time} {}\n", prose(&what)).expect(WRITES);
                }
            }
            ItemKind::Call(call) => {
                let what = action(call, self.working_dir.as_deref());
                let end = ending(call);
                let end = if end.is_empty() { end } else { format!(" ({end})") };
                writeln!(text, "- {time} {}{}\n", code(&what), prose(&end)).expect(WRITES);
                if detail > Detail::Lines {
                    for edit in &call.edits {
                        text.push_str(&self.diff(edit, detail));
                    }
                    if let Some(result) = &call.result
                        && (detail == Detail::Full || call.command.is_some())
                        && !result.output.trim().is_empty()
                    {
                        text.push_str(&block("text", &shortened(&result.output, detail)));
                        text.push('\n');
                    }
                }
            }
            ItemKind::Result { tool, result } => {
                let tool = tool.as_deref().unwrap_or("?");
                writeln!(text, "- {time} result of {}\n", code(tool)).expect(WRITES);
                if detail > Detail::Lines && !result.output.trim().is_empty() {
                    text.push_str(&block("text", &shortened(&result.output, detail)));
                    text.push('\n');
                }
            }
            ItemKind::Permission { decision, what, .. } => {
                let what = what.as_deref().map_or(String::new(), |what| format!(" {}", code(what)));
                writeln!(text, "- {time} permission {}{what}\n", decision.as_str()).expect(WRITES);
            }
            ItemKind::Compaction => text.push_str("---\n\n*conversation compacted*\n\n"),
            ItemKind::Unparsed { reason } => {
                writeln!(text, "- {time} *not parsed: {}*\n", reason.as_str()).expect(WRITES);
            }
        }
        text
    }

    fn diff(&self, edit: &FileDiff, detail: Detail) -> String {
        if edit.lines.is_empty() {
            return String::new();
        }
        let line = |line: &vac::view::diff::DiffLine| format!("{}{}", line.kind.sign(), line.text);
        let lines: Vec<_> = edit.lines.iter().map(line).collect();
        let mut text = String::new();
        if let Some(path) = &edit.path {
            let path = relative(path, self.working_dir.as_deref());
            write!(text, "{}\n\n", code(&path)).expect(WRITES);
        }
        text + &block("diff", &shortened(&lines.join("\n"), detail)) + "\n"
    }

    /// Returns the facts below the items.
    pub fn footer(&self, summary: &Summary, is_all: bool) -> String {
        let mut text = "---\n\n".to_owned();
        for (name, values) in footer(summary, self.working_dir.as_deref(), is_all) {
            let values: Vec<_> = values.iter().map(|value| prose(value)).collect();
            writeln!(text, "- {name}: {}", values.join("; ")).expect(WRITES);
        }
        text
    }
}

/// The reason why writing to a string does not fail.
const WRITES: &str = "writing to a string cannot fail";

/// Returns text in which nothing is markup.
fn prose(text: &str) -> String {
    let mut escaped = String::new();
    for character in one_line(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '!' | '#' | '|') {
            escaped.push('\\');
        }
        match character {
            '&' => escaped.push_str("&amp;"),
            // A mention notifies its user.
            '@' => escaped.push_str("&#64;"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// Returns text as code within a line.
fn code(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns text as a code block.
fn block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let lines: Vec<_> =
        text.lines().map(|line| harmless(&line.replace('\t', "    ")).into_owned()).collect();
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Returns text as a quotation. Its Markdown stays, but not HTML, images, links and mentions.
fn quote(text: &str) -> String {
    let mut quoted = String::new();
    for line in text.trim().lines() {
        let line = harmless(&line.replace('\t', "    ")).into_owned();
        quoted.push('>');
        if !line.is_empty() {
            quoted.push(' ');
        }
        for character in line.chars() {
            match character {
                '<' => quoted.push_str("&lt;"),
                '&' => quoted.push_str("&amp;"),
                '@' => quoted.push_str("&#64;"),
                '[' => quoted.push_str("\\["),
                ']' => quoted.push_str("\\]"),
                character => quoted.push(character),
            }
        }
        quoted.push('\n');
    }
    quoted
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

fn shortened(text: &str, detail: Detail) -> String {
    let count = text.lines().count();
    if detail == Detail::Full || count <= MAX_LINES {
        return text.trim_end().to_owned();
    }
    let lines: Vec<_> = text.lines().take(MAX_LINES).collect();
    format!("{}\n... {} more lines", lines.join("\n"), count - MAX_LINES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_session_does_not_become_markup() {
        assert_eq!(prose("<b>*x* [a](b) @ada"), "\\<b\\>\\*x\\* \\[a\\](b) &#64;ada");
        assert_eq!(code("a `b` c"), "``a `b` c``");
        assert_eq!(code("`b`"), "`` `b` ``");
        assert_eq!(block("text", "```\nx"), "````text\n```\nx\n````\n");
        assert_eq!(
            quote("<script>\n\n![x](http://a.example/b)\u{202e}"),
            "> &lt;script>\n>\n> !\\[x\\](http://a.example/b)\\u{202e}\n"
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        let text = "x\n".repeat(50);
        assert!(shortened(&text, Detail::Texts).ends_with("\n... 10 more lines"));
        assert_eq!(shortened(&text, Detail::Full).lines().count(), 50);
    }
}
