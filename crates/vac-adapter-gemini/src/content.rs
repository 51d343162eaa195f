//! Content and Part of the API: parts that have an entry type of their own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use vac_adapter::Report;
use vac_adapter::annotation::attach;
use vac_adapter::members::{Members, null};
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, ReasoningEntry, ToolCallEntry, ToolResultEntry};
use vac_value::{Kind, Node, Text};

use crate::keys::TOOL_RESULT;
use crate::message_versions::{Key, key};
use crate::outcome::{self, Stated};
use crate::tools;

/// Parts that are content and nothing else.
const PLAIN: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "videoMetadata",
    "thoughtSignature",
];

/// Maximum number of waiting calls of one tool that are searched for the id of a response.
const MAX_PARALLEL: usize = 256;

/// The calls of a session: which responses answer which.
#[derive(Debug)]
pub(crate) struct Calls<'s> {
    /// Calls of the last turn that had any, by tool: their ids.
    pending: HashMap<String, VecDeque<String>>,
    /// How many calls without an id each tool had.
    numbers: HashMap<String, u64>,
    /// Calls whose result is part of them.
    answered: &'s HashSet<Key>,
}

impl<'s> Calls<'s> {
    /// Of a session in which these calls have their result with them.
    pub fn new(answered: &'s HashSet<Key>) -> Self {
        Self { pending: HashMap::new(), numbers: HashMap::new(), answered }
    }

    /// The id of a call: its own, else one of its tool's name and a number.
    fn call<'a>(&mut self, name: &str, id: Option<Text<'a>>) -> Text<'a> {
        let id = id.unwrap_or_else(|| {
            let number = self.numbers.entry(name.to_owned()).or_default();
            *number += 1;
            format!("{name}#{number}").into()
        });
        self.pending.entry(name.to_owned()).or_default().push_back(id.clone().into_owned());
        id
    }

    /// The id of the call that a response answers: its own, else that of the
    /// first call of the tool that waits. Also returns whether the call was found.
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
        // Answers come in the order of the calls, mostly.
        if let Some(waiting) = waiting
            && let Some(at) = waiting.iter().take(MAX_PARALLEL).position(|call| *call == id)
        {
            waiting.remove(at);
            is_found = true;
        }
        (Some(id), is_found)
    }

    /// Whether a call contains its result.
    fn is_answered(&self, id: &str) -> bool {
        self.answered.contains(&key(id))
    }
}

/// Kinds of parts that a message also states in another member.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlsoStated {
    /// As `toolCalls`.
    pub calls: bool,
    /// As `thoughts`.
    pub thoughts: bool,
}

/// The children of content that is a part or an array of parts.
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

/// One message, while its parts are read.
pub(crate) struct Turn<'t, 's, 'a> {
    timestamp: Option<&'t AbstractTimestamp<'a>>,
    also: AlsoStated,
    calls: &'t mut Calls<'s>,
    report: &'t mut Report,
    has_calls: bool,
}

impl<'t, 's, 'a> Turn<'t, 's, 'a> {
    /// A message of this time that also states these kinds of parts in other members.
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
            return if self.also.thoughts { None } else { self.reasoning(part) };
        }
        let unknown = part.members().find_map(|(key, _)| {
            let key = key.text()?;
            (!PLAIN.contains(&&*key) && key != "thought").then_some(key)
        });
        if let Some(unknown) = unknown {
            self.report.unknown(&format!("part {unknown}"));
        }
        None
    }

    fn tool_call(&mut self, part: Node<'a, '_>) -> Option<Entry<'a>> {
        let mut part = Members::new(part)?;
        let mut call = part.object("functionCall")?;
        if !self.has_calls {
            // Calls of the last turn without a response stay unanswered.
            self.has_calls = true;
            self.calls.pending.clear();
        }
        let name = call.text("name").unwrap_or(Cow::Borrowed("unknown"));
        let call_id = self.calls.call(&name, call.text("id"));
        let input = call.any("args").unwrap_or_else(null);
        let left = call.remainder();
        let mut extensions = part.rest(&ToolCallEntry::KEYS);
        extensions.extend(left.map(|left| ("functionCall".into(), left)));
        let action = Some(tools::action(&name, None));
        attach(&mut extensions, &EntryAnnotations { action, ..EntryAnnotations::default() });
        Some(Entry::ToolCall(ToolCallEntry {
            name,
            input,
            call_id: Some(call_id),
            timestamp: self.timestamp.cloned(),
            id: None,
            children: None,
            extensions,
        }))
    }

    /// A part with `functionResponse` as a tool result.
    pub fn tool_result(
        &mut self,
        part: Node<'a, '_>,
        version: EntryAnnotations<'static>,
    ) -> Option<ToolResultEntry<'a>> {
        let result = part;
        let mut part = Members::new(part)?;
        let mut response = part.object("functionResponse")?;
        let name = response.peek("name").and_then(Node::text);
        let (call_id, has_call) = self.calls.response(name.as_deref(), response.text("id"));
        let is_error = response.peek("response").and_then(failed);
        let output = response.any("response").unwrap_or_else(null);
        let left = response.remainder();
        let mut extensions = part.rest(TOOL_RESULT);
        extensions.extend(left.map(|left| ("functionResponse".into(), left)));
        let stated = Stated {
            is_shell: name.as_deref().is_some_and(tools::is_shell),
            status: None,
            is_error,
        };
        let mut annotations = outcome::annotations(Some(result), stated);
        annotations.superseded = version.superseded;
        annotations.duplicate_of = version.duplicate_of;
        if let Some(id) = call_id.as_deref().filter(|id| self.calls.is_answered(id)) {
            annotations.duplicate_of = Some(id.to_owned().into());
            self.report.duplicates_linked += 1;
        }
        annotations.tool = name.filter(|_| !has_call);
        attach(&mut extensions, &annotations);
        Some(ToolResultEntry {
            output,
            call_id,
            status: None,
            is_error,
            timestamp: self.timestamp.cloned(),
            id: None,
            children: None,
            extensions,
        })
    }

    fn reasoning(&mut self, part: Node<'a, '_>) -> Option<Entry<'a>> {
        let mut part = Members::new(part)?;
        part.bool("thought");
        Some(Entry::Reasoning(ReasoningEntry {
            content: part.any("text").unwrap_or_else(null),
            encrypted: None,
            subject: None,
            timestamp: self.timestamp.cloned(),
            id: None,
            children: None,
            extensions: part.rest(&ReasoningEntry::KEYS),
        }))
    }
}

/// Whether a response states an error: as `error`, or as `content.error`; `None`
/// if it is not an object.
pub(crate) fn failed(response: Node<'_, '_>) -> Option<bool> {
    let has_error =
        |node: Node<'_, '_>| node.member("error").is_some_and(|error| error.kind() != Kind::Null);
    (response.kind() == Kind::Map)
        .then(|| has_error(response) || response.member("content").is_some_and(has_error))
}
