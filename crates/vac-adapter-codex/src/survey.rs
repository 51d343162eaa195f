//! One session: its record, and its entries.

use vac_adapter::frame::Content;
use vac_adapter::{Error, Input, Log, Origin, Session, Sink, ids};
use vac_record::{AgentMeta, Environment, SessionId, SessionTrace, VerifiableAgentRecord};
use vac_value::Extensions;

use crate::event;
use crate::facts::Facts;
use crate::reader::Reader;

/// One session.
pub(crate) struct Survey<'i> {
    log: Log<'i>,
    facts: Facts,
    id: String,
}

impl<'i> Survey<'i> {
    /// Surveys an input.
    pub fn of(input: &'i dyn Input) -> Result<Self, Error> {
        let log = Log::of(input);
        let mut facts = Facts::default();
        log.each(|frame| {
            match &frame.content {
                Content::Document(document) => facts.line(document.root(), frame.place),
                Content::Raw(_) => facts.raw(),
            }
            Ok(())
        })?;
        facts.end();
        if !facts.is_known {
            let reason = if facts.is_typescript {
                "a session of the first Codex CLI (a document of `session` and `items`): not read"
            } else {
                "no line of a Codex CLI session in it"
            };
            return Err(Error::Refused(reason.to_owned()));
        }
        let id = match facts.meta.as_ref().and_then(|meta| meta.id.clone()) {
            Some(id) => id,
            None => id_of_name(input.name()).map_or_else(|| ids::of_input(input), Ok)?,
        };
        Ok(Self { log, facts, id })
    }
}

/// The UUID that the name of a rollout ends with.
fn id_of_name(name: &str) -> Option<String> {
    let stem = ids::stem(name)?.strip_prefix("rollout-")?;
    let id = stem.get(stem.len().checked_sub(36)?..)?;
    let is_uuid = id.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    is_uuid.then(|| id.to_owned())
}

impl Session for Survey<'_> {
    fn agent(&self) -> &'static str {
        "codex"
    }

    fn variant(&self) -> &'static str {
        if self.facts.has_envelopes { "envelopes" } else { "bare" }
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = &self.facts;
        let meta = facts.meta.as_ref();
        // The header of a log without envelopes tells its beginning and nothing its end.
        let end = facts.span.last().filter(|_| facts.has_envelopes);
        let vcs = meta.and_then(|meta| meta.vcs.clone());
        let start = meta.and_then(|meta| meta.timestamp.clone()).or_else(|| facts.span.first());
        let working_dir =
            meta.and_then(|meta| meta.working_dir.clone()).or_else(|| facts.working_dir.clone());
        let sandboxes: Vec<_> =
            facts.sandboxes.iter().map(|sandbox| sandbox.clone().into()).collect();
        let environment = working_dir.map(|working_dir| Environment {
            working_dir: working_dir.into(),
            vcs: vcs.clone(),
            sandboxes: (!sandboxes.is_empty()).then_some(sandboxes),
            extensions: Extensions::default(),
        });
        let agent_meta = AgentMeta {
            model_id: facts.model().to_owned().into(),
            model_provider: facts.provider().into(),
            models: Some(facts.models().map(|model| model.to_owned().into()).collect()),
            cli_name: Some("codex-cli".into()),
            cli_version: meta.and_then(|meta| meta.cli_version.clone()).map(Into::into),
            extensions: Extensions::default(),
        };
        VerifiableAgentRecord {
            version: "3.0.0-draft".into(),
            id: self.id.clone().into(),
            session: SessionTrace {
                format: meta.and_then(|meta| meta.format).map(Into::into),
                session_id: SessionId::Text(self.id.clone().into()),
                session_start: start.clone(),
                session_end: end,
                agent_meta,
                environment,
                entries: Vec::new(),
                extensions: meta.map(|meta| meta.lineage.clone()).unwrap_or_default(),
            },
            created: start,
            file_attribution: None,
            vcs,
            recording_agent: None,
            extensions: Extensions::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut reader = Reader::new(&self.facts);
        self.log.each(|frame| {
            let place = frame.place;
            let report = sink.report();
            report.frames += 1;
            let (entry, bytes) = match &frame.content {
                Content::Raw(raw) => (event::raw(raw, place, report), raw.bytes),
                Content::Document(document) => {
                    let line = document.root();
                    (reader.entry(line, place, report), line.raw())
                }
            };
            sink.entry(entry, Origin { place, bytes })
        })
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.facts.frames)
    }
}
