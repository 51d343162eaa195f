//! What a message of the model contains next to its content: tool calls, thoughts and tokens.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::members::{Rest, null, put, sift};
use vac_record::annotations::{Decision, EntryAnnotations, Permission, Usage};
use vac_record::{
    AbstractTimestamp, Decode, Entry, ReasoningEntry, TokenUsage, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::content::failed;
use crate::event;
use crate::keys::{IN_CALL, unknown};
use crate::outcome::{self, Stated};
use crate::tools;

/// The children of `toolCalls`.
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
    let (mut timestamp, mut name, mut input, mut call_id) = (None, None, None, None);
    let (mut result, mut status, mut display) = (None, None, None);
    let mut extensions = sift(node, &ToolCallEntry::KEYS, |key, value| match key {
        "timestamp" => put(&mut timestamp, AbstractTimestamp::from_node(value).ok()),
        "name" => put(&mut name, value.text()),
        "id" => put(&mut call_id, value.text()),
        "args" => put(&mut input, Some(value.carry())),
        "result" => put(&mut result, Some(value)),
        "status" => put(&mut status, value.text().map(|text| (text, value))),
        "resultDisplay" => put(&mut display, Some(value)),
        _ => false,
    });
    unknown(report, "tool call", &extensions, IN_CALL);
    let timestamp = timestamp.or_else(|| message.cloned());
    let stated_status = status.as_ref().map(|(status, _)| &**status);
    let mut of_call = EntryAnnotations::default();
    let result = match result {
        Some(result) => {
            let is_error = is_error(stated_status, result);
            let stated = Stated {
                is_shell: name.as_deref().is_some_and(tools::is_shell),
                status: stated_status,
                is_error,
            };
            let mut extensions: Rest<'_> = shown(display).collect();
            attach(&mut extensions, &outcome::annotations(Some(result), stated));
            Some(Entry::ToolResult(ToolResultEntry {
                output: result.carry(),
                call_id: call_id.clone(),
                is_error,
                status: status.map(|(status, _)| status),
                timestamp: timestamp.clone(),
                id: None,
                children: None,
                extensions,
            }))
        }
        // Without a result, status and display stay on the call.
        None => {
            of_call.outcome = stated_status.and_then(outcome::status_outcome);
            if stated_status == Some("awaiting_approval") {
                of_call.permission = Some(Permission {
                    decision: Decision::Asked,
                    by: None,
                    what: None,
                    call_id: None,
                });
            }
            extensions.extend(status.map(|(_, status)| ("status".into(), status.carry())));
            extensions.extend(shown(display));
            None
        }
    };
    let name = name.unwrap_or(Cow::Borrowed("unknown"));
    let display_name = node.member("displayName").and_then(Node::text);
    of_call.action = Some(tools::action(&name, display_name.as_deref()));
    attach(&mut extensions, &of_call);
    children.push(Entry::ToolCall(ToolCallEntry {
        name,
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: None,
        children: None,
        extensions,
    }));
    children.extend(result);
}

/// What the user saw of a result.
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

/// Whether a part, or one of an array of parts, is a response with an error;
/// `None` if none is a response.
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

/// The children of `thoughts`.
pub(crate) fn thoughts<'a>(
    list: Node<'a, '_>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    children: &mut Vec<Entry<'a>>,
) {
    children.reserve(list.elements().count());
    for node in list.elements() {
        if node.kind() != Kind::Map {
            children.push(event::child("thoughts", node, timestamp));
            continue;
        }
        let (mut content, mut subject, mut time) = (None, None, None);
        let extensions = sift(node, &ReasoningEntry::KEYS, |key, value| match key {
            "description" => put(&mut content, Some(value.carry())),
            "subject" => put(&mut subject, value.text()),
            "timestamp" => put(&mut time, AbstractTimestamp::from_node(value).ok()),
            _ => false,
        });
        children.push(Entry::Reasoning(ReasoningEntry {
            content: content.unwrap_or_else(null),
            encrypted: None,
            subject,
            timestamp: time.or_else(|| timestamp.cloned()),
            id: None,
            children: None,
            extensions,
        }));
    }
}

/// Returns the tokens of a message in additive buckets: `input` contains `cached`, while
/// `thoughts` and `tool` are counted next to `output` and `input`.
pub(crate) fn usage(tokens: Node<'_, '_>) -> Option<Usage<'static>> {
    let number = |key: &str| tokens.member(key).and_then(Node::uint);
    let stated = |key: &str| number(key).filter(|count| *count > 0);
    let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    };
    let uncached = number("input").map(|all| all.saturating_sub(number("cached").unwrap_or(0)));
    let usage = Usage {
        input: sum(uncached, stated("tool")),
        cache_read: stated("cached"),
        cache_write: None,
        output: sum(number("output"), stated("thoughts")),
        reasoning: stated("thoughts"),
        model: None,
    };
    (usage != Usage::default()).then_some(usage)
}

/// The tokens of a message as the CLI states them; those that tools took have no canonical name.
pub(crate) fn token_usage<'a>(tokens: Node<'a, '_>) -> Option<TokenUsage<'a>> {
    if tokens.kind() != Kind::Map {
        return None;
    }
    let (mut input, mut output, mut cached) = (None, None, None);
    let (mut reasoning, mut total) = (None, None);
    let extensions = sift(tokens, &TokenUsage::KEYS, |key, value| match key {
        "input" => put(&mut input, value.uint()),
        "output" => put(&mut output, value.uint()),
        "cached" => put(&mut cached, value.uint()),
        "thoughts" => put(&mut reasoning, value.uint()),
        "total" => put(&mut total, value.uint()),
        _ => false,
    });
    Some(TokenUsage { input, output, cached, reasoning, total, cost: None, extensions })
}

/// No members beyond those that the schema names.
pub(crate) fn none<'a>() -> Rest<'a> {
    Map::default()
}
