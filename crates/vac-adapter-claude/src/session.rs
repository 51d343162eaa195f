//! Implements a session: its facts from the first pass, and its entries in the second.

use std::rc::Rc;

use vac_adapter::attachment::nowhere;
use vac_adapter::provider::provider;
use vac_adapter::{Error, Input, Log, Origin, Parent, Report, Session, Sink, ids, raw};
use vac_record::{
    AgentMeta, Entry, Environment, SessionId, SessionTrace, VcsContext, VerifiableAgentRecord,
};
use vac_value::{Map, Node};

use crate::first_pass::{Facts, LineKind};
use crate::lines::{self, Line, LineContent};
use crate::session_folder::{SessionFolder, Spilled};
use crate::sessions::Sessions;
use crate::subagent::Part;
use crate::{event, message};

/// One session.
pub(crate) struct ClaudeSession<'i> {
    log: Rc<Log<'i>>,
    facts: Facts,
    folder: SessionFolder<'i>,
    /// The assignment of lines to sessions and the number of this one, if the log contains several.
    share: Option<(Rc<Sessions>, usize)>,
}

impl<'i> ClaudeSession<'i> {
    /// Reads the sessions of an input.
    pub fn read_all(input: &'i dyn Input) -> Result<Vec<Self>, Error> {
        let log = Rc::new(Log::new(input));
        let whole = Self::read_one(input, &log)?;
        if !whole.facts.has_several_sessions() || !whole.folder.is_empty() {
            return Ok(vec![whole]);
        }
        match Sessions::find(&log)? {
            None => Ok(vec![whole]),
            Some(sessions) => {
                drop(whole);
                Self::read_several(input, &log, &Rc::new(sessions))
            }
        }
    }

    /// Reads each of several sessions.
    fn read_several(
        input: &'i dyn Input,
        log: &Rc<Log<'i>>,
        sessions: &Rc<Sessions>,
    ) -> Result<Vec<Self>, Error> {
        let mut found = Vec::new();
        found.resize_with(sessions.count, || Facts::new(input));
        let mut session_of = sessions.line_sessions();
        lines::each(log, false, |line| {
            let facts: &mut Facts = &mut found[session_of(line.index)];
            let index = facts.plans.len();
            facts.line(Line { index, ..line }, &mut Spilled::default());
            Ok(())
        })?;
        let surveys = found.into_iter().enumerate().map(|(number, mut facts)| {
            facts.end()?;
            if facts.defaults.session_id.is_none() {
                facts.defaults.session_id = Some(ids::from_input(input)?);
            }
            let folder = SessionFolder::new(input, facts.parts.len());
            let share = Some((Rc::clone(sessions), number));
            Ok(Self { log: Rc::clone(log), facts, folder, share })
        });
        surveys.collect()
    }

    /// Reads an input as one session.
    fn read_one(input: &'i dyn Input, log: &Rc<Log<'i>>) -> Result<Self, Error> {
        let mut facts = Facts::new(input);
        let mut folder = SessionFolder::new(input, facts.parts.len());
        lines::each(log, true, |line| {
            facts.line(line, folder.spilled());
            Ok(())
        })?;
        folder.add_noted_calls(&mut facts.calls);
        facts.end()?;
        if facts.defaults.session_id.is_none() {
            facts.defaults.session_id = Some(ids::from_input(input)?);
        }
        Ok(Self { log: Rc::clone(log), facts, folder, share: None })
    }

    /// Returns a function that returns whether a line is the session's own. It has to be called
    /// with the lines in order.
    fn is_own(&self) -> impl FnMut(usize) -> bool {
        let mut share = self.share.as_ref().map(|(sessions, own)| (sessions.line_sessions(), *own));
        move |line| share.as_mut().is_none_or(|(session_of, own)| session_of(line) == *own)
    }

    /// Returns the parts that begin with an event that names the subagent.
    fn marked(&self) -> impl Iterator<Item = &Part> {
        self.facts.parts.iter().filter(|part| part.has_lines && part.agent.is_some())
    }

    /// Returns the entry of a line; an error if the first pass has not seen the line.
    fn entry<'a>(
        &'a self,
        line: Node<'a, '_>,
        at: Line<'_, '_>,
        report: &mut Report,
    ) -> Result<Entry<'a>, Error> {
        let (facts, place) = (&self.facts, at.place);
        let plan = *facts.plans.get(at.index).ok_or(Error::Changed { file: None })?;
        Ok(match plan.kind {
            LineKind::Message(kind) => message::entry(line, kind, place, plan, facts, report),
            LineKind::Progress(kind) => message::progress(line, kind, place, plan, facts, report),
            LineKind::QueuedCommand => message::queued_command(line, place, plan, facts, report),
            LineKind::Content => message::content_line(line, place, plan, facts, report),
            LineKind::Event => event::entry(line, place, plan, facts, report),
        })
    }
}

impl Session for ClaudeSession<'_> {
    fn adapter(&self) -> Option<&'static dyn vac_adapter::Adapter> {
        Some(&crate::Claude)
    }

    fn parent(&self) -> Option<Parent> {
        self.facts.parent()
    }

    fn variant(&self) -> &'static str {
        self.facts.variant(!self.folder.is_empty())
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = &self.facts;
        let id = facts.defaults.session_id.clone().unwrap_or_default();
        let agent_meta = AgentMeta {
            model_id: facts.models.main_or_unknown().to_owned().into(),
            model_provider: provider(facts.models.main_or_unknown()).into(),
            models: facts.models.listed(),
            cli_name: Some(crate::CLI_NAME.into()),
            cli_version: facts.defaults.version.clone().map(Into::into),
            extensions: Map::default(),
        };
        let environment = facts.defaults.cwd.clone().map(|cwd| Environment {
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
                LineContent::Value(node) => (self.entry(node, line, sink.report())?, node.raw()),
            };
            sink.report().frames += 1;
            sink.entry(entry, Origin { place: line.place, bytes })
        })?;
        self.folder.entries(&self.facts.calls, sink)
    }

    fn count(&self) -> Result<u64, Error> {
        let lines = self.facts.plans.len() as u64 + self.facts.wrappers;
        let marked = self.marked().count() as u64;
        Ok(lines + marked + self.folder.count(&self.facts.calls)?)
    }
}

fn vcs(facts: &Facts) -> Option<VcsContext<'static>> {
    facts.defaults.branch.clone().map(|branch| VcsContext {
        kind: "git".into(),
        revision: None,
        branch: Some(branch.into()),
        repository: None,
        extensions: Map::default(),
    })
}
