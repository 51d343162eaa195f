//! Items: the actions of a session.

use vac_adapter::message_text::MessageText;
use vac_record::annotations::{
    Category, Decider, Decision, Outcome, SupersededHow, UnparsedReason,
};

use crate::author::MessageAuthor;
use crate::context::{EntryPlace, SkipReason};
use crate::diff::FileDiff;

/// One action of a session.
#[derive(Clone, Debug)]
pub struct Item {
    /// The place of its entry in the session.
    pub place: EntryPlace,
    /// The id of its entry.
    pub entry_id: Option<String>,
    /// The time at which it happened, in UTC, if the log states it.
    pub time: Option<String>,
    /// The depth of subagents: 0 for the main thread, 1 for its subagents, and so on.
    pub depth: usize,
    /// The subagent that the item belongs to.
    pub subagent: Option<String>,
    /// The way in which it stopped being part of the conversation.
    pub superseded: Option<SupersededHow>,
    /// The reason why the item is included only with
    /// [`TranscriptOptions::all`](super::TranscriptOptions::all).
    pub skip_reason: Option<SkipReason>,
    /// The kind of item.
    pub kind: ItemKind,
}

impl Item {
    /// Returns the number of bytes of the texts in the item.
    pub(super) fn size(&self) -> usize {
        match &self.kind {
            ItemKind::Prompt { text, .. }
            | ItemKind::Answer { text, .. }
            | ItemKind::Reasoning { text, .. } => text.text.len(),
            ItemKind::Call(call) => {
                let output = call.result.as_ref().map_or(0, |result| result.output.len());
                call.input.len() + output
            }
            ItemKind::Result { result, .. } => result.output.len(),
            ItemKind::Permission { .. } | ItemKind::Compaction | ItemKind::Unparsed { .. } => 0,
        }
    }
}

/// The kind of an item.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A message in the user's name.
    Prompt {
        /// The author.
        author: MessageAuthor,
        /// The text of the message. If the user wrote it, only what the user typed.
        text: MessageText,
        /// The command line, if the user ran a shell command.
        command: Option<String>,
        /// Whether it is a command for the program, not for the model.
        is_local_command: bool,
    },
    /// A message in the model's name.
    Answer {
        /// The author, if it is not the model.
        author: Option<MessageAuthor>,
        /// The text of the message.
        text: MessageText,
        /// The model.
        model: Option<String>,
    },
    /// Reasoning of the model.
    Reasoning {
        /// The text that is not encrypted.
        text: MessageText,
        /// The subject.
        subject: Option<String>,
        /// Whether the reasoning, or a part of it, is encrypted, so that only the provider can read
        /// it.
        is_encrypted: bool,
    },
    /// A tool call, with its result.
    Call(Box<Call>),
    /// A result that came long after its call, or whose call is unknown.
    Result {
        /// The tool's native name, if the call is known.
        tool: Option<String>,
        /// The result.
        result: CallResult,
    },
    /// A decision about what the agent may do.
    Permission {
        /// The decision.
        decision: Decision,
        /// Who made the decision: the user, a policy, the program or a hook.
        by: Option<Decider>,
        /// The tool, command or mode that it is about.
        what: Option<String>,
    },
    /// A summary replaced the conversation so far.
    Compaction,
    /// A part of the log that could not be parsed.
    Unparsed {
        /// The reason.
        reason: UnparsedReason,
    },
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool's native name.
    pub tool: String,
    /// The category of the tool.
    pub category: Category,
    /// The MCP server that provides the tool.
    pub server: Option<String>,
    /// The command line of a shell tool.
    pub command: Option<String>,
    /// Whether the user, not the model, ran the command.
    pub is_of_user: bool,
    /// The paths that the call names.
    pub paths: Vec<String>,
    /// The host of an address in the input.
    pub host: Option<String>,
    /// The changes of an edit, for each file.
    pub edits: Vec<FileDiff>,
    /// The session or subagent that the call started.
    pub delegated_to: Option<String>,
    /// The input as compact JSON; empty if JSON cannot express it.
    pub input: String,
    /// The outcome, if the call itself states it.
    pub outcome: Option<Outcome>,
    /// The exit code, if the call itself states one.
    pub exit_code: Option<i128>,
    /// The result of the call, if there is one.
    pub result: Option<CallResult>,
    /// The call id, which its result has too.
    pub(super) id: Option<String>,
}

impl Call {
    /// Returns how the call ended, if it is known.
    pub fn ending(&self) -> Option<Outcome> {
        self.result.as_ref().map(|result| result.outcome).or(self.outcome)
    }

    /// Returns the exit code of a command.
    pub fn code(&self) -> Option<i128> {
        self.result.as_ref().and_then(|result| result.exit_code).or(self.exit_code)
    }

    /// Returns whether its result may still follow.
    pub(super) fn is_open(&self) -> bool {
        self.result.is_none() && self.outcome.is_none()
    }
}

/// The result of a tool call.
#[derive(Clone, Debug)]
pub struct CallResult {
    /// The place of its entry in the session.
    pub place: EntryPlace,
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The exit code of a command.
    pub exit_code: Option<i128>,
    /// The time at which it ended, in UTC, if the log states it.
    pub time: Option<String>,
    /// The text of the output, or the output as compact JSON if it is not text.
    pub output: String,
}

impl CallResult {
    /// Returns the number of lines of the output.
    pub fn line_count(&self) -> usize {
        self.output.lines().count()
    }
}
