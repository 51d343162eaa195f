//! Converts the parts of the CLI's database.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::container::{RowProblem, Trouble};
use vac_adapter::frame::Place;
use vac_adapter::members::{self, object};
use vac_adapter::{Error, Origin, Report, Sink, mapping};
use vac_record::annotations::Author;
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Text};

use crate::facts::Facts;
use crate::line::Chat;
use crate::{blocks, entry, message, stored};

/// The members of a message that have a field of their own.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    role: &'w str,
    /// Whether it is a message or a list of tool results; otherwise, it is an event.
    has_content: bool,
}

mapping! {
    /// A blob of a chat that is a message. One of the role `tool` is a `tool-result` for each of
    /// its blocks, the first with the remaining members as `message`; one of another role is an
    /// event.
    pub(crate) struct ChatMessage<'a>("chat.message"; key, value, wanted: Wanted<'_>) {
        "role" => "the entry's type, or `event-type`", stated = value.is_text(wanted.role);
        "content" => "`content`, and `children` of its blocks",
            take content: Node<'a, 'a> = wanted.has_content.then_some(value);
        "providerOptions" => "`model-id`, `vac.author`, `vac.outcome`",
            note options: Node<'a, 'a> = value.member("cursor");
        "id" => "", keep;
    }
}

mapping! {
    /// `meta` of a chat, or `meta.json` next to it: an event.
    pub(crate) struct ChatMeta<'a>("chat.meta"; key, value) {
        "agentId" => "the session's `id`", keep;
        "name" => "`name` of the session", keep;
        "cwd" => "`environment.working-dir`", keep;
        "createdAt" | "createdAtMs" => "`session.session-start`", keep;
        "updatedAtMs" => "`session.session-end`", keep;
        "lastUsedModel" => "`models` of the session", keep;
        "subagentInfo" => "`vac.parent`, `vac.author`", keep;
        "latestRootBlobId" | "mode" | "hasConversation" | "schemaVersion" => "", keep;
    }
}

/// Passes the entries of a part to a sink.
pub(crate) fn entries(
    node: Node<'_, '_>,
    kind: Chat,
    place: Place,
    facts: &Facts,
    troubles: &[Trouble],
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let origin = Origin { place, bytes: node.raw() };
    let value = node.member("value").filter(|value| value.kind() != Kind::Null);
    if kind == Chat::Meta {
        let entry = about(node, place, troubles, sink.report());
        return sink.entry(entry, origin);
    }
    let id = stored::id(node, troubles).unwrap_or_default();
    let role = value.and_then(|value| value.member("role")).and_then(Node::text);
    let (Some(value), Some(role)) = (value, role) else {
        let entry = match node.member("text").or_else(|| node.member("base64")).or(value) {
            Some(_) => binary(node, &id, troubles, sink.report()),
            None => stored::without_value(node, &id, place, troubles, sink.report()),
        };
        return sink.entry(entry, origin);
    };
    if role == "tool" && holds_results(value) {
        return results(node, value, &id, origin, troubles, sink);
    }
    let mut entry = match &*role {
        "user" => said(value, MessageEntryType::User, id, facts, sink.report()),
        "assistant" => said(value, MessageEntryType::Assistant, id, facts, sink.report()),
        _ => {
            let wanted = Wanted { role: &role, has_content: false };
            let data = ChatMessage::read(value, &[], wanted, sink.report()).rest;
            Entry::Event(entry::event(role.clone(), id, data))
        }
    };
    stored::add_row_rest(&mut entry, node, troubles, sink.report());
    sink.entry(entry, origin)
}

/// Returns the event of the conversation's metadata: `meta` in the database or `meta.json` next to
/// it.
fn about<'a>(
    node: Node<'a, '_>,
    place: Place,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    let name = node.member("meta").map_or("meta.json", |_| "meta");
    match node.member("value").filter(|value| value.kind() == Kind::Map) {
        Some(value) => {
            let data = ChatMeta::read(value, &[], report).rest;
            Entry::Event(entry::event(name, place.id(), data))
        }
        None => stored::without_value(node, &place.id(), place, troubles, report),
    }
}

/// Returns the entry of a blob that is not a message: the root, or another blob.
fn binary<'a>(
    node: Node<'a, '_>,
    id: &str,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    for trouble in troubles {
        if let RowProblem::Unreadable { what, reason } = &trouble.problem {
            report.warn(format!("{what} cannot be read: {reason}"));
        }
    }
    let name = if stored::has(troubles, &RowProblem::RowLists) { "root" } else { "blob" };
    let data = members::all(node, &[]);
    let mut entry = Entry::Event(entry::event(name, id.to_owned(), data));
    stored::mark(&mut entry, troubles);
    entry
}

/// Returns the entry of a message of the user or the model.
fn said<'a>(
    value: Node<'a, '_>,
    kind: MessageEntryType,
    id: String,
    facts: &Facts,
    report: &mut Report,
) -> Entry<'a> {
    let wanted = Wanted { role: kind.as_str(), has_content: true };
    let ChatMessage { content, options, mut rest } =
        ChatMessage::read(value, stored::MESSAGE, wanted, report);
    let children = content.and_then(|content| {
        vac_adapter::blocks::children(content, |block| blocks::child(block, None, report))
    });
    let mut timestamp = None;
    if kind == MessageEntryType::User {
        let has = |key: &str| options.and_then(|it| it.member(key)).is_some_and(is_set);
        let is_subagent = facts.is_subagent();
        let annotations = if has("isSummary") || has("loopReminder") {
            message::author_annotations(Author::Program, is_subagent)
        } else {
            message::user_annotations(content, is_subagent)
        };
        attach(&mut rest, &annotations);
        timestamp = content.and_then(message::time_of_content);
    }
    let content = content.map(Node::carry);
    Entry::Message(MessageEntry {
        model_id: model(value),
        children,
        ..entry::message(kind, content, timestamp, id.into(), rest)
    })
}

fn is_set(node: Node<'_, '_>) -> bool {
    !matches!(node.kind(), Kind::Null) && node.bool() != Some(false)
}

/// Returns the model that a message names.
pub(crate) fn model<'a>(message: Node<'a, '_>) -> Option<Text<'a>> {
    let of = |node: Node<'a, '_>| {
        let options = node.member("providerOptions")?.member("cursor")?;
        options.member("modelName")?.text().filter(|name| !name.is_empty())
    };
    if !message.member("role")?.is_text("assistant") {
        return None;
    }
    let blocks = message.member("content").into_iter().flat_map(Node::elements);
    of(message).or_else(|| blocks.into_iter().find_map(of))
}

fn holds_results(value: Node<'_, '_>) -> bool {
    let mut blocks = value.member("content").into_iter().flat_map(Node::elements).peekable();
    let is_result =
        |block: Node<'_, '_>| block.member("type").is_some_and(|kind| kind.is_text("tool-result"));
    blocks.peek().is_some() && blocks.all(is_result)
}

/// Passes a message of tools to a sink: a result for every block, the first with the message's
/// other members.
fn results(
    node: Node<'_, '_>,
    value: Node<'_, '_>,
    id: &str,
    origin: Origin<'_>,
    troubles: &[Trouble],
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let wanted = Wanted { role: "tool", has_content: true };
    let ChatMessage { content, options, rest } =
        ChatMessage::read(value, &[], wanted, sink.report());
    let high_level = options.and_then(|it| it.member("highLevelToolCallResult"));
    let mut around = object(rest);
    for (number, block) in content.into_iter().flat_map(Node::elements).enumerate() {
        let high_level = high_level.filter(|_| number == 0);
        let mut result = blocks::result(block, high_level, sink.report());
        result.id = Some(match number {
            0 => Cow::Owned(id.to_owned()),
            number => Cow::Owned(format!("{id}.{}", number + 1)),
        });
        // Only the result of the first block takes it.
        result.extensions.extend(around.take().map(|around| ("message".into(), around)));
        let mut entry = Entry::ToolResult(result);
        match number {
            0 => stored::add_row_rest(&mut entry, node, troubles, sink.report()),
            _ => stored::mark(&mut entry, troubles),
        }
        sink.entry(entry, origin)?;
    }
    Ok(())
}
