//! The first pass over the lines of a log, and which agent wrote them.

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, text};
use vac_adapter::{Adapter, Confidence, Fit, Parent, Report};
use vac_record::Entry;
use vac_record::annotations::Relation;
use vac_value::{Kind, Node};

use crate::line;
use crate::usage::is_usage;

/// What the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub facts: LineFacts,
    /// Whether messages state tokens; else those of the settings count.
    pub has_usage: bool,
    is_capture: bool,
}

/// Returns the value of the settings, if a document is what `vac-store` made of them.
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
                let is_it = has_text("id") && (has("owner") || has("sessionTitle") || has("cwd"));
                fits(is_it, Confidence::Certain)
            }
            Some("message") => fit_message(document),
            Some("todo_state") => fits(has("todos"), Confidence::Likely),
            Some("compaction_state" | "session_end") => Fit::Neutral,
            Some("tool_call" | "tool_result") => fits(has_text("toolCallId"), Confidence::Likely),
            Some("completion") => fits(has("finalText"), Confidence::Certain),
            Some("system") if has("session_id") && !has("uuid") => Fit::Neutral,
            None if settings(document).is_some() => Fit::Neutral,
            _ => Fit::unknown(document),
        }
    }

    fn add(&mut self, line: Node<'_, '_>, _: LineAt) {
        let member = |key: &str| line.member(key);
        if let Some(settings) = settings(line).filter(|_| member("type").is_none()) {
            self.facts.models.add(&text(settings.member("model")).unwrap_or_default(), 0);
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
            _ => {}
        }
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_capture { "stream-json" } else { "jsonl" }
    }

    fn variant_with_files(&self) -> &'static str {
        if self.is_capture { self.variant() } else { "jsonl-settings" }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}

/// How a line of type `message` fits. Pi writes almost the same.
fn fit_message(document: Node<'_, '_>) -> Fit {
    let Some(message) = document.member("message") else {
        let is_captured = ["role", "text", "session_id"]
            .iter()
            .all(|key| document.member(key).is_some_and(|it| it.kind() == Kind::Text));
        return if is_captured { Fit::Fits(Confidence::Possible) } else { Fit::unknown(document) };
    };
    let has_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
    let has_role = message.member("role").is_some_and(|role| role.kind() == Kind::Text);
    if !has_role || !has_text("id") {
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
    Fit::Fits(if document.member("parentId").is_some() {
        Confidence::Possible
    } else {
        Confidence::Likely
    })
}
