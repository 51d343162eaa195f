//! Reads entries and their children as a flat sequence of events.
//!
//! A child without an id or a time has those of its parent. For a message of the model, the order
//! is reasoning, text, calls and results; for a message of the user, tool results come before the
//! text.

use vac_adapter::message_text::MessageText;
use vac_adapter::tools::{Target, ToolTable};
use vac_adapter::{Adapter, Error, annotation, prompt};
use vac_record::annotations::{Action, Category, EntryAnnotations, Outcome, Permission, Usage};
use vac_record::{
    Any, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Document, IntoOwned, Kind, Node};

use crate::author::MessageAuthor;
use crate::context::{Context, Position};
use crate::event::EventKind;
use crate::recent_calls::RecentCalls;
use crate::status::{Ended, Status, StatusTracker};

/// A visitor of entries and their events.
pub trait EntryVisitor {
    /// Receives each entry, before its events.
    fn entry(&mut self, entry: &Entry<'_>, annotations: &EntryAnnotations<'_>, context: &Context);

    /// Returns whether the visitor needs the texts of tool results. They are most of the bytes of a
    /// record, and facts do not need them.
    fn needs_result_texts(&self) -> bool {
        true
    }

    /// Receives each event.
    fn event(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Result<(), Error>;
}

/// Reads the entries of a session in their order.
pub struct EntryReader {
    adapter: Option<&'static dyn Adapter>,
    calls: RecentCalls,
    status: StatusTracker,
    /// The number of entries that were read, without children.
    count: usize,
    /// The number of entries whose annotations are not valid.
    pub invalid_annotations: u64,
}

impl EntryReader {
    /// Creates a reader with the tables of an adapter.
    pub fn new(adapter: Option<&'static dyn Adapter>) -> Self {
        Self {
            adapter,
            calls: RecentCalls::default(),
            status: StatusTracker::new(adapter.map(Adapter::logs_results)),
            count: 0,
            invalid_annotations: 0,
        }
    }

    /// Returns the status of the session if the entries read so far are all of them.
    pub fn status(&self) -> Status {
        self.status.status()
    }

    /// Returns how the session ended if the entries read so far are all of them.
    pub fn ended(&self) -> Ended {
        self.status.ended()
    }

    /// Reads an entry and its children.
    ///
    /// # Errors
    /// If the visitor fails.
    pub fn read(&mut self, entry: &Entry<'_>, visitor: &mut dyn EntryVisitor) -> Result<(), Error> {
        let index = self.count;
        self.count += 1;
        self.read_inside(entry, index, &Context::default(), visitor)
    }

    fn read_inside(
        &mut self,
        entry: &Entry<'_>,
        index: usize,
        around: &Context<'_>,
        visitor: &mut dyn EntryVisitor,
    ) -> Result<(), Error> {
        let annotations = self.annotations(entry);
        let position = Position { index, around: around.position };
        let context = around.enter(entry, &position, &annotations);
        visitor.entry(entry, &annotations, &context);
        let mut reading = Reading { reader: self, annotations: &annotations, context, visitor };
        match entry {
            Entry::Message(message) => match message.kind {
                MessageEntryType::User => reading.user_message(message)?,
                MessageEntryType::Assistant => reading.assistant_message(message)?,
            },
            Entry::ToolCall(call) => reading.call(call)?,
            Entry::ToolResult(result) => reading.result(result)?,
            Entry::Reasoning(reasoning) => reading.reasoning(reasoning)?,
            Entry::Event(event) => {
                reading.permission()?;
                reading.children(event.children.as_deref(), |_| true)?;
            }
        }
        reading.usage(entry)?;
        reading.end(entry);
        Ok(())
    }

    /// Returns the annotations of an entry. Invalid annotations were not written by this program:
    /// they are counted and treated as absent.
    fn annotations<'e>(&mut self, entry: &'e Entry<'_>) -> EntryAnnotations<'e> {
        match annotation::annotations(entry) {
            Ok(annotations) => annotations.unwrap_or_default(),
            Err(_) => {
                self.invalid_annotations += 1;
                EntryAnnotations::default()
            }
        }
    }

    fn tools(&self) -> &'static ToolTable {
        self.adapter.map_or(&ToolTable::EMPTY, Adapter::tools)
    }
}

/// One entry that is being read.
struct Reading<'r, 'v> {
    reader: &'r mut EntryReader,
    annotations: &'r EntryAnnotations<'r>,
    context: Context<'r>,
    visitor: &'r mut (dyn EntryVisitor + 'v),
}

impl Reading<'_, '_> {
    fn emit(&mut self, kind: EventKind<'_>) -> Result<(), Error> {
        self.visitor.event(kind, &self.context)
    }

    fn is_subagent(&self) -> bool {
        self.context.subagent.is_some()
    }

    /// Returns the tracker of the status, if this entry counts for the status.
    fn status(&mut self) -> Option<&mut StatusTracker> {
        self.context.is_in_conversation().then_some(&mut self.reader.status)
    }

    /// Adds an item of the model to the status.
    fn model_item(&mut self, precedes_parts: bool) {
        let is_subagent = self.is_subagent();
        if self.context.is_in_answer {
            return;
        }
        if let Some(status) = self.status() {
            status.model_item(is_subagent, precedes_parts);
        }
    }

    fn children(
        &mut self,
        children: Option<&[Entry<'_>]>,
        is_wanted: impl Fn(&Entry<'_>) -> bool,
    ) -> Result<(), Error> {
        let children = children.into_iter().flatten().enumerate();
        for (index, child) in children.filter(|(_, child)| is_wanted(child)) {
            self.reader.read_inside(child, index, &self.context, self.visitor)?;
        }
        Ok(())
    }

    fn user_message(&mut self, message: &MessageEntry<'_>) -> Result<(), Error> {
        self.permission()?;
        self.children(message.children.as_deref(), |_| true)?;
        let Some(content) = &message.content else { return Ok(()) };
        let author = MessageAuthor::from_annotation(self.annotations.author);
        let text = match (author, self.reader.adapter) {
            (MessageAuthor::User, Some(adapter)) => {
                let rules = adapter.prompt_rules();
                prompt::own_words(content, &message.extensions, rules, &|text, extensions| {
                    adapter.typed(text, extensions)
                })
            }
            _ => MessageText::new(content),
        };
        let is_result = |child: &Entry<'_>| matches!(child, Entry::ToolResult(_));
        let has_result = message.children.iter().flatten().any(is_result);
        // Images and similar content next to a tool result belong to the result.
        if text.is_empty() || (has_result && text.text.trim().is_empty()) {
            return Ok(());
        }
        let is_local_command = self.annotations.local_command == Some(true);
        let is_to_model = match author {
            MessageAuthor::User | MessageAuthor::Unstated => !is_local_command,
            MessageAuthor::OtherAgent => true,
            MessageAuthor::Program | MessageAuthor::Hook | MessageAuthor::Unknown => false,
        };
        let is_subagent = self.is_subagent();
        if let Some(status) = self.status().filter(|_| is_to_model) {
            status.prompt(is_subagent);
        }
        let action = self.annotations.action.as_ref();
        let is_command = action.is_some_and(|action| action.category == Category::Execute);
        let command = is_command.then(|| {
            let command = text.text.trim();
            command.strip_prefix('!').unwrap_or(command).trim_start().to_owned()
        });
        self.emit(EventKind::UserPrompt { text, author, is_local_command, action, command })
    }

    fn assistant_message(&mut self, message: &MessageEntry<'_>) -> Result<(), Error> {
        let author = self.annotations.author.map(|it| MessageAuthor::from_annotation(Some(it)));
        // A message that the program wrote in the model's name does not affect the status.
        if author.is_none() {
            self.model_item(precedes_parts(message));
        }
        self.permission()?;
        let around = self.context;
        self.context.is_in_answer = true;
        let is_reasoning = |child: &Entry<'_>| matches!(child, Entry::Reasoning(_));
        self.children(message.children.as_deref(), is_reasoning)?;
        if let Some(content) = &message.content {
            let mut text = MessageText::new(content);
            let spoken = |adapter: &dyn Adapter| adapter.spoken(message, &text.text);
            if let Some(spoken) = self.reader.adapter.and_then(spoken) {
                text.text = spoken;
            }
            if !text.is_empty() {
                let model = message.model_id.as_deref();
                self.emit(EventKind::AssistantText { text, model, author })?;
            }
        }
        self.children(message.children.as_deref(), |child| !is_reasoning(child))?;
        self.context = around;
        Ok(())
    }

    fn reasoning(&mut self, reasoning: &ReasoningEntry<'_>) -> Result<(), Error> {
        self.model_item(false);
        self.permission()?;
        let text = MessageText::new(&reasoning.content);
        // Reasoning without text is encrypted, or was only signed by the provider.
        let is_encrypted = reasoning.encrypted.is_some() || text.text.is_empty();
        let subject = reasoning.subject.as_deref();
        self.emit(EventKind::Reasoning { text, subject, is_encrypted })?;
        self.children(reasoning.children.as_deref(), |_| true)
    }

    fn call(&mut self, call: &ToolCallEntry<'_>) -> Result<(), Error> {
        self.model_item(false);
        let tools = self.reader.tools();
        let by_table;
        let action: &Action<'_> = match &self.annotations.action {
            Some(action) => action,
            None => {
                by_table = tools.action(&call.name);
                &by_table
            }
        };
        let call_id = call.call_id.as_deref();
        self.reader.calls.insert(call_id, &call.name, action);
        let EntryAnnotations { outcome, exit_code, .. } = *self.annotations;
        let is_subagent = self.is_subagent();
        if let Some(status) = self.status() {
            status.call(is_subagent, outcome);
        }
        let document = call.input.document().ok();
        let object = document.as_ref().and_then(|document| object_in_text(document.root()));
        let input = object.as_ref().unwrap_or(&call.input);
        let inside = object.as_ref().and_then(|object| object.document().ok());
        let target = match inside.or(document) {
            Some(document) => tools.target(&call.name, document.root()),
            None => Target::default(),
        };
        self.emit(EventKind::ToolUse {
            tool: &call.name,
            action,
            call_id,
            target,
            delegated_to: self.annotations.delegated_to.as_deref(),
            input,
            outcome,
            exit_code,
        })?;
        self.permission()?;
        self.children(call.children.as_deref(), |_| true)
    }

    fn result(&mut self, result: &ToolResultEntry<'_>) -> Result<(), Error> {
        self.permission()?;
        let call_id = result.call_id.as_deref();
        let called = self.reader.calls.find(call_id);
        let stated = self.annotations.tool.as_deref();
        let by_table = stated.map(|name| self.reader.tools().action(name));
        let (tool, action) = match &called {
            Some(called) => (Some(&*called.name), Some(&called.action)),
            None => (stated, self.annotations.action.as_ref().or(by_table.as_ref())),
        };
        let outcome = self.annotations.outcome.unwrap_or(match result.is_error {
            Some(true) => Outcome::Error,
            Some(false) => Outcome::Success,
            None => Outcome::Unknown,
        });
        let is_subagent = self.is_subagent();
        if let Some(status) = self.status() {
            status.result(is_subagent, outcome);
        }
        let needs_text = self.visitor.needs_result_texts();
        let text = needs_text.then(|| self.output_text(&result.output)).flatten();
        self.emit(EventKind::ToolResult {
            tool,
            action,
            call_id,
            outcome,
            exit_code: self.annotations.exit_code,
            text,
            output: &result.output,
        })?;
        self.children(result.children.as_deref(), |_| true)
    }

    /// Returns the text of a tool's output, if it has any.
    fn output_text(&self, output: &Any<'_>) -> Option<String> {
        let by_adapter = self.reader.adapter.and_then(|adapter| adapter.result_text(output));
        by_adapter.or_else(|| {
            let text = MessageText::new(output).text;
            (!text.is_empty()).then_some(text)
        })
    }

    fn permission(&mut self) -> Result<(), Error> {
        let Some(permission) = &self.annotations.permission else { return Ok(()) };
        let Permission { decision, by, what, call_id } = permission;
        self.emit(EventKind::Permission {
            decision: *decision,
            by: *by,
            what: what.as_deref(),
            call_id: call_id.as_deref(),
        })
    }

    fn usage(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let message = match entry {
            Entry::Message(message) => Some(message),
            _ => None,
        };
        let stated = message.and_then(|message| message.token_usage.as_ref());
        let cost =
            stated.and_then(|usage| usage.cost.as_ref()).or(self.annotations.stated_cost.as_ref());
        let cost = cost.map(vac_value::Number::to_f64);
        let cost = cost.filter(|cost| cost.is_finite() && *cost != 0.0);
        let usage = self.annotations.usage.as_ref();
        if usage.is_none() && cost.is_none() {
            return Ok(());
        }
        let of_entry = message.and_then(|message| message.model_id.as_deref());
        let model = usage.and_then(|usage| usage.model.as_deref()).or(of_entry);
        let without_model = usage.map(|usage| Usage { model: None, ..usage.clone() });
        self.emit(EventKind::Usage { usage: without_model.as_ref(), model, cost })
    }

    fn end(&mut self, entry: &Entry<'_>) {
        let Some(ending) = self.annotations.ends.as_ref().and_then(|end| end.how) else { return };
        let includes_parts = match entry {
            Entry::Message(message) => {
                message.kind == MessageEntryType::Assistant && precedes_parts(message)
            }
            _ => false,
        };
        let is_subagent = self.is_subagent();
        if let Some(status) = self.status() {
            status.end(is_subagent, ending, includes_parts);
        }
    }
}

/// Returns whether the parts of a message are separate entries after it.
fn precedes_parts(message: &MessageEntry<'_>) -> bool {
    message.content.is_none() && message.children.as_deref().unwrap_or_default().is_empty()
}

/// Returns the object in a text: some agents log the input of tools as the text of an object.
fn object_in_text(input: Node<'_, '_>) -> Option<Any<'static>> {
    let text = input.text()?;
    let inside = Document::json(text.as_bytes()).ok()?;
    let is_object = inside.root().kind() == Kind::Map && inside.duplicate_keys().len() == 0;
    is_object.then(|| inside.root().carry().into_owned())
}
