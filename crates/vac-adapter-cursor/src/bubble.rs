//! Converts bubbles of the IDE: messages with reasoning and tool calls of the model.

use vac_adapter::annotation::attach;
use vac_adapter::members::{self, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Author, EntryAnnotations, Usage};
use vac_record::{
    AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType, ReasoningEntry, TokenUsage,
};
use vac_value::{Any, IntoOwned, Kind, Node, Text};

use crate::facts::Facts;
use crate::message::author_annotations;
use crate::{entry, prompt_rules, stored, tool_former_data};

/// The members of a bubble that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    id: &'w str,
    is_assistant: bool,
}

mapping! {
    /// A bubble of a composer: a message.
    pub(crate) struct Bubble<'a>("bubble"; key, value, wanted: Wanted<'_>) {
        "type" => "the entry's type: 1 is `user`, 2 is `assistant`",
            stated = value.uint().is_some();
        "bubbleId" => "`id`; kept if it is another than that of the row",
            stated = value.is_text(wanted.id);
        "text" => "`content`, `vac.author`", take content: Node<'a, 'a> = Some(value);
        "createdAt" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = AbstractTimestamp::from_node(value).ok();
        "timingInfo" => "`timestamp` where `createdAt` is absent",
            note sent: AbstractTimestamp<'a> = timing(value);
        "thinking" => "`children`: `reasoning`", take thinking: Node<'a, 'a> =
            matches!(value.kind(), Kind::Map | Kind::Text).then_some(value);
        "toolFormerData" => "`children`: `tool-call`, `tool-result`", take called: Node<'a, 'a> =
            tool_former_data::is_call(value).then_some(value);
        "tokenCount" => "`token-usage`, `vac.usage`",
            take count: Node<'a, 'a> = has_counts(value).then_some(value);
        "modelInfo" => "`model-id`, and the remaining members", take model: Node<'a, 'a> =
            (wanted.is_assistant && model_name(value).is_some()).then_some(value);
        "isSimulatedMsg" | "isPlanExecution" => "`vac.author`",
            note simulated: bool = value.bool().filter(|is_simulated| *is_simulated);
        "_v" | "aiWebSearchResults" | "allThinkingBlocks" | "approximateLintErrors"
        | "assistantSuggestedDiffs" | "attachedCodeChunks" | "attachedFileCodeChunksMetadataOnly"
        | "attachedFolders" | "attachedFoldersListDirResults" | "attachedFoldersNew"
        | "attachedHumanChanges" | "capabilities" | "capabilitiesRan" | "capabilityContexts"
        | "capabilityStatuses" | "capabilityType" | "checkpointId" | "codebaseContextChunks"
        | "codeBlocks" | "commits" | "consoleLogs" | "context" | "contextPieces"
        | "conversationState" | "cursorCommands" | "cursorCommandsExplicitlySet" | "cursorRules"
        | "deletedFiles" | "diffHistories" | "diffsForCompressingFiles" | "diffsSinceLastApply"
        | "docsReferences" | "documentationSelections" | "editTrailContexts" | "errorDetails"
        | "existedPreviousTerminalCommand" | "existedSubsequentTerminalCommand" | "externalLinks"
        | "fileDiffTrajectories" | "gitDiffs" | "humanChanges" | "images" | "interpreterResults"
        | "isAgentic" | "isRefunded" | "knowledgeItems" | "lastTerminalCwd" | "lints"
        | "mcpDescriptors" | "multiFileLinterErrors" | "notepads" | "pastChats"
        | "pastChatsExplicitlySet" | "projectLayouts" | "pullRequests" | "recentLocationsHistory"
        | "recentlyViewedFiles" | "relevantFiles" | "requestId" | "richText"
        | "suggestedCodeBlocks" | "summarizedComposers" | "supportedTools" | "thinkingDurationMs"
        | "todos" | "toolResults" | "turnDurationMs" | "uiElementPicked" | "unifiedMode"
        | "userResponsesToSuggestedCodeBlocks" | "webReferences" | "workspaceUris" => "", keep;
    }
}

mapping! {
    /// `modelInfo` of a bubble.
    pub(crate) struct ModelInfo<'a>("modelInfo"; key, value) {
        "modelName" => "`model-id`", take name: Text<'a> = value.text();
    }
}

mapping! {
    /// `tokenCount` of a bubble.
    pub(crate) struct TokenCount<'a>("tokenCount"; key, value) {
        "inputTokens" => "`token-usage.input`, `vac.usage.input`", take input: u64 = value.uint();
        "outputTokens" => "`token-usage.output`, `vac.usage.output`",
            take output: u64 = value.uint();
    }
}

mapping! {
    /// `thinking` of a bubble, if it is an object: `reasoning`.
    pub(crate) struct Thinking<'a>("thinking"; key, value) {
        "text" => "`content`", take content: Any<'a> = Some(value.carry());
        "signature" => "", keep;
    }
}

/// The values of `type`.
const USER: u64 = 1;
pub(crate) const ASSISTANT: u64 = 2;

/// Returns the entry of a bubble.
pub(crate) fn entry<'a>(
    bubble: Node<'a, '_>,
    id: &str,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let kind = match kind(bubble) {
        Some(USER) => MessageEntryType::User,
        Some(ASSISTANT) => MessageEntryType::Assistant,
        _ => {
            report.unknown("a bubble of a type other than 1 and 2");
            let mut data = members::all(bubble, &[]);
            if bubble.kind() != Kind::Map {
                data.push(("value".into(), bubble.carry()));
            }
            return Entry::Event(entry::event("bubble", id.to_owned(), data));
        }
    };
    let is_assistant = kind == MessageEntryType::Assistant;
    let wanted = Wanted { id, is_assistant };
    let mut read = Bubble::read(bubble, stored::MESSAGE, wanted, report);
    let timestamp = read.timestamp.or(read.sent);
    let mut children = Vec::new();
    children.extend(read.thinking.map(|it| reasoning(it, id, timestamp.as_ref(), report)));
    if let Some(called) = read.called {
        let (call, result) = tool_former_data::entries(called, id, timestamp.as_ref(), report);
        children.push(call);
        children.extend(result);
    }
    let model_id = read.model.and_then(|info| {
        let ModelInfo { name, rest } = ModelInfo::read(info, &[], report);
        read.rest.extend(object(rest).map(|rest| ("modelInfo".into(), rest)));
        name
    });
    let token_usage = read.count.map(|count| token_usage(count, report));
    let mut annotations = EntryAnnotations::default();
    if !is_assistant {
        let text = read.content.and_then(Node::text).unwrap_or_default();
        let is_simulated = read.simulated.is_some() || facts.is_simulated(id);
        let author = if is_simulated { Author::Program } else { prompt_rules::text_author(&text) };
        annotations = author_annotations(author, facts.is_subagent());
    }
    annotations.usage = token_usage.as_ref().and_then(additive);
    attach(&mut read.rest, &annotations);
    let content = read.content.map(Node::carry);
    Entry::Message(MessageEntry {
        model_id,
        token_usage,
        children: (!children.is_empty()).then_some(children),
        ..entry::message(kind, content, timestamp, id.to_owned().into(), read.rest)
    })
}

/// Returns the number in `type`, which may be written as text.
pub(crate) fn kind(bubble: Node<'_, '_>) -> Option<u64> {
    let kind = bubble.member("type")?;
    kind.uint().or_else(|| kind.text()?.parse().ok())
}

/// Returns the time at which a bubble was created.
pub(crate) fn timestamp(bubble: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let own = bubble.member("createdAt").and_then(|time| AbstractTimestamp::from_node(time).ok());
    own.map(IntoOwned::into_owned).or_else(|| timing(bubble.member("timingInfo")?))
}

/// Returns the time at which a request was sent, for bubbles without another time. Some of these
/// numbers count from the start of the program: those are not times.
fn timing(timing: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    const EARLIEST: u64 = 1_000_000_000_000;
    let times = ["clientStartTime", "clientRpcSendTime"];
    let time = times
        .iter()
        .find_map(|key| timing.member(key).and_then(Node::uint).filter(|time| *time >= EARLIEST));
    time.map(AbstractTimestamp::Uint)
}

fn reasoning<'a>(
    thinking: Node<'a, '_>,
    id: &str,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Entry<'a> {
    let Thinking { content, rest } = Thinking::read(thinking, &ReasoningEntry::KEYS, report);
    let content = content.or((thinking.kind() == Kind::Text).then(|| thinking.carry()));
    entry::reasoning(content, None, timestamp.cloned(), Some(format!("{id}:thinking")), rest)
}

fn model_name<'a>(info: Node<'a, '_>) -> Option<Text<'a>> {
    info.member("modelName").and_then(Node::text)
}

/// Returns whether Cursor wrote the text of a bubble of the user.
pub(crate) fn is_simulated(bubble: Node<'_, '_>) -> bool {
    let keys = ["isSimulatedMsg", "isPlanExecution"];
    keys.iter().any(|key| bubble.member(key).and_then(Node::bool) == Some(true))
}

/// Returns the counts of a bubble in additive buckets. Bubbles without a request have zeros.
fn additive(usage: &TokenUsage<'_>) -> Option<Usage<'static>> {
    let is_stated = usage.input.unwrap_or(0) > 0 || usage.output.unwrap_or(0) > 0;
    is_stated.then(|| Usage { input: usage.input, output: usage.output, ..Usage::default() })
}

/// Returns whether a bubble states a number of tokens.
fn has_counts(count: Node<'_, '_>) -> bool {
    let keys = ["inputTokens", "outputTokens"];
    keys.iter().any(|key| count.member(key).and_then(Node::uint).is_some())
}

/// Returns the counts of a bubble; other members keep their names.
fn token_usage<'a>(count: Node<'a, '_>, report: &mut Report) -> TokenUsage<'a> {
    let TokenCount { input, output, rest } = TokenCount::read(count, &TokenUsage::KEYS, report);
    TokenUsage {
        input,
        output,
        cached: None,
        reasoning: None,
        total: None,
        cost: None,
        extensions: rest,
    }
}
