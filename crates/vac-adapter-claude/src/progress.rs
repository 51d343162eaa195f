//! Messages of subagents inside `progress` lines (2.1.0 to 2.1.7x).
//!
//! Often they are nowhere else: such a line is a message of its own. Where the subagent's own
//! file is part of the session, or another line has the same message, it repeats that entry.

use std::collections::HashMap;

use vac_adapter::frame::Place;
use vac_record::MessageEntryType;
use vac_value::{Kind, Node, Text};

use crate::first_pass::LineKind;

/// The messages that `progress` lines contain.
#[derive(Debug, Default)]
pub(crate) struct ProgressMessages {
    /// The entries of lines, by the identity of the message.
    entries: HashMap<Key, String>,
    /// The entries that other entries repeat.
    duplicates: HashMap<String, String>,
}

/// The identity of a message.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Message(String),
    Call(String),
    Result(String),
}

impl ProgressMessages {
    /// Adds the message of a `progress` line with this id. Returns the kind of entry that the line
    /// becomes.
    pub fn progress(&mut self, message: Node<'_, '_>, id: Option<&str>, place: Place) -> LineKind {
        let inner = message.member("message").filter(|inner| inner.kind() == Kind::Map);
        let kind = match message.member("type").and_then(Node::text).as_deref() {
            Some("user") => MessageEntryType::User,
            Some("assistant") => MessageEntryType::Assistant,
            _ => return LineKind::Event,
        };
        let Some(content) = inner.and_then(|inner| inner.member("content")) else {
            return LineKind::Event;
        };
        let entry = id.map_or_else(|| place.id(), str::to_owned);
        for key in keys(message.member("uuid"), Some(content)) {
            match self.entries.get(&key) {
                Some(first) if *first != entry => {
                    self.duplicates.entry(entry.clone()).or_insert_with(|| first.clone());
                }
                Some(_) => {}
                None => {
                    self.entries.insert(key, entry.clone());
                }
            }
        }
        LineKind::Progress(kind)
    }

    /// Adds a line of a subagent's own file.
    pub fn subagent_line(&mut self, id: Option<Node<'_, '_>>, content: Option<Node<'_, '_>>) {
        if self.entries.is_empty() {
            return;
        }
        let Some(entry) = id.and_then(Node::text) else { return };
        for key in keys(id, content) {
            if let Some(repeated) = self.entries.get(&key) {
                self.duplicates.insert(repeated.clone(), entry.clone().into_owned());
            }
        }
    }

    /// Frees the memory that only the first pass needs.
    pub fn end(&mut self) {
        self.entries = HashMap::new();
    }

    /// Returns the entry that the entry of a line repeats.
    pub fn duplicate_of(&self, id: Option<&str>, place: Place) -> Option<&str> {
        if self.duplicates.is_empty() {
            return None;
        }
        let id = id.map_or_else(|| place.id().into(), Text::Borrowed);
        self.duplicates.get(&*id).map(String::as_str)
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
