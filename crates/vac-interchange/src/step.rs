//! A step of a session: a message, or an answer of the model with its calls and their results.

use std::collections::BTreeMap;

use vac_record::annotations::Outcome;
use vac_view::usage_totals::UsageTotals;

/// The originator of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepSource {
    /// The user, or another agent in its place.
    User,
    /// The model.
    Agent,
    /// The program.
    System,
}

/// A step of a session.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Step {
    pub source: StepSource,
    /// The times of its first and its last event, in nanoseconds since 1970.
    pub first_time: Option<i128>,
    pub last_time: Option<i128>,
    pub model: Option<String>,
    pub text: String,
    pub reasoning: String,
    pub has_hidden_reasoning: bool,
    pub calls: Vec<StepCall>,
    /// The results whose calls are not in a step.
    pub results: Vec<StepResult>,
    /// The tokens, if they count for this session.
    pub usage: Option<UsageTotals>,
    pub cost: Option<f64>,
    /// The author of the text, if the source does not determine it.
    pub author: Option<&'static str>,
    pub is_local_command: bool,
    /// Whether the program made the step without a request to a model.
    pub is_by_program: bool,
    /// Whether the step is history of another session.
    pub is_inherited: bool,
    pub superseded: Option<&'static str>,
    pub subagent: Option<Delegate>,
    /// The number of images and similar content that the texts do not contain, by type.
    pub left_out: BTreeMap<String, u64>,
    /// The JSON pointer of the first entry.
    pub entry: String,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delegate {
    pub id: Option<String>,
    /// The call that started it.
    pub call_id: Option<String>,
}

impl Delegate {
    /// Returns the id of the subagent, or of the call that started it.
    pub fn name(&self) -> &str {
        self.id.as_deref().or(self.call_id.as_deref()).unwrap_or("unknown")
    }
}

/// A tool call.
#[derive(Debug)]
pub(crate) struct StepCall {
    /// The id; for a call without one, its number in the session.
    pub id: String,
    pub has_own_id: bool,
    pub tool: String,
    pub canonical: String,
    pub category: &'static str,
    pub server: Option<String>,
    /// The input as JSON.
    pub arguments: Option<String>,
    /// Whether the input is an object.
    pub is_object: bool,
    pub is_changed: bool,
    pub delegated_to: Option<String>,
    pub time: Option<i128>,
    /// The outcome, if the call itself states it.
    pub outcome: Option<Outcome>,
    pub exit_code: Option<i128>,
    pub result: Option<StepResult>,
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct StepResult {
    /// The id of the call, as the log states it.
    pub call_id: Option<String>,
    pub tool: Option<String>,
    /// The text, or JSON if there is no text.
    pub content: Option<String>,
    pub outcome: Outcome,
    pub exit_code: Option<i128>,
    pub time: Option<i128>,
}

impl Step {
    /// Creates a step without content.
    pub fn new(source: StepSource, entry: String) -> Self {
        Self {
            source,
            first_time: None,
            last_time: None,
            model: None,
            text: String::new(),
            reasoning: String::new(),
            has_hidden_reasoning: false,
            calls: Vec::new(),
            results: Vec::new(),
            usage: None,
            cost: None,
            author: None,
            is_local_command: false,
            is_by_program: false,
            is_inherited: false,
            superseded: None,
            subagent: None,
            left_out: BTreeMap::new(),
            entry,
        }
    }

    /// Adds the time of an event.
    pub fn add_time(&mut self, time: Option<i128>) {
        let Some(time) = time else { return };
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
    }

    /// Adds a paragraph to the text.
    pub fn add_text(&mut self, text: &str) {
        append(&mut self.text, text);
    }

    /// Adds a paragraph to the reasoning.
    pub fn add_reasoning(&mut self, text: &str) {
        append(&mut self.reasoning, text);
    }

    /// Returns whether a result of one of its calls may still follow.
    pub fn is_waiting(&self) -> bool {
        self.calls.iter().any(|call| call.result.is_none())
    }

    /// Returns the approximate number of bytes.
    pub fn size(&self) -> usize {
        let calls: usize = self.calls.iter().map(StepCall::size).sum();
        let results: usize = self.results.iter().map(StepResult::size).sum();
        512 + self.text.len() + self.reasoning.len() + calls + results
    }
}

impl StepCall {
    /// Returns the approximate number of bytes.
    pub fn size(&self) -> usize {
        let result = self.result.as_ref().map_or(0, StepResult::size);
        256 + self.arguments.as_ref().map_or(0, String::len) + result
    }

    /// Returns the outcome that the result states, or else the call.
    pub fn outcome(&self) -> Outcome {
        let stated = self.result.as_ref().map(|result| result.outcome);
        stated.filter(|it| *it != Outcome::Unknown).or(self.outcome).unwrap_or(Outcome::Unknown)
    }
}

impl StepResult {
    /// Returns the approximate number of bytes.
    pub fn size(&self) -> usize {
        128 + self.content.as_ref().map_or(0, String::len)
    }
}

fn append(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}
