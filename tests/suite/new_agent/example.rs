//! The adapter of Example, an agent that does not exist. It shows what it takes to add an agent;
//! `crates/vac-adapter/README.md` walks through it.
//!
//! A log is lines of JSON, each with a `kind`: `hello` begins a session, `said`, `did` and
//! `saw` are what happens in it.

use std::borrow::Cow;

use vac_adapter::frame::{self, Content, Frame};
use vac_adapter::mapping::Mapping;
use vac_adapter::members::null;
use vac_adapter::places::{AgentPlace, Keep, Variables};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::raw::{self, KnownMembers};
use vac_adapter::time::Span;
use vac_adapter::{
    Adapter, Confidence, Error, Fit, Input, Log, Origin, Report, Sample, Session, Sink, Verdict,
    ids, mapping,
};
use vac_record::{
    AbstractTimestamp, AgentMeta, Decode, Entry, Environment, EventEntry, MessageEntry,
    MessageEntryType, SessionId, SessionTrace, ToolCallEntry, ToolResultEntry,
    VerifiableAgentRecord,
};
use vac_value::{Any, Kind, Map, Node, Text};

/// The adapter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Example;

impl Adapter for Example {
    fn name(&self) -> &'static str {
        "example"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        sample.verdict(|line| match kind(line) {
            Some("hello") if line.member("session").is_some() => Fit::Fits(Confidence::Certain),
            Some("said" | "did" | "saw") => Fit::Fits(Confidence::Possible),
            Some(_) => Fit::Neutral,
            None => Fit::unknown(line),
        })
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![Said::MAPPING, Did::MAPPING, Saw::MAPPING, Event::MAPPING]
    }

    fn places(&self) -> &'static [AgentPlace] {
        PLACES
    }

    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&super::EXAMPLE)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let log = Log::new(input);
        let mut facts = Facts::default();
        log.each(|frame| {
            if let Content::Document(document) = &frame.content {
                facts.add(document.root());
            }
            Ok(())
        })?;
        if !facts.is_ours {
            return Err(Error::Refused("it contains no line of Example".to_owned()));
        }
        let id = match facts.session.take() {
            Some(id) => id,
            None => ids::from_input(input)?,
        };
        Ok(vec![Box::new(Survey { log, facts, id })])
    }
}

/// The places where the agent keeps its sessions.
const PLACES: &[AgentPlace] = &[AgentPlace {
    variables: Variables::Folder(&[("EXAMPLE_HOME", "")]),
    in_home: &[".example"],
    keeps: &[Keep::logs(&["sessions", "**"], &["*.jsonl"])],
    ..AgentPlace::DEFAULT
}];

/// Returns the kind of a line, if Example has such a kind.
fn kind(line: Node<'_, '_>) -> Option<&'static str> {
    let kind = line.member("kind")?;
    ["hello", "said", "did", "saw"].into_iter().find(|known| kind.is_text(known))
}

/// The facts that the lines state about their session.
#[derive(Default)]
struct Facts {
    is_ours: bool,
    session: Option<String>,
    model: Option<String>,
    version: Option<String>,
    cwd: Option<String>,
    span: Span,
}

impl Facts {
    fn add(&mut self, line: Node<'_, '_>) {
        let text = |key: &str| line.member(key).and_then(Node::text).map(Cow::into_owned);
        if let Some(Ok(at)) = line.member("at").map(AbstractTimestamp::from_node) {
            self.span.add(&at);
        }
        if let Some(kind) = kind(line) {
            self.is_ours = true;
            if kind == "hello" {
                self.session = text("session");
                self.model = text("model");
                self.version = text("version");
                self.cwd = text("cwd");
            }
        }
    }
}

/// One session, with the facts about it.
struct Survey<'i> {
    log: Log<'i>,
    facts: Facts,
    id: String,
}

impl Session for Survey<'_> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        Some(&Example)
    }

    fn variant(&self) -> &'static str {
        "jsonl"
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let Facts { model, version, cwd, span, .. } = &self.facts;
        let model = model.as_deref().unwrap_or(UNKNOWN);
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
                    models: None,
                    cli_name: Some("example".into()),
                    cli_version: version.clone().map(Into::into),
                    extensions: Map::default(),
                },
                environment: cwd.clone().map(|cwd| Environment {
                    working_dir: cwd.into(),
                    vcs: None,
                    sandboxes: None,
                    extensions: Map::default(),
                }),
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
        self.log.each(|frame| {
            sink.report().frames += 1;
            let (entry, bytes) = map_frame(frame, sink.report());
            sink.entry(entry, Origin { place: frame.place, bytes })
        })
    }
}

/// Returns the entry of a frame, and the bytes that it is made from.
fn map_frame<'f>(frame: &'f Frame<'_>, report: &mut Report) -> (Entry<'f>, &'f [u8]) {
    match &frame.content {
        Content::Document(document) => {
            let line = document.root();
            (map_line(line, frame.place, report), line.raw())
        }
        Content::Raw(raw) => {
            report.unparsed(frame.place.line, raw.reason.code());
            (raw::entry(raw.bytes, &raw.reason, frame.place, KnownMembers::default()), raw.bytes)
        }
    }
}

mapping! {
    /// A line of kind `said`: a message.
    struct Said<'a>("said"; key, value) {
        "kind" => "the entry's type", stated = value.is_text("said");
        "who" => "the entry's type; kept if it is unknown",
            take speaker: MessageEntryType = parse_speaker(value);
        "words" => "`content`", take words: Any<'a> = Some(value.carry());
        "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "cost" => "", keep;
    }
}

mapping! {
    /// A line of kind `did`: a tool call.
    struct Did<'a>("did"; key, value) {
        "kind" => "the entry's type", stated = value.is_text("did");
        "tool" => "`name`", take tool: Text<'a> = value.text();
        "with" => "`input`", take input: Any<'a> = Some(value.carry());
        "ticket" => "`call-id`", take ticket: Text<'a> = value.text();
        "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
    }
}

mapping! {
    /// A line of kind `saw`: a tool result.
    struct Saw<'a>("saw"; key, value) {
        "kind" => "the entry's type", stated = value.is_text("saw");
        "what" => "`output`", take output: Any<'a> = Some(value.carry());
        "ticket" => "`call-id`", take ticket: Text<'a> = value.text();
        "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        // `is-error` is its negation, so the member itself is kept, too.
        "ok" => "`is-error`", note is_ok: bool = value.bool();
    }
}

mapping! {
    /// A line of any other kind: an event.
    struct Event<'a>("event"; key, value) {
        "kind" => "`event-type`", take kind: Text<'a> = value.text();
        "at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        _ => keep;
    }
}

fn parse_speaker(who: Node<'_, '_>) -> Option<MessageEntryType> {
    match who.text().as_deref() {
        Some("user") => Some(MessageEntryType::User),
        Some("example") => Some(MessageEntryType::Assistant),
        _ => None,
    }
}

fn parse_time<'a>(node: Node<'a, 'a>) -> Option<AbstractTimestamp<'a>> {
    AbstractTimestamp::from_node(node).ok()
}

/// Returns the entry of a line.
fn map_line<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    match kind(line) {
        Some("said") => map_said(line, place, report),
        Some("did") => map_did(line, place, report),
        Some("saw") => map_saw(line, place, report),
        _ => map_event(line, place, report),
    }
}

fn map_said<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    let Said { speaker, words, timestamp, rest } = Said::read(line, &MessageEntry::KEYS, report);
    Entry::Message(MessageEntry {
        kind: speaker.unwrap_or(MessageEntryType::Assistant),
        content: words,
        timestamp,
        id: Some(place.id().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions: rest,
    })
}

fn map_did<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    let did = Did::read(line, &ToolCallEntry::KEYS, report);
    Entry::ToolCall(ToolCallEntry {
        name: did.tool.unwrap_or(UNKNOWN.into()),
        input: did.input.unwrap_or_else(null),
        call_id: did.ticket,
        timestamp: did.timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions: did.rest,
    })
}

fn map_saw<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    let saw = Saw::read(line, &ToolResultEntry::KEYS, report);
    Entry::ToolResult(ToolResultEntry {
        output: saw.output.unwrap_or_else(null),
        call_id: saw.ticket,
        status: None,
        is_error: saw.is_ok.map(|is_ok| !is_ok),
        timestamp: saw.timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions: saw.rest,
    })
}

/// Returns a line of any other kind, with all that it contains.
fn map_event<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    let named = line.member("kind").and_then(Node::text);
    if kind(line).is_none() {
        report.unknown(named.as_deref().unwrap_or("a line without a kind"));
    }
    let mut event = Event::read(line, &[], report);
    if line.kind() != Kind::Map {
        event.rest.push(("value".into(), line.carry()));
    }
    Entry::Event(EventEntry {
        event_type: event.kind.unwrap_or(UNKNOWN.into()),
        data: Some(event.rest),
        timestamp: event.timestamp,
        id: Some(place.id().into()),
        children: None,
        extensions: Map::default(),
    })
}
