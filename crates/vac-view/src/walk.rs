//! From entries to deeds: what somebody said or did, each told once.
//!
//! Children are deeds of their own, with the id and the time of the entry they are in
//! where they have none. Of a message of the model, reasoning comes first, then the text,
//! then the calls; of one of the user, tool results come before the text.

use std::rc::Rc;

use vac_adapter::Error;
use vac_record::{
    AbstractTimestamp, Any, Entry, EventEntry, MessageEntry, MessageEntryType, ToolResultEntry,
};

use vac_value::{Document, IntoOwned, Kind};

use crate::agent::Agent;
use crate::aside::{Aside, Superseded};
use crate::calls::Calls;
use crate::cursor_text;
use crate::entry::{self, Native, common};
use crate::outcome::Outcome;
use crate::prompt::{Author, Prompt};
use crate::said::Said;
use crate::status::{Course, Status};

/// What somebody said or did.
pub(crate) struct Deed<'e, 'a> {
    /// The id of its entry, or of the one around that.
    pub entry_id: Option<&'e str>,
    /// The time of its entry, or of the one around that.
    pub timestamp: Option<&'e AbstractTimestamp<'a>>,
    /// Why it stands aside, if it does.
    pub aside: Option<Aside>,
    /// Which subagent did it, if one did.
    pub subagent: Option<&'e Subagent>,
    /// How it stopped being part of the conversation, if it did.
    pub superseded: Option<&'e Superseded>,
    /// What it is.
    pub what: What<'e, 'a>,
}

/// What somebody said or did.
pub(crate) enum What<'e, 'a> {
    Prompt {
        said: Said,
        author: Author,
    },
    AssistantText {
        said: Said,
        model: Option<&'e str>,
    },
    Reasoning {
        said: Said,
        subject: Option<&'e str>,
        is_encrypted: bool,
    },
    Call {
        tool: &'e str,
        call_id: Option<&'e str>,
        input: Input<'e, 'a>,
        outcome: Option<Outcome>,
    },
    Result {
        tool: Option<Rc<str>>,
        call_id: Option<&'e str>,
        output: &'e Any<'a>,
        outcome: Outcome,
    },
}

/// What a tool was called with.
pub(crate) enum Input<'e, 'a> {
    /// As it stands.
    AsIs(&'e Any<'a>),
    /// The object that a text is.
    Object(Any<'static>),
}

impl Input<'_, '_> {
    pub fn any(&self) -> &Any<'_> {
        match self {
            Self::AsIs(any) => any,
            Self::Object(any) => any,
        }
    }
}

/// A subagent, by its id if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent(pub Option<String>);

/// Takes deeds.
pub(crate) type Tell<'t> = dyn FnMut(Deed<'_, '_>) -> Result<(), Error> + 't;

/// Goes through the entries of a session.
#[derive(Debug)]
pub(crate) struct Walk {
    agent: Agent,
    calls: Calls,
    course: Course,
}

/// What is known of an entry from those around it.
#[derive(Clone, Copy)]
struct Around<'e, 'a> {
    id: Option<&'e str>,
    timestamp: Option<&'e AbstractTimestamp<'a>>,
    aside: Option<Aside>,
    subagent: Option<&'e Subagent>,
    superseded: Option<&'e Superseded>,
    is_inside: bool,
}

impl<'e, 'a> Around<'e, 'a> {
    fn deed(self, what: What<'e, 'a>) -> Deed<'e, 'a> {
        Deed {
            entry_id: self.id,
            timestamp: self.timestamp,
            aside: self.aside,
            subagent: self.subagent,
            superseded: self.superseded,
            what,
        }
    }

    fn is_subagent(self) -> bool {
        self.subagent.is_some()
    }

    /// Whether it has a say in how the session ended.
    fn counts(self) -> bool {
        self.aside.is_none() && self.superseded.is_none()
    }
}

impl Walk {
    pub fn new(agent: Agent) -> Self {
        Self { agent, calls: Calls::default(), course: Course::new(agent) }
    }

    /// How the session ended, if this was all.
    pub fn status(&self) -> Status {
        self.course.status()
    }

    /// Tells the deeds of an entry and its children.
    pub fn entry(&mut self, entry: &Entry<'_>, tell: &mut Tell<'_>) -> Result<(), Error> {
        let native = common(entry).native;
        let subagent = subagent(self.agent, native);
        let superseded = Superseded::of(native);
        let around = Around {
            id: None,
            timestamp: None,
            aside: None,
            subagent: subagent.as_ref(),
            superseded: superseded.as_ref(),
            is_inside: false,
        };
        self.visit(entry, around, tell)
    }

    fn visit<'e, 'a>(
        &mut self,
        entry: &'e Entry<'a>,
        around: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        let own = common(entry);
        let here = Around {
            id: own.id.or(around.id),
            timestamp: own.timestamp.or(around.timestamp),
            aside: around.aside.or_else(|| Aside::of(own.native)),
            ..around
        };
        let inside = Around { is_inside: true, ..here };
        match entry {
            Entry::Message(message) => return self.message(message, here, tell),
            Entry::ToolCall(call) => {
                self.model(here, own.native, None, false);
                self.calls.call(call.call_id.as_deref(), &call.name);
                if here.counts() {
                    self.course.call(here.is_subagent(), &call.name);
                }
                tell(here.deed(What::Call {
                    tool: &call.name,
                    call_id: call.call_id.as_deref(),
                    input: input(&call.input),
                    outcome: Outcome::of_call(own.native),
                }))?;
            }
            Entry::ToolResult(result) => self.result(result, here, tell)?,
            Entry::Reasoning(reasoning) => {
                self.model(here, own.native, None, false);
                let said = Said::of(&reasoning.content);
                let is_encrypted = reasoning.encrypted.is_some()
                    || (said.text.is_empty() && own.native.get("signature").is_some());
                let subject = reasoning.subject.as_deref();
                tell(here.deed(What::Reasoning { said, subject, is_encrypted }))?;
            }
            Entry::Event(event) => self.event(event, here),
        }
        self.children(own.children.iter(), inside, tell)
    }

    fn children<'e, 'a: 'e>(
        &mut self,
        children: impl Iterator<Item = &'e Entry<'a>>,
        around: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        for child in children {
            self.visit(child, around, tell)?;
        }
        Ok(())
    }

    fn message<'e, 'a>(
        &mut self,
        message: &'e MessageEntry<'a>,
        here: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        match message.kind {
            MessageEntryType::User => {
                let children = message.children.as_deref().unwrap_or_default();
                let inside = Around { is_inside: true, ..here };
                self.children(children.iter(), inside, tell)?;
                self.prompt(message, here, tell)
            }
            MessageEntryType::Assistant => self.answer(message, here, tell),
        }
    }

    fn answer<'e, 'a>(
        &mut self,
        message: &'e MessageEntry<'a>,
        mut here: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        let children = message.children.as_deref().unwrap_or_default();
        let inside = Around { is_inside: true, ..here };
        let native = &message.extensions;
        if self.agent == Agent::Claude && is_of_the_program(native) {
            if here.counts() && entry::is_true(native, "isApiErrorMessage") {
                self.course.verdict(here.is_subagent(), Status::Failure);
            }
            here.aside = here.aside.or(Some(Aside::Synthetic));
        }
        self.model(here, native, message.id.as_deref(), true);
        let failed = entry::text(native, &["error", "name"]);
        if let (Agent::OpenCode, true, Some(error)) = (self.agent, here.counts(), failed) {
            let is_stopped = error == "MessageAbortedError";
            let status = if is_stopped { Status::Interrupted } else { Status::Failure };
            self.course.verdict(here.is_subagent(), status);
        }
        let is_thought = |child: &&Entry<'_>| matches!(child, Entry::Reasoning(_));
        self.children(children.iter().filter(is_thought), inside, tell)?;
        let said = message.content.as_ref().map(|content| self.said(content, children));
        let said = said.filter(|said| !said.is_nothing());
        if let Some(said) = said {
            let model = message.model_id.as_deref();
            tell(here.deed(What::AssistantText { said, model }))?;
        }
        self.children(children.iter().filter(|child| !is_thought(child)), inside, tell)
    }

    /// What the model says in a message with these children.
    fn said(&self, content: &Any<'_>, children: &[Entry<'_>]) -> Said {
        let mut said = Said::of(content);
        let is_text = || content.document().is_ok_and(|it| it.root().kind() == Kind::Text);
        if self.agent == Agent::Cursor && !children.is_empty() && is_text() {
            said.text = cursor_text::spoken(&said.text);
        }
        said
    }

    fn prompt<'e, 'a>(
        &mut self,
        message: &'e MessageEntry<'a>,
        mut here: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        let Some(content) = &message.content else { return Ok(()) };
        let Prompt { said, author } = Prompt::of(self.agent, content, &message.extensions);
        let is_answer = |child: &Entry<'_>| matches!(child, Entry::ToolResult(_));
        let answers = message.children.iter().flatten().any(is_answer);
        // What stands beside a tool's answer and is no text belongs to the answer.
        if said.is_nothing() || (answers && said.text.trim().is_empty()) {
            return Ok(());
        }
        if here.counts() {
            self.course.prompt(here.is_subagent(), author);
        }
        if matches!(author, Author::Program | Author::Interruption) {
            here.aside = here.aside.or(Some(Aside::Synthetic));
        }
        tell(here.deed(What::Prompt { said, author }))
    }

    fn result<'e, 'a>(
        &mut self,
        result: &'e ToolResultEntry<'a>,
        here: Around<'e, 'a>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        let call_id = result.call_id.as_deref();
        let call = self.calls.answered(call_id);
        let before = call.as_ref().and_then(|call| call.outcome);
        let outcome = Outcome::of_result(self.agent, result, before);
        let stated = || {
            let name = |path: &&[&str]| entry::text(&result.extensions, path);
            [&["functionResponse", "name"][..], &["payload", "name"], &["name"]]
                .iter()
                .find_map(name)
        };
        let tool = call.and_then(|call| call.tool).or_else(|| stated().map(Rc::from));
        if here.counts() {
            self.course.result(here.is_subagent(), outcome);
        }
        tell(here.deed(What::Result { tool, call_id, output: &result.output, outcome }))
    }

    /// Something of the model: it may begin a step.
    fn model(
        &mut self,
        here: Around<'_, '_>,
        native: &Native<'_>,
        id: Option<&str>,
        is_message: bool,
    ) {
        if here.is_inside || !here.counts() {
            return;
        }
        let key = match self.agent {
            Agent::Claude => entry::text(native, &["message", "id"]),
            Agent::OpenCode => {
                entry::text(native, &["messageID"]).or_else(|| id.map(str::to_owned))
            }
            _ => None,
        };
        self.course.model(here.is_subagent(), key, is_message);
    }

    fn event(&mut self, event: &EventEntry<'_>, here: Around<'_, '_>) {
        if let Some((id, outcome)) = Outcome::of_event(event) {
            self.calls.ended(&id, outcome);
        }
        if !here.counts() {
            return;
        }
        let course = &mut self.course;
        let is_subagent = here.is_subagent();
        match (self.agent, &*event.event_type) {
            (Agent::Gemini, "info" | "warning") => course.program(is_subagent),
            (Agent::Gemini | Agent::Cursor, "error") | (Agent::Codex, "event_msg/error") => {
                course.verdict(is_subagent, Status::Failure);
            }
            (Agent::Codex, "event_msg/turn_aborted") => {
                course.verdict(is_subagent, Status::Interrupted);
            }
            (Agent::OpenCode, "step-start") => course.step(is_subagent),
            (Agent::Cursor, kind) if kind == "turn_ended" || is_final(kind) => {
                if let Some(status) = said_outright(event) {
                    course.verdict(is_subagent, status);
                }
            }
            _ => {}
        }
    }
}

/// What a tool was called with. Some agents write objects as text.
fn input<'e, 'a>(input: &'e Any<'a>) -> Input<'e, 'a> {
    let object = || {
        let document = input.document().ok()?;
        let text = document.root().text()?;
        let inside = Document::json(text.as_bytes()).ok()?;
        let is_object = inside.root().kind() == Kind::Map && inside.duplicate_keys().len() == 0;
        is_object.then(|| inside.root().carry().into_owned())
    };
    object().map_or(Input::AsIs(input), Input::Object)
}

/// Whether an event of Cursor ends a session.
pub(crate) fn is_final(kind: &str) -> bool {
    kind == "result" || kind.starts_with("result/")
}

/// What an event that ends a turn says.
fn said_outright(event: &EventEntry<'_>) -> Option<Status> {
    let data = event.data.as_ref()?;
    if entry::is_true(data, "is_error") {
        return Some(Status::Failure);
    }
    match &*entry::text(data, &["status"])? {
        "success" | "completed" => Some(Status::Success),
        "error" | "failed" => Some(Status::Failure),
        "aborted" | "cancelled" | "canceled" | "interrupted" => Some(Status::Interrupted),
        _ => None,
    }
}

/// Whether a message in the model's place is not the model's.
fn is_of_the_program(native: &Native<'_>) -> bool {
    entry::is_true(native, "isApiErrorMessage")
        || entry::text(native, &["message", "model"]).is_some_and(|model| model == "<synthetic>")
}

/// The subagent that an entry is of.
fn subagent(agent: Agent, native: &Native<'_>) -> Option<Subagent> {
    (agent == Agent::Claude && entry::is_true(native, "isSidechain"))
        .then(|| Subagent(entry::text(native, &["agentId"])))
}
