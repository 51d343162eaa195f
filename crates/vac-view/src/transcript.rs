//! A session for people: one item for each action, in order, with everything that belongs to it.
//!
//! An item is a prompt, an answer, reasoning, a tool call together with its result, a permission
//! decision, a compaction, or a part of the log that could not be parsed.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::transcript::{ItemKind, TranscriptOptions, transcript};
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [
//!         {"type": "tool-call", "name": "fire", "call-id": "c1", "input": {"to": 900}},
//!         {"type": "tool-result", "call-id": "c1", "output": "hot\nvery hot",
//!             "vac": {"outcome": "success"}}]
//! }}"#;
//! let document = Document::json(json)?;
//! let mut items = Vec::new();
//! let summary = record::read(&document, &[], &mut |session| {
//!     transcript(session, &[], TranscriptOptions::default(), &mut |item| {
//!         items.push(item.clone());
//!         Ok(())
//!     })
//! })?;
//! let ItemKind::Call(call) = &items[0].kind else { panic!("not a call") };
//! assert_eq!(call.result.as_ref().map(|result| result.line_count()), Some(2));
//! assert_eq!(items[0].place.pointer(), "/session/entries/0");
//! assert_eq!((items.len(), summary.totals.calls), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * A call waits for its result, and what follows waits with it, up to [`MAX_WAITING`] items. A
//!   prompt of the user ends the wait, and so does what a subagent does that the call started. A
//!   result that comes later is an item of its own.
//! * What repeats other entries, was inherited, updated or superseded is left out and counted,
//!   unless it is asked for. What was only compacted did happen and is not left out.
//! * Messages that the program or a hook wrote in the user's name are left out and counted in the
//!   same way.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use vac_adapter::message_text::MessageText;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::report::SourceFile;
use vac_adapter::{Error, Origin, Report, Session, Sink};
use vac_record::annotations::{
    Category, Decider, Decision, EntryAnnotations, Outcome, Relation, SupersededHow, UnparsedReason,
};
use vac_record::{Any, Entry};
use vac_value::{Encode as _, Encoder, Kind, Layout};

use crate::author::MessageAuthor;
use crate::context::{Context, EntryPlace, SkipReason};
use crate::diff::{Extent, FileDiff};
use crate::entry_reader::{EntryReader, EntryVisitor};
use crate::event::EventKind;
use crate::event_time::to_utc;
use crate::session_info::SessionInfo;
use crate::status::{Ended, Status};
use crate::usage_totals::UsageTotals;

/// The maximum number of items that wait for the result of a call.
pub const MAX_WAITING: usize = 256;
/// The maximum number of bytes of text in the items that wait.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// The maximum number of names that a summary lists.
const MAX_NAMES: usize = 10_000;
/// The maximum number of calls and subagents whose depth is remembered.
const MAX_DEPTHS: usize = 1 << 14;
/// Subagents are not nested deeper.
const MAX_DEPTH: usize = 8;

/// Options: the entries to include.
#[derive(Clone, Copy, Debug, Default)]
pub struct TranscriptOptions {
    /// Also what repeats other entries, was inherited, updated or superseded, and messages that
    /// the program or a hook wrote.
    pub all: bool,
}

/// The facts about a session that are known before its entries are read.
#[derive(Clone, Debug)]
pub struct Head {
    /// The session's id; bytes are in base64url.
    pub session_id: String,
    /// The agent's name.
    pub agent: String,
    /// The version of the agent's program.
    pub cli_version: Option<String>,
    /// The main model, if it is known.
    pub model: Option<String>,
    /// The working directory.
    pub working_dir: Option<String>,
    /// The time at which it began, in UTC.
    pub start: Option<String>,
    /// The time at which it ended, in UTC.
    pub end: Option<String>,
    /// The id of the session that this one came from.
    pub parent: Option<String>,
    /// The relation to that session.
    pub relation: Option<Relation>,
}

impl Head {
    /// Returns the head of a session. `sources` are the files of a log; a record states them
    /// itself.
    pub fn new(session: &dyn Session, sources: &[SourceFile]) -> Self {
        Self::from_info(&SessionInfo::new(session, sources))
    }

    pub(crate) fn from_info(info: &SessionInfo) -> Self {
        let session = &info.record.session;
        let meta = &session.agent_meta;
        let annotations = info.annotations.as_ref();
        Self {
            session_id: info.session_id(),
            agent: info.agent.clone(),
            cli_version: meta.cli_version.as_deref().map(str::to_owned),
            model: Some(&*meta.model_id).filter(|model| *model != UNKNOWN).map(str::to_owned),
            working_dir: session.environment.as_ref().map(|it| it.working_dir.to_string()),
            start: info.start().and_then(to_utc),
            end: info.end().and_then(to_utc),
            parent: annotations.and_then(|it| it.parent.as_deref()).map(str::to_owned),
            relation: annotations.and_then(|it| it.relation),
        }
    }
}

/// One action of a session.
#[derive(Clone, Debug)]
pub struct Item {
    /// The place of its entry in the session.
    pub place: EntryPlace,
    /// The id of its entry.
    pub entry_id: Option<String>,
    /// The time at which it happened, in UTC, if the log states it.
    pub time: Option<String>,
    /// 0 for the main thread, 1 for its subagents, and so on.
    pub depth: usize,
    /// The subagent that did it.
    pub subagent: Option<String>,
    /// The way in which it stopped being part of the conversation.
    pub superseded: Option<SupersededHow>,
    /// The reason why it is usually left out.
    pub skip_reason: Option<SkipReason>,
    /// The kind of event.
    pub kind: ItemKind,
}

/// The kind of event.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A message in the user's name.
    Prompt {
        /// The author.
        author: MessageAuthor,
        /// Its text; if the user wrote it, only what the user typed.
        text: MessageText,
        /// The command line, if the user ran a shell command.
        command: Option<String>,
        /// Whether it is a command for the program, not for the model.
        is_local_command: bool,
    },
    /// A message in the model's name.
    Answer {
        /// The author, if it is not the model.
        author: Option<MessageAuthor>,
        /// Its text.
        text: MessageText,
        /// The model.
        model: Option<String>,
    },
    /// Reasoning of the model.
    Reasoning {
        /// Its text, as far as it can be read.
        text: MessageText,
        /// The subject.
        subject: Option<String>,
        /// Whether only the provider can read it, or the rest of it.
        is_encrypted: bool,
    },
    /// A tool call, with its result.
    Call(Box<Call>),
    /// A result that came long after its call, or whose call is unknown.
    Result {
        /// The tool's native name, if the call is known.
        tool: Option<String>,
        /// The outcome of the call.
        result: CallResult,
    },
    /// A decision about what the agent may do.
    Permission {
        /// The decision.
        decision: Decision,
        /// The decider.
        by: Option<Decider>,
        /// The tool, command or mode that it is about.
        what: Option<String>,
    },
    /// A summary replaced the conversation so far.
    Compaction,
    /// A part of the log that could not be parsed.
    Unparsed {
        /// Why.
        reason: UnparsedReason,
    },
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool's native name.
    pub tool: String,
    /// The action of the tool.
    pub category: Category,
    /// The MCP server that provides the tool.
    pub server: Option<String>,
    /// The command line of a shell tool.
    pub command: Option<String>,
    /// The paths that the call names.
    pub paths: Vec<String>,
    /// The host of an address.
    pub host: Option<String>,
    /// The changes of an edit, for each file.
    pub edits: Vec<FileDiff>,
    /// The session or subagent that the call started.
    pub delegated_to: Option<String>,
    /// The input as compact JSON; empty if JSON cannot express it.
    pub input: String,
    /// The outcome, if the call itself states it.
    pub outcome: Option<Outcome>,
    /// The exit code, if the call itself states one.
    pub exit_code: Option<i128>,
    /// Its result, if there is one.
    pub result: Option<CallResult>,
    /// Joins a call and its result.
    id: Option<String>,
}

impl Call {
    /// Returns how the call ended, if it is known.
    pub fn ending(&self) -> Option<Outcome> {
        self.result.as_ref().map(|result| result.outcome).or(self.outcome)
    }

    /// Returns the exit code of a command.
    pub fn code(&self) -> Option<i128> {
        self.result.as_ref().and_then(|result| result.exit_code).or(self.exit_code)
    }
}

/// The result of a tool call.
#[derive(Clone, Debug)]
pub struct CallResult {
    /// The place of its entry in the session.
    pub place: EntryPlace,
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The exit code of a command.
    pub exit_code: Option<i128>,
    /// The time at which it ended, in UTC, if the log states it.
    pub time: Option<String>,
    /// The text of the output, or the output as compact JSON if it is not text.
    pub output: String,
}

impl CallResult {
    /// Returns the number of lines of the output.
    pub fn line_count(&self) -> usize {
        self.output.lines().count()
    }
}

/// A summary of a session.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The totals of the session.
    pub totals: Totals,
    /// The way in which the session ended.
    pub ended: Ended,
    /// The status of the session.
    pub status: Status,
}

/// The numbers of what a session did. What was left out does not count.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The number of prompts of the user.
    pub prompts: u64,
    /// The number of tool calls.
    pub calls: u64,
    /// The number of tool calls that failed.
    pub failed_calls: u64,
    /// The number of tool calls that were cancelled.
    pub cancelled_calls: u64,
    /// The number of commands that the agent ran.
    pub commands: u64,
    /// The number of commands that failed.
    pub failed_commands: u64,
    /// The files that were changed by edits that did not fail, with the numbers of lines.
    pub files: BTreeMap<String, FileTotal>,
    /// The hosts of addresses, with the number of calls.
    pub hosts: BTreeMap<String, u64>,
    /// Tokens.
    pub tokens: UsageTotals,
    /// The cost that the log states.
    pub cost: Option<f64>,
    /// The number of items that are not part of the conversation any more.
    pub superseded: u64,
    /// The number of items that repeat others, were inherited or updated.
    pub repeated: u64,
    /// The number of messages in the user's name that the program or a hook wrote.
    pub by_program: u64,
    /// The number of entries with bytes that could not be parsed.
    pub unparsed: u64,
    /// The number of annotations that are not valid and were ignored.
    pub invalid_annotations: u64,
}

/// What edits did to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTotal {
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
    /// Whether an edit did not state its lines.
    pub is_partial: bool,
    /// Whether the last edit deleted it.
    pub is_deleted: bool,
}

/// Receives items.
pub type ItemReceiver<'t> = dyn FnMut(&Item) -> Result<(), Error> + 't;

/// Reads the items of a session, in order. `sources` are the files of a log; a record states them
/// itself.
///
/// # Errors
/// If the session cannot be read, or `receive` fails.
pub fn transcript(
    session: &dyn Session,
    sources: &[SourceFile],
    options: TranscriptOptions,
    receive: &mut ItemReceiver<'_>,
) -> Result<Summary, Error> {
    let mut sink = TranscriptSink::new(session, sources, options, receive);
    session.entries(&mut sink)?;
    sink.finish()
}

/// Receives the entries of a session and reports its items.
pub struct TranscriptSink<'t, 'f> {
    reader: EntryReader,
    items: Items<'t, 'f>,
    report: Report,
}

impl Sink for TranscriptSink<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        self.reader.read(&entry, &mut self.items)?;
        self.items.flush()
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl<'t, 'f> TranscriptSink<'t, 'f> {
    /// Creates a sink for the entries of a session. The parameters are those of [`transcript`].
    pub fn new(
        session: &dyn Session,
        sources: &[SourceFile],
        options: TranscriptOptions,
        receive: &'t mut ItemReceiver<'f>,
    ) -> Self {
        let info = SessionInfo::new(session, sources);
        let reader = EntryReader::new(info.adapter);
        let items = Items {
            info,
            options,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            releases: 0,
            depths: HashMap::new(),
            subagents: HashMap::new(),
            compacted_by: HashSet::new(),
            last_is_compaction: false,
            totals: Totals::default(),
            receive,
        };
        Self { reader, items, report: Report::default() }
    }

    /// Reports the items that wait for a result. Returns the summary.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.items.releases = self.items.waiting.len();
        self.items.flush()?;
        let mut totals = self.items.totals;
        totals.invalid_annotations =
            self.reader.invalid_annotations + u64::from(self.items.info.has_invalid_annotations);
        // Sums of decimals are not decimals, so round to a millionth.
        totals.cost = totals.cost.map(|cost| (cost * 1e6).round() / 1e6);
        Ok(Summary { totals, ended: self.reader.ended(), status: self.reader.status() })
    }
}

struct Items<'t, 'f> {
    info: SessionInfo,
    options: TranscriptOptions,
    waiting: VecDeque<Item>,
    waiting_bytes: usize,
    /// The number of waiting items that do not wait any longer.
    releases: usize,
    /// The depths of calls that may have started subagents, by call id.
    depths: HashMap<String, usize>,
    /// The depths of subagents, by id.
    subagents: HashMap<String, usize>,
    /// The ids of entries that compacted others.
    compacted_by: HashSet<String>,
    last_is_compaction: bool,
    totals: Totals,
    receive: &'t mut ItemReceiver<'f>,
}

impl EntryVisitor for Items<'_, '_> {
    fn entry(&mut self, entry: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context) {
        if let Some(superseded) = &annotations.superseded
            && superseded.how == SupersededHow::Compacted
            && let Some(by) = superseded.by.as_deref()
            && self.compacted_by.len() < MAX_NAMES
        {
            self.compacted_by.insert(by.to_owned());
        }
        let adapter = self.info.adapter;
        let is_compaction = match entry {
            Entry::Event(event) => {
                let types = adapter.map_or(&[][..], |adapter| adapter.compaction_events());
                types.contains(&&*event.event_type)
                    || entry.id().is_some_and(|id| self.compacted_by.contains(&**id))
            }
            _ => false,
        };
        if is_compaction && !self.last_is_compaction {
            self.push(ItemKind::Compaction, context);
        }
        if let Some(reason) = annotations.reason {
            self.totals.unparsed += 1;
            self.push(ItemKind::Unparsed { reason }, context);
        }
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        let kind = match kind {
            EventKind::UserPrompt { text, author, is_local_command, command, .. } => {
                if Self::is_included(context) {
                    match author {
                        MessageAuthor::User | MessageAuthor::Unstated => self.totals.prompts += 1,
                        MessageAuthor::Program | MessageAuthor::Hook => {
                            self.totals.by_program += 1;
                            if !self.options.all {
                                return Ok(());
                            }
                        }
                        MessageAuthor::OtherAgent | MessageAuthor::Unknown => {}
                    }
                }
                if author == MessageAuthor::User && context.subagent.is_none() {
                    self.releases = self.waiting.len();
                }
                ItemKind::Prompt { author, text, command, is_local_command }
            }
            EventKind::AssistantText { text, model, author } => {
                ItemKind::Answer { author, text, model: model.map(str::to_owned) }
            }
            EventKind::Reasoning { text, subject, is_encrypted } => {
                ItemKind::Reasoning { text, subject: subject.map(str::to_owned), is_encrypted }
            }
            EventKind::ToolUse {
                tool,
                action,
                call_id,
                target,
                delegated_to,
                input,
                outcome,
                exit_code,
            } => ItemKind::Call(Box::new(Call {
                edits: self.edits(tool, action.category, input),
                tool: tool.to_owned(),
                category: action.category,
                server: action.server.as_deref().map(str::to_owned),
                command: target.command,
                paths: target.paths,
                host: target.host,
                delegated_to: delegated_to.map(str::to_owned),
                input: compact_json(input),
                outcome,
                exit_code,
                result: None,
                id: call_id.map(str::to_owned),
            })),
            EventKind::ToolResult { tool, action, call_id, outcome, exit_code, text, output } => {
                let time = context.timestamp.and_then(to_utc);
                let json = || if is_null(output) { String::new() } else { compact_json(output) };
                let output = text.unwrap_or_else(json);
                let place = context.place();
                let result = CallResult { place, outcome, exit_code, time, output };
                let category = action.map(|action| action.category);
                self.result(tool, category, call_id, result, context);
                return Ok(());
            }
            EventKind::Permission { decision, by, what, .. } => {
                ItemKind::Permission { decision, by, what: what.map(str::to_owned) }
            }
            EventKind::Usage { usage, cost, .. } => {
                if context.skip_reason().is_none() {
                    if let Some(usage) = usage {
                        self.totals.tokens.add(usage);
                    }
                    if let Some(cost) = cost {
                        *self.totals.cost.get_or_insert(0.0) += cost;
                    }
                }
                return Ok(());
            }
            EventKind::SessionStart { .. } | EventKind::SessionEnd { .. } => return Ok(()),
        };
        self.push(kind, context);
        Ok(())
    }
}

impl Items<'_, '_> {
    /// Returns whether an item with this context is included without being asked for.
    fn is_included(context: &Context<'_>) -> bool {
        let is_compacted = |how: SupersededHow| how == SupersededHow::Compacted;
        context.skip_reason().is_none()
            && context.superseded.is_none_or(|superseded| is_compacted(superseded.how))
    }

    fn edits(&self, tool: &str, category: Category, input: &Any<'_>) -> Vec<FileDiff> {
        let Some(adapter) = self.info.adapter.filter(|_| category == Category::Edit) else {
            return Vec::new();
        };
        let Ok(document) = input.document() else { return Vec::new() };
        adapter.tools().edits(tool, document.root()).into_iter().map(FileDiff::new).collect()
    }

    /// Adds an item, unless it is left out.
    fn push(&mut self, kind: ItemKind, context: &Context<'_>) {
        if !Self::is_included(context) {
            match context.skip_reason() {
                Some(_) => self.totals.repeated += 1,
                None => self.totals.superseded += 1,
            }
            if !self.options.all {
                return;
            }
        }
        let depth = self.depth(context);
        let item = Item {
            place: context.place(),
            entry_id: context.entry_id.map(str::to_owned),
            time: context.timestamp.and_then(to_utc),
            depth,
            subagent: context.subagent.and_then(|it| it.id.as_deref()).map(str::to_owned),
            superseded: context.superseded.map(|superseded| superseded.how),
            skip_reason: context.skip_reason(),
            kind,
        };
        self.last_is_compaction = matches!(item.kind, ItemKind::Compaction);
        if let ItemKind::Call(call) = &item.kind {
            if let Some(id) = call.id.as_ref().filter(|_| call.category == Category::Delegate)
                && self.depths.len() < MAX_DEPTHS
            {
                self.depths.insert(id.clone(), depth);
            }
            if Self::is_included(context) {
                self.totals.call(call);
            }
        }
        self.waiting_bytes = self.waiting_bytes.saturating_add(item.size());
        self.waiting.push_back(item);
    }

    /// Returns the depth of the subagent that did something. The call that started it does not
    /// wait any longer.
    fn depth(&mut self, context: &Context<'_>) -> usize {
        let Some(subagent) = context.subagent else { return 0 };
        let id = subagent.id.as_deref();
        if let Some(depth) = id.and_then(|id| self.subagents.get(id)) {
            return *depth;
        }
        let call = subagent.call_id.as_deref();
        let of_call = call.and_then(|call| self.depths.get(call)).copied();
        let depth = of_call.map_or(1, |depth| depth + 1).min(MAX_DEPTH);
        if let Some(id) = id.filter(|_| self.subagents.len() < MAX_DEPTHS) {
            self.subagents.insert(id.to_owned(), depth);
        }
        let is_starter = |item: &Item| match &item.kind {
            ItemKind::Call(it) => call.is_some() && it.id.as_deref() == call,
            _ => false,
        };
        if let Some(at) = self.waiting.iter().position(is_starter) {
            self.releases = self.releases.max(at + 1);
        }
        depth
    }

    /// Gives a result to its call, or adds it as an item.
    fn result(
        &mut self,
        tool: Option<&str>,
        category: Option<Category>,
        call_id: Option<&str>,
        result: CallResult,
        context: &Context<'_>,
    ) {
        if Self::is_included(context) {
            self.totals.outcome(category, Some(result.outcome));
        }
        let place = context.place();
        let is_its_call = |call: &Call, item: &EntryPlace| {
            call.result.is_none()
                && match call_id {
                    Some(_) => call.id.as_deref() == call_id,
                    None => call.id.is_none() || item.contains(&place),
                }
        };
        for item in self.waiting.iter_mut().rev() {
            if let ItemKind::Call(call) = &mut item.kind
                && is_its_call(call, &item.place)
            {
                self.waiting_bytes = self.waiting_bytes.saturating_add(result.output.len());
                call.result = Some(result);
                return;
            }
        }
        self.push(ItemKind::Result { tool: tool.map(str::to_owned), result }, context);
    }

    /// Reports items until one waits for its result.
    fn flush(&mut self) -> Result<(), Error> {
        while let Some(first) = self.waiting.front() {
            let is_open = matches!(&first.kind, ItemKind::Call(call) if call.is_open());
            let is_full =
                self.waiting.len() > MAX_WAITING || self.waiting_bytes > MAX_WAITING_BYTES;
            if is_open && self.releases == 0 && !is_full {
                return Ok(());
            }
            let Some(item) = self.waiting.pop_front() else { return Ok(()) };
            self.releases = self.releases.saturating_sub(1);
            self.waiting_bytes = self.waiting_bytes.saturating_sub(item.size());
            if let ItemKind::Call(call) = &item.kind
                && item.skip_reason.is_none()
            {
                self.totals.edits(call);
            }
            (self.receive)(&item)?;
        }
        Ok(())
    }
}

impl Call {
    fn is_open(&self) -> bool {
        self.result.is_none() && self.outcome.is_none()
    }
}

impl Item {
    /// Returns the number of bytes of its texts.
    fn size(&self) -> usize {
        match &self.kind {
            ItemKind::Prompt { text, .. }
            | ItemKind::Answer { text, .. }
            | ItemKind::Reasoning { text, .. } => text.text.len(),
            ItemKind::Call(call) => {
                let output = call.result.as_ref().map_or(0, |result| result.output.len());
                call.input.len() + output
            }
            ItemKind::Result { result, .. } => result.output.len(),
            ItemKind::Permission { .. } | ItemKind::Compaction | ItemKind::Unparsed { .. } => 0,
        }
    }
}

impl Totals {
    fn call(&mut self, call: &Call) {
        self.calls += 1;
        self.commands += u64::from(call.command.is_some());
        self.outcome(Some(call.category), call.outcome);
        if let Some(host) = &call.host
            && (self.hosts.len() < MAX_NAMES || self.hosts.contains_key(host))
        {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
    }

    fn outcome(&mut self, category: Option<Category>, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Error) => {
                self.failed_calls += 1;
                self.failed_commands += u64::from(category == Some(Category::Execute));
            }
            Some(Outcome::Cancelled) => self.cancelled_calls += 1,
            Some(Outcome::Success | Outcome::Unknown) | None => {}
        }
    }

    /// Counts the lines of edits, unless the call failed.
    fn edits(&mut self, call: &Call) {
        if matches!(call.ending(), Some(Outcome::Error | Outcome::Cancelled)) {
            return;
        }
        for edit in &call.edits {
            let Some(path) = &edit.path else { continue };
            if self.files.len() >= MAX_NAMES && !self.files.contains_key(path) {
                continue;
            }
            let total = self.files.entry(path.clone()).or_default();
            total.is_deleted = edit.extent == Extent::Deleted;
            match edit.extent {
                Extent::Lines { added, removed } => {
                    total.added = total.added.saturating_add(added);
                    total.removed = total.removed.saturating_add(removed);
                }
                Extent::Written(lines) => {
                    total.added = total.added.saturating_add(lines);
                }
                Extent::Deleted => {}
                Extent::Unknown => total.is_partial = true,
            }
        }
    }
}

fn is_null(value: &Any<'_>) -> bool {
    value.document().is_ok_and(|document| document.root().kind() == Kind::Null)
}

/// Returns a value as compact JSON; empty if JSON cannot express it.
fn compact_json(value: &Any<'_>) -> String {
    let mut encoder = Encoder::json(Layout::Compact);
    match value.encode(&mut encoder) {
        Ok(()) => String::from_utf8(encoder.finish()).unwrap_or_default(),
        Err(_) => String::new(),
    }
}
