//! The elements of `messages` and of `history`, lines that are messages, and prompts.

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::members::{Members, Rest, object, put, sift};
use vac_record::annotations::{Author, EntryAnnotations, Superseded, SupersededHow};
use vac_record::{AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Text};

use crate::content::{self, AlsoStated, Calls, Turn};
use crate::keys::{IN_MESSAGE, unknown};
use crate::message_content::Discriminator;
use crate::message_versions::{State, Version};
use crate::user_message_kind::{self, Position, is_canned_answer};
use crate::{event, message_content, tool_calls};

/// The entries of one element: the first, and more if there are any.
pub(crate) type Entries<'a> = (Entry<'a>, Vec<Entry<'a>>);

/// The key of an id that belongs to another version of the message.
const NATIVE_ID: &str = "native:id";

/// What an entry is made with.
pub(crate) struct Maker<'m, 's> {
    /// An id for what has none.
    pub place_id: &'m dyn Fn() -> String,
    /// Whether it is still part of the conversation.
    pub version: Version,
    /// The id of the message that it repeats.
    pub original: Option<&'m str>,
    /// What is known about its author besides its content.
    pub position: Position,
    /// The session's calls.
    pub calls: &'m mut Calls<'s>,
    /// The report.
    pub report: &'m mut Report,
}

impl Maker<'_, '_> {
    /// Returns the id of an entry and its first annotations. An id belongs to the last version
    /// of a message and to the first of equal ones; others keep it in `rest` as `native:id`.
    pub fn id<'a>(
        &self,
        native: Option<Text<'a>>,
        rest: &mut Rest<'a>,
    ) -> (Text<'a>, EntryAnnotations<'static>) {
        let superseded = |how, by: String| EntryAnnotations {
            superseded: Some(Superseded { how, by: Some(by.into()) }),
            ..EntryAnnotations::default()
        };
        let mut annotations = EntryAnnotations::default();
        match (self.version.state, &native) {
            (State::Updated, Some(id)) => {
                let by = superseded(SupersededHow::Updated, id.clone().into_owned());
                rest.insert(NATIVE_ID.into(), id.clone().into());
                return ((self.place_id)().into(), by);
            }
            (State::Rewound(place), _) => {
                annotations = superseded(SupersededHow::Rewound, place.id());
            }
            (State::Compacted(place), _) => {
                annotations = superseded(SupersededHow::Compacted, place.id());
            }
            (State::Repeated, _) => {
                annotations.duplicate_of = self.original.map(|id| id.to_owned().into());
                if let Some(id) = native.as_ref().filter(|id| Some(&***id) == self.original) {
                    rest.insert(NATIVE_ID.into(), id.clone().into());
                    return ((self.place_id)().into(), annotations);
                }
            }
            (State::Current | State::Updated, _) => {}
        }
        (native.unwrap_or_else(|| (self.place_id)().into()), annotations)
    }
}

/// Where a native message says what it has to say.
type Content<'a, 's> = Option<(&'static str, Node<'a, 's>)>;

/// The entries of an element of `messages`, or of a line that is a message.
pub(crate) fn entries<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entries<'a> {
    match message_content::message_type(node) {
        Some((kind, native)) => {
            message_or_results(node, kind, native, message_content::content(node), maker)
        }
        None => (event::message(node, maker), Vec::new()),
    }
}

/// The entries of a Content.
pub(crate) fn content<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entries<'a> {
    let role = node.member("role").and_then(Node::text);
    let (kind, native) = match role.as_deref() {
        // The API's first versions had a role for responses.
        Some("user" | "function") => (MessageEntryType::User, "user"),
        Some("model") => (MessageEntryType::Assistant, "model"),
        _ => return (event::message(node, maker), Vec::new()),
    };
    let parts = node.member("parts").filter(|parts| parts.kind() != Kind::Null);
    message_or_results(node, kind, ("role", native), parts.map(|parts| ("parts", parts)), maker)
}

/// One entry, or one for each response if there is nothing else.
fn message_or_results<'a, 's>(
    node: Node<'a, 's>,
    kind: MessageEntryType,
    native: Discriminator,
    content: Content<'a, 's>,
    maker: &mut Maker<'_, '_>,
) -> Entries<'a> {
    if let Some((key, content)) = content
        && kind == MessageEntryType::User
        && let Some(entries) = responses(node, (key, content), native, maker)
    {
        return entries;
    }
    (message(node, kind, native, content, maker), Vec::new())
}

fn message<'a, 's>(
    node: Node<'a, 's>,
    kind: MessageEntryType,
    (type_key, native_type): Discriminator,
    content: Content<'a, 's>,
    maker: &mut Maker<'_, '_>,
) -> Entry<'a> {
    let content_key = content.map_or("content", |(key, _)| key);
    let (mut timestamp, mut id, mut model_id, mut token_usage) = (None, None, None, None);
    let (mut thoughts, mut tool_calls, mut usage) = (None, None, None);
    let counts = maker.version.counts;
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        "id" => put(&mut id, value.text()),
        "model" => put(&mut model_id, value.text()),
        "tokens" if counts => {
            usage = tool_calls::usage(value);
            put(&mut token_usage, tool_calls::token_usage(value))
        }
        "thoughts" => put(&mut thoughts, filled(value)),
        "toolCalls" => put(&mut tool_calls, filled(value)),
        key if key == type_key => value.is_text(native_type),
        key => key == content_key,
    });
    unknown(maker.report, "message", &extensions, IN_MESSAGE);
    let (id, mut annotations) = maker.id(id, &mut extensions);
    annotations.usage = usage;
    let mut children = Vec::new();
    if let Some(thoughts) = thoughts {
        tool_calls::thoughts(thoughts, timestamp.as_ref(), &mut children);
    }
    if let Some((_, content)) = content {
        let also = AlsoStated { calls: tool_calls.is_some(), thoughts: thoughts.is_some() };
        let mut turn = Turn::new(timestamp.as_ref(), also, maker.calls, maker.report);
        content::children(content, &mut turn, &mut children);
    }
    if let Some(tool_calls) = tool_calls {
        tool_calls::calls(tool_calls, timestamp.as_ref(), maker.report, &mut children);
    }
    match (kind, content) {
        (MessageEntryType::User, Some((_, content))) => {
            let shown = node.member("displayContent");
            user_message_kind::annotate(content, shown, maker.position, &mut annotations);
        }
        (MessageEntryType::User, None) => annotations.author = Some(Author::User),
        (_, Some((_, content))) if children.is_empty() && is_canned_answer(content) => {
            annotations.author = Some(Author::Program);
        }
        _ => {}
    }
    attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind,
        content: content.map(|(_, content)| content.carry()),
        timestamp,
        id: Some(id),
        model_id,
        parent_id: None,
        token_usage,
        children: (!children.is_empty()).then_some(children),
        extensions,
    })
}

/// An array that is not empty; an empty one stays as it is.
fn filled<'a, 's>(node: Node<'a, 's>) -> Option<Node<'a, 's>> {
    (node.kind() == Kind::Array && node.elements().next().is_some()).then_some(node)
}

/// The tool results of a message that holds nothing else. The first has the message's id
/// and its other members.
fn responses<'a>(
    node: Node<'a, '_>,
    (content_key, content): (&str, Node<'a, '_>),
    (type_key, native_type): Discriminator,
    maker: &mut Maker<'_, '_>,
) -> Option<Entries<'a>> {
    message_content::responses(content)?;
    let (mut timestamp, mut id) = (None, None);
    let mut rest = sift(node, &[], |key, value| match key {
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        "id" => put(&mut id, value.text()),
        key if key == type_key => value.is_text(native_type),
        key => key == content_key,
    });
    unknown(maker.report, "message", &rest, IN_MESSAGE);
    let (id, version) = maker.id(id, &mut rest);
    let parts = match content.kind() {
        Kind::Map => vec![content],
        _ => content.elements().collect(),
    };
    let mut turn = Turn::new(timestamp.as_ref(), AlsoStated::default(), maker.calls, maker.report);
    let mut results = (1..).zip(parts).filter_map(|(number, part)| {
        let mut result = turn.tool_result(part, version.clone())?;
        if number == 1 {
            result.extensions.extend(object(rest.clone()).map(|rest| ("message".into(), rest)));
            result.id = Some(id.clone());
        } else {
            result.id = Some(format!("{id}#{number}").into());
        }
        Some(Entry::ToolResult(result))
    });
    Some((results.next()?, results.collect()))
}

/// The entry of a prompt of `logs.json`.
pub(crate) fn prompt<'a>(
    node: Node<'a, '_>,
    maker: &mut Maker<'_, '_>,
    session: &str,
) -> Entry<'a> {
    if !node.member("type").is_some_and(|kind| kind.is_text("user")) {
        return event::message(node, maker);
    }
    let Some(mut prompt) = Members::new(node) else { return event::message(node, maker) };
    prompt.said("type", "user");
    prompt.said("sessionId", session);
    let timestamp = prompt.timestamp("timestamp");
    let annotations = user_message_kind::annotations(prompt.peek("message"), maker.position);
    let content = prompt.any("message");
    let mut extensions = prompt.rest(&MessageEntry::KEYS);
    unknown(maker.report, "prompt", &extensions, IN_MESSAGE);
    attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content,
        timestamp,
        id: Some((maker.place_id)().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}
