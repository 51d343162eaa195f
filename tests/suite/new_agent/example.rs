//! The logs of Example as agent records. Nobody has that agent: it is here to show, and to
//! hold, what it takes to add one. `crates/vac-adapter/README.md` walks through it.
//!
//! A log is lines of JSON, each with a `kind`: `hello` begins a session, `said`, `did` and
//! `saw` are what happens in it.

use std::any::Any;
use std::borrow::Cow;

use vac_adapter::frame::{self, Content, Frame};
use vac_adapter::members::{Members, null};
use vac_adapter::places::{Keep, Place, Variables};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::raw::{self, Known};
use vac_adapter::time::Span;
use vac_adapter::{
    Adapter, Confidence, Error, Fit, Input, Log, Origin, Report, Sample, Session, Sink, Verdict,
    ids,
};
use vac_record::{
    AgentMeta, Entry, Environment, EventEntry, MessageEntry, MessageEntryType, SessionId,
    SessionTrace, ToolCallEntry, ToolResultEntry, VerifiableAgentRecord,
};
use vac_value::{Map, Node};

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

    fn places(&self) -> &'static [Place] {
        PLACES
    }

    fn check_rules(&self) -> Option<&'static (dyn Any + Sync)> {
        Some(&super::EXAMPLE)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        let log = Log::of(input);
        let mut facts = Facts::default();
        log.each(|frame| {
            if let Content::Document(document) = &frame.content {
                facts.add(document.root());
            }
            Ok(())
        })?;
        if !facts.is_ours {
            return Err(Error::Refused("no line of Example in it".to_owned()));
        }
        let id = match facts.session.take() {
            Some(id) => id,
            None => ids::from_input(input)?,
        };
        Ok(vec![Box::new(Survey { log, facts, id })])
    }
}

/// Where the agent keeps its sessions.
const PLACES: &[Place] = &[Place {
    variables: Variables::Folder(&[("EXAMPLE_HOME", "")]),
    in_home: &[".example"],
    keeps: &[Keep::logs(&["sessions", "**"], &["*.jsonl"])],
    ..Place::DEFAULT
}];

/// The kind of a line, if it is one of ours.
fn kind(line: Node<'_, '_>) -> Option<&'static str> {
    let kind = line.member("kind")?;
    ["hello", "said", "did", "saw"].into_iter().find(|known| kind.is_text(known))
}

/// What lines tell about their session.
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
        let Some(mut seen) = Members::new(line) else { return };
        if let Some(at) = seen.timestamp("at") {
            self.span.add(&at);
        }
        if let Some(kind) = kind(line) {
            self.is_ours = true;
            if kind == "hello" {
                self.session = seen.text("session").map(Cow::into_owned);
                self.model = seen.text("model").map(Cow::into_owned);
                self.version = seen.text("version").map(Cow::into_owned);
                self.cwd = seen.text("cwd").map(Cow::into_owned);
            }
        }
        // This pass keeps nothing: the entries do.
        seen.rest(&[]);
    }
}

/// One session, and what was found out about it.
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
            let (entry, bytes) = entry_of(frame, sink.report());
            sink.entry(entry, Origin { place: frame.place, bytes })
        })
    }
}

/// The entry of a frame, and the bytes it was made of.
fn entry_of<'f>(frame: &'f Frame<'_>, report: &mut Report) -> (Entry<'f>, &'f [u8]) {
    match &frame.content {
        Content::Document(document) => {
            let line = document.root();
            (mapped(line, frame.place, report), line.raw())
        }
        Content::Raw(raw) => {
            report.unparsed(frame.place.line, &raw.reason.to_string());
            (raw::entry(raw.bytes, &raw.reason, frame.place, Known::default()), raw.bytes)
        }
    }
}

/// The entry of a line.
fn mapped<'a>(line: Node<'a, '_>, place: frame::Place, report: &mut Report) -> Entry<'a> {
    match (kind(line), Members::new(line)) {
        (Some("said"), Some(members)) => said(members, place),
        (Some("did"), Some(members)) => did(members, place),
        (Some("saw"), Some(members)) => saw(members, place),
        (_, members) => event(line, members, place, report),
    }
}

fn said<'a>(mut line: Members<'a, '_>, place: frame::Place) -> Entry<'a> {
    line.said("kind", "said");
    let is_user = line.said("who", "user");
    if !is_user {
        line.said("who", "example");
    }
    Entry::Message(MessageEntry {
        kind: if is_user { MessageEntryType::User } else { MessageEntryType::Assistant },
        content: line.any("words"),
        timestamp: line.timestamp("at"),
        id: Some(place.id().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions: line.rest(&MessageEntry::KEYS),
    })
}

fn did<'a>(mut line: Members<'a, '_>, place: frame::Place) -> Entry<'a> {
    line.said("kind", "did");
    Entry::ToolCall(ToolCallEntry {
        name: line.text("tool").unwrap_or(UNKNOWN.into()),
        input: line.any("with").unwrap_or_else(null),
        call_id: line.text("ticket"),
        timestamp: line.timestamp("at"),
        id: Some(place.id().into()),
        children: None,
        extensions: line.rest(&ToolCallEntry::KEYS),
    })
}

fn saw<'a>(mut line: Members<'a, '_>, place: frame::Place) -> Entry<'a> {
    line.said("kind", "saw");
    // `ok` says the same the other way round, so it is looked at and stays.
    let is_error = line.peek("ok").and_then(Node::bool).map(|is_ok| !is_ok);
    Entry::ToolResult(ToolResultEntry {
        output: line.any("what").unwrap_or_else(null),
        call_id: line.text("ticket"),
        status: None,
        is_error,
        timestamp: line.timestamp("at"),
        id: Some(place.id().into()),
        children: None,
        extensions: line.rest(&ToolResultEntry::KEYS),
    })
}

/// Everything that nobody says or does, with all it holds.
fn event<'a>(
    line: Node<'a, '_>,
    members: Option<Members<'a, '_>>,
    place: frame::Place,
    report: &mut Report,
) -> Entry<'a> {
    let named = line.member("kind").and_then(Node::text);
    if kind(line).is_none() {
        report.unknown(named.as_deref().unwrap_or("a line without a kind"));
    }
    let (mut timestamp, mut data) = (None, Map::default());
    match members {
        Some(mut members) => {
            members.text("kind");
            timestamp = members.timestamp("at");
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
        extensions: Map::default(),
    })
}
