//! Handles messages of subagents inside `progress` lines (2.1.0 to 2.1.7x).
//!
//! Often no other line contains the message, which then becomes a message of its own. If the
//! subagent's own file is part of the session, or another line has the same message, the entry is a
//! duplicate of that message.

use std::rc::Rc;

use vac_adapter::frame::Place;
use vac_record::MessageEntryType;
use vac_value::{Kind, Node, Text};

use crate::first_pass::LineKind;
use crate::short_hash::{ShortHash, ShortHashMap};

/// The messages that `progress` lines contain.
#[derive(Debug, Default)]
pub(crate) struct ProgressMessages {
    /// The ids of entries, by the identities of their messages.
    entries: ShortHashMap<Rc<str>>,
    /// The ids of repeated entries, by the ids of the entries that repeat them.
    duplicates: ShortHashMap<Rc<str>>,
}

/// An identity of a message.
#[derive(Hash)]
enum Identity<'m> {
    Message(&'m str),
    Call(&'m str),
    Result(&'m str),
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
        let entry: Rc<str> = id.map_or_else(|| place.id().into(), Rc::from);
        for identity in identities(message.member("uuid"), Some(content)) {
            let first = self.entries.entry(identity).or_insert_with(|| Rc::clone(&entry));
            if *first != entry {
                let repeated = || Rc::clone(first);
                self.duplicates.entry(ShortHash::new(&*entry)).or_insert_with(repeated);
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
        for identity in identities(id, content) {
            if let Some(repeated) = self.entries.get(identity) {
                self.duplicates.insert(ShortHash::new(&**repeated), Rc::from(&*entry));
            }
        }
    }

    /// Frees the memory that only the first pass needs.
    pub fn end(&mut self) {
        self.entries = ShortHashMap::default();
    }

    /// Returns the entry that the entry of a line repeats.
    pub fn duplicate_of(&self, id: Option<&str>, place: Place) -> Option<&str> {
        if self.duplicates.is_empty() {
            return None;
        }
        let id = id.map_or_else(|| place.id().into(), Text::Borrowed);
        self.duplicates.get(ShortHash::new(&*id)).map(|entry| &**entry)
    }
}

/// Returns the hashes of the identities of a message: its id, and the ids of its calls and results.
fn identities<'d: 'a, 'a>(
    id: Option<Node<'d, 'a>>,
    content: Option<Node<'d, 'a>>,
) -> impl Iterator<Item = ShortHash> {
    let message = id.and_then(Node::text).map(|id| ShortHash::new(&Identity::Message(&id)));
    let blocks = content.into_iter().flat_map(Node::elements).filter_map(|block| {
        let result = block.member("tool_use_id").and_then(Node::text);
        let result = result.map(|id| ShortHash::new(&Identity::Result(&id)));
        let call = || block.member("id").and_then(Node::text);
        result.or_else(|| call().map(|id| ShortHash::new(&Identity::Call(&id))))
    });
    message.into_iter().chain(blocks)
}
