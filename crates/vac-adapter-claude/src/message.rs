//! Lines that are messages.

use vac_adapter::Report;
use vac_adapter::blocks::children;
use vac_adapter::frame::Place;
use vac_adapter::members::{object, put, sift};
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node};

use crate::envelope::{Envelope, Wanted};
use crate::facts::{Facts, SYNTHETIC};
use crate::inherited::MESSAGE;
use crate::{blocks, usage};

/// The entry of a `user` or `assistant` line.
pub(crate) fn entry<'a>(
    line: Node<'a, '_>,
    kind: MessageEntryType,
    place: Place,
    counts_usage: bool,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let role = match kind {
        MessageEntryType::User => "user",
        MessageEntryType::Assistant => "assistant",
    };
    let wanted = Wanted { named: MESSAGE, kind: Some(role), body: Some("message") };
    let mut envelope = Envelope::of(line, wanted, &facts.hoisted);
    if envelope.body.is_none() {
        let wanted = Wanted { body: Some("content"), ..wanted };
        envelope = Envelope::of(line, wanted, &facts.hoisted);
    }
    let mut content = None;
    let mut model_id = None;
    let mut token_usage = None;
    match envelope.body.filter(|message| message.kind() == Kind::Map) {
        Some(message) => {
            let left = sift(message, &[], |key, value| match key {
                "role" => value.is_text(role),
                "content" => put(&mut content, Some(value)),
                "model" => put(&mut model_id, value.text().filter(|model| model != SYNTHETIC)),
                "usage" if counts_usage && value.kind() == Kind::Map => {
                    token_usage = Some(usage::token_usage(value));
                    true
                }
                _ => false,
            });
            envelope.rest.extend(object(left).map(|left| ("message".into(), left)));
        }
        // What is no message of the API is what was said.
        None => content = envelope.body,
    }
    let children = content.and_then(|content| {
        children(content, |block| blocks::child(block, envelope.timestamp.as_ref(), report))
    });
    Entry::Message(MessageEntry {
        kind,
        content: content.map(Node::carry),
        timestamp: envelope.timestamp,
        id: envelope.id.or_else(|| Some(place.id().into())),
        model_id,
        parent_id: envelope.parent.and_then(Node::text),
        token_usage,
        children,
        extensions: envelope.rest,
    })
}

/// A prompt that the user gave while the agent worked, which is logged as an attachment
/// once the agent has got it.
pub(crate) fn queued_command<'a>(line: Node<'a, '_>, place: Place, facts: &Facts) -> Entry<'a> {
    let wanted = Wanted { named: MESSAGE, kind: None, body: Some("attachment") };
    let mut envelope = Envelope::of(line, wanted, &facts.hoisted);
    let mut content = None;
    if let Some(attachment) = envelope.body {
        let left =
            sift(attachment, &[], |key, value| key == "prompt" && put(&mut content, Some(value)));
        envelope.rest.extend(object(left).map(|left| ("attachment".into(), left)));
    }
    prompt(envelope, content, place)
}

/// A prompt that went into the queue, and that nothing behind it tells.
pub(crate) fn enqueued<'a>(line: Node<'a, '_>, place: Place, facts: &Facts) -> Entry<'a> {
    let wanted = Wanted { named: MESSAGE, kind: None, body: Some("content") };
    let envelope = Envelope::of(line, wanted, &facts.hoisted);
    let content = envelope.body;
    prompt(envelope, content, place)
}

/// A message of the user that no `user` line tells.
fn prompt<'a>(
    envelope: Envelope<'_, 'a>,
    content: Option<Node<'a, '_>>,
    place: Place,
) -> Entry<'a> {
    Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content: content.map(Node::carry),
        timestamp: envelope.timestamp,
        id: envelope.id.or_else(|| Some(place.id().into())),
        model_id: None,
        parent_id: envelope.parent.and_then(Node::text),
        token_usage: None,
        children: None,
        extensions: envelope.rest,
    })
}
