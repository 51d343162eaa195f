//! Converts events to entries, which can be messages.

use std::borrow::Cow;

use vac_adapter::frame::Raw;
use vac_adapter::members::{Rest, object};
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::{Report, mapping};
use vac_record::annotations::Author;
use vac_record::{AbstractTimestamp, Entry, MessageEntryType};
use vac_value::{Document, Kind, Node, Text};

use crate::clock;
use crate::duplicate_events::Speaker;
use crate::entries::{self, Common};
use crate::envelope_rest::{self, LineContext};
use crate::item::annotate_prompt;
use crate::location::Location;
use crate::names::COMPLETED;
use crate::prompt_rules::{Prompt, Prompter};

mapping! {
    /// The payload of a line, or a line without a payload, that is neither a message nor reasoning
    /// nor about a tool: `data` of an event. What the members mean depends on the type.
    pub(crate) struct EventData<'a>("event"; key, value, is_line: bool) {
        "timestamp" => "`timestamp`, if it is a line; else kept",
            take timestamp: AbstractTimestamp<'a> =
                is_line.then(|| clock::timestamp(value)).flatten();
        "type" => "the second part of `event-type`", keep;
        "id" => "`id`, if it is a response item", keep;
        "message" | "text" | "item" => "`vac.duplicate-of`, if a response item says the same", keep;
        "model" => "`model-id` of the turn's messages; `model-id` and `models` of the session",
            keep;
        "thread_settings" | "collaboration_mode" => "`models` of the session", keep;
        "cwd" | "workdir" => "`environment.working-dir`, if the session does not state it", keep;
        "sandbox_policy" | "sandbox" => "`environment.sandboxes`", keep;
        "provider" => "`model-provider`", keep;
        "thread_id" | "session_id" => "the session's `id`, if the line is printed", keep;
        "info" => "`token-usage`, `vac.usage`: the last usage, or what the total grew by", keep;
        "usage" => "`token-usage`, `vac.usage`", keep;
        "response_id" => "`vac.duplicate-of`, if the response is counted already", keep;
        "call_id" | "callId" => "the call whose result gets `vac.outcome`; `vac.permission.call-id`",
            keep;
        "exit_code" | "exitCode" | "success" | "result" =>
            "`is-error`, `vac.outcome`, `vac.exit-code` of the result", keep;
        "status" => "`is-error`, `vac.outcome` of the result; `vac.permission`", keep;
        "error" => "`is-error`, `vac.outcome` of the result; `vac.ends`", keep;
        "reason" | "codex_error_info" => "`vac.ends`", keep;
        "action" | "target_item_id" => "`vac.permission`", keep;
        "num_turns" => "`vac.superseded` of entries of these turns", keep;
        "turn_id" => "`vac.inherited` of entries before the first turn of the session", keep;
        _ => keep;
    }
}

mapping! {
    /// The payload of an event that is a message, or reasoning, because no response item says the
    /// same: `user_message`, `agent_message`, `agent_reasoning`, or `item_completed` of these.
    pub(crate) struct MessageEvent<'a>("message event"; key, value, body: Option<&str>) {
        "message" | "text" => "`content`; kept if the item has it",
            take content: Node<'a, 'a> = (body == Some(key)).then_some(value);
        "item" => "the item", stated = value.kind() == Kind::Map;
        "kind" => "`vac.author`", note kind: Text<'a> = value.text();
        "type" | "images" | "local_images" | "audio" | "local_audio" | "text_elements" | "client_id"
        | "phase" | "memory_citation" | "thread_id" | "turn_id" | "started_at_ms"
        | "completed_at_ms" => "", keep;
    }
}

mapping! {
    /// `item` of an `item_completed` that is a message or reasoning.
    pub(crate) struct CompletedItem<'a>("completed item"; key, value, body: &str) {
        "content" | "summary_text" => "`content`",
            take content: Node<'a, 'a> = (body == key).then_some(value);
        "id" => "`id`", take id: Text<'a> = value.text();
        "type" | "phase" | "memory_citation" | "client_id" | "raw_content" => "", keep;
    }
}

mapping! {
    /// The payload of a `realtime_item` of type `transcript_segment` that the user or the agent
    /// spoke: a message.
    pub(crate) struct Segment<'a>("transcript_segment"; key, value) {
        "role" => "the entry's type", stated = true;
        "text" => "`content`", take content: Node<'a, 'a> = Some(value);
        "id" => "`id`", take id: Text<'a> = value.text();
        "type" | "realtime_session_id" => "", keep;
    }
}

/// Returns an event with its whole payload as data, and further extensions.
pub(crate) fn entry<'a>(
    payload: Node<'a, '_>,
    event_type: Text<'a>,
    id: Option<Text<'a>>,
    around: LineContext<'a>,
    extensions: Rest<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let EventData { timestamp, rest: data } = if payload.kind() == Kind::Map {
        EventData::read(payload, &[], around.is_bare(), report)
    } else {
        let value = (Cow::Borrowed(around.payload_name()), payload.carry());
        EventData { rest: [value].into_iter().collect(), ..EventData::default() }
    };
    let payload = Common { timestamp, id, ..Common::default() };
    let mut common = around.join(payload, envelope_rest::EVENT, report);
    common.extensions.extend(extensions);
    entries::event(event_type, data, common)
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
    report: &mut Report,
) -> Entry<'a> {
    let (body, item_body, named) = match speaker {
        Speaker::Reasoning => ("text", "summary_text", envelope_rest::REASONING),
        Speaker::User | Speaker::Assistant => ("message", "content", envelope_rest::MESSAGE),
    };
    let item = event.member("item").filter(|item| item.kind() == Kind::Map);
    let CompletedItem { content, id, rest: left } =
        item.map(|item| CompletedItem::read(item, &[], item_body, report)).unwrap_or_default();
    let body = content.is_none().then_some(body);
    let event = MessageEvent::read(event, around.payload_keys(named), body, report);
    let content = content.or(event.content);
    if speaker == Speaker::User {
        let prompter = if around.is_inherited() { Prompter::User } else { prompter };
        let mut prompt = Prompt::new(content, prompter);
        // Up to 0.4x.
        if matches!(event.kind.as_deref(), Some("user_instructions" | "environment_context")) {
            prompt.author = Author::Program;
        }
        annotate_prompt(&mut around.annotations, prompt);
    }
    let payload = Common { id, extensions: event.rest, ..Common::default() };
    let mut common = around.join(payload, named, report);
    common.extensions.extend(object(left).map(|left| ("item".into(), left)));
    match speaker {
        Speaker::User => entries::message(MessageEntryType::User, content, None, common),
        Speaker::Assistant => entries::message(MessageEntryType::Assistant, content, model, common),
        Speaker::Reasoning => entries::reasoning(content, None, common),
    }
}

/// Returns the message of a spoken segment, if the user or the agent spoke it. Otherwise
/// returns the context.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn spoken<'a>(
    segment: Node<'a, '_>,
    mut around: LineContext<'a>,
    model: Option<&str>,
    report: &mut Report,
) -> Result<Entry<'a>, LineContext<'a>> {
    let is_role = |role: &str| segment.member("role").is_some_and(|it| it.is_text(role));
    let (kind, model) = if is_role("user") {
        // The user spoke it, even if the session belongs to a subagent.
        around.annotations.author = Some(Author::User);
        (MessageEntryType::User, None)
    } else if is_role("assistant") {
        (MessageEntryType::Assistant, model)
    } else {
        return Err(around);
    };
    let named = envelope_rest::MESSAGE;
    let Segment { content, id, rest } = Segment::read(segment, around.payload_keys(named), report);
    let payload = Common { id, extensions: rest, ..Common::default() };
    Ok(entries::message(kind, content, model, around.join(payload, named, report)))
}

/// Returns the entry of bytes that could not be parsed.
pub(crate) fn raw<'a>(raw: &'a Raw<'_>, at: Location, report: &mut Report) -> Entry<'a> {
    report.unparsed(at.place.line, raw.reason.code());
    let root = raw.document.as_ref().map(Document::root);
    let timestamp = root.and_then(|root| root.member("timestamp"));
    let known = KnownMembers {
        id: at.item.map(|_| Cow::Owned(at.id())),
        timestamp: timestamp.and_then(clock::timestamp),
        parent_id: None,
    };
    raw::entry(raw.bytes, &raw.reason, at.place, known)
}
