//! The facts about a session.

use std::borrow::Cow;
use std::collections::HashSet;

use vac_adapter::adapter::Parent;
use vac_adapter::bare_record::{BareRecord, agent_meta};
use vac_adapter::models::Models;
use vac_adapter::time::Span;
use vac_adapter::{Error, Input, ids, raw};
use vac_record::annotations::Relation;
use vac_record::{AbstractTimestamp, Decode, Environment, VcsContext, VerifiableAgentRecord};
use vac_value::{IntoOwned, Kind, Map, Node};

use crate::line::{BUBBLE, COMPOSER, Capture, Chat, Line, Row};
use crate::{bubble, chat, message};

/// Maximum number of bubbles that are remembered as written by Cursor. Further ones count as the
/// user's.
const MAX_SIMULATED: usize = 1 << 15;

/// The facts about a session that are known so far.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The variant; `None` before a document of a known kind.
    pub variant: Option<&'static str>,
    /// Whether the variant may be replaced by that of a later document.
    is_guess: bool,
    pub session_id: Option<String>,
    /// The start that the session states.
    start: Option<AbstractTimestamp<'static>>,
    end: Option<AbstractTimestamp<'static>>,
    /// The first and the last time of its parts.
    span: Span,
    /// The models in the order of their first answer, with the number of their answers.
    models: Models,
    pub working_dir: Option<String>,
    branch: Option<String>,
    name: Option<String>,
    /// The session that this one came from.
    parent: Option<String>,
    /// Whether another agent wrote the prompts.
    is_subagent: bool,
    /// Whether it answers the prompt of its parent with another model (`isBestOfNSubcomposer`).
    is_best_of: bool,
    /// Ids of the bubbles of the user whose text Cursor wrote.
    simulated: HashSet<String>,
}

impl Facts {
    /// Creates the facts that the folder of an input states: `<parent>/subagents/<id>.jsonl`.
    pub fn new(folder: &str) -> Self {
        let mut names = folder.rsplit('/');
        let is_subagent = names.next() == Some("subagents");
        let parent = names.next().filter(|name| is_subagent && !name.is_empty());
        Self { parent: parent.map(str::to_owned), is_subagent, ..Self::default() }
    }

    /// Adds the facts of a document.
    pub fn add(&mut self, line: Line, node: Node<'_, '_>) {
        let variant = match line {
            Line::Message => {
                self.time(message::timestamp(node).as_ref());
                let is_answer = node.member("role").is_some_and(|role| !role.is_text("user"));
                self.model(text(node, &["model"]), u64::from(is_answer));
                "transcript"
            }
            Line::Event => "transcript",
            Line::Capture(kind) => {
                self.capture(kind, node);
                "stream-json"
            }
            Line::Row(kind) => {
                self.row(kind, node);
                "composer"
            }
            Line::Chat(kind) => {
                self.chat(kind, node);
                "chat"
            }
            Line::Unknown => return self.time(time(node, "timestamp_ms").as_ref()),
        };
        // Captures contain errors, too.
        let is_guess = line == Line::Event;
        if self.variant.is_none() || (self.is_guess && !is_guess) {
            self.variant = Some(variant);
            self.is_guess = is_guess;
        }
    }

    /// Adds the time of a part.
    pub fn time(&mut self, timestamp: Option<&AbstractTimestamp<'_>>) {
        if let Some(timestamp) = timestamp {
            self.span.add(timestamp);
        }
    }

    fn capture(&mut self, kind: Capture, node: Node<'_, '_>) {
        for (key, value) in node.members() {
            if self.session_id.is_none() && key.is_text("session_id") {
                self.session_id = value.text().map(Cow::into_owned);
            } else if key.is_text("timestamp_ms") {
                self.time(value.uint().map(AbstractTimestamp::Uint).as_ref());
            }
        }
        if kind == Capture::Event {
            set(&mut self.working_dir, node, &["cwd"]);
            self.model(text(node, &["model"]), 1);
        }
    }

    fn row(&mut self, kind: Row, node: Node<'_, '_>) {
        let key = node.member("key").and_then(Node::text).unwrap_or_default();
        let Some(value) = node.member("value") else { return self.row_id(kind, &key) };
        match kind {
            Row::Composer => {
                self.start = self.start.take().or_else(|| time(value, "createdAt"));
                self.end = self.end.take().or_else(|| time(value, "lastUpdatedAt"));
                set(&mut self.name, value, &["name"]);
                set(&mut self.working_dir, value, &["workspaceIdentifier", "uri", "fsPath"]);
                set(&mut self.branch, value, &["createdOnBranch"]);
                self.model(text(value, &["modelConfig", "modelName"]), 0);
                self.composer_parent(value);
                self.add_simulated(value);
                let inside = value.member("conversation").into_iter().flat_map(Node::elements);
                inside.for_each(|bubble| self.bubble(bubble));
            }
            Row::Bubble => self.bubble(value),
        }
        self.row_id(kind, &key);
    }

    /// Adds the parent: the composer that started this one, or whose prompt both answer.
    fn composer_parent(&mut self, value: Node<'_, '_>) {
        set(&mut self.parent, value, &["subagentInfo", "parentComposerId"]);
        set(&mut self.parent, value, &["parentComposerId"]);
        self.is_best_of = value.member("isBestOfNSubcomposer").and_then(Node::bool) == Some(true);
        self.is_subagent |= is_map(value.member("subagentInfo")) && !self.is_best_of;
    }

    /// Adds the bubbles that Cursor wrote, according to the composer's list.
    fn add_simulated(&mut self, value: Node<'_, '_>) {
        let list = value.member("fullConversationHeadersOnly");
        for header in list.into_iter().flat_map(Node::elements) {
            let is_simulated = header.member("grouping").is_some_and(bubble::is_simulated);
            if is_simulated && self.simulated.len() < MAX_SIMULATED {
                self.simulated.extend(text(header, &["bubbleId"]));
            }
        }
    }

    fn row_id(&mut self, kind: Row, key: &str) {
        let id = match kind {
            Row::Composer => key.strip_prefix(COMPOSER),
            Row::Bubble => key.strip_prefix(BUBBLE).and_then(|key| key.split(':').next()),
        };
        if self.session_id.is_none() {
            self.session_id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        }
    }

    fn bubble(&mut self, bubble: Node<'_, '_>) {
        self.time(bubble::timestamp(bubble).as_ref());
        let is_answer = bubble::kind(bubble) == Some(bubble::ASSISTANT);
        self.model(text(bubble, &["modelInfo", "modelName"]), u64::from(is_answer));
    }

    fn chat(&mut self, kind: Chat, node: Node<'_, '_>) {
        let Some(value) = node.member("value") else { return };
        match kind {
            Chat::Meta => {
                set(&mut self.session_id, value, &["agentId"]);
                set(&mut self.parent, value, &["subagentInfo", "parentAgentId"]);
                self.is_subagent |= is_map(value.member("subagentInfo"));
                set(&mut self.name, value, &["name"]);
                set(&mut self.working_dir, value, &["cwd"]);
                let start = || time(value, "createdAt").or_else(|| time(value, "createdAtMs"));
                self.start = self.start.take().or_else(start);
                self.end = self.end.take().or_else(|| time(value, "updatedAtMs"));
                self.model(text(value, &["lastUsedModel"]), 0);
            }
            Chat::Blob => {
                let content = value.member("content");
                self.time(content.and_then(message::time_of_content).as_ref());
                self.model(chat::model(value).map(Cow::into_owned), 1);
            }
        }
    }

    fn model(&mut self, model: Option<String>, answers: u64) {
        let Some(model) = model else { return };
        self.models.add(&model, answers);
    }

    /// Names the session after its file or its bytes, if nothing in it names it.
    pub fn name_after(&mut self, input: &dyn Input) -> Result<(), Error> {
        if self.session_id.is_some() {
            return Ok(());
        }
        let stem = ids::stem(input.name()).filter(|stem| is_uuid(stem));
        self.session_id = Some(match stem {
            Some(stem) => stem.to_owned(),
            None => ids::from_content(input)?,
        });
        Ok(())
    }

    /// Returns whether Cursor wrote the text of a bubble, according to the composer's list.
    pub fn is_simulated(&self, bubble: &str) -> bool {
        self.simulated.contains(bubble)
    }

    /// Returns whether another agent wrote the prompts.
    pub fn is_subagent(&self) -> bool {
        self.is_subagent
    }

    /// Returns the session that this one came from.
    pub fn parent(&self) -> Option<Parent> {
        let relation = if self.is_best_of { Relation::Fork } else { Relation::Subagent };
        Some(Parent { session_id: self.parent.clone()?, relation })
    }

    /// Returns the model if the session has only one.
    pub fn only_model(&self) -> Option<&str> {
        self.models.only()
    }

    /// Returns the session's id; empty before it has a name.
    pub fn id(&self) -> &str {
        self.session_id.as_deref().unwrap_or_default()
    }

    /// Returns the time at which the session began.
    pub fn start(&self) -> Option<AbstractTimestamp<'static>> {
        self.start.clone().or_else(|| self.span.first())
    }

    /// Returns the time at which the session ended; `None` for a transcript, where only prompts
    /// have a time.
    fn end(&self) -> Option<AbstractTimestamp<'static>> {
        match self.variant {
            Some("stream-json" | "composer") => self.end.clone().or_else(|| self.span.last()),
            _ => self.end.clone(),
        }
    }

    /// Returns the record without entries.
    pub fn record(&self) -> VerifiableAgentRecord<'static> {
        let mut extensions = Map::default();
        if let Some(name) = &self.name {
            raw::push(&mut extensions, "name", name.as_str());
        }
        let vcs = self.branch.as_ref().map(|branch| VcsContext {
            kind: "git".into(),
            revision: None,
            branch: Some(branch.clone().into()),
            repository: None,
            extensions: Map::default(),
        });
        let environment = self.working_dir.as_ref().map(|working_dir| Environment {
            working_dir: working_dir.clone().into(),
            vcs: vcs.clone(),
            sandboxes: None,
            extensions: Map::default(),
        });
        BareRecord {
            id: self.id(),
            format: None,
            start: self.start(),
            end: self.end(),
            agent_meta: agent_meta(&self.models, Some("cursor".into()), None),
            environment,
            vcs,
            extensions,
        }
        .record()
    }
}

fn is_map(node: Option<Node<'_, '_>>) -> bool {
    node.is_some_and(|node| node.kind() == Kind::Map)
}

fn set(fact: &mut Option<String>, node: Node<'_, '_>, path: &[&str]) {
    if fact.is_none() {
        *fact = text(node, path);
    }
}

/// Returns the text at a path, if it is not empty.
fn text(node: Node<'_, '_>, path: &[&str]) -> Option<String> {
    let mut node = node;
    for key in path {
        node = node.member(key)?;
    }
    node.text().filter(|text| !text.is_empty()).map(Cow::into_owned)
}

fn time(node: Node<'_, '_>, key: &str) -> Option<AbstractTimestamp<'static>> {
    let value = node.member(key).filter(|value| value.kind() != Kind::Null)?;
    AbstractTimestamp::from_node(value).ok().map(IntoOwned::into_owned)
}

/// Returns whether a name has the form of the ids that Cursor assigns.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
