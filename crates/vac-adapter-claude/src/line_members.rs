//! Reads the members of a line that detection and the first pass need, in one pass over its keys.

use vac_adapter::{Confidence, Fit};
use vac_value::{Kind, Node};

use crate::known;

/// The members of a line.
#[derive(Default)]
pub(crate) struct LineMembers<'d, 'a> {
    pub session: Option<Node<'d, 'a>>,
    /// The session, if the line names it as logs do.
    pub logged_session: Option<Node<'d, 'a>>,
    pub cwd: Option<Node<'d, 'a>>,
    pub version: Option<Node<'d, 'a>>,
    pub branch: Option<Node<'d, 'a>>,
    pub forked: Option<Node<'d, 'a>>,
    pub plan: Option<Node<'d, 'a>>,
    pub timestamp: Option<Node<'d, 'a>>,
    pub kind: Option<Node<'d, 'a>>,
    pub id: Option<Node<'d, 'a>>,
    pub parent: Option<Node<'d, 'a>>,
    pub agent: Option<Node<'d, 'a>>,
    pub message: Option<Node<'d, 'a>>,
    /// The members of its message.
    pub said: MessageMembers<'d, 'a>,
    pub attachment: Option<Node<'d, 'a>>,
    pub operation: Option<Node<'d, 'a>>,
    pub subtype: Option<Node<'d, 'a>>,
    pub sidechain: Option<Node<'d, 'a>>,
    pub stream_call: Option<Node<'d, 'a>>,
    pub mode: Option<Node<'d, 'a>>,
    pub retracted: [Option<Node<'d, 'a>>; 2],
    pub supersedes: Option<Node<'d, 'a>>,
    pub content: Option<Node<'d, 'a>>,
    pub result: Option<Node<'d, 'a>>,
    pub data: Option<Node<'d, 'a>>,
    pub parent_call: Option<Node<'d, 'a>>,
    keys: Keys,
}

/// Keys that identify the program that wrote a line.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is whether the line has a key")]
struct Keys {
    /// Whether the line has a key that only lines of a session's log have.
    is_logged: bool,
    has_stream_session: bool,
    has_stream_version: bool,
    /// Whether the line has a key that only Qwen Code writes.
    is_qwen: bool,
}

/// The members of a message of the API.
#[derive(Clone, Copy, Default)]
pub(crate) struct MessageMembers<'d, 'a> {
    pub id: Option<Node<'d, 'a>>,
    pub model: Option<Node<'d, 'a>>,
    pub usage: Option<Node<'d, 'a>>,
    pub content: Option<Node<'d, 'a>>,
    /// The parts of a message of Gemini CLI or Qwen Code.
    parts: Option<Node<'d, 'a>>,
}

impl<'d, 'a> MessageMembers<'d, 'a> {
    fn read(message: Node<'d, 'a>) -> Self {
        let mut members = Self::default();
        for (key, value) in message.members() {
            let Some(key) = key.text() else { continue };
            let place = match &*key {
                "id" => &mut members.id,
                "model" => &mut members.model,
                "usage" => &mut members.usage,
                "content" => &mut members.content,
                "parts" => &mut members.parts,
                _ => continue,
            };
            *place = Some(value);
        }
        members
    }
}

impl<'d, 'a> LineMembers<'d, 'a> {
    /// Reads the members of a line. A line that is not an object has none.
    pub fn read(line: Node<'d, 'a>) -> Self {
        let mut members = Self::default();
        for (key, value) in line.members() {
            let Some(key) = key.text() else { continue };
            let place = match &*key {
                "type" => &mut members.kind,
                "uuid" => &mut members.id,
                "parentUuid" => {
                    members.keys.is_logged = true;
                    &mut members.parent
                }
                "agentId" => &mut members.agent,
                "message" => &mut members.message,
                "attachment" => &mut members.attachment,
                "operation" => &mut members.operation,
                "subtype" => &mut members.subtype,
                "isSidechain" => &mut members.sidechain,
                "parent_tool_use_id" => &mut members.stream_call,
                "permissionMode" => &mut members.mode,
                "retracted_message_uuids" | "retractedMessageUuids" => &mut members.retracted[0],
                "refused_user_message_uuid" | "refusedUserMessageUuid" => &mut members.retracted[1],
                "supersedes" => &mut members.supersedes,
                "content" => &mut members.content,
                "toolUseResult" => &mut members.result,
                "data" => &mut members.data,
                "parentToolUseID" => &mut members.parent_call,
                "planContent" => &mut members.plan,
                "forkedFrom" => &mut members.forked,
                "timestamp" => &mut members.timestamp,
                "sessionId" => {
                    members.keys.is_logged = true;
                    members.logged_session = Some(value);
                    &mut members.session
                }
                "session_id" => {
                    members.keys.has_stream_session = true;
                    &mut members.session
                }
                "cwd" => &mut members.cwd,
                "version" => &mut members.version,
                "claude_code_version" => {
                    members.keys.has_stream_version = true;
                    &mut members.version
                }
                "gitBranch" => &mut members.branch,
                "leafUuid" | "isSnapshotUpdate" => {
                    members.keys.is_logged = true;
                    continue;
                }
                "systemPayload" | "toolCallResult" | "usageMetadata" => {
                    members.keys.is_qwen = true;
                    continue;
                }
                _ => continue,
            };
            *place = Some(value);
        }
        if let Some(message) = members.message {
            members.said = MessageMembers::read(message);
        }
        members
    }

    /// Returns the reason why a line with the envelope of Claude Code is one of a fork with another
    /// content.
    fn contradiction(&self) -> Option<&'static str> {
        if self.said.parts.is_some() {
            return Some("message-parts");
        }
        self.keys.is_qwen.then_some("qwen-member")
    }

    /// Returns the verdict on the line with these members.
    pub fn fit(&self, line: Node<'_, '_>) -> Fit {
        if line.kind() != Kind::Map {
            return Fit::unknown(line);
        }
        if let Some(reason) = self.contradiction() {
            return Fit::Contradicts(reason);
        }
        let keys = &self.keys;
        let kind = self.kind.and_then(Node::text);
        if !kind.is_some_and(|kind| known::line(&kind)) {
            // New types appear with every release. Lines of a journal name only their agent.
            let is_named = keys.is_logged || keys.has_stream_session || self.agent.is_some();
            return if is_named && self.kind.is_some() { Fit::Neutral } else { Fit::unknown(line) };
        }
        let is_message = self.said.content.is_some();
        let has_stream_key = self.stream_call.is_some() || keys.has_stream_version;
        // Returns the confidence that a line of a capture gives. Captures of other agents are very
        // similar.
        if keys.is_logged || keys.has_stream_session && has_stream_key {
            Fit::Fits(Confidence::Certain)
        } else if is_message && self.timestamp.is_some() {
            Fit::Fits(Confidence::Likely)
        } else if is_message {
            Fit::Fits(Confidence::Possible)
        } else {
            Fit::unknown(line)
        }
    }
}
