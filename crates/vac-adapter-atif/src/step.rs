//! Converts steps to entries.

use std::collections::HashMap;

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::parse_time;
use vac_adapter::members::{Rest, keys, object};
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{
    Author, EntryAnnotations, EntryAnnotationsInherited, Outcome, Subagent,
};
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ToolCallEntry,
    ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::tools::TOOLS;
use crate::usage;

/// The keys that this adapter adds to messages. Native keys of the same name are renamed.
const OURS: &[&str] = &["observation"];
const MESSAGE: &[&str] =
    &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);

/// The kind of entry that a step becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    User,
    Agent,
    /// An event of the type `system`, or of an unknown source.
    Event,
}

impl Becomes {
    fn new(step: Node<'_, '_>) -> Self {
        match step.member("source").and_then(Node::text).as_deref() {
            Some("user") => Self::User,
            Some("agent") => Self::Agent,
            _ => Self::Event,
        }
    }

    fn is_message(self) -> bool {
        self != Self::Event
    }
}

mapping! {
    /// A step.
    pub(crate) struct Step<'a>("step"; key, value, becomes: Becomes) {
        "source" => "the entry's type, or `event-type`", take source: Text<'a> = value.text();
        "timestamp" => "`timestamp`, if it has an offset",
            take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "message" => "`content`; kept in an event", take content: Any<'a> =
            becomes.is_message().then(|| value.carry());
        "model_name" => "`model-id` of an answer", take model: Text<'a> =
            value.text().filter(|_| becomes == Becomes::Agent);
        "reasoning_content" => "a child `reasoning` of an answer", take reasoning: Any<'a> =
            (becomes == Becomes::Agent).then(|| value.carry());
        "tool_calls" => "children `tool-call` of an answer", take calls: Node<'a, 'a> =
            (becomes == Becomes::Agent && is_list_of_objects(value)).then_some(value);
        "observation" => "children `tool-result`", take observation: Node<'a, 'a> =
            value.member("results").is_some_and(is_list_of_objects).then_some(value);
        "metrics" => "`token-usage` and `vac.usage` of an answer", take metrics: Node<'a, 'a> =
            (becomes == Becomes::Agent && value.kind() == Kind::Map).then_some(value);
        "is_copied_context" => "`vac.inherited`", note is_copied: bool = value.bool();
        "llm_call_count" => "`vac.author` if it is 0", note requests: u64 = value.uint();
        "step_id" | "reasoning_effort" | "extra" => "", keep;
    }
}

mapping! {
    /// An element of `tool_calls`.
    pub(crate) struct Call<'a>("tool_call"; key, value) {
        "tool_call_id" => "`call-id`", take id: Text<'a> = value.text();
        "function_name" => "`name`", take name: Text<'a> = value.text();
        "arguments" => "`input`", take input: Any<'a> = Some(value.carry());
        "extra" => "", keep;
    }
}

mapping! {
    /// `observation` of a step.
    pub(crate) struct Observation<'a>("observation"; key, value) {
        "results" => "children `tool-result`", take results: Node<'a, 'a> =
            is_list_of_objects(value).then_some(value);
    }
}

mapping! {
    /// An element of `results`.
    pub(crate) struct CallResult<'a>("result"; key, value) {
        "source_call_id" => "`call-id`", take id: Text<'a> = value.text();
        "content" => "`output`", take output: Any<'a> = Some(value.carry());
        "subagent_trajectory_ref" => "`vac.delegated-to` of the call", keep;
        "extra" => "", keep;
    }
}

fn is_list_of_objects(value: Node<'_, '_>) -> bool {
    value.kind() == Kind::Array && value.elements().all(|it| it.kind() == Kind::Map)
}

/// Passes the subagents that results refer to, each as the id of the call and the id of the
/// subagent, to `found`.
pub(crate) fn references(step: Node<'_, '_>, mut found: impl FnMut(String, String)) {
    let results = step.member("observation").and_then(|it| it.member("results"));
    for result in results.into_iter().flat_map(Node::elements) {
        let Some(call) = result.member("source_call_id").and_then(Node::text) else { continue };
        let references = result.member("subagent_trajectory_ref");
        for reference in references.into_iter().flat_map(Node::elements) {
            let keys = ["trajectory_id", "trajectory_path", "session_id"];
            let id = keys.iter().find_map(|key| reference.member(key).and_then(Node::text));
            if let Some(id) = id {
                found(call.clone().into_owned(), id.into_owned());
            }
        }
    }
}

/// Returns the entry of a step.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    id: String,
    subagent: Option<&Subagent<'_>>,
    report: &mut Report,
) -> Entry<'a> {
    let becomes = Becomes::new(node);
    let named = if becomes.is_message() { MESSAGE } else { &[] };
    let mut step = Step::read(node, named, becomes, report);
    let mut it = EntryAnnotations { subagent: subagent.cloned(), ..EntryAnnotations::default() };
    if step.is_copied == Some(true) {
        it.inherited = Some(EntryAnnotationsInherited::True(true));
    }
    let mut children = Vec::new();
    if let Some(reasoning) = step.reasoning.take() {
        let common = Common::default();
        children.push(Entry::Reasoning(entry::reasoning(Some(reasoning), None, None, common)));
    }
    calls(&step, node, &mut children, report);
    let observation = results(&step, &mut children, report);
    let mut extensions = step.rest;
    let (timestamp, id) = (step.timestamp.take(), Some(Text::from(id)));
    if !becomes.is_message() {
        extensions.extend(observation);
        let kind = step.source.take();
        match kind.as_deref() {
            Some("system") => {}
            Some(source) => report.unknown(source),
            None => report.unknown("a step without a source"),
        }
        let mut annotations = Rest::default();
        attach(&mut annotations, &it);
        let common = Common { timestamp, id, extensions: annotations };
        let event = entry::event(kind.unwrap_or(UNKNOWN.into()), Some(extensions), common);
        return Entry::Event(EventEntry { children: non_empty(children), ..event });
    }
    extensions.extend(observation);
    let mut token_usage = None;
    if let Some(metrics) = step.metrics.take() {
        let (stated, buckets) = usage::read(metrics, report);
        token_usage = Some(stated);
        it.usage = buckets;
    }
    let kind = match becomes {
        Becomes::User => MessageEntryType::User,
        _ => MessageEntryType::Assistant,
    };
    it.author = match becomes {
        Becomes::User if subagent.is_some() => Some(Author::OtherAgent),
        Becomes::User => Some(Author::User),
        _ => (step.requests == Some(0)).then_some(Author::Program),
    };
    attach(&mut extensions, &it);
    let message = entry::message(kind, step.content, Common { timestamp, id, extensions });
    let children = non_empty(children);
    Entry::Message(MessageEntry { model_id: step.model, token_usage, children, ..message })
}

fn calls<'a>(
    step: &Step<'a>,
    node: Node<'_, '_>,
    children: &mut Vec<Entry<'a>>,
    report: &mut Report,
) {
    let Some(calls) = step.calls else { return };
    let mut delegates: HashMap<String, String> = HashMap::new();
    references(node, |call, subagent| {
        delegates.entry(call).or_insert(subagent);
    });
    for call in calls.elements() {
        let Call { id, name, input, rest } = Call::read(call, &ToolCallEntry::KEYS, report);
        let action = Some(TOOLS.action(name.as_deref().unwrap_or(UNKNOWN)));
        let delegated_to = id.as_deref().and_then(|id| delegates.get(id)).cloned().map(Text::from);
        let it = EntryAnnotations { action, delegated_to, ..EntryAnnotations::default() };
        let mut extensions = rest;
        attach(&mut extensions, &it);
        let common = Common { timestamp: None, id: None, extensions };
        children.push(Entry::ToolCall(entry::tool_call(name, input, id, common)));
    }
}

/// Adds the results, and returns the other members of the observation.
fn results<'a>(
    step: &Step<'a>,
    children: &mut Vec<Entry<'a>>,
    report: &mut Report,
) -> Option<(Text<'a>, Any<'a>)> {
    let Observation { results, rest } = Observation::read(step.observation?, &[], report);
    for result in results.into_iter().flat_map(Node::elements) {
        let CallResult { id, output, rest } =
            CallResult::read(result, &ToolResultEntry::KEYS, report);
        let outcome = Some(Outcome::Unknown);
        let it = EntryAnnotations { outcome, ..EntryAnnotations::default() };
        let mut extensions = rest;
        attach(&mut extensions, &it);
        let common = Common { timestamp: None, id: None, extensions };
        children.push(Entry::ToolResult(entry::tool_result(output, id, None, None, common)));
    }
    object(rest).map(|rest| ("observation".into(), rest))
}

fn non_empty(children: Vec<Entry<'_>>) -> Option<Vec<Entry<'_>>> {
    (!children.is_empty()).then_some(children)
}
