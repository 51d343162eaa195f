//! Converts steps to entries.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time};
use vac_adapter::members::json_in_text;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{
    Author, End, EndOf, Ending, EntryAnnotations, Outcome, Superseded, SupersededHow,
};
use vac_record::{
    AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolCallEntry, ToolResultEntry,
};
use vac_value::{Any, Kind, Node, Text};

use crate::lines::{Lines, call_id};
use crate::tools::TOOLS;

/// The type of events which state that a summary replaces the conversation so far.
pub(crate) const CHECKPOINT: &str = "CHECKPOINT";

/// Known types of events.
const EVENTS: &[&str] =
    &[CHECKPOINT, "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "ERROR_MESSAGE", "SYSTEM_MESSAGE"];

/// The kind of entry that a step becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A message of the user.
    Prompt,
    /// A message of the model.
    Response,
    /// The result of a call.
    Result,
    /// An event.
    Event,
}

/// Returns the kind of entry that a step becomes.
pub(crate) fn step(line: Node<'_, '_>) -> Step {
    let is = |key: &str, value: &str| line.member(key).is_some_and(|it| it.is_text(value));
    if is("type", "USER_INPUT") {
        Step::Prompt
    } else if is("type", "PLANNER_RESPONSE") {
        Step::Response
    } else if is("source", "MODEL") {
        Step::Result
    } else {
        Step::Event
    }
}

/// Returns whether a value is a list of objects.
pub(crate) fn is_objects(value: Node<'_, '_>) -> bool {
    value.kind() == Kind::Array && value.elements().all(|it| it.kind() == Kind::Map)
}

mapping! {
    /// A step. An event may have any other key.
    pub(crate) struct Line<'a>("step"; key, value, step: Step) {
        "step_index" => "`id`", note number: u64 = value.uint();
        "source" => "`vac.author` of a prompt", note source: Text<'a> = value.text();
        "type" => "the entry's type, or `event-type`", note kind: Text<'a> = value.text();
        "status" => "`is-error` and `vac.outcome` of a result", note status: Text<'a> = value.text();
        "created_at" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "content" => "`content`, or `output` of a result", take content: Node<'a, 'a> =
            (step != Step::Event).then_some(value);
        "thinking" => "a child `reasoning` of a response", take thinking: Any<'a> =
            (step == Step::Response).then(|| value.carry());
        "tool_calls" => "a child `tool-call` of a response for each; kept if one is not an object",
            take calls: Node<'a, 'a> = (step == Step::Response && is_objects(value)).then_some(value);
        "truncated_fields" => "", keep;
        _ => keep if step == Step::Event;
    }
}

mapping! {
    /// An element of `tool_calls`.
    pub(crate) struct ToolCall<'a>("tool_call"; key, value) {
        "name" => "`name`", take name: Text<'a> = value.text();
        "args" => "`input`, with the values that its texts contain as JSON",
            note args: Node<'a, 'a> = Some(value);
    }
}

/// Returns the entry of a step.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let step = step(node);
    let named = match step {
        Step::Prompt | Step::Response => &MessageEntry::KEYS[..],
        Step::Result => &ToolResultEntry::KEYS,
        Step::Event => &[],
    };
    let mut line = Line::read(node, named, step, report);
    let id = lines.step_id(line.number, at).unwrap_or_else(|| at.place.id());
    let mut it = EntryAnnotations::default();
    let timestamp = line.timestamp.clone();
    let mut extensions = std::mem::take(&mut line.rest);
    match step {
        Step::Prompt => {
            let is_typed = line.source.as_deref() == Some("USER_EXPLICIT");
            it.author = Some(if is_typed { Author::User } else { Author::Unknown });
        }
        Step::Result => {
            let is_shell = lines.answered.get(&at.index).is_some_and(|call| call.is_shell);
            let text = line.content.filter(|_| is_shell).and_then(Node::text);
            it.exit_code = text.and_then(|text| exit_code(&text));
            it.outcome = Some(outcome(line.status.as_deref(), it.exit_code));
        }
        Step::Event if line.kind.as_deref() == Some("ERROR_MESSAGE") => {
            it.ends = Some(End { of: EndOf::Turn, how: Some(Ending::Failure) });
        }
        Step::Response | Step::Event => {}
    }
    if step != Step::Event {
        let by = lines.summary_after(line.number).map(Text::from);
        it.superseded = by.map(|by| Superseded { how: SupersededHow::Compacted, by: Some(by) });
    }
    let content = line.content.map(Node::carry);
    if step == Step::Event {
        let event_type = line.kind.unwrap_or(UNKNOWN.into());
        if !EVENTS.contains(&&*event_type) {
            report.unknown(&event_type);
        }
        let data = Some(std::mem::take(&mut extensions));
        attach(&mut extensions, &it);
        let common = Common { timestamp, id: Some(id.into()), extensions };
        return Entry::Event(entry::event(event_type, data, common));
    }
    attach(&mut extensions, &it);
    let common = Common { timestamp: timestamp.clone(), id: Some(id.into()), extensions };
    match step {
        Step::Result => {
            let call = lines.answered.get(&at.index).map(|call| call.id.as_str().into());
            let is_error = match line.status.as_deref() {
                Some("ERROR") => Some(true),
                Some("DONE") => Some(false),
                _ => None,
            };
            Entry::ToolResult(entry::tool_result(content, call, None, is_error, common))
        }
        Step::Prompt => Entry::Message(entry::message(MessageEntryType::User, content, common)),
        _ => {
            let message = entry::message(MessageEntryType::Assistant, content, common);
            let children =
                children(node, at, line.thinking, line.calls, timestamp.as_ref(), lines, report);
            Entry::Message(MessageEntry { children, ..message })
        }
    }
}

/// Returns the reasoning and the calls of a response.
fn children<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    thinking: Option<Any<'a>>,
    calls: Option<Node<'a, 'a>>,
    timestamp: Option<&AbstractTimestamp<'a>>,
    lines: &'a Lines,
    report: &mut Report,
) -> Option<Vec<Entry<'a>>> {
    let common = |extensions| Common { timestamp: timestamp.cloned(), id: None, extensions };
    let mut children = Vec::new();
    if let Some(thinking) = thinking {
        let extensions = vac_adapter::members::Rest::default();
        let reasoning = entry::reasoning(Some(thinking), None, None, common(extensions));
        children.push(Entry::Reasoning(reasoning));
    }
    for (number, call) in (1..).zip(calls.into_iter().flat_map(Node::elements)) {
        let ToolCall { name, args, rest: mut extensions } =
            ToolCall::read(call, &ToolCallEntry::KEYS, report);
        let input = args.map(|args| decoded_values(args).unwrap_or_else(|| args.carry()));
        let call_id = call_id(node, at, number);
        let action = Some(TOOLS.action(name.as_deref().unwrap_or(UNKNOWN)));
        let delegated_to = lines.delegations.get(&call_id).map(|id| id.as_str().into());
        let it = EntryAnnotations { action, delegated_to, ..EntryAnnotations::default() };
        attach(&mut extensions, &it);
        let call = entry::tool_call(name, input, Some(call_id.into()), common(extensions));
        children.push(Entry::ToolCall(call));
    }
    (!children.is_empty()).then_some(children)
}

/// Returns arguments, in which texts that contain JSON are replaced by its values. `None` if the
/// arguments are not an object.
fn decoded_values<'a>(args: Node<'a, '_>) -> Option<Any<'a>> {
    let decode = |value: Node<'a, '_>| value.text().and_then(|text| json_in_text(&text));
    let member = |(key, value): (Node<'a, '_>, Node<'a, '_>)| {
        Some((key.text()?, decode(value).unwrap_or_else(|| value.carry())))
    };
    let members: Option<Vec<_>> = args.members().map(member).collect();
    members.filter(|_| args.kind() == Kind::Map).map(Any::members)
}

/// Returns how a call ended.
fn outcome(status: Option<&str>, exit_code: Option<i128>) -> Outcome {
    match status {
        _ if exit_code.is_some_and(|code| code != 0) => Outcome::Error,
        Some("DONE") => Outcome::Success,
        Some("ERROR") => Outcome::Error,
        Some("CANCELED" | "CANCELLED") => Outcome::Cancelled,
        _ => Outcome::Unknown,
    }
}

/// Returns the exit code of a command: `The command failed with exit code: 1`.
fn exit_code(text: &str) -> Option<i128> {
    let head = "The command failed with exit code:";
    let code = text.lines().find_map(|line| line.trim().strip_prefix(head))?;
    code.trim().trim_end_matches('.').parse::<i64>().ok().map(i128::from)
}

#[cfg(test)]
mod tests {
    use super::exit_code;

    #[test]
    fn exit_code_is_in_a_line_of_its_own() {
        assert_eq!(exit_code("Created At: x\n\n\tThe command failed with exit code: 3\n"), Some(3));
        assert_eq!(exit_code("\tThe command completed successfully.\n"), None);
    }
}
