//! Converts tool calls, thoughts and tokens of a message of the model.

use vac_adapter::parts::failed;
use vac_adapter::parts::outcome::{self, StatedEnd};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{Decision, EntryAnnotations, Permission, Usage};
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, TokenUsage, ToolCallEntry};
use vac_value::{Any, Kind, Node, Text};

use crate::facts::time;
use crate::{entry, event, tools};

mapping! {
    /// An element of `toolCalls`: a `tool-call`, and a `tool-result` if it has a `result`.
    pub(crate) struct ToolCall<'a>("toolCalls"; key, value) {
        "name" => "`name`", take name: Text<'a> = value.text();
        "args" => "`input`", take input: Any<'a> = Some(value.carry());
        "id" => "`call-id`", take call_id: Text<'a> = value.text();
        "timestamp" => "`timestamp`; without one, the message's",
            take timestamp: AbstractTimestamp<'a> = time(value);
        "result" => "`output` of the `tool-result`, `is-error`",
            take result: Node<'a, 'a> = Some(value);
        "status" =>
            "`status`, `is-error` and `vac.outcome` of the `tool-result`; without one, kept",
            take status: Node<'a, 'a> = value.text().map(|_| value);
        "resultDisplay" => "kept in the `tool-result`; without one, in the `tool-call`",
            take display: Node<'a, 'a> = Some(value);
        "displayName" => "`vac.action.server`", note display_name: Text<'a> = value.text();
        "agentId" | "description" | "renderOutputAsMarkdown" => "", keep;
    }
}

mapping! {
    /// An element of `thoughts`: `reasoning`.
    pub(crate) struct Thought<'a>("thoughts"; key, value) {
        "description" => "`content`", take content: Any<'a> = Some(value.carry());
        "subject" => "`subject`", take subject: Text<'a> = value.text();
        "timestamp" => "`timestamp`; without one, the message's",
            take timestamp: AbstractTimestamp<'a> = time(value);
    }
}

mapping! {
    /// `tokens` of a message. `input` contains `cached`; `thoughts` and `tool` are counted next to
    /// `output` and `input`.
    pub(crate) struct Tokens<'a>("tokens"; key, value) {
        "input" => "`token-usage.input`, `vac.usage.input`",
            take input: u64 = value.uint();
        "output" => "`token-usage.output`, `vac.usage.output`",
            take output: u64 = value.uint();
        "cached" => "`token-usage.cached`, `vac.usage.cache-read`",
            take cached: u64 = value.uint();
        "thoughts" => "`token-usage.reasoning`, `vac.usage.reasoning`, `vac.usage.output`",
            take thoughts: u64 = value.uint();
        "tool" => "`vac.usage.input`", note tool: u64 = value.uint();
        "total" => "`token-usage.total`", take total: u64 = value.uint();
    }
}

/// Adds the children of `toolCalls`.
pub(crate) fn calls<'a>(
    list: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
    children: &mut Vec<Entry<'a>>,
) {
    children.reserve(2 * list.elements().count());
    for node in list.elements() {
        if node.kind() == Kind::Map {
            call(node, timestamp, report, children);
        } else {
            children.push(event::child("toolCalls", node, timestamp));
        }
    }
}

fn call<'a>(
    node: Node<'a, '_>,
    message: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
    children: &mut Vec<Entry<'a>>,
) {
    let call = ToolCall::read(node, &ToolCallEntry::KEYS, report);
    let ToolCall { name, input, call_id, mut rest, .. } = call;
    let timestamp = call.timestamp.or_else(|| message.cloned());
    let status = call.status.and_then(Node::text);
    let mut of_call = EntryAnnotations::default();
    let result = call.result.map(|result| {
        let is_error = is_error(status.as_deref(), result);
        let is_shell = name.as_deref().is_some_and(tools::is_shell);
        let stated = StatedEnd { is_shell, status: status.as_deref(), is_error };
        let annotations = outcome::annotations(Some(result), stated);
        let (call_id, time) = (call_id.clone(), timestamp.clone());
        let (output, rest) = (Some(result.carry()), shown(call.display).collect());
        Entry::ToolResult(entry::tool_result(
            output,
            call_id,
            status.clone(),
            is_error,
            time,
            rest,
            &annotations,
        ))
    });
    // The call keeps status and display if it has no result.
    if result.is_none() {
        of_call.outcome = status.as_deref().and_then(outcome::status_outcome);
        if status.as_deref() == Some("awaiting_approval") {
            of_call.permission =
                Some(Permission { decision: Decision::Asked, by: None, what: None, call_id: None });
        }
        rest.extend(call.status.map(|status| ("status".into(), status.carry())));
        rest.extend(shown(call.display));
    }
    let shown = call.display_name.as_deref();
    let call = entry::tool_call(name, shown, input, call_id, timestamp, rest, of_call);
    children.push(Entry::ToolCall(call));
    children.extend(result);
}

/// Returns the members of a result that were displayed to the user.
fn shown<'a>(display: Option<Node<'a, '_>>) -> impl Iterator<Item = (Text<'a>, Any<'a>)> {
    display.map(|display| ("resultDisplay".into(), display.carry())).into_iter()
}

fn is_error(status: Option<&str>, result: Node<'_, '_>) -> Option<bool> {
    match status {
        Some("error") => Some(true),
        Some("success") => result_failed(result).or(Some(false)),
        _ => result_failed(result),
    }
}

/// Returns whether a part, or one of an array of parts, is a response with an error; `None` if none
/// is a response.
fn result_failed(result: Node<'_, '_>) -> Option<bool> {
    let of = |part: Node<'_, '_>| {
        let response = part.member("functionResponse")?.member("response")?;
        failed(response)
    };
    match result.kind() {
        Kind::Map => of(result),
        Kind::Array => result.elements().filter_map(of).max(),
        _ => None,
    }
}

/// Adds the children of `thoughts`.
pub(crate) fn thoughts<'a>(
    list: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
    children: &mut Vec<Entry<'a>>,
) {
    children.reserve(list.elements().count());
    for node in list.elements() {
        if node.kind() != Kind::Map {
            children.push(event::child("thoughts", node, timestamp));
            continue;
        }
        let Thought { content, subject, timestamp: own, rest } =
            Thought::read(node, &ReasoningEntry::KEYS, report);
        let timestamp = own.or_else(|| timestamp.cloned());
        children.push(entry::reasoning(content, subject, timestamp, rest));
    }
}

/// Returns the tokens of a message with their canonical names, and in additive buckets.
pub(crate) fn usage<'a>(
    tokens: Node<'a, '_>,
    report: &mut Report,
) -> (TokenUsage<'a>, Option<Usage<'static>>) {
    let Tokens { input, output, cached, thoughts, tool, total, rest } =
        Tokens::read(tokens, &TokenUsage::KEYS, report);
    let stated = |count: Option<u64>| count.filter(|count| *count > 0);
    let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    };
    let uncached = input.map(|all| all.saturating_sub(cached.unwrap_or(0)));
    let buckets = Usage {
        input: sum(uncached, stated(tool)),
        cache_read: stated(cached),
        cache_write: None,
        output: sum(output, stated(thoughts)),
        reasoning: stated(thoughts),
        model: None,
    };
    let canonical = TokenUsage {
        input,
        output,
        cached,
        reasoning: thoughts,
        total,
        cost: None,
        extensions: rest,
    };
    (canonical, (buckets != Usage::default()).then_some(buckets))
}
