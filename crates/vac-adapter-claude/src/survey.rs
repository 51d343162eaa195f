//! One session: surveyed once, then given entry by entry.

use std::rc::Rc;

use vac_adapter::attachment::nowhere;
use vac_adapter::provider::provider;
use vac_adapter::{Error, Input, Log, Origin, Report, Session, Sink, ids, raw};
use vac_record::{
    AgentMeta, Entry, Environment, SessionId, SessionTrace, VcsContext, VerifiableAgentRecord,
};
use vac_value::{Map, Node};

use crate::beside::{Beside, Spilled};
use crate::facts::{Becomes, Facts};
use crate::lines::{self, Line, LineContent};
use crate::sessions::Sessions;
use crate::subagent::Part;
use crate::{event, inherited, message};

/// One session.
pub(crate) struct Survey<'i> {
    log: Rc<Log<'i>>,
    facts: Facts,
    beside: Beside<'i>,
    /// Which lines are its own, if the log holds several sessions.
    share: Option<(Rc<Sessions>, usize)>,
}

impl<'i> Survey<'i> {
    /// Surveys an input: each of its sessions.
    pub fn all(input: &'i dyn Input) -> Result<Vec<Self>, Error> {
        let log = Rc::new(Log::of(input));
        let whole = Self::of(input, &log)?;
        if !whole.facts.has_several_sessions() || !whole.beside.is_empty() {
            return Ok(vec![whole]);
        }
        match Sessions::find(&log)? {
            None => Ok(vec![whole]),
            Some(sessions) => Self::each(input, &log, &Rc::new(sessions)),
        }
    }

    /// Surveys each of several sessions.
    fn each(
        input: &'i dyn Input,
        log: &Rc<Log<'i>>,
        sessions: &Rc<Sessions>,
    ) -> Result<Vec<Self>, Error> {
        let mut found = Vec::new();
        found.resize_with(sessions.count, || Facts::of(input));
        let mut session_of = sessions.of_lines();
        lines::each(log, false, |line| {
            let facts: &mut Facts = &mut found[session_of(line.index)];
            let index = facts.jobs.len();
            facts.line(Line { index, ..line }, &mut Spilled::default());
            Ok(())
        })?;
        let surveys = found.into_iter().enumerate().map(|(number, mut facts)| {
            facts.end()?;
            if facts.hoisted.session_id.is_none() {
                facts.hoisted.session_id = Some(ids::from_input(input)?);
            }
            let beside = Beside::of(input, facts.parts.len());
            let share = Some((Rc::clone(sessions), number));
            Ok(Self { log: Rc::clone(log), facts, beside, share })
        });
        surveys.collect()
    }

    /// Surveys an input as one session.
    fn of(input: &'i dyn Input, log: &Rc<Log<'i>>) -> Result<Self, Error> {
        let mut facts = Facts::of(input);
        let mut beside = Beside::of(input, facts.parts.len());
        lines::each(log, true, |line| {
            facts.line(line, beside.spilled());
            Ok(())
        })?;
        beside.noted(&mut facts.calls);
        facts.end()?;
        if facts.hoisted.session_id.is_none() {
            facts.hoisted.session_id = Some(ids::from_input(input)?);
        }
        Ok(Self { log: Rc::clone(log), facts, beside, share: None })
    }

    /// Tells which lines are the session's own, asked in their order.
    fn is_own(&self) -> impl FnMut(usize) -> bool {
        let mut share = self.share.as_ref().map(|(sessions, own)| (sessions.of_lines(), *own));
        move |line| share.as_mut().is_none_or(|(session_of, own)| session_of(line) == *own)
    }

    /// The parts that begin with an event which says whose they are.
    fn marked(&self) -> impl Iterator<Item = &Part> {
        self.facts.parts.iter().filter(|part| part.has_lines && part.agent.is_some())
    }

    /// The entry of a line.
    fn entry<'a>(&self, line: Node<'a, '_>, at: Line<'_, '_>, report: &mut Report) -> Entry<'a> {
        let facts = &self.facts;
        let job = facts.jobs.get(at.index).copied().unwrap_or_default();
        let mut entry = match job.becomes {
            Becomes::Message(kind) => {
                message::entry(line, kind, at.place, job.counts_usage, facts, report)
            }
            Becomes::QueuedCommand => message::queued_command(line, at.place, facts),
            Becomes::Enqueued => message::enqueued(line, at.place, facts),
            Becomes::Event => event::entry(line, at.place, facts, report),
        };
        if job.is_inherited() {
            inherited::mark(&mut entry);
        }
        entry
    }
}

impl Session for Survey<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Claude)
    }

    fn variant(&self) -> &'static str {
        self.facts.variant(!self.beside.is_empty())
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = &self.facts;
        let id = facts.hoisted.session_id.clone().unwrap_or_default();
        let agent_meta = AgentMeta {
            model_id: facts.model_id().to_owned().into(),
            model_provider: provider(facts.model_id()).into(),
            models: facts.models(),
            cli_name: Some("claude-code".into()),
            cli_version: facts.hoisted.version.clone().map(Into::into),
            extensions: Map::default(),
        };
        let environment = facts.hoisted.cwd.clone().map(|cwd| Environment {
            working_dir: cwd.into(),
            vcs: vcs(facts),
            sandboxes: None,
            extensions: Map::default(),
        });
        let mut extensions = facts.extensions.clone();
        if let Some(agent) = &facts.agent
            && extensions.get("agentId").is_none()
        {
            raw::push(&mut extensions, "agentId", agent.as_str());
        }
        VerifiableAgentRecord {
            version: vac_record::SCHEMA_VERSION.into(),
            id: id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(id.into()),
                session_start: facts.span.first(),
                session_end: facts.span.last(),
                agent_meta,
                environment,
                entries: Vec::new(),
                extensions,
            },
            created: facts.span.first(),
            file_attribution: None,
            vcs: vcs(facts),
            recording_agent: None,
            extensions: Map::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut file = None;
        let mut exports = 0;
        let mut index = 0;
        let mut is_own = self.is_own();
        lines::each(&self.log, self.facts.exports > 0, |line| {
            if !is_own(line.index) {
                return Ok(());
            }
            let line = Line { index, ..line };
            index += usize::from(!matches!(line.content, LineContent::Wrapper(_)));
            let number = line.place.file;
            if file.replace(number) != Some(number)
                && let Some(part) = self.facts.parts.get(number)
                && let Some(marker) = part.marker(number, &self.facts.calls)
            {
                sink.entry(marker, nowhere(number))?;
            }
            let (entry, bytes) = match line.content {
                LineContent::Wrapper(node) => {
                    exports += 1;
                    match event::wrapper(node, line.place).filter(|_| exports > 1) {
                        Some(entry) => (entry, node.raw()),
                        None => return Ok(()),
                    }
                }
                LineContent::Raw(raw) => (event::raw(raw, line.place, sink.report()), raw.bytes),
                LineContent::Value(node) => (self.entry(node, line, sink.report()), node.raw()),
            };
            sink.report().frames += 1;
            sink.entry(entry, Origin { place: line.place, bytes })
        })?;
        self.beside.entries(&self.facts.calls, sink)
    }

    fn count(&self) -> Result<u64, Error> {
        let lines = self.facts.jobs.len() as u64 + self.facts.wrappers;
        let marked = self.marked().count() as u64;
        Ok(lines + marked + self.beside.count(&self.facts.calls)?)
    }
}

fn vcs(facts: &Facts) -> Option<VcsContext<'static>> {
    facts.hoisted.branch.clone().map(|branch| VcsContext {
        kind: "git".into(),
        revision: None,
        branch: Some(branch.into()),
        repository: None,
        extensions: Map::default(),
    })
}
