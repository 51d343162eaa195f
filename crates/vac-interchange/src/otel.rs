//! Writes spans: OTLP in JSON, with the attributes of the semantic conventions for generative AI.

use std::collections::HashMap;
use std::io::Write;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use vac_adapter::Error;
use vac_record::annotations::Outcome;

use crate::attributes::Attributes;
use crate::head::SessionHead;
use crate::json::{self, JsonObject};
use crate::step::{Delegate, Step, StepCall, StepResult, StepSource};
use crate::step_reader::StepSink;
use crate::{FinishedSession, vac_members};

/// The number of the span kind `INTERNAL` in OTLP.
const INTERNAL: u8 = 1;
/// The number of the span kind `CLIENT` in OTLP.
const CLIENT: u8 = 3;
/// The number of the status of failed spans in OTLP.
const ERROR: u8 = 2;
/// The maximum number of calls that are remembered as parents of subagents.
const MAX_CALLS: usize = 1 << 20;

/// A time span in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    range: Option<(i128, i128)>,
}

impl Times {
    fn add(&mut self, time: Option<i128>) {
        let Some(time) = time else { return };
        self.range = Some(match self.range {
            Some((start, end)) => (start.min(time), end.max(time)),
            None => (time, time),
        });
    }
}

/// An agent of the session: the main one, or a subagent.
struct Agent {
    span_id: String,
    parent: Option<String>,
    delegate: Option<Delegate>,
    times: Times,
    /// The time of the last event.
    clock: Option<i128>,
    /// The messages since the last answer.
    prompts: Vec<String>,
}

/// Writes the steps of a session as spans of one trace.
pub(crate) struct SpanWriter<'o> {
    out: &'o mut dyn Write,
    head: SessionHead,
    /// The main agent, then subagents in the order of their first step.
    agents: Vec<Agent>,
    by_name: HashMap<String, usize>,
    /// Spans of calls, by the ids of the calls.
    calls: HashMap<String, String>,
    spans: u64,
    numbers: u64,
}

impl<'o> SpanWriter<'o> {
    /// Begins a trace.
    pub fn begin(out: &'o mut dyn Write, head: SessionHead) -> Result<Self, Error> {
        let mut resource = Attributes::default();
        resource.text("service.name", &head.agent);
        resource.optional("service.version", head.cli_version.as_deref());
        for (key, value) in &head.labels {
            resource.text(&format!("vac.label.{key}"), value);
        }
        let mut scope = JsonObject::new();
        scope.text("name", "vac");
        scope.text("version", env!("CARGO_PKG_VERSION"));
        write!(
            out,
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":{}}},\"scopeSpans\":[{{\"scope\":{},\"spans\":[",
            resource.finish(),
            scope.finish()
        )?;
        let mut writer = Self {
            out,
            agents: Vec::new(),
            by_name: HashMap::new(),
            calls: HashMap::new(),
            spans: 0,
            numbers: 0,
            head,
        };
        let span_id = writer.next_span_id();
        writer.agents.push(Agent::new(span_id, None, None));
        Ok(writer)
    }

    /// Writes the spans of the agents, and completes the trace.
    pub fn finish(mut self, session: &FinishedSession<'_>) -> Result<u64, Error> {
        let stated = [&session.start, &session.end];
        for time in stated.into_iter().flatten() {
            self.agents[0].times.add(Some(*time));
        }
        // The times of an agent include those of its subagents.
        let all: Vec<Times> = self.agents[1..].iter().map(|agent| agent.times).collect();
        for times in all {
            if let Some((start, end)) = times.range {
                self.agents[0].times.add(Some(start));
                self.agents[0].times.add(Some(end));
            }
        }
        for index in 0..self.agents.len() {
            let agent = &mut self.agents[index];
            let prompts = std::mem::take(&mut agent.prompts);
            let (id, parent) = (agent.span_id.clone(), agent.parent.clone());
            let (times, delegate) = (agent.times, agent.delegate.clone());
            let mut attributes = self.attributes("invoke_agent");
            attributes.text("gen_ai.agent.name", &self.head.agent);
            attributes.optional("gen_ai.agent.version", self.head.cli_version.as_deref());
            attributes.optional("gen_ai.request.model", self.head.model.as_deref());
            let agent_id = delegate.as_ref().and_then(|delegate| delegate.id.as_deref());
            attributes.optional("gen_ai.agent.id", agent_id);
            if !prompts.is_empty() {
                attributes.text("gen_ai.input.messages", &json::array(&prompts));
            }
            if index == 0 {
                attributes.optional("vac.working_dir", self.head.working_dir.as_deref());
                attributes.text("vac.session", &vac_members(session).finish());
            } else {
                attributes.boolean("vac.subagent", true);
            }
            let name = format!("invoke_agent {}", self.head.agent);
            let span = Span {
                id,
                parent,
                name,
                kind: INTERNAL,
                times: times.range,
                is_derived: times.range.is_none(),
                is_error: index == 0 && session.facts.status.name() == "failure",
                attributes,
            };
            self.span(span, None)?;
        }
        self.out.write_all(b"]}]}]}")?;
        Ok(self.spans)
    }

    fn next_span_id(&mut self) -> String {
        self.numbers += 1;
        let mut hash = Sha256::new();
        hash.update(self.head.key.as_bytes());
        hash.update(self.numbers.to_be_bytes());
        HEXLOWER.encode(&hash.finalize()[..8])
    }

    /// Returns the agent of a step.
    fn agent(&mut self, delegate: Option<&Delegate>) -> usize {
        let Some(delegate) = delegate else { return 0 };
        if let Some(index) = self.by_name.get(delegate.name()) {
            return *index;
        }
        let called = delegate.call_id.as_ref().and_then(|id| self.calls.get(id));
        let parent = called.unwrap_or(&self.agents[0].span_id).clone();
        let span_id = self.next_span_id();
        self.agents.push(Agent::new(span_id, Some(parent), Some(delegate.clone())));
        let index = self.agents.len() - 1;
        self.by_name.insert(delegate.name().to_owned(), index);
        index
    }

    fn attributes(&self, operation: &str) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.text("gen_ai.operation.name", operation);
        let provider = self.head.provider.as_deref().map(provider_name);
        if operation != "execute_tool" {
            attributes.text("gen_ai.provider.name", provider.unwrap_or("unknown"));
        }
        attributes.text("gen_ai.conversation.id", &self.head.session_id);
        attributes
    }

    fn chat(&mut self, step: &Step, agent: usize) -> Result<(), Error> {
        let before = self.agents[agent].clock;
        let end = step.last_time.or(before);
        let start = match (before, step.first_time) {
            (Some(before), Some(first)) => Some(before.min(first)),
            (before, first) => first.or(before),
        };
        let mut attributes = self.attributes("chat");
        let model = step.model.clone().or_else(|| self.head.model.clone());
        attributes.optional("gen_ai.request.model", model.as_deref());
        attributes.optional("gen_ai.response.model", step.model.as_deref());
        if let Some(usage) = &step.usage {
            let input = [usage.input, usage.cache_read, usage.cache_write];
            if input.iter().any(Option::is_some) {
                let sum = input.into_iter().flatten().fold(0, u64::saturating_add);
                attributes.integer("gen_ai.usage.input_tokens", sum);
            }
            for (name, number) in [
                ("gen_ai.usage.output_tokens", usage.output),
                ("gen_ai.usage.cache_read.input_tokens", usage.cache_read),
                ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write),
                ("gen_ai.usage.reasoning.output_tokens", usage.reasoning),
            ] {
                if let Some(number) = number {
                    attributes.integer(name, number);
                }
            }
        }
        if let Some(cost) = step.cost {
            attributes.float("vac.cost_usd", cost);
        }
        let prompts = std::mem::take(&mut self.agents[agent].prompts);
        if !prompts.is_empty() {
            attributes.text("gen_ai.input.messages", &json::array(&prompts));
        }
        if let Some(message) = output_message(step) {
            attributes.text("gen_ai.output.messages", &message);
        }
        attributes.optional("vac.superseded", step.superseded);
        attributes.text("vac.entry", &step.entry);
        let span = Span {
            id: self.next_span_id(),
            parent: Some(self.agents[agent].span_id.clone()),
            name: model.map_or_else(|| "chat".to_owned(), |model| format!("chat {model}")),
            kind: CLIENT,
            times: start.zip(end).map(|(start, end)| (start, end.max(start))),
            is_derived: step.last_time.is_none(),
            is_error: false,
            attributes,
        };
        self.agents[agent].tick(step.last_time);
        self.span(span, Some(agent))
    }

    fn tool(&mut self, call: &StepCall, step: &Step, agent: usize) -> Result<(), Error> {
        let result = call.result.as_ref();
        let answered = result.and_then(|result| result.time);
        let start = call.time.or(step.last_time).or(self.agents[agent].clock);
        let end = answered.or(start);
        let outcome = call.outcome();
        let mut attributes = self.attributes("execute_tool");
        attributes.text("gen_ai.tool.name", &call.tool);
        attributes
            .text("gen_ai.tool.type", if call.server.is_some() { "extension" } else { "function" });
        if call.has_own_id {
            attributes.text("gen_ai.tool.call.id", &call.id);
        }
        attributes.optional("gen_ai.tool.call.arguments", call.arguments.as_deref());
        attributes.optional(
            "gen_ai.tool.call.result",
            result.and_then(|result| result.content.as_deref()),
        );
        attributes.text("vac.tool.canonical", &call.canonical);
        attributes.text("vac.tool.category", call.category);
        attributes.optional("vac.tool.server", call.server.as_deref());
        attributes.optional("vac.delegated_to", call.delegated_to.as_deref());
        attributes.optional("vac.superseded", step.superseded);
        if result.is_none() {
            attributes.boolean("vac.tool.has_no_result", true);
        }
        let exit_code = result.and_then(|result| result.exit_code).or(call.exit_code);
        self.tool_span(&call.id, &call.tool, (start, end), outcome, exit_code, attributes, agent)?;
        self.agents[agent].tick(answered);
        Ok(())
    }

    /// A result whose call is not in the log.
    fn orphan(&mut self, result: &StepResult, agent: usize) -> Result<(), Error> {
        let mut attributes = self.attributes("execute_tool");
        let tool = result.tool.clone().unwrap_or_else(|| "unknown".to_owned());
        attributes.text("gen_ai.tool.name", &tool);
        attributes.optional("gen_ai.tool.call.id", result.call_id.as_deref());
        attributes.optional("gen_ai.tool.call.result", result.content.as_deref());
        attributes.boolean("vac.tool.has_no_call", true);
        let time = result.time.or(self.agents[agent].clock);
        let id = result.call_id.clone().unwrap_or_default();
        self.tool_span(
            &id,
            &tool,
            (time, time),
            result.outcome,
            result.exit_code,
            attributes,
            agent,
        )?;
        self.agents[agent].tick(result.time);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // what calls and results without calls share
    fn tool_span(
        &mut self,
        call_id: &str,
        tool: &str,
        (start, end): (Option<i128>, Option<i128>),
        outcome: Outcome,
        exit_code: Option<i128>,
        mut attributes: Attributes,
        agent: usize,
    ) -> Result<(), Error> {
        if let Some(code) = exit_code.and_then(|code| i64::try_from(code).ok()) {
            attributes.signed("process.exit.code", code);
        }
        attributes.text("vac.outcome", outcome.as_str());
        let is_error = outcome == Outcome::Error;
        if is_error {
            attributes.text("error.type", "tool_error");
        }
        let id = self.next_span_id();
        if self.calls.len() < MAX_CALLS && !call_id.is_empty() {
            self.calls.entry(call_id.to_owned()).or_insert_with(|| id.clone());
        }
        let span = Span {
            id,
            parent: Some(self.agents[agent].span_id.clone()),
            name: format!("execute_tool {tool}"),
            kind: INTERNAL,
            times: start.zip(end).map(|(start, end)| (start, end.max(start))),
            is_derived: start.is_none(),
            is_error,
            attributes,
        };
        self.span(span, Some(agent))
    }

    /// Writes a span: one that belongs to an agent, or that of an agent itself.
    fn span(&mut self, span: Span, agent: Option<usize>) -> Result<(), Error> {
        let Span { id, parent, name, kind, times, is_derived, is_error, mut attributes } = span;
        if self.spans > 0 {
            self.out.write_all(b",")?;
        }
        self.spans += 1;
        if is_derived {
            attributes.boolean("vac.time_not_stated", true);
        }
        // OTLP counts from 1970, and has unsigned numbers of 64 bits.
        let nanoseconds = |time: i128| u64::try_from(time.max(0)).unwrap_or(u64::MAX);
        let (start, end) = times.unwrap_or((0, 0));
        let mut object = JsonObject::new();
        object.text("traceId", &self.head.key);
        object.text("spanId", &id);
        object.optional("parentSpanId", parent.as_deref());
        object.text("name", &name);
        object.integer("kind", i128::from(kind));
        object.text("startTimeUnixNano", &nanoseconds(start).to_string());
        object.text("endTimeUnixNano", &nanoseconds(end).to_string());
        object.raw("attributes", &attributes.finish());
        let mut status = JsonObject::new();
        if is_error {
            status.integer("code", i128::from(ERROR));
        }
        object.raw("status", &status.finish());
        self.out.write_all(object.finish().as_bytes())?;
        // The span of the main agent contains all others.
        for index in [Some(0), agent].into_iter().flatten() {
            self.agents[index].times.add(times.map(|(start, _)| start));
            self.agents[index].times.add(times.map(|(_, end)| end));
        }
        Ok(())
    }
}

impl StepSink for SpanWriter<'_> {
    fn step(&mut self, step: Step) -> Result<(), Error> {
        // The history of another session is in the trace of that session.
        if step.is_inherited {
            return Ok(());
        }
        let agent = self.agent(step.subagent.as_ref());
        match step.source {
            StepSource::Agent if !step.is_by_program => self.chat(&step, agent)?,
            StepSource::User => {
                self.agents[agent].prompts.push(message("user", &step.text));
                self.agents[agent].times.add(step.first_time);
                self.agents[agent].tick(step.last_time);
            }
            StepSource::Agent | StepSource::System => {
                self.agents[agent].times.add(step.first_time);
            }
        }
        for call in &step.calls {
            self.tool(call, &step, agent)?;
        }
        for result in &step.results {
            self.orphan(result, agent)?;
        }
        Ok(())
    }
}

impl Agent {
    fn new(span_id: String, parent: Option<String>, delegate: Option<Delegate>) -> Self {
        Self {
            span_id,
            parent,
            delegate,
            times: Times::default(),
            clock: None,
            prompts: Vec::new(),
        }
    }

    fn tick(&mut self, time: Option<i128>) {
        if let Some(time) = time {
            self.clock = Some(self.clock.map_or(time, |clock| clock.max(time)));
        }
    }
}

/// A span that is complete.
struct Span {
    id: String,
    parent: Option<String>,
    name: String,
    kind: u8,
    times: Option<(i128, i128)>,
    is_derived: bool,
    is_error: bool,
    attributes: Attributes,
}

/// Returns the name of a provider in the semantic conventions.
fn provider_name(provider: &str) -> &str {
    match provider {
        "google" => "gcp.gemini",
        "xai" => "x_ai",
        "mistral" => "mistral_ai",
        other => other,
    }
}

fn part(kind: &str, content: &str) -> String {
    let mut part = JsonObject::new();
    part.text("type", kind);
    part.text("content", content);
    part.finish()
}

fn message(role: &str, text: &str) -> String {
    let mut message = JsonObject::new();
    message.text("role", role);
    message.raw("parts", &json::array(&[part("text", text)]));
    message.finish()
}

fn output_message(step: &Step) -> Option<String> {
    let mut parts = Vec::new();
    if !step.reasoning.is_empty() {
        parts.push(part("reasoning", &step.reasoning));
    }
    if !step.text.is_empty() {
        parts.push(part("text", &step.text));
    }
    for call in &step.calls {
        let mut part = JsonObject::new();
        part.text("type", "tool_call");
        part.text("id", &call.id);
        part.text("name", &call.tool);
        if let Some(arguments) = &call.arguments {
            part.raw("arguments", arguments);
        }
        parts.push(part.finish());
    }
    if parts.is_empty() {
        return None;
    }
    let mut message = JsonObject::new();
    message.text("role", "assistant");
    message.raw("parts", &json::array(&parts));
    // The conventions require it, and logs state it in different ways.
    message.text("finish_reason", "unknown");
    Some(json::array(&[message.finish()]))
}
