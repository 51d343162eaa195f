//! Converts events that `codex exec --json` printed before October 2025. Such a log has no response
//! items: the event that begins a tool is its call, and the event that ends it is the result.

use std::borrow::Cow;

use vac_adapter::members::object;
use vac_adapter::provider::UNKNOWN;
use vac_adapter::{Report, mapping};
use vac_record::annotations::{EntryAnnotations, Outcome};
use vac_record::{Entry, MessageEntryType};
use vac_value::{Any, IntoOwned, Kind, Node, Text};

use crate::entries::{self, Common};
use crate::envelope_rest::{self, LineContext};
use crate::item::annotate_prompt;
use crate::location::Location;
use crate::outcome::{self, CallEnd};
use crate::prompt_rules::{Prompt, Prompter};
use crate::tools;

/// The entry that an event of a tool becomes.
enum Target {
    /// The call of the tool with this name, or of a server's tool if `None`, with its input under
    /// this key.
    Call(Option<&'static str>, &'static str),
    /// A result, with its output under this key.
    Result(&'static str),
}

fn target(kind: &str) -> Option<Target> {
    Some(match kind {
        "exec_command_begin" => Target::Call(Some("exec_command"), "command"),
        "patch_apply_begin" => Target::Call(Some("patch_apply"), "changes"),
        // Only the end states the query, and nothing states the results.
        "web_search_end" => Target::Call(Some("web_search"), "query"),
        "mcp_tool_call_begin" => Target::Call(None, "arguments"),
        "exec_command_end" | "patch_apply_end" => Target::Result("aggregated_output"),
        "mcp_tool_call_end" => Target::Result("result"),
        _ => return None,
    })
}

mapping! {
    /// `msg` of a printed line, if it is an `exec_command_begin`, `patch_apply_begin`,
    /// `mcp_tool_call_begin` or `web_search_end`: a `tool-call`. The tools of the CLI are named by
    /// the type.
    pub(crate) struct CallEvent<'a>("call event"; key, value, input_key: Option<&str>) {
        "call_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "command" | "changes" | "query" | "arguments" => "`input`",
            take input: Node<'a, 'a> = (input_key == Some(key)).then_some(value);
        // In the first versions, the members of `invocation` are in the event itself.
        "tool" => "`name`",
            take name: Text<'a> = value.text().filter(|_| input_key == Some("arguments"));
        "server" => "`vac.action`", note server: Text<'a> = value.text();
        "invocation" => "the invocation", stated = input_key.is_none();
        "type" | "cwd" | "parsed_cmd" | "auto_approved" => "", keep;
    }
}

mapping! {
    /// `invocation` of an `mcp_tool_call_begin`.
    pub(crate) struct Invocation<'a>("invocation"; key, value) {
        "tool" => "`name`", take name: Text<'a> = value.text();
        "arguments" => "`input`", take input: Node<'a, 'a> = Some(value);
        "server" => "`vac.action`", note server: Text<'a> = value.text();
    }
}

mapping! {
    /// `msg` of a printed line, if it is an `exec_command_end`, `patch_apply_end` or
    /// `mcp_tool_call_end`: a `tool-result`.
    pub(crate) struct ResultEvent<'a>("result event"; key, value, body: Option<&str>) {
        "call_id" => "`call-id`", take call_id: Text<'a> = value.text();
        "aggregated_output" | "result" => "`output`",
            take output: Node<'a, 'a> = (body == Some(key)).then_some(value);
        "stdout" => "`output.stdout` of a call without other output; else kept",
            take stdout: Node<'a, 'a> = body.is_none().then_some(value);
        "stderr" => "`output.stderr` of a call without other output; else kept",
            take stderr: Node<'a, 'a> = body.is_none().then_some(value);
        "status" => "`status`", take status: Text<'a> = value.text();
        "exit_code" | "success" => "`is-error`, `vac.outcome`, `vac.exit-code`", keep;
        "type" | "duration" | "formatted_output" | "invocation" | "command" | "cwd" | "parsed_cmd"
        | "changes" => "", keep;
    }
}

mapping! {
    /// The line with the prompt, which is printed before all events: a message of the user.
    pub(crate) struct PromptLine<'a>("prompt"; key, value) {
        "prompt" => "`content`", take content: Node<'a, 'a> = Some(value);
    }
}

/// Returns the entry of an event of this type, or the context if it is not about a tool.
#[expect(clippy::result_large_err, reason = "callers use the context at once")]
pub(crate) fn entry<'a>(
    event: Node<'a, 'a>,
    kind: &str,
    mut around: LineContext<'a>,
    report: &mut Report,
) -> Result<Entry<'a>, LineContext<'a>> {
    let Some(target) = target(kind).filter(|_| event.kind() == Kind::Map) else {
        return Err(around);
    };
    Ok(match target {
        Target::Result(output) => result(event, output, around, report),
        Target::Call(tool, input) => {
            if kind == "web_search_end" {
                around.annotations.outcome = Some(Outcome::Success);
            }
            call(event, tool, input, around, report)
        }
    })
}

fn call<'a>(
    event: Node<'a, '_>,
    tool: Option<&'static str>,
    input: &str,
    mut around: LineContext<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let invocation = event.member("invocation");
    let invocation = invocation.filter(|it| tool.is_none() && it.kind() == Kind::Map);
    let input = invocation.is_none().then_some(input);
    let invocation = invocation.map(|it| Invocation::read(it, &[], report)).unwrap_or_default();
    let named = envelope_rest::TOOL_CALL;
    let event = CallEvent::read(event, around.payload_keys(named), input, report);
    let server = if input.is_some() { event.server } else { invocation.server };
    around.annotations.action = Some(match tool {
        Some(tool) => tools::action(tool, None, None),
        None => tools::mcp(server.as_deref()).into_owned(),
    });
    let name = tool.map(Cow::Borrowed).or(invocation.name).or(event.name);
    let payload = Common { extensions: event.rest, ..Common::default() };
    let mut common = around.join(payload, named, report);
    common.extensions.extend(object(invocation.rest).map(|left| ("invocation".into(), left)));
    let name = name.unwrap_or(Cow::Borrowed(UNKNOWN));
    entries::tool_call(name, invocation.input.or(event.input), event.call_id, None, common)
}

fn result<'a>(
    event: Node<'a, '_>,
    output: &str,
    mut around: LineContext<'a>,
    report: &mut Report,
) -> Entry<'a> {
    let named = envelope_rest::TOOL_RESULT;
    let end = outcome::stated(event);
    let has_output = event.member(output).is_some_and(|output| output.kind() != Kind::Null);
    let output = has_output.then_some(output);
    let event = ResultEvent::read(event, around.payload_keys(named), output, report);
    if let Some(end) = end {
        end.annotate(&mut around.annotations, event.call_id.clone());
    }
    // The output of a command, by stream.
    let streams = [("stdout", event.stdout), ("stderr", event.stderr)];
    let streams: Vec<_> =
        streams.into_iter().filter_map(|(key, stream)| Some((key, stream?.carry()))).collect();
    let streams = (!streams.is_empty()).then(|| Any::members(streams));
    let payload = Common { extensions: event.rest, ..Common::default() };
    let common = around.join(payload, named, report);
    let output = event.output.map(Node::carry).or(streams);
    let status = event.status.or_else(|| end?.status());
    entries::tool_result(output, event.call_id, status, end.and_then(CallEnd::is_error), common)
}

/// Returns the entry of a line with the prompt.
pub(crate) fn prompt<'a>(line: Node<'a, '_>, at: Location, report: &mut Report) -> Entry<'a> {
    let named = envelope_rest::MESSAGE;
    let PromptLine { content, rest } = PromptLine::read(line, named, report);
    let mut annotations = EntryAnnotations::default();
    annotate_prompt(&mut annotations, Prompt::new(content, Prompter::User));
    let payload = Common { extensions: rest, ..Common::default() };
    let common = LineContext::bare(at, annotations).join(payload, named, report);
    entries::message(MessageEntryType::User, content, None, common)
}
