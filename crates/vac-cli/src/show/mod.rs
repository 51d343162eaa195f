//! Prints a session for `vac show`: as text for the terminal, or as Markdown.

pub mod markdown;
pub mod text;

use clap::ValueEnum;
use vac::record::annotations::{Category, Outcome};
use vac::view::diff::{Extent, FileDiff};
use vac::view::transcript::{Call, CallResult, Item, ItemKind};
use vac::view::{EntryPlace, MessageAuthor};

use crate::format::{group_digits, pluralize};
use crate::layout::one_line;

/// The amount of detail that is printed of each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// One line.
    Lines,
    /// Prompts, answers and diffs, and the beginning of outputs.
    Texts,
    /// Everything.
    Full,
}

/// A kind of item to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Messages of the user
    Prompts,
    /// Messages of the model
    Answers,
    /// Reasoning of the model
    Reasoning,
    /// Commands that were run
    Commands,
    /// Edits of files
    Edits,
    /// All tool calls, with commands and edits
    Tools,
    /// Decisions about what the agent may do
    Permissions,
    /// Tool calls that failed
    Failures,
}

impl Kind {
    /// Returns whether an item is of this kind.
    pub fn includes(self, item: &Item) -> bool {
        match (&item.kind, self) {
            (ItemKind::Prompt { command: Some(_), .. }, Self::Commands)
            | (ItemKind::Prompt { .. }, Self::Prompts)
            | (ItemKind::Answer { .. }, Self::Answers)
            | (ItemKind::Reasoning { .. }, Self::Reasoning)
            | (ItemKind::Call(_) | ItemKind::Result { .. }, Self::Tools)
            | (ItemKind::Permission { .. }, Self::Permissions) => true,
            (ItemKind::Call(call), Self::Commands) => call.command.is_some(),
            (ItemKind::Call(call), Self::Edits) => call.category == Category::Edit,
            (ItemKind::Call(call), Self::Failures) => call.ending() == Some(Outcome::Error),
            (ItemKind::Result { result, .. }, Self::Failures) => result.outcome == Outcome::Error,
            _ => false,
        }
    }
}

/// The entry that `--at` names.
#[derive(Clone, Debug)]
pub enum At {
    /// An entry by its place.
    Place(EntryPlace),
    /// An entry by its id.
    Id(String),
}

impl At {
    /// Parses an index, a JSON pointer or the id of an entry.
    pub fn parse(text: &str) -> Self {
        match EntryPlace::parse(text) {
            Some(place) => Self::Place(place),
            None => Self::Id(text.to_owned()),
        }
    }

    /// Returns whether an item belongs to the entry. A call belongs to the entry of its result,
    /// too.
    pub fn selects(&self, item: &Item) -> bool {
        match self {
            Self::Place(place) => {
                let result = match &item.kind {
                    ItemKind::Call(call) => call.result.as_ref(),
                    _ => None,
                };
                place.contains(&item.place)
                    || result.is_some_and(|result| place.contains(&result.place))
            }
            Self::Id(id) => item.entry_id.as_ref() == Some(id),
        }
    }
}

/// Returns the actor of an item.
fn actor(item: &Item) -> &'static str {
    match &item.kind {
        ItemKind::Prompt { author, .. } => match author {
            MessageAuthor::User | MessageAuthor::Unstated => "user",
            MessageAuthor::OtherAgent => "agent",
            MessageAuthor::Program => "program",
            MessageAuthor::Hook => "hook",
            MessageAuthor::Unknown => "unknown",
        },
        ItemKind::Answer { author: Some(_), .. }
        | ItemKind::Compaction
        | ItemKind::Unparsed { .. } => "program",
        ItemKind::Answer { .. } | ItemKind::Reasoning { .. } => "model",
        ItemKind::Call(call) if call.is_of_user => "user",
        ItemKind::Call(_) | ItemKind::Result { .. } => "tool",
        ItemKind::Permission { .. } => "access",
    }
}

/// Returns a description of a call on one line, such as `$ cargo test` or `edit +3 -1 a.rs`.
fn action(call: &Call, working_dir: Option<&str>) -> String {
    if let Some(command) = &call.command {
        return format!("$ {}", one_line(command));
    }
    let name = match &call.server {
        Some(server) => format!("{} ({})", one_line(&call.tool), one_line(server)),
        None => one_line(&call.tool),
    };
    if let [edit, rest @ ..] = call.edits.as_slice() {
        let text = edited(edit, working_dir);
        return match rest.len() {
            0 => text,
            others => format!("{text} and {}", pluralize(others, "more edit")),
        };
    }
    let paths: Vec<_> = call.paths.iter().map(|path| relative(path, working_dir)).collect();
    match (&call.host, paths.as_slice()) {
        (Some(host), _) => format!("{name} {}", one_line(host)),
        (None, []) if matches!(call.input.as_str(), "" | "{}" | "null") => name,
        (None, []) => format!("{name} {}", one_line(&call.input)),
        (None, paths) => format!("{name} {}", paths.join(", ")),
    }
}

/// Returns the numbers of lines and the path of an edit.
fn edited(edit: &FileDiff, working_dir: Option<&str>) -> String {
    let path = edit.path.as_deref().map_or("?".to_owned(), |path| relative(path, working_dir));
    match edit.extent {
        Extent::Lines { added, removed } => format!("edit +{added} -{removed} {path}"),
        Extent::Written(lines) => format!("write +{lines} {path}"),
        Extent::Deleted => format!("delete {path}"),
        Extent::Unknown => format!("edit {path}"),
    }
}

/// Returns a path relative to the working directory.
fn relative(path: &str, working_dir: Option<&str>) -> String {
    let inside = working_dir.and_then(|dir| {
        path.strip_prefix(dir.trim_end_matches('/'))?.strip_prefix('/').filter(|it| !it.is_empty())
    });
    one_line(inside.unwrap_or(path))
}

/// Returns how a call ended, such as `exit 101, 14 lines`.
fn ending(call: &Call) -> String {
    let mut parts = Vec::new();
    match (call.code(), call.ending()) {
        (Some(0), Some(Outcome::Error)) => parts.push("exit 0, failed".to_owned()),
        (Some(code), _) => parts.push(format!("exit {code}")),
        (None, Some(Outcome::Error)) => parts.push("failed".to_owned()),
        (None, Some(Outcome::Cancelled)) => parts.push("cancelled".to_owned()),
        (None, _) => {}
    }
    if let Some(result) = &call.result
        && call.edits.is_empty()
    {
        parts.extend(output_lines(result));
    }
    parts.join(", ")
}

fn output_lines(result: &CallResult) -> Option<String> {
    match result.line_count() {
        0 => None,
        count => Some(pluralize(count, "line")),
    }
}

/// Returns the size of reasoning: `(reasoning, 312 characters)`.
fn reasoning(text: &str, subject: Option<&str>, is_encrypted: bool) -> String {
    let subject = subject.map_or(String::new(), |subject| format!(": {}", one_line(subject)));
    let count = text.chars().count() as u64;
    match (count, is_encrypted) {
        (0, _) => format!("(reasoning{subject}, encrypted)"),
        (count, is_encrypted) => {
            let more = if is_encrypted { ", partly encrypted" } else { "" };
            format!("(reasoning{subject}, {} characters{more})", group_digits(count))
        }
    }
}

/// Returns the first line of a text, with the number of others.
fn first_line(text: &str) -> (String, usize) {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().map(one_line).unwrap_or_default();
    (first, lines.count())
}

/// Returns the parts of a message that are not text, such as `image, 2 documents`.
fn left_out(counts: &vac::adapter::message_text::LeftOut) -> Option<String> {
    let part = |(kind, count): (&String, &u64)| match count {
        1 => one_line(kind),
        count => format!("{count} {}", one_line(kind)),
    };
    let parts: Vec<_> = counts.iter().map(part).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
