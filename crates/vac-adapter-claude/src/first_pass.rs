//! The first pass: collects the facts about a session, and plans the entry of each line.

use std::num::NonZeroU16;
use std::rc::Rc;

use vac_adapter::frame::Place;
use vac_adapter::members::Rest;
use vac_adapter::models::Models;
use vac_adapter::time::Span;
use vac_adapter::{Error, Input, Parent, Report, Verdict, ids};
use vac_record::annotations::{
    EntryAnnotations, EntryAnnotationsInherited, Relation, Superseded, SupersededHow,
};
use vac_record::{AbstractTimestamp, Decode, MessageEntryType, SessionTrace};
use vac_value::{IntoOwned, Kind, Node, Text};

use crate::SYNTHETIC;
use crate::envelope::Envelope;
use crate::event::Wrapper;
use crate::fork_history::{ForkHistory, LineOrigin};
use crate::known;
use crate::line_members::{LineMembers, MessageMembers};
use crate::lines::{Line, LineContent};
use crate::progress::ProgressMessages;
use crate::queue::Queue;
use crate::repeated_calls::RepeatedCalls;
use crate::session_defaults::SessionDefaults;
use crate::session_folder::Spilled;
use crate::short_hash::{ShortHash, ShortHashMap};
use crate::subagent::{Calls, Part, SidechainCalls};

/// The facts about a session.
#[derive(Default)]
pub(crate) struct Facts {
    /// Values of the session that most lines repeat.
    pub defaults: SessionDefaults,
    /// The time span of its lines.
    pub span: Span,
    /// The values and the time span of lines that were copied from another session.
    inherited: (SessionDefaults, Span),
    history: ForkHistory,
    /// Whether a line names its session as logs do.
    is_logged: bool,
    /// The plan for each line.
    pub plans: Vec<LinePlan>,
    /// The files of the log.
    pub parts: Vec<Part>,
    /// The subagent, if the log is that of a single subagent.
    pub agent: Option<String>,
    /// The calls that started subagents.
    pub calls: Calls,
    sidechains: SidechainCalls,
    progress: ProgressMessages,
    /// The messages that were withdrawn or replaced: in which way, and the line that did it.
    superseded: ShortHashMap<(SupersededHow, Option<Rc<str>>)>,
    changes: Changes,
    repeated_calls: RepeatedCalls,
    /// The number of web exports.
    pub exports: u64,
    /// The members of the first export that are not lines.
    pub extensions: Rest<'static>,
    /// The number of other exports that have members other than their lines.
    pub wrappers: u64,
    /// The verdict on the lines.
    verdict: Verdict,
    /// Whether a line has a known type.
    is_known: bool,
    /// The sessions that lines name.
    named: Named,
    /// Whether a line belongs to a workflow's journal.
    is_journal: bool,
    pub models: Models,
    /// The last line with a usage for each message of the API.
    usage: ShortHashMap<LineNumber>,
    /// The messages with an id: hashes of id and content.
    messages: ShortHashMap<()>,
    queue: Queue,
}

/// The last values that lines repeat, to find lines that change them.
#[derive(Debug, Default)]
struct Changes {
    permission_mode: Option<String>,
    has_started: bool,
}

/// The sessions that lines name.
#[derive(Debug, Default)]
enum Named {
    #[default]
    Nothing,
    One(String),
    Several,
}

impl Named {
    fn add(&mut self, session: Node<'_, '_>) {
        match self {
            Self::One(first) if session.kind() == Kind::Text && !session.is_text(first) => {
                *self = Self::Several;
            }
            Self::Nothing => {
                if let Some(session) = session.text() {
                    *self = Self::One(session.into_owned());
                }
            }
            Self::One(_) | Self::Several => {}
        }
    }
}

/// The plan for a line.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct LinePlan {
    pub kind: LineKind,
    /// Whether the usage of its message is the one that counts.
    pub counts_usage: bool,
    /// Whether it states something that earlier lines do not: a permission mode, the start.
    pub is_change: bool,
    /// Whether an earlier line has the same id and the same content.
    is_repeated: bool,
    /// Whether its first block is the call that the message before it ended with.
    pub repeats_call: bool,
    origin: LineOrigin,
    /// The call that started the subagent that wrote it, if only its prompt shows that.
    sidechain: Option<NonZeroU16>,
}

// Keep the type small: there is one value for each line of the log.
const _: () = assert!(size_of::<LinePlan>() <= 10);

/// The number of a line, in five bytes because many are in memory.
#[derive(Clone, Copy, Debug)]
struct LineNumber([u8; 5]);

impl LineNumber {
    fn new(line: usize) -> Self {
        let [bytes @ .., 0, 0, 0] = (line as u64).to_le_bytes() else {
            unreachable!("there is no memory for the plans of 2^40 lines");
        };
        Self(bytes)
    }

    fn index(self) -> usize {
        let mut bytes = [0; 8];
        bytes[..self.0.len()].copy_from_slice(&self.0);
        usize::try_from(u64::from_le_bytes(bytes)).expect("it was a usize")
    }
}

/// The kind of entry that a line becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum LineKind {
    #[default]
    Event,
    Message(MessageEntryType),
    /// A `progress` line with a message of a subagent.
    Progress(MessageEntryType),
    QueuedCommand,
    /// A line of another type, of which `content` is a message of the user.
    Content,
}

impl Facts {
    /// Creates the facts about an input before its first line.
    pub fn new(input: &dyn Input) -> Self {
        let history = ForkHistory::new(ids::stem(input.name()));
        Self { parts: Part::list(input), history, ..Self::default() }
    }

    /// Adds a line of the beginning of a log.
    pub fn add_beginning(&mut self, content: LineContent<'_, '_>) {
        let (index, place) = (self.plans.len(), Place::default());
        self.line(Line { index, place, content }, &mut Spilled::default());
    }

    /// Adds a line.
    pub fn line(&mut self, line: Line<'_, '_>, spilled: &mut Spilled) {
        let node = match line.content {
            LineContent::Wrapper(node) => return self.wrapper(node),
            LineContent::Raw(_) => None,
            LineContent::Value(node) => Some(node),
        };
        if let Some(part) = self.parts.get_mut(line.place.file) {
            part.has_lines = true;
        }
        self.plans.push(LinePlan::default());
        let Some(node) = node else { return };
        let members = LineMembers::read(node);
        self.verdict.add(members.fit(node));
        self.is_logged |= members.logged_session.is_some();
        let origin = self.repeated(&members);
        let mut plan = LinePlan { origin, ..LinePlan::default() };
        if let Some(kind) = members.kind.and_then(Node::text) {
            self.is_known = self.is_known || known::line(&kind);
            self.is_journal |= !self.is_known && known::journal(&kind) && members.agent.is_some();
            plan.kind = self.line_kind(&kind, &members, line);
            plan.is_change = self.is_change(&kind, &members);
        }
        self.add_retractions(&members);
        if members.plan.is_some()
            && let Some(message) = members.message
        {
            self.history.planned(message);
        }
        if let Some(part) = self.parts.get_mut(line.place.file) {
            part.line(members.id, members.parent);
            if matches!(plan.kind, LineKind::Message(_)) {
                part.message(members.agent);
            }
        }
        let is_subagent = self.is_subagent(&members, line.place.file);
        if is_subagent && members.agent.is_none() {
            let content = members.said.content;
            plan.sidechain = self.sidechains.line(members.id, members.parent, content);
        }
        self.links(&members, line.place.file, is_subagent, spilled);
        plan.repeats_call = self.repeated_calls.message(members.said.content);
        if let Some(last) = self.plans.last_mut() {
            *last = plan;
        }
        if let LineKind::Message(_) = plan.kind {
            if self.is_repeated(members.id, members.said) {
                self.plans[line.index].is_repeated = true;
            } else {
                self.message(members.said, line.index, is_subagent);
            }
        }
        // The usage of a subagent's message inside a line is not counted, but its model took part.
        let inside = members.data.and_then(|data| data.member("message")?.member("message"));
        if let Some(model) = inside.and_then(|message| message.member("model")?.text()) {
            self.add_model(&model, 1, true);
        }
    }

    fn is_subagent(&self, members: &LineMembers<'_, '_>, file: usize) -> bool {
        members.sidechain.and_then(Node::bool) == Some(true)
            || members.stream_call.is_some_and(|call| call.kind() == Kind::Text)
            || self.parts.get(file).is_some_and(|part| part.agent.is_some())
    }

    /// Returns whether an earlier line has the same id and the same content: a session that is
    /// resumed may log its last messages again.
    fn is_repeated(&mut self, id: Option<Node<'_, '_>>, said: MessageMembers<'_, '_>) -> bool {
        const COMPARED: usize = 256;
        let Some(id) = id.and_then(Node::text) else { return false };
        // Newer versions add members to the message, but not to its content.
        let Some(content) = said.content.map(Node::raw) else { return false };
        let end = content.len().saturating_sub(COMPARED);
        let start = &content[..content.len().min(COMPARED)];
        let usage = said.usage.map(Node::raw);
        let message = (&*id, content.len(), start, &content[end..], usage);
        self.messages.insert(ShortHash::new(&message), ()).is_some()
    }

    /// Returns whether a line states something that earlier lines do not.
    fn is_change(&mut self, kind: &str, members: &LineMembers<'_, '_>) -> bool {
        match kind {
            "permission-mode" => {
                let mode = members.mode.and_then(Node::text).map(Text::into_owned);
                mode.is_some()
                    && std::mem::replace(&mut self.changes.permission_mode, mode.clone()) != mode
            }
            "system" if members.subtype.is_some_and(|subtype| subtype.is_text("init")) => {
                !std::mem::replace(&mut self.changes.has_started, true)
            }
            _ => false,
        }
    }

    /// Adds the messages that a line withdraws or replaces.
    fn add_retractions(&mut self, members: &LineMembers<'_, '_>) {
        let mut by = None;
        let mut add = |id: Text<'_>, how| {
            let line = || members.id.and_then(Node::text).map(|id| Rc::from(&*id));
            let by: &Option<Rc<str>> = by.get_or_insert_with(line);
            self.superseded.insert(ShortHash::new(&*id), (how, by.clone()));
        };
        let [retracted, refused] = members.retracted;
        // Without another model, the prompt stays the last message.
        let is_retried = |subtype: Node<'_, '_>| subtype.is_text("model_refusal_fallback");
        let refused = refused.filter(|_| members.subtype.is_some_and(is_retried));
        for node in retracted.into_iter().chain(refused) {
            let ids = node.elements().chain([node]).filter_map(Node::text);
            ids.for_each(|id| add(id, SupersededHow::Retracted));
        }
        if let Some(node) = members.supersedes {
            let ids = node.elements().chain([node]).filter_map(Node::text);
            ids.for_each(|id| add(id, SupersededHow::Updated));
        }
    }

    /// Returns the annotations of a line that do not depend on its type.
    pub fn annotations<'x>(
        &'x self,
        envelope: &Envelope<'x>,
        plan: LinePlan,
        place: Place,
    ) -> EntryAnnotations<'x> {
        let mut it = EntryAnnotations::default();
        if plan.origin != LineOrigin::Own {
            let forked = envelope.forked_from.and_then(|from| from.member("sessionId"));
            let id = forked.or(envelope.session).and_then(Node::text);
            it.inherited = Some(match id {
                Some(id) => EntryAnnotationsInherited::Text(id),
                None => EntryAnnotationsInherited::True(true),
            });
        }
        if let Some(id) = &envelope.id {
            let superseded = self.superseded.get(ShortHash::new(&**id));
            it.superseded = superseded.map(|(how, by)| {
                let by = by.as_deref().map(Text::Borrowed);
                Superseded { how: *how, by }
            });
        }
        let part = self.parts.get(place.file);
        let sidechain = plan.sidechain.and_then(|call| self.sidechains.call(call));
        it.subagent = self.calls.subagent(envelope, self.agent.as_deref(), part, sidechain);
        it.duplicate_of = if plan.is_repeated {
            envelope.id.clone()
        } else {
            self.progress.duplicate_of(envelope.id.as_deref(), place).map(Text::Borrowed)
        };
        it
    }

    /// Returns the session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        let session_id = self.defaults.session_id.clone().filter(|_| self.agent.is_some());
        let started = session_id.map(|id| Parent { session_id: id, relation: Relation::Subagent });
        started.or_else(|| self.history.parent())
    }

    /// Adds the values of the session that a line repeats. Returns the session that the line is
    /// from.
    fn repeated(&mut self, members: &LineMembers<'_, '_>) -> LineOrigin {
        if let Some(session) = members.session {
            self.named.add(session);
        }
        let origin = self.history.add(members.session, members.forked);
        if self.history.turns {
            // The lines so far are from another session.
            self.inherited = (std::mem::take(&mut self.defaults), std::mem::take(&mut self.span));
        }
        let (defaults, span) = match origin {
            LineOrigin::Copied => (&mut self.inherited.0, &mut self.inherited.1),
            LineOrigin::Own | LineOrigin::Foreign => (&mut self.defaults, &mut self.span),
        };
        defaults.fill(members.session, members.cwd, members.version, members.branch);
        if let Some(Ok(timestamp)) = members.timestamp.map(AbstractTimestamp::from_node) {
            span.add(&timestamp);
        }
        origin
    }

    /// Returns the kind of entry that a line of a type becomes.
    fn line_kind(
        &mut self,
        kind: &str,
        members: &LineMembers<'_, '_>,
        line: Line<'_, '_>,
    ) -> LineKind {
        match kind {
            "user" => {
                if let Some(content) = members.said.content {
                    self.queue.message(content);
                }
                LineKind::Message(MessageEntryType::User)
            }
            "assistant" => LineKind::Message(MessageEntryType::Assistant),
            "attachment" => match members.attachment.and_then(queued) {
                Some(prompt) => {
                    self.queue.message(prompt);
                    LineKind::QueuedCommand
                }
                None => LineKind::Event,
            },
            "queue-operation" => {
                if let Some(operation) = members.operation {
                    self.queue.operation(operation, members.content, line.index);
                }
                LineKind::Event
            }
            "progress" => match members.data.and_then(|data| data.member("message")) {
                Some(message) => {
                    let id = members.id.and_then(Node::text);
                    self.progress.progress(message, id.as_deref(), line.place)
                }
                None => LineKind::Event,
            },
            "system" if is_local_command(members) => LineKind::Content,
            _ => LineKind::Event,
        }
    }

    /// Adds models and usage.
    fn message(&mut self, said: MessageMembers<'_, '_>, line: usize, is_subagent: bool) {
        if let Some(model) = said.model.and_then(Node::text) {
            self.add_model(&model, 1, is_subagent);
        }
        let id = said.id.and_then(Node::text);
        let Some(usage) = said.usage.filter(|usage| usage.kind() == Kind::Map) else { return };
        // The session's model may have asked other models for advice.
        if let Some(iterations) = usage.member("iterations") {
            let models = iterations.elements().filter_map(|iteration| iteration.member("model"));
            models.filter_map(Node::text).for_each(|model| self.add_model(&model, 0, is_subagent));
        }
        // Lines of one message repeat its usage; the last has the final numbers.
        let number = LineNumber::new(line);
        if let Some(before) = id.and_then(|id| self.usage.insert(ShortHash::new(&*id), number))
            && let Some(plan) = self.plans.get_mut(before.index())
        {
            plan.counts_usage = false;
        }
        if let Some(plan) = self.plans.get_mut(line) {
            plan.counts_usage = true;
        }
    }

    /// Adds the calls that started subagents, the output that is in files, and the messages of
    /// subagents that are in the log twice.
    fn links(
        &mut self,
        members: &LineMembers<'_, '_>,
        file: usize,
        is_subagent: bool,
        spilled: &mut Spilled,
    ) {
        let content = members.said.content;
        for block in content.into_iter().flat_map(Node::elements) {
            if let Some(call) = block.member("tool_use_id").and_then(Node::text) {
                spilled.result(block, members.result, &call);
                if let Some(result) = members.result {
                    self.calls.result(result, &call);
                }
            } else if !is_subagent && let Some(input) = block.member("input") {
                self.sidechains.started(block, input);
            }
        }
        if file > 0 && is_subagent {
            self.progress.subagent_line(members.id, content);
        }
        if let Some(data) = members.data {
            self.calls.progress(data, members.parent_call);
        }
    }

    /// Adds a model that wrote this many lines.
    fn add_model(&mut self, name: &str, lines: u64, is_subagent: bool) {
        match (name, is_subagent) {
            (SYNTHETIC, _) => {}
            (_, true) => self.models.add_subagent(name, lines),
            (_, false) => {
                self.models.add(name, lines);
            }
        }
    }

    /// Adds the object around the lines of a web export.
    fn wrapper(&mut self, wrapper: Node<'_, '_>) {
        self.exports += 1;
        let rest = Wrapper::read(wrapper, &SessionTrace::KEYS, &mut Report::default()).rest;
        match self.exports {
            1 => self.extensions = rest.into_owned(),
            _ => self.wrappers += u64::from(!rest.is_empty()),
        }
    }

    /// Ends the pass. Fails if the log is not a session.
    pub fn end(&mut self) -> Result<(), Error> {
        for line in std::mem::take(&mut self.queue).only_enqueued() {
            if let Some(plan) = self.plans.get_mut(line) {
                plan.kind = LineKind::Content;
            }
        }
        self.inherit();
        if let [part] = self.parts.as_mut_slice() {
            self.agent = part.agent.take();
        }
        self.usage = ShortHashMap::default();
        self.messages = ShortHashMap::default();
        self.progress.end();
        self.sidechains.end();
        if let Some(misfit) = self.verdict.refusal("claude") {
            return Err(Error::Refused(misfit.to_string()));
        }
        match (self.is_known, self.is_journal) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Refused(
                "the journal of a workflow, which is read with its session".to_owned(),
            )),
            (false, false) => {
                Err(Error::Refused("no line of a Claude Code session in it".to_owned()))
            }
        }
    }

    /// Marks the lines that are from another session.
    fn inherit(&mut self) {
        for plan in &mut self.plans {
            if plan.origin == LineOrigin::Foreign && !self.history.is_named {
                plan.origin = LineOrigin::Own;
            }
            // Tokens of another session are counted in that session.
            plan.counts_usage &= plan.origin == LineOrigin::Own;
        }
        let (defaults, span) = std::mem::take(&mut self.inherited);
        self.defaults.or(defaults);
        if self.span.first().is_none() {
            self.span = span;
        }
        if let Some(session) = self.history.session() {
            self.defaults.session_id = Some(session.to_owned());
        }
    }

    /// Returns whether lines name several sessions, and the file none of them.
    pub fn has_several_sessions(&self) -> bool {
        let has_several = matches!(self.named, Named::Several);
        has_several && !self.history.is_named && self.exports == 0 && self.parts.len() <= 1
    }

    /// Returns the variant, which depends on whether the session has companion files.
    pub fn variant(&self, has_folder: bool) -> &'static str {
        if self.exports > 0 {
            "loglines"
        } else if has_folder || self.parts.len() > 1 {
            "jsonl-folder"
        } else if self.agent.is_some() {
            "subagent"
        } else if self.defaults.session_id.is_some() && !self.is_logged {
            "stream"
        } else {
            "jsonl"
        }
    }
}

/// Returns whether a `system` line is a command that the user typed.
fn is_local_command(members: &LineMembers<'_, '_>) -> bool {
    let is_local = members.subtype.is_some_and(|subtype| subtype.is_text("local_command"));
    let content = members.content.filter(|_| is_local).and_then(Node::text);
    content.is_some_and(|content| {
        let content = content.trim_start();
        content.starts_with("<command-name>") || content.starts_with("<bash-input>")
    })
}

/// Returns the prompt of an attachment, if it is one.
fn queued<'d: 'a, 'a>(attachment: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    attachment.member("type").filter(|kind| kind.is_text("queued_command"))?;
    attachment.member("prompt").filter(|prompt| prompt.kind() != Kind::Null)
}
