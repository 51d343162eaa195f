//! Implements the first pass over the lines of a log, and detects the agent that wrote them.

use std::collections::HashMap;

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, text};
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report};
use vac_record::Entry;
use vac_record::annotations::Relation;
use vac_value::{Kind, Node};

use crate::line;
use crate::usage::is_usage;

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    /// Whether messages state tokens. Otherwise those of the settings count.
    pub has_usage: bool,
    is_capture: bool,
    /// The first line of each captured thought, some of which are printed twice.
    thoughts: HashMap<String, u64>,
}

impl Lines {
    /// Returns whether a line is the first with the id of its thought.
    pub fn is_first(&self, id: &str, at: LineAt) -> bool {
        self.thoughts.get(id) == Some(&at.index)
    }
}

/// Returns the value of the settings, if a document contains them as `vac-store` provides them.
pub(crate) fn settings<'d, 'a>(document: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    document.member("file")?.text()?;
    document.member("value").filter(|value| value.kind() == Kind::Map)
}

impl LineFormat for Lines {
    const ID: &'static str = "id";
    const PARENT: &'static str = "parentId";

    fn adapter() -> &'static dyn Adapter {
        &crate::Droid
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let has_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
        let has = |key: &str| document.member(key).is_some();
        let kind = document.member("type").and_then(Node::text);
        let fits = |is_it: bool, confidence| {
            if is_it { Fit::Fits(confidence) } else { Fit::unknown(document) }
        };
        match kind.as_deref() {
            Some("session_start") => {
                let is_known = ["owner", "title", "sessionTitle", "cwd"].into_iter().any(has);
                fits(has_text("id") && is_known, Confidence::Certain)
            }
            Some("message") => fit_message(document),
            Some("todo_state") => fits(has("todos"), Confidence::Likely),
            Some("compaction_state" | "session_end" | "session_settings") => Fit::Neutral,
            Some("agent_turn_outcome") => fits(has("turnId"), Confidence::Likely),
            Some("tool_call" | "tool_result") => {
                let is_named = ["toolId", "toolName", "messageId"].into_iter().any(has);
                fits(has_text("toolCallId") || has_text("id") && is_named, Confidence::Likely)
            }
            Some("reasoning") => {
                fits(has_text("text") && has_text("session_id"), Confidence::Possible)
            }
            Some("completion") => fits(has("finalText"), Confidence::Certain),
            Some("system") if has("session_id") && !has("uuid") => Fit::Neutral,
            None if settings(document).is_some() => Fit::Neutral,
            _ => Fit::unknown(document),
        }
    }

    fn session(line: Node<'_, '_>) -> Option<String> {
        let is = |kind: &str| line.member("type").is_some_and(|it| it.is_text(kind));
        let started = line.member("id").filter(|_| is("session_start"));
        text(started.or_else(|| line.member("session_id").filter(|_| is("system"))))
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        let member = |key: &str| line.member(key);
        if let Some(settings) = settings(line).filter(|_| member("type").is_none()) {
            self.facts.models.add(&text(settings.member("model")).unwrap_or_default(), 0);
            fill(&mut self.facts.provider, settings.member("providerLock"));
            return;
        }
        self.facts.time(member("timestamp"));
        match member("type").and_then(Node::text).as_deref() {
            Some("session_start") => {
                fill(&mut self.facts.session_id, member("id"));
                fill(&mut self.facts.cwd, member("cwd"));
                self.facts.models.add(&text(member("model")).unwrap_or_default(), 0);
                let caller = text(member("callingSessionId"));
                let caller =
                    caller.map(|session_id| Parent { session_id, relation: Relation::Subagent });
                self.facts.parent = self.facts.parent.take().or(caller);
            }
            Some("system") => {
                fill(&mut self.facts.session_id, member("session_id"));
                fill(&mut self.facts.cwd, member("cwd"));
                self.facts.models.add(&text(member("model")).unwrap_or_default(), 0);
            }
            Some("message") => {
                let message = member("message");
                self.is_capture |= message.is_none() && member("text").is_some();
                let usage = member("usage").or_else(|| message?.member("usage"));
                self.has_usage |= usage.is_some_and(is_usage);
            }
            Some("tool_call" | "tool_result" | "completion") => self.is_capture = true,
            Some("reasoning") if member("text").is_some() => {
                self.is_capture = true;
                if let Some(id) = text(member("id")) {
                    self.thoughts.entry(id).or_insert(at.index);
                }
            }
            Some(line::COMPACTION) => {
                let by = text(member("id")).unwrap_or_else(|| at.place.id());
                self.facts.compactions.add(at.index, by);
            }
            _ => {}
        }
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_capture { "stream-json" } else { "jsonl" }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}

/// Returns how well a line of type `message` fits. Pi writes almost the same lines.
fn fit_message(document: Node<'_, '_>) -> Fit {
    let Some(message) = document.member("message") else {
        let is_captured = ["role", "text", "session_id"]
            .iter()
            .all(|key| document.member(key).is_some_and(|it| it.kind() == Kind::Text));
        return if is_captured { Fit::Fits(Confidence::Possible) } else { Fit::unknown(document) };
    };
    let has_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
    let has_role = message.member("role").is_some_and(|role| role.kind() == Kind::Text);
    if !has_role {
        return Fit::unknown(document);
    }
    let mut blocks = message.member("content").into_iter().flat_map(Node::elements);
    let is_call =
        |block: Node<'_, '_>| block.member("type").is_some_and(|it| it.is_text("toolCall"));
    if message.member("timestamp").is_some() || blocks.any(is_call) {
        return Fit::Contradicts("message-timestamp");
    }
    if ["uuid", "parentUuid", "sessionId", "sessionID"]
        .iter()
        .any(|key| document.member(key).is_some())
    {
        return Fit::Contradicts("session-id-key");
    }
    if !has_text("id") {
        return Fit::Neutral;
    }
    Fit::Fits(if document.member("parentId").is_some() {
        Confidence::Possible
    } else {
        Confidence::Likely
    })
}
