//! Implements the first pass over the lines of a log, and detects the agent that wrote them.

use std::collections::HashMap;

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, git, text};
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report};
use vac_record::Entry;
use vac_record::annotations::{EntryAnnotations, Relation, Superseded, SupersededHow};
use vac_value::{Kind, Node};

use crate::event::COMPRESSION;
use crate::line;

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    pub branch: Option<String>,
    /// The lines of each id.
    ids: HashMap<String, LinesOfId>,
    /// The lines that are part of the conversation.
    conversation: Vec<u64>,
    /// The numbers of the rewinds that ended lines.
    rewound: HashMap<u64, usize>,
    /// The ids of the lines that state rewinds.
    rewinds: Vec<String>,
    /// The lines that state compressions, and their ids.
    compressions: Vec<(u64, String)>,
    /// The session that other lines came from.
    fork: Option<String>,
    /// The session that started this one.
    starter: Option<String>,
    /// The first subagent that lines name, and whether all messages are those of subagents.
    subagent: Option<String>,
    has_main_thread: bool,
}

/// The lines that have one id.
#[derive(Clone, Copy, Debug)]
struct LinesOfId {
    first: u64,
    /// The last one that states tokens.
    usage: Option<u64>,
}

impl Lines {
    /// Returns whether a line is the first with its id.
    pub fn is_first(&self, id: Node<'_, '_>, at: LineAt) -> bool {
        id.text().is_some_and(|id| self.ids.get(&*id).is_some_and(|it| it.first == at.index))
    }

    /// Returns whether the tokens of a line are counted: on the last of several lines with one id,
    /// and in the session in which they were used.
    pub fn counts_usage(&self, line: Node<'_, '_>, at: LineAt) -> bool {
        let of_id = line.member("uuid").and_then(Node::text).and_then(|id| self.ids.get(&*id));
        of_id.is_none_or(|it| it.usage == Some(at.index)) && line.member("forkedFrom").is_none()
    }

    /// Returns the annotations that lines of all types can have.
    pub fn annotations(&self, at: LineAt) -> EntryAnnotations<'_> {
        let rewind = self.rewound.get(&at.index).map(|number| &self.rewinds[*number]);
        let superseded = rewind
            .map(|by| Superseded { how: SupersededHow::Rewound, by: Some(by.as_str().into()) });
        EntryAnnotations { superseded, ..EntryAnnotations::default() }
    }

    /// Ends the lines after the one that a rewind goes back to.
    fn rewind(&mut self, line: Node<'_, '_>, id: &str) {
        let target = match line.member("parentUuid") {
            Some(parent) if parent.kind() == Kind::Text => {
                let first = text(Some(parent)).and_then(|id| Some(self.ids.get(&id)?.first));
                let Some(first) = first else { return };
                Some(first)
            }
            _ => None,
        };
        let number = self.rewinds.len();
        self.rewinds.push(id.to_owned());
        while let Some(last) = self.conversation.pop_if(|last| Some(*last) > target) {
            self.rewound.insert(last, number);
        }
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "uuid";
    const PARENT: &'static str = "parentUuid";

    fn adapter() -> &'static dyn Adapter {
        &crate::Qwen
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let has = |key: &str| document.member(key).is_some_and(|it| it.kind() != Kind::Null);
        let is_kind = |node: Option<Node<'_, '_>>, kind| node.is_some_and(|it| it.kind() == kind);
        let kind = document.member("type");
        let is_line = ["user", "assistant", "tool_result", "system"]
            .iter()
            .any(|name| kind.is_some_and(|kind| kind.is_text(name)));
        if !is_line || !has("uuid") && !has("sessionId") {
            return Fit::unknown(document);
        }
        let message = document.member("message");
        if message.is_some_and(|message| message.member("content").is_some()) {
            return Fit::Contradicts("message-content");
        }
        let has_parts = is_kind(message.and_then(|it| it.member("parts")), Kind::Array);
        if has_parts || ["systemPayload", "toolCallResult", "usageMetadata"].into_iter().any(has) {
            let is_whole = has("uuid") && has("sessionId");
            return Fit::Fits(if is_whole { Confidence::Certain } else { Confidence::Likely });
        }
        Fit::Neutral
    }

    fn session(line: Node<'_, '_>) -> Option<String> {
        text(line.member("sessionId")).filter(|_| line.member("uuid").is_some())
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        let member = |key: &str| line.member(key);
        let is = |key: &str, value: &str| member(key).is_some_and(|it| it.is_text(value));
        self.facts.time(member("timestamp"));
        fill(&mut self.facts.session_id, member("sessionId"));
        fill(&mut self.facts.cwd, member("cwd"));
        fill(&mut self.facts.version, member("version"));
        fill(&mut self.branch, member("gitBranch"));
        fill(&mut self.fork, member("forkedFrom").and_then(|from| from.member("sessionId")));
        if member("uuid").is_none() {
            return;
        }
        let is_sidechain = member("isSidechain").and_then(Node::bool) == Some(true);
        if is_sidechain {
            fill(&mut self.subagent, member("agentId"));
        }
        let payload = member("systemPayload");
        let of_payload = |key: &str| payload.and_then(|payload| payload.member(key));
        if is("type", "assistant") {
            let model = text(member("model")).unwrap_or_default();
            if is_sidechain {
                self.facts.models.add_subagent(&model, 1);
            } else {
                self.facts.models.add(&model, 1);
            }
        } else if is("subtype", "session_model") {
            self.facts.models.add(&text(of_payload("modelId")).unwrap_or_default(), 0);
        } else if is("subtype", "parent_session") {
            fill(&mut self.starter, of_payload("parentSessionId"));
        }
        self.has_main_thread |= !is_sidechain && (is("type", "user") || is("type", "assistant"));
        if let Some(id) = text(member("uuid")) {
            if is("type", "system") && is("subtype", "rewind") {
                self.rewind(line, &id);
            }
            if is("type", "system") && is("subtype", COMPRESSION) {
                let is_first = !self.ids.contains_key(&id);
                let by = if is_first { id.clone() } else { at.place.id() };
                self.compressions.push((at.index, by));
            }
            let of_id = self.ids.entry(id);
            let of_id = of_id.or_insert(LinesOfId { first: at.index, usage: None });
            if member("usageMetadata").is_some() {
                of_id.usage = Some(at.index);
            }
        }
        self.conversation.push(at.index);
    }

    fn finish(&mut self) {
        self.conversation = Vec::new();
        for (index, by) in std::mem::take(&mut self.compressions) {
            // A summary that was rewound replaces nothing.
            if !self.rewound.contains_key(&index) {
                self.facts.compactions.add(index, by);
            }
        }
        self.facts.vcs = git(None, self.branch.clone(), None);
        let from =
            |id: Option<String>, relation| id.map(|session_id| Parent { session_id, relation });
        self.facts.parent = if self.is_subagent() {
            let session = self.facts.session_id.take();
            self.facts.session_id = self.subagent.clone();
            from(session, Relation::Subagent)
        } else {
            let starter = from(self.starter.clone(), Relation::Subagent);
            starter.or_else(|| from(self.fork.clone(), Relation::Fork))
        };
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_subagent() { "subagent" } else { "jsonl" }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}

impl Lines {
    /// Returns whether the log is that of a subagent.
    fn is_subagent(&self) -> bool {
        self.subagent.is_some() && !self.has_main_thread
    }
}
