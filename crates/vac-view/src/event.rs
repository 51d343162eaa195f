//! One event, and its JSON.

use std::collections::BTreeMap;

use vac_adapter::message_text::{LeftOut, MessageText};
use vac_adapter::tools::Target;
use vac_record::annotations::{Action, Decider, Decision, Outcome, Relation, Usage};
use vac_record::{Any, SessionId};
use vac_value::{Encode, EncodeError, Encoder, Encoding, Key, Layout, MapEncoder};

use crate::author::MessageAuthor;
use crate::context::Context;
use crate::event_time::{Derived, EventTime};
use crate::status::{Ended, Status};

/// One event of a session.
#[derive(Clone, Debug)]
pub struct Event<'e> {
    /// The session's id.
    pub session_id: &'e SessionId<'e>,
    /// The agent's name.
    pub agent: &'e str,
    /// The time of the event, if it is known.
    pub time: Option<EventTime>,
    /// The context of the entry that the event was read from.
    pub context: Context<'e>,
    /// The kind of event.
    pub kind: EventKind<'e>,
}

/// The kind of event.
#[derive(Clone, Debug)]
pub enum EventKind<'e> {
    /// A session began.
    SessionStart {
        /// Whether `vac` added the event because no entry of the log states it.
        is_synthesised: bool,
        /// The main model, if it is known.
        model: Option<&'e str>,
        /// The version of the agent's program.
        cli_version: Option<&'e str>,
        /// The working directory.
        working_dir: Option<&'e str>,
        /// The id of the session that this one came from.
        parent: Option<&'e str>,
        /// The relation to that session.
        relation: Option<Relation>,
        /// The labels of the record.
        labels: &'e BTreeMap<String, String>,
    },
    /// A message in the user's name.
    UserPrompt {
        /// The text of the message. If the user wrote it, only what the user typed.
        text: MessageText,
        /// The author.
        author: MessageAuthor,
        /// Whether it is a command for the program, not for the model.
        is_local_command: bool,
        /// The action of the command.
        action: Option<&'e Action<'e>>,
        /// The command line of a shell command.
        command: Option<String>,
    },
    /// A message in the model's name.
    AssistantText {
        /// The text of the message.
        text: MessageText,
        /// The model.
        model: Option<&'e str>,
        /// The author, if it is not the model.
        author: Option<MessageAuthor>,
    },
    /// Reasoning of the model.
    Reasoning {
        /// The text that is not encrypted.
        text: MessageText,
        /// The subject.
        subject: Option<&'e str>,
        /// Whether the reasoning, or a part of it, is encrypted, so that only the provider can read
        /// it.
        is_encrypted: bool,
    },
    /// The model called a tool.
    ToolUse {
        /// The tool's native name.
        tool: &'e str,
        /// The action of the tool.
        action: &'e Action<'e>,
        /// The id that the call and its result share.
        call_id: Option<&'e str>,
        /// The target of the call.
        target: Target,
        /// The session or subagent that the call started.
        delegated_to: Option<&'e str>,
        /// The input.
        input: &'e Any<'e>,
        /// The outcome, if the call itself states it.
        outcome: Option<Outcome>,
        /// The exit code, if the call itself states one.
        exit_code: Option<i128>,
    },
    /// A tool call ended.
    ToolResult {
        /// The tool's native name, if the call is known.
        tool: Option<&'e str>,
        /// The action of the tool, if the call is known.
        action: Option<&'e Action<'e>>,
        /// The id that the call and its result share.
        call_id: Option<&'e str>,
        /// The outcome of the call.
        outcome: Outcome,
        /// The exit code of a command.
        exit_code: Option<i128>,
        /// The text of the output.
        text: Option<String>,
        /// The output.
        output: &'e Any<'e>,
    },
    /// A decision, or a question, about what the agent may do.
    Permission {
        /// The decision.
        decision: Decision,
        /// Who made the decision: the user, a policy, the program or a hook.
        by: Option<Decider>,
        /// The tool, command or mode that it is about.
        what: Option<&'e str>,
        /// The call that it is about.
        call_id: Option<&'e str>,
    },
    /// A request to the model used tokens.
    Usage {
        /// The tokens, in buckets that can be added up.
        usage: Option<&'e Usage<'e>>,
        /// The model.
        model: Option<&'e str>,
        /// The cost that the log states.
        cost: Option<f64>,
    },
    /// A session ended.
    SessionEnd {
        /// Whether `vac` added the event because no entry of the log states it.
        is_synthesised: bool,
        /// How the session ended; failed also if a tool failed in the last step.
        status: Status,
        /// How it ended, apart from failures of tools.
        ended: Ended,
    },
}

impl EventKind<'_> {
    /// Returns the event's name in output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session_start",
            Self::UserPrompt { .. } => "user_prompt",
            Self::AssistantText { .. } => "assistant_text",
            Self::Reasoning { .. } => "reasoning",
            Self::ToolUse { .. } => "tool_use",
            Self::ToolResult { .. } => "tool_result",
            Self::Permission { .. } => "permission",
            Self::Usage { .. } => "usage",
            Self::SessionEnd { .. } => "session_end",
        }
    }

    /// Returns the author of the event's text. `None` for text of the model, and without text.
    pub fn author(&self) -> Option<MessageAuthor> {
        match self {
            Self::UserPrompt { author, .. } => Some(*author),
            Self::AssistantText { author, .. } => *author,
            Self::SessionStart { .. }
            | Self::Reasoning { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::Permission { .. }
            | Self::Usage { .. }
            | Self::SessionEnd { .. } => None,
        }
    }
}

impl Event<'_> {
    /// Returns the event as one line of JSON, without a line end. An input or output that JSON
    /// cannot express is left out, and the member `not-json` names it.
    ///
    /// # Panics
    /// Never: JSON expresses all other members.
    pub fn line(&self) -> Vec<u8> {
        let encode = |with_values: bool| {
            let mut encoder = Encoder::json(Layout::Compact);
            self.members(with_values).write(&mut encoder).map(|()| encoder.finish())
        };
        encode(true)
            .or_else(|_| encode(false))
            .expect("JSON expresses everything but inputs and outputs")
    }

    fn members(&self, with_values: bool) -> Members<'_> {
        let mut members = Members { members: Vec::with_capacity(16), with_values };
        members.text("event", Some(self.kind.name()));
        members.push("session-id", Value::Encoded(self.session_id));
        members.text("agent", Some(self.agent));
        members.text("timestamp", self.time.as_ref().map(|time| &*time.text));
        let derived = self.time.as_ref().and_then(|time| time.derived);
        members.text("timestamp-derived", derived.map(Derived::name));
        members.context(&self.context);
        members.kind(&self.kind);
        members
    }
}

/// Writes the members of an event. Members that come from annotations have the keys and values of
/// these.
struct Members<'e> {
    members: Vec<(&'static str, Value<'e>)>,
    /// Whether to include inputs and outputs.
    with_values: bool,
}

/// The value of a member.
enum Value<'e> {
    True,
    Text(&'e str),
    Integer(i128),
    Float(f64),
    Texts(&'e [String]),
    Counts(&'e LeftOut),
    Labels(&'e BTreeMap<String, String>),
    Encoded(&'e dyn Encode),
}

impl Encode for Value<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        match self {
            Self::True => to.bool(true),
            Self::Text(text) => to.text(text),
            Self::Integer(number) => to.integer(*number),
            Self::Float(number) => to.float(*number)?,
            Self::Texts(texts) => {
                to.begin_array(texts.len());
                for text in *texts {
                    to.element();
                    to.text(text);
                }
                to.end_array();
            }
            Self::Counts(counts) => {
                let mut map = MapEncoder::new(to);
                for (kind, count) in *counts {
                    map.extension(Key::Text(kind), count)?;
                }
                map.end()?;
            }
            Self::Labels(labels) => {
                let mut map = MapEncoder::new(to);
                for (key, value) in *labels {
                    map.extension(Key::Text(key), value)?;
                }
                map.end()?;
            }
            Self::Encoded(value) => value.encode(to)?,
        }
        Ok(())
    }
}

impl<'e> Members<'e> {
    fn push(&mut self, key: &'static str, value: Value<'e>) {
        self.members.push((key, value));
    }

    fn flag(&mut self, key: &'static str, is_set: bool) {
        self.members.extend(is_set.then_some((key, Value::True)));
    }

    fn text(&mut self, key: &'static str, text: Option<&'e str>) {
        self.members.extend(text.map(|text| (key, Value::Text(text))));
    }

    fn encoded<T: Encode>(&mut self, key: &'static str, value: Option<&'e T>) {
        self.members.extend(value.map(|value| (key, Value::Encoded(value))));
    }

    fn integer(&mut self, key: &'static str, number: Option<i128>) {
        self.members.extend(number.map(|number| (key, Value::Integer(number))));
    }

    fn context(&mut self, context: &Context<'e>) {
        self.text("entry-id", context.entry_id);
        self.encoded("subagent", context.subagent);
        self.text("duplicate-of", context.duplicate_of);
        self.encoded("inherited", context.inherited);
        self.encoded("superseded", context.superseded);
    }

    fn message(&mut self, message: &'e MessageText) {
        self.push("text", Value::Text(&message.text));
        if !message.left_out.is_empty() {
            self.push("left-out", Value::Counts(&message.left_out));
        }
    }

    fn action(&mut self, action: Option<&'e Action<'e>>) {
        let Some(action) = action else { return };
        self.push("canonical", Value::Text(&action.tool));
        self.push("category", Value::Text(action.category.as_str()));
        self.text("server", action.server.as_deref());
    }

    /// Writes an input or output.
    fn value(&mut self, key: &'static str, value: &'e Any<'e>) {
        if self.with_values {
            self.push(key, Value::Encoded(value));
        } else {
            self.push("not-json", Value::Text(key));
        }
    }

    fn kind(&mut self, kind: &'e EventKind<'e>) {
        match kind {
            EventKind::SessionStart {
                is_synthesised,
                model,
                cli_version,
                working_dir,
                parent,
                relation,
                labels,
            } => {
                self.flag("synthesised", *is_synthesised);
                self.text("model", *model);
                self.text("cli-version", *cli_version);
                self.text("working-dir", *working_dir);
                self.text("parent", *parent);
                self.text("relation", relation.map(Relation::as_str));
                if !labels.is_empty() {
                    self.push("labels", Value::Labels(labels));
                }
            }
            EventKind::UserPrompt { text, author, is_local_command, action, command } => {
                self.push("author", Value::Text(author.name()));
                self.flag("local-command", *is_local_command);
                self.action(*action);
                self.text("command", command.as_deref());
                self.message(text);
            }
            EventKind::AssistantText { text, model, author } => {
                self.text("author", author.map(MessageAuthor::name));
                self.text("model", *model);
                self.message(text);
            }
            EventKind::Reasoning { text, subject, is_encrypted } => {
                self.text("subject", *subject);
                self.message(text);
                self.flag("encrypted", *is_encrypted);
            }
            EventKind::ToolUse {
                tool,
                action,
                call_id,
                target,
                delegated_to,
                input,
                outcome,
                exit_code,
            } => {
                self.text("tool", Some(tool));
                self.action(Some(action));
                self.text("call-id", *call_id);
                self.text("command", target.command.as_deref());
                if !target.paths.is_empty() {
                    self.push("paths", Value::Texts(&target.paths));
                }
                self.text("host", target.host.as_deref());
                self.text("delegated-to", *delegated_to);
                self.text("outcome", outcome.map(Outcome::as_str));
                self.integer("exit-code", *exit_code);
                self.value("input", input);
            }
            EventKind::ToolResult { tool, action, call_id, outcome, exit_code, text, output } => {
                self.text("tool", *tool);
                self.action(*action);
                self.text("call-id", *call_id);
                self.text("outcome", Some(outcome.as_str()));
                self.integer("exit-code", *exit_code);
                self.text("text", text.as_deref());
                self.value("output", output);
            }
            EventKind::Permission { decision, by, what, call_id } => {
                self.text("decision", Some(decision.as_str()));
                self.text("by", by.map(Decider::as_str));
                self.text("what", *what);
                self.text("call-id", *call_id);
            }
            EventKind::Usage { usage, model, cost } => {
                self.text("model", *model);
                self.encoded("usage", *usage);
                self.members.extend(cost.map(|cost| ("cost", Value::Float(cost))));
            }
            EventKind::SessionEnd { is_synthesised, status, ended } => {
                self.flag("synthesised", *is_synthesised);
                self.text("status", Some(status.name()));
                self.text("ended", Some(ended.name()));
            }
        }
    }

    fn write(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        debug_assert_eq!(to.encoding(), Encoding::Json);
        let mut map = MapEncoder::new(to);
        for (key, value) in &self.members {
            map.member(Key::Text(key), value)?;
        }
        map.end()
    }
}
