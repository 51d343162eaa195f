//! Lines that are messages.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, keys};
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Extensions, Node};

use crate::lines::Line;
use crate::survey::{Facts, SYNTHETIC};
use crate::{blocks, usage};

/// Who speaks, if a line is a message.
pub(crate) fn kind(line: Node<'_, '_>) -> Option<MessageEntryType> {
    let kind = line.member("type")?;
    if kind.is_text("user") {
        Some(MessageEntryType::User)
    } else if kind.is_text("assistant") {
        Some(MessageEntryType::Assistant)
    } else {
        None
    }
}

/// The entry of a message.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    kind: MessageEntryType,
    line: Line<'_, '_>,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let role = match kind {
        MessageEntryType::User => "user",
        MessageEntryType::Assistant => "assistant",
    };
    let Some(mut envelope) = Cursor::of(node) else {
        return crate::event::entry(node, line, facts, report);
    };
    envelope.said("type", role);
    facts.hoisted.take(&mut envelope);
    let timestamp = envelope.timestamp("timestamp");
    let id = envelope.text("uuid").unwrap_or_else(|| line.place.id().into());
    let parent_id = envelope.text("parentUuid");
    let mut content = None;
    let mut model_id = None;
    let mut token_usage = None;
    let mut children = None;
    let mut left = None;
    if let Some(mut message) = envelope.object("message") {
        message.said("role", role);
        children = message
            .peek("content")
            .and_then(|content| blocks::children(content, timestamp.as_ref(), report));
        content = message.any("content");
        model_id = message.text_except("model", SYNTHETIC);
        if facts.counts_usage(&message, line.index) {
            token_usage = message.object("usage").map(usage::token_usage);
        }
        left = message.remainder();
    }
    let mut extensions: Extensions<_, _> = envelope.rest(keys::MESSAGE);
    extensions.extend(left.map(|left| ("message".into(), left)));
    Entry::Message(MessageEntry {
        r#type: kind,
        content,
        timestamp,
        id: Some(id),
        model_id,
        parent_id,
        token_usage,
        children,
        extensions,
    })
}
