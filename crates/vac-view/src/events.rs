//! A session as a flat stream of events, the same for all agents.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::events::{EventOptions, events};
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1", "session-start": "2026-01-05T09:30:00Z",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "kiln"},
//!     "entries": [{"type": "tool-call", "name": "fire", "call-id": "c1", "input": {"to": 900},
//!         "vac": {"action": {"tool": "shell_exec", "category": "Execute"}}}]
//! }}"#;
//! let document = Document::json(json)?;
//! let mut lines = Vec::new();
//! record::read(&document, &[], &mut |session| {
//!     events(session, &[], EventOptions::default(), &mut |event| {
//!         lines.push(String::from_utf8(event.line()).unwrap());
//!         Ok(())
//!     })
//! })?;
//! assert_eq!(lines[1], concat!(
//!     r#"{"event":"tool_use","session-id":"s1","agent":"kiln","#,
//!     r#""timestamp":"2026-01-05T09:30:00.000001Z","timestamp-derived":"order","#,
//!     r#""tool":"fire","canonical":"shell_exec","category":"Execute","call-id":"c1","#,
//!     r#""input":{"to":900}}"#,
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use serde::Serialize;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::report::SourceFile;
use vac_adapter::{Error, Origin, Report, Session, Sink, annotation};
use vac_record::annotations::{EndOf, EntryAnnotations};
use vac_record::{AbstractTimestamp, Entry};

use crate::author::{AuthorSet, MessageAuthor};
use crate::context::{Context, SkipReason};
use crate::entry_reader::{EntryReader, EntryVisitor};
use crate::event::{Event, EventKind};
use crate::event_time::{Derived, EventTime, SessionClock};
use crate::session_info::SessionInfo;
use crate::status::{Ended, Status};

/// The events to report.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each selects one kind of event
pub struct EventOptions {
    /// Whether to report `user_prompt`.
    pub prompts: bool,
    /// Whether to report `tool_use` and `tool_result`.
    pub tools: bool,
    /// Whether to report `permission`.
    pub permissions: bool,
    /// Whether to report `assistant_text`.
    pub text: bool,
    /// Whether to report `reasoning`.
    pub reasoning: bool,
    /// Whether to report `usage`.
    pub usage: bool,
    /// Whether to report `session_start` and `session_end`.
    pub boundaries: bool,
    /// The authors whose messages to report.
    pub authors: AuthorSet,
    /// Whether to also report entries that repeat others, were inherited or updated.
    pub repeated: bool,
}

impl Default for EventOptions {
    /// Selects every kind of event, the messages of the user and of the model, and nothing that is
    /// repeated.
    fn default() -> Self {
        Self {
            prompts: true,
            tools: true,
            permissions: true,
            text: true,
            reasoning: true,
            usage: true,
            boundaries: true,
            authors: AuthorSet::USER,
            repeated: false,
        }
    }
}

impl EventOptions {
    /// Options that report no events.
    pub const NOTHING: Self = Self {
        prompts: false,
        tools: false,
        permissions: false,
        text: false,
        reasoning: false,
        usage: false,
        boundaries: false,
        authors: AuthorSet::USER,
        repeated: false,
    };

    /// Returns options that report all events of a session.
    pub fn everything() -> Self {
        Self { authors: AuthorSet::ALL, repeated: true, ..Self::default() }
    }

    fn selects(self, kind: &EventKind<'_>) -> bool {
        match kind {
            EventKind::SessionStart { .. } | EventKind::SessionEnd { .. } => self.boundaries,
            EventKind::UserPrompt { .. } => self.prompts,
            EventKind::AssistantText { .. } => self.text,
            EventKind::Reasoning { .. } => self.reasoning,
            EventKind::ToolUse { .. } | EventKind::ToolResult { .. } => self.tools,
            EventKind::Permission { .. } => self.permissions,
            EventKind::Usage { .. } => self.usage,
        }
    }
}

/// The numbers of events and entries that were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedEvents {
    /// Messages of authors that were not selected.
    pub by_author: BTreeMap<MessageAuthor, u64>,
    /// Events that repeat others, were inherited or updated.
    pub repeated: BTreeMap<SkipReason, u64>,
    /// Entries with bytes that could not be parsed.
    pub unparsed: u64,
    /// Annotations that are not valid and were ignored.
    pub invalid_annotations: u64,
}

impl SkippedEvents {
    /// Adds the numbers of another session.
    pub fn add(&mut self, other: &Self) {
        for (author, count) in &other.by_author {
            *self.by_author.entry(*author).or_default() += count;
        }
        for (reason, count) in &other.repeated {
            *self.repeated.entry(*reason).or_default() += count;
        }
        self.unparsed += other.unparsed;
        self.invalid_annotations += other.invalid_annotations;
    }
}

/// A function that receives events, in order.
pub type EventReceiver<'t> = dyn FnMut(&Event<'_>) -> Result<(), Error> + 't;

/// Reports the events of a session, in order, as its entries are read. `sources` are the files
/// of a log; a record states them itself.
///
/// # Errors
/// If the session cannot be read, or `receive` fails.
pub fn events(
    session: &dyn Session,
    sources: &[SourceFile],
    options: EventOptions,
    receive: &mut EventReceiver<'_>,
) -> Result<SkippedEvents, Error> {
    let mut sink = EventSink::new(session, sources, options, receive);
    session.entries(&mut sink)?;
    sink.finish()
}

/// Receives the entries of a session and reports their events.
pub struct EventSink<'t, 'f> {
    reader: EntryReader,
    output: Output<'t, 'f>,
    has_begun: bool,
    report: Report,
}

/// The last entry of a session, which states its end.
struct LastEntry {
    id: Option<String>,
}

/// Adds times to events and reports those that are selected.
struct Output<'t, 'f> {
    info: SessionInfo,
    options: EventOptions,
    clock: SessionClock,
    skipped: SkippedEvents,
    /// The last entry, if it states the end of the session.
    ends_by: Option<LastEntry>,
    receive: &'t mut EventReceiver<'f>,
}

impl Sink for EventSink<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        if !self.has_begun {
            self.has_begun = true;
            self.output.begin(Some(&entry))?;
        }
        self.output.ends_by = None;
        self.reader.read(&entry, &mut self.output)
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl<'t, 'f> EventSink<'t, 'f> {
    /// Creates a sink for the entries of a session. The parameters are those of [`events`].
    pub fn new(
        session: &dyn Session,
        sources: &[SourceFile],
        options: EventOptions,
        receive: &'t mut EventReceiver<'f>,
    ) -> Self {
        let info = SessionInfo::new(session, sources);
        Self {
            reader: EntryReader::new(info.adapter),
            output: Output {
                info,
                options,
                clock: SessionClock::default(),
                skipped: SkippedEvents::default(),
                ends_by: None,
                receive,
            },
            has_begun: false,
            report: Report::default(),
        }
    }

    /// Reports the last event. Returns the numbers of events and entries that were skipped.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(mut self) -> Result<SkippedEvents, Error> {
        if !self.has_begun {
            self.output.begin(None)?;
        }
        self.output.end(self.reader.status(), self.reader.ended())?;
        let mut skipped = self.output.skipped;
        skipped.invalid_annotations =
            self.reader.invalid_annotations + u64::from(self.output.info.has_invalid_annotations);
        Ok(skipped)
    }
}

impl EntryVisitor for Output<'_, '_> {
    fn entry(&mut self, _: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context) {
        if annotations.reason.is_some() {
            self.skipped.unparsed += 1;
        }
        if annotations.ends.as_ref().is_some_and(|end| end.of == EndOf::Session)
            && context.is_in_conversation()
        {
            self.ends_by = Some(LastEntry { id: context.entry_id.map(str::to_owned) });
        }
    }

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        let is_selected = self.options.selects(&kind);
        if let Some(reason) = context.skip_reason().filter(|_| !self.options.repeated) {
            if is_selected {
                *self.skipped.repeated.entry(reason).or_default() += 1;
            }
            return Ok(());
        }
        let time = match context.timestamp {
            Some(timestamp) => self.clock.stated(timestamp),
            None => self.clock.derived(),
        };
        if !is_selected {
            return Ok(());
        }
        if let Some(author) = kind.author().filter(|it| !self.options.authors.contains(*it)) {
            *self.skipped.by_author.entry(author).or_default() += 1;
            return Ok(());
        }
        (self.receive)(&event(&self.info, time, *context, kind))
    }
}

impl Output<'_, '_> {
    /// Reports the start of the session, which the first entry may state.
    fn begin(&mut self, first: Option<&Entry<'_>>) -> Result<(), Error> {
        let time = self.start_time(first.and_then(Entry::timestamp));
        let starts = |entry: &&Entry<'_>| {
            let annotations = annotation::annotations(entry);
            annotations.is_ok_and(|it| it.is_some_and(|it| it.starts == Some(true)))
        };
        let stated = first.filter(starts);
        let entry_id = stated.and_then(Entry::id).map(|id| &**id);
        let Self { info, options, receive, .. } = self;
        let session = &info.record.session;
        let environment = session.environment.as_ref();
        let annotations = info.annotations.as_ref();
        let kind = EventKind::SessionStart {
            is_synthesised: stated.is_none(),
            model: Some(&*session.agent_meta.model_id).filter(|model| *model != UNKNOWN),
            cli_version: session.agent_meta.cli_version.as_deref(),
            working_dir: environment.map(|environment| &*environment.working_dir),
            parent: annotations.and_then(|it| it.parent.as_deref()),
            relation: annotations.and_then(|it| it.relation),
            labels: &info.labels,
        };
        if !options.boundaries {
            return Ok(());
        }
        receive(&event(info, time, Context { entry_id, ..Context::default() }, kind))
    }

    fn start_time(&mut self, first: Option<&AbstractTimestamp<'_>>) -> Option<EventTime> {
        let stated = self.info.start();
        let mut time = self.clock.stated(stated.or(first)?)?;
        time.derived = match stated {
            None => Some(Derived::Order),
            Some(_) => self.info.starts_by_file_name().then_some(Derived::FileName),
        };
        Some(time)
    }

    fn end(&mut self, status: Status, ended: Ended) -> Result<(), Error> {
        let time = self.clock.end(self.info.end());
        let ends_by = self.ends_by.take();
        if !self.options.boundaries {
            return Ok(());
        }
        let kind = EventKind::SessionEnd { is_synthesised: ends_by.is_none(), status, ended };
        let entry_id = ends_by.as_ref().and_then(|entry| entry.id.as_deref());
        let context = Context { entry_id, ..Context::default() };
        (self.receive)(&event(&self.info, time, context, kind))
    }
}

fn event<'e>(
    info: &'e SessionInfo,
    time: Option<EventTime>,
    context: Context<'e>,
    kind: EventKind<'e>,
) -> Event<'e> {
    Event { session_id: &info.record.session.session_id, agent: &info.agent, time, context, kind }
}
