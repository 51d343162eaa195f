//! Lines that a session has from another: it was forked, or resumed under a new id, and
//! the history was copied.
//!
//! A line that a fork copied says so itself (`forkedFrom`). Others name the session that
//! they are of: those before the first line that names the session the file is named after
//! are copies.

use vac_adapter::members::keys;
use vac_adapter::raw;
use vac_record::{Entry, MessageEntry};
use vac_value::{Kind, Node};

/// Says of an entry that it is from another session.
const INHERITED: &str = "inherited";
const OURS: &[&str] = &[INHERITED];

/// The keys of a message: those of the schema and ours.
pub(crate) const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);

/// Marks an entry.
pub(crate) fn mark(entry: &mut Entry<'_>) {
    match entry {
        Entry::Message(entry) => raw::push(&mut entry.extensions, INHERITED, &true),
        Entry::Event(entry) => raw::push(&mut entry.extensions, INHERITED, &true),
        // Lines are messages and events.
        Entry::ToolCall(_) | Entry::ToolResult(_) | Entry::Reasoning(_) => {}
    }
}

/// Whose a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The session's own.
    #[default]
    Own,
    /// It names another session than the file does, and so does every line before it.
    Foreign,
    /// Copied by a fork.
    Copied,
}

/// What tells own lines from others.
#[derive(Debug, Default)]
pub(crate) struct Heritage {
    /// What the file is named after.
    stem: Option<String>,
    /// Whether a line names that session.
    pub is_named: bool,
    /// Whether one was foreign.
    has_foreign: bool,
    /// Whether the last line was the first that names that session, behind foreign ones.
    pub turns: bool,
}

impl Heritage {
    /// Nothing yet, about a file that is named after this.
    pub fn new(stem: Option<&str>) -> Self {
        Self { stem: stem.map(str::to_owned), ..Self::default() }
    }

    /// What the file is named after, if it is the session.
    pub fn session(&self) -> Option<&str> {
        self.stem.as_deref().filter(|_| self.is_named)
    }

    /// Looks at what a line says about its session: whose is it?
    pub fn line(&mut self, session: Option<Node<'_, '_>>, forked: Option<Node<'_, '_>>) -> Whose {
        self.turns = false;
        if forked.is_some_and(|forked| forked.kind() == Kind::Map) {
            return Whose::Copied;
        }
        let is_text = |session: &Node<'_, '_>| session.kind() == Kind::Text;
        let Some(session) = session.filter(is_text).filter(|_| !self.is_named) else {
            return Whose::Own;
        };
        if self.stem.as_deref().is_some_and(|stem| session.is_text(stem)) {
            self.is_named = true;
            self.turns = self.has_foreign;
            return Whose::Own;
        }
        self.has_foreign = true;
        Whose::Foreign
    }
}
