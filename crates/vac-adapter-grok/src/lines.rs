//! Implements the first pass over the lines of a log, and detects the agent that wrote them.

use std::collections::{HashMap, HashSet, VecDeque};

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, parse_time, text};
use vac_adapter::{Adapter, Confidence, Fit, Report, Sample};
use vac_record::Entry;
use vac_record::annotations::{Category, EntryAnnotations, Subagent, Superseded, SupersededHow};
use vac_value::{IntoOwned, Kind, Node, Text};

use crate::companions::{self, summary};
use crate::line::{self, Becomes};
use crate::permission::{REQUEST, Requests};
use crate::tools;

/// The name of agents that write captures.
pub(crate) const ACP: &str = "acp";

/// The types of events which state that a summary replaces the conversation so far.
pub(crate) const COMPACTIONS: &[&str] = &["compaction_checkpoint", "auto_compact_completed"];

/// The methods of the protocol.
const METHODS: &[&str] = &["authenticate", "initialize", "fs/", "session/", "terminal/"];

/// The maximum number of bytes of joined chunks. A longer message becomes several entries.
const MAX_JOINED: usize = 1 << 20;

/// The members that lines of all types have.
#[derive(Clone)]
pub(crate) struct Message<'d, 'a> {
    pub method: Option<Text<'a>>,
    pub params: Option<Node<'d, 'a>>,
    pub update: Option<Node<'d, 'a>>,
    /// The type of the update.
    pub kind: Option<Text<'a>>,
    /// Whether the line consists only of the parameters of an update.
    pub is_bare: bool,
}

impl<'d, 'a> Message<'d, 'a> {
    pub fn parse(line: Node<'d, 'a>) -> Self {
        let method = line.member("method").and_then(Node::text);
        let is_bare = method.is_none() && line.member("params").is_none();
        let params = if is_bare { Some(line) } else { line.member("params") };
        let params = params.filter(|params| params.kind() == Kind::Map);
        let update = params.and_then(|it| it.member("update"));
        let update = update.filter(|it| it.kind() == Kind::Map);
        let kind = update.and_then(|update| update.member("sessionUpdate")?.text());
        let update = update.filter(|_| kind.is_some());
        Self { method, params, update, kind, is_bare: is_bare && update.is_some() }
    }

    /// Returns a member of the update.
    pub fn of(&self, key: &str) -> Option<Node<'d, 'a>> {
        self.update.and_then(|update| update.member(key))
    }

    fn session_id(&self) -> Option<Node<'d, 'a>> {
        self.params.and_then(|params| params.member("sessionId"))
    }

    fn meta(&self) -> Option<Node<'d, 'a>> {
        self.params.and_then(|params| params.member("_meta"))
    }

    fn is_grok(&self) -> bool {
        let is_own = |method: &str| method.starts_with("_x.ai/") || method.starts_with("x.ai/");
        self.method.as_deref().is_some_and(is_own)
    }
}

/// A tool call.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub is_shell: bool,
    /// The line with the call.
    pub line: Option<u64>,
    /// The line with its result.
    pub result: Option<u64>,
}

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    pub requests: Requests,
    pub calls: HashMap<String, Call>,
    /// The sessions that calls started.
    pub delegations: HashMap<String, String>,
    /// The name of the session's folder, which is the session's id.
    folder: Option<String>,
    /// The first line of each id.
    ids: HashMap<String, u64>,
    /// The lines of the prompts that are part of the conversation, and all lines of it.
    prompts: Vec<u64>,
    conversation: Vec<u64>,
    /// The numbers of the rewinds that ended lines, and the ids of the lines that state them.
    rewound: HashMap<u64, usize>,
    rewinds: Vec<String>,
    /// The sessions that this one started, and the calls that may start more.
    children: HashSet<String>,
    delegating: VecDeque<String>,
    /// The lines that continue the message of the line before, and the last chunk.
    continued: HashSet<u64>,
    chunk: Option<Chunk>,
    /// Whether lines have the envelope of Grok Build.
    is_stored: bool,
    /// Whether the ends of turns state tokens. Otherwise those of responses count.
    pub has_turn_usage: bool,
}

/// A chunk of a message in a capture.
#[derive(Debug)]
struct Chunk {
    kind: String,
    message: Option<String>,
    session: Option<String>,
    index: u64,
    size: usize,
}

impl Lines {
    /// Returns the annotations that lines of all types can have.
    pub fn annotations(&self, message: &Message<'_, '_>, at: LineAt) -> EntryAnnotations<'_> {
        let rewind = self.rewound.get(&at.index).map(|number| &self.rewinds[*number]);
        let superseded = rewind
            .map(|by| Superseded { how: SupersededHow::Rewound, by: Some(by.as_str().into()) });
        let session = message.session_id().and_then(Node::text);
        let child = session.and_then(|session| self.children.get(&*session));
        let subagent =
            child.map(|child| Subagent { id: Some(child.as_str().into()), call_id: None });
        EntryAnnotations { superseded, subagent, ..EntryAnnotations::default() }
    }

    /// Returns whether a line is the first with its id.
    pub fn is_first(&self, id: Node<'_, '_>, at: LineAt) -> bool {
        id.text().is_some_and(|id| self.ids.get(&*id) == Some(&at.index))
    }

    /// Returns whether the session is that of a subagent.
    pub fn is_subagent(&self) -> bool {
        let parent = self.facts.parent.as_ref();
        parent.is_some_and(|it| it.relation == vac_record::annotations::Relation::Subagent)
    }

    /// Returns the id that the entry of a line will have.
    fn entry_id(&mut self, message: &Message<'_, '_>, at: LineAt) -> String {
        let id = text(message.meta().and_then(|meta| meta.member("eventId")));
        let Some(id) = id else { return at.place.id() };
        let first = *self.ids.entry(id.clone()).or_insert(at.index);
        if first == at.index { id } else { at.place.id() }
    }

    /// Returns whether an update of this kind is a call: a `tool_call`, or, as in version 2 of the
    /// protocol, the first `tool_call_update` that describes the call.
    fn is_call(&self, message: &Message<'_, '_>, kind: &str) -> bool {
        let is_known = || {
            let call = text(message.of("toolCallId")).and_then(|id| self.calls.get(&id));
            call.is_some_and(|call| call.line.is_some())
        };
        let is_described =
            || ["kind", "rawInput", "title"].iter().any(|key| message.of(key).is_some());
        kind == "tool_call" || is_described() && !is_known()
    }

    fn update(&mut self, message: &Message<'_, '_>, kind: &str, id: String, at: LineAt) {
        match kind {
            "user_message_chunk" | "user_message" => {
                let meta = message.of("_meta");
                let model = text(meta.and_then(|meta| meta.member("modelId")));
                self.facts.models.add(&model.unwrap_or_default(), 1);
                let number = meta.and_then(|meta| meta.member("promptIndex")?.uint());
                self.prompt(number, at.index);
            }
            "tool_call" | "tool_call_update" if self.is_call(message, kind) => {
                let Some(call_id) = text(message.of("toolCallId")) else { return };
                let name = line::tool_name(message);
                let kind = message.of("kind").and_then(Node::text);
                let action = tools::action(name.as_deref().unwrap_or_default(), kind.as_deref());
                if action.category == Category::Delegate {
                    self.delegating.push_back(call_id.clone());
                }
                let call = self.calls.entry(call_id).or_default();
                call.is_shell = action.category == Category::Execute;
                call.line = Some(at.index);
            }
            "tool_call_update" if line::is_end(message) => {
                if let Some(call_id) = text(message.of("toolCallId")) {
                    self.calls.entry(call_id).or_default().result = Some(at.index);
                }
            }
            "subagent_spawned" => {
                let Some(child) = text(message.of("child_session_id")) else { return };
                if let Some(call_id) = self.delegating.pop_front() {
                    self.delegations.insert(call_id, child.clone());
                }
                self.children.insert(child);
            }
            "model_changed" | "model_auto_switched" => {
                let model = message.of("model_id").or_else(|| message.of("new_model_id"));
                self.facts.models.add(&text(model).unwrap_or_default(), 0);
            }
            "turn_completed" => {
                self.has_turn_usage |= message.of("usage").is_some();
                let models = message.of("usage").and_then(|usage| usage.member("modelUsage"));
                let used = models.into_iter().flat_map(Node::members);
                for (model, _) in used.filter(|(_, usage)| usage.member("inputTokens").is_some()) {
                    self.facts.models.add(&text(Some(model)).unwrap_or_default(), 1);
                }
            }
            "rewind_marker" => {
                if let Some(target) = message.of("target_prompt_index").and_then(Node::uint) {
                    self.rewind(target, id);
                }
            }
            kind if COMPACTIONS.contains(&kind) => self.facts.compactions.add(at.index, id),
            _ => {}
        }
    }

    /// Adds a prompt, by its number if that is stated.
    fn prompt(&mut self, number: Option<u64>, index: u64) {
        let number = number.and_then(|number| usize::try_from(number).ok());
        match number {
            // A further chunk of the same prompt.
            Some(number) if number + 1 == self.prompts.len() => {}
            Some(number) if number < self.prompts.len() => {
                self.prompts.truncate(number);
                self.prompts.push(index);
            }
            _ => self.prompts.push(index),
        }
    }

    /// Ends the lines since a prompt.
    fn rewind(&mut self, target: u64, id: String) {
        let target = usize::try_from(target).ok().filter(|target| *target < self.prompts.len());
        let Some(target) = target else { return };
        let first = self.prompts[target];
        self.prompts.truncate(target);
        let number = self.rewinds.len();
        self.rewinds.push(id);
        while let Some(last) = self.conversation.pop_if(|last| *last >= first) {
            self.rewound.insert(last, number);
        }
    }

    /// Joins chunks of one message in a capture.
    fn join(&mut self, line: Node<'_, '_>, message: &Message<'_, '_>, at: LineAt) {
        let before = self.chunk.take();
        let kind = message
            .kind
            .as_deref()
            .filter(|kind| kind.ends_with("_message_chunk") || *kind == "agent_thought_chunk");
        let Some(kind) = kind.filter(|_| line.member("timestamp").is_none()) else { return };
        let (name, session) = (text(message.of("messageId")), text(message.session_id()));
        let size = line.raw().len();
        let mut chunk =
            Chunk { kind: kind.to_owned(), message: name, session, index: at.index, size };
        if let Some(before) = before.filter(|before| {
            let is_same = before.kind == chunk.kind && before.message == chunk.message;
            is_same && before.session == chunk.session && before.index + 1 == at.index
        }) && before.size + size <= MAX_JOINED
        {
            self.continued.insert(at.index);
            chunk.size += before.size;
        }
        self.chunk = Some(chunk);
    }

    /// Adds the facts that a response states.
    fn response(&mut self, result: Node<'_, '_>) {
        fill(&mut self.facts.session_id, result.member("sessionId"));
        if let Some(agent) = result.member("agentInfo") {
            fill(&mut self.facts.cli_name, agent.member("name"));
            fill(&mut self.facts.version, agent.member("version"));
        }
        let models = result.member("models");
        let model = models.and_then(|models| models.member("currentModelId"));
        self.facts.models.add(&text(model).unwrap_or_default(), 0);
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "eventId";
    const PARENT: &'static str = "";
    const COMMON_NAMES: &'static [&'static str] = &["updates.jsonl"];

    fn adapter() -> &'static dyn Adapter {
        &crate::Grok
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let message = Message::parse(document);
        let is_rpc = document.member("jsonrpc").is_some_and(|it| it.is_text("2.0"));
        let is_known = |method: &str| METHODS.iter().any(|known| method.starts_with(known));
        if message.update.is_some() {
            let has_session = message.session_id().is_some() || message.method.is_some();
            return Fit::Fits(if has_session { Confidence::Certain } else { Confidence::Likely });
        }
        match message.method.as_deref() {
            Some(_) if message.is_grok() => Fit::Fits(Confidence::Certain),
            Some("session/prompt" | REQUEST) if message.session_id().is_some() => {
                Fit::Fits(Confidence::Likely)
            }
            Some(method) if is_rpc && is_known(method) => Fit::Fits(Confidence::Possible),
            Some(_) if is_rpc => Fit::Neutral,
            None if is_rpc && document.member("id").is_some() => Fit::Neutral,
            None if summary(document).is_some() => Fit::Neutral,
            _ => Fit::unknown(document),
        }
    }

    fn begin(&mut self, name: &str, folder: &str) {
        let folder = folder.rsplit('/').next().filter(|folder| !folder.is_empty());
        self.folder = folder.filter(|_| name == "updates.jsonl").map(str::to_owned);
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        let message = Message::parse(line);
        if let Some(summary) = summary(line).filter(|_| message.update.is_none()) {
            fill(&mut self.facts.session_id, summary.member("info").and_then(|it| it.member("id")));
            self.facts.cwd = self.facts.cwd.take().or_else(|| companions::working_dir(summary));
            self.facts.vcs = self.facts.vcs.take().or_else(|| companions::vcs(summary));
            self.facts.parent = self.facts.parent.take().or_else(|| companions::parent(summary));
            let start =
                summary.member("created_at").and_then(parse_time).map(IntoOwned::into_owned);
            self.facts.start = self.facts.start.take().or(start);
            let model = text(summary.member("current_model_id"));
            self.facts.models.add(&model.unwrap_or_default(), 0);
            return;
        }
        self.join(line, &message, at);
        let time = message.meta().and_then(|meta| meta.member("agentTimestampMs"));
        self.is_stored |= line.member("timestamp").is_some() && message.method.is_some();
        self.facts.time(time.or_else(|| line.member("timestamp")));
        fill(&mut self.facts.session_id, message.session_id());
        let id = self.entry_id(&message, at);
        match (message.kind.as_deref(), message.method.as_deref()) {
            (Some(kind), _) => self.update(&message, kind, id, at),
            (None, Some(REQUEST)) => self.requests.add(line),
            (None, Some("session/prompt")) => self.prompt(None, at.index),
            (None, Some("session/new" | "session/load")) => {
                let cwd = message.params.and_then(|params| params.member("cwd"));
                fill(&mut self.facts.cwd, cwd);
            }
            (None, None) => {
                if let Some(result) = line.member("result") {
                    self.response(result);
                }
            }
            _ => {}
        }
        self.conversation.push(at.index);
    }

    fn finish(&mut self) {
        (self.conversation, self.chunk) = (Vec::new(), None);
        let folder = self.folder.take();
        self.facts.session_id = self.facts.session_id.take().or(folder);
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_stored { "updates" } else { "acp" }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }

    fn continues(&self, index: u64) -> bool {
        self.continued.contains(&index)
    }

    fn joined_entry<'a>(
        &'a self,
        lines: Node<'a, 'a>,
        at: LineAt,
        report: &mut Report,
    ) -> Entry<'a> {
        line::joined_entry(lines, at, self, report)
    }
}

/// Returns the kind of entry that an update becomes.
pub(crate) fn becomes(lines: &Lines, message: &Message<'_, '_>, at: LineAt) -> Becomes {
    match message.kind.as_deref() {
        Some("user_message_chunk" | "user_message") => Becomes::User,
        Some("agent_message_chunk" | "agent_message") => Becomes::Assistant,
        Some("agent_thought_chunk" | "agent_thought") => Becomes::Thought,
        Some("tool_call") => Becomes::Call,
        Some("tool_call_update") => {
            let call_id = text(message.of("toolCallId"));
            let call = call_id.and_then(|call_id| lines.calls.get(&call_id));
            match call {
                Some(call) if call.line == Some(at.index) => Becomes::Call,
                Some(call) if call.result == Some(at.index) => Becomes::Result,
                _ => Becomes::Event,
            }
        }
        _ => Becomes::Event,
    }
}

/// Returns the name of an agent that is not Grok Build, whose messages were captured.
pub(crate) fn fork(sample: &Sample<'_>) -> Option<&'static str> {
    let is_other = sample.documents.iter().all(|document| {
        let line = document.root();
        let agent = line.member("result").and_then(|it| it.member("agentInfo")?.member("name"));
        let is_named = text(agent).is_some_and(|name| name.to_lowercase().contains("grok"));
        let is_stored = line.member("timestamp").is_some() && line.member("method").is_some();
        !is_named && !is_stored && !Message::parse(line).is_grok()
    });
    is_other.then_some(ACP)
}
