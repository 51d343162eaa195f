//! The first pass: what is true of the session as a whole, and what each line is.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vac_adapter::frame::Place;
use vac_adapter::members::{Rest, sift};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::time::Span;
use vac_adapter::{Error, Input, Verdict, ids};
use vac_record::{AbstractTimestamp, Decode, MessageEntryType, SessionTrace};
use vac_value::{IntoOwned, Kind, Node, Text};

use crate::beside::Spilled;
use crate::detect::fit_line;
use crate::hoisted::Hoisted;
use crate::inherited::{Heritage, Whose};
use crate::known;
use crate::lines::{LOGLINES, Line, LineContent};
use crate::queue::Queue;
use crate::subagent::{Calls, Part};

/// The model of messages that the CLI makes itself.
pub(crate) const SYNTHETIC: &str = "<synthetic>";

/// What was found out about a session.
#[derive(Default)]
pub(crate) struct Facts {
    /// What most lines repeat.
    pub hoisted: Hoisted,
    /// When its lines were written.
    pub span: Span,
    /// The same of lines that it has from another session.
    inherited: (Hoisted, Span),
    heritage: Heritage,
    /// Whether a line names its session as logs do.
    is_logged: bool,
    /// What becomes of each line.
    pub jobs: Vec<Job>,
    /// The files of the log.
    pub parts: Vec<Part>,
    /// The subagent, if the log is one's alone.
    pub agent: Option<String>,
    /// Who spawned whom.
    pub calls: Calls,
    /// How many web exports there are.
    pub exports: u64,
    /// What the first of them says beside its lines.
    pub extensions: Rest<'static>,
    /// How many of the others say something beside their lines.
    pub wrappers: u64,
    /// How the lines fit a log of Claude Code.
    verdict: Verdict,
    /// Whether a line of a known type was there.
    is_known: bool,
    /// The sessions that lines name.
    named: Named,
    /// Whether a line of a workflow's journal was there.
    is_journal: bool,
    /// Models in the order of their appearance, and how many lines each wrote.
    models: Vec<(String, u64)>,
    /// Where in that list each is.
    model_places: HashMap<String, usize>,
    /// For each message of the API (the hash of its id) its last line with a usage.
    usage: HashMap<u64, usize>,
    queue: Queue,
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

/// What becomes of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    pub becomes: Becomes,
    /// Whether the usage of its message is the one that counts.
    pub counts_usage: bool,
    whose: Whose,
}

impl Job {
    /// Whether the line is from another session.
    pub fn is_inherited(self) -> bool {
        self.whose != Whose::Own
    }
}

/// See [`Job`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Becomes {
    #[default]
    Event,
    Message(MessageEntryType),
    QueuedCommand,
    Enqueued,
}

/// The members of a line that the survey looks at together.
#[derive(Default)]
struct Seen<'d, 'a> {
    session: Option<Node<'d, 'a>>,
    cwd: Option<Node<'d, 'a>>,
    version: Option<Node<'d, 'a>>,
    branch: Option<Node<'d, 'a>>,
    forked: Option<Node<'d, 'a>>,
    timestamp: Option<Node<'d, 'a>>,
    kind: Option<Node<'d, 'a>>,
    id: Option<Node<'d, 'a>>,
    parent: Option<Node<'d, 'a>>,
    agent: Option<Node<'d, 'a>>,
    message: Option<Node<'d, 'a>>,
    attachment: Option<Node<'d, 'a>>,
    operation: Option<Node<'d, 'a>>,
    content: Option<Node<'d, 'a>>,
    result: Option<Node<'d, 'a>>,
    data: Option<Node<'d, 'a>>,
    parent_call: Option<Node<'d, 'a>>,
}

impl Facts {
    /// Nothing yet, about an input.
    pub fn of(input: &dyn Input) -> Self {
        let heritage = Heritage::new(ids::stem(input.name()));
        Self { parts: Part::of(input), heritage, ..Self::default() }
    }

    /// Looks at a line of the beginning.
    pub fn see(&mut self, content: LineContent<'_, '_>) {
        let (index, place) = (self.jobs.len(), Place::default());
        self.line(Line { index, place, content }, &mut Spilled::default());
    }

    /// Looks at a line.
    pub fn line(&mut self, line: Line<'_, '_>, spilled: &mut Spilled) {
        let node = match line.content {
            LineContent::Wrapper(node) => return self.wrapper(node),
            LineContent::Raw(_) => None,
            LineContent::Value(node) => Some(node),
        };
        if let Some(part) = self.parts.get_mut(line.place.file) {
            part.has_lines = true;
        }
        self.jobs.push(Job::default());
        let Some(node) = node else { return };
        self.verdict.add(fit_line(node));
        let seen = self.members(node);
        let whose = self.repeated(&seen);
        if let Some(last) = self.jobs.last_mut() {
            last.whose = whose;
        }
        let Some(kind) = seen.kind.and_then(Node::text) else { return };
        self.is_known = self.is_known || known::line(&kind);
        self.is_journal |= !self.is_known && known::journal(&kind) && seen.agent.is_some();
        let job = self.becomes(&kind, &seen, line.index);
        if let Some(last) = self.jobs.last_mut() {
            last.becomes = job;
        }
        if let Becomes::Message(_) = job
            && let Some(message) = seen.message.filter(|message| message.kind() == Kind::Map)
        {
            self.message(message, line.index);
        }
        // A subagent's message inside is data, but its model took part.
        let inside = seen.data.and_then(|data| data.member("message")?.member("message"));
        if let Some(model) = inside.and_then(|message| message.member("model")?.text()) {
            self.model(&model, 0);
        }
        if self.parts.len() > 1 || !spilled.is_empty() {
            self.links(&seen, spilled);
        }
        if let Some(part) = self.parts.get_mut(line.place.file) {
            part.line(seen.id, seen.parent);
            if matches!(job, Becomes::Message(_)) {
                part.message(seen.agent);
            }
        }
    }

    /// Sorts the members of a line.
    fn members<'d: 'a, 'a>(&mut self, line: Node<'d, 'a>) -> Seen<'d, 'a> {
        let mut seen = Seen::default();
        for (key, value) in line.members() {
            let Some(key) = key.text() else { continue };
            let place = match &*key {
                "type" => &mut seen.kind,
                "uuid" => &mut seen.id,
                "parentUuid" => &mut seen.parent,
                "agentId" => &mut seen.agent,
                "message" => &mut seen.message,
                "attachment" => &mut seen.attachment,
                "operation" => &mut seen.operation,
                "content" => &mut seen.content,
                "toolUseResult" => &mut seen.result,
                "data" => &mut seen.data,
                "parentToolUseID" => &mut seen.parent_call,
                "forkedFrom" => &mut seen.forked,
                "timestamp" => &mut seen.timestamp,
                "sessionId" => {
                    self.is_logged = true;
                    &mut seen.session
                }
                "session_id" => &mut seen.session,
                "cwd" => &mut seen.cwd,
                "version" | "claude_code_version" => &mut seen.version,
                "gitBranch" => &mut seen.branch,
                _ => continue,
            };
            *place = Some(value);
        }
        seen
    }

    /// What a line repeats of its session, and whose line it is.
    fn repeated(&mut self, seen: &Seen<'_, '_>) -> Whose {
        if let Some(session) = seen.session {
            self.named.add(session);
        }
        let whose = self.heritage.line(seen.session, seen.forked);
        if self.heritage.turns {
            // What was taken for the session's was another's.
            self.inherited = (std::mem::take(&mut self.hoisted), std::mem::take(&mut self.span));
        }
        let (hoisted, span) = match whose {
            Whose::Copied => (&mut self.inherited.0, &mut self.inherited.1),
            Whose::Own | Whose::Foreign => (&mut self.hoisted, &mut self.span),
        };
        hoisted.fill(seen.session, seen.cwd, seen.version, seen.branch);
        if let Some(Ok(timestamp)) = seen.timestamp.map(AbstractTimestamp::from_node) {
            span.add(&timestamp);
        }
        whose
    }

    /// What a line of a type becomes.
    fn becomes(&mut self, kind: &str, seen: &Seen<'_, '_>, line: usize) -> Becomes {
        match kind {
            "user" => {
                if let Some(content) = seen.message.and_then(|message| message.member("content")) {
                    self.queue.told(content);
                }
                Becomes::Message(MessageEntryType::User)
            }
            "assistant" => Becomes::Message(MessageEntryType::Assistant),
            "attachment" => match seen.attachment.and_then(queued) {
                Some(prompt) => {
                    self.queue.told(prompt);
                    Becomes::QueuedCommand
                }
                None => Becomes::Event,
            },
            "queue-operation" => {
                if let Some(operation) = seen.operation {
                    self.queue.operation(operation, seen.content, line);
                }
                Becomes::Event
            }
            _ => Becomes::Event,
        }
    }

    /// Models and usage.
    fn message(&mut self, message: Node<'_, '_>, line: usize) {
        let (mut id, mut usage) = (None, None);
        for (key, value) in message.members() {
            if key.is_text("id") {
                id = value.text();
            } else if key.is_text("usage") && value.kind() == Kind::Map {
                usage = Some(value);
            } else if key.is_text("model")
                && let Some(model) = value.text()
            {
                self.model(&model, 1);
            }
        }
        let Some(usage) = usage else { return };
        // Other models may have been asked for advice on the way.
        if let Some(iterations) = usage.member("iterations") {
            let models = iterations.elements().filter_map(|iteration| iteration.member("model"));
            models.filter_map(Node::text).for_each(|model| self.model(&model, 0));
        }
        // Lines of one message repeat its usage; the last has the final numbers.
        if let Some(before) = id.and_then(|id| self.usage.insert(hash(&id), line))
            && let Some(job) = self.jobs.get_mut(before)
        {
            job.counts_usage = false;
        }
        if let Some(job) = self.jobs.get_mut(line) {
            job.counts_usage = true;
        }
    }

    /// Counts in that a model took part, and wrote so many lines.
    fn model(&mut self, model: &str, lines: u64) {
        if model.is_empty() || model == SYNTHETIC {
            return;
        }
        let place = self.model_places.get(model).copied();
        match place.and_then(|place| self.models.get_mut(place)) {
            Some((_, known)) => *known += lines,
            None => {
                self.model_places.insert(model.to_owned(), self.models.len());
                self.models.push((model.to_owned(), lines));
            }
        }
    }

    /// Which calls spawned subagents, and whose output was put aside.
    fn links(&mut self, seen: &Seen<'_, '_>, spilled: &mut Spilled) {
        let content = seen.message.and_then(|message| message.member("content"));
        for block in content.into_iter().flat_map(Node::elements) {
            let Some(call) = block.member("tool_use_id").and_then(Node::text) else { continue };
            spilled.result(block, seen.result, &call);
            if let Some(result) = seen.result {
                self.calls.result(result, &call);
            }
        }
        if let Some(data) = seen.data {
            self.calls.progress(data, seen.parent_call);
        }
    }

    /// The object around the lines of a web export.
    fn wrapper(&mut self, wrapper: Node<'_, '_>) {
        self.exports += 1;
        let rest = sift(wrapper, &SessionTrace::KEYS, |key, _| key == LOGLINES);
        match self.exports {
            1 => self.extensions = rest.into_owned(),
            _ => self.wrappers += u64::from(!rest.is_empty()),
        }
    }

    /// Ends the pass; an error if this is no session.
    pub fn end(&mut self) -> Result<(), Error> {
        for line in std::mem::take(&mut self.queue).untold() {
            if let Some(job) = self.jobs.get_mut(line) {
                job.becomes = Becomes::Enqueued;
            }
        }
        self.inherit();
        if let [part] = self.parts.as_mut_slice() {
            self.agent = part.agent.take();
        }
        self.usage = HashMap::new();
        self.model_places = HashMap::new();
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

    /// Settles what the session has from another.
    fn inherit(&mut self) {
        for job in &mut self.jobs {
            if job.whose == Whose::Foreign && !self.heritage.is_named {
                job.whose = Whose::Own;
            }
            // What another session used is counted there.
            job.counts_usage &= !job.is_inherited();
        }
        let (hoisted, span) = std::mem::take(&mut self.inherited);
        self.hoisted.or(hoisted);
        if self.span.first().is_none() {
            self.span = span;
        }
        if let Some(session) = self.heritage.session() {
            self.hoisted.session_id = Some(session.to_owned());
        }
    }

    /// Whether lines name several sessions, and the file none of them.
    pub fn has_several_sessions(&self) -> bool {
        let has_several = matches!(self.named, Named::Several);
        has_several && !self.heritage.is_named && self.exports == 0 && self.parts.len() <= 1
    }

    /// Which format it is in, with files beside the log or not.
    pub fn variant(&self, has_folder: bool) -> &'static str {
        if self.exports > 0 {
            "loglines"
        } else if has_folder || self.parts.len() > 1 {
            "jsonl-folder"
        } else if self.agent.is_some() {
            "subagent"
        } else if self.hoisted.session_id.is_some() && !self.is_logged {
            "stream"
        } else {
            "jsonl"
        }
    }

    /// The model that wrote most lines; of equals the first.
    pub fn model_id(&self) -> &str {
        let most = self.models.iter().map(|(_, lines)| *lines).max();
        let main = self.models.iter().find(|(_, lines)| Some(*lines) == most);
        main.map_or(UNKNOWN, |(model, _)| model)
    }

    /// Every model that took part; `None` if none is known.
    pub fn models(&self) -> Option<Vec<Text<'static>>> {
        let models: Vec<_> = self.models.iter().map(|(model, _)| model.clone().into()).collect();
        (!models.is_empty()).then_some(models)
    }
}

/// The prompt of an attachment, if it is one.
fn queued<'d: 'a, 'a>(attachment: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    attachment.member("type").filter(|kind| kind.is_text("queued_command"))?;
    attachment.member("prompt").filter(|prompt| prompt.kind() != Kind::Null)
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
