//! Converts `Content` and `Part` of the API: parts that have an entry type of their own.

use std::collections::{HashMap, HashSet, VecDeque};

use vac_adapter::Report;
use vac_adapter::members::{keys, object};
use vac_adapter::parts::outcome::{self, StatedEnd};
use vac_adapter::parts::{ApiPart, FunctionCall, FunctionResponse, PartKind, failed};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node, Text};

use crate::message_versions::{Key, key};
use crate::{entry, tools};

/// The keys that this adapter adds to tool results.
const OURS_IN_RESULTS: &[&str] = &["functionResponse", "message"];

/// The keys of a tool result that are canonical or added by this adapter.
const TOOL_RESULT: &[&str] = &keys::with::<{ ToolResultEntry::KEYS.len() + OURS_IN_RESULTS.len() }>(
    &ToolResultEntry::KEYS,
    OURS_IN_RESULTS,
);

/// Maximum number of calls of one tool without a response that are searched for the id of a
/// response.
const MAX_PARALLEL: usize = 256;

/// The calls of a session, to find the call that a response answers.
#[derive(Debug)]
pub(crate) struct Calls<'s> {
    /// The ids of the calls in the last turn with calls, by tool.
    pending: HashMap<String, VecDeque<String>>,
    /// The number of calls without an id of each tool.
    numbers: HashMap<String, u64>,
    /// The ids of calls that contain their result.
    answered: &'s HashSet<Key>,
}

impl<'s> Calls<'s> {
    /// Creates the calls of a session. `answered` are the ids of those that contain their result.
    pub fn new(answered: &'s HashSet<Key>) -> Self {
        Self { pending: HashMap::new(), numbers: HashMap::new(), answered }
    }

    /// Returns the id of a call: its own, otherwise one made from the name of its tool and a
    /// number.
    fn call<'a>(&mut self, name: &str, id: Option<Text<'a>>) -> Text<'a> {
        let id = id.unwrap_or_else(|| {
            let number = self.numbers.entry(name.to_owned()).or_default();
            *number += 1;
            format!("{name}#{number}").into()
        });
        self.pending.entry(name.to_owned()).or_default().push_back(id.clone().into_owned());
        id
    }

    /// Returns the id of the call that a response answers, and whether that call was found: the id
    /// in the response, otherwise that of the first call of the tool without a response.
    fn response<'a>(
        &mut self,
        name: Option<&str>,
        id: Option<Text<'a>>,
    ) -> (Option<Text<'a>>, bool) {
        let mut is_found = id.as_deref().is_some_and(|id| self.is_answered(id));
        let waiting = name.and_then(|name| self.pending.get_mut(name));
        let Some(id) = id else {
            let call = waiting.and_then(VecDeque::pop_front);
            is_found = call.is_some();
            return (call.map(Into::into), is_found);
        };
        // Responses are usually in the order of the calls.
        if let Some(waiting) = waiting
            && let Some(at) = waiting.iter().take(MAX_PARALLEL).position(|call| *call == id)
        {
            waiting.remove(at);
            is_found = true;
        }
        (Some(id), is_found)
    }

    /// Returns whether a call contains its result.
    fn is_answered(&self, id: &str) -> bool {
        self.answered.contains(&key(id))
    }
}

/// The kinds of parts that a message also states in another member.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlsoStated {
    /// Calls, as `toolCalls`.
    pub calls: bool,
    /// Thoughts, as `thoughts`.
    pub thoughts: bool,
}

/// Adds the children of a content that is a part or an array of parts.
pub(crate) fn children<'a>(
    content: Node<'a, '_>,
    turn: &mut Turn<'_, '_, 'a>,
    children: &mut Vec<Entry<'a>>,
) {
    match content.kind() {
        Kind::Map => children.extend(turn.child(content)),
        Kind::Array => children.extend(content.elements().filter_map(|part| turn.child(part))),
        _ => {}
    }
}

/// A message whose parts are being read.
pub(crate) struct Turn<'t, 's, 'a> {
    timestamp: Option<&'t AbstractTimestamp<'a>>,
    also: AlsoStated,
    calls: &'t mut Calls<'s>,
    report: &'t mut Report,
    has_calls: bool,
}

impl<'t, 's, 'a> Turn<'t, 's, 'a> {
    /// Creates a message with this time. `also` are the kinds of parts that it also states in other
    /// members.
    pub fn new(
        timestamp: Option<&'t AbstractTimestamp<'a>>,
        also: AlsoStated,
        calls: &'t mut Calls<'s>,
        report: &'t mut Report,
    ) -> Self {
        Self { timestamp, also, calls, report, has_calls: false }
    }

    fn child(&mut self, part: Node<'a, '_>) -> Option<Entry<'a>> {
        let is_object = |key: &str| part.member(key).is_some_and(|value| value.kind() == Kind::Map);
        if part.kind() != Kind::Map {
            return None;
        }
        if is_object("functionCall") {
            return if self.also.calls { None } else { self.tool_call(part) };
        }
        if is_object("functionResponse") {
            return self.tool_result(part, EntryAnnotations::default()).map(Entry::ToolResult);
        }
        if part.member("thought").and_then(Node::bool) == Some(true) {
            return (!self.also.thoughts).then(|| self.reasoning(part));
        }
        for key in part.members().filter_map(|(key, _)| key.text()) {
            if !ApiPart::MAPPING.rows.iter().any(|row| row.keys.contains(&&*key)) {
                self.report.unknown_key(ApiPart::MAPPING.object, &key);
            }
        }
        None
    }

    fn tool_call(&mut self, part: Node<'a, '_>) -> Option<Entry<'a>> {
        let ApiPart { call, mut rest, .. } =
            ApiPart::read(part, &ToolCallEntry::KEYS, PartKind::Call, self.report);
        let FunctionCall { name, input, call_id, rest: left } =
            FunctionCall::read(call?, &[], self.report);
        if !self.has_calls {
            // Calls of the previous turn can no longer be answered.
            self.has_calls = true;
            self.calls.pending.clear();
        }
        let call_id = self.calls.call(name.as_deref().unwrap_or(entry::UNKNOWN), call_id);
        rest.extend(object(left).map(|left| ("functionCall".into(), left)));
        let timestamp = self.timestamp.cloned();
        let it = EntryAnnotations::default();
        let call = entry::tool_call(name, None, input, Some(call_id), timestamp, rest, it);
        Some(Entry::ToolCall(call))
    }

    /// Returns a part with `functionResponse` as a tool result.
    pub fn tool_result(
        &mut self,
        part: Node<'a, '_>,
        version: EntryAnnotations<'static>,
    ) -> Option<ToolResultEntry<'a>> {
        let ApiPart { response, mut rest, .. } =
            ApiPart::read(part, TOOL_RESULT, PartKind::Response, self.report);
        let FunctionResponse { response, call_id, name, rest: left } =
            FunctionResponse::read(response?, &[], self.report);
        let (call_id, has_call) = self.calls.response(name.as_deref(), call_id);
        let is_error = response.and_then(failed);
        rest.extend(object(left).map(|left| ("functionResponse".into(), left)));
        let stated = StatedEnd {
            is_shell: name.as_deref().is_some_and(tools::is_shell),
            status: None,
            is_error,
        };
        let mut annotations = outcome::annotations(Some(part), stated);
        annotations.superseded = version.superseded;
        annotations.duplicate_of = version.duplicate_of;
        if let Some(id) = call_id.as_deref().filter(|id| self.calls.is_answered(id)) {
            annotations.duplicate_of = Some(id.to_owned().into());
            self.report.duplicates_linked += 1;
        }
        annotations.tool = name.filter(|_| !has_call);
        let (output, timestamp) = (response.map(Node::carry), self.timestamp.cloned());
        Some(entry::tool_result(output, call_id, None, is_error, timestamp, rest, &annotations))
    }

    fn reasoning(&mut self, part: Node<'a, '_>) -> Entry<'a> {
        let ApiPart { text, rest, .. } =
            ApiPart::read(part, &ReasoningEntry::KEYS, PartKind::Thought, self.report);
        entry::reasoning(text, None, self.timestamp.cloned(), rest)
    }
}
