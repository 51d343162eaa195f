//! Lines that are events, and events that are messages.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::cursor::{Cursor, Rest, null};
use vac_adapter::frame::{Place, Raw};
use vac_adapter::raw::{self, Known};
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry,
};
use vac_value::{Any, Decode, Kind, Node, Text};

use crate::around::{self, Around};
use crate::echo::Speaker;

/// An event with its whole payload as data, and what is to be said beside it.
pub(crate) fn entry<'a>(
    payload: Node<'_, 'a>,
    event_type: String,
    id: Option<Text<'a>>,
    mut around: Around<'_, 'a>,
    beside: Rest<'a>,
) -> Entry<'a> {
    let mut members = Cursor::of(payload);
    let timestamp = around.timestamp(members.as_mut());
    let data = match members {
        Some(members) => members.rest(&[]),
        None => {
            let name = if around.is_bare() { "value" } else { "payload" };
            [(Cow::Borrowed(name), payload.carry())].into_iter().collect()
        }
    };
    let id = id.unwrap_or_else(|| Cow::Owned(around.id.clone()));
    let mut extensions = around.rest_of_event();
    extensions.extend(beside.0);
    Entry::Event(EventEntry {
        event_type: event_type.into(),
        data: Some(data),
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// The call that an event tells about.
pub(crate) fn call_id<'a>(event: Node<'_, 'a>) -> Option<Any<'a>> {
    const ITEMS: &[&str] = &[
        "CommandExecution",
        "FileChange",
        "McpToolCall",
        "DynamicToolCall",
        "CollabAgentToolCall",
        "FunctionCallOutput",
        "WebSearch",
        "ImageView",
        "ImageGeneration",
    ];
    let call_id = event.member("call_id").or_else(|| {
        let item = event.member("item")?;
        let kind = item.member("type")?;
        ITEMS.iter().any(|name| kind.is_text(name)).then(|| item.member("id"))?
    })?;
    call_id.text().map(|_| call_id.carry())
}

/// An event that says what no response item says: it is the message.
pub(crate) fn only_told_here<'a>(
    event: Node<'_, 'a>,
    speaker: Speaker,
    mut around: Around<'_, 'a>,
    model: Option<&str>,
) -> Entry<'a> {
    let Some(mut payload) = Cursor::of(event) else {
        return entry(event, "event_msg".to_owned(), None, around, Rest::default());
    };
    let timestamp = around.timestamp(Some(&mut payload));
    let mut id = None;
    let mut left = None;
    let mut content = None;
    if let Some(mut item) = payload.object("item") {
        id = item.text("id");
        content = item.any(if speaker == Speaker::Reasoning { "summary_text" } else { "content" });
        left = item.remainder();
    }
    let key = if speaker == Speaker::Reasoning { "text" } else { "message" };
    let content = content.or_else(|| payload.any(key));
    let id = Some(id.unwrap_or_else(|| Cow::Owned(around.id.clone())));
    let named = if speaker == Speaker::Reasoning { around::REASONING } else { around::MESSAGE };
    let mut extensions = around.rest(payload, named);
    extensions.extend(left.map(|left| ("item".into(), left)));
    let kind = match speaker {
        Speaker::User => MessageEntryType::User,
        Speaker::Assistant => MessageEntryType::Assistant,
        Speaker::Reasoning => {
            return Entry::Reasoning(ReasoningEntry {
                content: content.unwrap_or_else(null),
                encrypted: None,
                subject: None,
                timestamp,
                id,
                children: None,
                extensions,
            });
        }
    };
    let model = model.filter(|_| speaker == Speaker::Assistant);
    Entry::Message(MessageEntry {
        r#type: kind,
        content,
        timestamp,
        id,
        model_id: model.map(|model| Cow::Owned(model.to_owned())),
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

/// A line that cannot be carried as a value.
pub(crate) fn raw<'a>(raw: &Raw<'a>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unparsed(place.line, &raw.reason.to_string());
    let root = raw.document.as_ref().map(vac_value::Document::root);
    let root = root.filter(|root| root.kind() == Kind::Map);
    let timestamp = root.and_then(|root| root.member("timestamp"));
    let known = Known {
        id: None,
        timestamp: timestamp.and_then(|node| AbstractTimestamp::decode(node).ok()),
        parent_id: None,
    };
    raw::entry(raw.bytes, &raw.reason, place, known)
}
