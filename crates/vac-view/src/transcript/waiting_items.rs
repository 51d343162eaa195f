//! Items that wait, in their order, until the result of the first of them is known.

use std::collections::{HashMap, HashSet, VecDeque};

use vac_adapter::Error;
use vac_adapter::tools::canonical;
use vac_record::annotations::{Category, EntryAnnotations, SupersededHow};
use vac_record::{Any, Entry};
use vac_value::{Encode as _, Encoder, Kind, Layout};

use super::item::{Call, CallResult, Item, ItemKind};
use super::summary::Totals;
use super::{ItemReceiver, MAX_NAMES, TranscriptOptions};
use crate::author::MessageAuthor;
use crate::context::{Context, EntryPlace};
use crate::diff::FileDiff;
use crate::entry_reader::EntryVisitor;
use crate::event::EventKind;
use crate::event_time::to_utc;
use crate::session_info::SessionInfo;

/// The maximum number of items that wait for the result of a call.
pub const MAX_WAITING: usize = 256;
/// The maximum number of bytes of text in the items that wait.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// The maximum number of calls and subagents whose depth is remembered.
const MAX_DEPTHS: usize = 1 << 14;
/// The maximum depth that is reported for a subagent.
const MAX_DEPTH: usize = 8;

/// Collects items, and keeps those after a call until its result is known.
pub(super) struct WaitingItems<'t, 'f> {
    info: SessionInfo,
    options: TranscriptOptions,
    waiting: VecDeque<Item>,
    waiting_bytes: usize,
    /// The number of waiting items that can be reported.
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

impl EntryVisitor for WaitingItems<'_, '_> {
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
                is_of_user: action.tool == canonical::USER_COMMAND,
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

impl<'t, 'f> WaitingItems<'t, 'f> {
    /// Creates an empty collection for the items of a session.
    pub fn new(
        info: SessionInfo,
        options: TranscriptOptions,
        receive: &'t mut ItemReceiver<'f>,
    ) -> Self {
        Self {
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
        }
    }

    /// Reports all items that are left. Returns the totals.
    pub fn finish(mut self) -> Result<Totals, Error> {
        self.releases = self.waiting.len();
        self.flush()?;
        self.totals.invalid_annotations = u64::from(self.info.has_invalid_annotations);
        // Binary sums of decimals have rounding errors, so round to a millionth.
        self.totals.cost = self.totals.cost.map(|cost| (cost * 1e6).round() / 1e6);
        Ok(self.totals)
    }

    /// Returns whether an item with this context is included by default.
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

    /// Adds an item, unless its entry is left out.
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

    /// Returns the depth of the subagent of an entry, and releases the call that started it.
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

    /// Adds a result to its call, or as an item of its own.
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
    pub fn flush(&mut self) -> Result<(), Error> {
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

fn is_null(value: &Any<'_>) -> bool {
    value.document().is_ok_and(|document| document.root().kind() == Kind::Null)
}

/// Returns a value as compact JSON; empty if JSON cannot express it.
fn compact_json(value: &Any<'_>) -> String {
    let mut encoder = Encoder::json(Layout::Compact);
    match value.encode(&mut encoder) {
        Ok(()) => String::from_utf8(encoder.finish()).expect("JSON is UTF-8"),
        Err(_) => String::new(),
    }
}
