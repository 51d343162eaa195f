//! Entries of events, and of events that are messages.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::frame::Raw;
use vac_adapter::members::{Members, Rest, null};
use vac_adapter::raw::{self, Known};
use vac_record::annotations::Author;
use vac_record::{Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry};
use vac_value::{Document, Kind, Node, Text};

use crate::clock;
use crate::duplicate_events::Speaker;
use crate::envelope_rest::{self, LineContext};
use crate::item::annotate_prompt;
use crate::location::Location;
use crate::names::COMPLETED;
use crate::prompt_rules::{Prompt, Prompter};

/// Returns an event with its whole payload as data, and more extensions.
pub(crate) fn entry<'a>(
    payload: Node<'a, '_>,
    event_type: Text<'a>,
    id: Option<Text<'a>>,
    around: LineContext<'a>,
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

/// Returns the id of the call that an event is about.
pub(crate) fn call<'a>(event: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    let call = event.member("call_id").or_else(|| event.member("callId")).or_else(|| {
        let item = event.member("item")?;
        let kind = item.member("type")?;
        let is_call = COMPLETED.iter().any(|(name, is_call)| *is_call && kind.is_text(name));
        is_call.then(|| item.member("id"))?
    })?;
    (call.kind() == Kind::Text && !call.has_lone_surrogate()).then_some(call)
}

/// Returns the message of an event that repeats no response item.
pub(crate) fn only_message<'a>(
    event: Node<'a, '_>,
    speaker: Speaker,
    mut around: LineContext<'a>,
    model: Option<&str>,
    prompter: Prompter,
) -> Entry<'a> {
    if speaker == Speaker::User {
        annotate_event_prompt(event, &mut around, prompter);
    }
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
    let named = if speaker == Speaker::Reasoning {
        envelope_rest::REASONING
    } else {
        envelope_rest::MESSAGE
    };
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

/// Annotates the message of the user that only an event states.
fn annotate_event_prompt(event: Node<'_, '_>, around: &mut LineContext<'_>, prompter: Prompter) {
    let content = event.member("message").or_else(|| event.member("item")?.member("content"));
    let prompter = if around.is_inherited() { Prompter::User } else { prompter };
    let mut prompt = Prompt::new(content, prompter);
    // Up to 0.4x.
    let kind = event.member("kind").and_then(Node::text);
    if matches!(kind.as_deref(), Some("user_instructions" | "environment_context")) {
        prompt.author = Author::Program;
    }
    annotate_prompt(&mut around.annotations, prompt);
}

/// Returns the message of a spoken segment, if the user or the agent spoke it. Otherwise
/// returns the context.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn spoken<'a>(
    segment: Node<'a, '_>,
    mut around: LineContext<'a>,
    model: Option<&str>,
) -> Result<Entry<'a>, LineContext<'a>> {
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
    if kind == MessageEntryType::User {
        // Somebody spoke it, in whichever session.
        around.annotations.author = Some(Author::User);
    }
    let (timestamp, extensions) = around.close(payload, envelope_rest::MESSAGE);
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

/// Returns the entry of bytes that could not be parsed.
pub(crate) fn raw<'a>(raw: &'a Raw<'_>, at: Location, report: &mut Report) -> Entry<'a> {
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
