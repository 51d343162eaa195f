//! The first pass: what is true of the session as a whole.

use std::io::Read;

use vac_adapter::frame::Content;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::time::Span;
use vac_adapter::{Error, Input, Log, Origin, Session, Sink, ids};
use vac_record::{AgentMeta, SessionId, SessionTrace, VerifiableAgentRecord};
use vac_value::Extensions;

use crate::detect::{Line, line};
use crate::{event, message};

/// How inputs begin that are of a form that is not read, and what that is.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"SQLite format 3\0", "a database, which is not read"),
    (b"user:", "a transcript in the old text form, which is not read"),
    (b"assistant:", "a transcript in the old text form, which is not read"),
];

/// One session and what was found out about it.
pub(crate) struct Survey<'i> {
    log: Log<'i>,
    id: String,
    lines: u64,
    span: Span,
}

impl<'i> Survey<'i> {
    /// Surveys an input.
    pub fn of(input: &'i dyn Input) -> Result<Self, Error> {
        let mut beginning = Vec::new();
        input.open()?.take(16).read_to_end(&mut beginning)?;
        if let Some((_, what)) = FOREIGN.iter().find(|(bytes, _)| beginning.starts_with(bytes)) {
            return Err(Error::Refused((*what).to_owned()));
        }
        let log = Log::of(input);
        let mut lines = 0;
        let mut span = Span::default();
        let mut is_known = false;
        let mut is_capture = false;
        log.each(|frame| {
            lines += 1;
            let Content::Document(document) = &frame.content else { return Ok(()) };
            match line(document.root()) {
                Line::Message => {
                    is_known = true;
                    if let Some(timestamp) = message::timestamp(document.root()) {
                        span.add(&timestamp);
                    }
                }
                Line::Event => is_known = true,
                Line::Capture => is_capture = true,
                Line::Unknown => {}
            }
            Ok(())
        })?;
        if !is_known || is_capture {
            let reason = if is_capture {
                "a capture of `--output-format stream-json`, which is not read"
            } else {
                "no line of a Cursor transcript in it"
            };
            return Err(Error::Refused(reason.to_owned()));
        }
        let id = match ids::stem(input.name()).filter(|stem| is_uuid(stem)) {
            Some(stem) => stem.to_owned(),
            None => ids::of_bytes(input.open()?)?,
        };
        Ok(Self { log, id, lines, span })
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

impl Session for Survey<'_> {
    fn agent(&self) -> &'static str {
        "cursor"
    }

    fn variant(&self) -> &'static str {
        "transcript"
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        VerifiableAgentRecord {
            version: "3.0.0-draft".into(),
            id: self.id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(self.id.clone().into()),
                session_start: self.span.first(),
                session_end: None,
                agent_meta: AgentMeta {
                    model_id: UNKNOWN.into(),
                    model_provider: UNKNOWN.into(),
                    models: None,
                    cli_name: Some("cursor".into()),
                    cli_version: None,
                    extensions: Extensions::default(),
                },
                environment: None,
                entries: Vec::new(),
                extensions: Extensions::default(),
            },
            created: self.span.first(),
            file_attribution: None,
            vcs: None,
            recording_agent: None,
            extensions: Extensions::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.log.each(|frame| {
            let place = frame.place;
            let report = sink.report();
            report.frames += 1;
            let (entry, bytes) = match &frame.content {
                Content::Raw(raw) => (event::raw(raw, place, report), raw.bytes),
                Content::Document(document) => {
                    let node = document.root();
                    let message = match line(node) {
                        Line::Message => message::entry(node, place, report),
                        _ => None,
                    };
                    let entry = message.unwrap_or_else(|| event::entry(node, place, report));
                    (entry, node.raw())
                }
            };
            sink.entry(entry, Origin { place, bytes })
        })
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.lines)
    }
}
