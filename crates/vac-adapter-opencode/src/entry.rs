//! Constructs entries. Values that no object states are absent.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_record::annotations::EntryAnnotations;
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolResultEntry};
use vac_value::{Any, Text};

/// Returns a message without content.
pub(crate) fn message<'a>(
    kind: MessageEntryType,
    id: Text<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    mut extensions: Rest<'a>,
    annotations: &EntryAnnotations<'_>,
) -> MessageEntry<'a> {
    attach(&mut extensions, annotations);
    entry::message(kind, None, Common { timestamp, id: Some(id), extensions })
}

/// Returns reasoning.
pub(crate) fn reasoning<'a>(
    content: Option<Any<'a>>,
    encrypted: Option<Text<'a>>,
    id: Text<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    mut extensions: Rest<'a>,
    annotations: &EntryAnnotations<'_>,
) -> Entry<'a> {
    attach(&mut extensions, annotations);
    let common = Common { timestamp, id: Some(id), extensions };
    Entry::Reasoning(entry::reasoning(content, encrypted, None, common))
}

/// A called tool, with the ids of the call.
pub(crate) struct Called<'a> {
    /// The tool's name.
    pub name: Option<Text<'a>>,
    /// The id that the call and its result share.
    pub call_id: Option<Text<'a>>,
    /// The id of the entry of the call.
    pub id: Text<'a>,
}

impl<'a> Called<'a> {
    /// Returns the name of the tool, or the name for an unknown tool.
    pub fn name(&self) -> Text<'a> {
        self.name.clone().unwrap_or(Cow::Borrowed("unknown"))
    }

    /// Returns the call.
    pub fn call(
        self,
        input: Option<Any<'a>>,
        timestamp: Option<AbstractTimestamp<'a>>,
        mut extensions: Rest<'a>,
        annotations: &EntryAnnotations<'_>,
    ) -> Entry<'a> {
        attach(&mut extensions, annotations);
        let common = Common { timestamp, id: Some(self.id), extensions };
        Entry::ToolCall(entry::tool_call(self.name, input, self.call_id, common))
    }

    /// Returns the result of the call, without its status.
    pub fn result(
        &self,
        output: Option<Any<'a>>,
        timestamp: Option<AbstractTimestamp<'a>>,
        mut extensions: Rest<'a>,
        annotations: &EntryAnnotations<'_>,
    ) -> ToolResultEntry<'a> {
        attach(&mut extensions, annotations);
        let id = Some(format!("{}:result", self.id).into());
        let common = Common { timestamp, id, extensions };
        entry::tool_result(output, self.call_id.clone(), None, None, common)
    }
}

/// Returns an event.
pub(crate) fn event<'a>(
    event_type: Text<'a>,
    data: Rest<'a>,
    id: Text<'a>,
    timestamp: Option<AbstractTimestamp<'a>>,
    mut extensions: Rest<'a>,
    annotations: &EntryAnnotations<'_>,
) -> Entry<'a> {
    attach(&mut extensions, annotations);
    let common = Common { timestamp, id: Some(id), extensions };
    Entry::Event(entry::event(event_type, Some(data), common))
}
