//! Reads the sessions of an input: their records and their entries.

use std::collections::HashMap;
use std::rc::Rc;

use vac_adapter::bare_record::BareRecord;
use vac_adapter::frame::{Content, Frame};
use vac_adapter::{Adapter, Error, Input, Log, Parent, Session, Sink, Verdict, ids};
use vac_record::{AgentMeta, Environment, VerifiableAgentRecord};
use vac_value::Map;

use crate::facts::{Facts, Next};
use crate::location::Location;
use crate::reader::Reader;
use crate::rollout_name;

/// The log of an input, and the session of each frame: a file may contain several sessions, or
/// the output of `codex exec --json` for several threads or runs.
struct Shared<'i> {
    log: Log<'i>,
    /// The frames at which another session begins or continues, and its number.
    switches: Vec<(u64, usize)>,
}

/// The maximum number of sessions of one input, because each is read in a separate pass. Lines of
/// further threads belong to the last session.
const MAX_THREADS: usize = 1000;

/// One session.
pub(crate) struct Survey<'i> {
    shared: Rc<Shared<'i>>,
    number: usize,
    facts: Facts,
    id: String,
}

/// Surveys an input.
pub(crate) fn sessions(input: &dyn Input) -> Result<Vec<Survey<'_>>, Error> {
    let log = Log::new(input);
    let mut threads = Threads::default();
    let mut index = 0;
    log.each(|frame| {
        let at = Location::frame(index, frame.place);
        index += 1;
        let facts = threads.session(frame, at);
        match &frame.content {
            Content::Document(document) => facts.line(document.root(), at),
            Content::Raw(raw) => facts.raw(raw, at),
        }
        Ok(())
    })?;
    let Threads { found, switches, .. } = threads;
    let mut verdict = Verdict::default();
    for facts in &found {
        verdict.merge(&facts.verdict);
    }
    if let Some(misfit) = verdict.misfit("codex") {
        return Err(Error::Refused(misfit.to_string()));
    }
    if verdict.fits == 0 {
        return Err(Error::Refused("contains no line of a Codex CLI session".to_owned()));
    }
    let shared = Rc::new(Shared { log, switches });
    let sessions = found.into_iter().enumerate().map(|(number, mut facts)| {
        facts.end();
        let id = match facts.id() {
            Some(id) => id.to_owned(),
            None => {
                let of_input = rollout_name::id(input.name());
                let of_input = of_input.map_or_else(|| ids::from_input(input), Ok)?;
                if number == 0 { of_input } else { format!("{of_input}.{}", number + 1) }
            }
        };
        Ok(Survey { shared: Rc::clone(&shared), number, facts, id })
    });
    sessions.collect()
}

/// The sessions of an input, as they are found.
struct Threads {
    found: Vec<Facts>,
    numbers: HashMap<String, usize>,
    current: usize,
    switches: Vec<(u64, usize)>,
}

impl Default for Threads {
    fn default() -> Self {
        let (found, switches) = (vec![Facts::default()], Vec::new());
        Self { found, numbers: HashMap::new(), current: 0, switches }
    }
}

impl Threads {
    /// Returns the session that a frame belongs to.
    fn session(&mut self, frame: &Frame<'_>, at: Location) -> &mut Facts {
        let next = match &frame.content {
            Content::Document(document) => self.found[self.current].next(document.root()),
            Content::Raw(_) => None,
        };
        if let Some(number) = next.and_then(|next| self.number(next)) {
            self.current = number;
            self.switches.push((at.index, number));
            if number == self.found.len() {
                self.found.push(Facts::default());
            }
        }
        &mut self.found[self.current]
    }

    /// Returns the number of the session that begins or continues, if there is room for it.
    fn number(&mut self, next: Next) -> Option<usize> {
        let new = Some(self.found.len()).filter(|count| *count < MAX_THREADS);
        if let Some(own) = self.found[self.current].id() {
            self.numbers.entry(own.to_owned()).or_insert(self.current);
        }
        match next {
            Next::Run => new,
            Next::Session(id) => self.numbers.get(&id).copied().or(new),
            Next::Known(id) => self.numbers.get(&id).copied(),
        }
    }
}

impl Shared<'_> {
    /// Passes the frames of a session to `show`.
    fn each(
        &self,
        session: usize,
        mut show: impl FnMut(&Frame<'_>, Location) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut switches = self.switches.iter().peekable();
        let (mut current, mut index) = (0, 0);
        self.log.each(|frame| {
            let at = Location::frame(index, frame.place);
            index += 1;
            if let Some((_, next)) = switches.next_if(|(from, _)| *from == at.index) {
                current = *next;
            }
            if current == session { show(frame, at) } else { Ok(()) }
        })
    }
}

impl Session for Survey<'_> {
    fn adapter(&self) -> Option<&'static dyn Adapter> {
        Some(&crate::Codex)
    }

    fn parent(&self) -> Option<Parent> {
        self.facts.parent()
    }

    fn variant(&self) -> &'static str {
        self.facts.variant()
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = &self.facts;
        let meta = facts.meta();
        let vcs = meta.and_then(|meta| meta.vcs.clone());
        let sandboxes: Vec<_> =
            facts.sandboxes.iter().map(|sandbox| sandbox.clone().into()).collect();
        let environment = facts.working_dir().map(|working_dir| Environment {
            working_dir: working_dir.to_owned().into(),
            vcs: vcs.clone(),
            sandboxes: (!sandboxes.is_empty()).then_some(sandboxes),
            extensions: Map::default(),
        });
        let agent_meta = AgentMeta {
            model_id: facts.models.models.main_or_unknown().to_owned().into(),
            model_provider: facts.provider().into(),
            models: Some(
                facts.models.models.names().map(|model| model.to_owned().into()).collect(),
            ),
            cli_name: Some(crate::Codex.cli_name().into()),
            cli_version: meta.and_then(|meta| meta.cli_version.clone()).map(Into::into),
            extensions: Map::default(),
        };
        BareRecord {
            id: &self.id,
            format: meta.and_then(|meta| meta.format).map(Into::into),
            start: facts.start(),
            end: facts.last(),
            agent_meta,
            environment,
            vcs,
            extensions: meta.map(|meta| meta.lineage.clone()).unwrap_or_default(),
        }
        .record()
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut reader = Reader::new(&self.facts);
        self.shared.each(self.number, |frame, at| reader.frame(frame, at, sink))
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.facts.entries)
    }
}
