//! What an object of a store is, by its members.

use vac_value::{Kind, Node};

use crate::names::Number;

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// What is true of a session.
    Session,
    /// A message without its parts.
    Message,
    /// A message of 2025, with its parts inside.
    Early,
    /// A message of a table of its own, with everything inside.
    Whole,
    /// A part of a message.
    Part,
    /// A line of `opencode run --format json`.
    Captured,
    /// Where sessions happen.
    Project,
    /// How a session is shared; it holds a secret.
    Share,
    /// What a session has changed.
    Diffs,
    /// What a session wants to do.
    Todos,
    /// The models that a shared session used.
    Models,
    /// A row of a database whose data is no object.
    Row,
    /// A member of an export that nobody expects there, by the number of its name.
    Member(Number),
    /// Some other document.
    Other,
    /// No document.
    Raw,
}

impl Class {
    /// Whether it has a place beside the entries.
    pub fn is_beside(self) -> bool {
        use Class::{Diffs, Models, Project, Session, Share, Todos};
        matches!(self, Session | Project | Share | Diffs | Todos | Models)
    }
}

/// The members of an object that tell what it is, found in one pass.
#[derive(Default)]
pub(crate) struct Facts<'d, 'a> {
    pub id: Option<Node<'d, 'a>>,
    pub session: Option<Node<'d, 'a>>,
    pub message: Option<Node<'d, 'a>>,
    pub kind: Option<Node<'d, 'a>>,
    pub role: Option<Node<'d, 'a>>,
    pub time: Option<Node<'d, 'a>>,
    pub timestamp: Option<Node<'d, 'a>>,
    /// A database's time of a row.
    pub row_time: Option<Node<'d, 'a>>,
    pub data: Option<Node<'d, 'a>>,
    pub part: Option<Node<'d, 'a>>,
    pub parts: Option<Node<'d, 'a>>,
    pub info: Option<Node<'d, 'a>>,
    pub messages: Option<Node<'d, 'a>>,
    pub metadata: Option<Node<'d, 'a>>,
    pub model: Option<Node<'d, 'a>>,
    pub model_id: Option<Node<'d, 'a>>,
    pub provider: Option<Node<'d, 'a>>,
    pub path: Option<Node<'d, 'a>>,
    pub state: Option<Node<'d, 'a>>,
    pub secret: Option<Node<'d, 'a>>,
    pub share: Option<Node<'d, 'a>>,
    pub worktree: Option<Node<'d, 'a>>,
    pub project: Option<Node<'d, 'a>>,
    pub version: Option<Node<'d, 'a>>,
    pub title: Option<Node<'d, 'a>>,
    pub slug: Option<Node<'d, 'a>>,
    pub directory: Option<Node<'d, 'a>>,
    pub text: Option<Node<'d, 'a>>,
    pub content: Option<Node<'d, 'a>>,
}

impl<'d, 'a> Facts<'d, 'a> {
    /// The facts of an object; none of anything else.
    pub fn of(object: Node<'d, 'a>) -> Self {
        let mut facts = Self::default();
        for (key, value) in object.members() {
            let Some(name) = key.text() else { continue };
            let place = match &*name {
                "id" => &mut facts.id,
                "sessionID" => &mut facts.session,
                "messageID" => &mut facts.message,
                "type" => &mut facts.kind,
                "role" => &mut facts.role,
                "time" => &mut facts.time,
                "timestamp" => &mut facts.timestamp,
                "time_created" => &mut facts.row_time,
                "data" => &mut facts.data,
                "part" => &mut facts.part,
                "parts" => &mut facts.parts,
                "info" => &mut facts.info,
                "messages" => &mut facts.messages,
                "metadata" => &mut facts.metadata,
                "model" => &mut facts.model,
                "modelID" => &mut facts.model_id,
                "providerID" => &mut facts.provider,
                "path" => &mut facts.path,
                "state" => &mut facts.state,
                "secret" => &mut facts.secret,
                "share" => &mut facts.share,
                "worktree" => &mut facts.worktree,
                "projectID" => &mut facts.project,
                "version" => &mut facts.version,
                "title" => &mut facts.title,
                "slug" => &mut facts.slug,
                "directory" => &mut facts.directory,
                "text" => &mut facts.text,
                "content" => &mut facts.content,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        facts
    }

    /// The class of the object.
    pub fn class(&self) -> Class {
        let is_text = |fact: Option<Node<'_, '_>>| is_a(fact, Kind::Text);
        if is_text(self.message) && is_text(self.kind) {
            Class::Part
        } else if is_text(self.id) && self.is_said() {
            if is_a(self.parts, Kind::Array) { Class::Early } else { Class::Message }
        } else if is_text(self.id) && is_text(self.session) && self.is_whole() {
            Class::Whole
        } else if self.is_captured() {
            Class::Captured
        } else if self.kind.is_none() && self.role.is_none() {
            self.class_without_type()
        } else if self.session.is_some() || !is_text(self.id) {
            Class::Other
        } else {
            self.class_beside()
        }
    }

    fn class_without_type(&self) -> Class {
        if self.secret.is_some() {
            Class::Share
        } else if self.message.is_some()
            || (self.session.is_some() && (self.row_time.is_some() || self.data.is_some()))
        {
            Class::Row
        } else if self.session.is_some() || !is_a(self.id, Kind::Text) {
            Class::Other
        } else {
            self.class_beside()
        }
    }

    fn class_beside(&self) -> Class {
        if is_a(self.worktree, Kind::Text) {
            Class::Project
        } else if self.project.is_some()
            || (self.version.is_some() && self.title.is_some())
            || (self.slug.is_some() && self.directory.is_some())
        {
            Class::Session
        } else {
            Class::Other
        }
    }

    /// Whether somebody says it.
    fn is_said(&self) -> bool {
        self.role.is_some_and(|role| role.is_text("user") || role.is_text("assistant"))
    }

    /// Whether it says something by itself.
    fn is_whole(&self) -> bool {
        (self.is_kind("user") && is_a(self.text, Kind::Text))
            || (self.is_kind("assistant") && is_a(self.content, Kind::Array))
    }

    /// Whether it is a line of a capture: something happened, and when.
    fn is_captured(&self) -> bool {
        is_a(self.kind, Kind::Text)
            && is_a(self.session, Kind::Text)
            && self.timestamp.is_some()
            && self.id.is_none()
            && (self.part.is_none() || is_a(self.part, Kind::Map))
    }

    /// Whether its type is this one.
    pub fn is_kind(&self, kind: &str) -> bool {
        self.kind.is_some_and(|node| node.is_text(kind))
    }

    /// The session and the messages, if it is an export.
    pub fn export(&self) -> Option<(Node<'d, 'a>, Node<'d, 'a>)> {
        let info = self.info.filter(|info| info.kind() == Kind::Map)?;
        let messages = self.messages.filter(|messages| messages.kind() == Kind::Array)?;
        Some((info, messages))
    }
}

pub(crate) fn is_a(fact: Option<Node<'_, '_>>, kind: Kind) -> bool {
    fact.is_some_and(|fact| fact.kind() == kind)
}

/// The class of an array.
pub(crate) fn array(array: Node<'_, '_>) -> Class {
    // An empty one can be either; every session has diffs, few have todos.
    let all = |keys: &[&str]| {
        array.elements().all(|element| keys.iter().all(|key| element.member(key).is_some()))
    };
    if all(&["file", "additions"]) {
        Class::Diffs
    } else if all(&["content", "status"]) {
        Class::Todos
    } else {
        Class::Other
    }
}

/// What the elements of a shared session say they are.
const SHARED: &[&str] = &["session", "message", "part", "session_diff", "model"];

/// Whether an array is a shared session.
pub(crate) fn is_shared(array: Node<'_, '_>) -> bool {
    array.elements().next().is_some_and(is_shared_element)
}

/// Whether an array that begins with this is a shared session.
pub(crate) fn is_shared_element(first: Node<'_, '_>) -> bool {
    let kind = first.member("type");
    first.member("data").is_some()
        && kind.is_some_and(|kind| SHARED.iter().any(|known| kind.is_text(known)))
}
