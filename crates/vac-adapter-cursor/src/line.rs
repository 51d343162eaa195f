//! What a document of a log is.

use vac_value::{Kind, Node};

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Somebody speaks in a transcript.
    Message,
    /// Something happens in a transcript: a turn ends, or an error.
    Event,
    /// A line of a capture.
    Capture(Capture),
    /// A row of the IDE's database.
    Row(Row),
    /// A part of the CLI's database.
    Chat(Chat),
    /// None of these.
    Unknown,
}

/// A line of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// Somebody speaks.
    Message,
    /// The model thinks on.
    Thinking,
    /// The model has thought.
    Thought,
    /// A tool is called.
    Started,
    /// A tool answers.
    Completed,
    /// The capture begins or ends.
    Event,
}

/// A row of the IDE's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A conversation as a whole.
    Composer,
    /// One bubble of it.
    Bubble,
}

/// A part of the CLI's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chat {
    /// What is said about the conversation, in the database or beside it.
    Meta,
    /// A message, or something binary.
    Blob,
}

/// The beginnings of keys of the IDE's database.
pub(crate) const COMPOSER: &str = "composerData:";
pub(crate) const BUBBLE: &str = "bubbleId:";

/// The members that tell what a document is.
#[derive(Default)]
struct Told<'d, 'a> {
    kind: Option<Node<'d, 'a>>,
    subtype: Option<Node<'d, 'a>>,
    role: Option<Node<'d, 'a>>,
    message: Option<Node<'d, 'a>>,
    tool_call: Option<Node<'d, 'a>>,
    status: Option<Node<'d, 'a>>,
    error: Option<Node<'d, 'a>>,
    /// The names of rows.
    key: Option<Node<'d, 'a>>,
    meta: Option<Node<'d, 'a>>,
    blob: Option<Node<'d, 'a>>,
    /// What a row has.
    held: Option<Node<'d, 'a>>,
    /// What only other agents write.
    foreign: Option<Node<'d, 'a>>,
}

/// What a document is.
pub(crate) fn line(node: Node<'_, '_>) -> Line {
    let mut told = Told::default();
    for (key, value) in node.members() {
        let Some(name) = key.text() else { continue };
        let place = match &*name {
            "type" => &mut told.kind,
            "subtype" => &mut told.subtype,
            "role" => &mut told.role,
            "message" => &mut told.message,
            "tool_call" => &mut told.tool_call,
            "status" => &mut told.status,
            "error" => &mut told.error,
            "key" => &mut told.key,
            "meta" | "file" => &mut told.meta,
            "blob" => &mut told.blob,
            "value" | "text" | "base64" => &mut told.held,
            "uuid" | "sessionId" | "parentUuid" | "sessionID" => &mut told.foreign,
            _ => continue,
        };
        *place = Some(value);
    }
    match told.kind {
        // A composer may have secrets, whatever else its row says.
        _ if told.is_composer() => Line::Row(Row::Composer),
        Some(kind) => of_kind(kind, &told),
        None if is(told.role, Kind::Text) && told.has_content() => Line::Message,
        None if told.held.is_some() => row(&told),
        None => Line::Unknown,
    }
}

impl Told<'_, '_> {
    fn is_composer(&self) -> bool {
        let is_named = |key: Node<'_, '_>| match key.text() {
            Some(text) => text.starts_with(COMPOSER),
            // A key with half a surrogate pair.
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

fn of_kind(kind: Node<'_, '_>, told: &Told<'_, '_>) -> Line {
    let is_subtype = |text: &str| told.subtype.is_some_and(|subtype| subtype.is_text(text));
    if told.foreign.is_some() {
        return Line::Unknown;
    }
    let Some(kind) = kind.text() else { return Line::Unknown };
    let is_call = || is(told.tool_call, Kind::Map);
    Line::Capture(match &*kind {
        "turn_ended" if told.status.is_some() => return Line::Event,
        "error" if told.error.is_some() => return Line::Event,
        "user" | "assistant" if told.has_content() => Capture::Message,
        "thinking" if is_subtype("delta") => Capture::Thinking,
        "thinking" if is_subtype("completed") => Capture::Thought,
        "tool_call" if is_call() && is_subtype("started") => Capture::Started,
        "tool_call" if is_call() && is_subtype("completed") => Capture::Completed,
        "system" if is_subtype("init") => Capture::Event,
        "result" if told.subtype.is_some() => Capture::Event,
        _ => return Line::Unknown,
    })
}

fn row(told: &Told<'_, '_>) -> Line {
    let key = told.key.and_then(Node::text).unwrap_or_default();
    if key.starts_with(BUBBLE) {
        Line::Row(Row::Bubble)
    } else if is(told.meta, Kind::Text) {
        Line::Chat(Chat::Meta)
    } else if is(told.blob, Kind::Text) {
        Line::Chat(Chat::Blob)
    } else {
        Line::Unknown
    }
}
