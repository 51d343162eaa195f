//! The elements of `messages` and of `history`, lines that are messages, and prompts.

use vac_adapter::Report;
use vac_adapter::members::{Members, Rest, object, put, sift};
use vac_adapter::raw::push;
use vac_record::{AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Text};

use crate::content::{self, Calls, Told, Turn};
use crate::keys::{IN_MESSAGE, MESSAGE, unknown};
use crate::ledger::{Fate, Standing};
use crate::said::Discriminator;
use crate::{event, said, tools};

/// The entries of one element: the first, and more if there are any.
pub(crate) type Entries<'a> = (Entry<'a>, Vec<Entry<'a>>);

/// What an entry is made with.
pub(crate) struct Maker<'m, 's> {
    /// An id for what has none.
    pub place_id: &'m dyn Fn() -> String,
    /// What became of it.
    pub standing: Standing,
    /// The id of the message that it repeats.
    pub original: Option<&'m str>,
    /// The session's calls.
    pub calls: &'m mut Calls<'s>,
    /// The report.
    pub report: &'m mut Report,
}

impl Maker<'_, '_> {
    /// The id of an entry. That of a message belongs to its last version; earlier ones
    /// name it as what they are superseded by.
    pub fn id<'a>(&self, native: Option<Text<'a>>, extensions: &mut Rest<'a>) -> Text<'a> {
        let mut by = |word: &str, by: &str| {
            push(extensions, "superseded", word);
            push(extensions, "superseded-by", by);
        };
        match (self.standing.fate, &native) {
            (Fate::Updated, Some(id)) => {
                by("updated", id);
                return (self.place_id)().into();
            }
            (Fate::Rewound(place), _) => by("rewound", &place.id()),
            (Fate::Compacted(place), _) => by("compacted", &place.id()),
            (Fate::Repeated, _) => {
                let original = self.original;
                push(extensions, "duplicate-of", original.unwrap_or_default());
                // The id belongs to the first one.
                if native.as_deref() == original {
                    return (self.place_id)().into();
                }
            }
            (Fate::Current | Fate::Updated, _) => {}
        }
        native.unwrap_or_else(|| (self.place_id)().into())
    }
}

/// Where a native message says what it has to say.
type Content<'a, 's> = Option<(&'static str, Node<'a, 's>)>;

/// The entries of an element of `messages`, or of a line that is a message.
pub(crate) fn entries<'a>(node: Node<'a, '_>, maker: &mut Maker<'_, '_>) -> Entries<'a> {
    match said::author(node) {
        Some((kind, native)) => made(node, kind, native, said::content(node), maker),
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
    made(node, kind, ("role", native), parts.map(|parts| ("parts", parts)), maker)
}

/// One entry, or one for each response if there is nothing else.
fn made<'a, 's>(
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
    let (mut thoughts, mut tool_calls) = (None, None);
    let counts = maker.standing.counts;
    let mut extensions = sift(node, MESSAGE, |key, value| match key {
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        "id" => put(&mut id, value.text()),
        "model" => put(&mut model_id, value.text()),
        "tokens" if counts => put(&mut token_usage, tools::token_usage(value)),
        "thoughts" => put(&mut thoughts, filled(value)),
        "toolCalls" => put(&mut tool_calls, filled(value)),
        key if key == type_key => value.is_text(native_type),
        key => key == content_key,
    });
    unknown(maker.report, "message", &extensions, IN_MESSAGE);
    let id = maker.id(id, &mut extensions);
    let mut children = Vec::new();
    if let Some(thoughts) = thoughts {
        tools::thoughts(thoughts, timestamp.as_ref(), &mut children);
    }
    if let Some((_, content)) = content {
        if kind == MessageEntryType::User
            && let Some(kind) = said::user_kind(content)
        {
            push(&mut extensions, "user-kind", kind);
        }
        let told = Told { calls: tool_calls.is_some(), thoughts: thoughts.is_some() };
        let mut turn = Turn::new(timestamp.as_ref(), told, maker.calls, maker.report);
        content::children(content, &mut turn, &mut children);
    }
    if let Some(tool_calls) = tool_calls {
        tools::calls(tool_calls, timestamp.as_ref(), maker.report, &mut children);
    }
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
    said::responses(content)?;
    let (mut timestamp, mut id) = (None, None);
    let rest = sift(node, &[], |key, value| match key {
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        "id" => put(&mut id, value.text()),
        key if key == type_key => value.is_text(native_type),
        key => key == content_key,
    });
    unknown(maker.report, "message", &rest, IN_MESSAGE);
    let mut flags = Rest::default();
    let id = maker.id(id, &mut flags);
    let parts = match content.kind() {
        Kind::Map => vec![content],
        _ => content.elements().collect(),
    };
    let mut turn = Turn::new(timestamp.as_ref(), Told::default(), maker.calls, maker.report);
    let mut results = (1..).zip(parts).filter_map(|(number, part)| {
        let mut result = turn.tool_result(part)?;
        result.extensions.extend(flags.clone());
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
    let kind = prompt.peek("message").and_then(said::user_kind);
    let content = prompt.any("message");
    let mut extensions = prompt.rest(MESSAGE);
    unknown(maker.report, "prompt", &extensions, IN_MESSAGE);
    if let Some(kind) = kind {
        push(&mut extensions, "user-kind", kind);
    }
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
