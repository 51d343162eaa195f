//! Converts the messages of transcripts and captures.

use vac_adapter::annotation::attach;
use vac_adapter::frame::Place;
use vac_adapter::members::object;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, EntryAnnotations};
use vac_record::{AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType};
use vac_value::{IntoOwned, Node, Text};

use crate::facts::Facts;
use crate::{blocks, entry, prompt_rules, written_time};

/// The members of a line that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// The member that states the speaker.
    who: &'w str,
    session: &'w str,
}

mapping! {
    /// A line of a transcript or a stream that is a message.
    pub(crate) struct MessageLine<'a>("line"; key, value, wanted: Wanted<'_>) {
        "role" | "type" => "the entry's type: `role` of a transcript, `type` of a stream; \
            `assistant` for any other speaker than `user`, who is kept",
            take kind: MessageEntryType = speaker(value).filter(|_| key == wanted.who);
        "message" => "`content`, and the remaining members",
            take message: Node<'a, 'a> = Some(value);
        "id" => "`id`", take id: Text<'a> = value.text();
        "model" => "`model-id`", take model_id: Text<'a> = value.text();
        "timestamp" | "timestamp_ms" => "`timestamp`", take timestamp: AbstractTimestamp<'a> =
            match key {
                "timestamp" => AbstractTimestamp::from_node(value).ok(),
                _ => value.uint().map(AbstractTimestamp::Uint),
            };
        "session_id" => "the session's `id`; kept if it is another",
            stated = value.is_text(wanted.session);
        "model_call_id" => "`vac.duplicate-of`", keep;
    }
}

mapping! {
    /// `message` of a line.
    pub(crate) struct Message<'a>("message"; key, value, role: &str) {
        "role" => "the entry's type; kept if it is another", stated = value.is_text(role);
        "content" => "`content`, and `children` of its blocks; `timestamp`, if a text states it",
            take content: Node<'a, 'a> = Some(value);
    }
}

/// Returns the entry of a message. `who` is the member that states the speaker.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    who: &str,
    place: Place,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let wanted = Wanted { who, session: facts.id() };
    let MessageLine { kind, message, id, model_id, mut timestamp, mut rest } =
        MessageLine::read(node, &MessageEntry::KEYS, wanted, report);
    let kind = kind.unwrap_or(MessageEntryType::Assistant);
    let is_user = kind == MessageEntryType::User;
    let message = message.map(|it| Message::read(it, &[], kind.as_str(), report));
    let Message { content, rest: left } = message.unwrap_or_default();
    if is_user && timestamp.is_none() {
        timestamp = content.and_then(time_of_content);
    }
    let children = content.and_then(|content| {
        let child = |block| blocks::child(block, timestamp.as_ref(), report);
        vac_adapter::blocks::children(content, child)
    });
    rest.extend(object(left).map(|left| ("message".into(), left)));
    if is_user {
        attach(&mut rest, &user_annotations(content, facts.is_subagent()));
    }
    let id = id.unwrap_or_else(|| place.id().into());
    let content = content.map(Node::carry);
    Entry::Message(MessageEntry {
        model_id,
        children,
        ..entry::message(kind, content, timestamp, id, rest)
    })
}

/// Returns the annotations of a message in the user's name.
pub(crate) fn user_annotations(
    content: Option<Node<'_, '_>>,
    is_subagent: bool,
) -> EntryAnnotations<'static> {
    author_annotations(content.map_or(Author::User, prompt_rules::author), is_subagent)
}

/// Returns the annotations of a message by this author in the user's name. The agent that started a
/// subagent wrote its prompts.
pub(crate) fn author_annotations(author: Author, is_subagent: bool) -> EntryAnnotations<'static> {
    let author = match author {
        Author::User | Author::Unknown if is_subagent => Author::OtherAgent,
        author => author,
    };
    EntryAnnotations { author: Some(author), ..EntryAnnotations::default() }
}

/// Returns the speaker, if the schema has an entry type for it.
fn speaker(value: Node<'_, '_>) -> Option<MessageEntryType> {
    let kinds = [MessageEntryType::User, MessageEntryType::Assistant];
    kinds.into_iter().find(|kind| value.is_text(kind.as_str()))
}

/// Returns the time of a message of a transcript, if it states one.
pub(crate) fn timestamp(line: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let own = line.member("timestamp").and_then(|time| AbstractTimestamp::from_node(time).ok());
    if let Some(own) = own {
        return Some(own.into_owned());
    }
    if !line.member("role")?.is_text("user") {
        return None;
    }
    time_of_content(line.member("message")?.member("content")?)
}

/// Returns the time of a message, if one of its texts states it.
pub(crate) fn time_of_content(content: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let blocks = content.elements().filter_map(|block| block.member("text"));
    let mut texts = blocks.chain([content]);
    texts.find_map(written_time::date_time_of_node)?.parse().ok()
}
