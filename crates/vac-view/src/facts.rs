//! Reads the facts about a session: its agent, times, prompts, tools, tokens and how it ended.

use std::collections::BTreeMap;

use serde::Serialize;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::report::SourceFile;
use vac_adapter::time::Span;
use vac_adapter::{Error, Origin, Report, Session, Sink};
use vac_record::annotations::{Action, Category, EntryAnnotations, Outcome, Relation};
use vac_record::time::instant;
use vac_record::{AbstractTimestamp, Entry, VcsContext, VerifiableAgentRecord};

use crate::author::MessageAuthor;
use crate::context::Context;
use crate::entry_reader::{EntryReader, EntryVisitor};
use crate::event::EventKind;
use crate::event_time::to_utc;
use crate::record;
use crate::session_info::SessionInfo;
use crate::status::{Ended, Status};
use crate::usage_totals::UsageTotals;

/// The maximum number of names of one kind that are listed.
const MAX_NAMES: usize = 1000;
/// The name under which names beyond [`MAX_NAMES`] are counted.
const OTHERS: &str = "(others)";
/// The maximum length of the first prompt, in characters.
const MAX_PROMPT: usize = 2000;

/// Facts about a session. Unknown values are absent.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facts {
    /// The session's id; bytes are in base64url.
    pub session_id: String,
    /// The agent's name.
    pub agent: String,
    /// The agent whose format the log has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// The format of the log. A record states it in its annotations; of one without them, it is
    /// `record-json` and the like.
    pub variant: String,
    /// The encoding of a record: `json` or `cbor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// The name of the agent's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_name: Option<String>,
    /// The version of the agent's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_version: Option<String>,
    /// The models: first the main one, then others of the main thread, then those of subagents.
    pub models: Vec<String>,
    /// The provider of the main model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// The repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcs: Option<Vcs>,
    /// The id of the session that this one came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How it came from that session: `subagent`, `fork`, `resumed`, `continued`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
    /// The time at which it began, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The time at which it ended, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The milliseconds between the two, unless the log states only one time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The way in which it ended, apart from failures of tools.
    pub ended: Ended,
    /// The status, as events state it: `failure` also if a tool failed in the last step.
    pub status: Status,
    /// The number of messages in the user's name, by author.
    pub prompts: BTreeMap<&'static str, u64>,
    /// The beginning of the first prompt, in the words of the user: of the first to the model if
    /// there is one, else of the first local command, else of the first by another agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The number of commands that the user typed for the program.
    pub local_commands: u64,
    /// The number of commands that the agent ran.
    pub commands: u64,
    /// The number of entries by type, with children.
    pub entries: BTreeMap<&'static str, u64>,
    /// The number of events that repeat others, were inherited or updated, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The number of events that are not part of the conversation any more.
    pub superseded: u64,
    /// The number of entries with bytes that could not be parsed.
    pub unparsed: u64,
    /// The number of annotations that are not valid and were ignored.
    pub invalid_annotations: u64,
    /// Tokens, if the annotations state any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<UsageTotals>,
    /// The cost that the log states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Tools, by category and name.
    pub tools: Vec<ToolFacts>,
    /// The number of tool calls that failed.
    #[serde(rename = "tool-errors")]
    pub errors: u64,
    /// The number of tool calls that were cancelled.
    #[serde(rename = "tool-calls-cancelled")]
    pub cancelled: u64,
    /// The number of permission decisions, by decision.
    pub permissions: BTreeMap<&'static str, u64>,
    /// The labels of the record.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The files that it was read from.
    pub sources: Vec<SourceFile>,
}

/// A repository.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Vcs {
    /// The kind of repository, such as `git`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The address of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

/// The use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolFacts {
    /// The category of the tool.
    pub category: &'static str,
    /// The canonical name.
    pub canonical: String,
    /// The MCP server that provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The native name.
    pub tool: String,
    /// The number of calls.
    pub calls: u64,
    /// The number of calls that failed.
    pub errors: u64,
    /// The number of calls that were cancelled.
    pub cancelled: u64,
}

/// Reads the facts about a session. `sources` are the files of a log; a record states them
/// itself.
///
/// # Errors
/// If the session cannot be read.
pub fn inspect(session: &dyn Session, sources: &[SourceFile]) -> Result<Facts, Error> {
    let mut sink = FactsSink::new(session, sources);
    session.entries(&mut sink)?;
    Ok(sink.finish())
}

/// Receives the entries of a session and reads the facts about it.
pub struct FactsSink {
    info: SessionInfo,
    variant: &'static str,
    reader: EntryReader,
    counts: Counts,
    /// Counts entries by type.
    report: Report,
}

#[derive(Default)]
struct Counts {
    main_models: Vec<String>,
    subagent_models: Vec<String>,
    span: Span,
    prompts: BTreeMap<&'static str, u64>,
    first_prompt: Option<String>,
    first_local_command: Option<String>,
    first_by_agent: Option<String>,
    local_commands: u64,
    commands: u64,
    skipped: BTreeMap<&'static str, u64>,
    superseded: u64,
    unparsed: u64,
    tokens: UsageTotals,
    cost: Option<f64>,
    tools: BTreeMap<String, ToolCount>,
    errors: u64,
    cancelled: u64,
    permissions: BTreeMap<&'static str, u64>,
}

/// The counts of one tool.
#[derive(Default)]
struct ToolCount {
    canonical: String,
    category: Option<Category>,
    server: Option<String>,
    calls: u64,
    errors: u64,
    cancelled: u64,
}

impl Sink for FactsSink {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.report.entry(&entry);
        self.reader.read(&entry, &mut self.counts)
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl FactsSink {
    /// Creates a sink for the entries of a session. The parameters are those of [`inspect`].
    pub fn new(session: &dyn Session, sources: &[SourceFile]) -> Self {
        let info = SessionInfo::new(session, sources);
        Self {
            variant: session.variant(),
            reader: EntryReader::new(info.adapter),
            counts: Counts::default(),
            report: Report::default(),
            info,
        }
    }

    /// Reads an entry as [`Sink::entry`] does, and passes what it contains on to a visitor.
    ///
    /// # Errors
    /// If the visitor fails.
    pub fn read(&mut self, entry: &Entry<'_>, visitor: &mut dyn EntryVisitor) -> Result<(), Error> {
        self.report.entry(entry);
        self.reader.read(entry, &mut CountsAnd { counts: &mut self.counts, visitor })
    }

    /// Returns the record without entries.
    pub fn record(&self) -> &VerifiableAgentRecord<'static> {
        &self.info.record
    }

    /// Returns the labels of the record, by key.
    pub fn labels(&self) -> &BTreeMap<String, String> {
        &self.info.labels
    }

    /// Returns the files that the session comes from.
    pub fn sources(&self) -> &[SourceFile] {
        &self.info.sources
    }

    /// Returns the session's id as text; bytes are in base64url.
    pub fn session_id(&self) -> String {
        self.info.session_id()
    }

    /// Returns the facts.
    pub fn finish(self) -> Facts {
        self.finish_with_report().0
    }

    /// Returns the facts, and the report that the adapter has written to.
    pub fn finish_with_report(self) -> (Facts, Report) {
        let Self { info, variant, reader, counts, mut report } = self;
        let session = &info.record.session;
        let meta = &session.agent_meta;
        let start = info.start().cloned().or_else(|| counts.span.first());
        let end = info.end().cloned().or_else(|| counts.span.last());
        let duration = duration(start.as_ref(), end.as_ref());
        let environment = session.environment.as_ref();
        let vcs = info.record.vcs.as_ref();
        let annotations = info.annotations.as_ref();
        let encoding = record::encoding(variant);
        let facts = Facts {
            session_id: info.session_id(),
            adapter: info.adapter.map(|adapter| adapter.name().to_owned()),
            variant: annotations
                .filter(|_| encoding.is_some())
                .map_or_else(|| variant.to_owned(), |it| it.variant.to_string()),
            encoding,
            cli_name: owned(meta.cli_name.as_deref()),
            cli_version: owned(meta.cli_version.as_deref()),
            models: models(&info, &counts.main_models, &counts.subagent_models),
            model_provider: owned(Some(&*meta.model_provider)).filter(|name| name != UNKNOWN),
            working_dir: owned(environment.map(|environment| &*environment.working_dir)),
            vcs: vcs
                .or_else(|| environment.and_then(|environment| environment.vcs.as_ref()))
                .map(Vcs::from),
            parent: owned(annotations.and_then(|it| it.parent.as_deref())),
            relation: annotations.and_then(|it| it.relation).map(Relation::as_str),
            duration_ms: duration.filter(|_| !info.starts_by_file_name()),
            start: start.as_ref().and_then(to_utc),
            end: end.as_ref().and_then(to_utc),
            ended: reader.ended(),
            status: reader.status(),
            prompts: counts.prompts,
            first_prompt: counts
                .first_prompt
                .or(counts.first_local_command)
                .or(counts.first_by_agent),
            local_commands: counts.local_commands,
            commands: counts.commands,
            entries: std::mem::take(&mut report.entries),
            skipped: counts.skipped,
            superseded: counts.superseded,
            unparsed: counts.unparsed,
            invalid_annotations: reader.invalid_annotations
                + u64::from(info.has_invalid_annotations),
            tokens: Some(counts.tokens).filter(|tokens| !tokens.is_empty()),
            // Binary sums of decimals have rounding errors, so round to a millionth.
            cost: counts.cost.map(|cost| (cost * 1e6).round() / 1e6).filter(|it| it.is_finite()),
            tools: tools(counts.tools),
            errors: counts.errors,
            cancelled: counts.cancelled,
            permissions: counts.permissions,
            agent: info.agent,
            labels: info.labels,
            sources: info.sources,
        };
        (facts, report)
    }
}

/// A visitor that counts, and passes everything on to another visitor.
struct CountsAnd<'c, 'v> {
    counts: &'c mut Counts,
    visitor: &'c mut (dyn EntryVisitor + 'v),
}

impl EntryVisitor for CountsAnd<'_, '_> {
    fn needs_result_texts(&self) -> bool {
        self.visitor.needs_result_texts()
    }

    fn entry(&mut self, entry: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context) {
        self.counts.entry(entry, annotations, context);
        self.visitor.entry(entry, annotations, context);
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        self.counts.count(&kind, context);
        self.visitor.event(kind, context)
    }
}

impl EntryVisitor for Counts {
    fn needs_result_texts(&self) -> bool {
        false
    }

    fn entry(&mut self, entry: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context) {
        self.unparsed += u64::from(annotations.reason.is_some());
        if context.skip_reason().is_some() {
            return;
        }
        if let Some(timestamp) = entry.timestamp() {
            self.span.add(timestamp);
        }
        if let Entry::Message(message) = entry {
            self.model(message.model_id.as_deref(), context);
        }
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        self.count(&kind, context);
        Ok(())
    }
}

impl Counts {
    fn count(&mut self, kind: &EventKind<'_>, context: &Context<'_>) {
        if let Some(reason) = context.skip_reason() {
            *self.skipped.entry(reason.name()).or_default() += 1;
            return;
        }
        self.superseded += u64::from(context.superseded.is_some());
        match kind {
            EventKind::UserPrompt { text, author, is_local_command, .. } => {
                *self.prompts.entry(author.name()).or_default() += 1;
                self.local_commands += u64::from(*is_local_command);
                self.first_prompt(&text.text, *author, *is_local_command);
            }
            EventKind::ToolUse { tool, action, target, outcome, .. } => {
                self.commands += u64::from(target.command.is_some());
                self.tool(tool, Some(action)).calls += 1;
                self.outcome(tool, Some(action), *outcome);
            }
            EventKind::ToolResult { tool, action, outcome, .. } => {
                self.outcome(tool.unwrap_or(UNKNOWN), *action, Some(*outcome));
            }
            EventKind::Permission { decision, .. } => {
                *self.permissions.entry(decision.as_str()).or_default() += 1;
            }
            EventKind::Usage { usage, model, cost } => {
                if let Some(usage) = usage {
                    self.tokens.add(usage);
                }
                self.model(*model, context);
                if let Some(cost) = cost {
                    *self.cost.get_or_insert(0.0) += cost;
                }
            }
            EventKind::AssistantText { .. }
            | EventKind::Reasoning { .. }
            | EventKind::SessionStart { .. }
            | EventKind::SessionEnd { .. } => {}
        }
    }

    fn model(&mut self, model: Option<&str>, context: &Context<'_>) {
        let is_main = context.subagent.is_none();
        add_name(if is_main { &mut self.main_models } else { &mut self.subagent_models }, model);
    }

    fn first_prompt(&mut self, text: &str, author: MessageAuthor, is_local_command: bool) {
        let first = match author {
            MessageAuthor::User | MessageAuthor::Unstated if is_local_command => {
                &mut self.first_local_command
            }
            MessageAuthor::User | MessageAuthor::Unstated => &mut self.first_prompt,
            MessageAuthor::OtherAgent => &mut self.first_by_agent,
            MessageAuthor::Program | MessageAuthor::Hook | MessageAuthor::Unknown => return,
        };
        let text = text.trim();
        if first.is_none() && !text.is_empty() {
            *first = Some(text.chars().take(MAX_PROMPT).collect());
        }
    }

    fn tool(&mut self, name: &str, action: Option<&Action<'_>>) -> &mut ToolCount {
        let is_new = !self.tools.contains_key(name);
        let is_other = is_new && self.tools.len() >= MAX_NAMES;
        let name = if is_other { OTHERS } else { name };
        let count = self.tools.entry(name.to_owned()).or_default();
        if let Some(action) = action.filter(|_| is_new && !is_other) {
            count.canonical = action.tool.to_string();
            count.category = Some(action.category);
            count.server = owned(action.server.as_deref());
        }
        count
    }

    fn outcome(&mut self, tool: &str, action: Option<&Action<'_>>, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Error) => {
                self.errors += 1;
                self.tool(tool, action).errors += 1;
            }
            Some(Outcome::Cancelled) => {
                self.cancelled += 1;
                self.tool(tool, action).cancelled += 1;
            }
            Some(Outcome::Success | Outcome::Unknown) | None => {}
        }
    }
}

impl From<&VcsContext<'_>> for Vcs {
    fn from(vcs: &VcsContext<'_>) -> Self {
        Self {
            kind: vcs.kind.clone().into_owned(),
            branch: owned(vcs.branch.as_deref()),
            revision: owned(vcs.revision.as_deref()),
            repository: owned(vcs.repository.as_deref()),
        }
    }
}

/// Returns all models: first those of the session, then those of entries.
fn models(info: &SessionInfo, main: &[String], subagents: &[String]) -> Vec<String> {
    let meta = &info.record.session.agent_meta;
    let stated = std::iter::once(&meta.model_id).chain(meta.models.iter().flatten());
    let mut models = Vec::new();
    // The main model of the main thread comes first, even if a list of the session does not
    // begin with it.
    add_name(&mut models, Some(&*meta.model_id).filter(|model| *model != UNKNOWN));
    for model in main.iter().map(String::as_str) {
        add_name(&mut models, Some(model));
    }
    for model in stated.map(|model| &**model).chain(subagents.iter().map(String::as_str)) {
        add_name(&mut models, Some(model).filter(|model| *model != UNKNOWN));
    }
    models
}

/// Returns the tools in the order of their categories, canonical names and names.
fn tools(counts: BTreeMap<String, ToolCount>) -> Vec<ToolFacts> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    let order = |category: Option<Category>| category.map_or(usize::MAX, |it| it as usize);
    counts.sort_by(|(_, a), (_, b)| {
        let key = |count: &ToolCount| (order(count.category), count.canonical.clone());
        key(a).cmp(&key(b))
    });
    let facts = counts.into_iter().map(|(tool, count)| ToolFacts {
        category: count.category.unwrap_or(Category::Other).as_str(),
        canonical: Some(count.canonical).filter(|it| !it.is_empty()).unwrap_or(UNKNOWN.to_owned()),
        server: count.server,
        tool,
        calls: count.calls,
        errors: count.errors,
        cancelled: count.cancelled,
    });
    facts.collect()
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Adds a name that is not in the list.
fn add_name(names: &mut Vec<String>, name: Option<&str>) {
    let is_new = |name: &&str| !names.iter().any(|known| known == name);
    if let Some(name) = name.filter(|name| !name.is_empty()).filter(is_new) {
        match names.len() {
            ..MAX_NAMES => names.push(name.to_owned()),
            MAX_NAMES => names.push(OTHERS.to_owned()),
            _ => {}
        }
    }
}

/// Returns the milliseconds between two times. A session of which the log states only one time
/// has no duration.
fn duration(
    start: Option<&AbstractTimestamp<'_>>,
    end: Option<&AbstractTimestamp<'_>>,
) -> Option<u64> {
    let (start, end) = (instant(start?)?, instant(end?)?);
    u64::try_from((end - start) / 1_000_000).ok().filter(|_| end != start)
}
