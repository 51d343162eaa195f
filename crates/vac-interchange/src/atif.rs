//! Writes trajectories in the Agent Trajectory Interchange Format (ATIF) of Harbor.

use std::io::Write;

use vac_adapter::Error;
use vac_record::annotations::Outcome;
use vac_record::time::utc;
use vac_view::usage_totals::UsageTotals;

use crate::head::SessionHead;
use crate::json::{self, JsonObject};
use crate::step::{Step, StepCall, StepResult, StepSource};
use crate::step_reader::StepSink;
use crate::{FinishedSession, vac_members};

/// The version of the format. Version 1.8 only adds audio.
const SCHEMA_VERSION: &str = "ATIF-v1.7";

/// Writes the steps of a session as one trajectory.
pub(crate) struct TrajectoryWriter<'o> {
    out: &'o mut dyn Write,
    steps: u64,
}

impl<'o> TrajectoryWriter<'o> {
    /// Begins a trajectory.
    pub fn begin(out: &'o mut dyn Write, head: &SessionHead) -> Result<Self, Error> {
        let mut object = JsonObject::new();
        object.text("schema_version", SCHEMA_VERSION);
        object.text("session_id", &head.session_id);
        object.text("trajectory_id", &head.key);
        let mut agent = JsonObject::new();
        agent.text("name", &head.agent);
        // The format requires a version.
        agent.text("version", head.cli_version.as_deref().unwrap_or("unknown"));
        agent.optional("model_name", head.model.as_deref());
        let mut extra = JsonObject::new();
        extra.optional("cli_name", head.cli_name.as_deref());
        extra.optional("provider", head.provider.as_deref());
        agent.object("extra", extra);
        object.raw("agent", &agent.finish());
        let mut text = object.finish();
        text.pop();
        text.push_str(",\"steps\":[");
        out.write_all(text.as_bytes())?;
        Ok(Self { out, steps: 0 })
    }

    /// Completes the trajectory.
    pub fn finish(mut self, session: &FinishedSession<'_>) -> Result<u64, Error> {
        if self.steps == 0 {
            // The format requires a step.
            let mut step = Step::new(StepSource::System, "/session/entries".to_owned());
            step.author = Some("program");
            self.step(step)?;
        }
        let mut metrics = JsonObject::new();
        let tokens = session.facts.tokens.clone().unwrap_or_default();
        add_tokens(
            &mut metrics,
            &tokens,
            ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"],
        );
        if let Some(cost) = session.facts.cost {
            metrics.float("total_cost_usd", cost);
        }
        metrics.integer("total_steps", self.steps);
        metrics.object("extra", other_tokens(&tokens));
        let mut rest = JsonObject::new();
        rest.raw("final_metrics", &metrics.finish());
        let mut extra = JsonObject::new();
        extra.object("vac", vac_members(session));
        rest.object("extra", extra);
        let rest = rest.finish();
        write!(self.out, "],{}", &rest[1..])?;
        Ok(self.steps)
    }
}

impl StepSink for TrajectoryWriter<'_> {
    fn step(&mut self, step: Step) -> Result<(), Error> {
        if self.steps > 0 {
            self.out.write_all(b",")?;
        }
        self.steps += 1;
        self.out.write_all(step_json(&step, self.steps).as_bytes())?;
        Ok(())
    }
}

fn step_json(step: &Step, id: u64) -> String {
    let mut object = JsonObject::new();
    object.integer("step_id", id);
    object.optional("timestamp", step.first_time.and_then(utc).as_deref());
    let is_agent = step.source == StepSource::Agent;
    object.text(
        "source",
        match step.source {
            StepSource::User => "user",
            StepSource::Agent => "agent",
            StepSource::System => "system",
        },
    );
    object.optional("model_name", step.model.as_deref().filter(|_| is_agent));
    object.text("message", &step.text);
    if !step.reasoning.is_empty() {
        object.text("reasoning_content", &step.reasoning);
    }
    let calls: Vec<_> = step.calls.iter().map(call_json).collect();
    object.array("tool_calls", &calls);
    let of_calls = step
        .calls
        .iter()
        .filter_map(|call| Some(result_json(call.result.as_ref()?, Some(&call.id))));
    let results: Vec<_> =
        of_calls.chain(step.results.iter().map(|result| result_json(result, None))).collect();
    if !results.is_empty() {
        let mut observation = JsonObject::new();
        observation.raw("results", &json::array(&results));
        object.raw("observation", &observation.finish());
    }
    if let Some(usage) = step.usage.as_ref().filter(|_| !step.is_inherited) {
        let mut metrics = JsonObject::new();
        add_tokens(&mut metrics, usage, ["prompt_tokens", "completion_tokens", "cached_tokens"]);
        if let Some(cost) = step.cost {
            metrics.float("cost_usd", cost);
        }
        metrics.object("extra", other_tokens(usage));
        object.object("metrics", metrics);
    }
    if step.is_inherited {
        object.boolean("is_copied_context", true);
    }
    if step.is_by_program {
        object.integer("llm_call_count", 0);
    }
    let mut extra = JsonObject::new();
    extra.object("vac", step_members(step));
    object.object("extra", extra);
    object.finish()
}

/// Returns the facts about a step that the format has no names for.
fn step_members(step: &Step) -> JsonObject {
    let mut members = JsonObject::new();
    members.text("entry", &step.entry);
    members.optional("author", step.author);
    if step.is_local_command {
        members.boolean("local_command", true);
    }
    members.optional("superseded", step.superseded);
    if let Some(subagent) = &step.subagent {
        let mut object = JsonObject::new();
        object.optional("id", subagent.id.as_deref());
        object.optional("call_id", subagent.call_id.as_deref());
        members.raw("subagent", &object.finish());
    }
    if step.has_hidden_reasoning {
        members.boolean("hidden_reasoning", true);
    }
    let mut left_out = JsonObject::new();
    for (kind, count) in &step.left_out {
        left_out.integer(kind, *count);
    }
    members.object("left_out", left_out);
    members
}

fn call_json(call: &StepCall) -> String {
    let mut object = JsonObject::new();
    object.text("tool_call_id", &call.id);
    object.text("function_name", &call.tool);
    match call.arguments.as_deref() {
        Some(arguments) if call.is_object => object.raw("arguments", arguments),
        // The format requires an object.
        Some(value) => {
            let mut arguments = JsonObject::new();
            arguments.raw("input", value);
            object.raw("arguments", &arguments.finish());
        }
        None => object.raw("arguments", "{}"),
    }
    let mut members = JsonObject::new();
    members.text("canonical", &call.canonical);
    members.text("category", call.category);
    members.optional("server", call.server.as_deref());
    members.optional("delegated_to", call.delegated_to.as_deref());
    members.optional("called_at", call.time.and_then(utc).as_deref());
    if !call.has_own_id {
        members.boolean("has_no_id", true);
    }
    if call.is_changed {
        members.boolean("is_lossy", true);
    }
    if call.result.is_none() {
        add_outcome(&mut members, call.outcome.unwrap_or(Outcome::Unknown), call.exit_code);
    }
    let mut extra = JsonObject::new();
    extra.object("vac", members);
    object.object("extra", extra);
    object.finish()
}

fn result_json(result: &StepResult, call_id: Option<&str>) -> String {
    let mut object = JsonObject::new();
    object.optional("source_call_id", call_id);
    object.optional("content", result.content.as_deref());
    let mut members = JsonObject::new();
    if call_id.is_none() {
        members.optional("call_id", result.call_id.as_deref());
        members.optional("tool", result.tool.as_deref());
    }
    add_outcome(&mut members, result.outcome, result.exit_code);
    members.optional("answered_at", result.time.and_then(utc).as_deref());
    let mut extra = JsonObject::new();
    extra.object("vac", members);
    object.object("extra", extra);
    object.finish()
}

fn add_outcome(members: &mut JsonObject, outcome: Outcome, exit_code: Option<i128>) {
    members.text("outcome", outcome.as_str());
    if let Some(code) = exit_code {
        members.integer("exit_code", code);
    }
}

/// Adds the tokens that the format has names for. Its prompt tokens include cached ones.
fn add_tokens(object: &mut JsonObject, usage: &UsageTotals, names: [&str; 3]) {
    let prompt = [usage.input, usage.cache_read, usage.cache_write];
    let [prompt_name, completion_name, cached_name] = names;
    if prompt.iter().any(Option::is_some) {
        object.integer(prompt_name, prompt.into_iter().flatten().fold(0, u64::saturating_add));
    }
    for (name, number) in [(completion_name, usage.output), (cached_name, usage.cache_read)] {
        if let Some(number) = number {
            object.integer(name, number);
        }
    }
}

fn other_tokens(usage: &UsageTotals) -> JsonObject {
    let mut object = JsonObject::new();
    let others = [("cache_write_tokens", usage.cache_write), ("reasoning_tokens", usage.reasoning)];
    for (name, number) in others {
        if let Some(number) = number {
            object.integer(name, number);
        }
    }
    object
}
