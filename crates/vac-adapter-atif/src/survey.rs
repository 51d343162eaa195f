//! Implements the first pass: finds the trajectories of a file, and the facts that they state about
//! their sessions.

use std::collections::HashMap;
use std::rc::Rc;

use vac_adapter::frame::Content;
use vac_adapter::line_log::{parse_time, text};
use vac_adapter::models::Models;
use vac_adapter::shared_log::SessionNumbers;
use vac_adapter::time::Span;
use vac_adapter::{
    Adapter as _, Error, Fit, Input, Log, Preview, Sample, Session, Share, Verdict, ids,
};
use vac_record::annotations::Usage;
use vac_value::{IntoOwned, Kind, Node};

use crate::session::AtifSession;
use crate::{Atif, detect, usage};

/// The variant of all logs.
pub(crate) const VARIANT: &str = "trajectory";
/// The maximum depth of embedded trajectories that are searched for facts.
const MAX_LEVELS: usize = 64;
/// The name that Harbor gives to all trajectories.
const COMMON_NAME: &str = "trajectory.json";

/// The facts that trajectories state about a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub agent: Option<String>,
    pub version: Option<String>,
    pub models: Models,
    pub span: Span,
    /// Whether a step states tokens.
    pub has_usage: bool,
    /// The subagents that calls started: calls by the ids of subagents.
    pub calls: HashMap<String, String>,
}

impl Facts {
    /// Adds a trajectory.
    pub fn add(&mut self, root: Node<'_, '_>, level: usize) {
        let is_main = level == 0;
        let agent = root.member("agent").filter(|agent| agent.kind() == Kind::Map);
        let member = |key: &str| agent.and_then(|agent| agent.member(key));
        let stated = |key: &str| text(member(key)).filter(|text| !text.is_empty());
        let default_model = stated("model_name");
        if is_main {
            self.agent = self.agent.take().or_else(|| stated("name"));
            self.version = self.version.take().or_else(|| stated("version"));
        }
        let add_model = |models: &mut Models, name: &str, answers| {
            if is_main {
                models.add(name, answers);
            } else {
                models.add_subagent(name, answers);
            }
        };
        if let Some(model) = &default_model {
            add_model(&mut self.models, model, 0);
        }
        for step in root.member("steps").into_iter().flat_map(Node::elements) {
            if let Some(time) = step.member("timestamp").and_then(parse_time) {
                self.span.add(&time.into_owned());
            }
            if step.member("source").is_some_and(|source| source.is_text("agent")) {
                let model = text(step.member("model_name"));
                if let Some(model) = model.as_ref().or(default_model.as_ref()) {
                    add_model(&mut self.models, model, 1);
                }
                self.has_usage |= usage::has_tokens(step);
            }
            crate::step::references(step, |call, subagent| {
                self.calls.entry(subagent).or_insert(call);
            });
        }
        if level < MAX_LEVELS {
            let subagents = root.member("subagent_trajectories");
            for subagent in subagents.into_iter().flat_map(Node::elements) {
                self.add(subagent, level + 1);
            }
        }
    }

    /// Returns the totals of a trajectory, where no step states tokens.
    pub fn totals(&self, root: Node<'_, '_>) -> Option<Usage<'static>> {
        if self.has_usage { None } else { usage::totals(root) }
    }
}

/// Returns the id of the session of a trajectory.
fn session_id(root: Node<'_, '_>) -> Option<String> {
    let id = |key: &str| text(root.member(key)).filter(|id| !id.is_empty());
    id("session_id").or_else(|| id("trajectory_id"))
}

/// Returns the facts that the beginning of a file states.
pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    let mut facts = Facts::default();
    let mut id = None;
    for document in &sample.documents {
        facts.add(document.root(), 0);
        id = id.or_else(|| session_id(document.root()));
    }
    let stem = || ids::stem(sample.name).filter(|_| sample.name != COMMON_NAME).map(str::to_owned);
    Preview {
        variant: VARIANT,
        session_id: id.or_else(stem),
        start: facts.span.first(),
        project: None,
        version: facts.version,
        parent: None,
        share: Share::Whole,
    }
}

/// Surveys a file.
pub(crate) fn survey<'i>(input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
    let log = Log::new(input);
    let mut verdict = Verdict::default();
    let mut sessions: Vec<(Option<String>, Facts)> = Vec::new();
    let mut numbers = SessionNumbers::default();
    let mut frames = 0;
    log.each(|frame| {
        if let Content::Document(document) = &frame.content {
            let root = document.root();
            let fit = detect::fit(root);
            verdict.add(fit);
            if matches!(fit, Fit::Fits(_)) {
                let id = session_id(root);
                let number = numbers.add(frames, frame.place, Some(id.clone()))?;
                if number == sessions.len() {
                    sessions.push((id, Facts::default()));
                }
                sessions[number].1.add(root, 0);
            }
        }
        frames += 1;
        Ok(())
    })?;
    if let Some(misfit) = verdict.misfit(Atif.name()) {
        return Err(Error::Refused(misfit.to_string()));
    }
    if sessions.is_empty() {
        return Err(Error::Refused("contains no trajectory".to_owned()));
    }
    let shared = Rc::new(numbers.share(log));
    let mut found: Vec<Box<dyn Session + 'i>> = Vec::new();
    for (number, (id, facts)) in sessions.into_iter().enumerate() {
        let id = match id {
            Some(id) => id,
            None if input.name() == COMMON_NAME => ids::from_content(input)?,
            None => ids::from_input(input)?,
        };
        found.push(Box::new(AtifSession { shared: Rc::clone(&shared), number, facts, id }));
    }
    Ok(found)
}
