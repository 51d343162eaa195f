//! The members that lines of all types have.

use vac_adapter::mapping;
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Node, Text};

use crate::session_defaults::SessionDefaults;

/// The members of a line that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// The type of the line, if the entry states it.
    pub kind: Option<&'w str>,
    /// The member with the content of the line, if only that is wanted.
    pub body: Option<&'w str>,
    /// The values of the session, which are not kept on lines that repeat them.
    pub defaults: &'w SessionDefaults,
}

mapping! {
    /// A line of a log. A line that becomes an event may have any other key.
    pub(crate) struct Envelope<'a>("line"; key, value, wanted: Wanted<'_>) {
        "uuid" => "`id`", take id: Text<'a> = value.text();
        "parentUuid" => "`parent-id`",
            take parent: Node<'a, 'a> = value.text().map(|_| value);
        "timestamp" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = AbstractTimestamp::from_node(value).ok();
        "type" => "the type of a message; `event-type` of an event, which also keeps it",
            note kind: Node<'a, 'a> = Some(value),
            unless wanted.kind.is_some_and(|kind| value.is_text(kind));
        "message" | "content" | "data" | "attachment" =>
            "of a message, its content and the remaining members; of an event, `data`",
            take body: Node<'a, 'a> = (wanted.body == Some(key)).then_some(value);
        "sessionId" | "session_id" => "the session's `id`; kept if it is another",
            note session: Node<'a, 'a> = Some(value), unless wanted.defaults.has(key, value);
        "cwd" | "version" | "gitBranch" => "the session's; kept if it is another",
            stated = wanted.defaults.has(key, value);
        "subtype" | "operation" => "second part of `event-type`",
            note subtype: Node<'a, 'a> = Some(value);
        "isMeta" | "isCompactSummary" | "isVisibleInTranscriptOnly" | "isSynthetic" =>
            "`vac.author`", note is_meta: bool = value.bool().filter(|is_meta| *is_meta);
        // The text is the plan of the model, which the user approved.
        "planContent" => "`vac.author`", note plan: Node<'a, 'a> = value.text().map(|_| value);
        "origin" => "`vac.author`",
            note origin: Text<'a> = value.member("kind").and_then(Node::text);
        "promptSource" => "`vac.author`", note prompt_source: Text<'a> = value.text();
        "isApiErrorMessage" => "`vac.author`, `vac.ends`",
            note is_api_error: bool = value.bool().filter(|is_error| *is_error);
        "isSidechain" => "`vac.subagent`",
            note is_sidechain: bool = value.bool().filter(|is_sidechain| *is_sidechain);
        "agentId" => "`vac.subagent.id`", note agent: Text<'a> = value.text();
        "parentToolUseID" => "`vac.subagent.call-id`", note parent_call: Text<'a> = value.text();
        "parent_tool_use_id" => "`vac.subagent.call-id`",
            note streamed_parent_call: Text<'a> = value.text();
        "toolUseResult" | "tool_use_result" => "`vac.outcome`, `vac.exit-code`",
            note tool_use_result: Node<'a, 'a> = Some(value);
        "forkedFrom" => "`vac.inherited`", note forked_from: Node<'a, 'a> = Some(value);
        "userType" | "slug" | "requestId" | "entrypoint" | "sourceToolAssistantUUID" | "effort"
        | "promptId" | "permissionMode" | "thinkingMetadata" | "todos" | "advisorModel"
        | "sourceToolUseID" | "classifierMetaLines" | "error" | "apiErrorStatus" | "apiError"
        | "apiErrorIsTransient" | "errorDetails" | "imagePasteIds" | "attributionAgent"
        | "toolUseID" | "logicalParentUuid" | "isReplay" | "teamName" | "agentName"
        | "interruptedMessageId" | "mcpMeta" | "sourceToolUseResult" | "classifierLines" => "", keep;
        "retracted_message_uuids" | "retractedMessageUuids" | "refused_user_message_uuid"
        | "refusedUserMessageUuid" | "supersedes" =>
            "`vac.superseded` of the messages that it names", keep;
        _ => keep if wanted.kind.is_none();
    }
}

impl Envelope<'_> {
    /// Returns whether the program states that it wrote the text.
    pub fn is_meta(&self) -> bool {
        self.is_meta.is_some() || self.plan.is_some()
    }

    /// Returns whether a subagent wrote the line.
    pub fn is_sidechain(&self) -> bool {
        self.is_sidechain.is_some() || self.streamed_parent_call.is_some()
    }
}
