//! Reads sessions whose logs consist of lines, each of which is one entry: both passes over them,
//! the preview and the records.
//!
//! An agent's crate implements [`LineFormat`] (whether a line fits, the facts that it states about
//! the session, and the entry that it becomes) and [`LineAdapter`] (the agent's tables). Lines that
//! cannot be parsed, companion files, refusals, summaries that replace lines, and the record around
//! the entries are the same for all of them.

mod agent;
mod compactions;

pub use agent::{LineAdapter, LineAgent};
pub use compactions::Compactions;

use std::rc::Rc;

use vac_record::{
    AbstractTimestamp, Decode, Entry, Environment, VcsContext, VerifiableAgentRecord,
};
use vac_value::{IntoOwned, Kind, Limits, Map, Node, Scanner, Text};

use crate::adapter::{Adapter, Error, Origin, Parent, Preview, Session, Share, Sink};
use crate::attachment::Attachment;
use crate::bare_record::{BareRecord, agent_meta};
use crate::container::{RowProblem, row_of};
use crate::detect::Sample;
use crate::entry::{self, Common};
use crate::frame::{Content, Place, Raw};
use crate::ids;
use crate::input::{Input, Log};
use crate::members::{Rest, object};
use crate::models::Models;
use crate::provider::UNKNOWN;
use crate::raw::{self, KnownMembers};
use crate::report::Report;
use crate::shared_log::{SessionNumbers, SharedLog};
use crate::time::Span;
use crate::verdict::{Fit, Verdict};

/// The type of events that contain a companion file.
pub const FILE_EVENT: &str = "file";

/// The facts that the lines of a log state about their session.
#[derive(Clone, Debug, Default)]
pub struct LineFacts {
    /// The id.
    pub session_id: Option<String>,
    /// The start of the session, if the log states it in another way than by the time of its first
    /// line.
    pub start: Option<AbstractTimestamp<'static>>,
    /// The times of all lines.
    pub span: Span,
    /// The models.
    pub models: Models,
    /// The provider of the main model, where the log states it.
    pub provider: Option<String>,
    /// The program, where the log states one that is not the adapter's.
    pub cli_name: Option<String>,
    /// The version of the agent.
    pub version: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The revision, branch and repository.
    pub vcs: Option<VcsContext<'static>>,
    /// The session that this one came from.
    pub parent: Option<Parent>,
    /// The lines that summaries have replaced.
    pub compactions: Compactions,
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

/// Sets an unknown fact to a text, unless the text is empty.
pub fn fill(fact: &mut Option<String>, value: Option<Node<'_, '_>>) {
    if fact.is_none() {
        *fact = text(value).filter(|text| !text.is_empty());
    }
}

/// Returns a value as text, if it is a text.
pub fn text(value: Option<Node<'_, '_>>) -> Option<String> {
    value.and_then(Node::text).map(Text::into_owned)
}

/// Returns a value as a timestamp, if it is one.
pub fn parse_time<'a>(value: Node<'a, '_>) -> Option<AbstractTimestamp<'a>> {
    AbstractTimestamp::from_node(value).ok()
}

/// Returns the context of a git repository, if the log states any of its members.
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

/// The position of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineAt {
    /// The number of the line among all frames of the log, from 0.
    pub index: u64,
    /// The place of the line.
    pub place: Place,
}

/// The format of the lines of an agent's logs, and the facts that the first pass has found in them.
pub trait LineFormat: Default {
    /// The member of a line that is its id.
    const ID: &'static str;
    /// The member of a line that is the id of the line before it.
    const PARENT: &'static str;

    /// Names that the agent gives to the logs of all sessions, so that they are not ids.
    const COMMON_NAMES: &'static [&'static str] = &[];

    /// The tables whose rows are documents, as [`row_of`] reads them.
    const TABLES: &'static [&'static str] = &[];

    /// Returns the adapter.
    fn adapter() -> &'static dyn Adapter;

    /// Returns how well a document fits.
    fn fit(document: Node<'_, '_>) -> Fit;

    /// Returns the id of the session that a line, and those after it, belong to. A file can contain
    /// several sessions, where logs were concatenated.
    fn session(line: Node<'_, '_>) -> Option<String> {
        let _ = line;
        None
    }

    /// Begins the first pass over a log with this name, in this folder.
    fn begin(&mut self, name: &str, folder: &str) {
        let _ = (name, folder);
    }

    /// Adds the facts of a line to those of the session.
    fn add(&mut self, line: Node<'_, '_>, at: LineAt);

    /// Ends the first pass.
    fn finish(&mut self) {}

    /// Returns the facts about the session.
    fn facts(&self) -> &LineFacts;

    /// Returns the variant of the log.
    fn variant(&self) -> &'static str;

    /// Returns which part of its session the log contains.
    fn share(&self) -> Share {
        Share::Whole
    }

    /// Returns the entry of a line.
    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a>;

    /// Returns whether a line continues the message of the line before it.
    fn continues(&self, index: u64) -> bool {
        let _ = index;
        false
    }

    /// Returns the entry of several lines that are one message, given as an array.
    fn joined_entry<'a>(
        &'a self,
        lines: Node<'a, 'a>,
        at: LineAt,
        report: &mut Report,
    ) -> Entry<'a> {
        value(lines, at.place, report)
    }
}

/// Returns how well the documents of a sample fit.
pub fn verdict<F: LineFormat>(sample: &Sample<'_>) -> Verdict {
    sample.verdict(F::fit)
}

/// Returns the facts that the beginning of a log states about its first session.
pub fn preview<F: LineFormat>(sample: &Sample<'_>) -> Preview {
    let mut format = F::default();
    let mut numbers = SessionNumbers::default();
    format.begin(sample.name, sample.folder);
    for (index, document) in (0..).zip(&sample.documents) {
        let line = document.root();
        if matches!(numbers.add(index, Place::default(), F::session(line)), Ok(0)) {
            format.add(line, LineAt { index, place: Place::default() });
        }
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
        share: format.share(),
    }
}

/// Surveys a log, which is one session, or several that were concatenated.
pub fn survey<F: LineFormat + 'static>(
    input: &dyn Input,
) -> Result<Vec<Box<dyn Session + '_>>, Error> {
    let (mut verdict, mut frames) = (Verdict::default(), 0);
    let mut numbers = SessionNumbers::default();
    let begin = || {
        let mut format = F::default();
        format.begin(input.name(), input.folder());
        format
    };
    let mut formats = vec![begin()];
    let log = Log::new(input);
    log.each(|frame| {
        if let Content::Document(document) = &frame.content {
            let line = document.root();
            verdict.add(F::fit(line));
            let session = numbers.add(frames, frame.place, F::session(line))?;
            if session == formats.len() {
                formats.push(begin());
            }
            formats[session].add(line, LineAt { index: frames, place: frame.place });
        }
        frames += 1;
        Ok(())
    })?;
    if let Some(misfit) = verdict.misfit(F::adapter().name()) {
        return Err(Error::Refused(misfit.to_string()));
    }
    if verdict.fits == 0 {
        let title = F::adapter().title();
        return Err(Error::Refused(format!("contains no line of a {title} session")));
    }
    let shared = Rc::new(numbers.share(log));
    let mut found: Vec<Box<dyn Session + '_>> = Vec::new();
    for (number, mut format) in formats.into_iter().enumerate() {
        format.finish();
        let id = match &format.facts().session_id {
            Some(id) => id.clone(),
            None if F::COMMON_NAMES.contains(&input.name()) => ids::from_content(input)?,
            None => ids::from_input(input)?,
        };
        let shared = Rc::clone(&shared);
        found.push(Box::new(LineSession { input, shared, number, format, id }));
    }
    Ok(found)
}

/// A session of a log.
struct LineSession<'i, F> {
    input: &'i dyn Input,
    shared: Rc<SharedLog<'i>>,
    /// The number of the session in the log.
    number: usize,
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
        let has_files = !self.input.attachments().is_empty() || self.input.parts().len() > 1;
        F::adapter().companions().variant(self.format.variant(), has_files)
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = self.format.facts();
        let adapter = F::adapter().cli_name();
        let cli_name = facts.cli_name.clone().map_or(adapter.into(), Text::Owned);
        let cli_version = facts.version.clone().map(Into::into);
        let mut agent_meta = agent_meta(&facts.models, Some(cli_name), cli_version);
        if let Some(provider) = &facts.provider {
            agent_meta.model_provider = provider.clone().into();
        }
        let environment = facts.cwd.clone().map(|cwd| Environment {
            working_dir: cwd.into(),
            vcs: facts.vcs.clone(),
            sandboxes: None,
            extensions: Map::default(),
        });
        BareRecord {
            id: &self.id,
            format: None,
            start: facts.start(),
            end: facts.span.last(),
            agent_meta,
            environment,
            vcs: facts.vcs.clone(),
            extensions: Map::default(),
        }
        .record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let is_first = self.number == 0;
        let troubles = self.shared.log.troubles().filter(|_| is_first);
        let unreadable = troubles.filter_map(|trouble| match &trouble.problem {
            RowProblem::Unreadable { what, reason } => Some((what, reason)),
            _ => None,
        });
        for (number, (what, reason)) in (1..).zip(unreadable) {
            sink.report().warn(format!("{what}: {reason}"));
            let origin = Origin { place: Place::default(), bytes: b"" };
            sink.entry(raw::unreadable(what, number), origin)?;
        }
        let mut joined: Option<JoinedLines> = None;
        self.shared.each_of(self.number, |index, frame| {
            let place = frame.place;
            sink.report().frames += 1;
            if let Content::Document(document) = &frame.content {
                let raw = document.root().raw();
                if let Some(lines) = joined.as_mut().filter(|_| self.format.continues(index)) {
                    lines.add(raw);
                    return Ok(());
                }
                self.joined_entry(joined.take(), sink)?;
                if self.format.continues(index + 1) {
                    joined = Some(JoinedLines::new(raw, LineAt { index, place }));
                    return Ok(());
                }
            } else {
                self.joined_entry(joined.take(), sink)?;
            }
            let report = sink.report();
            let (entry, bytes) = match &frame.content {
                Content::Document(document) => {
                    let line = document.root();
                    let at = LineAt { index, place };
                    let mut entry = match line.kind() {
                        Kind::Map => self.format.entry(line, at, report),
                        _ => value(line, place, report),
                    };
                    keep_around_row::<F>(&mut entry, line);
                    self.format.facts().compactions.annotate(&mut entry, index);
                    (entry, line.raw())
                }
                Content::Raw(raw) => (unparsed::<F>(raw, place, report), raw.bytes),
            };
            sink.entry(entry, Origin { place, bytes })
        })?;
        self.joined_entry(joined, sink)?;
        let parts = self.input.parts().len().max(1);
        let files = self.input.attachments().into_iter().filter(|_| is_first);
        for (number, file) in (parts..).zip(files) {
            Attachment { file, number }.entries(FILE_EVENT, None, sink)?;
        }
        Ok(())
    }
}

impl<F: LineFormat> LineSession<'_, F> {
    /// Passes the entry of joined lines to a sink.
    fn joined_entry(&self, lines: Option<JoinedLines>, sink: &mut dyn Sink) -> Result<(), Error> {
        let Some(JoinedLines { mut bytes, at }) = lines else { return Ok(()) };
        bytes.push(b']');
        let limits = Limits { depth: Limits::default().depth + 1, ..Limits::default() };
        let document = Scanner::new(limits).json(&bytes).expect("an array of documents");
        let mut entry = self.format.joined_entry(document.root(), at, sink.report());
        self.format.facts().compactions.annotate(&mut entry, at.index);
        sink.entry(entry, Origin { place: at.place, bytes: &bytes })
    }
}

/// Lines that are one message.
struct JoinedLines {
    /// An array of them, without its end.
    bytes: Vec<u8>,
    /// The position of the first one.
    at: LineAt,
}

impl JoinedLines {
    fn new(line: &[u8], at: LineAt) -> Self {
        Self { bytes: [b"[", line].concat(), at }
    }

    fn add(&mut self, line: &[u8]) {
        self.bytes.push(b',');
        self.bytes.extend_from_slice(line);
    }
}

/// Keeps members of a document next to its row. Databases do not write such members, but a file
/// could contain them.
fn keep_around_row<'a, F: LineFormat>(entry: &mut Entry<'a>, document: Node<'a, '_>) {
    if !F::TABLES.iter().any(|table| row_of(document, table).is_some()) {
        return;
    }
    let others = document.members().skip(1);
    let around = others.filter_map(|(key, value)| Some((key.text()?, value.carry()))).collect();
    let Some(around) = object(around) else { return };
    let mut key = "around-row".to_owned();
    while entry.extensions().get(key.as_str()).is_some() {
        key.insert_str(0, "native:");
    }
    entry.extensions_mut().push((key.into(), around));
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
