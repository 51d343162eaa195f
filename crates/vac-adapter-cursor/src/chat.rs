//! Parts of the CLI's database.

use std::borrow::Cow;

use vac_adapter::annotation::attach;
use vac_adapter::container::{Problem, Trouble};
use vac_adapter::frame::Place;
use vac_adapter::members::{object, put, sift};
use vac_adapter::{Error, Origin, Report, Sink};
use vac_record::annotations::Author;
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Text};

use crate::facts::Facts;
use crate::line::Chat;
use crate::{blocks, event, message, stored};

/// Gives the entries of a part.
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
        "user" | "assistant" => said(value, &id, facts, sink.report()),
        _ => {
            let data = sift(value, &[], |key, value| key == "role" && value.is_text(&role));
            Entry::Event(event::new(role.clone(), id, data))
        }
    };
    stored::beside(&mut entry, node, troubles);
    sink.entry(entry, origin)
}

/// What is said about the conversation: `meta` in the database, `meta.json` next to it.
fn about<'a>(
    node: Node<'a, '_>,
    place: Place,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    let name = node.member("meta").map_or("meta.json", |_| "meta");
    match node.member("value").filter(|value| value.kind() == Kind::Map) {
        Some(value) => Entry::Event(event::new(name, place.id(), sift(value, &[], |_, _| false))),
        None => stored::without_value(node, &place.id(), place, troubles, report),
    }
}

/// A blob that is no message: the root, what leads from it, or whatever else.
fn binary<'a>(
    node: Node<'a, '_>,
    id: &str,
    troubles: &[Trouble],
    report: &mut Report,
) -> Entry<'a> {
    for trouble in troubles {
        if let Problem::Unreadable { what, reason } = &trouble.problem {
            report.warn(format!("{what} cannot be read: {reason}"));
        }
    }
    let name = if stored::has(troubles, &Problem::RowLists) { "root" } else { "blob" };
    let data = sift(node, &[], |_, _| false);
    let mut entry = Entry::Event(event::new(name, id.to_owned(), data));
    stored::mark(&mut entry, troubles);
    entry
}

/// A message of the user or the model.
fn said<'a>(value: Node<'a, '_>, id: &str, facts: &Facts, report: &mut Report) -> Entry<'a> {
    let mut kind = MessageEntryType::Assistant;
    let (mut content, mut children) = (None, None);
    let mut extensions = sift(value, stored::MESSAGE, |key, value| match key {
        "role" => message::speaker(value, &mut kind),
        "content" => {
            children =
                vac_adapter::blocks::children(value, |block| blocks::child(block, None, report));
            put(&mut content, Some(value.carry()))
        }
        _ => false,
    });
    let is_user = kind == MessageEntryType::User;
    if is_user {
        let options = cursor_options(value);
        let has = |key: &str| options.and_then(|it| it.member(key)).is_some_and(is_set);
        let is_subagent = facts.is_subagent();
        let annotations = if has("isSummary") || has("loopReminder") {
            message::author_annotations(Author::Program, is_subagent)
        } else {
            message::user_annotations(value.member("content"), is_subagent)
        };
        attach(&mut extensions, &annotations);
    }
    Entry::Message(MessageEntry {
        kind,
        content,
        timestamp: if is_user { message::time_of_content(value) } else { None },
        id: Some(id.to_owned().into()),
        model_id: model(value),
        parent_id: None,
        token_usage: None,
        children,
        extensions,
    })
}

/// Returns what Cursor adds to a message.
fn cursor_options<'d: 'a, 'a>(message: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    message.member("providerOptions")?.member("cursor")
}

fn is_set(node: Node<'_, '_>) -> bool {
    !matches!(node.kind(), Kind::Null) && node.bool() != Some(false)
}

/// The model that a message says it is of.
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

/// A message of tools: a result for every block, the first with what is said of all.
fn results(
    node: Node<'_, '_>,
    value: Node<'_, '_>,
    id: &str,
    origin: Origin<'_>,
    troubles: &[Trouble],
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let around =
        sift(value, &[], |key, value| key == "content" || (key == "role" && value.is_text("tool")));
    let blocks = value.member("content").into_iter().flat_map(Node::elements);
    for (number, block) in blocks.enumerate() {
        let high_level = cursor_options(value).and_then(|it| it.member("highLevelToolCallResult"));
        let mut entry = blocks::result(block, high_level.filter(|_| number == 0));
        if let Entry::ToolResult(result) = &mut entry {
            result.id = Some(match number {
                0 => Cow::Owned(id.to_owned()),
                number => Cow::Owned(format!("{id}.{}", number + 1)),
            });
            let around = object(around.clone()).filter(|_| number == 0);
            result.extensions.extend(around.map(|around| ("message".into(), around)));
        }
        match number {
            0 => stored::beside(&mut entry, node, troubles),
            _ => stored::mark(&mut entry, troubles),
        }
        sink.entry(entry, origin)?;
    }
    Ok(())
}
