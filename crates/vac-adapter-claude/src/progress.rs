//! Messages of subagents inside `progress` lines (2.1.0 to 2.1.7x).
//!
//! Often they are nowhere else: such a line is a message of its own. Where the subagent's own
//! file is part of the session, or another line has the same message, it repeats that entry.

use std::collections::HashMap;

use vac_record::MessageEntryType;
use vac_value::{Kind, Node, Text};

use crate::first_pass::LineKind;
use crate::lines::Line;

/// The messages that `progress` lines contain.
#[derive(Debug, Default)]
pub(crate) struct ProgressMessages {
    /// The lines and their entries, by what identifies the message.
    lines: HashMap<Key, (usize, String)>,
    /// The entries that lines repeat, by the index of the line.
    duplicates: HashMap<usize, String>,
}

/// What identifies a message.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Message(String),
    Call(String),
    Result(String),
}

impl ProgressMessages {
    /// Adds the message of a `progress` line with this id. Returns what the line becomes.
    pub fn progress(
        &mut self,
        message: Node<'_, '_>,
        id: Option<&str>,
        line: Line<'_, '_>,
    ) -> LineKind {
        let inner = message.member("message").filter(|inner| inner.kind() == Kind::Map);
        let kind = match message.member("type").and_then(Node::text).as_deref() {
            Some("user") => MessageEntryType::User,
            Some("assistant") => MessageEntryType::Assistant,
            _ => return LineKind::Event,
        };
        let Some(content) = inner.and_then(|inner| inner.member("content")) else {
            return LineKind::Event;
        };
        let entry = id.map_or_else(|| line.place.id(), str::to_owned);
        for key in keys(message.member("uuid"), Some(content)) {
            match self.lines.get(&key) {
                Some((_, first)) => {
                    self.duplicates.entry(line.index).or_insert_with(|| first.clone());
                }
                None => {
                    self.lines.insert(key, (line.index, entry.clone()));
                }
            }
        }
        LineKind::Progress(kind)
    }

    /// Adds a line of a subagent's own file.
    pub fn subagent_line(&mut self, id: Option<Node<'_, '_>>, content: Option<Node<'_, '_>>) {
        if self.lines.is_empty() {
            return;
        }
        let Some(entry) = id.and_then(Node::text) else { return };
        for key in keys(id, content) {
            if let Some((line, _)) = self.lines.get(&key) {
                self.duplicates.insert(*line, entry.clone().into_owned());
            }
        }
    }

    /// Frees what only the first pass needs.
    pub fn end(&mut self) {
        self.lines = HashMap::new();
    }

    /// Returns the entry that a line repeats.
    pub fn duplicate_of(&self, line: usize) -> Option<&str> {
        self.duplicates.get(&line).map(String::as_str)
    }
}

fn keys(id: Option<Node<'_, '_>>, content: Option<Node<'_, '_>>) -> Vec<Key> {
    let text = |node: Option<Node<'_, '_>>| node.and_then(Node::text).map(Text::into_owned);
    let mut keys: Vec<_> = text(id).map(Key::Message).into_iter().collect();
    for block in content.into_iter().flat_map(Node::elements) {
        let result = text(block.member("tool_use_id")).map(Key::Result);
        keys.extend(result.or_else(|| text(block.member("id")).map(Key::Call)));
    }
    keys
}
