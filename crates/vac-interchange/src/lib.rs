//! Writes sessions in the formats of other tools: trajectories (ATIF) for research and training,
//! spans (OTLP) for observability.
//!
//! ```
//! use vac_interchange::{InterchangeFormat, write_session};
//! use vac_value::Document;
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [{"type": "user", "content": "Fire it", "vac": {"author": "user"}}]
//! }}"#;
//! let mut out = Vec::new();
//! let key = "00112233445566778899aabbccddeeff";
//! let document = Document::json(json)?;
//! let parts = record::read(&document, &[], &mut |session| {
//!     write_session(session, &[], key, InterchangeFormat::Atif, &mut out)
//! })?;
//! assert_eq!(parts, 1);
//! assert!(String::from_utf8(out)?.contains(r#""source":"user","message":"Fire it""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * Both formats are written from the same steps, which are made from the events of `vac-view`,
//!   with the same reader, authors, tools and rules of what counts. Sums of tokens equal `vac
//!   inspect`.
//! * A session is written while it is read. Steps wait for the results of their calls up to a limit;
//!   a result that comes later is in a step of its own.
//! * These formats are for analysis, records are evidence. [What is lost](#what-is-lost) is listed.
//! * Times are those of the log. A span without a time in the log has the time of its neighbour,
//!   and an attribute that states this.
#![doc = include_str!("../MAPPING.md")]

mod atif;
mod attributes;
mod head;
mod json;
mod otel;
mod step;
mod step_reader;

use std::fmt;
use std::io::Write;

use vac_adapter::{Error, Origin, Report, Session, Sink, SourceFile};
use vac_record::time::instant;
use vac_record::{AbstractTimestamp, Entry};
use vac_view::{Facts, FactsSink};

use crate::atif::TrajectoryWriter;
use crate::head::SessionHead;
use crate::json::JsonObject;
use crate::otel::SpanWriter;
use crate::step_reader::{StepReader, StepSink};

/// A format of other tools, in which a session is one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterchangeFormat {
    /// Spans of OpenTelemetry: OTLP in JSON.
    Otel,
    /// A trajectory: the Agent Trajectory Interchange Format.
    Atif,
}

impl InterchangeFormat {
    /// Returns the format of this name, or `None` if there is no such format.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Otel, Self::Atif].into_iter().find(|format| format.to_string() == name)
    }

    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Otel => "otlp.json",
            Self::Atif => "atif.json",
        }
    }
}

impl fmt::Display for InterchangeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Otel => "otel",
            Self::Atif => "atif",
        })
    }
}

/// Writes a session as one line of JSON, without a line end. `sources` are the files of a log; a
/// record states them itself. `key` identifies the session: 32 hexadecimal digits. Returns the number
/// of steps or spans.
///
/// # Errors
/// If the session cannot be read, or `out` cannot be written to.
pub fn write_session(
    session: &dyn Session,
    sources: &[SourceFile],
    key: &str,
    format: InterchangeFormat,
    out: &mut dyn Write,
) -> Result<u64, Error> {
    let facts = FactsSink::new(session, sources);
    let head = SessionHead::new(session, &facts, key);
    match format {
        InterchangeFormat::Atif => {
            let mut writer = TrajectoryWriter::begin(out, &head)?;
            let facts = read_steps(session, facts, &mut writer)?;
            writer.finish(&FinishedSession::new(&facts))
        }
        InterchangeFormat::Otel => {
            let mut writer = SpanWriter::begin(out, head)?;
            let facts = read_steps(session, facts, &mut writer)?;
            writer.finish(&FinishedSession::new(&facts))
        }
    }
}

fn read_steps(
    session: &dyn Session,
    facts: FactsSink,
    sink: &mut dyn StepSink,
) -> Result<Facts, Error> {
    let mut reader = SessionReader { facts, steps: StepReader::new(sink) };
    session.entries(&mut reader)?;
    reader.steps.finish()?;
    Ok(reader.facts.finish())
}

struct SessionReader<'s> {
    facts: FactsSink,
    steps: StepReader<'s>,
}

impl Sink for SessionReader<'_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.facts.read(&entry, &mut self.steps)
    }

    fn report(&mut self) -> &mut Report {
        self.facts.report()
    }
}

/// The facts about a session after its entries were read.
struct FinishedSession<'f> {
    facts: &'f Facts,
    start: Option<i128>,
    end: Option<i128>,
}

impl<'f> FinishedSession<'f> {
    fn new(facts: &'f Facts) -> Self {
        let time = |text: &Option<String>| {
            let text = text.as_deref()?;
            instant(&AbstractTimestamp::try_from(text).ok()?)
        };
        Self { start: time(&facts.start), end: time(&facts.end), facts }
    }
}

/// Returns facts about a session that these formats have no names for.
fn vac_members(session: &FinishedSession<'_>) -> JsonObject {
    let facts = session.facts;
    let mut members = JsonObject::new();
    members.text("version", env!("CARGO_PKG_VERSION"));
    members.text("variant", &facts.variant);
    members.text("status", facts.status.name());
    members.text("ended", facts.ended.name());
    members.optional("started_at", facts.start.as_deref());
    members.optional("ended_at", facts.end.as_deref());
    members.optional("working_dir", facts.working_dir.as_deref());
    members.optional("parent_session_id", facts.parent.as_deref());
    members.optional("relation", facts.relation);
    let sources: Vec<_> = facts.sources.iter().map(|source| json::text(&source.sha_256)).collect();
    members.array("source_sha256", &sources);
    members
}
