//! Output of `--output-format stream-json`: lines of a format of its own.
//!
//! | native | record |
//! |---|---|
//! | `init` | system-event that starts the session; its `session_id` and `model` are those of the session |
//! | `message` | message of its `role`; a piece of an answer keeps `delta: true` |
//! | `tool_use` | tool-call: `tool_name`, `parameters` and `tool_id` are `name`, `input` and `call-id` |
//! | `tool_result` | tool-result: `output`, else `error`, is the `output`; `is-error` for the status `error` |
//! | `error` | system-event; with the severity `error` it ends the turn |
//! | `result` | system-event that ends the session, with the usage of the run (`stats`) |
//! | all others | system-event of that type |
//!
//! Each line is an entry. A further `init` with another `session_id` begins another session.

use std::collections::HashSet;
use std::rc::Rc;

use vac_adapter::annotation::attach;
use vac_adapter::frame::{Content, Frame, Place};
use vac_adapter::members::{Members, Rest, null};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::raw::{self, Known};
use vac_adapter::time::Span;
use vac_adapter::{Confidence, Share};
use vac_adapter::{Error, Fit, Glimpse, Input, Log, Origin, Report, Sample, Session, Sink, ids};
use vac_record::annotations::{End, EndOf, Ending, EntryAnnotations, Usage};
use vac_record::{
    AgentMeta, Entry, EventEntry, MessageEntry, MessageEntryType, SessionId, SessionTrace,
    ToolCallEntry, ToolResultEntry, VerifiableAgentRecord,
};
use vac_value::{Kind, Map, Node};

use crate::outcome::{self, Stated};
use crate::tools;
use crate::user_message_kind::{self, Position};

/// The name of the variant.
const VARIANT: &str = "stream-json";

/// Maximum number of sessions, because each is read on its own. Lines of further ones stay
/// with the last.
const MAX_SESSIONS: usize = 1000;

/// Types of lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineType {
    Init,
    Message,
    ToolUse,
    ToolResult,
    Error,
    Result,
}

/// The type of a line, if it is one of a stream.
fn line_type(line: Node<'_, '_>) -> Option<LineType> {
    let is = |key: &str, kind| line.member(key).is_some_and(|value| value.kind() == kind);
    let has_text = |key: &str| is(key, Kind::Text);
    // All lines have a time and no id.
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

/// How a document fits a stream, if it is a line of one.
pub(crate) fn fit(document: Node<'_, '_>) -> Option<Fit> {
    let confidence = match line_type(document)? {
        LineType::Init | LineType::ToolUse => Confidence::Certain,
        LineType::ToolResult => Confidence::Likely,
        LineType::Message | LineType::Error | LineType::Result => Confidence::Possible,
    };
    Some(Fit::Fits(confidence))
}

/// What a sample says about its session, if it is a stream.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Option<Glimpse> {
    let mut facts = Facts::default();
    sample.documents.iter().for_each(|document| facts.add(document.root()));
    let stem = || ids::stem(sample.name).map(str::to_owned);
    facts.is_stream.then(|| Glimpse {
        variant: VARIANT,
        parent: None,
        session_id: facts.session.clone().or_else(stem),
        start: facts.span.first(),
        project: None,
        version: None,
        share: Share::Whole,
    })
}

/// Maximum number of documents that are compared.
const MAX_COMPARED: u64 = 64;

/// Whether a log is a stream: the first document that is a line of a stream or of a session's
/// log decides.
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

/// The sessions of a stream.
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

/// Whether a line begins another session than the one that is known.
fn is_other_session(line: Node<'_, '_>, facts: &Facts) -> bool {
    line_type(line) == Some(LineType::Init)
        && facts.session.as_deref().is_some_and(|session| {
            line.member("session_id").is_some_and(|next| !next.is_text(session))
        })
}

/// What lines say about their session.
#[derive(Default)]
struct Facts {
    is_stream: bool,
    session: Option<String>,
    models: Vec<String>,
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
            if let Some(model) =
                text("model").filter(|model| !self.models.contains(&(**model).into()))
            {
                self.models.push(model.into_owned());
            }
        }
        let Some(mut members) = Members::new(line) else { return };
        if let Some(timestamp) = members.timestamp("timestamp") {
            self.span.add(&timestamp);
        }
        // This pass keeps nothing: the entries do.
        members.rest(&[]);
    }
}

/// One session of a stream.
struct Stream<'i> {
    log: Rc<Log<'i>>,
    facts: Facts,
    id: String,
    /// Its lines, by the number of their frame.
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
        let model = models.first().map_or(UNKNOWN, |model| model);
        let all: Vec<_> = models.iter().map(|model| model.clone().into()).collect();
        VerifiableAgentRecord {
            version: vac_record::SCHEMA_VERSION.into(),
            id: self.id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(self.id.clone().into()),
                session_start: span.first(),
                session_end: span.last(),
                agent_meta: AgentMeta {
                    model_id: model.to_owned().into(),
                    model_provider: provider(model).into(),
                    models: (!all.is_empty()).then_some(all),
                    cli_name: Some(crate::CLI_NAME.into()),
                    cli_version: None,
                    extensions: Map::default(),
                },
                environment: None,
                entries: Vec::new(),
                extensions: Map::default(),
            },
            created: span.first(),
            file_attribution: None,
            vcs: None,
            recording_agent: None,
            extensions: Map::default(),
        }
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

/// The ids of calls that run commands: results do not name their tool.
type ShellCalls = HashSet<String>;

/// Maximum number of calls whose tool is remembered.
const MAX_SHELL_CALLS: usize = 1 << 15;

/// The entry of a frame, and the bytes it was made of.
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
            report.unparsed(frame.place.line, &raw.reason.to_string());
            (raw::entry(raw.bytes, &raw.reason, frame.place, Known::default()), raw.bytes)
        }
    }
}

/// The entry of a line.
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
    match (kind, Members::new(line)) {
        (Some(LineType::Message), Some(mut members)) => {
            let is_user = members.said("role", "user");
            if is_user || members.said("role", "assistant") {
                return message(members, is_user, place);
            }
            event(line, Some(members), place)
        }
        (Some(LineType::ToolUse), Some(members)) => {
            let text = |key: &str| members.peek(key).and_then(Node::text);
            if text("tool_name").is_some_and(|name| tools::is_shell(&name))
                && shell_calls.len() < MAX_SHELL_CALLS
            {
                shell_calls.extend(text("tool_id").map(std::borrow::Cow::into_owned));
            }
            call(members, place)
        }
        (Some(LineType::ToolResult), Some(members)) => {
            let id = members.peek("tool_id").and_then(Node::text);
            let is_shell = id.is_some_and(|id| shell_calls.remove(&*id));
            result(members, is_shell, place)
        }
        (_, members) => event(line, members, place),
    }
}

fn message<'a>(mut line: Members<'a, '_>, is_user: bool, place: Place) -> Entry<'a> {
    line.said("type", "message");
    let annotations = if is_user {
        user_message_kind::annotations(line.peek("content"), Position::default())
    } else {
        EntryAnnotations::default()
    };
    let (content, timestamp) = (line.any("content"), line.timestamp("timestamp"));
    let extensions = annotated(line.rest(&MessageEntry::KEYS), &annotations);
    Entry::Message(MessageEntry {
        kind: if is_user { MessageEntryType::User } else { MessageEntryType::Assistant },
        content,
        timestamp,
        id: Some(place.id().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}

fn call<'a>(mut line: Members<'a, '_>, place: Place) -> Entry<'a> {
    line.said("type", "tool_use");
    let name = line.text("tool_name").unwrap_or(UNKNOWN.into());
    let input = line.any("parameters").unwrap_or_else(null);
    let (call_id, timestamp) = (line.text("tool_id"), line.timestamp("timestamp"));
    let action = Some(tools::action(&name, None));
    let annotations = EntryAnnotations { action, ..EntryAnnotations::default() };
    let extensions = annotated(line.rest(&ToolCallEntry::KEYS), &annotations);
    Entry::ToolCall(ToolCallEntry {
        name,
        input,
        call_id,
        timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions,
    })
}

fn result<'a>(mut line: Members<'a, '_>, is_shell: bool, place: Place) -> Entry<'a> {
    line.said("type", "tool_result");
    let status = line.text("status");
    let is_error = status.as_deref().map(|status| status == "error");
    let (call_id, timestamp) = (line.text("tool_id"), line.timestamp("timestamp"));
    let stated = Stated { is_shell, status: status.as_deref(), is_error };
    let annotations = outcome::annotations(line.peek("output"), stated);
    let output = line.any("output").or_else(|| line.any("error")).unwrap_or_else(null);
    let extensions = annotated(line.rest(&ToolResultEntry::KEYS), &annotations);
    Entry::ToolResult(ToolResultEntry {
        output,
        call_id,
        is_error,
        status,
        timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions,
    })
}

/// Everything else, with all it holds.
fn event<'a>(line: Node<'a, '_>, members: Option<Members<'a, '_>>, place: Place) -> Entry<'a> {
    let named = line.member("type").and_then(Node::text);
    let (mut timestamp, mut data) = (None, Map::default());
    match members {
        Some(mut members) => {
            members.text("type");
            timestamp = members.timestamp("timestamp");
            data = members.rest(&[]);
        }
        None => data.push(("value".into(), line.carry())),
    }
    Entry::Event(EventEntry {
        event_type: named.unwrap_or(UNKNOWN.into()),
        data: Some(data),
        timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions: annotated(Map::default(), &event_annotations(line)),
    })
}

/// What a line that is not a message says about the session.
fn event_annotations(line: Node<'_, '_>) -> EntryAnnotations<'static> {
    let is_text = |key: &str, text: &str| line.member(key).is_some_and(|value| value.is_text(text));
    let mut annotations = EntryAnnotations::default();
    match line_type(line) {
        Some(LineType::Init) => annotations.starts = Some(true),
        Some(LineType::Error) if is_text("severity", "error") => {
            annotations.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        Some(LineType::Result) => {
            let how = match line.member("status").and_then(Node::text).as_deref() {
                Some("success") => Some(Ending::Success),
                Some("error") => Some(Ending::Failure),
                _ => None,
            };
            annotations.ends = Some(End { of: EndOf::Session, how });
            annotations.usage = line.member("stats").and_then(usage);
        }
        _ => {}
    }
    annotations
}

/// Returns the tokens of a run in additive buckets. `input_tokens` contains `cached`, and
/// `total_tokens` also contains reasoning, which is not stated otherwise.
fn usage(stats: Node<'_, '_>) -> Option<Usage<'static>> {
    let number = |key: &str| stats.member(key).and_then(Node::uint);
    let (input, cached) = (number("input_tokens"), number("cached").filter(|count| *count > 0));
    let output = match (number("total_tokens"), input, number("output_tokens")) {
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

fn annotated<'a>(mut extensions: Rest<'a>, annotations: &EntryAnnotations<'_>) -> Rest<'a> {
    attach(&mut extensions, annotations);
    extensions
}
