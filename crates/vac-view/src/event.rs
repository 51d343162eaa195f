//! One event, and how it is written.

use vac_record::{Any, SessionId};
use vac_value::{Encode, EncodeError, Encoder, Encoding, Key, Layout, MapEncoder};

use vac_adapter::tools::{Category, tool};

use crate::aside::{Aside, Superseded};
use crate::moment::{Moment, Shown};
use crate::outcome::Outcome;
use crate::said::{LeftOut, Said};
use crate::status::Status;
use crate::walk::Subagent;

/// One event of a session.
#[derive(Clone, Debug)]
pub struct Event<'e> {
    /// The session's id.
    pub session_id: &'e SessionId<'e>,
    /// The agent's name.
    pub agent: &'e str,
    /// When it happened, if anything tells.
    pub moment: Option<Moment>,
    /// The entry that tells it; `None` for a boundary that is synthesised.
    pub entry_id: Option<&'e str>,
    /// The subagent that did it, if one did.
    pub subagent: Option<&'e Subagent>,
    /// Why it stands aside, if it does.
    pub aside: Option<Aside>,
    /// How it stopped being part of the conversation, if it did.
    pub superseded: Option<&'e Superseded>,
    /// What happened.
    pub what: What<'e>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What<'e> {
    /// A session began.
    SessionStart {
        /// Whether no entry says so.
        synthesised: bool,
        /// The main model, if it is known.
        model: Option<&'e str>,
        /// The version of the agent's program.
        cli_version: Option<&'e str>,
        /// Where it worked.
        working_dir: Option<&'e str>,
    },
    /// The user said something.
    UserPrompt {
        /// What the user said.
        said: Said,
        /// Whether it is a command to the program and not to the model.
        is_command: bool,
    },
    /// The model said something.
    AssistantText {
        /// What it said.
        said: Said,
        /// Which model.
        model: Option<&'e str>,
    },
    /// The model thought.
    Reasoning {
        /// What it thought, as far as that can be read.
        said: Said,
        /// What about.
        subject: Option<&'e str>,
        /// Whether only the provider can read it, or the rest of it.
        is_encrypted: bool,
    },
    /// The model called a tool.
    ToolUse {
        /// The tool's own name.
        tool: &'e str,
        /// What joins call and result.
        call_id: Option<&'e str>,
        /// What it was called with.
        input: &'e Any<'e>,
        /// How it ended, if the call itself says so.
        outcome: Option<Outcome>,
    },
    /// A tool answered.
    ToolResult {
        /// The tool's own name, if the call is known.
        tool: Option<&'e str>,
        /// What joins call and result.
        call_id: Option<&'e str>,
        /// What it answered.
        output: &'e Any<'e>,
        /// How the call ended.
        outcome: Outcome,
    },
    /// A session ended.
    SessionEnd {
        /// Whether no entry says so.
        synthesised: bool,
        /// How.
        status: Status,
    },
}

impl What<'_> {
    /// The event's name in output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session_start",
            Self::UserPrompt { .. } => "user_prompt",
            Self::AssistantText { .. } => "assistant_text",
            Self::Reasoning { .. } => "reasoning",
            Self::ToolUse { .. } => "tool_use",
            Self::ToolResult { .. } => "tool_result",
            Self::SessionEnd { .. } => "session_end",
        }
    }
}

impl Event<'_> {
    /// The event as one line of JSON, without its end. A carried value that JSON has
    /// nothing for is left out.
    pub fn line(&self) -> Vec<u8> {
        let written = |hollow: bool| {
            let mut encoder = Encoder::json(Layout::Compact);
            write(&self.members(hollow), &mut encoder).map(|()| encoder.finish())
        };
        // Only carried values can fail: without them it cannot.
        written(false).or_else(|_| written(true)).unwrap_or_default()
    }

    fn members(&self, hollow: bool) -> Vec<(&'static str, Value<'_>)> {
        let mut members = vec![
            ("event", Value::Text(self.what.name())),
            ("session-id", Value::Id(self.session_id)),
            ("agent", Value::Text(self.agent)),
            ("timestamp", self.moment.as_ref().map_or(Value::Null, |at| Value::Time(&at.shown))),
        ];
        if let Some(derived) = self.moment.as_ref().and_then(|moment| moment.derived) {
            members.push(("timestamp-derived", Value::Text(derived.name())));
        }
        members.push(("entry-id", self.entry_id.map_or(Value::Null, Value::Text)));
        if let Some(Subagent(id)) = self.subagent {
            members.push(("subagent", id.as_deref().map_or(Value::Bool(true), Value::Text)));
        }
        if let Some(aside) = self.aside {
            members.push(("aside", Value::Text(aside.name())));
        } else if let Some(Superseded(word)) = self.superseded {
            members.push(("superseded", word.as_deref().map_or(Value::Bool(true), Value::Text)));
        }
        self.push_particulars(&mut members, hollow);
        members
    }

    fn push_particulars<'e>(&'e self, members: &mut Vec<(&'static str, Value<'e>)>, hollow: bool) {
        match &self.what {
            What::SessionStart { synthesised, model, cli_version, working_dir } => {
                push_flag(members, "synthesised", *synthesised);
                push_text(members, "model", *model);
                push_text(members, "cli-version", *cli_version);
                push_text(members, "working-dir", *working_dir);
            }
            What::UserPrompt { said, is_command } => {
                push_flag(members, "command", *is_command);
                push_said(members, said);
            }
            What::AssistantText { said, model } => {
                push_text(members, "model", *model);
                push_said(members, said);
            }
            What::Reasoning { said, subject, is_encrypted } => {
                push_text(members, "subject", *subject);
                push_said(members, said);
                push_flag(members, "encrypted", *is_encrypted);
            }
            What::ToolUse { tool, call_id, input, outcome } => {
                push_tool(members, Some(tool), *call_id);
                push_text(members, "outcome", outcome.map(Outcome::name));
                push_carried(members, "input", input, hollow);
            }
            What::ToolResult { tool, call_id, output, outcome } => {
                push_tool(members, *tool, *call_id);
                members.push(("outcome", Value::Text(outcome.name())));
                push_carried(members, "output", output, hollow);
            }
            What::SessionEnd { synthesised, status } => {
                push_flag(members, "synthesised", *synthesised);
                members.push(("status", Value::Text(status.name())));
            }
        }
    }
}

type Members<'e> = Vec<(&'static str, Value<'e>)>;

fn push_flag(members: &mut Members<'_>, key: &'static str, value: bool) {
    if value {
        members.push((key, Value::Bool(true)));
    }
}

fn push_text<'e>(members: &mut Members<'e>, key: &'static str, value: Option<&'e str>) {
    members.extend(value.map(|text| (key, Value::Text(text))));
}

fn push_said<'e>(members: &mut Members<'e>, said: &'e Said) {
    members.push(("text", Value::Text(&said.text)));
    if !said.left_out.is_empty() {
        members.push(("left-out", Value::Counts(&said.left_out)));
    }
}

fn push_tool<'e>(members: &mut Members<'e>, name: Option<&'e str>, call_id: Option<&'e str>) {
    let (canonical, category) = name.map_or(("unknown", Category::Other), tool);
    members.push(("tool", name.map_or(Value::Null, Value::Text)));
    members.push(("canonical", Value::Text(canonical)));
    members.push(("category", Value::Text(category.name())));
    members.push(("call-id", call_id.map_or(Value::Null, Value::Text)));
}

fn push_carried<'e>(members: &mut Members<'e>, key: &'static str, any: &'e Any<'e>, hollow: bool) {
    if hollow {
        members.push(("not-json", Value::Text(key)));
    } else {
        members.push((key, Value::Carried(any)));
    }
}

/// What a member of an event can be.
enum Value<'e> {
    Null,
    Bool(bool),
    Text(&'e str),
    Time(&'e Shown),
    Id(&'e SessionId<'e>),
    Counts(&'e LeftOut),
    Carried(&'e Any<'e>),
}

impl Encode for Value<'_> {
    fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
        match self {
            Self::Null => to.null(),
            Self::Bool(value) => to.bool(*value),
            Self::Text(text) => to.text(text),
            Self::Time(Shown::Text(text)) => to.text(text),
            Self::Time(Shown::Number(number)) => to.integer(i128::from(*number)),
            Self::Id(id) => return id.encode(to),
            Self::Counts(counts) => {
                let mut map = MapEncoder::new(to);
                for (kind, count) in *counts {
                    map.extension(Key::Text(kind), count)?;
                }
                return map.end();
            }
            Self::Carried(any) => return any.encode(to),
        }
        Ok(())
    }
}

fn write(members: &[(&'static str, Value<'_>)], to: &mut Encoder) -> Result<(), EncodeError> {
    debug_assert_eq!(to.encoding(), Encoding::Json);
    let mut map = MapEncoder::new(to);
    for (key, value) in members {
        map.member(Key::Text(key), value)?;
    }
    map.end()
}
