//! Finds lines that were copied from another session, because the session was forked or resumed
//! under a new id.
//!
//! A line that a fork copied has `forkedFrom`. Other lines name their session: those before the
//! first line that names the session the file is named after are copies.

use vac_adapter::Parent;
use vac_record::annotations::Relation;
use vac_value::{Kind, Node, Text};

/// The text before the path of the log of an earlier session.
const TRANSCRIPT: &str = "read the full transcript at: ";

/// The session that a line is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineOrigin {
    /// This one.
    #[default]
    Own,
    /// The line and all lines before it name another session than the file.
    Foreign,
    /// A fork copied the line from another session.
    Copied,
}

/// Distinguishes the session's own lines from those of other sessions.
#[derive(Debug, Default)]
pub(crate) struct ForkHistory {
    /// The session that the file is named after.
    stem: Option<String>,
    /// Whether a line names that session.
    pub is_named: bool,
    /// The session that the last foreign line names.
    foreign: Option<String>,
    /// The session that the first copied line is from.
    forked_from: Option<String>,
    /// The session in which the plan was made that this session begins with.
    planned_in: Option<String>,
    /// Whether the last line was the first that names that session, after foreign ones.
    pub turns: bool,
}

impl ForkHistory {
    /// Creates the history of a file that is named after a session.
    pub fn new(stem: Option<&str>) -> Self {
        Self { stem: stem.map(str::to_owned), ..Self::default() }
    }

    /// Returns the session that the file is named after, if a line names it.
    pub fn session(&self) -> Option<&str> {
        self.stem.as_deref().filter(|_| self.is_named)
    }

    /// Returns the session that the history was copied from.
    pub fn parent(&self) -> Option<Parent> {
        let parent = |id: &String, relation| Parent { session_id: id.clone(), relation };
        let resumed = || self.foreign.as_ref().filter(|_| self.is_named);
        let forked = self.forked_from.as_ref().map(|id| parent(id, Relation::Fork));
        let resumed = || resumed().map(|id| parent(id, Relation::Resumed));
        let continued = || self.planned_in.as_ref().map(|id| parent(id, Relation::Continued));
        forked.or_else(resumed).or_else(continued)
    }

    /// Adds a message by which a session begins with the plan of another one. Its text ends with
    /// the path of that session's log.
    pub fn planned(&mut self, message: Node<'_, '_>) {
        let content = message.member("content").and_then(Node::text);
        let path = content.as_deref().and_then(|text| text.split_once(TRANSCRIPT));
        let path = path.and_then(|(_, path)| path.split_once(".jsonl"));
        let session = path.and_then(|(path, _)| path.rsplit(['/', '\\']).next());
        if let Some(session) = session.filter(|it| Some(*it) != self.stem.as_deref()) {
            self.planned_in = Some(session.to_owned());
        }
    }

    /// Adds a line. Returns the session that it is from.
    pub fn add(
        &mut self,
        session: Option<Node<'_, '_>>,
        forked_from: Option<Node<'_, '_>>,
    ) -> LineOrigin {
        self.turns = false;
        if let Some(forked_from) = forked_from.filter(|node| node.kind() == Kind::Map) {
            if self.forked_from.is_none() {
                let id = forked_from.member("sessionId").and_then(Node::text);
                self.forked_from = id.map(Text::into_owned);
            }
            return LineOrigin::Copied;
        }
        let is_text = |session: &Node<'_, '_>| session.kind() == Kind::Text;
        let Some(session) = session.filter(is_text).filter(|_| !self.is_named) else {
            return LineOrigin::Own;
        };
        if self.stem.as_deref().is_some_and(|stem| session.is_text(stem)) {
            self.is_named = true;
            self.turns = self.foreign.is_some();
            return LineOrigin::Own;
        }
        if self.foreign.as_deref().is_none_or(|foreign| !session.is_text(foreign)) {
            self.foreign = session.text().map(Text::into_owned);
        }
        LineOrigin::Foreign
    }
}
