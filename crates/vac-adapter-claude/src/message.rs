//! Lines that are messages.
//!
//! | native key | canonical field |
//! |---|---|
//! | `message.content` (seed 001) | `content`, and `children` of its blocks |
//! | `message.model` (seed 001) | `model-id`, unless it is `<synthetic>` |
//! | `message.role` | the entry's type |
//! | `message.usage` | `token-usage` on the last line of a message; else kept |
//! | `attachment.prompt` of a `queued_command` | `content` |
//! | `content` of a `queue-operation` or a `local_command` | `content` |
//! | `data.message.message` of a `progress` line | as `message`; its usage is kept |
//! | all others | kept under their name |

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::blocks::children;
use vac_adapter::frame::Place;
use vac_adapter::members::{Rest, object, put, sift};
use vac_record::annotations::{Author, End, EndOf, Ending, EntryAnnotations};
use vac_record::{Entry, MessageEntry, MessageEntryType, TokenUsage};
use vac_value::{Kind, Node, Text};

use crate::blocks::Blocks;
use crate::envelope::{Envelope, Wanted};
use crate::first_pass::{Facts, LinePlan};
use crate::models::SYNTHETIC;
use crate::prompt_rules::annotate_user;
use crate::usage;

/// Returns the entry of a `user` or `assistant` line.
pub(crate) fn entry<'a>(
    line: Node<'a, '_>,
    kind: MessageEntryType,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
    report: &mut Report,
) -> Entry<'a> {
    let role = role(kind);
    let wanted = Wanted { named: &MessageEntry::KEYS, kind: Some(role), body: Some("message") };
    let mut envelope = Envelope::parse(line, wanted, &facts.defaults);
    if envelope.body.is_none() {
        let wanted = Wanted { body: Some("content"), ..wanted };
        envelope = Envelope::parse(line, wanted, &facts.defaults);
    }
    let mut it = facts.annotations(&envelope, plan, place);
    let mut said = ApiMessage::default();
    match envelope.body.filter(|message| message.kind() == Kind::Map) {
        Some(message) => {
            let (read, left) = ApiMessage::read(message, Some(role), plan.counts_usage, &mut it);
            said = read;
            envelope.rest.extend(object(left).map(|left| ("message".into(), left)));
        }
        // Text or blocks without an API message around them.
        None => said.content = envelope.body,
    }
    message(kind, said, envelope, it, place, report)
}

/// Returns a message of a subagent that a `progress` line contains.
pub(crate) fn progress<'a>(
    line: Node<'a, '_>,
    kind: MessageEntryType,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
    report: &mut Report,
) -> Entry<'a> {
    let wanted = Wanted { named: &MessageEntry::KEYS, kind: None, body: Some("data") };
    let mut envelope = Envelope::parse(line, wanted, &facts.defaults);
    let (mut outer, mut inner) = (None, None);
    let mut data = Rest::default();
    if let Some(body) = envelope.body {
        data = sift(body, &[], |key, value| {
            envelope.note(key, value);
            key == "message" && put(&mut outer, Some(value))
        });
    }
    let mut left = Rest::default();
    if let Some(outer) = outer {
        left = sift(outer, &[], |key, value| {
            envelope.note(key, value);
            key == "message" && put(&mut inner, Some(value))
        });
    }
    envelope.is_sidechain = true;
    let mut it = facts.annotations(&envelope, plan, place);
    let mut said = ApiMessage::default();
    if let Some(inner) = inner {
        let (read, rest) = ApiMessage::read(inner, None, false, &mut it);
        said = read;
        left.extend(object(rest).map(|rest| ("message".into(), rest)));
    }
    data.extend(object(left).map(|left| ("message".into(), left)));
    envelope.rest.extend(object(data).map(|data| ("data".into(), data)));
    message(kind, said, envelope, it, place, report)
}

/// Returns a prompt that the user gave while the agent worked, which is logged as an attachment
/// once the agent has got it.
pub(crate) fn queued_command<'a>(
    line: Node<'a, '_>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
) -> Entry<'a> {
    let wanted = Wanted { named: &MessageEntry::KEYS, kind: None, body: Some("attachment") };
    let mut envelope = Envelope::parse(line, wanted, &facts.defaults);
    let mut content = None;
    if let Some(attachment) = envelope.body {
        let left = sift(attachment, &[], |key, value| {
            match key {
                // What the queue contains, if it is not a prompt.
                "commandMode" if value.is_text("task-notification") => {
                    envelope.origin = envelope.origin.take().or_else(|| value.text());
                }
                key => envelope.note(key, value),
            }
            key == "prompt" && put(&mut content, Some(value))
        });
        envelope.rest.extend(object(left).map(|left| ("attachment".into(), left)));
    }
    prompt(envelope, content, place, plan, facts)
}

/// Returns a message of the user that is the `content` of a line of another type: a prompt that
/// went into the queue and is nowhere else, or a command for the program.
pub(crate) fn content_line<'a>(
    line: Node<'a, '_>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
) -> Entry<'a> {
    let wanted = Wanted { named: &MessageEntry::KEYS, kind: None, body: Some("content") };
    let mut envelope = Envelope::parse(line, wanted, &facts.defaults);
    // On a `system` line this does not mean that the text is not the user's.
    envelope.is_meta = false;
    let content = envelope.body;
    prompt(envelope, content, place, plan, facts)
}

/// A message of the user without an API message.
fn prompt<'a>(
    envelope: Envelope<'_, 'a>,
    content: Option<Node<'a, '_>>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
) -> Entry<'a> {
    let mut it = facts.annotations(&envelope, plan, place);
    annotate_user(&mut it, content, &envelope);
    let mut extensions = envelope.rest;
    attach(&mut extensions, &it);
    Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content: content.map(Node::carry),
        timestamp: envelope.timestamp,
        id: envelope.id.or_else(|| Some(place.id().into())),
        model_id: None,
        parent_id: envelope.parent.and_then(Node::text),
        token_usage: None,
        children: None,
        extensions,
    })
}

/// What a message of the API contains.
#[derive(Default)]
struct ApiMessage<'d, 'a> {
    content: Option<Node<'d, 'a>>,
    model: Option<Text<'a>>,
    usage: Option<TokenUsage<'a>>,
}

impl<'d: 'a, 'a> ApiMessage<'d, 'a> {
    /// Reads a message. Returns it and the members that are kept.
    fn read(
        message: Node<'d, 'a>,
        role: Option<&str>,
        counts_usage: bool,
        it: &mut EntryAnnotations<'_>,
    ) -> (Self, Rest<'a>) {
        let mut read = Self::default();
        let left = sift(message, &[], |key, value| match key {
            "role" => role.is_some_and(|role| value.is_text(role)),
            "content" => put(&mut read.content, Some(value)),
            "model" if value.is_text(SYNTHETIC) => {
                it.author = Some(Author::Program);
                false
            }
            "model" => put(&mut read.model, value.text()),
            "usage" if counts_usage && value.kind() == Kind::Map => {
                let canonical = usage::token_usage(value);
                it.usage = usage::buckets(value, &canonical);
                read.usage = Some(canonical);
                true
            }
            _ => false,
        });
        (read, left)
    }
}

/// Builds the entry of a message.
fn message<'a>(
    kind: MessageEntryType,
    said: ApiMessage<'a, 'a>,
    envelope: Envelope<'_, 'a>,
    mut it: EntryAnnotations<'_>,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    match kind {
        MessageEntryType::User => annotate_user(&mut it, said.content, &envelope),
        MessageEntryType::Assistant if envelope.is_api_error => {
            it.author = Some(Author::Program);
            it.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        MessageEntryType::Assistant => {}
    }
    let timestamp = envelope.timestamp;
    let children = said.content.and_then(|content| {
        let blocks = Blocks::new(content, timestamp.as_ref(), envelope.tool_use_result);
        children(content, |block| blocks.child(block, report))
    });
    let mut extensions = envelope.rest;
    attach(&mut extensions, &it);
    Entry::Message(MessageEntry {
        kind,
        content: said.content.map(Node::carry),
        timestamp,
        id: envelope.id.or_else(|| Some(place.id().into())),
        model_id: said.model,
        parent_id: envelope.parent.and_then(Node::text),
        token_usage: said.usage,
        children,
        extensions,
    })
}

fn role(kind: MessageEntryType) -> &'static str {
    match kind {
        MessageEntryType::User => "user",
        MessageEntryType::Assistant => "assistant",
    }
}
