//! Converts rows and lines to entries.

use vac_adapter::annotation::attach;
use vac_adapter::blocks::children;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time, text};
use vac_adapter::members::{Rest, all, keys, object};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Decision, EntryAnnotations, Outcome, Permission};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ReasoningEntry, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::lines::{Document, Lines};
use crate::tools::TOOLS;
use crate::usage;

const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + 1 }>(&MessageEntry::KEYS, &["metadata_json"]);

mapping! {
    /// A row of `messages`, or a line.
    pub(crate) struct Message<'a>("message"; key, value, lines: &Lines) {
        "message_id" => "`id`", take id: Text<'a> = value.text();
        "id" => "`id` of a line; the number of a row is kept", take line_id: Text<'a> = value.text();
        "session_id" => "the session's; kept if it is another",
            stated = lines.facts.session_id.as_deref().is_some_and(|id| value.is_text(id));
        "role" => "the entry's type", take role: Text<'a> = value.text();
        "content_json" | "content" => "`content`, and `children` of its blocks",
            take content: Node<'a, 'a> = Some(value);
        "created_timestamp" | "created" => "`timestamp`",
            take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "metadata_json" | "metadata" => "see `metadata`",
            take metadata: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "timestamp" | "tokens" => "", keep;
    }
}

mapping! {
    /// `metadata` of a message.
    pub(crate) struct Metadata<'a>("metadata"; key, value) {
        "inference" => "`model-id`", note inference: Node<'a, 'a> = Some(value);
        "userVisible" | "agentVisible" => "`vac.author`, `vac.superseded`", keep;
        _ => keep;
    }
}

mapping! {
    /// A block of type `toolRequest` or `frontendToolRequest`: a `tool-call`.
    pub(crate) struct ToolRequest<'a>("toolRequest"; key, value) {
        "type" => "the entry's type", stated = value.is_text("toolRequest");
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "toolCall" => "`name` and `input`", note call: Node<'a, 'a> = Some(value);
        "metadata" | "_meta" => "", keep;
    }
}

mapping! {
    /// A block of type `toolResponse`: a `tool-result`.
    pub(crate) struct ToolResponse<'a>("toolResponse"; key, value) {
        "type" => "the entry's type", stated = value.is_text("toolResponse");
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "toolResult" => "`output`, `status`, `is-error`, `vac.outcome`",
            take result: Node<'a, 'a> = Some(value);
        "metadata" | "_meta" => "", keep;
    }
}

mapping! {
    /// A block of type `thinking`, `redactedThinking` or `reasoning`: a `reasoning`.
    pub(crate) struct Thinking<'a>("thinking"; key, value) {
        "type" => "the entry's type, if it is `thinking`", stated = value.is_text("thinking");
        "thinking" | "text" => "`content`", take content: Any<'a> = Some(value.carry());
        "signature" | "data" => "`encrypted`", take encrypted: Text<'a> = value.text();
    }
}

/// The visibility of a message for the user and the model.
#[derive(Clone, Copy, Default)]
pub(crate) struct Visibility {
    pub user: Option<bool>,
    pub agent: Option<bool>,
}

fn metadata<'d, 'a>(row: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    row.member("metadata_json").or_else(|| row.member("metadata"))
}

/// Returns the visibility that a message states.
pub(crate) fn visibility(row: Node<'_, '_>) -> Visibility {
    let of = |key: &str| metadata(row).and_then(|metadata| metadata.member(key)?.bool());
    Visibility { user: of("userVisible"), agent: of("agentVisible") }
}

/// Returns the model of an answer.
pub(crate) fn model(row: Node<'_, '_>) -> Option<String> {
    let inference = metadata(row)?.member("inference")?;
    text(inference.member("resolvedModel")).or_else(|| text(inference.member("requestedModel")))
}

/// Returns the id of the entry of a message.
pub(crate) fn message_id(row: Node<'_, '_>, at: LineAt) -> String {
    let id = text(row.member("message_id")).or_else(|| text(row.member("id")));
    id.unwrap_or_else(|| at.place.id())
}

/// Returns the entry of a row or line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let mut it = EntryAnnotations::default();
    let (event_type, row) = match Document::parse(node) {
        Document::Message(row) => {
            let kind = match row.member("role").and_then(Node::text).as_deref() {
                Some("user") => Some(MessageEntryType::User),
                Some("assistant") => Some(MessageEntryType::Assistant),
                _ => None,
            };
            if let Some(kind) = kind {
                return message(kind, row, at, lines, report);
            }
            report.unknown("a message of an unknown role");
            ("message", row)
        }
        Document::Session(row) => {
            if !lines.has_ledger {
                it.usage = usage::of_session(row);
            }
            it.starts = Some(true);
            ("session", row)
        }
        Document::Request(row) => {
            it.usage = usage::of_request(row, report);
            ("usage_ledger", row)
        }
        Document::Other => {
            report.unknown("neither a session nor a message");
            (UNKNOWN, node)
        }
    };
    let timestamp = row.member("created_timestamp").and_then(parse_time);
    let mut extensions = Rest::default();
    attach(&mut extensions, &it);
    let common = Common { timestamp, id: Some(at.place.id().into()), extensions };
    Entry::Event(entry::event(event_type.into(), Some(all(row, &[])), common))
}

fn message<'a>(
    kind: MessageEntryType,
    row: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let message = Message::read(row, MESSAGE, lines, report);
    let time = message.timestamp.as_ref();
    let content = message.content;
    let children = content.and_then(|it| children(it, |block| child(block, time, report)));
    let blocks = || content.into_iter().flat_map(Node::elements);
    let is_result = |block: Node<'_, '_>| is(block, "toolResponse");
    let mut it = EntryAnnotations {
        superseded: lines.superseded(row, at),
        permission: blocks().find_map(question),
        ..EntryAnnotations::default()
    };
    // Results are in the user's name, but the user did not write them.
    let has_results_only = blocks().next().is_some() && blocks().all(is_result);
    if kind == MessageEntryType::User && !has_results_only {
        it.author = Some(lines.author(row));
    }
    let model_id = message.metadata.and(model(row)).filter(|_| kind == MessageEntryType::Assistant);
    let mut extensions = message.rest;
    let metadata = message.metadata.map(|it| Metadata::read(it, &[], report).rest);
    extensions.extend(metadata.and_then(object).map(|rest| ("metadata_json".into(), rest)));
    attach(&mut extensions, &it);
    let id = message.id.or(message.line_id).or_else(|| Some(at.place.id().into()));
    let common = Common { timestamp: message.timestamp, id, extensions };
    let message = entry::message(kind, content.map(Node::carry), common);
    Entry::Message(MessageEntry { model_id: model_id.map(Into::into), children, ..message })
}

fn is(block: Node<'_, '_>, kind: &str) -> bool {
    block.member("type").is_some_and(|it| it.is_text(kind))
}

/// Returns the question for permission that a block asks.
fn question<'a>(block: Node<'a, '_>) -> Option<Permission<'a>> {
    let asked = if is(block, "toolConfirmationRequest") {
        block
    } else {
        let data = block.member("data").filter(|_| is(block, "actionRequired"))?;
        let kind = data.member("actionType").or_else(|| data.member("type"))?;
        kind.is_text("toolConfirmation").then_some(data)?
    };
    let of = |key: &str| asked.member(key).and_then(Node::text);
    let what = of("toolName").or_else(|| of("tool_name"));
    Some(Permission { decision: Decision::Asked, by: None, what, call_id: of("id") })
}

/// Returns the entry of a block that has one.
fn child<'a>(
    block: Node<'a, 'a>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Option<Entry<'a>> {
    let common = |extensions| Common { timestamp: timestamp.cloned(), id: None, extensions };
    if is(block, "toolRequest") || is(block, "frontendToolRequest") {
        let ToolRequest { call_id, call, rest: mut extensions } =
            ToolRequest::read(block, &ToolCallEntry::KEYS, report);
        let value = call.and_then(|call| call.member("value"));
        let name = value.and_then(|value| value.member("name")?.text());
        // A call that could not be parsed has an error instead.
        let input = value.map_or(call, |value| value.member("arguments")).map(Node::carry);
        let action = Some(TOOLS.action(name.as_deref().unwrap_or(UNKNOWN)));
        attach(&mut extensions, &EntryAnnotations { action, ..EntryAnnotations::default() });
        return Some(Entry::ToolCall(entry::tool_call(name, input, call_id, common(extensions))));
    }
    if is(block, "toolResponse") {
        let ToolResponse { call_id, result, rest: mut extensions } =
            ToolResponse::read(block, &ToolResultEntry::KEYS, report);
        let of = |key: &str| result.and_then(|result| result.member(key));
        let status = of("status").and_then(Node::text);
        let has_failed = of("value").and_then(|value| value.member("isError")?.bool());
        let is_error = match status.as_deref() {
            Some("error") => Some(true),
            Some("success") => Some(has_failed == Some(true)),
            _ => has_failed,
        };
        let outcome = Some(match is_error {
            Some(true) => Outcome::Error,
            Some(false) => Outcome::Success,
            None => Outcome::Unknown,
        });
        attach(&mut extensions, &EntryAnnotations { outcome, ..EntryAnnotations::default() });
        let output = of("value").or_else(|| of("error")).or(result).map(Node::carry);
        let common = common(extensions);
        return Some(Entry::ToolResult(entry::tool_result(
            output, call_id, status, is_error, common,
        )));
    }
    let is_thought = ["thinking", "redactedThinking", "reasoning"].iter().any(|it| is(block, it));
    is_thought.then(|| {
        let Thinking { content, encrypted, rest } =
            Thinking::read(block, &ReasoningEntry::KEYS, report);
        Entry::Reasoning(entry::reasoning(content, encrypted, None, common(rest)))
    })
}

/// Returns the text of a result: blocks, in newer versions as `content` of an object.
pub(crate) fn result_text(output: &Any<'_>) -> Option<String> {
    let blocks = output.get("content")?.elements()?;
    let texts: Vec<_> = blocks.iter().filter_map(|block| block.get("text")?.text()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
