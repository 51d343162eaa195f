//! The members that lines of all types have.
//!
//! | native key | where it goes |
//! |---|---|
//! | `uuid` | `id` |
//! | `parentUuid` | `parent-id` |
//! | `timestamp` | `timestamp` |
//! | `type` | the type of a message; `event-type` of an event, which also keeps it |
//! | `subtype`, `operation`, `data.type`, `attachment.type` | the second part of `event-type`; kept |
//! | `sessionId`, `session_id`, `cwd`, `version`, `gitBranch` | the session, where they are the same there; else kept |
//! | `isMeta`, `isCompactSummary`, `isVisibleInTranscriptOnly`, `isSynthetic`, `planContent`, `origin`, `promptSource` | `vac.author`; kept |
//! | `isSidechain`, `agentId`, `parent_tool_use_id` | `vac.subagent`; kept |
//! | `forkedFrom` | `vac.inherited`; kept |
//! | all others | kept under their name |

use vac_adapter::members::{Rest, put, sift};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Node, Text};

use crate::session_defaults::SessionDefaults;

/// A line, read in one pass.
#[derive(Default)]
pub(crate) struct Envelope<'d, 'a> {
    pub id: Option<Text<'a>>,
    /// The id of the line that it follows: text.
    pub parent: Option<Node<'d, 'a>>,
    pub timestamp: Option<AbstractTimestamp<'a>>,
    /// The member that was asked for.
    pub body: Option<Node<'d, 'a>>,
    /// The line's type, which is among the rest if the entry does not state it.
    pub kind: Option<Node<'d, 'a>>,
    /// The line's subtype; always among the rest.
    pub subtype: Option<Node<'d, 'a>>,
    /// The session that it names.
    pub session: Option<Node<'d, 'a>>,
    /// Where a fork copied it from.
    pub forked_from: Option<Node<'d, 'a>>,
    /// Whether the program states that it wrote the text: `isMeta`, `isCompactSummary`,
    /// `isVisibleInTranscriptOnly`, `isSynthetic`.
    pub is_meta: bool,
    /// `origin.kind`.
    pub origin: Option<Text<'a>>,
    /// `promptSource`.
    pub prompt_source: Option<Text<'a>>,
    pub is_api_error: bool,
    /// Whether a subagent wrote it.
    pub is_sidechain: bool,
    /// The subagent.
    pub agent: Option<Text<'a>>,
    /// The call that started the subagent: `parent_tool_use_id`, `parentToolUseID`.
    pub parent_call: Option<Text<'a>>,
    /// What the program keeps of the result of a tool.
    pub tool_use_result: Option<Node<'d, 'a>>,
    /// Everything else.
    pub rest: Rest<'a>,
}

/// Which members of a line have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// The names that what is left must not be mistaken for.
    pub named: &'w [&'w str],
    /// The type, if the entry states it.
    pub kind: Option<&'w str>,
    /// The member that contains what the line says, if it is wanted alone.
    pub body: Option<&'w str>,
}

impl<'d: 'a, 'a> Envelope<'d, 'a> {
    pub fn parse(line: Node<'d, 'a>, wanted: Wanted<'_>, defaults: &SessionDefaults) -> Self {
        let mut envelope = Self::default();
        let rest = sift(line, wanted.named, |key, value| match key {
            "uuid" => put(&mut envelope.id, value.text()),
            "parentUuid" => put(&mut envelope.parent, value.text().map(|_| value)),
            "timestamp" => put(&mut envelope.timestamp, AbstractTimestamp::from_node(value).ok()),
            "type" => {
                envelope.kind = Some(value);
                wanted.kind.is_some_and(|kind| value.is_text(kind))
            }
            key if wanted.body == Some(key) => put(&mut envelope.body, Some(value)),
            "sessionId" | "session_id" => {
                envelope.session = Some(value);
                defaults.has(key, value)
            }
            key => {
                envelope.note(key, value);
                defaults.has(key, value)
            }
        });
        envelope.rest = rest;
        envelope
    }

    /// Reads a member that is kept.
    pub fn note(&mut self, key: &str, value: Node<'d, 'a>) {
        match key {
            "subtype" | "operation" => self.subtype = Some(value),
            "data" | "attachment" => {
                self.subtype = self.subtype.or_else(|| value.member("type"));
            }
            "isMeta" | "isCompactSummary" | "isVisibleInTranscriptOnly" | "isSynthetic" => {
                self.is_meta |= value.bool() == Some(true);
            }
            // The text is the plan of the model, which the user approved.
            "planContent" => self.is_meta |= value.text().is_some(),
            "origin" => self.origin = value.member("kind").and_then(Node::text),
            "promptSource" => self.prompt_source = value.text(),
            "isApiErrorMessage" => self.is_api_error = value.bool() == Some(true),
            "isSidechain" => self.is_sidechain |= value.bool() == Some(true),
            "agentId" => self.agent = value.text(),
            "parentToolUseID" => self.parent_call = value.text(),
            "parent_tool_use_id" => {
                self.parent_call = value.text();
                self.is_sidechain |= self.parent_call.is_some();
            }
            "toolUseResult" | "tool_use_result" => self.tool_use_result = Some(value),
            "forkedFrom" => self.forked_from = Some(value),
            _ => {}
        }
    }
}
