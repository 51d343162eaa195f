//! A session as a flat stream of events, the same for all agents.
//!
//! ```
//! use vac_value::Document;
//! use vac_view::events::{Options, events};
//! use vac_view::record;
//!
//! let json = br#"{"version": "3.0.0-draft", "id": "r1", "session": {
//!     "session-id": "s1", "session-start": "2026-01-05T09:30:00Z",
//!     "agent-meta": {"model-id": "m", "model-provider": "p", "cli-name": "codex-cli"},
//!     "entries": [{"type": "tool-call", "name": "shell", "call-id": "c1", "input": "ls"}]
//! }}"#;
//! let document = Document::json(json)?;
//! let mut lines = Vec::new();
//! record::read(&document, &mut |session| {
//!     events(session, &[], Options::default(), &mut |event| {
//!         lines.push(String::from_utf8(event.line()).unwrap_or_default());
//!         Ok(())
//!     })
//! })?;
//! assert_eq!(lines[1], concat!(
//!     r#"{"event":"tool_use","session-id":"s1","agent":"codex","#,
//!     r#""timestamp":"2026-01-05T09:30:00.000001Z","timestamp-derived":"order","entry-id":null,"#,
//!     r#""tool":"shell","canonical":"shell_exec","category":"Execute","call-id":"c1","input":"ls"}"#,
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use vac_adapter::report::Source;
use vac_adapter::{Error, Origin, Report, Session, Sink, raw};
use vac_record::{AbstractTimestamp, Entry};

use crate::agent::Agent;
use crate::aside::Aside;
use crate::entry::common;
use crate::event::{Event, What};
use crate::head::Head;
use crate::moment::{Clock, Derived, Moment};
use crate::prompt::Author;
use crate::walk::{self, Deed, Walk};

/// Which events to tell.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a question of its own
pub struct Options {
    /// `user_prompt`.
    pub prompts: bool,
    /// `tool_use` and `tool_result`.
    pub tools: bool,
    /// `assistant_text`.
    pub text: bool,
    /// `reasoning`.
    pub reasoning: bool,
    /// `session_start` and `session_end`.
    pub boundaries: bool,
    /// Also those that stand [aside](crate::aside).
    pub asides: bool,
}

impl Default for Options {
    /// All that belong to the session's own course.
    fn default() -> Self {
        Self {
            prompts: true,
            tools: true,
            text: true,
            reasoning: true,
            boundaries: true,
            asides: false,
        }
    }
}

impl Options {
    /// None at all.
    pub const NOTHING: Self = Self {
        prompts: false,
        tools: false,
        text: false,
        reasoning: false,
        boundaries: false,
        asides: false,
    };

    fn wants(self, what: &What<'_>) -> bool {
        match what {
            What::SessionStart { .. } | What::SessionEnd { .. } => self.boundaries,
            What::UserPrompt { .. } => self.prompts,
            What::AssistantText { .. } => self.text,
            What::Reasoning { .. } => self.reasoning,
            What::ToolUse { .. } | What::ToolResult { .. } => self.tools,
        }
    }
}

/// What a stream did not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// Events that stand aside, by why.
    pub asides: BTreeMap<Aside, u64>,
    /// Entries that hold what nobody could read.
    pub unparsed: u64,
}

impl Untold {
    /// Counts another session's in.
    pub fn add(&mut self, other: &Self) {
        for (aside, count) in &other.asides {
            *self.asides.entry(*aside).or_default() += count;
        }
        self.unparsed += other.unparsed;
    }
}

/// Takes events.
pub type Take<'t> = dyn FnMut(&Event<'_>) -> Result<(), Error> + 't;

/// Tells the events of a session, in order, as its entries are read. `sources` are the
/// files of a log; a record says itself what it was made from.
pub fn events(
    session: &dyn Session,
    sources: &[Source],
    options: Options,
    take: &mut Take<'_>,
) -> Result<Untold, Error> {
    let head = Head::of(session, sources);
    let mut teller = Teller {
        walk: Walk::new(head.agent),
        head,
        options,
        clock: Clock::default(),
        begun: false,
        over: None,
        untold: Untold::default(),
        report: Report::default(),
        take,
    };
    session.entries(&mut teller)?;
    teller.end()
}

struct Teller<'t, 'f> {
    head: Head,
    options: Options,
    walk: Walk,
    clock: Clock,
    begun: bool,
    /// The id of the last entry if that says that the session is over.
    over: Option<String>,
    untold: Untold,
    report: Report,
    take: &'t mut Take<'f>,
}

impl Sink for Teller<'_, '_> {
    fn entry(&mut self, entry: Entry<'_>, _: Origin<'_>) -> Result<(), Error> {
        if !self.begun {
            self.begin(Some(&entry))?;
        }
        self.over = None;
        if let Entry::Event(event) = &entry {
            if event.event_type == raw::EVENT_TYPE {
                self.untold.unparsed += 1;
            }
            if self.head.agent == Agent::Cursor && walk::is_final(&event.event_type) {
                self.over = event.id.as_deref().map(str::to_owned);
            }
        }
        self.tell(&entry)
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}

impl Teller<'_, '_> {
    fn tell(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let Self { head, options, walk, clock, untold, take, .. } = self;
        walk.entry(entry, &mut |deed| {
            if let Some(aside) = deed.aside.filter(|_| !options.asides) {
                *untold.asides.entry(aside).or_default() += 1;
                return Ok(());
            }
            let moment = match deed.timestamp {
                Some(timestamp) => Some(clock.stated(timestamp)),
                None => clock.derived(),
            };
            let event = event(head, moment, &deed);
            if options.wants(&event.what) { take(&event) } else { Ok(()) }
        })
    }

    /// Tells the beginning; the first entry may be the one that says so.
    fn begin(&mut self, first: Option<&Entry<'_>>) -> Result<(), Error> {
        self.begun = true;
        let moment = self.start(first.and_then(|entry| common(entry).timestamp));
        let stated = first.filter(|entry| states_start(self.head.agent, entry)).map(common);
        let session = &self.head.record.session;
        let meta = &session.agent_meta;
        let what = What::SessionStart {
            synthesised: stated.is_none(),
            model: Some(&*meta.model_id).filter(|model| *model != UNKNOWN),
            cli_version: meta.cli_version.as_deref(),
            working_dir: session.environment.as_ref().map(|environment| &*environment.working_dir),
        };
        let event = boundary(&self.head, moment, stated.and_then(|entry| entry.id), what);
        if self.options.boundaries { (self.take)(&event) } else { Ok(()) }
    }

    fn start(&mut self, first: Option<&AbstractTimestamp<'_>>) -> Option<Moment> {
        let stated = self.head.start();
        let mut moment = self.clock.stated(stated.or(first)?);
        moment.derived = match stated {
            None => Some(Derived::Order),
            Some(_) => self.head.starts_by_file_name().then_some(Derived::FileName),
        };
        Some(moment)
    }

    fn end(mut self) -> Result<Untold, Error> {
        if !self.begun {
            self.begin(None)?;
        }
        let moment = self.clock.end(self.head.end());
        let status = self.walk.status();
        let what = What::SessionEnd { synthesised: self.over.is_none(), status };
        let event = boundary(&self.head, moment, self.over.as_deref(), what);
        if self.options.boundaries {
            (self.take)(&event)?;
        }
        Ok(self.untold)
    }
}

/// What stands for a model that nobody knows.
const UNKNOWN: &str = vac_adapter::provider::UNKNOWN;

/// Whether an entry is what the log itself begins a session with.
fn states_start(agent: Agent, entry: &Entry<'_>) -> bool {
    let Entry::Event(event) = entry else { return false };
    matches!(
        (agent, &*event.event_type),
        (Agent::Codex, "session_meta" | "thread.started") | (Agent::Cursor, "system/init")
    )
}

fn boundary<'e>(
    head: &'e Head,
    moment: Option<Moment>,
    entry_id: Option<&'e str>,
    what: What<'e>,
) -> Event<'e> {
    Event {
        session_id: &head.record.session.session_id,
        agent: &head.agent_name,
        moment,
        entry_id,
        subagent: None,
        aside: None,
        superseded: None,
        what,
    }
}

fn event<'e>(head: &'e Head, moment: Option<Moment>, deed: &'e Deed<'e, 'e>) -> Event<'e> {
    Event {
        session_id: &head.record.session.session_id,
        agent: &head.agent_name,
        moment,
        entry_id: deed.entry_id,
        subagent: deed.subagent,
        aside: deed.aside,
        superseded: deed.superseded,
        what: match &deed.what {
            walk::What::Prompt { said, author } => {
                What::UserPrompt { said: said.clone(), is_command: *author == Author::Command }
            }
            walk::What::AssistantText { said, model } => {
                What::AssistantText { said: said.clone(), model: *model }
            }
            walk::What::Reasoning { said, subject, is_encrypted } => What::Reasoning {
                said: said.clone(),
                subject: *subject,
                is_encrypted: *is_encrypted,
            },
            walk::What::Call { tool, call_id, input, outcome } => {
                What::ToolUse { tool, call_id: *call_id, input: input.any(), outcome: *outcome }
            }
            walk::What::Result { tool, call_id, output, outcome } => What::ToolResult {
                tool: tool.as_deref(),
                call_id: *call_id,
                output,
                outcome: *outcome,
            },
        },
    }
}
