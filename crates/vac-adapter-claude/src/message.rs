//! Converts lines that are messages.

use vac_adapter::annotation::attach;
use vac_adapter::blocks::children;
use vac_adapter::frame::Place;
use vac_adapter::members::object;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, End, EndOf, Ending, EntryAnnotations};
use vac_record::{Entry, MessageEntry, MessageEntryType, TokenUsage};
use vac_value::{Any, Kind, Node, Text};

use crate::SYNTHETIC;
use crate::blocks::Blocks;
use crate::envelope::{Envelope, Wanted};
use crate::first_pass::{Facts, LinePlan};
use crate::prompt_rules::annotate_user;
use crate::usage;

/// The facts that decide how a message of the API is read.
#[derive(Clone, Copy)]
pub(crate) struct MessageContext<'c> {
    /// The role that the entry states.
    role: Option<&'c str>,
    /// Whether the usage of this line is that of the message.
    counts_usage: bool,
}

mapping! {
    /// A message of the API: `message` of a line, and `data.message.message` of a `progress` line.
    pub(crate) struct ApiMessage<'a>("message"; key, value, context: MessageContext<'_>) {
        "role" => "the entry's type; kept if it is another",
            stated = context.role.is_some_and(|role| value.is_text(role));
        "content" => "`content`, and `children` of its blocks",
            take content: Node<'a, 'a> = Some(value);
        "model" => "`model-id`; `<synthetic>` is `vac.author`, and kept",
            take model: Text<'a> = value.text().filter(|model| model != SYNTHETIC);
        "usage" => "`token-usage` and `vac.usage` on the last line of a message; else kept",
            take usage: Node<'a, 'a> =
                (context.counts_usage && value.kind() == Kind::Map).then_some(value);
        "id" | "type" | "stop_reason" | "stop_sequence" | "stop_details" | "diagnostics"
        | "context_management" | "container" => "", keep;
    }
}

mapping! {
    /// `data` of a `progress` line that contains a message of a subagent.
    pub(crate) struct ProgressData<'a>("progress.data"; key, value) {
        "message" => "the message of the subagent",
            take message: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "agentId" => "`vac.subagent.id`", note agent: Text<'a> = value.text();
        "type" | "prompt" | "normalizedMessages" => "", keep;
    }
}

mapping! {
    /// `data.message` of a `progress` line: a line of the subagent.
    pub(crate) struct ProgressLine<'a>("progress.data.message"; key, value) {
        "message" => "the message of the API",
            take message: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "isMeta" | "isCompactSummary" | "isVisibleInTranscriptOnly" | "isSynthetic" =>
            "`vac.author`", note is_meta: bool = value.bool().filter(|is_meta| *is_meta);
        "isApiErrorMessage" => "`vac.author`, `vac.ends`",
            note is_api_error: bool = value.bool().filter(|is_error| *is_error);
        "toolUseResult" => "`vac.outcome`, `vac.exit-code`",
            note tool_use_result: Node<'a, 'a> = Some(value);
        "agentId" => "`vac.subagent.id`", note agent: Text<'a> = value.text();
        "type" | "uuid" | "timestamp" | "requestId" => "", keep;
    }
}

mapping! {
    /// `attachment` of a line, if it is a `queued_command`.
    pub(crate) struct QueuedCommand<'a>("queued_command"; key, value) {
        "prompt" => "`content`", take prompt: Node<'a, 'a> = Some(value);
        // The kind of queued command, if it is not a prompt.
        "commandMode" => "`vac.author`",
            note mode: Text<'a> = value.text().filter(|mode| mode == "task-notification");
        "origin" => "`vac.author`",
            note origin: Text<'a> = value.member("kind").and_then(Node::text);
        "isMeta" => "`vac.author`", note is_meta: bool = value.bool().filter(|is_meta| *is_meta);
        "type" | "timestamp" | "source_uuid" | "imagePasteIds" => "", keep;
    }
}

/// Returns the entry of a `user` or `assistant` line.
pub(crate) fn entry<'a>(
    line: Node<'a, '_>,
    kind: MessageEntryType,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
    report: &mut Report,
) -> Entry<'a> {
    let has_message = line.member("message").is_some_and(|it| it.kind() != Kind::Null);
    let body = if has_message { "message" } else { "content" };
    let role = role(kind);
    let mut envelope = read(line, Some(role), body, facts, report);
    let mut it = facts.annotations(&envelope, plan, place);
    let said = match envelope.body.filter(|message| message.kind() == Kind::Map) {
        Some(message) => {
            let context = MessageContext { role: Some(role), counts_usage: plan.counts_usage };
            let (said, left) = api_message(message, context, &mut it, report);
            envelope.rest.extend(left.map(|left| ("message".into(), left)));
            said
        }
        // Text or blocks that are not in a message of the API.
        None => Said { content: envelope.body, ..Said::default() },
    };
    message(kind, said, envelope, it, plan, place, report)
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
    let mut envelope = read(line, None, "data", facts, report);
    envelope.is_sidechain = Some(true);
    let (mut data, mut inner) = (ProgressData::default(), ProgressLine::default());
    if let Some(body) = envelope.body {
        data = ProgressData::read(body, &[], report);
    }
    if let Some(line) = data.message {
        inner = ProgressLine::read(line, &[], report);
    }
    envelope.agent = inner.agent.or(data.agent).or(envelope.agent);
    envelope.is_meta = inner.is_meta.or(envelope.is_meta);
    envelope.is_api_error = inner.is_api_error.or(envelope.is_api_error);
    envelope.tool_use_result = inner.tool_use_result.or(envelope.tool_use_result);
    let mut it = facts.annotations(&envelope, plan, place);
    let mut said = Said::default();
    if let Some(message) = inner.message {
        // The message is not finished: its usage is kept.
        let context = MessageContext { role: None, counts_usage: false };
        let (read, left) = api_message(message, context, &mut it, report);
        said = read;
        inner.rest.extend(left.map(|left| ("message".into(), left)));
    }
    data.rest.extend(object(inner.rest).map(|left| ("message".into(), left)));
    envelope.rest.extend(object(data.rest).map(|data| ("data".into(), data)));
    message(kind, said, envelope, it, plan, place, report)
}

/// Returns a prompt that the user gave while the agent worked, which is logged as an attachment
/// when the agent receives it.
pub(crate) fn queued_command<'a>(
    line: Node<'a, '_>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
    report: &mut Report,
) -> Entry<'a> {
    let mut envelope = read(line, None, "attachment", facts, report);
    let mut content = None;
    if let Some(attachment) = envelope.body {
        let queued = QueuedCommand::read(attachment, &[], report);
        content = queued.prompt;
        envelope.origin = queued.origin.or(envelope.origin).or(queued.mode);
        envelope.is_meta = queued.is_meta.or(envelope.is_meta);
        envelope.rest.extend(object(queued.rest).map(|left| ("attachment".into(), left)));
    }
    prompt(envelope, content, place, plan, facts)
}

/// Returns a message of the user that is the `content` of a line of another type: a queued prompt
/// that no other line contains, or a command for the program.
pub(crate) fn content_line<'a>(
    line: Node<'a, '_>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
    report: &mut Report,
) -> Entry<'a> {
    let mut envelope = read(line, None, "content", facts, report);
    // On a `system` line, `isMeta` does not mean that the program wrote the text.
    envelope.is_meta = None;
    let content = envelope.body;
    prompt(envelope, content, place, plan, facts)
}

/// Reads a line that is a message, with the member that contains its content.
fn read<'a>(
    line: Node<'a, '_>,
    kind: Option<&str>,
    body: &str,
    facts: &Facts,
    report: &mut Report,
) -> Envelope<'a> {
    let wanted = Wanted { kind, body: Some(body), defaults: &facts.defaults };
    Envelope::read(line, &MessageEntry::KEYS, wanted, report)
}

/// Returns a message of the user without an API message.
fn prompt<'a>(
    envelope: Envelope<'a>,
    content: Option<Node<'a, '_>>,
    place: Place,
    plan: LinePlan,
    facts: &'a Facts,
) -> Entry<'a> {
    let mut it = facts.annotations(&envelope, plan, place);
    annotate_user(&mut it, content, &envelope);
    let said = Said { content, ..Said::default() };
    built(MessageEntryType::User, said, None, envelope, &it, place)
}

/// The parts of a message.
#[derive(Default)]
struct Said<'a> {
    content: Option<Node<'a, 'a>>,
    model: Option<Text<'a>>,
    usage: Option<TokenUsage<'a>>,
}

/// Reads a message of the API. Returns its parts and its remaining members.
fn api_message<'a>(
    message: Node<'a, '_>,
    context: MessageContext<'_>,
    it: &mut EntryAnnotations<'_>,
    report: &mut Report,
) -> (Said<'a>, Option<Any<'a>>) {
    let ApiMessage { content, model, usage, rest } =
        ApiMessage::read(message, &[], context, report);
    if model.is_none() && message.member("model").is_some_and(|model| model.is_text(SYNTHETIC)) {
        it.author = Some(Author::Program);
    }
    let usage = usage.map(|native| {
        let (canonical, buckets) = usage::read(native, report);
        it.usage = buckets;
        canonical
    });
    (Said { content, model, usage }, object(rest))
}

/// Builds the entry of a message.
fn message<'a>(
    kind: MessageEntryType,
    said: Said<'a>,
    envelope: Envelope<'a>,
    mut it: EntryAnnotations<'_>,
    plan: LinePlan,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    match kind {
        MessageEntryType::User => annotate_user(&mut it, said.content, &envelope),
        MessageEntryType::Assistant if envelope.is_api_error.is_some() => {
            it.author = Some(Author::Program);
            it.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        MessageEntryType::Assistant => {}
    }
    let children = said.content.and_then(|content| {
        let result = envelope.tool_use_result;
        let mut blocks = Blocks::new(content, envelope.timestamp.as_ref(), result);
        if plan.repeats_call {
            blocks.begin_with_repeated_call();
        }
        children(content, |block| blocks.child(block, report))
    });
    built(kind, said, children, envelope, &it, place)
}

fn built<'a>(
    kind: MessageEntryType,
    said: Said<'a>,
    children: Option<Vec<Entry<'a>>>,
    envelope: Envelope<'a>,
    it: &EntryAnnotations<'_>,
    place: Place,
) -> Entry<'a> {
    let mut extensions = envelope.rest;
    attach(&mut extensions, it);
    Entry::Message(MessageEntry {
        kind,
        content: said.content.map(Node::carry),
        timestamp: envelope.timestamp,
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
