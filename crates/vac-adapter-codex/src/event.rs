//! Lines that are events, and events that are messages.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::frame::Raw;
use vac_adapter::members::{Members, Rest, null};
use vac_adapter::raw::{self, Known};
use vac_record::{Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry};
use vac_value::{Document, Kind, Node, Text};

use crate::around::{self, Around};
use crate::at::At;
use crate::clock;
use crate::echo::Speaker;
use crate::names::COMPLETED;

/// An event with its whole payload as data, and what is to be said beside it.
pub(crate) fn entry<'a>(
    payload: Node<'a, '_>,
    event_type: Text<'a>,
    id: Option<Text<'a>>,
    around: Around<'a>,
    beside: Rest<'a>,
) -> Entry<'a> {
    let id = id.unwrap_or_else(|| Cow::Owned(around.at.id()));
    let (timestamp, data, mut extensions) = around.close_event(payload);
    if extensions.is_empty() {
        extensions = beside;
    } else {
        extensions.extend(beside);
    }
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// The id of the call that an event tells about.
pub(crate) fn call<'a>(event: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    let call = event.member("call_id").or_else(|| event.member("callId")).or_else(|| {
        let item = event.member("item")?;
        let kind = item.member("type")?;
        let is_call = COMPLETED.iter().any(|(name, is_call)| *is_call && kind.is_text(name));
        is_call.then(|| item.member("id"))?
    })?;
    (call.kind() == Kind::Text && !call.has_lone_surrogate()).then_some(call)
}

/// An event that says what no response item says: it is the message.
pub(crate) fn only_told_here<'a>(
    event: Node<'a, '_>,
    speaker: Speaker,
    around: Around<'a>,
    model: Option<&str>,
) -> Entry<'a> {
    let Some(mut payload) = Members::new(event) else {
        return entry(event, "event_msg".into(), None, around, Rest::default());
    };
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
    let id = Some(id.unwrap_or_else(|| Cow::Owned(around.at.id())));
    let named = if speaker == Speaker::Reasoning { around::REASONING } else { around::MESSAGE };
    let (timestamp, mut extensions) = around.close(payload, named);
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
        kind,
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

/// A segment of what was spoken is a message of who spoke it, if that is the user or the
/// agent. Otherwise what is around the payload is given back.
pub(crate) fn spoken<'a>(
    segment: Node<'a, '_>,
    around: Around<'a>,
    model: Option<&str>,
) -> Result<Entry<'a>, Around<'a>> {
    let is_role = |role: &str| segment.member("role").is_some_and(|it| it.is_text(role));
    let kind = match (is_role("user"), is_role("assistant")) {
        (true, _) => MessageEntryType::User,
        (_, true) => MessageEntryType::Assistant,
        _ => return Err(around),
    };
    let Some(mut payload) = Members::new(segment) else { return Err(around) };
    let id = payload.text("id").unwrap_or_else(|| Cow::Owned(around.at.id()));
    let content = payload.any("text");
    payload.said("role", kind.as_str());
    let (timestamp, extensions) = around.close(payload, around::MESSAGE);
    let model = model.filter(|_| kind == MessageEntryType::Assistant);
    Ok(Entry::Message(MessageEntry {
        kind,
        content,
        timestamp,
        id: Some(id),
        model_id: model.map(|model| Cow::Owned(model.to_owned())),
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    }))
}

/// What cannot be carried as a value.
pub(crate) fn raw<'a>(raw: &'a Raw<'_>, at: At, report: &mut Report) -> Entry<'a> {
    report.unparsed(at.place.line, &raw.reason.to_string());
    let root = raw.document.as_ref().map(Document::root);
    let timestamp = root.and_then(|root| root.member("timestamp"));
    let known = Known {
        id: at.item.map(|_| Cow::Owned(at.id())),
        timestamp: timestamp.and_then(clock::timestamp),
        parent_id: None,
    };
    raw::entry(raw.bytes, &raw.reason, at.place, known)
}
