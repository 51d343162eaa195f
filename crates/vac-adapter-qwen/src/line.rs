//! Converts lines to entries: messages, tool results and events.

use vac_adapter::annotation::attach;
use vac_adapter::blocks::children;
use vac_adapter::entry::{self, Common};
use vac_adapter::line_log::{LineAt, parse_time};
use vac_adapter::members::{Rest, keys, object};
use vac_adapter::parts::outcome::{self, StatedEnd};
use vac_adapter::parts::{PART, PartKind, PartReader, failed, part_kind};
use vac_adapter::{Report, mapping};
use vac_record::annotations::{EntryAnnotations, EntryAnnotationsInherited as Inherited, Subagent};
use vac_record::{AbstractTimestamp, Entry, MessageEntry, MessageEntryType, ToolResultEntry};
use vac_value::{Kind, Node, Text};

use crate::author::{self, Stated};
use crate::lines::Lines;
use crate::tools::TOOLS;
use crate::{event, usage};

/// The types of lines that are not events.
const KINDS: [&str; 3] = ["user", "assistant", "tool_result"];

/// The keys of a tool result that are canonical or added by this adapter.
const TOOL_RESULT: &[&str] = &keys::with::<{ ToolResultEntry::KEYS.len() + 2 }>(
    &ToolResultEntry::KEYS,
    &["parent-id", PART],
);

/// The context that decides how a line is read.
#[derive(Clone, Copy)]
pub(crate) struct LineContext<'c> {
    /// The type of the line; `None` if it is unknown.
    pub kind: Option<&'c str>,
    pub at: LineAt,
    /// Whether the tokens of the line are counted.
    pub counts_usage: bool,
    pub lines: &'c Lines,
}

impl LineContext<'_> {
    fn is_of_session(self, key: &str, value: Node<'_, '_>) -> bool {
        let facts = &self.lines.facts;
        let known = match key {
            "sessionId" => &facts.session_id,
            "cwd" => &facts.cwd,
            "version" => &facts.version,
            _ => &self.lines.branch,
        };
        known.as_deref().is_some_and(|known| value.is_text(known))
    }

    fn is_message(self) -> bool {
        self.kind.is_some_and(|kind| KINDS.contains(&kind))
    }
}

mapping! {
    /// A line of a log.
    pub(crate) struct Line<'a>("line"; key, value, context: LineContext<'_>) {
        "uuid" => "`id` of the first line that has it; else kept",
            take id: Text<'a> = value.text().filter(|_| context.lines.is_first(value, context.at));
        "parentUuid" => "`parent-id`", take parent: Text<'a> = value.text();
        "timestamp" => "`timestamp`", take timestamp: AbstractTimestamp<'a> = parse_time(value);
        "type" => "the entry's type; kept if it is unknown",
            stated = context.kind.is_some_and(|kind| value.is_text(kind));
        "subtype" => "`event-type` of an event; of a message kept, and `vac.author`",
            note subtype: Text<'a> = value.text(), unless !context.is_message() && value.text().is_some();
        "sessionId" | "cwd" | "version" | "gitBranch" => "the session's; kept if it is another",
            stated = context.is_of_session(key, value);
        "message" => "of a message or a result, `content` or `output`, and the remaining members",
            take message: Node<'a, 'a> =
                (context.is_message() && value.kind() == Kind::Map).then_some(value);
        "model" => "`model-id` of an answer",
            take model: Text<'a> = value.text().filter(|_| context.kind == Some("assistant"));
        "usageMetadata" => "`token-usage` and `vac.usage` of an answer, on the last line of its id; else kept",
            take usage: Node<'a, 'a> = (context.counts_usage
                && context.kind == Some("assistant")
                && value.kind() == Kind::Map)
                .then_some(value);
        "toolCallResult" => "`status`, `is-error`, `vac.outcome`",
            note result: Node<'a, 'a> = Some(value);
        "systemPayload" => "`vac.ends`, `vac.permission`, `vac.local-command` of an event",
            note payload: Node<'a, 'a> = Some(value);
        "provenance" => "`vac.author`", note provenance: Text<'a> = value.text();
        "isSidechain" => "`vac.subagent`",
            note is_sidechain: bool = value.bool().filter(|is_sidechain| *is_sidechain);
        "agentId" => "`vac.subagent.id`", note agent: Text<'a> = value.text();
        "forkedFrom" => "`vac.inherited`", note forked_from: Node<'a, 'a> = Some(value);
        "agentName" | "agentColor" | "agentRunId" | "agentRound" | "externalInputKind"
        | "goalContext" | "contextWindowSize" | "promptId" | "daemonPromptId" | "backgroundTurn"
        | "deliveredTurn" | "workspaceCwd" => "", keep;
    }
}

mapping! {
    /// `message` of a line: a content of the API.
    pub(crate) struct Message<'a>("message"; key, value, role: &str) {
        "role" => "the entry's type; kept if it is another", stated = value.is_text(role);
        "parts" => "`content`, and `children` of its parts; the response of a tool is `output`",
            take parts: Node<'a, 'a> = Some(value);
    }
}

/// Returns the entry of a line.
pub(crate) fn entry<'a>(
    node: Node<'a, 'a>,
    at: LineAt,
    lines: &'a Lines,
    report: &mut Report,
) -> Entry<'a> {
    let kind = node.member("type").and_then(Node::text);
    let known = KINDS.into_iter().chain(["system"]);
    let kind = known.into_iter().find(|known| kind.as_deref() == Some(*known));
    let counts_usage = lines.counts_usage(node, at);
    let context = LineContext { kind, at, counts_usage, lines };
    let named = match kind {
        Some("user" | "assistant") => &MessageEntry::KEYS[..],
        Some("tool_result") => TOOL_RESULT,
        _ => &[],
    };
    let line = Line::read(node, named, context, report);
    let mut it = lines.annotations(at);
    it.inherited =
        line.forked_from.map(|from| match from.member("sessionId").and_then(Node::text) {
            Some(session) => Inherited::Text(session),
            None => Inherited::True(true),
        });
    it.subagent = line.is_sidechain.map(|_| Subagent { id: line.agent.clone(), call_id: None });
    match kind {
        Some("user") => message(MessageEntryType::User, line, it, at, report),
        Some("assistant") => message(MessageEntryType::Assistant, line, it, at, report),
        Some("tool_result") => tool_result(line, it, at, report),
        _ => event::entry(node, line, it, at, report),
    }
}

/// Takes the parts out of a message, whose remaining members are kept.
fn parts<'a>(line: &mut Line<'a>, role: &str, report: &mut Report) -> Option<Node<'a, 'a>> {
    let Message { parts, rest } = Message::read(line.message?, &[], role, report);
    line.rest.extend(object(rest).map(|rest| ("message".into(), rest)));
    parts
}

fn message<'a>(
    kind: MessageEntryType,
    mut line: Line<'a>,
    mut it: EntryAnnotations<'a>,
    at: LineAt,
    report: &mut Report,
) -> Entry<'a> {
    let is_user = kind == MessageEntryType::User;
    let parts = parts(&mut line, if is_user { "user" } else { "model" }, report);
    let reader = PartReader { timestamp: line.timestamp.as_ref(), tools: &TOOLS };
    let children = parts.and_then(|parts| children(parts, |part| reader.child(part, report)));
    let content = parts.map(Node::carry);
    if is_user {
        let stated = Stated {
            provenance: line.provenance.as_deref(),
            subtype: line.subtype.as_deref(),
            is_sidechain: line.is_sidechain.is_some(),
        };
        it.author = Some(author::author(content.as_ref(), stated));
    }
    let token_usage = line.usage.map(|usage| {
        let (stated, buckets) = usage::read(usage, report);
        it.usage = buckets;
        stated
    });
    let mut extensions = line.rest;
    attach(&mut extensions, &it);
    Entry::Message(MessageEntry {
        kind,
        content,
        timestamp: line.timestamp,
        id: line.id.or_else(|| Some(at.place.id().into())),
        model_id: line.model,
        parent_id: line.parent,
        token_usage,
        children,
        extensions,
    })
}

fn tool_result<'a>(
    mut line: Line<'a>,
    it: EntryAnnotations<'a>,
    at: LineAt,
    report: &mut Report,
) -> Entry<'a> {
    let parts = parts(&mut line, "user", report);
    let of_result = |key: &str| line.result.and_then(|result| result.member(key)?.text());
    let status = of_result("status");
    let mut extensions = std::mem::take(&mut line.rest);
    extensions.extend(line.parent.take().map(|parent| ("parent-id".into(), parent.into())));
    let reader = PartReader { timestamp: line.timestamp.as_ref(), tools: &TOOLS };
    let mut elements = parts.into_iter().flat_map(Node::elements);
    let id = line.id.clone().or_else(|| Some(at.place.id().into()));
    if let (Some(part), None) = (elements.next(), elements.next())
        && part_kind(part) == Some(PartKind::Response)
        && let Some(result) =
            reader.tool_result(part, status.clone(), extensions.clone(), it.clone(), report)
    {
        return Entry::ToolResult(ToolResultEntry { id, ..result });
    }
    // Text or data next to the response, or several of them: all parts are the output, and further
    // responses are children.
    let is_response = |part: &Node<'_, '_>| part_kind(*part) == Some(PartKind::Response);
    let mut responses = parts.into_iter().flat_map(Node::elements).filter(is_response);
    let first = responses.next().and_then(|part| part.member("functionResponse"));
    let of_first = |key: &str| first.and_then(|first| first.member(key));
    let is_error = status.as_deref().map(|status| status != "success");
    let is_error = is_error.or_else(|| of_first("response").and_then(failed));
    let name = of_first("name").and_then(Node::text);
    let is_shell = name.is_some_and(|name| TOOLS.is_shell(&name));
    let end = StatedEnd { is_shell, status: status.as_deref(), is_error };
    let EntryAnnotations { outcome, exit_code, permission, .. } = outcome::annotations(parts, end);
    attach(&mut extensions, &EntryAnnotations { outcome, exit_code, permission, ..it });
    let children: Vec<_> = responses.filter_map(|part| reader.child(part, report)).collect();
    let call_id = of_first("id").and_then(Node::text).or_else(|| of_result("callId"));
    let common = Common { timestamp: line.timestamp.clone(), id, extensions };
    let mut result = entry::tool_result(parts.map(Node::carry), call_id, status, is_error, common);
    result.children = (!children.is_empty()).then_some(children);
    Entry::ToolResult(result)
}

/// Returns the members of an event, and its `parent-id`.
pub(crate) fn event_members<'a>(line: &mut Line<'a>) -> (Rest<'a>, Rest<'a>) {
    let mut extensions = Rest::default();
    extensions.extend(line.parent.take().map(|parent| ("parent-id".into(), parent.into())));
    (std::mem::take(&mut line.rest), extensions)
}
