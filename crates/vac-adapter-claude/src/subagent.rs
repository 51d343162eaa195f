//! Finds the parts of the log that belong to subagents, and the calls that started them.

use std::collections::{HashMap, VecDeque};
use std::num::NonZeroU16;

use vac_adapter::annotation::attach;
use vac_adapter::attachment::{event, id};
use vac_adapter::members::Rest;
use vac_adapter::{Input, raw};
use vac_record::Entry;
use vac_record::annotations::{EntryAnnotations, Subagent};
use vac_value::{Kind, Node, Text};

use crate::envelope::Envelope;
use crate::short_hash::{ShortHash, ShortHashMap};

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
    /// Whether it has a message, which names its agent.
    has_message: bool,
    /// The subagent that it is the log of.
    pub agent: Option<String>,
    /// The first line of the file without a parent.
    root: Option<String>,
}

impl Part {
    /// Returns the files that an input consists of.
    pub fn list(input: &dyn Input) -> Vec<Self> {
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

    /// Adds a message, and the agent that it names.
    pub fn message(&mut self, agent: Option<Node<'_, '_>>) {
        if !self.has_message {
            self.has_message = true;
            self.agent = agent.and_then(Node::text).map(Text::into_owned);
        }
    }

    /// Adds a line.
    pub fn line(&mut self, id: Option<Node<'_, '_>>, parent: Option<Node<'_, '_>>) {
        if self.root.is_none() && parent.is_some_and(|parent| parent.kind() == Kind::Null) {
            self.root = id.and_then(Node::text).map(Text::into_owned);
        }
    }

    /// Returns the event that marks where a subagent's part begins. The first line after it has
    /// no parent, so the event names the call that started the subagent.
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
        let call_id = self.call(agent, calls).map(Into::into);
        let subagent = Some(Subagent { id: Some(agent.into()), call_id });
        let mut entry = event(EVENT_TYPE, data, id(file), None);
        let it = EntryAnnotations { subagent, ..EntryAnnotations::default() };
        attach(entry.extensions_mut(), &it);
        Some(entry)
    }

    /// Returns the call that started a subagent of this part, or its workflow.
    fn call<'c>(&self, agent: &str, calls: &'c Calls) -> Option<&'c str> {
        calls.get(agent).or_else(|| calls.get(self.run.as_deref()?))
    }
}

/// Returns the run that a folder of the agents of a workflow belongs to.
pub(crate) fn run(folder: &str) -> Option<&str> {
    let mut names = folder.trim_end_matches('/').rsplit('/');
    let run = names.next()?;
    (names.next()? == "workflows").then_some(run)
}

/// The calls that started subagents, by the agent or by the workflow run.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<String, String>);

impl Calls {
    /// Adds the call for an agent or a run, unless one is known.
    pub fn add(&mut self, spawned: &str, call: &str) {
        if !self.0.contains_key(spawned) {
            self.0.insert(spawned.to_owned(), call.to_owned());
        }
    }

    /// Adds the result of a call.
    pub fn result(&mut self, result: Node<'_, '_>, call: &str) {
        for key in ["agentId", "runId"] {
            if let Some(spawned) = result.member(key).and_then(Node::text) {
                self.add(&spawned, call);
            }
        }
    }

    /// Adds a `progress` line, which names the agent and the call that waits for it.
    pub fn progress(&mut self, data: Node<'_, '_>, call: Option<Node<'_, '_>>) {
        let agent = data.member("agentId").and_then(Node::text);
        if let (Some(agent), Some(call)) = (agent, call.and_then(Node::text)) {
            self.add(&agent, &call);
        }
    }

    /// Returns the subagent that wrote a line, if one did. `sidechain` is the call that its
    /// prompt is from.
    pub fn subagent<'x>(
        &'x self,
        line: &Envelope<'x>,
        alone: Option<&'x str>,
        part: Option<&'x Part>,
        sidechain: Option<&'x str>,
    ) -> Option<Subagent<'x>> {
        let of_part = alone.or_else(|| part?.agent.as_deref());
        if !line.is_sidechain() && of_part.is_none() {
            return None;
        }
        let id = line.agent.clone().or_else(|| of_part.map(Into::into));
        let started = id.as_deref().and_then(|id| match part {
            Some(part) => part.call(id, self),
            None => self.get(id),
        });
        let named = line.streamed_parent_call.clone().or_else(|| line.parent_call.clone());
        let call_id = named.or_else(|| started.or(sidechain).map(Into::into));
        Some(Subagent { id, call_id })
    }

    /// Returns the call that started an agent or a run.
    pub fn get(&self, spawned: &str) -> Option<&str> {
        self.0.get(spawned).map(String::as_str)
    }
}

/// The calls that started subagents whose lines are in the main file and do not name them
/// (before 2.0). The first line of such a subagent is the prompt of its call.
#[derive(Debug, Default)]
pub(crate) struct SidechainCalls {
    /// The ids of the calls, which are numbered from 1.
    calls: Vec<String>,
    /// Calls by the length and the beginning of their prompts.
    prompts: HashMap<(usize, String), VecDeque<NonZeroU16>>,
    /// Calls by the ids of the subagents' lines.
    lines: ShortHashMap<NonZeroU16>,
}

/// Maximum number of calls that are remembered. Their numbers have 16 bits.
const MAX_CALLS: usize = 32 * 1024;
/// Maximum number of characters of a prompt that are compared.
const MAX_PROMPT: usize = 256;

fn prompt_key(prompt: &str) -> (usize, String) {
    (prompt.len(), prompt.chars().take(MAX_PROMPT).collect())
}

impl SidechainCalls {
    /// Adds a tool call of the main thread.
    pub fn started(&mut self, block: Node<'_, '_>, input: Node<'_, '_>) {
        let is_task = |name: Node<'_, '_>| name.is_text("Task") || name.is_text("Agent");
        if !block.member("name").is_some_and(is_task) || self.calls.len() >= MAX_CALLS {
            return;
        }
        let text = |node: Option<Node<'_, '_>>| node.and_then(Node::text).map(Text::into_owned);
        if let (Some(call), Some(prompt)) = (text(block.member("id")), text(input.member("prompt")))
            && let Some(number) = u16::try_from(self.calls.len() + 1).ok().and_then(NonZeroU16::new)
        {
            self.calls.push(call);
            self.prompts.entry(prompt_key(&prompt)).or_default().push_back(number);
        }
    }

    /// Adds a line of a subagent. Returns the call that started it.
    pub fn line(
        &mut self,
        id: Option<Node<'_, '_>>,
        parent: Option<Node<'_, '_>>,
        content: Option<Node<'_, '_>>,
    ) -> Option<NonZeroU16> {
        if self.calls.is_empty() {
            return None;
        }
        let call = match parent.and_then(Node::text) {
            Some(parent) => self.lines.get(ShortHash::new(&*parent)).copied(),
            None => {
                let first = content.and_then(|content| match content.kind() {
                    Kind::Array => content.elements().next()?.member("text")?.text(),
                    _ => content.text(),
                });
                self.prompts.get_mut(&prompt_key(&first?))?.pop_front()
            }
        }?;
        if let Some(id) = id.and_then(Node::text) {
            self.lines.insert(ShortHash::new(&*id), call);
        }
        Some(call)
    }

    /// Frees the memory that only the first pass needs.
    pub fn end(&mut self) {
        self.prompts = HashMap::new();
        self.lines = ShortHashMap::default();
    }

    /// Returns the id of a call.
    pub fn call(&self, number: NonZeroU16) -> Option<&str> {
        self.calls.get(usize::from(number.get()) - 1).map(String::as_str)
    }
}
