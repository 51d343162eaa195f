//! Converts the tool call of a bubble: `toolFormerData`, which contains the call and its result.

use vac_adapter::annotation::{annotate, attach};
use vac_adapter::{Report, mapping};
use vac_record::{AbstractTimestamp, Entry, ToolCallEntry};
use vac_value::{Any, Kind, Map, Node, Text};

use crate::{entry, outcome, tools};

/// The members of a call that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Whether the call has ended, so that there is a result.
    is_over: bool,
    /// Whether `rawArgs` is the input.
    has_raw_args: bool,
}

mapping! {
    /// `toolFormerData` of a bubble: a `tool-call`, and a `tool-result` once it is over.
    pub(crate) struct ToolFormerData<'a>("toolFormerData"; key, value, wanted: Wanted) {
        "name" => "`name`", take name: Text<'a> = value.text();
        "toolCallId" => "`call-id`", take call_id: Text<'a> = value.text();
        // The arguments as the model wrote them are preferred to the parsed ones.
        "rawArgs" => "`input`, unless it is empty",
            take raw_args: Any<'a> = wanted.has_raw_args.then(|| value.carry());
        "params" => "`input` where `rawArgs` is absent",
            take params: Any<'a> = (!wanted.has_raw_args).then(|| value.carry());
        "result" => "`output` of the `tool-result`, `vac.outcome`",
            take result: Node<'a, 'a> = wanted.is_over.then_some(value);
        "error" =>
            "`is-error`; `output` of the `tool-result` where `result` is absent, else kept there",
            take error: Node<'a, 'a> = wanted.is_over.then_some(value);
        "status" => "`status` of the `tool-result`, `vac.outcome`",
            take status: Text<'a> = value.text().filter(|_| wanted.is_over);
        "userDecision" => "`vac.permission`", note decision: Text<'a> = value.text();
        "tool" | "toolIndex" | "modelCallId" | "additionalData" => "", keep;
    }
}

/// The states of a call that has ended.
const OVER: &[&str] = &["completed", "error", "failed", "cancelled", "canceled", "rejected"];

/// Returns whether `toolFormerData` is a call: bubbles without a call have an empty one.
pub(crate) fn is_call(tool: Node<'_, '_>) -> bool {
    let has_number = tool.member("tool").is_some_and(|number| number.integer().is_some());
    has_number || ["name", "toolCallId"].iter().any(|key| tool.member(key).is_some())
}

/// Returns the call, and its result if it has ended.
pub(crate) fn entries<'a>(
    tool: Node<'a, '_>,
    id: &str,
    timestamp: Option<&AbstractTimestamp<'a>>,
    report: &mut Report,
) -> (Entry<'a>, Option<Entry<'a>>) {
    let says = |key: &str| tool.member(key).is_some_and(|value| value.kind() != Kind::Null);
    let is = |key: &str, words: &[&str]| {
        tool.member(key).is_some_and(|value| words.iter().any(|word| value.is_text(word)))
    };
    let wanted = Wanted {
        is_over: says("result") || says("error") || is("status", OVER),
        has_raw_args: says("rawArgs") && !is("rawArgs", &[""]),
    };
    let read = ToolFormerData::read(tool, &ToolCallEntry::KEYS, wanted, report);
    let ToolFormerData { name, call_id, status, result, error, .. } = read;
    let result = wanted.is_over.then(|| {
        let is_error = is_error(status.as_deref(), error.is_some());
        let is_shell = name.as_deref().is_some_and(tools::is_shell);
        let mut extensions = Map::default();
        let annotations =
            outcome::bubble_annotations(status.as_deref(), is_error, is_shell, result);
        attach(&mut extensions, &annotations);
        if result.is_some() {
            extensions.extend(error.map(|error| ("error".into(), error.carry())));
        }
        let (output, id) = (result.or(error).map(Node::carry), Some(format!("{id}:result")));
        entry::tool_result(output, call_id.clone(), status, is_error, id, extensions).into()
    });
    let input = read.raw_args.or(read.params);
    let call_key = Some(format!("{id}:call"));
    let mut call = entry::tool_call(name, input, call_id, timestamp.cloned(), call_key, read.rest);
    if let Some(permission) = read.decision.as_deref().and_then(outcome::decision) {
        annotate(&mut call, |it| it.permission = Some(permission));
    }
    (call, result)
}

fn is_error(status: Option<&str>, has_error: bool) -> Option<bool> {
    match status {
        Some("completed") => Some(has_error),
        Some("error" | "failed") => Some(true),
        _ => has_error.then_some(true),
    }
}
