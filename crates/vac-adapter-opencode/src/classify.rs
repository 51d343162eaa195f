//! Determines the class of an object of a store by its members.

use vac_adapter::Parent;
use vac_record::annotations::Relation;
use vac_value::{Kind, Node};

use crate::names::Number;

/// The class of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A session.
    Session,
    /// A message without its parts.
    Message,
    /// A message of 2025, with its parts inside.
    Message2025,
    /// A message that contains its parts, in a table of its own.
    SessionMessage,
    /// A part of a message.
    Part,
    /// A line of `opencode run --format json`.
    Captured,
    /// A project.
    Project,
    /// The share of a session, which contains a secret.
    Share,
    /// The changes of a session.
    Diffs,
    /// The list of tasks of a session.
    Todos,
    /// The models that a shared session used.
    Models,
    /// A row of a database whose data is not an object.
    Row,
    /// An unknown member of an export, and the number of its name.
    Member(Number),
    /// Any other document.
    Other,
    /// Not a document.
    Raw,
}

impl Class {
    /// Returns whether an object of this class describes the session and is not an entry.
    pub fn is_session_data(self) -> bool {
        use Class::{Diffs, Models, Project, Session, Share, Todos};
        matches!(self, Session | Project | Share | Diffs | Todos | Models)
    }
}

/// Declares [`Facts`]: a field for each key.
macro_rules! facts {
    ($($(#[$doc:meta])* $field:ident = $key:literal,)*) => {
        /// The members that decide the class of an object, found in one pass.
        #[derive(Default)]
        pub(crate) struct Facts<'d, 'a> {
            $($(#[$doc])* pub $field: Option<Node<'d, 'a>>,)*
        }

        impl<'d, 'a> Facts<'d, 'a> {
            /// Reads the facts of an object. Other values have no facts.
            pub fn new(object: Node<'d, 'a>) -> Self {
                let mut facts = Self::default();
                for (key, value) in object.members() {
                    let Some(name) = key.text() else { continue };
                    let place = match &*name {
                        $($key => &mut facts.$field,)*
                        _ => continue,
                    };
                    place.get_or_insert(value);
                }
                facts
            }
        }
    };
}

facts! {
    id = "id",
    session = "sessionID",
    message = "messageID",
    kind = "type",
    role = "role",
    time = "time",
    timestamp = "timestamp",
    /// The time of a row in a database.
    row_time = "time_created",
    data = "data",
    part = "part",
    parts = "parts",
    info = "info",
    messages = "messages",
    metadata = "metadata",
    model = "model",
    model_id = "modelID",
    provider = "providerID",
    path = "path",
    state = "state",
    secret = "secret",
    share = "share",
    worktree = "worktree",
    project = "projectID",
    version = "version",
    title = "title",
    slug = "slug",
    directory = "directory",
    text = "text",
    content = "content",
    reason = "reason",
    synthetic = "synthetic",
    ignored = "ignored",
    overflow = "overflow",
    auto = "auto",
    error = "error",
    /// The place of a row in its session.
    sequence = "seq",
    /// The way in which a waiting prompt is to be delivered.
    delivery = "delivery",
    command = "command",
    parent = "parentID",
    /// The session that a session was forked from, and the object that names it.
    fork_id = "forkSessionID",
    fork = "fork",
    status = "status",
}

impl<'d, 'a> Facts<'d, 'a> {
    /// Returns the class of the object.
    pub fn class(&self) -> Class {
        let is_text = |fact: Option<Node<'_, '_>>| is_a(fact, Kind::Text);
        if is_text(self.message) && is_text(self.kind) {
            Class::Part
        } else if is_text(self.id) && self.is_message() {
            if is_a(self.parts, Kind::Array) { Class::Message2025 } else { Class::Message }
        } else if is_text(self.id) && is_text(self.session) && self.is_session_message() {
            Class::SessionMessage
        } else if self.is_captured() {
            Class::Captured
        } else if self.kind.is_none() && self.role.is_none() {
            self.class_without_type()
        } else if self.session.is_some() || !is_text(self.id) {
            Class::Other
        } else {
            self.class_of_session_data()
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
            self.class_of_session_data()
        }
    }

    fn class_of_session_data(&self) -> Class {
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

    /// Returns whether the object is a message.
    fn is_message(&self) -> bool {
        self.role.is_some_and(|role| role.is_text("user") || role.is_text("assistant"))
    }

    /// Returns whether the object is a row that contains a whole message.
    pub fn is_session_message(&self) -> bool {
        ((self.is_kind("user") || self.is_kind("synthetic")) && is_a(self.text, Kind::Text))
            || (self.is_kind("assistant") && is_a(self.content, Kind::Array))
            || (self.is_kind("shell") && is_a(self.command, Kind::Text))
    }

    /// Returns whether the object is a line of a capture: it has a type and a time.
    fn is_captured(&self) -> bool {
        is_a(self.kind, Kind::Text)
            && is_a(self.session, Kind::Text)
            && self.timestamp.is_some()
            && self.id.is_none()
            && (self.part.is_none() || is_a(self.part, Kind::Map))
    }

    /// Returns whether the object has this type.
    pub fn is_kind(&self, kind: &str) -> bool {
        self.kind.is_some_and(|node| node.is_text(kind))
    }

    /// Returns the session from which a session was started or forked. A fork names no other
    /// parent.
    pub fn session_parent(&self) -> Option<Parent> {
        let id = |node: Option<Node<'_, '_>>| {
            Some(node?.text()?.into_owned()).filter(|id| !id.is_empty())
        };
        let fork = id(self.fork_id).or_else(|| id(self.fork?.member("sessionID")));
        let parent = |session_id, relation| Parent { session_id, relation };
        fork.map(|id| parent(id, Relation::Fork))
            .or_else(|| Some(parent(id(self.parent)?, Relation::Subagent)))
    }

    /// Returns the session and the messages, if the object is an export.
    pub fn export(&self) -> Option<(Node<'d, 'a>, Node<'d, 'a>)> {
        let info = self.info.filter(|info| info.kind() == Kind::Map)?;
        let messages = self.messages.filter(|messages| messages.kind() == Kind::Array)?;
        Some((info, messages))
    }
}

/// The types of rows of `session_message`, and of messages in exports of version 2.
pub(crate) const SESSION_MESSAGES: &[&str] = &[
    "user",
    "assistant",
    "synthetic",
    "system",
    "shell",
    "skill",
    "compaction",
    "agent-switched",
    "model-switched",
    "location-switched",
    "idle",
];

/// Returns whether a message of an export has version 2: it has a type, and neither info nor parts.
pub(crate) fn is_flat(message: Node<'_, '_>) -> bool {
    let has = |key: &str| message.member(key).is_some();
    !has("info") && !has("parts") && has("id") && is_a(message.member("type"), Kind::Text)
}

pub(crate) fn is_a(fact: Option<Node<'_, '_>>, kind: Kind) -> bool {
    fact.is_some_and(|fact| fact.kind() == kind)
}

/// Returns the class of an array.
pub(crate) fn array(array: Node<'_, '_>) -> Class {
    // An empty array can be either; every session has diffs, few have todos.
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

/// The types of the elements of a shared session.
const SHARED: &[&str] = &["session", "message", "part", "session_diff", "model"];

/// Returns whether an array is a shared session.
pub(crate) fn is_shared(array: Node<'_, '_>) -> bool {
    array.elements().next().is_some_and(is_shared_element)
}

/// Returns whether an array that begins with this element is a shared session.
pub(crate) fn is_shared_element(first: Node<'_, '_>) -> bool {
    let kind = first.member("type");
    first.member("data").is_some()
        && kind.is_some_and(|kind| SHARED.iter().any(|known| kind.is_text(known)))
}
