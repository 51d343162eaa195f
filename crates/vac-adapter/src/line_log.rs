//! A session whose log is lines, each of which is one entry: both passes over it, its preview and
//! its record.
//!
//! An agent's crate implements [`LineFormat`]: how a line fits, what it states about the session,
//! and the entry that it becomes. Lines that cannot be parsed, companion files, refusals and the
//! record around the entries are the same for all of them.

use vac_record::{
    AbstractTimestamp, AgentMeta, Decode, Entry, Environment, SessionId, SessionTrace, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{IntoOwned, Kind, Map, Node, Text};

use crate::adapter::{Adapter, Error, Origin, Parent, Preview, Session, Share, Sink};
use crate::attachment::Attachment;
use crate::detect::Sample;
use crate::entry::{self, Common};
use crate::frame::{Content, Place, Raw};
use crate::ids;
use crate::input::{Input, Log};
use crate::members::Rest;
use crate::models::Models;
use crate::provider::{UNKNOWN, provider};
use crate::raw::{self, KnownMembers};
use crate::report::Report;
use crate::time::Span;
use crate::verdict::{Fit, Verdict};

/// The type of events that contain a companion file.
pub const FILE_EVENT: &str = "file";

/// What the lines of a log state about their session.
#[derive(Clone, Debug, Default)]
pub struct LineFacts {
    /// The id.
    pub session_id: Option<String>,
    /// The start, where the log states it other than by the time of its first line.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The times of all lines.
    pub span: Span,
    /// The models.
    pub models: Models,
    /// The provider of the main model, where the log states it.
    pub provider: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The revision, branch and repository.
    pub vcs: Option<VcsContext<'static>>,
    /// The session that this one came from.
    pub parent: Option<Parent>,
}

impl LineFacts {
    /// Adds the time of a line.
    pub fn time(&mut self, time: Option<Node<'_, '_>>) {
        if let Some(Ok(time)) = time.map(AbstractTimestamp::from_node) {
            self.span.add(&time);
        }
    }

    /// Returns when the session began.
    pub fn start(&self) -> Option<AbstractTimestamp<'static>> {
        self.start.clone().or_else(|| self.span.first())
    }
}

/// Sets a fact that is not known yet to a text that is not empty.
pub fn fill(fact: &mut Option<String>, value: Option<Node<'_, '_>>) {
    if fact.is_none() {
        *fact = text(value).filter(|text| !text.is_empty());
    }
}

/// Returns a text.
pub fn text(value: Option<Node<'_, '_>>) -> Option<String> {
    value.and_then(Node::text).map(Text::into_owned)
}

/// Returns a timestamp.
pub fn parse_time<'a>(value: Node<'a, '_>) -> Option<AbstractTimestamp<'a>> {
    AbstractTimestamp::from_node(value).ok()
}

/// Returns a context of git, if the log states any of its members.
pub fn git(
    revision: Option<String>,
    branch: Option<String>,
    repository: Option<String>,
) -> Option<VcsContext<'static>> {
    let is_stated = revision.is_some() || branch.is_some() || repository.is_some();
    is_stated.then(|| VcsContext {
        kind: "git".into(),
        revision: revision.map(Into::into),
        branch: branch.map(Into::into),
        repository: repository.map(Into::into),
        extensions: Map::default(),
    })
}

/// Where a line is.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineAt {
    /// Its number among all frames of the log, from 0.
    pub index: u64,
    /// Its place.
    pub place: Place,
}

/// The lines of an agent's logs, and what the first pass has found in them.
pub trait LineFormat: Default {
    /// The member of a line that is its id.
    const ID: &'static str;
    /// The member of a line that is the id of the line before it.
    const PARENT: &'static str;

    /// Names that the agent gives to the logs of all sessions, so that they are not ids.
    const COMMON_NAMES: &'static [&'static str] = &[];

    /// Returns the adapter.
    fn adapter() -> &'static dyn Adapter;

    /// Returns how a document fits.
    fn fit(document: Node<'_, '_>) -> Fit;

    /// Begins the first pass over a log with this name, in this folder.
    fn begin(&mut self, name: &str, folder: &str) {
        let _ = (name, folder);
    }

    /// Adds a line to what is known of the session.
    fn add(&mut self, line: Node<'_, '_>, at: LineAt);

    /// Ends the first pass.
    fn finish(&mut self) {}

    /// Returns what is known of the session.
    fn facts(&self) -> &LineFacts;

    /// Returns the variant of the log.
    fn variant(&self) -> &'static str;

    /// Returns the variant of the log together with companion files.
    fn variant_with_files(&self) -> &'static str {
        self.variant()
    }

    /// Returns the entry of a line.
    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a>;
}

/// Returns how the documents of a sample fit.
pub fn verdict<F: LineFormat>(sample: &Sample<'_>) -> Verdict {
    sample.verdict(F::fit)
}

/// Returns what the beginning of a log states about its session.
pub fn preview<F: LineFormat>(sample: &Sample<'_>) -> Preview {
    let mut format = F::default();
    format.begin(sample.name, sample.folder);
    for (index, document) in (0..).zip(&sample.documents) {
        format.add(document.root(), LineAt { index, place: Place::default() });
    }
    format.finish();
    let facts = format.facts();
    let is_common = F::COMMON_NAMES.contains(&sample.name);
    let stem = || ids::stem(sample.name).filter(|_| !is_common).map(str::to_owned);
    Preview {
        variant: format.variant(),
        session_id: facts.session_id.clone().or_else(stem),
        start: facts.start(),
        project: facts.cwd.clone(),
        version: facts.version.clone(),
        parent: facts.parent.clone(),
        share: Share::Whole,
    }
}

/// Surveys a log, which is one session.
pub fn survey<'i, F: LineFormat + 'i>(
    input: &'i dyn Input,
) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let log = Log::new(input);
    let (mut format, mut verdict, mut frames) = (F::default(), Verdict::default(), 0);
    format.begin(input.name(), input.folder());
    log.each(|frame| {
        if let Content::Document(document) = &frame.content {
            verdict.add(F::fit(document.root()));
            format.add(document.root(), LineAt { index: frames, place: frame.place });
        }
        frames += 1;
        Ok(())
    })?;
    format.finish();
    if let Some(misfit) = verdict.misfit(F::adapter().name()) {
        return Err(Error::Refused(misfit.to_string()));
    }
    if verdict.fits == 0 {
        let title = F::adapter().title();
        return Err(Error::Refused(format!("contains no line of a {title} session")));
    }
    let id = match &format.facts().session_id {
        Some(id) => id.clone(),
        None if F::COMMON_NAMES.contains(&input.name()) => ids::from_content(input)?,
        None => ids::from_input(input)?,
    };
    Ok(vec![Box::new(LineSession { input, log, format, id })])
}

/// The session of a log.
struct LineSession<'i, F> {
    input: &'i dyn Input,
    log: Log<'i>,
    format: F,
    id: String,
}

impl<F: LineFormat> Session for LineSession<'_, F> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        Some(F::adapter())
    }

    fn parent(&self) -> Option<Parent> {
        self.format.facts().parent.clone()
    }

    fn variant(&self) -> &'static str {
        if self.input.attachments().is_empty() && self.input.parts().len() < 2 {
            self.format.variant()
        } else {
            self.format.variant_with_files()
        }
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = self.format.facts();
        let model = facts.models.main_or_unknown();
        let provider = facts.provider.clone().map_or_else(|| provider(model).into(), Text::Owned);
        let environment = facts.cwd.clone().map(|cwd| Environment {
            working_dir: cwd.into(),
            vcs: facts.vcs.clone(),
            sandboxes: None,
            extensions: Map::default(),
        });
        VerifiableAgentRecord {
            version: vac_record::SCHEMA_VERSION.into(),
            id: self.id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(self.id.clone().into()),
                session_start: facts.start(),
                session_end: facts.span.last(),
                agent_meta: AgentMeta {
                    model_id: model.to_owned().into(),
                    model_provider: provider,
                    models: facts.models.listed(),
                    cli_name: Some(F::adapter().cli_name().into()),
                    cli_version: facts.version.clone().map(Into::into),
                    extensions: Map::default(),
                },
                environment,
                entries: Vec::new(),
                extensions: Map::default(),
            },
            created: facts.start(),
            file_attribution: None,
            vcs: facts.vcs.clone(),
            recording_agent: None,
            extensions: Map::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut index = 0;
        self.log.each(|frame| {
            let place = frame.place;
            let report = sink.report();
            report.frames += 1;
            let (entry, bytes) = match &frame.content {
                Content::Document(document) => {
                    let line = document.root();
                    let at = LineAt { index, place };
                    let entry = match line.kind() {
                        Kind::Map => self.format.entry(line, at, report),
                        _ => value(line, place, report),
                    };
                    (entry, line.raw())
                }
                Content::Raw(raw) => (unparsed::<F>(raw, place, report), raw.bytes),
            };
            index += 1;
            sink.entry(entry, Origin { place, bytes })
        })?;
        let parts = self.input.parts().len().max(1);
        for (number, file) in (parts..).zip(self.input.attachments()) {
            Attachment { file, number }.entries(FILE_EVENT, None, sink)?;
        }
        Ok(())
    }
}

/// Returns a line that is not an object as an event.
fn value<'a>(line: Node<'a, '_>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unknown("a line that is not an object");
    let mut data = Rest::default();
    data.push(("value".into(), line.carry()));
    let common = Common { id: Some(place.id().into()), ..Common::default() };
    Entry::Event(entry::event(UNKNOWN.into(), Some(data), common))
}

/// Returns a line that cannot be kept as a value.
fn unparsed<'a, F: LineFormat>(raw: &Raw<'a>, place: Place, report: &mut Report) -> Entry<'a> {
    report.unparsed(place.line, raw.reason.code());
    let member = |key: &str| raw.document.as_ref()?.root().member(key)?.text();
    let known = KnownMembers {
        id: member(F::ID).map(IntoOwned::into_owned),
        timestamp: None,
        parent_id: member(F::PARENT).map(IntoOwned::into_owned),
    };
    raw::entry(raw.bytes, &raw.reason, place, known)
}
