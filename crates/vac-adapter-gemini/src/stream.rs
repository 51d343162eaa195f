//! Converts the output of `--output-format stream-json`, whose lines have a format of their own.
//!
//! Each line is an entry: a `message` is a message of its `role`, a `tool_use` a tool-call, a
//! `tool_result` a tool-result, and any other line a system-event of its type. A further `init`
//! with another `session_id` begins another session.

use std::collections::HashSet;
use std::rc::Rc;

use vac_adapter::annotation::attach;
use vac_adapter::bare_record::{BareRecord, agent_meta};
use vac_adapter::frame::{Content, Frame, Place};
use vac_adapter::members::Rest;
use vac_adapter::models::Models;
use vac_adapter::parts::outcome::{self, StatedEnd};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::time::Span;
use vac_adapter::{Confidence, Share};
use vac_adapter::{
    Error, Fit, Input, Log, Origin, Preview, Report, Sample, Session, Sink, ids, mapping,
};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations, Usage};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolCallEntry, ToolResultEntry,
    VerifiableAgentRecord,
};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::facts::time;
use crate::user_message_kind::{self, Position};
use crate::{entry, tools};

/// The name of the variant in reports.
const VARIANT: &str = "stream-json";

/// Maximum number of sessions, because each is read separately. Lines of further ones are part of
/// the last session.
const MAX_SESSIONS: usize = 1000;

mapping! {
    /// A line of type `message` of a stream: a message. A piece of an answer keeps `delta: true`.
    pub(crate) struct StreamMessage<'a>("stream.message"; key, value) {
        "type" => "the entry's type", stated = value.is_text("message");
        "role" => "the entry's type",
            stated = value.is_text("user") || value.is_text("assistant");
        "content" => "`content`", take content: Node<'a, 'a> = Some(value);
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
        "delta" => "", keep;
    }
}

mapping! {
    /// A line of type `tool_use` of a stream: a `tool-call`.
    pub(crate) struct StreamCall<'a>("tool_use"; key, value) {
        "type" => "the entry's type", stated = value.is_text("tool_use");
        "tool_name" => "`name`", take name: Text<'a> = value.text();
        "parameters" => "`input`", take input: Any<'a> = Some(value.carry());
        "tool_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
    }
}

mapping! {
    /// A line of type `tool_result` of a stream: a `tool-result`.
    pub(crate) struct StreamResult<'a>("tool_result"; key, value, has_output: bool) {
        "type" => "the entry's type", stated = value.is_text("tool_result");
        "output" => "`output`, `vac.outcome`", take output: Node<'a, 'a> = Some(value);
        "error" => "`output` where nothing else states it",
            take error: Node<'a, 'a> = (!has_output).then_some(value);
        "status" => "`status`; `is-error`, if it is `error`",
            take status: Text<'a> = value.text();
        "tool_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
    }
}

mapping! {
    /// A line of another type of a stream: an event.
    pub(crate) struct StreamEvent<'a>("stream.event"; key, value) {
        "type" => "`event-type`; `vac.starts` for `init`, `vac.ends` for `error` and `result`",
            take kind: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = time(value);
        "session_id" => "of `init`, the session's `id`", keep;
        "model" => "of `init`, `model-id` of the session", keep;
        "severity" => "of `error`, `vac.ends`: the turn failed if it is `error`",
            note severity: Text<'a> = value.text();
        "status" => "of `result`, `vac.ends`", note status: Text<'a> = value.text();
        "stats" => "of `result`, `vac.usage`", note stats: Node<'a, 'a> = Some(value);
        _ => keep;
    }
}

mapping! {
    /// `stats` of a `result` line of a stream, all of which the event keeps. `input_tokens`
    /// contains `cached`, and `total_tokens` also contains reasoning, which is not stated otherwise.
    pub(crate) struct Stats<'a>("stats"; key, value) {
        "input_tokens" => "`vac.usage.input`", note input: u64 = value.uint();
        "output_tokens" => "`vac.usage.output`", note output: u64 = value.uint();
        "total_tokens" => "`vac.usage.output`", note total: u64 = value.uint();
        "cached" => "`vac.usage.cache-read`",
            note cached: u64 = value.uint().filter(|count| *count > 0);
        _ => keep;
    }
}

/// The types of lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineType {
    Init,
    Message,
    ToolUse,
    ToolResult,
    Error,
    Result,
}

/// Returns the type of a line, if the line is part of a stream.
fn line_type(line: Node<'_, '_>) -> Option<LineType> {
    let is = |key: &str, kind| line.member(key).is_some_and(|value| value.kind() == kind);
    let has_text = |key: &str| is(key, Kind::Text);
    // All lines of a stream have a time and no id.
    if !has_text("timestamp") || line.member("id").is_some() || line.member("uuid").is_some() {
        return None;
    }
    match &*line.member("type")?.text()? {
        "init" if has_text("session_id") && has_text("model") => Some(LineType::Init),
        "message" if has_text("role") && has_text("content") => Some(LineType::Message),
        "tool_use" if has_text("tool_name") && has_text("tool_id") => Some(LineType::ToolUse),
        "tool_result" if has_text("tool_id") && has_text("status") => Some(LineType::ToolResult),
        "error" if has_text("severity") => Some(LineType::Error),
        "result" if has_text("status") && line.member("session_id").is_none() => {
            Some(LineType::Result)
        }
        _ => None,
    }
}

/// Returns the verdict on a document, if it is a line of a stream.
pub(crate) fn fit(document: Node<'_, '_>) -> Option<Fit> {
    let confidence = match line_type(document)? {
        LineType::Init | LineType::ToolUse => Confidence::Certain,
        LineType::ToolResult => Confidence::Likely,
        LineType::Message | LineType::Error | LineType::Result => Confidence::Possible,
    };
    Some(Fit::Fits(confidence))
}

/// Returns the preview of a sample, if it is a stream.
pub(crate) fn preview(sample: &Sample<'_>) -> Option<Preview> {
    let mut facts = Facts::default();
    sample.documents.iter().for_each(|document| facts.add(document.root()));
    let stem = || ids::stem(sample.name).map(str::to_owned);
    facts.is_stream.then(|| Preview {
        variant: VARIANT,
        parent: None,
        session_id: facts.session.clone().or_else(stem),
        start: facts.span.first(),
        project: None,
        version: None,
        share: Share::Whole,
    })
}

/// Maximum number of documents that are read to recognize a stream.
const MAX_COMPARED: u64 = 64;

/// Returns whether a log is a stream. The first document that is a line of a stream or of a
/// session's log decides.
pub(crate) fn is_stream(log: &Log<'_>, is_log: fn(Node<'_, '_>) -> bool) -> Result<bool, Error> {
    let mut found = None;
    log.range(0, 0..MAX_COMPARED, |frame| {
        if let (None, Content::Document(document)) = (found, &frame.content) {
            let line = document.root();
            found = match line_type(line) {
                Some(_) => Some(true),
                None => is_log(line).then_some(false),
            };
        }
        Ok(())
    })?;
    Ok(found == Some(true))
}

/// Returns the sessions of a stream.
pub(crate) fn sessions<'i>(
    input: &'i dyn Input,
    log: &Rc<Log<'i>>,
) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let mut found = vec![(0, Facts::default())];
    let mut index = 0;
    log.each(|frame| {
        if let Content::Document(document) = &frame.content {
            let line = document.root();
            let is_room = found.len() < MAX_SESSIONS;
            if is_room && found.last().is_some_and(|(_, facts)| is_other_session(line, facts)) {
                found.push((index, Facts::default()));
            }
            if let Some((_, facts)) = found.last_mut() {
                facts.add(line);
            }
        }
        index += 1;
        Ok(())
    })?;
    let mut ends: Vec<u64> = found.iter().skip(1).map(|(first, _)| *first).collect();
    ends.push(u64::MAX);
    let sessions = found.into_iter().zip(ends).map(|((first, facts), end)| {
        let id = match &facts.session {
            Some(id) => id.clone(),
            None => ids::from_input(input)?,
        };
        let stream = Stream { log: Rc::clone(log), facts, id, frames: first..end };
        Ok(Box::new(stream) as Box<dyn Session + 'i>)
    });
    sessions.collect()
}

/// Returns whether a line begins another session than the current one.
fn is_other_session(line: Node<'_, '_>, facts: &Facts) -> bool {
    line_type(line) == Some(LineType::Init)
        && facts.session.as_deref().is_some_and(|session| {
            line.member("session_id").is_some_and(|next| !next.is_text(session))
        })
}

/// The facts that lines state about their session.
#[derive(Default)]
struct Facts {
    is_stream: bool,
    session: Option<String>,
    models: Models,
    span: Span,
}

impl Facts {
    fn add(&mut self, line: Node<'_, '_>) {
        let Some(kind) = line_type(line) else { return };
        self.is_stream = true;
        let text = |key: &str| line.member(key).and_then(Node::text);
        if kind == LineType::Init {
            if self.session.is_none() {
                self.session = text("session_id").map(Into::into);
            }
            if let Some(model) = text("model") {
                self.models.add(&model, 0);
            }
        }
        let timestamp = line.member("timestamp");
        if let Some(timestamp) = timestamp.and_then(time) {
            self.span.add(&timestamp);
        }
    }
}

/// One session of a stream.
struct Stream<'i> {
    log: Rc<Log<'i>>,
    facts: Facts,
    id: String,
    /// The range of its frames.
    frames: std::ops::Range<u64>,
}

impl Session for Stream<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Gemini)
    }

    fn variant(&self) -> &'static str {
        VARIANT
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let Facts { models, span, .. } = &self.facts;
        BareRecord {
            id: &self.id,
            format: None,
            start: span.first(),
            end: span.last(),
            agent_meta: agent_meta(models, Some(crate::CLI_NAME.into()), None),
            environment: None,
            vcs: None,
            extensions: Map::default(),
        }
        .record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut index = 0;
        let mut shell_calls = ShellCalls::default();
        self.log.each(|frame| {
            index += 1;
            if !self.frames.contains(&(index - 1)) {
                return Ok(());
            }
            sink.report().frames += 1;
            let (entry, bytes) = frame_entry(frame, &mut shell_calls, sink.report());
            sink.entry(entry, Origin { place: frame.place, bytes })
        })
    }
}

/// The ids of calls that run commands, because results do not name their tool.
type ShellCalls = HashSet<String>;

/// Maximum number of calls whose tool is remembered.
const MAX_SHELL_CALLS: usize = 1 << 15;

/// Returns the entry of a frame, and the bytes from which it was made.
fn frame_entry<'f>(
    frame: &'f Frame<'_>,
    shell_calls: &mut ShellCalls,
    report: &mut Report,
) -> (Entry<'f>, &'f [u8]) {
    match &frame.content {
        Content::Document(document) => {
            let line = document.root();
            (entry(line, frame.place, shell_calls, report), line.raw())
        }
        Content::Raw(raw) => {
            report.unparsed(frame.place.line, raw.reason.code());
            (raw::entry(raw.bytes, &raw.reason, frame.place, KnownMembers::default()), raw.bytes)
        }
    }
}

/// Returns the entry of a line.
fn entry<'a>(
    line: Node<'a, '_>,
    place: Place,
    shell_calls: &mut ShellCalls,
    report: &mut Report,
) -> Entry<'a> {
    let kind = line_type(line);
    if kind.is_none() {
        let named = line.member("type").and_then(Node::text);
        report.unknown(named.as_deref().unwrap_or("a line without a type"));
    }
    let text = |key: &str| line.member(key).and_then(Node::text);
    match kind {
        Some(LineType::Message) => match text("role").as_deref() {
            Some("user") => message(line, MessageEntryType::User, place, report),
            Some("assistant") => message(line, MessageEntryType::Assistant, place, report),
            _ => event(line, kind, place, report),
        },
        Some(LineType::ToolUse) => call(line, shell_calls, place, report),
        Some(LineType::ToolResult) => result(line, shell_calls, place, report),
        _ => event(line, kind, place, report),
    }
}

fn message<'a>(
    line: Node<'a, '_>,
    kind: MessageEntryType,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    let StreamMessage { content, timestamp, mut rest } =
        StreamMessage::read(line, &MessageEntry::KEYS, report);
    if kind == MessageEntryType::User {
        attach(&mut rest, &user_message_kind::annotations(content, Position::default()));
    }
    let content = content.map(Node::carry);
    Entry::Message(entry::message(kind, content, timestamp, place.id().into(), rest))
}

fn call<'a>(
    line: Node<'a, '_>,
    shell_calls: &mut ShellCalls,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    let StreamCall { name, input, call_id, timestamp, rest } =
        StreamCall::read(line, &ToolCallEntry::KEYS, report);
    if name.as_deref().is_some_and(tools::is_shell) && shell_calls.len() < MAX_SHELL_CALLS {
        shell_calls.extend(call_id.as_deref().map(str::to_owned));
    }
    let it = EntryAnnotations::default();
    let call = entry::tool_call(name, None, input, call_id, timestamp, rest, it);
    Entry::ToolCall(ToolCallEntry { id: Some(place.id().into()), ..call })
}

fn result<'a>(
    line: Node<'a, '_>,
    shell_calls: &mut ShellCalls,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    let has_output = line.member("output").is_some_and(|output| output.kind() != Kind::Null);
    let StreamResult { output, error, status, call_id, timestamp, rest } =
        StreamResult::read(line, &ToolResultEntry::KEYS, has_output, report);
    let is_shell = call_id.as_deref().is_some_and(|id| shell_calls.remove(id));
    let is_error = status.as_deref().map(|status| status == "error");
    let stated = StatedEnd { is_shell, status: status.as_deref(), is_error };
    let annotations = outcome::annotations(output, stated);
    let output = output.or(error).map(Node::carry);
    let result =
        entry::tool_result(output, call_id, status, is_error, timestamp, rest, &annotations);
    Entry::ToolResult(ToolResultEntry { id: Some(place.id().into()), ..result })
}

/// Returns the event of a line of any other type, with all its members.
fn event<'a>(
    line: Node<'a, '_>,
    kind: Option<LineType>,
    place: Place,
    report: &mut Report,
) -> Entry<'a> {
    let mut event = StreamEvent::read(line, &[], report);
    if line.kind() != Kind::Map {
        event.rest.push(("value".into(), line.carry()));
    }
    let mut extensions = Rest::default();
    attach(&mut extensions, &event_annotations(&event, kind, report));
    let event_type = event.kind.unwrap_or(UNKNOWN.into());
    let id = Some(place.id().into());
    entry::event(event_type, Some(event.rest), event.timestamp, id, extensions)
}

/// Returns the annotations of a line that is not a message.
fn event_annotations(
    event: &StreamEvent<'_>,
    kind: Option<LineType>,
    report: &mut Report,
) -> EntryAnnotations<'static> {
    let mut annotations = EntryAnnotations::default();
    match kind {
        Some(LineType::Init) => annotations.starts = Some(true),
        Some(LineType::Error) if event.severity.as_deref() == Some("error") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        Some(LineType::Result) => {
            let how = match event.status.as_deref() {
                Some("success") => Some(Ending::Success),
                Some("error") => Some(Ending::Failure),
                _ => None,
            };
            annotations.ends = Some(End { of: EndOf::Session, how });
            annotations.usage = event.stats.and_then(|stats| usage(stats, report));
        }
        _ => {}
    }
    annotations
}

/// Returns the tokens of a run in additive buckets.
fn usage(stats: Node<'_, '_>, report: &mut Report) -> Option<Usage<'static>> {
    let Stats { input, output, total, cached, .. } = Stats::read(stats, &[], report);
    let output = match (total, input, output) {
        (Some(total), Some(input), Some(output)) => Some(output.max(total.saturating_sub(input))),
        (_, _, output) => output,
    };
    let usage = Usage {
        input: input.map(|input| input.saturating_sub(cached.unwrap_or(0))),
        cache_read: cached,
        cache_write: None,
        output,
        reasoning: None,
        model: None,
    };
    (usage != Usage::default()).then_some(usage)
}
