//! Determines the kind of line that a document is.

use vac_value::{Kind, Node, Text};

use crate::names::{ITEMS, PRINTED, known};

/// The kind of a document.
pub(crate) enum Shape<'a> {
    /// `{timestamp, type, payload}`.
    Envelope(Envelope<'a>),
    /// A response item without an envelope, and its type.
    Item(Text<'a>),
    /// The first line of a log without envelopes.
    Header,
    /// A line of a log without envelopes that only names its `record_type`.
    Record(Text<'a>),
    /// A line that `codex exec --json` printed, and its type.
    Printed(Text<'a>),
    /// The first line that `codex exec --json` printed before October 2025: the configuration.
    Setup,
    /// The second such line: the prompt.
    Prompt(Node<'a, 'a>),
    /// A session of the first CLI, which was written in TypeScript, as one document.
    TypeScript,
    /// Any other document, and its type.
    Other(Option<Text<'a>>),
}

/// A line with a payload. A line of `codex exec --json` from before October 2025 is `{id, msg}`,
/// whose payload is that of an event.
pub(crate) struct Envelope<'a> {
    /// The type of the envelope.
    pub kind: Text<'a>,
    /// The payload of the envelope.
    pub payload: Node<'a, 'a>,
    /// The time of the line, if it is valid.
    pub timestamp: Option<Node<'a, 'a>>,
    /// Whether it has other members.
    pub is_more: bool,
    /// The member that the payload is.
    pub inside: &'static str,
}

impl Envelope<'_> {
    /// Returns whether the line was printed, not written to a log.
    pub fn is_printed(&self) -> bool {
        self.inside == MESSAGE
    }
}

/// The member that an event is in a line that was printed.
const MESSAGE: &str = "msg";

/// Returns the kind of a document.
pub(crate) fn shape<'a>(line: Node<'a, 'a>) -> Shape<'a> {
    let (mut kind, mut payload, mut timestamp, mut is_more) = (None, None, None, false);
    for (key, value) in line.members() {
        match key.text().as_deref() {
            Some("timestamp") => timestamp = Some(value),
            Some("type") => kind = value.text(),
            Some("payload") => payload = Some(value),
            _ => is_more = true,
        }
    }
    match (kind, payload) {
        (Some(kind), Some(payload)) => {
            Shape::Envelope(Envelope { kind, payload, timestamp, is_more, inside: "payload" })
        }
        (Some(kind), None) if known(ITEMS, &kind).is_some() => Shape::Item(kind),
        (Some(kind), None) if PRINTED.contains(&&*kind) => Shape::Printed(kind),
        (Some(kind), None) => Shape::Other(Some(kind)),
        (None, _) => match line.member("record_type").and_then(Node::text) {
            Some(kind) => Shape::Record(kind),
            None if is_header(line) => Shape::Header,
            None if is_whole(line) => Shape::TypeScript,
            None => printed_event(line, timestamp).unwrap_or_else(|| before_events(line)),
        },
    }
}

fn printed_event<'a>(line: Node<'a, 'a>, timestamp: Option<Node<'a, 'a>>) -> Option<Shape<'a>> {
    line.member("id")?.text()?;
    let payload = line.member(MESSAGE)?;
    type_of(payload)?;
    let kind = "event_msg".into();
    Some(Shape::Envelope(Envelope { kind, payload, timestamp, is_more: true, inside: MESSAGE }))
}

/// Returns the shape of a line that is printed before the events.
fn before_events<'a>(line: Node<'a, 'a>) -> Shape<'a> {
    let is_text = |key: &str| line.member(key).is_some_and(|value| value.kind() == Kind::Text);
    if ["workdir", "model", "provider", "approval", "sandbox"].into_iter().all(is_text) {
        return Shape::Setup;
    }
    match line.member("prompt").filter(|prompt| prompt.kind() == Kind::Text) {
        Some(prompt) => Shape::Prompt(prompt),
        None => Shape::Other(None),
    }
}

fn is_header(line: Node<'_, '_>) -> bool {
    let has = |key: &str| line.member(key).is_some_and(|value| value.kind() == Kind::Text);
    has("id") && has("timestamp") && line.member("sessionId").is_none()
}

fn is_whole(document: Node<'_, '_>) -> bool {
    let is = |key: &str, kind| document.member(key).is_some_and(|value| value.kind() == kind);
    is("session", Kind::Map) && is("items", Kind::Array)
}

/// Returns the type of a payload, or of an item.
pub(crate) fn type_of<'a>(payload: Node<'a, '_>) -> Option<Text<'a>> {
    payload.member("type").and_then(Node::text)
}

/// Returns an owned copy of a text that is not empty.
pub(crate) fn owned(node: Option<Node<'_, '_>>) -> Option<String> {
    node?.text().filter(|text| !text.is_empty()).map(Text::into_owned)
}
