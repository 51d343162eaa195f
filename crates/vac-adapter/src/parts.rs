//! Reads parts of contents of the Gemini API, which Gemini CLI and its forks log.

pub mod outcome;
pub mod result_text;

use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::annotation::attach;
use crate::entry::{self, Common};
use crate::mapping::Mapping;
use crate::members::{Rest, object};
use crate::provider::UNKNOWN;
use crate::tools::ToolTable;
use crate::{Report, mapping};

use outcome::StatedEnd;

/// The entry that a part becomes, in addition to being in the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A tool call.
    Call,
    /// A tool result.
    Response,
    /// Reasoning.
    Thought,
}

mapping! {
    /// A part of a content, which contains it in any case. A part with `functionCall`,
    /// `functionResponse` or `thought` is also a child of its message.
    pub struct ApiPart<'a>("part"; key, value, kind: PartKind) {
        "functionCall" => "a `tool-call`", take call: Node<'a, 'a> =
            (kind == PartKind::Call && value.kind() == Kind::Map).then_some(value);
        "functionResponse" => "a `tool-result`", take response: Node<'a, 'a> =
            (kind == PartKind::Response && value.kind() == Kind::Map).then_some(value);
        "thought" => "`reasoning`, if it is true",
            stated = kind == PartKind::Thought && value.bool().is_some();
        "text" => "`content` of a `reasoning`; else part of the message's `content`",
            take text: Any<'a> = (kind == PartKind::Thought).then(|| value.carry());
        "inlineData" | "fileData" | "executableCode" | "codeExecutionResult" | "videoMetadata"
        | "thoughtSignature" => "", keep;
    }
}

mapping! {
    /// `functionCall` of a part: a `tool-call`.
    pub struct FunctionCall<'a>("functionCall"; key, value) {
        "name" => "`name`", take name: Text<'a> = value.text();
        "args" => "`input`", take input: Any<'a> = Some(value.carry());
        "id" => "`call-id`; without one, the tool's name and a number",
            take call_id: Text<'a> = value.text();
    }
}

mapping! {
    /// `functionResponse` of a part: a `tool-result`.
    pub struct FunctionResponse<'a>("functionResponse"; key, value) {
        "response" => "`output`, `is-error`, `vac.outcome`",
            take response: Node<'a, 'a> = Some(value);
        "id" => "`call-id`; without one, that of the first call of the tool that waits",
            take call_id: Text<'a> = value.text();
        "name" => "`vac.tool`, if the call is not in the log",
            note name: Text<'a> = value.text();
    }
}

/// Returns whether a response states an error: as `error`, or as `content.error`; `None` if it is
/// not an object.
pub fn failed(response: Node<'_, '_>) -> Option<bool> {
    let has_error =
        |node: Node<'_, '_>| node.member("error").is_some_and(|error| error.kind() != Kind::Null);
    (response.kind() == Kind::Map)
        .then(|| has_error(response) || response.member("content").is_some_and(has_error))
}

/// The mappings of parts.
pub const MAPPINGS: [Mapping; 3] =
    [ApiPart::MAPPING, FunctionCall::MAPPING, FunctionResponse::MAPPING];

/// Returns the kind of entry that a part becomes. `None` for text and data.
pub fn part_kind(part: Node<'_, '_>) -> Option<PartKind> {
    let is_map = |key: &str| part.member(key).is_some_and(|value| value.kind() == Kind::Map);
    if is_map("functionCall") {
        Some(PartKind::Call)
    } else if is_map("functionResponse") {
        Some(PartKind::Response)
    } else {
        let is_thought = part.member("thought").and_then(Node::bool) == Some(true);
        is_thought.then_some(PartKind::Thought)
    }
}

/// Reads the parts of a line, with its time and the tools of the agent.
#[derive(Clone, Copy, Debug)]
pub struct PartReader<'t, 'a> {
    /// The time of the line.
    pub timestamp: Option<&'t AbstractTimestamp<'a>>,
    /// The tools.
    pub tools: &'static ToolTable,
}

impl<'a> PartReader<'_, 'a> {
    /// Returns the entry of a part that has one.
    pub fn child(&self, part: Node<'a, '_>, report: &mut Report) -> Option<Entry<'a>> {
        match part_kind(part) {
            Some(PartKind::Call) => self.tool_call(part, report).map(Entry::ToolCall),
            Some(PartKind::Response) => {
                let it = EntryAnnotations::default();
                self.tool_result(part, None, Rest::default(), it, report).map(Entry::ToolResult)
            }
            Some(PartKind::Thought) => {
                let ApiPart { text, rest, .. } =
                    ApiPart::read(part, &ReasoningEntry::KEYS, PartKind::Thought, report);
                let common =
                    Common { timestamp: self.timestamp.cloned(), id: None, extensions: rest };
                Some(Entry::Reasoning(entry::reasoning(text, None, None, common)))
            }
            None => {
                for key in part.members().filter_map(|(key, _)| key.text()) {
                    if !ApiPart::MAPPING.rows.iter().any(|row| row.keys.contains(&&*key)) {
                        report.unknown_key(ApiPart::MAPPING.object, &key);
                    }
                }
                None
            }
        }
    }

    fn tool_call(&self, part: Node<'a, '_>, report: &mut Report) -> Option<ToolCallEntry<'a>> {
        let ApiPart { call, rest: mut extensions, .. } =
            ApiPart::read(part, &ToolCallEntry::KEYS, PartKind::Call, report);
        let FunctionCall { name, input, call_id, rest } = FunctionCall::read(call?, &[], report);
        extensions.extend(object(rest).map(|rest| ("functionCall".into(), rest)));
        let action = Some(self.tools.action(name.as_deref().unwrap_or(UNKNOWN)));
        let it = EntryAnnotations { action, ..EntryAnnotations::default() };
        attach(&mut extensions, &it);
        let common = Common { timestamp: self.timestamp.cloned(), id: None, extensions };
        Some(entry::tool_call(name, input, call_id, common))
    }

    /// Returns a part with `functionResponse` as a tool result, with these members and annotations.
    /// The remaining members of the part are in its member `part`. `status` is the status of the
    /// call that the log states elsewhere.
    pub fn tool_result(
        &self,
        part: Node<'a, '_>,
        status: Option<Text<'a>>,
        mut extensions: Rest<'a>,
        annotations: EntryAnnotations<'_>,
        report: &mut Report,
    ) -> Option<ToolResultEntry<'a>> {
        let ApiPart { response, rest: mut left, .. } =
            ApiPart::read(part, &["functionResponse"], PartKind::Response, report);
        let FunctionResponse { response, call_id, name, rest } =
            FunctionResponse::read(response?, &[], report);
        left.extend(object(rest).map(|rest| ("functionResponse".into(), rest)));
        extensions.extend(object(left).map(|left| (PART.into(), left)));
        let stated = status.as_deref().map(|status| status != "success");
        let is_error = stated.or_else(|| response.and_then(failed));
        let is_shell = name.as_deref().is_some_and(|name| self.tools.is_shell(name));
        let end = StatedEnd { is_shell, status: status.as_deref(), is_error };
        let EntryAnnotations { outcome, exit_code, permission, .. } =
            outcome::annotations(Some(part), end);
        let it = EntryAnnotations { outcome, exit_code, permission, ..annotations };
        attach(&mut extensions, &it);
        let common = Common { timestamp: self.timestamp.cloned(), id: None, extensions };
        Some(entry::tool_result(response.map(Node::carry), call_id, status, is_error, common))
    }
}

/// The member of a tool result with the remaining members of its part.
pub const PART: &str = "part";
