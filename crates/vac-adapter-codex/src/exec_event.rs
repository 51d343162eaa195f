//! Events that `codex exec --json` printed before October 2025. There are no response items in
//! such a log: the event that begins a tool is its call, and the one that ends it the result.

use std::borrow::Cow;

use vac_adapter::annotation;
use vac_adapter::members::{Members, null, put, sift};
use vac_adapter::provider::UNKNOWN;
use vac_record::annotations::{EntryAnnotations, Outcome};
use vac_record::{Entry, MessageEntry, MessageEntryType, ToolCallEntry, ToolResultEntry};
use vac_value::{Any, IntoOwned, Node, Text};

use crate::envelope_rest::{self, LineContext};
use crate::item::annotate_prompt;
use crate::location::Location;
use crate::prompt_rules::{Prompt, Prompter};
use crate::{outcome, tools};

/// What an event of a tool becomes.
enum Target {
    /// The call of a tool of this name, with its input under this key.
    Call(&'static str, &'static str),
    /// The call of a tool of a server.
    ServerCall,
    /// A result, with its output under one of these keys.
    Result(&'static [&'static str]),
}

fn target(kind: &str) -> Option<Target> {
    Some(match kind {
        "exec_command_begin" => Target::Call("exec_command", "command"),
        "patch_apply_begin" => Target::Call("patch_apply", "changes"),
        // Only the end says what was searched for, and nothing what was found.
        "web_search_end" => Target::Call("web_search", "query"),
        "mcp_tool_call_begin" => Target::ServerCall,
        "exec_command_end" | "patch_apply_end" => Target::Result(&["aggregated_output"]),
        "mcp_tool_call_end" => Target::Result(&["result"]),
        _ => return None,
    })
}

/// Returns the entry of an event of this type, or the context if it is not about a tool.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn entry<'a>(
    event: Node<'a, 'a>,
    kind: &str,
    mut around: LineContext<'a>,
) -> Result<Entry<'a>, LineContext<'a>> {
    let Some(target) = target(kind) else { return Err(around) };
    let Some(mut payload) = Members::new(event) else { return Err(around) };
    let call_id = payload.text("call_id");
    Ok(match target {
        Target::Result(keys) => result(event, payload, keys, call_id, around),
        Target::Call(name, input) => {
            let input = payload.any(input);
            around.annotations.action = Some(tools::action(name, None, None));
            if kind == "web_search_end" {
                around.annotations.outcome = Some(Outcome::Success);
            }
            call(payload, name.into(), input, call_id, None, around)
        }
        Target::ServerCall => {
            // The first versions have no `invocation`: its members are in the event.
            let mut invocation = payload.object("invocation");
            let of = invocation.as_mut().unwrap_or(&mut payload);
            let (name, input) = (of.text("tool"), of.any("arguments"));
            let server = of.peek("server").and_then(Node::text).unwrap_or_default();
            around.annotations.action = Some(tools::mcp(&server).into_owned());
            let left = invocation.and_then(Members::remainder);
            call(payload, name.unwrap_or(Cow::Borrowed(UNKNOWN)), input, call_id, left, around)
        }
    })
}

fn call<'a>(
    payload: Members<'a, '_>,
    name: Text<'a>,
    input: Option<Any<'a>>,
    call_id: Option<Text<'a>>,
    invocation: Option<Any<'a>>,
    around: LineContext<'a>,
) -> Entry<'a> {
    let id = around.at.id();
    let (timestamp, mut extensions) = around.close(payload, envelope_rest::TOOL_CALL);
    extensions.extend(invocation.map(|left| ("invocation".into(), left)));
    Entry::ToolCall(ToolCallEntry {
        name,
        input: input.unwrap_or_else(null),
        call_id,
        timestamp,
        id: Some(id.into()),
        children: None,
        extensions,
    })
}

fn result<'a>(
    event: Node<'a, '_>,
    mut payload: Members<'a, '_>,
    keys: &[&str],
    call_id: Option<Text<'a>>,
    mut around: LineContext<'a>,
) -> Entry<'a> {
    let end = outcome::stated(event);
    if let Some(end) = end {
        end.annotate(&mut around.annotations, call_id.clone());
    }
    let output = keys.iter().find_map(|key| payload.any(key));
    let output = output.unwrap_or_else(|| streams(&mut payload));
    let status = payload.text("status");
    let id = around.at.id();
    let (timestamp, extensions) = around.close(payload, envelope_rest::TOOL_RESULT);
    Entry::ToolResult(ToolResultEntry {
        output,
        call_id,
        status: status.or_else(|| end?.status()),
        is_error: end.and_then(outcome::CallEnd::is_error),
        timestamp,
        id: Some(id.into()),
        children: None,
        extensions,
    })
}

/// Returns what a command wrote, by stream.
fn streams<'a>(payload: &mut Members<'a, '_>) -> Any<'a> {
    let streams: Vec<_> =
        ["stdout", "stderr"].into_iter().filter_map(|key| Some((key, payload.any(key)?))).collect();
    if streams.is_empty() { null() } else { Any::members(streams) }
}

/// Returns the entry of a line with the prompt.
pub(crate) fn prompt<'a>(line: Node<'a, '_>, at: Location) -> Entry<'a> {
    let mut annotations = EntryAnnotations::default();
    annotate_prompt(&mut annotations, Prompt::new(line.member("prompt"), Prompter::User));
    let mut content = None;
    let mut extensions = sift(line, envelope_rest::MESSAGE, |key, value| {
        key == "prompt" && put(&mut content, Some(value.carry()))
    });
    annotation::attach(&mut extensions, &annotations);
    Entry::Message(MessageEntry {
        kind: MessageEntryType::User,
        content,
        timestamp: None,
        id: Some(at.id().into()),
        model_id: None,
        parent_id: None,
        token_usage: None,
        children: None,
        extensions,
    })
}
