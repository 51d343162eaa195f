//! Groups the events of a session into steps.
//!
//! An answer of the model is one step: its texts, its reasoning, its calls and the tokens that it
//! used. It ends where something else follows, or where the log states its tokens. Results are
//! added to the steps of their calls, which wait for them up to a limit.

use std::collections::{HashMap, VecDeque};

use vac_adapter::Error;
use vac_adapter::message_text::MessageText;
use vac_record::Entry;
use vac_record::annotations::EntryAnnotations;
use vac_record::time::instant;
use vac_view::entry_reader::EntryVisitor;
use vac_view::usage_totals::UsageTotals;
use vac_view::{Context, EventKind, MessageAuthor, SkipReason};

use crate::json;
use crate::step::{Delegate, Step, StepCall, StepResult, StepSource};

/// The maximum number of steps that wait for results.
const MAX_STEPS: usize = 1 << 13;
/// The approximate maximum number of bytes of these steps.
const MAX_BYTES: usize = 32 << 20;

/// A receiver of steps, in order.
pub(crate) trait StepSink {
    fn step(&mut self, step: Step) -> Result<(), Error>;
}

/// Groups the events of a session into steps.
pub(crate) struct StepReader<'s> {
    sink: &'s mut dyn StepSink,
    waiting: VecDeque<Step>,
    /// The number of steps that were passed to the sink.
    finished: u64,
    bytes: usize,
    /// The calls that wait for results, by whether they are history and by id: the number of the
    /// step, and the index of the call.
    calls: HashMap<(bool, String), VecDeque<(u64, usize)>>,
    /// The last call, if it has no id. A result without an id that follows is its result.
    last_without_id: Option<(u64, usize)>,
    /// Whether the next event of the model belongs to another answer.
    is_answered: bool,
    next_call: u64,
}

impl<'s> StepReader<'s> {
    pub fn new(sink: &'s mut dyn StepSink) -> Self {
        Self {
            sink,
            waiting: VecDeque::new(),
            finished: 0,
            bytes: 0,
            calls: HashMap::new(),
            last_without_id: None,
            is_answered: false,
            next_call: 1,
        }
    }

    /// Passes all remaining steps to the sink.
    pub fn finish(mut self) -> Result<(), Error> {
        while let Some(step) = self.waiting.pop_front() {
            self.sink.step(step)?;
        }
        Ok(())
    }

    /// Adds a step, and passes on steps that are complete or have waited for too long.
    fn push(&mut self, step: Step) -> Result<(), Error> {
        self.is_answered = false;
        self.bytes += step.size();
        self.waiting.push_back(step);
        while self.waiting.len() > 1 {
            let is_full = self.waiting.len() > MAX_STEPS || self.bytes > MAX_BYTES;
            if !is_full && self.waiting[0].is_waiting() {
                break;
            }
            let step = self.waiting.pop_front().expect("there are steps");
            self.bytes = self.bytes.saturating_sub(step.size());
            self.forget(&step);
            self.finished += 1;
            self.sink.step(step)?;
        }
        Ok(())
    }

    /// Removes the calls of a step that is passed on.
    fn forget(&mut self, step: &Step) {
        for call in step.calls.iter().filter(|call| call.result.is_none()) {
            let key = (step.is_inherited, call.id.clone());
            let Some(waiting) = self.calls.get_mut(&key) else { continue };
            // Steps are passed on in order, so their calls come first.
            while waiting.front().is_some_and(|(number, _)| *number <= self.finished) {
                waiting.pop_front();
            }
            if waiting.is_empty() {
                self.calls.remove(&key);
            }
        }
        if self.last_without_id.is_some_and(|(number, _)| number <= self.finished) {
            self.last_without_id = None;
        }
    }

    /// Returns the current answer of the model, or a new one.
    fn answer(&mut self, context: &Context<'_>, model: Option<&str>) -> Result<&mut Step, Error> {
        let subagent = subagent(context);
        let is_inherited = context.inherited.is_some();
        let superseded = context.superseded.map(|superseded| superseded.how.as_str());
        let is_same = !self.is_answered
            && self.waiting.back().is_some_and(|step| {
                step.source == StepSource::Agent
                    && !step.is_by_program
                    && step.usage.is_none()
                    && step.subagent == subagent
                    && step.is_inherited == is_inherited
                    && step.superseded == superseded
                    && (model.is_none() || step.model.is_none() || step.model.as_deref() == model)
            });
        if !is_same {
            let step = new_step(StepSource::Agent, context);
            self.push(step)?;
        }
        let step = self.waiting.back_mut().expect("a step was added");
        if let Some(model) = model {
            step.model.get_or_insert_with(|| model.to_owned());
        }
        step.add_time(time(context));
        Ok(step)
    }

    fn prompt(
        &mut self,
        text: MessageText,
        author: MessageAuthor,
        is_local_command: bool,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let is_to_model = match author {
            MessageAuthor::User | MessageAuthor::Unstated => !is_local_command,
            MessageAuthor::OtherAgent => true,
            MessageAuthor::Program | MessageAuthor::Hook | MessageAuthor::Unknown => false,
        };
        let source = if is_to_model { StepSource::User } else { StepSource::System };
        let mut step = new_step(source, context);
        step.add_time(time(context));
        step.text = text.text;
        step.left_out = text.left_out;
        step.author = (author != MessageAuthor::User).then(|| author.name());
        step.is_local_command = is_local_command;
        self.push(step)
    }

    fn assistant_text(
        &mut self,
        text: MessageText,
        model: Option<&str>,
        author: Option<MessageAuthor>,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        if let Some(author) = author {
            let mut step = new_step(StepSource::Agent, context);
            step.add_time(time(context));
            step.text = text.text;
            step.left_out = text.left_out;
            step.author = Some(author.name());
            step.is_by_program = true;
            return self.push(step);
        }
        let added = text.text.len();
        let step = self.answer(context, model)?;
        step.add_text(&text.text);
        for (kind, count) in text.left_out {
            *step.left_out.entry(kind).or_default() += count;
        }
        self.bytes += added;
        Ok(())
    }

    fn call(&mut self, kind: &EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        let EventKind::ToolUse {
            tool,
            action,
            call_id,
            delegated_to,
            input,
            outcome,
            exit_code,
            ..
        } = kind
        else {
            return Ok(());
        };
        let number = self.next_call;
        self.next_call += 1;
        let json = json::value(*input);
        let call = StepCall {
            id: call_id.map_or_else(|| format!("call-{number}"), str::to_owned),
            has_own_id: call_id.is_some(),
            tool: (*tool).to_owned(),
            canonical: action.tool.to_string(),
            category: action.category.as_str(),
            server: action.server.as_deref().map(str::to_owned),
            is_object: json.as_ref().is_some_and(|json| json.text.starts_with('{')),
            is_changed: json.as_ref().is_none_or(|json| json.is_changed),
            arguments: json.map(|json| json.text),
            delegated_to: delegated_to.map(str::to_owned),
            time: time(context),
            outcome: *outcome,
            exit_code: *exit_code,
            result: None,
        };
        let size = call.size();
        let key = (context.inherited.is_some(), call.id.clone());
        let step = self.answer(context, None)?;
        step.calls.push(call);
        let index = step.calls.len() - 1;
        self.bytes += size;
        let place = (self.finished + self.waiting.len() as u64 - 1, index);
        self.last_without_id = call_id.is_none().then_some(place);
        self.calls.entry(key).or_default().push_back(place);
        Ok(())
    }

    fn result(&mut self, result: StepResult, context: &Context<'_>) -> Result<(), Error> {
        let place = match &result.call_id {
            Some(id) => {
                let key = (context.inherited.is_some(), id.clone());
                let waiting = self.calls.get_mut(&key);
                let place = waiting.and_then(VecDeque::pop_front);
                if self.calls.get(&key).is_some_and(VecDeque::is_empty) {
                    self.calls.remove(&key);
                }
                place
            }
            None => self.last_without_id.take(),
        };
        let index = place.and_then(|(step, call)| {
            Some((usize::try_from(step.checked_sub(self.finished)?).ok()?, call))
        });
        self.bytes += result.size();
        match index {
            Some((step, call)) => {
                self.waiting[step].calls[call].result = Some(result);
                self.is_answered = true;
                Ok(())
            }
            None => {
                let mut step = new_step(StepSource::System, context);
                step.add_time(time(context));
                step.results.push(result);
                self.push(step)
            }
        }
    }

    fn usage(
        &mut self,
        usage: UsageTotals,
        model: Option<&str>,
        cost: Option<f64>,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        // Logs often state tokens after the answer, and after the results of its calls.
        let subagent = subagent(context);
        let last = self.waiting.iter_mut().rev().find(|step| step.source != StepSource::System);
        let step = match last {
            Some(step)
                if step.source == StepSource::Agent
                    && !step.is_by_program
                    && step.usage.is_none()
                    && !step.is_inherited
                    && step.subagent == subagent =>
            {
                step
            }
            _ => {
                let mut step = new_step(StepSource::Agent, context);
                step.add_time(time(context));
                self.push(step)?;
                self.waiting.back_mut().expect("a step was added")
            }
        };
        if let Some(model) = model {
            step.model.get_or_insert_with(|| model.to_owned());
        }
        step.usage = Some(usage);
        step.cost = cost;
        Ok(())
    }
}

impl EntryVisitor for StepReader<'_> {
    fn entry(&mut self, _: &Entry<'_>, _: &EntryAnnotations<'_>, _: &Context<'_>) {}

    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error> {
        // History of another session is part of the conversation, but does not count here.
        let is_history = match context.skip_reason() {
            None => false,
            Some(SkipReason::Inherited) => true,
            Some(SkipReason::Duplicate | SkipReason::Updated) => return Ok(()),
        };
        match kind {
            EventKind::UserPrompt { text, author, is_local_command, .. } => {
                self.prompt(text, author, is_local_command, context)
            }
            EventKind::AssistantText { text, model, author } => {
                self.assistant_text(text, model, author, context)
            }
            EventKind::Reasoning { text, is_encrypted, .. } => {
                let step = self.answer(context, None)?;
                step.add_reasoning(&text.text);
                step.has_hidden_reasoning |= is_encrypted;
                self.bytes += text.text.len();
                Ok(())
            }
            EventKind::ToolUse { .. } => self.call(&kind, context),
            EventKind::ToolResult { tool, call_id, outcome, exit_code, text, output, .. } => {
                let shown = text.or_else(|| {
                    let json = json::value(output)?.text;
                    (json != "null").then_some(json)
                });
                let result = StepResult {
                    call_id: call_id.map(str::to_owned),
                    tool: tool.map(str::to_owned),
                    content: shown,
                    outcome,
                    exit_code,
                    time: time(context),
                };
                self.result(result, context)
            }
            EventKind::Usage { usage, model, cost } if !is_history => {
                let mut totals = UsageTotals::default();
                if let Some(usage) = usage {
                    totals.add(usage);
                }
                self.usage(totals, model, cost, context)
            }
            EventKind::Usage { .. }
            | EventKind::Permission { .. }
            | EventKind::SessionStart { .. }
            | EventKind::SessionEnd { .. } => Ok(()),
        }
    }
}

fn new_step(source: StepSource, context: &Context<'_>) -> Step {
    let mut step = Step::new(source, context.place().pointer());
    step.subagent = subagent(context);
    step.is_inherited = context.inherited.is_some();
    step.superseded = context.superseded.map(|superseded| superseded.how.as_str());
    step
}

fn subagent(context: &Context<'_>) -> Option<Delegate> {
    context.subagent.map(|subagent| Delegate {
        id: subagent.id.as_deref().map(str::to_owned),
        call_id: subagent.call_id.as_deref().map(str::to_owned),
    })
}

fn time(context: &Context<'_>) -> Option<i128> {
    context.timestamp.and_then(instant)
}
