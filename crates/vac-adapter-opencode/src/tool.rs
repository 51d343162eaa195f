//! Tool parts: a call, and what came of it.

use std::borrow::Cow;

use vac_adapter::cursor::{Cursor, keys, null, object};
use vac_record::{Entry, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, Extensions, Kind, Node, Text};

/// Whether a part is a call with a result.
pub(crate) fn is_split(part: Node<'_, '_>) -> bool {
    if !part.member("type").is_some_and(|kind| kind.is_text("tool")) {
        return false;
    }
    let Some(state) = part.member("state") else { return false };
    let says = |key: &str| state.member(key).is_some_and(|value| value.kind() != Kind::Null);
    let ended = |status: Node<'_, '_>| status.is_text("completed") || status.is_text("error");
    says("output") || says("error") || state.member("status").is_some_and(ended)
}

/// The entries of a tool part.
pub(crate) fn entries<'a>(
    node: Node<'_, 'a>,
    mut part: Cursor<'_, 'a>,
    id: Text<'a>,
) -> (Entry<'a>, Option<Entry<'a>>) {
    part.said("type", "tool");
    let call_id = part.text("callID");
    let name = part.text("tool").unwrap_or(Cow::Borrowed("unknown"));
    let message = part.peek("messageID").map(Node::carry);
    let mut state = part.object("state");
    let mut time = state.as_mut().and_then(|state| state.object("time"));
    let input = state.as_mut().and_then(|state| state.any("input")).unwrap_or_else(null);
    let start = time.as_mut().and_then(|time| time.timestamp("start"));
    let mut result = None;
    if let (true, Some(state)) = (is_split(node), &mut state) {
        let status = state.text("status");
        let is_error = match status.as_deref() {
            Some("completed") => false,
            Some("error") => true,
            _ => !has(state, "output"),
        };
        let output = state.any(if is_error { "error" } else { "output" });
        let mut extensions = Extensions::default();
        extensions.extend(message.map(|message| ("messageID".into(), message)));
        result = Some(ToolResultEntry {
            output: output.unwrap_or_else(null),
            call_id: call_id.clone(),
            status,
            is_error: Some(is_error),
            timestamp: time.as_mut().and_then(|time| time.timestamp("end")),
            id: Some(format!("{id}:result").into()),
            children: None,
            extensions,
        });
    }
    let left = left(state, time).map(|left| ("state".into(), left));
    let mut extensions = part.rest(keys::TOOL_CALL);
    match &mut result {
        Some(result) => result.extensions.extend(left),
        None => extensions.extend(left),
    }
    let call = Entry::ToolCall(ToolCallEntry {
        name,
        input,
        call_id,
        timestamp: start,
        id: Some(id),
        children: None,
        extensions,
    });
    (call, result.map(Entry::ToolResult))
}

fn has(state: &Cursor<'_, '_>, key: &str) -> bool {
    state.peek(key).is_some_and(|value| value.kind() != Kind::Null)
}

/// What nobody has taken of a state and its times.
fn left<'a>(state: Option<Cursor<'_, 'a>>, time: Option<Cursor<'_, 'a>>) -> Option<Any<'a>> {
    let mut left = state.map(|state| state.rest(&[])).unwrap_or_default();
    left.extend(time.and_then(Cursor::remainder).map(|time| ("time".into(), time)));
    object(&left)
}
