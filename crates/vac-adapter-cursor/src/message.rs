//! Lines that are messages.

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, keys};
use vac_adapter::frame::Place;
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType};
use vac_value::Node;

use crate::{blocks, written_time};

/// The entry of a message; `None` if the line is none.
pub(crate) fn entry<'a>(
    node: Node<'_, 'a>,
    place: Place,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let mut line = Cursor::of(node)?;
    let (kind, role) = if line.said("role", "user") {
        (MessageEntryType::User, "user")
    } else {
        line.said("role", "assistant");
        (MessageEntryType::Assistant, "assistant")
    };
    let timestamp = match kind {
        MessageEntryType::User => timestamp(node),
        MessageEntryType::Assistant => None,
    };
    let mut content = None;
    let mut children = None;
    let mut left = None;
    if let Some(mut message) = line.object("message") {
        message.said("role", role);
        children = message
            .peek("content")
            .and_then(|content| blocks::children(content, timestamp.as_ref(), report));
        content = message.any("content");
        left = message.remainder();
    }
    let mut extensions = line.rest(keys::MESSAGE);
    extensions.extend(left.map(|left| ("message".into(), left)));
    Some(Entry::Message(MessageEntry {
        r#type: kind,
        content,
        timestamp,
        id: Some(place.id().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children,
        extensions,
    }))
}

/// When a line was written, if its text begins with that.
pub(crate) fn timestamp(line: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let content = line.member("message")?.member("content")?;
    let text = match content.elements().next() {
        Some(block) => block.member("text")?,
        None => content,
    };
    let date_time = written_time::date_time(&text.text()?)?;
    Some(AbstractTimestamp::Text(date_time.into()))
}
