//! Implements the first pass over the steps of a log or the rows of a database, and detects the
//! agent that wrote them.
//!
//! Steps have no ids, and results do not name their calls: the results after a response of the model
//! answer its calls in order. The order of lines differs from that of steps, which is the order of
//! the conversation.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use vac_adapter::line_log::{LineAt, LineFacts, LineFormat, fill, text};
use vac_adapter::prompt::between;
use vac_adapter::{Adapter, Confidence, Fit, Report, Share};
use vac_record::Entry;
use vac_value::{Kind, Node, Text};

use crate::blobs::{Metadata, Request, Tokens};
use crate::line::{self, Step, step};
use crate::row::{self, StepType};
use crate::store::{self, REQUESTS, STEPS, TRAJECTORY};
use crate::tools::TOOLS;

/// The facts that the first pass has found.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    facts: LineFacts,
    /// The first line of each step.
    steps: HashMap<u64, u64>,
    /// The responses and results, each with the number of its step and its line.
    exchanges: Vec<(u64, u64, Exchange)>,
    /// The greatest number of a step so far.
    last_step: u64,
    /// The calls that results answer, by the lines of the results.
    pub answered: HashMap<u64, Call>,
    /// The conversations that calls started.
    pub delegations: HashMap<String, String>,
    /// The summaries: the numbers of their steps, and their ids.
    checkpoints: Vec<(u64, String)>,
    /// The folder of the conversation, which has its id.
    folder: Option<String>,
    is_shortened: bool,
    is_database: bool,
    /// The models of steps in a database.
    models: HashMap<u64, Rc<str>>,
    /// The first rows that state the tokens of a response, by its id.
    statements: HashMap<String, u64>,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub id: String,
    pub is_shell: bool,
}

/// A response with its calls, or a result with the conversation that it started.
#[derive(Debug)]
enum Exchange {
    Response(Vec<Call>),
    Result { conversation: Option<String>, has_number: bool },
}

impl Lines {
    /// Returns the id of a step, if a line is the first of it.
    pub fn step_id(&self, number: Option<u64>, at: LineAt) -> Option<String> {
        let number = number.filter(|number| self.steps.get(number) == Some(&at.index))?;
        Some(format!("step-{number}"))
    }

    /// Returns the id of the summary that has replaced a step.
    pub fn summary_after(&self, number: Option<u64>) -> Option<&str> {
        let number = number?;
        let next = self.checkpoints.partition_point(|(step, _)| *step <= number);
        self.checkpoints.get(next).map(|(_, id)| id.as_str())
    }

    /// Returns the model of a step in a database.
    pub fn model(&self, number: Option<u64>) -> Option<&str> {
        self.models.get(&number?).map(|model| &**model)
    }

    /// Returns whether no earlier row states the same tokens.
    pub fn is_first_statement(&self, tokens: &Tokens, at: LineAt) -> bool {
        let first = tokens.response.as_ref().and_then(|id| self.statements.get(id));
        first.is_none_or(|first| *first == at.index)
    }

    /// Adds a row of a database.
    fn add_row(&mut self, table: &str, row: Node<'_, '_>, at: LineAt) {
        self.is_database = true;
        let mut tokens = None;
        if table == TRAJECTORY.name {
            fill(&mut self.facts.session_id, row.member("cascade_id"));
        } else if table == STEPS.name {
            let number = row.member("idx").and_then(Node::uint);
            if let Some(number) = number {
                self.steps.entry(number).or_insert(at.index);
            }
            if StepType::from_row(row) == StepType::Event(line::CHECKPOINT) {
                self.add_checkpoint(number, at);
            }
            if let Some(metadata) = row.member("metadata").and_then(Metadata::read) {
                if let Some(time) = &metadata.created {
                    self.facts.span.add(time);
                }
                tokens = metadata.tokens;
            }
        } else if table == REQUESTS.name
            && let Some(request) = row.member("data").and_then(Request::read)
        {
            if let Some(model) = request.model {
                self.facts.models.add(&model, 1);
                let model: Rc<str> = model.into();
                self.models.extend(request.steps.into_iter().map(|step| (step, model.clone())));
            }
            tokens = request.tokens;
        }
        if let Some(response) = tokens.and_then(|tokens| tokens.response) {
            self.statements.entry(response).or_insert(at.index);
        }
    }

    /// Adds a summary.
    fn add_checkpoint(&mut self, number: Option<u64>, at: LineAt) {
        let by = self.step_id(number, at).unwrap_or_else(|| at.place.id());
        match number {
            Some(number) => self.checkpoints.push((number, by)),
            None => self.facts.compactions.add(at.index, by),
        }
    }

    /// Answers the calls of each response with the results after it.
    fn answer(&mut self) {
        let mut exchanges = std::mem::take(&mut self.exchanges);
        exchanges.sort_by_key(|(step, line, _)| (*step, *line));
        let mut pending = VecDeque::new();
        let mut last: Option<(u64, Call)> = None;
        for (step, line, exchange) in exchanges {
            let (conversation, has_number) = match exchange {
                Exchange::Response(calls) => {
                    pending = calls.into();
                    continue;
                }
                Exchange::Result { conversation, has_number } => (conversation, has_number),
            };
            // A step that is repeated with another status answers the same call.
            let again = last.take().filter(|(before, _)| has_number && *before == step);
            let Some(call) = again.map(|(_, call)| call).or_else(|| pending.pop_front()) else {
                continue;
            };
            if let Some(conversation) = conversation {
                self.delegations.insert(call.id.clone(), conversation);
            }
            self.answered.insert(line, call.clone());
            last = Some((step, call));
        }
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
    const TABLES: &'static [&'static str] = store::TABLES;

    fn adapter() -> &'static dyn Adapter {
        &crate::Antigravity
    }

    fn fit(document: Node<'_, '_>) -> Fit {
        if let Some((table, row)) = store::row(document) {
            let sign = [(TRAJECTORY.name, "cascade_id"), (STEPS.name, "step_type")];
            let sign = sign.iter().find(|(signed, _)| *signed == table);
            return match sign {
                Some((_, column)) if row.member(column).is_some() => Fit::Fits(Confidence::Certain),
                Some(_) => Fit::unknown(document),
                None => Fit::Neutral,
            };
        }
        let is_text = |key: &str| document.member(key).is_some_and(|it| it.kind() == Kind::Text);
        let has_index = document.member("step_index").is_some_and(|it| it.number().is_some());
        if !has_index || !is_text("source") || !is_text("type") {
            return Fit::unknown(document);
        }
        let is_dated = is_text("created_at") && is_text("status");
        Fit::Fits(if is_dated { Confidence::Certain } else { Confidence::Possible })
    }

    fn begin(&mut self, name: &str, folder: &str) {
        self.is_shortened = name == "transcript.jsonl";
        let folder = folder.strip_suffix("/.system_generated/logs");
        let id = folder.and_then(|folder| folder.rsplit('/').next());
        self.folder = id.filter(|id| !id.is_empty()).map(str::to_owned);
    }

    fn add(&mut self, line: Node<'_, '_>, at: LineAt) {
        if let Some((table, row)) = store::row(line) {
            return self.add_row(table, row, at);
        }
        self.facts.time(line.member("created_at"));
        let number = line.member("step_index").and_then(Node::uint);
        if let Some(number) = number {
            self.steps.entry(number).or_insert(at.index);
            self.last_step = self.last_step.max(number);
        }
        let place = number.unwrap_or(self.last_step);
        match step(line) {
            Step::Prompt => {
                let content = text(line.member("content")).unwrap_or_default();
                if let Some(model) = chosen_model(&content) {
                    self.facts.models.add(model, 0);
                }
            }
            Step::Response => {
                let calls = (1..).zip(Self::calls(line)).map(|(number, call)| {
                    let name = call.member("name").and_then(Node::text);
                    let is_shell = name.is_some_and(|name| TOOLS.is_shell(&name));
                    Call { id: call_id(line, at, number), is_shell }
                });
                self.exchanges.push((place, at.index, Exchange::Response(calls.collect())));
            }
            Step::Result => {
                let content = line.member("content").and_then(Node::text);
                let started = content.as_ref().and_then(started_conversation);
                let conversation = started.map(str::to_owned);
                let result = Exchange::Result { conversation, has_number: number.is_some() };
                self.exchanges.push((place, at.index, result));
            }
            Step::Event if line.member("type").is_some_and(|it| it.is_text(line::CHECKPOINT)) => {
                self.add_checkpoint(number, at);
            }
            Step::Event => {}
        }
    }

    fn finish(&mut self) {
        self.answer();
        self.checkpoints.sort();
        self.facts.session_id = self.folder.take().or(self.facts.session_id.take());
    }

    fn facts(&self) -> &LineFacts {
        &self.facts
    }

    fn variant(&self) -> &'static str {
        if self.is_database { "database" } else { "transcript" }
    }

    fn share(&self) -> Share {
        if self.is_shortened { Share::Older } else { Share::Whole }
    }

    fn entry<'a>(&'a self, line: Node<'a, 'a>, at: LineAt, report: &mut Report) -> Entry<'a> {
        match store::row(line) {
            Some((table, row)) => row::entry(table, row, at, self, report),
            None => line::entry(line, at, self, report),
        }
    }
}

/// Returns the model that the user chose. Only a prompt states it.
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
