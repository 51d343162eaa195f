//! Converts the elements of `messages` and of `history`, lines that are messages, and prompts.

use vac_adapter::annotation::attach;
use vac_adapter::members::{Rest, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, EntryAnnotations, Superseded, SupersededHow};
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Text};

use crate::content::{self, AlsoStated, Calls, Turn};
use crate::facts::time;
use crate::message_content::Discriminator;
use crate::message_versions::{State, Version};
use crate::user_message_kind::{self, Position, is_canned_answer};
use crate::{entry, event, message_content, tool_calls};

/// The entries of one element: the first one, and any further ones.
pub(crate) type Entries<'a> = (Entry<'a>, Vec<Entry<'a>>);

/// The key of the id of a message whose entry has another id, because another version has this one.
const NATIVE_ID: &str = "native:id";

/// The members of a message that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// The member that states the type, and the value that the entry's type states.
    discriminator: Discriminator,
    /// The member that contains the content.
    content_key: Option<&'static str>,
    /// Whether the element is a message; otherwise, it is a list of tool results, which have none
    /// of the other members.
    is_message: bool,
    /// Whether its tokens are counted.
    counts: bool,
}

mapping! {
    /// A message: an element of `messages`, a line, or a Content of the API. A message that
    /// consists of responses of tools is a `tool-result` for each; the first has the remaining members
    /// as `message`.
    pub(crate) struct Message<'a>("message"; key, value, wanted: Wanted) {
        "id" => "`id`; `native:id` of an earlier version",
            take id: Text<'a> = value.text();
        "timestamp" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = time(value);
        "type" | "role" => "the entry's type; kept unless `user`, `gemini` or, as role, `model`",
            stated = wanted.discriminator.0 == key && value.is_text(wanted.discriminator.1);
        "content" | "parts" => "`content`, and `children` of its parts",
            take content: Node<'a, 'a> = (wanted.content_key == Some(key)).then_some(value);
        "model" => "`model-id`",
            take model_id: Text<'a> = value.text().filter(|_| wanted.is_message);
        "tokens" => "`token-usage` and `vac.usage` of the last version that has any",
            take tokens: Node<'a, 'a> = (wanted.counts && value.kind() == Kind::Map)
                .then_some(value);
        "thoughts" => "`children`: `reasoning`",
            take thoughts: Node<'a, 'a> = filled(value).filter(|_| wanted.is_message);
        "toolCalls" => "`children`: `tool-call`, `tool-result`",
            take tool_calls: Node<'a, 'a> = filled(value).filter(|_| wanted.is_message);
        "displayContent" => "`vac.author`", note shown: Node<'a, 'a> = Some(value);
        "messageId" => "", keep;
    }
}

mapping! {
    /// A prompt of `logs.json`: a message of the user.
    pub(crate) struct Prompt<'a>("prompt"; key, value, session: &str) {
        "type" => "the entry's type", stated = value.is_text("user");
        "sessionId" => "the session's `id`", stated = value.is_text(session);
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
        "message" => "`content`", take content: Node<'a, 'a> = Some(value);
        "messageId" => "", keep;
    }
}

/// The context of an element while its entry is built.
pub(crate) struct Maker<'m, 's> {
    /// An id for an element without one.
    pub place_id: &'m dyn Fn() -> String,
    /// The state of the element in the conversation.
    pub version: Version,
    /// The id of the message that it repeats.
    pub original: Option<&'m str>,
    /// The facts about its author other than its content.
    pub position: Position,
    /// The calls of the session.
    pub calls: &'m mut Calls<'s>,
    /// The report.
    pub report: &'m mut Report,
}

impl Maker<'_, '_> {
    /// Returns the id of an entry and its first annotations. The last version of a message, and the
    /// first of equal messages, has the native id; others keep it in `rest` as `native:id`.
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

/// The member with the content of a native message, and the content.
type Content<'a, 's> = Option<(&'static str, Node<'a, 's>)>;

/// Returns the entries of an element of `messages`, or of a line that is a message.
pub(crate) fn entries<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entries<'a> {
    match message_content::message_type(node) {
        Some((kind, native)) => {
            message_or_results(node, kind, native, message_content::content(node), maker)
        }
        None => (event::message(node, maker), Vec::new()),
    }
}

/// Returns the entries of a Content.
pub(crate) fn content<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entries<'a> {
    let role = node.member("role").and_then(Node::text);
    let (kind, native) = match role.as_deref() {
        // The first versions of the API had a role for responses.
        Some("user" | "function") => (MessageEntryType::User, "user"),
        Some("model") => (MessageEntryType::Assistant, "model"),
        _ => return (event::message(node, maker), Vec::new()),
    };
    let parts = node.member("parts").filter(|parts| parts.kind() != Kind::Null);
    message_or_results(node, kind, ("role", native), parts.map(|parts| ("parts", parts)), maker)
}

/// Returns one entry, or an entry for each response if the content consists of responses.
fn message_or_results<'a>(
    node: Node<'a, '_>,
    kind: MessageEntryType,
    discriminator: Discriminator,
    content: Content<'a, '_>,
    maker: &mut Maker<'_, '_>,
) -> Entries<'a> {
    let content_key = content.map(|(key, _)| key);
    let counts = maker.version.counts;
    let wanted = Wanted { discriminator, content_key, is_message: true, counts };
    if let Some((_, content)) = content
        && kind == MessageEntryType::User
        && let Some(entries) = responses(node, content, wanted, maker)
    {
        return entries;
    }
    (message(node, kind, wanted, maker), Vec::new())
}

fn message<'a>(
    node: Node<'a, '_>,
    kind: MessageEntryType,
    wanted: Wanted,
    maker: &mut Maker<'_, '_>,
) -> Entry<'a> {
    let message = Message::read(node, &MessageEntry::KEYS, wanted, maker.report);
    let Message { timestamp, content, tokens, thoughts, tool_calls, mut rest, .. } = message;
    let (id, mut annotations) = maker.id(message.id, &mut rest);
    let token_usage = tokens.map(|tokens| {
        let (canonical, buckets) = tool_calls::usage(tokens, maker.report);
        annotations.usage = buckets;
        canonical
    });
    let mut children = Vec::new();
    if let Some(thoughts) = thoughts {
        tool_calls::thoughts(thoughts, timestamp.as_ref(), maker.report, &mut children);
    }
    if let Some(content) = content {
        let also = AlsoStated { calls: tool_calls.is_some(), thoughts: thoughts.is_some() };
        let mut turn = Turn::new(timestamp.as_ref(), also, maker.calls, maker.report);
        content::children(content, &mut turn, &mut children);
    }
    if let Some(tool_calls) = tool_calls {
        tool_calls::calls(tool_calls, timestamp.as_ref(), maker.report, &mut children);
    }
    match (kind, content) {
        (MessageEntryType::User, Some(content)) => {
            user_message_kind::annotate(content, message.shown, maker.position, &mut annotations);
        }
        (MessageEntryType::User, None) => annotations.author = Some(Author::User),
        (_, Some(content)) if children.is_empty() && is_canned_answer(content) => {
            annotations.author = Some(Author::Program);
        }
        _ => {}
    }
    attach(&mut rest, &annotations);
    Entry::Message(MessageEntry {
        model_id: message.model_id,
        token_usage,
        children: (!children.is_empty()).then_some(children),
        ..entry::message(kind, content.map(Node::carry), timestamp, id, rest)
    })
}

/// Returns an array that is not empty. An empty one is kept under its native key.
fn filled<'a, 's>(node: Node<'a, 's>) -> Option<Node<'a, 's>> {
    (node.kind() == Kind::Array && node.elements().next().is_some()).then_some(node)
}

/// Returns the tool results of a message that contains nothing else. The first has the id and the
/// other members of the message.
fn responses<'a>(
    node: Node<'a, '_>,
    content: Node<'a, '_>,
    wanted: Wanted,
    maker: &mut Maker<'_, '_>,
) -> Option<Entries<'a>> {
    message_content::responses(content)?;
    let wanted = Wanted { is_message: false, counts: false, ..wanted };
    let Message { id, timestamp, mut rest, .. } = Message::read(node, &[], wanted, maker.report);
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

/// Returns the entry of a prompt of `logs.json`.
pub(crate) fn prompt<'a>(
    node: Node<'a, '_>,
    maker: &mut Maker<'_, '_>,
    session: &str,
) -> Entry<'a> {
    if !node.member("type").is_some_and(|kind| kind.is_text("user")) {
        return event::message(node, maker);
    }
    let Prompt { timestamp, content, mut rest } =
        Prompt::read(node, &MessageEntry::KEYS, session, maker.report);
    attach(&mut rest, &user_message_kind::annotations(content, maker.position));
    let (content, id) = (content.map(Node::carry), (maker.place_id)().into());
    Entry::Message(entry::message(MessageEntryType::User, content, timestamp, id, rest))
}
