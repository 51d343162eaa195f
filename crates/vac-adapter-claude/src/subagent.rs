//! Subagents: whose part of the log is whose, and which call spawned them.

use std::collections::HashMap;

use vac_adapter::attachment::{event, id};
use vac_adapter::members::Rest;
use vac_adapter::{Input, raw};
use vac_record::Entry;
use vac_value::{Kind, Node, Text};

/// The event that a subagent's part begins with.
const EVENT_TYPE: &str = "subagent";

/// One of the files of a log.
#[derive(Debug, Default)]
pub(crate) struct Part {
    name: String,
    /// The workflow run that it belongs to.
    run: Option<String>,
    /// Whether there is a line in it.
    pub has_lines: bool,
    /// Whether there is a message in it, which says whose it is.
    has_message: bool,
    /// The subagent that it is the log of.
    pub agent: Option<String>,
    /// Its first line that follows no other.
    root: Option<String>,
}

impl Part {
    /// The files that an input consists of.
    pub fn of(input: &dyn Input) -> Vec<Self> {
        let part = |file: &dyn Input| Self {
            name: file.name().to_owned(),
            run: run(file.folder()).map(str::to_owned),
            ..Self::default()
        };
        match input.parts() {
            parts if parts.is_empty() => vec![part(input)],
            parts => parts.into_iter().map(part).collect(),
        }
    }

    /// A message in it, and the agent that it names.
    pub fn message(&mut self, agent: Option<Node<'_, '_>>) {
        if !self.has_message {
            self.has_message = true;
            self.agent = agent.and_then(Node::text).map(Text::into_owned);
        }
    }

    /// A line in it.
    pub fn line(&mut self, id: Option<Node<'_, '_>>, parent: Option<Node<'_, '_>>) {
        if self.root.is_none() && parent.is_some_and(|parent| parent.kind() == Kind::Null) {
            self.root = id.and_then(Node::text).map(Text::into_owned);
        }
    }

    /// The event that marks where a subagent's part begins. The lines behind it stay
    /// what they are: the first has no parent, and so the link is told here.
    pub fn marker(&self, file: usize, calls: &Calls) -> Option<Entry<'static>> {
        let agent = self.agent.as_deref()?;
        let mut data = Rest::default();
        raw::push(&mut data, "agentId", agent);
        raw::push(&mut data, "name", self.name.as_str());
        if let Some(run) = &self.run {
            raw::push(&mut data, "runId", run.as_str());
        }
        if let Some(root) = &self.root {
            raw::push(&mut data, "root", root.as_str());
        }
        let call = calls.of(agent).or_else(|| calls.of(self.run.as_deref()?));
        Some(event(EVENT_TYPE, data, id(file), call))
    }
}

/// The run that a folder of the agents of a workflow belongs to.
pub(crate) fn run(folder: &str) -> Option<&str> {
    let mut names = folder.trim_end_matches('/').rsplit('/');
    let run = names.next()?;
    (names.next()? == "workflows").then_some(run)
}

/// The calls that spawned subagents, by the agent or by the workflow run.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<String, String>);

impl Calls {
    /// Remembers the first call for an agent or a run.
    pub fn add(&mut self, spawned: &str, call: &str) {
        if !self.0.contains_key(spawned) {
            self.0.insert(spawned.to_owned(), call.to_owned());
        }
    }

    /// The result of a call.
    pub fn result(&mut self, result: Node<'_, '_>, call: &str) {
        for key in ["agentId", "runId"] {
            if let Some(spawned) = result.member(key).and_then(Node::text) {
                self.add(&spawned, call);
            }
        }
    }

    /// A `progress` line, which names the agent and the call that waits for it.
    pub fn progress(&mut self, data: Node<'_, '_>, call: Option<Node<'_, '_>>) {
        let agent = data.member("agentId").and_then(Node::text);
        if let (Some(agent), Some(call)) = (agent, call.and_then(Node::text)) {
            self.add(&agent, &call);
        }
    }

    /// The call that spawned an agent, or started a run.
    pub fn of(&self, spawned: &str) -> Option<&str> {
        self.0.get(spawned).map(String::as_str)
    }
}
