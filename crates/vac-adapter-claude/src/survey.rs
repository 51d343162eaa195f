//! The first pass: what is true of the session as a whole.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_adapter::cursor::{Cursor, Rest, keys};
use vac_adapter::provider::{UNKNOWN, provider};
use vac_adapter::time::Span;
use vac_adapter::{Error, Input, Log, Origin, Session, Sink, ids};
use vac_record::{
    AbstractTimestamp, AgentMeta, Environment, SessionId, SessionTrace, VcsContext,
    VerifiableAgentRecord,
};
use vac_value::{Decode, Extensions, IntoOwned, Kind, Node, Text};

use crate::lines::{self, Line, LineContent};
use crate::{detect, event, message};

/// The model of messages that the CLI makes itself.
pub(crate) const SYNTHETIC: &str = "<synthetic>";

/// One session.
pub(crate) struct Survey<'i> {
    log: Log<'i>,
    facts: Facts,
}

/// What was found out about a session.
#[derive(Default)]
pub(crate) struct Facts {
    is_export: bool,
    /// Whether a line of a known type was there.
    is_known: bool,
    /// How many lines there are.
    lines: u64,
    /// What most lines repeat.
    pub hoisted: Hoisted,
    span: Span,
    /// Models in the order of their appearance, and how many lines each wrote.
    models: Vec<(String, u64)>,
    /// For each message of the API (the hash of its id) its last line with a usage.
    usage: HashMap<u64, u64>,
    /// What a web export says beside its lines.
    extensions: Rest<'static>,
}

/// Values of the session that its lines repeat; the first that the file states.
#[derive(Default)]
pub(crate) struct Hoisted {
    session_id: Option<String>,
    cwd: Option<String>,
    version: Option<String>,
    branch: Option<String>,
}

impl Hoisted {
    fn survey(&mut self, key: Node<'_, '_>, value: Node<'_, '_>) {
        let place = if key.is_text("sessionId") {
            &mut self.session_id
        } else if key.is_text("cwd") {
            &mut self.cwd
        } else if key.is_text("version") {
            &mut self.version
        } else if key.is_text("gitBranch") {
            &mut self.branch
        } else {
            return;
        };
        if place.is_none() {
            *place = value.text().filter(|text| !text.is_empty()).map(Text::into_owned);
        }
    }

    /// Takes away what a line repeats.
    pub fn take(&self, line: &mut Cursor<'_, '_>) {
        for (key, value) in [
            ("sessionId", &self.session_id),
            ("session_id", &self.session_id),
            ("cwd", &self.cwd),
            ("version", &self.version),
            ("gitBranch", &self.branch),
        ] {
            if let Some(value) = value {
                line.said(key, value);
            }
        }
    }
}

impl<'i> Survey<'i> {
    /// Surveys an input.
    pub fn of(input: &'i dyn Input) -> Result<Self, Error> {
        let log = Log::of(input);
        let mut facts = Facts::default();
        lines::each(&log, |line| {
            facts.line(line);
            Ok(())
        })?;
        if !facts.is_known {
            return Err(Error::Refused("no line of a Claude Code session in it".to_owned()));
        }
        if facts.hoisted.session_id.is_none() {
            facts.hoisted.session_id = Some(ids::of_input(input)?);
        }
        Ok(Self { log, facts })
    }
}

impl Facts {
    fn line(&mut self, line: Line<'_, '_>) {
        let node = match line.content {
            LineContent::Value(node) => node,
            LineContent::Raw(_) => {
                self.lines += 1;
                return;
            }
            LineContent::Wrapper(node) => {
                self.wrapper(node);
                return;
            }
        };
        self.lines += 1;
        for (key, value) in node.members() {
            if key.is_text("timestamp") {
                if let Ok(timestamp) = AbstractTimestamp::decode(value) {
                    self.span.add(&timestamp);
                }
            } else if key.is_text("message") && value.kind() == Kind::Map {
                self.message(value, line.index);
            } else {
                self.hoisted.survey(key, value);
            }
        }
        self.is_known = self.is_known || detect::is_known(node);
    }

    fn message(&mut self, message: Node<'_, '_>, line: u64) {
        let model = message.member("model").and_then(Node::text);
        if let Some(model) = model.filter(|model| !model.is_empty() && model != SYNTHETIC) {
            match self.models.iter_mut().find(|(known, _)| *known == model) {
                Some((_, lines)) => *lines += 1,
                None => self.models.push((model.into_owned(), 1)),
            }
        }
        if message.member("usage").is_some_and(|usage| usage.kind() == Kind::Map)
            && let Some(id) = message.member("id").and_then(Node::text)
        {
            self.usage.insert(hash(&id), line);
        }
    }

    fn wrapper(&mut self, wrapper: Node<'_, '_>) {
        self.is_export = true;
        let Some(mut wrapper) = Cursor::of(wrapper) else { return };
        wrapper.array(lines::LOGLINES);
        self.extensions.extend(wrapper.rest(keys::SESSION).into_owned().0);
    }

    /// Whether a message's usage on this line is the one that counts.
    pub fn counts_usage(&self, message: &Cursor<'_, '_>, line: u64) -> bool {
        match message.peek("id").and_then(Node::text) {
            Some(id) => self.usage.get(&hash(&id)) == Some(&line),
            None => true,
        }
    }

    /// The model that wrote most lines; of equals the first.
    fn model(&self) -> &str {
        let most = self.models.iter().map(|(_, lines)| *lines).max();
        let main = self.models.iter().find(|(_, lines)| Some(*lines) == most);
        main.map_or(UNKNOWN, |(model, _)| model)
    }

    /// Every model that took part; `None` if none is known.
    fn models(&self) -> Option<Vec<Text<'static>>> {
        let models: Vec<_> = self.models.iter().map(|(model, _)| model.clone().into()).collect();
        (!models.is_empty()).then_some(models)
    }

    fn vcs(&self) -> Option<VcsContext<'static>> {
        self.hoisted.branch.clone().map(|branch| VcsContext {
            r#type: "git".into(),
            revision: None,
            branch: Some(branch.into()),
            repository: None,
            extensions: Extensions::default(),
        })
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

impl Session for Survey<'_> {
    fn agent(&self) -> &'static str {
        "claude"
    }

    fn variant(&self) -> &'static str {
        if self.facts.is_export { "loglines" } else { "jsonl" }
    }

    fn record(&self) -> VerifiableAgentRecord<'static> {
        let facts = &self.facts;
        let id = facts.hoisted.session_id.clone().unwrap_or_default();
        let agent_meta = AgentMeta {
            model_id: facts.model().to_owned().into(),
            model_provider: provider(facts.model()).into(),
            models: facts.models(),
            cli_name: Some("claude-code".into()),
            cli_version: facts.hoisted.version.clone().map(Into::into),
            extensions: Extensions::default(),
        };
        let environment = facts.hoisted.cwd.clone().map(|cwd| Environment {
            working_dir: cwd.into(),
            vcs: facts.vcs(),
            sandboxes: None,
            extensions: Extensions::default(),
        });
        VerifiableAgentRecord {
            version: "3.0.0-draft".into(),
            id: id.clone().into(),
            session: SessionTrace {
                format: None,
                session_id: SessionId::Text(id.into()),
                session_start: facts.span.first(),
                session_end: facts.span.last(),
                agent_meta,
                environment,
                entries: Vec::new(),
                extensions: facts.extensions.clone(),
            },
            created: facts.span.first(),
            file_attribution: None,
            vcs: facts.vcs(),
            recording_agent: None,
            extensions: Extensions::default(),
        }
    }

    fn entries(&self, sink: &mut dyn Sink) -> Result<(), Error> {
        lines::each(&self.log, |line| {
            let (entry, bytes) = match line.content {
                LineContent::Wrapper(_) => return Ok(()),
                LineContent::Raw(raw) => (event::raw(raw, line.place, sink.report()), raw.bytes),
                LineContent::Value(node) => {
                    let report = sink.report();
                    let entry = match message::kind(node) {
                        Some(kind) => message::entry(node, kind, line, &self.facts, report),
                        None => event::entry(node, line, &self.facts, report),
                    };
                    (entry, node.raw())
                }
            };
            sink.report().frames += 1;
            sink.entry(entry, Origin { place: line.place, bytes })
        })
    }

    fn count(&self) -> Result<u64, Error> {
        Ok(self.facts.lines)
    }
}
