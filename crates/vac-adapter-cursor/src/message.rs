//! Lines of transcripts and captures that are messages.

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::frame::Place;
use vac_adapter::members::{object, put, sift};
use vac_record::annotations::{Author, EntryAnnotations};
use vac_record::{AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType};
use vac_value::{Any, IntoOwned, Node};

use crate::facts::Facts;
use crate::{blocks, prompt_rules, written_time};

/// The entry of a message. `who` names the member that states who speaks.
pub(crate) fn entry<'a>(
    node: Node<'a, '_>,
    who: &str,
    place: Place,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let mut kind = MessageEntryType::Assistant;
    let mut timestamp = None;
    let mut message = None;
    let (mut id, mut model_id) = (None, None);
    let mut extensions = sift(node, &MessageEntry::KEYS, |key, value| match key {
        key if key == who => speaker(value, &mut kind),
        "id" => put(&mut id, value.text()),
        "model" => put(&mut model_id, value.text()),
        "timestamp" if timestamp.is_none() => {
            put(&mut timestamp, AbstractTimestamp::from_node(value).ok())
        }
        "message" => put(&mut message, Some(value)),
        "session_id" => value.is_text(facts.id()),
        "timestamp_ms" if timestamp.is_none() => {
            put(&mut timestamp, value.uint().map(AbstractTimestamp::Uint))
        }
        _ => false,
    });
    let mut content = None;
    let mut children = None;
    if let Some(message) = message {
        if kind == MessageEntryType::User && timestamp.is_none() {
            timestamp = time_of_content(message);
        }
        let role = if kind == MessageEntryType::User { "user" } else { "assistant" };
        let left = sift(message, &[], |key, value| match key {
            "role" => value.is_text(role),
            "content" => {
                children = vac_adapter::blocks::children(value, |block| {
                    blocks::child(block, timestamp.as_ref(), report)
                });
                put(&mut content, Some(value.carry()))
            }
            _ => false,
        });
        extensions.extend(object(left).map(|left: Any<'_>| ("message".into(), left)));
    }
    if kind == MessageEntryType::User {
        let content = message.and_then(|message| message.member("content"));
        attach(&mut extensions, &user_annotations(content, facts.is_subagent()));
    }
    Entry::Message(MessageEntry {
        kind,
        content,
        timestamp,
        id: Some(id.unwrap_or_else(|| place.id().into())),
        model_id,
        parent_id: None,
        token_usage: None,
        children,
        extensions,
    })
}

/// Returns the annotations of a message in the user's name.
pub(crate) fn user_annotations(
    content: Option<Node<'_, '_>>,
    is_subagent: bool,
) -> EntryAnnotations<'static> {
    author_annotations(content.map_or(Author::User, prompt_rules::author), is_subagent)
}

/// Returns the annotations of a message in the user's name. Prompts of a subagent are those of
/// the agent that started it.
pub(crate) fn author_annotations(author: Author, is_subagent: bool) -> EntryAnnotations<'static> {
    let author = match author {
        Author::User | Author::Unknown if is_subagent => Author::OtherAgent,
        author => author,
    };
    EntryAnnotations { author: Some(author), ..EntryAnnotations::default() }
}

/// Whether the type of the entry says who speaks.
pub(crate) fn speaker(value: Node<'_, '_>, kind: &mut MessageEntryType) -> bool {
    if value.is_text("user") {
        *kind = MessageEntryType::User;
        return true;
    }
    value.is_text("assistant")
}

/// When a message of a transcript was written, if it says so.
pub(crate) fn timestamp(line: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let own = line.member("timestamp").and_then(|time| AbstractTimestamp::from_node(time).ok());
    if let Some(own) = own {
        return Some(own.into_owned());
    }
    if !line.member("role")?.is_text("user") {
        return None;
    }
    time_of_content(line.member("message")?)
}

/// When a message was written, if one of its texts says so.
pub(crate) fn time_of_content(message: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let content = message.member("content")?;
    let blocks = content.elements().filter_map(|block| block.member("text"));
    let mut texts = blocks.chain([content]).filter_map(Node::text);
    texts.find_map(|text| written_time::date_time(&text))?.parse().ok()
}
