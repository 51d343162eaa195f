//! Constructors of entries: what no object states is absent.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::members::{Rest, null};
use vac_record::annotations::EntryAnnotations;
use vac_record::{
    AbstractTimestamp, Entry, EventEntry, MessageEntry, MessageEntryType, ReasoningEntry,
    ToolCallEntry, ToolResultEntry,
};
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
    MessageEntry {
        kind,
        content: None,
        timestamp,
        id: Some(id),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    }
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
    Entry::Reasoning(ReasoningEntry {
        content: content.unwrap_or_else(null),
        encrypted,
        subject: None,
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}

/// What is called, and under which ids.
pub(crate) struct Called<'a> {
    /// The tool's name.
    pub name: Option<Text<'a>>,
    /// The id that the call and its result have in common.
    pub call_id: Option<Text<'a>>,
    /// The id of the entry of the call.
    pub id: Text<'a>,
}

impl<'a> Called<'a> {
    /// The tool's name, or that of an unknown tool.
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
        Entry::ToolCall(ToolCallEntry {
            name: self.name(),
            input: input.unwrap_or_else(null),
            call_id: self.call_id,
            timestamp,
            id: Some(self.id),
            children: None,
            extensions,
        })
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
        ToolResultEntry {
            output: output.unwrap_or_else(null),
            call_id: self.call_id.clone(),
            status: None,
            is_error: None,
            timestamp,
            id: Some(format!("{}:result", self.id).into()),
            children: None,
            extensions,
        }
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
    Entry::Event(EventEntry {
        event_type,
        data: Some(data),
        timestamp,
        id: Some(id),
        children: None,
        extensions,
    })
}
