//! The rows of one session.

use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::{Adapter, Error, Origin, Report, Session, Sink, SourceFile};
use vac_record::annotations::{EntryAnnotations, EntryAnnotationsInherited};
use vac_record::{AbstractTimestamp, Entry};
use vac_value::Encode;
use vac_view::entry_reader::EntryVisitor;
use vac_view::usage_totals::UsageTotals;
use vac_view::{Context, EventKind, FactsSink, MessageAuthor};

use crate::calls::{CallPermission, CallResult, WaitingCalls};
use crate::column::integer;
use crate::entry_tree::EntryTree;
use crate::finished_session::FinishedSession;
use crate::json_text::{ColumnJson, JsonWriter};
use crate::record_key::record_key;
use crate::table::SessionTable;
use crate::tables::{EntryRow, UsageRow};
use crate::values::{WITHOUT_ID, bounded, microseconds, subagent};
use crate::writer::{SessionOrigin, Tables};

/// The source of a cost that the log states.
const COST_OF_LOG: &str = "log";

/// Returns the [key](crate::record_key) of a session, without reading its entries.
pub fn session_key(session: &dyn Session, origin: &SessionOrigin) -> String {
    key(&FactsSink::new(session, &origin.sources), origin)
}

fn key(facts: &FactsSink, origin: &SessionOrigin) -> String {
    record_key(&facts.session_id(), facts.sources(), origin.record_sha256.as_deref())
}

/// Receives the entries of a session and converts them to rows.
pub struct TableSink<'t, 'r> {
    facts: FactsSink,
    origin: SessionOrigin,
    rows: SessionRows<'t, 'r>,
}

impl<'t, 'r> TableSink<'t, 'r> {
    /// Creates a sink for the entries of a session.
    pub fn new(session: &dyn Session, origin: &SessionOrigin, tables: &'t mut Tables<'r>) -> Self {
        let facts = FactsSink::new(session, &origin.sources);
        let record = facts.record();
        let trace = &record.session;
        let model = Some(&*trace.agent_meta.model_id).filter(|model| *model != UNKNOWN);
        let environment = trace.environment.as_ref();
        let rows = SessionRows {
            key: key(&facts, origin),
            adapter: session.adapter(),
            sources: origin.sources.clone(),
            model: model.map(str::to_owned),
            working_dir: environment.map(|environment| environment.working_dir.to_string()),
            next_entry: 0,
            next_ordinal: 0,
            tree: EntryTree::default(),
            found: Vec::new(),
            calls: WaitingCalls::default(),
            json: JsonWriter::new(),
            extensions: JsonWriter::new(),
            tables,
        };
        Self { facts, origin: origin.clone(), rows }
    }

    /// Adds the remaining rows and the row of the session. Returns the key of the session.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(self) -> Result<String, Error> {
        let Self { facts, origin, mut rows } = self;
        while let Some(call) = rows.calls.pop_first() {
            rows.call(&call, &CallResult::default());
        }
        let version = facts.record().version.to_string();
        let recording = facts.record().recording_agent.as_ref();
        let stated = recording.and_then(|agent| agent.version.as_deref()).map(str::to_owned);
        let is_record = origin.sources.is_empty();
        let vac_version = if is_record { stated } else { origin.vac_version.clone() };
        let (facts, report) = facts.finish_with_report();
        if rows.tables.selected.contains(SessionTable::Sessions) {
            let unknown_types = report.unknown_types.values().sum();
            let session = FinishedSession {
                facts: &facts,
                origin: &origin,
                schema_version: &version,
                vac_version: vac_version.as_deref(),
                unknown_types: (!is_record).then_some(unknown_types),
            };
            rows.session(&session);
        }
        rows.tables.flush_if_full()?;
        Ok(rows.key)
    }
}

impl Sink for TableSink<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, origin: Origin<'_>) -> Result<(), Error> {
        self.rows.begin(&entry);
        self.facts.read(&entry, &mut self.rows)?;
        self.rows.entries(&entry, origin)
    }

    fn report(&mut self) -> &mut Report {
        self.facts.report()
    }
}

/// Converts the entries of a session to rows.
pub(crate) struct SessionRows<'t, 'r> {
    pub key: String,
    pub adapter: Option<&'static dyn Adapter>,
    /// The files of a log, whose names are stated by position.
    pub sources: Vec<SourceFile>,
    pub model: Option<String>,
    pub working_dir: Option<String>,
    /// The index of the current entry in the session's list.
    pub next_entry: u64,
    /// The number of entries before it, with children.
    pub next_ordinal: i64,
    /// The current entry of the session's list.
    pub tree: EntryTree,
    /// The facts that the visitor found about each entry of the tree.
    pub found: Vec<FoundEntry>,
    pub calls: WaitingCalls,
    pub json: JsonWriter,
    /// The writer for a second JSON value of the same row.
    pub extensions: JsonWriter,
    pub tables: &'t mut Tables<'r>,
}

/// The facts that the visitor found about an entry.
#[derive(Default)]
pub(crate) struct FoundEntry {
    pub author: Option<&'static str>,
    pub timestamp: Option<i64>,
    pub tool: Option<String>,
    pub text: Option<String>,
    /// The tokens that the entry states, as JSON.
    pub statement: Option<String>,
    pub superseded: Option<&'static str>,
    pub duplicate_of: Option<String>,
    pub inherited: Option<String>,
    pub subagent: Option<String>,
    pub is_counted: bool,
    pub is_lossy: bool,
}

impl SessionRows<'_, '_> {
    fn begin(&mut self, entry: &Entry<'_>) {
        let count = self.tree.set(entry);
        self.found.clear();
        self.found.resize_with(count, FoundEntry::default);
    }

    /// Whether the rows of a table are wanted.
    pub fn selects(&self, table: SessionTable) -> bool {
        self.tables.selected.contains(table)
    }

    /// Returns the index in the tree of the entry that an event was read from.
    pub fn index(&self, context: &Context<'_>) -> usize {
        context.position.map_or(0, |position| self.tree.index(position))
    }

    /// Returns the number in the session of an entry of the tree.
    pub fn ordinal(&self, index: usize) -> i64 {
        self.next_ordinal + integer(index as u64)
    }

    /// Adds the rows of the current entry.
    fn entries(&mut self, entry: &Entry<'_>, origin: Origin<'_>) -> Result<(), Error> {
        if self.selects(SessionTable::Entries) {
            let mut path = format!("/session/entries/{}", self.next_entry);
            self.entry_rows(entry, origin, &mut 0, &mut path)?;
        }
        self.next_entry += 1;
        self.next_ordinal = self.ordinal(self.found.len());
        self.tables.flush_if_full()
    }

    /// Adds the row of an entry and those of its children. `index` is that of the entry, and that
    /// of the next one afterwards.
    fn entry_rows(
        &mut self,
        entry: &Entry<'_>,
        origin: Origin<'_>,
        index: &mut usize,
        path: &mut String,
    ) -> Result<(), Error> {
        self.entry_row(entry, origin, *index, path);
        self.tables.flush_if_full()?;
        *index += 1;
        let length = path.len();
        for (number, child) in entry.children().unwrap_or_default().iter().enumerate() {
            path.push_str("/children/");
            path.push_str(&number.to_string());
            self.entry_rows(child, origin, index, path)?;
            path.truncate(length);
        }
        Ok(())
    }

    fn entry_row(&mut self, entry: &Entry<'_>, origin: Origin<'_>, index: usize, path: &str) {
        let node = self.tree.node(index);
        let (parent, depth) = (node.parent.map(|parent| self.ordinal(parent)), node.depth);
        let ordinal = self.ordinal(index);
        let (mut message, mut call_id, mut is_error, mut event_type) = (None, None, None, None);
        let content: Option<&dyn Encode> = match entry {
            Entry::Message(it) => {
                message = Some(it);
                it.content.as_ref().map(|content| content as _)
            }
            Entry::ToolCall(it) => {
                call_id = it.call_id.as_deref();
                Some(&it.input)
            }
            Entry::ToolResult(it) => {
                (call_id, is_error) = (it.call_id.as_deref(), it.is_error);
                Some(&it.output)
            }
            Entry::Reasoning(it) => Some(&it.content),
            Entry::Event(it) => {
                event_type = Some(&*it.event_type);
                it.data.as_ref().map(|data| data as _)
            }
        };
        let content = content.map_or(ColumnJson::ABSENT, |content| self.json.write(content));
        let extensions = entry.extensions();
        let extensions = if extensions.is_empty() {
            ColumnJson::ABSENT
        } else {
            self.extensions.write(extensions)
        };
        let source = self.sources.get(origin.place.file);
        let line = Some(origin.place.line).filter(|line| *line > 0 && source.is_some());
        let stated = entry.timestamp().map(|timestamp| match timestamp {
            AbstractTimestamp::Text(text) => text.to_string(),
            AbstractTimestamp::Uint(number) => number.to_string(),
        });
        let found = &self.found[index];
        let (text, is_cut) = bounded(found.text.as_deref());
        let row = EntryRow {
            record_key: &self.key,
            ordinal,
            parent_ordinal: parent,
            depth: integer(depth as u64),
            path,
            entry_id: entry.id().map(|id| &**id),
            parent_id: message.and_then(|message| message.parent_id.as_deref()),
            r#type: entry.kind(),
            event_type,
            author: found.author,
            timestamp: found.timestamp,
            timestamp_text: stated.as_deref(),
            model: message.and_then(|message| message.model_id.as_deref()),
            tool: found.tool.as_deref(),
            call_id,
            is_error,
            text,
            content: content.text,
            extensions: extensions.text,
            superseded: found.superseded,
            duplicate_of: found.duplicate_of.as_deref(),
            inherited: found.inherited.as_deref(),
            subagent: found.subagent.as_deref(),
            is_counted: found.is_counted,
            source_file: source.map(|source| source.name.as_str()),
            source_line: line.map(integer),
            is_lossy: content.is_lossy || extensions.is_lossy || found.is_lossy || is_cut,
        };
        self.tables.builders.entries.push(row);
    }

    fn usage(&mut self, kind: &EventKind<'_>, context: &Context<'_>) {
        let &EventKind::Usage { usage, model, cost } = kind else { return };
        if !self.selects(SessionTable::Usage) {
            return;
        }
        let index = self.index(context);
        let mut tokens = UsageTotals::default();
        if let Some(usage) = usage {
            tokens.add(usage);
        }
        // Logs that do not name the model of each request have one model.
        let model = model.or(self.model.as_deref());
        let provider = model.map(provider).filter(|name| *name != UNKNOWN);
        let row = UsageRow {
            record_key: &self.key,
            ordinal: self.ordinal(index),
            timestamp: microseconds(context.timestamp),
            model,
            provider,
            statement: self.found[index].statement.as_deref(),
            input_tokens: tokens.input.map(integer),
            cache_read_tokens: tokens.cache_read.map(integer),
            cache_write_tokens: tokens.cache_write.map(integer),
            output_tokens: tokens.output.map(integer),
            reasoning_tokens: tokens.reasoning.map(integer),
            total_tokens: tokens.total.map(integer),
            cost,
            cost_source: cost.map(|_| COST_OF_LOG),
            is_counted: context.skip_reason().is_none(),
        };
        self.tables.builders.usage.push(row);
    }
}

impl EntryVisitor for SessionRows<'_, '_> {
    fn needs_result_texts(&self) -> bool {
        self.selects(SessionTable::ToolCalls)
    }

    fn entry(&mut self, entry: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context) {
        let index = self.index(context);
        let mut found = FoundEntry {
            timestamp: microseconds(context.timestamp),
            superseded: context.superseded.map(|superseded| superseded.how.as_str()),
            duplicate_of: context.duplicate_of.map(str::to_owned),
            inherited: context.inherited.map(|inherited| match inherited {
                EntryAnnotationsInherited::True(_) => WITHOUT_ID.to_owned(),
                EntryAnnotationsInherited::Text(id) => id.to_string(),
            }),
            subagent: context.subagent.map(subagent),
            is_counted: context.skip_reason().is_none(),
            ..FoundEntry::default()
        };
        if let Entry::Message(message) = entry {
            found.author =
                annotations.author.map(|it| MessageAuthor::from_annotation(Some(it)).name());
            if let Some(usage) =
                message.token_usage.as_ref().filter(|_| self.selects(SessionTable::Usage))
            {
                let json = self.json.write(usage);
                found.is_lossy |= json.is_lossy;
                found.statement = json.text.map(str::to_owned);
            }
        }
        self.found[index] = found;
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        if let EventKind::UserPrompt { author, .. } = kind {
            // A message of type `user` that consists of results has no text and no author.
            let index = self.index(context);
            self.found[index].author = Some(author.name());
        }
        match kind {
            EventKind::UserPrompt { text, .. }
            | EventKind::AssistantText { text, .. }
            | EventKind::Reasoning { text, .. } => {
                let index = self.index(context);
                self.found[index].text = Some(text.text).filter(|text| !text.is_empty());
            }
            EventKind::ToolUse { .. } => {
                if let Some(call) = self.tool_use(kind, context) {
                    self.call(&call, &CallResult::default());
                }
            }
            EventKind::ToolResult { .. } => self.tool_result(kind, context),
            EventKind::Usage { .. } => self.usage(&kind, context),
            EventKind::Permission { decision, by, call_id: Some(id), .. } => {
                self.calls.decide(id, CallPermission { decision, by });
            }
            EventKind::Permission { .. }
            | EventKind::SessionStart { .. }
            | EventKind::SessionEnd { .. } => {}
        }
        self.tables.flush_if_full()
    }
}
