//! Implements the first pass over a log, which collects the facts about each session.

use vac_adapter::frame::Raw;
use vac_adapter::provider::provider;
use vac_adapter::{Confidence, Fit, Parent, Verdict};
use vac_record::AbstractTimestamp;
use vac_record::annotations::{
    EntryAnnotations, EntryAnnotationsInherited, Relation, Superseded, SupersededHow,
};
use vac_value::Node;

use crate::clock::Clock;
use crate::detect::fit_of_shape;
use crate::duplicate_events::{self, Links, Pairing, Speaker};
use crate::environment::context_working_dir;
use crate::exec_json::{self, States};
use crate::location::Location;
use crate::meta::Meta;
use crate::models::TurnModels;
use crate::outcome::Outcomes;
use crate::prompt_rules::Prompter;
use crate::replay::Replay;
use crate::rollback::Rollback;
use crate::shape::{Envelope, Shape, owned, shape, type_of};
use crate::tokens::Recorded;
use crate::typescript_session::{self, Piece};

/// The facts about a session that the first pass found.
#[derive(Default)]
pub(crate) struct Facts {
    /// The number of its entries.
    pub entries: u64,
    /// The verdict on its documents.
    pub verdict: Verdict,
    form: Option<Form>,
    meta: Option<Meta>,
    clock: Clock,
    /// The models that took part.
    pub models: TurnModels,
    /// The sandboxes of turns.
    pub sandboxes: Vec<String>,
    working_dir: Option<String>,
    replay: Replay,
    rollback: Rollback,
    /// Whether a line other than `session_meta` has occurred.
    has_happened: bool,
    pairing: Pairing,
    /// The events that repeat items.
    pub links: Links,
    /// The turns that have records of their usage.
    pub recorded: Recorded,
    /// The outcomes of calls that events state.
    pub outcomes: Outcomes,
    /// The states of printed items.
    pub states: States,
}

/// The session that a line begins, if it is not part of the session so far.
pub(crate) enum Next {
    /// A run without a session id.
    Run,
    /// The session with this id.
    Session(String),
    /// The session with this id, if it is already known.
    Known(String),
}

/// The form of a log, by its first line of a known kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Envelopes,
    Bare,
    Printed,
    /// Events that were printed, before October 2025.
    Events,
    TypeScript,
}

impl Facts {
    /// Adds a frame that could not be parsed.
    pub fn raw(&mut self, raw: &Raw<'_>, at: Location) {
        if !typescript_session::is_begun(raw.bytes) {
            self.entries += 1;
            return;
        }
        // The closure cannot fail.
        let _: Result<(), ()> = typescript_session::each_damaged(raw, |piece| {
            self.piece(&piece, at);
            Ok(())
        });
    }

    /// Adds a document.
    pub fn line(&mut self, line: Node<'_, '_>, at: Location) {
        let shape = shape(line);
        self.verdict.add(fit_of_shape(line, &shape));
        let form = match &shape {
            Shape::Envelope(line) if line.is_printed() => Form::Events,
            Shape::Setup => Form::Events,
            Shape::Envelope(_) => Form::Envelopes,
            Shape::Item(_) | Shape::Header | Shape::Record(_) => Form::Bare,
            Shape::Printed(_) => Form::Printed,
            Shape::TypeScript => {
                let _: Result<(), ()> = typescript_session::each(line, |piece| {
                    self.piece(&piece, at);
                    Ok(())
                });
                return;
            }
            Shape::Prompt(_) | Shape::Other(_) => {
                self.entries += 1;
                // It has to be the first line that was printed.
                if let Shape::Prompt(prompt) = shape
                    && (self.form.is_none() || self.is_of_events())
                {
                    self.pairing.prompt(at, prompt);
                }
                return;
            }
        };
        self.entries += 1;
        self.form.get_or_insert(form);
        match shape {
            Shape::Envelope(line) => self.enveloped(&line, at),
            Shape::Item(kind) => self.item(line, &kind, at),
            Shape::Printed(kind) => self.printed(line, &kind, at),
            Shape::Header if self.meta.is_none() => self.meta = Some(Meta::parse(line, at.index)),
            Shape::Setup => self.setup(line, at),
            _ => {}
        }
    }

    /// Adds the configuration of a run.
    fn setup(&mut self, setup: Node<'_, '_>, at: Location) {
        if self.meta.is_none() {
            self.meta = Some(Meta::from_setup(setup, at.index));
        }
        self.models.turn(setup, at.index, false);
        // The name of a sandbox is followed by what it allows.
        let sandbox = setup.member("sandbox").and_then(Node::text).unwrap_or_default();
        self.sandbox(sandbox.split_whitespace().next());
    }

    /// Adds a part of a TypeScript session.
    fn piece(&mut self, piece: &Piece<'_, '_>, at: Location) {
        self.entries += 1;
        match piece {
            Piece::Header { session, .. } => {
                self.verdict.add(Fit::Fits(Confidence::Likely));
                self.form.get_or_insert(Form::TypeScript);
                if let (Some(session), None) = (session, &self.meta) {
                    self.meta = Some(Meta::parse(*session, at.index));
                }
            }
            Piece::Item(number, item) => {
                let kind = type_of(*item).unwrap_or_default();
                self.item(*item, &kind, at.item(*number));
            }
            Piece::Raw(..) => {}
        }
    }

    /// Adds the header of a truncated TypeScript session.
    pub fn begun(&mut self, session: Node<'_, '_>) {
        self.form = Some(Form::TypeScript);
        self.meta = Some(Meta::parse(session, 0));
    }

    fn enveloped(&mut self, line: &Envelope<'_>, at: Location) {
        let &Envelope { ref kind, payload, timestamp, .. } = line;
        if let Some(timestamp) = timestamp {
            self.clock.add(timestamp);
        }
        self.replay.time(timestamp, at.index);
        self.has_happened |= kind != "session_meta";
        match &**kind {
            "session_meta" => match &self.meta {
                None => self.meta = Some(Meta::parse(payload, at.index)),
                Some(own) => self.replay.meta(payload, timestamp, at, own),
            },
            "turn_context" => self.turn(payload, at),
            "response_item" => {
                if let Some(kind) = type_of(payload) {
                    self.item(payload, &kind, at);
                }
            }
            "event_msg" => {
                if let Some(kind) = type_of(payload) {
                    self.event(payload, &kind, at);
                }
            }
            "token_usage_record" => self.recorded.record(payload),
            _ => {}
        }
    }

    fn item(&mut self, item: Node<'_, '_>, kind: &str, at: Location) {
        if kind == "agent_message" {
            self.rollback.message(at.index);
        }
        match self.form {
            Some(Form::Envelopes) => self.pairing.item(at, item, kind),
            // Only its messages state the working directory, and no event repeats them.
            _ if self.working_dir.is_none() => self.working_dir = context_working_dir(item),
            _ => {}
        }
    }

    fn event(&mut self, event: Node<'_, '_>, kind: &str, at: Location) {
        match kind {
            "token_count" => return,
            "task_started" | "turn_started" => {
                self.recorded.turn(event);
                self.rollback.task(at.index);
                if self.replay.turn(event, at.index, self.meta.as_ref()) {
                    self.models.forget_doubtful();
                }
            }
            "session_configured" => self.configured(event, at),
            "thread_settings_applied" => {
                if let Some(settings) = event.member("thread_settings") {
                    self.models.settings(settings);
                }
            }
            "thread_rolled_back" => {
                if let Some(turns) = event.member("num_turns").and_then(Node::uint) {
                    self.rollback.back(turns, at.index);
                }
            }
            _ => {}
        }
        match duplicate_events::parse(event, kind) {
            Some((speaker, said)) => {
                self.pairing.event(at, speaker, said, event);
                if speaker == Speaker::User {
                    self.rollback.message(at.index);
                }
            }
            None => self.outcomes.event(event),
        }
    }

    fn turn(&mut self, turn: Node<'_, '_>, at: Location) {
        self.recorded.turn(turn);
        self.models.turn(turn, at.index, self.replay.is_open());
        if self.working_dir.is_none() {
            self.working_dir = owned(turn.member("cwd"));
        }
        let policy = turn.member("sandbox_policy");
        let sandbox = policy.map(|policy| {
            policy.member("type").or_else(|| policy.member("mode")).unwrap_or(policy)
        });
        self.sandbox(sandbox.and_then(Node::text).as_deref());
    }

    fn sandbox(&mut self, sandbox: Option<&str>) {
        let Some(sandbox) = sandbox else { return };
        if self.sandboxes.len() < MAX_SANDBOXES && self.sandboxes.iter().all(|one| one != sandbox) {
            self.sandboxes.push(sandbox.to_owned());
        }
    }

    /// Adds a printed event that names the session.
    fn configured(&mut self, event: Node<'_, '_>, at: Location) {
        self.models.settings(event);
        let meta = self.meta.get_or_insert_with(|| Meta::from_thread(None, at.index));
        if meta.id.is_none() {
            meta.id = owned(event.member("session_id"));
        }
    }

    fn printed(&mut self, line: Node<'_, '_>, kind: &str, at: Location) {
        if self.meta.is_none()
            && let Some(thread) = exec_json::thread(line, kind)
        {
            self.meta = Some(Meta::from_thread(Some(thread.into_owned()), at.index));
        }
        self.states.line(line, kind, at);
    }

    /// Returns the session that a line begins, if the line is not part of this one, because files
    /// can be concatenated.
    pub fn next(&self, line: Node<'_, '_>) -> Option<Next> {
        let mut is_new = true;
        let id = match self.form? {
            Form::TypeScript => return None,
            Form::Events => return matches!(shape(line), Shape::Setup).then_some(Next::Run),
            Form::Printed => {
                let Shape::Printed(kind) = shape(line) else { return None };
                exec_json::thread(line, &kind)
            }
            Form::Bare => {
                let Shape::Header = shape(line) else { return None };
                line.member("id")?.text()
            }
            Form::Envelopes => {
                line.member("type").filter(|kind| kind.is_text("session_meta"))?;
                let meta = line.member("payload")?;
                is_new = self.meta()?.is_older_than(meta);
                let is_behind = self.has_happened && self.replay.is_over();
                meta.member("id").filter(|_| is_behind)?.text()
            }
        }?;
        let id = self.meta()?.is_another(&id).then(|| id.into_owned())?;
        Some(if is_new { Next::Session(id) } else { Next::Known(id) })
    }

    /// Ends the pass.
    pub fn end(&mut self) {
        self.links = std::mem::take(&mut self.pairing).end();
        self.rollback.end(&self.links);
        let replay = &self.replay;
        self.models.end(|index| replay.holds(index));
        self.states.end();
    }

    /// Returns the annotations of a line, which may be missing for a part of a document.
    pub fn annotations<'a>(&self, index: u64, line: Option<Node<'_, '_>>) -> EntryAnnotations<'a> {
        let member = |key: &str| line.and_then(|line| line.member(key));
        let own_from = self
            .meta
            .as_ref()
            .filter(|meta| meta.index != index)
            .and_then(|meta| meta.history_start_ordinal);
        let is_before = own_from.is_some_and(|from| {
            member("ordinal").and_then(Node::uint).is_some_and(|ordinal| ordinal < from)
        });
        // Since 0.166 a line can state it.
        let metadata = member("metadata");
        let is_stated = metadata
            .and_then(|it| it.member("inherited_user_message")?.bool())
            .is_some_and(|is_stated| is_stated);
        let is_inherited = is_before || is_stated || self.replay.holds(index);
        // A copy of a message that a script delivered, kept for later requests.
        let is_copy = metadata
            .and_then(|it| it.member("delivered_assistant_message")?.text())
            .is_some_and(|source| source.starts_with(DELIVERY));
        let how = if self.rollback.holds(index) {
            Some(SupersededHow::RolledBack)
        } else {
            is_copy.then_some(SupersededHow::Other)
        };
        let is_start = self.meta.as_ref().is_some_and(|meta| meta.index == index);
        EntryAnnotations {
            inherited: is_inherited.then_some(EntryAnnotationsInherited::True(true)),
            superseded: how.map(|how| Superseded { how, by: None }),
            starts: is_start.then_some(true),
            ..EntryAnnotations::default()
        }
    }

    /// Returns who starts the turns of the session.
    pub fn prompter(&self) -> Prompter {
        self.meta().map(|meta| meta.prompter).unwrap_or_default()
    }

    /// Returns the session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        let stated = self.meta().and_then(Meta::parent);
        stated.or_else(|| {
            let session_id = self.replay.session_id()?.to_owned();
            Some(Parent { session_id, relation: Relation::Fork })
        })
    }

    /// Returns the metadata that the session states.
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// Returns the session's id.
    pub fn id(&self) -> Option<&str> {
        self.meta()?.id.as_deref()
    }

    /// Returns the time at which it began.
    pub fn start(&self) -> Option<AbstractTimestamp<'static>> {
        let stated = self.meta().and_then(|meta| meta.timestamp.clone());
        stated.or_else(|| self.clock.first())
    }

    /// Returns the time of its last line.
    pub fn last(&self) -> Option<AbstractTimestamp<'static>> {
        self.clock.last()
    }

    /// Returns its working directory.
    pub fn working_dir(&self) -> Option<&str> {
        self.meta().and_then(|meta| meta.working_dir.as_deref()).or(self.working_dir.as_deref())
    }

    /// Returns the provider of the models.
    pub fn provider(&self) -> String {
        let stated = self.meta().and_then(|meta| meta.model_provider.clone());
        stated.unwrap_or_else(|| provider(self.models.models.main_or_unknown()).to_owned())
    }

    /// Returns whether the log consists of events that were printed before October 2025.
    pub fn is_of_events(&self) -> bool {
        self.form == Some(Form::Events)
    }

    /// Returns the variant of the log.
    pub fn variant(&self) -> &'static str {
        match self.form {
            Some(Form::Envelopes) if self.meta().is_some_and(|meta| meta.is_paginated) => {
                "paginated"
            }
            Some(Form::Envelopes) | None => "envelopes",
            Some(Form::Bare) => "bare",
            Some(Form::Printed) => "exec-json",
            Some(Form::Events) => "exec-events",
            Some(Form::TypeScript) => "typescript",
        }
    }
}

/// The maximum number of sandboxes that are listed. The CLI has three.
const MAX_SANDBOXES: usize = 100;

/// The beginning of the source of a delivered message that is a copy.
const DELIVERY: &str = "codex:code-mode-delivery:v1:";
