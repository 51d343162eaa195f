//! Converts rows to entries.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::LineAt;
use vac_adapter::members::{Rest, all, json_in_text};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{
    Author, EntryAnnotations, Outcome, Relation, Superseded, SupersededHow,
};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::lines::{Lines, row, time};
use crate::tools::TOOLS;
use crate::usage;

/// The context that decides how a row is read.
#[derive(Clone, Copy)]
pub(crate) struct RowContext<'c> {
    role: &'c str,
    session: Option<&'c str>,
}

mapping! {
    /// A row of `messages`.
    pub(crate) struct Message<'a>("messages"; key, value, context: RowContext<'_>) {
        "id" => "`id`", note number: u64 = value.uint();
        "session_id" => "the session's; kept if it is another",
            stated = context.session.is_some_and(|id| value.is_text(id));
        "role" => "the entry's type", stated = value.is_text(context.role);
        "content" => "`content`; `output` of a result", take content: Node<'a, 'a> = Some(value);
        "timestamp" => "`timestamp`, in milliseconds",
            note timestamp: AbstractTimestamp<'static> = time(Some(value));
        "tool_call_id" => "`call-id` of a result",
            take call_id: Text<'a> = value.text().filter(|_| context.role == "tool");
        "tool_calls" => "a child `tool-call` for each", note calls: Node<'a, 'a> = Some(value);
        "reasoning_content" | "reasoning" => "a child `reasoning`",
            note reasoning: Any<'a> = (context.role == "assistant").then(|| value.carry());
        "active" => "`vac.superseded`", note is_left: bool = value.uint().map(|active| active == 0);
        "compacted" => "`vac.superseded`", note is_compacted: bool = value.uint().map(|it| it == 1);
        "_compressed_summary" => "`vac.author`", note is_summary: bool = value.uint().map(|it| it == 1);
        "display_kind" => "`vac.author`", note display: Text<'a> = value.text();
        "tool_name" | "effect_disposition" | "token_count" | "finish_reason" | "reasoning_details"
        | "codex_reasoning_items" | "codex_message_items" | "platform_message_id" | "observed"
        | "api_content" | "display_metadata" | "display_identity" | "display_order" => "", keep;
    }
}

mapping! {
    /// An element of `tool_calls`.
    pub(crate) struct ToolCall<'a>("tool_calls"; key, value) {
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "function" => "`name`, and `input` (the value that `arguments` contain)",
            note function: Node<'a, 'a> = Some(value);
        "type" | "call_id" | "response_item_id" | "extra_content" => "", keep;
    }
}

/// Returns the name of the tool of a call.
pub(crate) fn tool_name<'a>(call: Node<'a, '_>) -> Option<Text<'a>> {
    call.member("function")?.member("name")?.text()
}

/// Returns the entry of a row.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let Some((event, row)) = row(node) else {
        report.unknown("not a row of a known table");
        return self::event(UNKNOWN, node, None, &EntryAnnotations::default(), at);
    };
    let role = row.member("role").and_then(Node::text).filter(|_| event == "message");
    if let Some(role @ ("user" | "assistant" | "tool")) = role.as_deref() {
        return message(role, row, at, lines, report);
    }
    let mut it = EntryAnnotations::default();
    let mut timestamp = time(row.member("timestamp"));
    match (event, role.as_deref()) {
        ("message", Some("system")) => return self::event("system", row, timestamp, &it, at),
        ("message", _) => report.unknown("a message of an unknown role"),
        ("session", _) => {
            it.starts = Some(true);
            timestamp = time(row.member("started_at"));
            if !lines.has_usage {
                it.usage = usage::read(row, report);
            }
        }
        ("model_usage", _) => it.usage = usage::read(row, report),
        _ => {}
    }
    self::event(event, row, timestamp, &it, at)
}

fn event<'a>(
    event_type: &'static str,
    row: Node<'a, '_>,
    timestamp: Option<AbstractTimestamp<'a>>,
    it: &EntryAnnotations<'_>,
    at: LineAt,
) -> Entry<'a> {
    let mut extensions = Rest::default();
    attach(&mut extensions, it);
    let common = Common { timestamp, id: Some(at.place.id().into()), extensions };
    Entry::Event(entry::event(event_type.into(), Some(all(row, &[])), common))
}

fn message<'a>(
    role: &str,
    row: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let named = if role == "tool" { &ToolResultEntry::KEYS[..] } else { &MessageEntry::KEYS };
    let context = RowContext { role, session: lines.facts.session_id.as_deref() };
    let row = Message::read(row, named, context, report);
    let superseded = row.is_left.filter(|is_left| *is_left).map(|_| {
        let is_compacted = row.is_compacted == Some(true);
        let how = if is_compacted { SupersededHow::Compacted } else { SupersededHow::Rewound };
        Superseded { how, by: None }
    });
    let mut it = EntryAnnotations { superseded, ..EntryAnnotations::default() };
    let id = row.number.map_or_else(|| at.place.id(), |number| number.to_string());
    let mut extensions = row.rest;
    let timestamp = row.timestamp;
    if role == "tool" {
        let call = row.call_id.as_deref();
        let is_shell = call.is_some_and(|call| lines.shell_calls.contains(call));
        let (is_error, exit_code, outcome) = outcome(row.content, is_shell);
        it.exit_code = exit_code;
        it.outcome = Some(outcome);
        attach(&mut extensions, &it);
        let common = Common { timestamp, id: Some(id.into()), extensions };
        let output = row.content.map(Node::carry);
        let result = entry::tool_result(output, row.call_id, None, is_error, common);
        return Entry::ToolResult(result);
    }
    let kind = if role == "user" { MessageEntryType::User } else { MessageEntryType::Assistant };
    let mut children = Vec::new();
    if kind == MessageEntryType::User {
        let is_hidden = row.display.as_deref() == Some("hidden") || row.is_summary == Some(true);
        let relation = lines.facts.parent.as_ref().map(|parent| parent.relation);
        it.author = Some(match relation {
            _ if is_hidden => Author::Program,
            Some(Relation::Subagent) => Author::OtherAgent,
            _ => Author::User,
        });
    } else {
        if let Some(reasoning) = row.reasoning {
            let common = Common { timestamp: timestamp.clone(), ..Common::default() };
            let reasoning = entry::reasoning(Some(reasoning), None, None, common);
            children.push(Entry::Reasoning(reasoning));
        }
        let calls = row.calls.into_iter().flat_map(Node::elements);
        let calls = calls.filter(|call| call.kind() == Kind::Map);
        children.extend(calls.map(|node| call(node, timestamp.clone(), report)));
    }
    attach(&mut extensions, &it);
    let common = Common { timestamp, id: Some(id.into()), extensions };
    let message = entry::message(kind, row.content.map(Node::carry), common);
    let children = (!children.is_empty()).then_some(children);
    Entry::Message(MessageEntry { children, ..message })
}

fn call<'a>(
    node: Node<'a, 'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    report: &mut Report,
) -> Entry<'a> {
    let ToolCall { call_id, function, rest: mut extensions } =
        ToolCall::read(node, &ToolCallEntry::KEYS, report);
    let name = tool_name(node);
    let arguments = function.and_then(|function| function.member("arguments"));
    let input = arguments.map(|arguments| {
        let value = arguments.text().and_then(|text| json_in_text(&text));
        value.unwrap_or_else(|| arguments.carry())
    });
    let action = Some(TOOLS.action(name.as_deref().unwrap_or(UNKNOWN)));
    attach(&mut extensions, &EntryAnnotations { action, ..EntryAnnotations::default() });
    let common = Common { timestamp, id: None, extensions };
    Entry::ToolCall(entry::tool_call(name, input, call_id, common))
}

/// Returns whether a call failed, its exit code, and its outcome. Most tools return JSON as text.
fn outcome(content: Option<Node<'_, '_>>, is_shell: bool) -> (Option<bool>, Option<i128>, Outcome) {
    let value = content.and_then(Node::text).and_then(|text| json_in_text(&text));
    let Some(value) = value.filter(|value| value.kind() == Some(Kind::Map)) else {
        return (None, None, Outcome::Unknown);
    };
    let success = value.get("success").and_then(|it| it.bool());
    let has_error = value.get("error").is_some_and(|error| !error.is_null());
    let code = value.get("exit_code").and_then(|it| it.integer());
    let code = code.and_then(|code| i64::try_from(code).ok()).map(i128::from);
    let exit_code = code.filter(|_| is_shell);
    let is_error = success == Some(false) || has_error || exit_code.is_some_and(|code| code != 0);
    let outcome = if is_error { Outcome::Error } else { Outcome::Success };
    (Some(is_error), exit_code, outcome)
}
