//! Classifies the documents of Gemini CLI.

use vac_value::{Kind, Node};

/// The formats of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An object with `messages`.
    Messages,
    /// A line for the session, a line for each message, and a line for each change.
    Lines,
    /// An object with a `history` of `Content`.
    History,
    /// An array of `Content`.
    Contents,
    /// A checkpoint from which a tool call can be undone: an object with a `clientHistory` of
    /// `Content`.
    ToolCheckpoint,
    /// An array of the prompts of several sessions.
    Prompts,
}

impl Form {
    /// Returns the name of the format in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "json",
            Self::Lines => "jsonl",
            Self::History => "history",
            Self::Contents => "contents",
            Self::ToolCheckpoint => "tool-checkpoint",
            Self::Prompts => "logs",
        }
    }
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    /// A session.
    Session(Form),
    /// The first line of a session of lines.
    Header,
    /// A line that changes the facts about the session: `$set`.
    Set,
    /// A line that rewinds the conversation: `$rewindTo`.
    Rewind,
    /// A line that is a message.
    Message,
    /// A line with the members of a message and an unknown type.
    Unknown,
    /// A line with another operation, such as `$patch`.
    Operation,
    /// Something else.
    Other,
}

/// The types of messages.
const MESSAGE_TYPES: &[&str] =
    &["user", "human", "gemini", "model", "assistant", "info", "warning", "error"];

/// Returns the kind of a document.
pub(crate) fn native(root: Node<'_, '_>) -> Native {
    match root.kind() {
        Kind::Map => object(root),
        Kind::Array => array(root),
        _ => Native::Other,
    }
}

fn object(root: Node<'_, '_>) -> Native {
    let members = KeyMembers::new(root);
    let is = |node: Option<Node<'_, '_>>, kind| node.is_some_and(|node| node.kind() == kind);
    let is_text = |node| is(node, Kind::Text);
    let list = |node: Option<_>| node.filter(|node: &Node<'_, '_>| node.kind() == Kind::Array);
    if is_text(members.rewind) {
        return Native::Rewind;
    }
    if is(members.set, Kind::Map) {
        return Native::Set;
    }
    let is_named = is_text(members.session_id) || is_text(members.project_hash);
    if let Some(messages) = list(members.messages)
        && (is_named || is_text(members.start) || messages.elements().any(is_gemini))
    {
        return Native::Session(Form::Messages);
    }
    if list(members.client_history).is_some() {
        return Native::Session(Form::ToolCheckpoint);
    }
    if let Some(history) = list(members.history)
        && history.elements().next().is_none_or(is_content)
    {
        return Native::Session(Form::History);
    }
    let is_type = |word: &&str| members.kind.is_some_and(|kind| kind.is_text(word));
    let is_header = is_text(members.project_hash) || is_type(&"session_metadata");
    if is_text(members.session_id) && is_header {
        return Native::Header;
    }
    if MESSAGE_TYPES.iter().any(is_type) && (is_text(members.id) || members.content.is_some()) {
        return Native::Message;
    }
    if members.is_operation || is_type(&"message_update") {
        return Native::Operation;
    }
    if is_text(members.id) && is_text(members.kind) { Native::Unknown } else { Native::Other }
}

/// The members that determine the kind of an object.
#[derive(Default)]
struct KeyMembers<'d, 'a> {
    rewind: Option<Node<'d, 'a>>,
    set: Option<Node<'d, 'a>>,
    messages: Option<Node<'d, 'a>>,
    history: Option<Node<'d, 'a>>,
    client_history: Option<Node<'d, 'a>>,
    session_id: Option<Node<'d, 'a>>,
    project_hash: Option<Node<'d, 'a>>,
    start: Option<Node<'d, 'a>>,
    id: Option<Node<'d, 'a>>,
    content: Option<Node<'d, 'a>>,
    kind: Option<Node<'d, 'a>>,
    /// Whether it has a key that only operations have.
    is_operation: bool,
}

impl<'d, 'a> KeyMembers<'d, 'a> {
    fn new(root: Node<'d, 'a>) -> Self {
        let mut members = Self::default();
        for (key, value) in root.members() {
            let Some(key) = key.text() else { continue };
            members.is_operation |= key.starts_with('$');
            let place = match &*key {
                "$rewindTo" => &mut members.rewind,
                "$set" => &mut members.set,
                "messages" => &mut members.messages,
                "history" => &mut members.history,
                "clientHistory" => &mut members.client_history,
                "sessionId" => &mut members.session_id,
                "projectHash" => &mut members.project_hash,
                "startTime" => &mut members.start,
                "id" => &mut members.id,
                "content" | "parts" => &mut members.content,
                "type" => &mut members.kind,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        members
    }
}

/// Returns whether a document has a known form of a log of Gemini CLI, and is not an operation.
pub(crate) fn is_line(root: Node<'_, '_>) -> bool {
    !matches!(native(root), Native::Unknown | Native::Operation | Native::Other)
}

fn array(root: Node<'_, '_>) -> Native {
    match root.elements().next() {
        Some(first) if is_content(first) => Native::Session(Form::Contents),
        Some(first) if is_prompt(first) => Native::Session(Form::Prompts),
        _ => Native::Other,
    }
}

/// Returns whether a message has a form that only Gemini CLI writes.
pub(crate) fn is_gemini(message: Node<'_, '_>) -> bool {
    message.member("type").is_some_and(|kind| kind.is_text("gemini"))
}

/// Returns whether a node is a `Content` of the API.
fn is_content(node: Node<'_, '_>) -> bool {
    let is_role = |role: Node<'_, '_>| role.is_text("user") || role.is_text("model");
    node.kind() == Kind::Map
        && node.member("role").is_some_and(is_role)
        && node.member("parts").is_some_and(|parts| parts.kind() == Kind::Array)
}

/// Returns whether a node is a prompt of `logs.json`.
fn is_prompt(node: Node<'_, '_>) -> bool {
    let has_text = |key: &str| node.member(key).is_some_and(|value| value.kind() == Kind::Text);
    has_text("sessionId") && node.member("messageId").is_some() && node.member("message").is_some()
}
