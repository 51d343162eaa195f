//! The first pass over the steps of a log, and which agent wrote them.
//!
//! Steps have no ids, and results do not name their calls: the results after a response of the model
//! answer its calls in order.

use std::collections::{HashMap, VecDeque};

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, text};
use vac_adapter::prompt::between;
use vac_adapter::{Adapter, Confidence, Fit, Report};
use vac_record::Entry;
use vac_value::{Kind, Node, Text};

use crate::line::{self, Step, step};
use crate::tools::TOOLS;

/// What the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    facts: LineFacts,
    /// The first line of each step.
    steps: HashMap<u64, u64>,
    /// The calls that wait for a result.
    pending: VecDeque<Call>,
    /// The calls that results answer, by their lines.
    pub answered: HashMap<u64, Call>,
    /// The conversations that calls started.
    pub delegations: HashMap<String, String>,
    /// The folder of the conversation, which has its id.
    folder: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub id: String,
    pub is_shell: bool,
}

impl Lines {
    /// Returns the id of a step, if a line is the first of it.
    pub fn step_id(&self, number: Option<u64>, at: LineAt) -> Option<String> {
        let number = number.filter(|number| self.steps.get(number) == Some(&at.index))?;
        Some(format!("step-{number}"))
    }

    /// Returns the number of a step, and the calls that it makes.
    pub fn calls<'d, 'a>(line: Node<'d, 'a>) -> impl Iterator<Item = Node<'d, 'a>> {
        let calls = line.member("tool_calls").filter(|calls| line::is_objects(*calls));
        calls.into_iter().flat_map(Node::elements)
    }
}

/// Returns the id of a call: that of its step, and its number.
pub(crate) fn call_id(line: Node<'_, '_>, at: LineAt, number: usize) -> String {
    match line.member("step_index").and_then(Node::uint) {
        Some(step) => format!("{step}:{number}"),
        None => format!("{}:{number}", at.place.id()),
    }
}

impl LineFormat for Lines {
    const ID: &'static str = "step_index";
    const PARENT: &'static str = "";
    const COMMON_NAMES: &'static [&'static str] = &["transcript.jsonl", "transcript_full.jsonl"];

    fn adapter() -> &'static dyn Adapter {
        &crate::Antigravity
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        let is_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
        let has_index = document.member("step_index").is_some_and(|it| it.number().is_some());
        if !has_index || !is_text("source") || !is_text("type") {
            return Fit::unknown(document);
        }
        let is_dated = is_text("created_at") && is_text("status");
        Fit::Fits(if is_dated { Confidence::Certain } else { Confidence::Possible })
    }

    fn begin(&mut self, _: &str, folder: &str) {
        let folder = folder.strip_suffix("/.system_generated/logs");
        let id = folder.and_then(|folder| folder.rsplit('/').next());
        self.folder = id.filter(|id| !id.is_empty()).map(str::to_owned);
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        self.facts.time(line.member("created_at"));
        if let Some(number) = line.member("step_index").and_then(Node::uint) {
            self.steps.entry(number).or_insert(at.index);
        }
        match step(line) {
            Step::Prompt => {
                let content = text(line.member("content")).unwrap_or_default();
                if let Some(model) = chosen_model(&content) {
                    self.facts.models.add(model, 0);
                }
            }
            Step::Response => {
                self.pending.clear();
                for (number, call) in (1..).zip(Self::calls(line)) {
                    let name = call.member("name").and_then(Node::text);
                    let is_shell = name.is_some_and(|name| TOOLS.is_shell(&name));
                    self.pending.push_back(Call { id: call_id(line, at, number), is_shell });
                }
            }
            Step::Result => {
                let Some(call) = self.pending.pop_front() else { return };
                let content = line.member("content").and_then(Node::text);
                if let Some(id) = content.as_ref().and_then(started_conversation) {
                    self.delegations.insert(call.id.clone(), id.to_owned());
                }
                self.answered.insert(at.index, call);
            }
            Step::Event => {}
        }
    }

    fn finish(&mut self) {
        self.pending = VecDeque::new();
        self.facts.session_id = self.folder.take();
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        "transcript"
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        line::entry(line, at, self, report)
    }
}

/// Returns the model that the user chose, which only a prompt states.
fn chosen_model(prompt: &str) -> Option<&str> {
    let (_, change, _) = between(prompt, "`Model Selection` from ", ". No need")?;
    let (_, model) = change.split_once(" to ")?;
    (!model.is_empty()).then_some(model)
}

/// Returns the id of the first conversation of a subagent that a result names.
fn started_conversation<'t>(result: &'t Text<'_>) -> Option<&'t str> {
    let (_, rest) = result.split_once("Created the following subagents:")?;
    let (_, rest) = rest.split_once("\"conversationId\":")?;
    let (id, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_and_subagent_are_read_from_texts() {
        let prompt = "<USER_SETTINGS_CHANGE>\nThe user changed setting `Model Selection` from None to \
            Gemini 3.1 Pro (Low). No need to comment.\n</USER_SETTINGS_CHANGE>";
        assert_eq!(chosen_model(prompt), Some("Gemini 3.1 Pro (Low)"));
        assert_eq!(chosen_model("`Model Selection` from A. No need"), None);
        let result =
            "Created the following subagents:\n{\n  \"conversationId\":  \"c-7\",\n}".into();
        assert_eq!(started_conversation(&result), Some("c-7"));
    }
}
