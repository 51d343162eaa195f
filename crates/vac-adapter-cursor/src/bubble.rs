//! Bubbles of the IDE: messages with what the model thought and did.

use std::borrow::Cow;

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::members::{null, object, put, sift};
use vac_record::annotations::{Author, EntryAnnotations, Usage};
use vac_record::{
    AbstractTimestamp, Decode, Entry, MessageEntry, MessageEntryType, ReasoningEntry, TokenUsage,
};
use vac_value::{IntoOwned, Kind, Node};

use crate::facts::Facts;
use crate::message::author_annotations;
use crate::{event, prompt_rules, stored, tool_former_data};

/// What `type` says.
const USER: u64 = 1;
pub(crate) const ASSISTANT: u64 = 2;

/// The entry of a bubble.
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
            let mut data = sift(bubble, &[], |_, _| false);
            if bubble.kind() != Kind::Map {
                data.push(("value".into(), bubble.carry()));
            }
            return Entry::Event(event::new("bubble", id.to_owned(), data));
        }
    };
    let is_assistant = kind == MessageEntryType::Assistant;
    let (mut content, mut own_time, mut usage) = (None, None, None);
    let (mut thinking, mut called, mut model) = (None, None, None);
    let mut extensions = sift(bubble, stored::MESSAGE, |key, value| match key {
        "type" => value.uint().is_some(),
        "bubbleId" => value.is_text(id),
        "text" => put(&mut content, Some(value.carry())),
        "createdAt" => put(&mut own_time, AbstractTimestamp::from_node(value).ok()),
        "thinking" => {
            let is_it = matches!(value.kind(), Kind::Map | Kind::Text);
            put(&mut thinking, is_it.then_some(value))
        }
        "toolFormerData" => put(&mut called, tool_former_data::is_call(value).then_some(value)),
        "tokenCount" => put(&mut usage, token_usage(value)),
        "modelInfo" if is_assistant => {
            let name = value.member("modelName").and_then(Node::text);
            put(&mut model, name.map(|name| (name, value)))
        }
        _ => false,
    });
    let timestamp = own_time.or_else(|| timing(bubble));
    let mut children = Vec::new();
    children.extend(thinking.map(|thinking| reasoning(thinking, id, timestamp.as_ref())));
    if let Some(called) = called {
        let (call, result) = tool_former_data::entries(called, id, timestamp.as_ref());
        children.push(call);
        children.extend(result);
    }
    let model_id = model.map(|(name, info)| {
        let left = sift(info, &[], |key, _| key == "modelName");
        extensions.extend(object(left).map(|left| ("modelInfo".into(), left)));
        name
    });
    let mut annotations = EntryAnnotations::default();
    if !is_assistant {
        let text = bubble.member("text").and_then(Node::text).unwrap_or_default();
        let is_simulated = is_simulated(bubble) || facts.is_simulated(id);
        let author = if is_simulated { Author::Program } else { prompt_rules::text_author(&text) };
        annotations = author_annotations(author, facts.is_subagent());
    }
    annotations.usage = usage.as_ref().and_then(additive);
    attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind,
        content,
        timestamp,
        id: Some(Cow::Owned(id.to_owned())),
        model_id,
        parent_id: None,
        token_usage: usage,
        children: (!children.is_empty()).then_some(children),
        extensions,
    })
}

/// What `type` says, also as text.
pub(crate) fn kind(bubble: Node<'_, '_>) -> Option<u64> {
    let kind = bubble.member("type")?;
    kind.uint().or_else(|| kind.text()?.parse().ok())
}

/// When a bubble came to be.
pub(crate) fn timestamp(bubble: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    let own = bubble.member("createdAt").and_then(|time| AbstractTimestamp::from_node(time).ok());
    own.map(IntoOwned::into_owned).or_else(|| timing(bubble))
}

/// When a request was sent, for bubbles without another time. Some of these numbers
/// count from when the program was started: those are not times.
fn timing(bubble: Node<'_, '_>) -> Option<AbstractTimestamp<'static>> {
    const EARLIEST: u64 = 1_000_000_000_000;
    let timing = bubble.member("timingInfo")?;
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
) -> Entry<'a> {
    let mut content = (thinking.kind() == Kind::Text).then(|| thinking.carry());
    let extensions = sift(thinking, &ReasoningEntry::KEYS, |key, value| {
        key == "text" && put(&mut content, Some(value.carry()))
    });
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted: None,
        subject: None,
        timestamp: timestamp.cloned(),
        id: Some(format!("{id}:thinking").into()),
        children: None,
        extensions,
    })
}

/// Whether Cursor wrote the text of a bubble of the user.
pub(crate) fn is_simulated(bubble: Node<'_, '_>) -> bool {
    let keys = ["isSimulatedMsg", "isPlanExecution"];
    keys.iter().any(|key| bubble.member(key).and_then(Node::bool) == Some(true))
}

/// Returns the counts of a bubble in additive buckets. Bubbles without a request have zeros.
fn additive(usage: &TokenUsage<'_>) -> Option<Usage<'static>> {
    let is_stated = usage.input.unwrap_or(0) > 0 || usage.output.unwrap_or(0) > 0;
    is_stated.then(|| Usage { input: usage.input, output: usage.output, ..Usage::default() })
}

/// The counts of a bubble; other members keep their names.
fn token_usage<'a>(count: Node<'a, '_>) -> Option<TokenUsage<'a>> {
    let (mut input, mut output) = (None, None);
    let extensions = sift(count, &TokenUsage::KEYS, |key, value| match key {
        "inputTokens" => put(&mut input, value.uint()),
        "outputTokens" => put(&mut output, value.uint()),
        _ => false,
    });
    (input.is_some() || output.is_some()).then_some(TokenUsage {
        input,
        output,
        cached: None,
        reasoning: None,
        total: None,
        cost: None,
        extensions,
    })
}
