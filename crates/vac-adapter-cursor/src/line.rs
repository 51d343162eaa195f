//! Classifies the documents of a log.

use vac_value::{Kind, Node};

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A message in a transcript.
    Message,
    /// An event in a transcript: the end of a turn, or an error.
    Event,
    /// A line of a capture.
    Capture(Capture),
    /// A row of the IDE's database.
    Row(Row),
    /// A part of the CLI's database.
    Chat(Chat),
    /// A document of an unknown kind.
    Unknown,
}

/// A line of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// A message.
    Message,
    /// A piece of a thought of the model.
    Thinking,
    /// The end of a thought.
    Thought,
    /// The start of a tool call.
    Started,
    /// The result of a tool call.
    Completed,
    /// The start or the end of the capture.
    Event,
}

/// A row of the IDE's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A whole conversation.
    Composer,
    /// A bubble of a conversation.
    Bubble,
}

/// A part of the CLI's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chat {
    /// The metadata of the conversation, in the database or next to it.
    Meta,
    /// A message, or binary data.
    Blob,
}

/// The prefixes of keys of the IDE's database.
pub(crate) const COMPOSER: &str = "composerData:";
pub(crate) const BUBBLE: &str = "bubbleId:";

/// The members that determine the kind of a document.
#[derive(Default)]
struct KeyMembers<'d, 'a> {
    kind: Option<Node<'d, 'a>>,
    subtype: Option<Node<'d, 'a>>,
    role: Option<Node<'d, 'a>>,
    message: Option<Node<'d, 'a>>,
    tool_call: Option<Node<'d, 'a>>,
    status: Option<Node<'d, 'a>>,
    error: Option<Node<'d, 'a>>,
    /// The members that name a row.
    key: Option<Node<'d, 'a>>,
    meta: Option<Node<'d, 'a>>,
    blob: Option<Node<'d, 'a>>,
    /// The value of a row.
    held: Option<Node<'d, 'a>>,
    /// A member that only the logs of other agents have.
    foreign: Option<Node<'d, 'a>>,
}

/// Returns the kind of a document.
pub(crate) fn line(node: Node<'_, '_>) -> Line {
    let mut members = KeyMembers::default();
    for (key, value) in node.members() {
        let Some(name) = key.text() else { continue };
        let place = match &*name {
            "type" => &mut members.kind,
            "subtype" => &mut members.subtype,
            "role" => &mut members.role,
            "message" => &mut members.message,
            "tool_call" => &mut members.tool_call,
            "status" => &mut members.status,
            "error" => &mut members.error,
            "key" => &mut members.key,
            "meta" | "file" => &mut members.meta,
            "blob" => &mut members.blob,
            "value" | "text" | "base64" => &mut members.held,
            "uuid" | "sessionId" | "parentUuid" | "sessionID" => &mut members.foreign,
            _ => continue,
        };
        *place = Some(value);
    }
    match members.kind {
        // A composer may have secrets, so its members decide, not its key.
        _ if members.is_composer() => Line::Row(Row::Composer),
        Some(kind) => typed_line(kind, &members),
        None if is(members.role, Kind::Text) && members.has_content() => Line::Message,
        None if members.held.is_some() => row(&members),
        None => Line::Unknown,
    }
}

impl KeyMembers<'_, '_> {
    fn is_composer(&self) -> bool {
        let is_named = |key: Node<'_, '_>| match key.text() {
            Some(text) => text.starts_with(COMPOSER),
            // A key with a lone surrogate.
            None => key.raw().get(1..).is_some_and(|raw| raw.starts_with(COMPOSER.as_bytes())),
        };
        self.held.is_some() && self.key.is_some_and(is_named)
    }

    fn has_content(&self) -> bool {
        self.message.is_some_and(|message| message.member("content").is_some())
    }
}

fn is(node: Option<Node<'_, '_>>, kind: Kind) -> bool {
    node.is_some_and(|node| node.kind() == kind)
}

fn typed_line(kind: Node<'_, '_>, members: &KeyMembers<'_, '_>) -> Line {
    let is_subtype = |text: &str| members.subtype.is_some_and(|subtype| subtype.is_text(text));
    if members.foreign.is_some() {
        return Line::Unknown;
    }
    let Some(kind) = kind.text() else { return Line::Unknown };
    let is_call = || is(members.tool_call, Kind::Map);
    Line::Capture(match &*kind {
        "turn_ended" if members.status.is_some() => return Line::Event,
        "error" if members.error.is_some() => return Line::Event,
        "user" | "assistant" if members.has_content() => Capture::Message,
        "thinking" if is_subtype("delta") => Capture::Thinking,
        "thinking" if is_subtype("completed") => Capture::Thought,
        "tool_call" if is_call() && is_subtype("started") => Capture::Started,
        "tool_call" if is_call() && is_subtype("completed") => Capture::Completed,
        "system" if is_subtype("init") => Capture::Event,
        "result" if members.subtype.is_some() => Capture::Event,
        _ => return Line::Unknown,
    })
}

fn row(members: &KeyMembers<'_, '_>) -> Line {
    let key = members.key.and_then(Node::text).unwrap_or_default();
    if key.starts_with(BUBBLE) {
        Line::Row(Row::Bubble)
    } else if is(members.meta, Kind::Text) {
        Line::Chat(Chat::Meta)
    } else if is(members.blob, Kind::Text) {
        Line::Chat(Chat::Blob)
    } else {
        Line::Unknown
    }
}
