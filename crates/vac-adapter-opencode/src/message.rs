//! Converts messages without their parts.

use vac_adapter::members::{Rest, object};
use vac_adapter::{Report, mapping};
use vac_record::annotations::EntryAnnotations;
use vac_record::{Entry, MessageEntry, MessageEntryType};
use vac_value::{Kind, Node, Number, Text};

use crate::object::{StoredObject, as_map, push};
use crate::part::Scope;
use crate::{entry, time, usage};

/// The context for reading a message.
#[derive(Clone, Copy)]
pub(crate) struct MessageContext<'c> {
    /// The session's id.
    session: &'c str,
    /// Whether the message has a `modelID`.
    has_model_id: bool,
    /// Whether the usage of the object is the message's.
    counts_usage: bool,
}

mapping! {
    /// A message, without its parts.
    pub(crate) struct Message<'a>("message"; key, value, context: MessageContext<'_>) {
        "role" => "the entry's type", stated = value.is_text(role(value));
        "sessionID" => "the session's `id`; kept if it is another",
            stated = value.is_text(context.session);
        "id" => "`id`", take id: Text<'a> = value.text();
        "parentID" => "`parent-id`", take parent_id: Text<'a> = value.text();
        "modelID" => "`model-id`, `models`", take model_id: Text<'a> = value.text();
        "model" => "its `modelID` is `model-id` where nothing else states it; the rest is kept",
            take model: Node<'a, 'a> = as_map(value).filter(|_| !context.has_model_id);
        "time" => "its `created` is `timestamp`; the rest is kept",
            take time: Node<'a, 'a> = as_map(value);
        "cost" => "`token-usage.cost`",
            take cost: Number<'a> = usage::cost(value).filter(|_| context.counts_usage);
        "tokens" => "`token-usage` and `vac.usage`",
            take tokens: Node<'a, 'a> = as_map(value).filter(|_| context.counts_usage);
        "error" => "`vac.ends` of the last entry of the message", keep;
        "providerID" => "`model-provider`", keep;
        "path" => "`working-dir`, if neither session nor project state it", keep;
        "agent" | "mode" | "finish" | "summary" | "system" | "tools" | "variant" | "format"
        | "structured" | "time_created" | "time_updated" => "", keep;
    }
}

mapping! {
    /// `model` of a message.
    pub(crate) struct NamedModel<'a>("model"; key, value, name: &str) {
        "modelID" => "`model-id` of a message of the user, `models`",
            take model_id: Text<'a> = value.text().filter(|_| key == name);
        "id" => "`model-id` of a message of `session_message`, `models`",
            take id: Text<'a> = value.text().filter(|_| key == name);
        "providerID" => "`model-provider`", keep;
        "variant" => "", keep;
    }
}

/// Returns the model that `model` names with this member, and adds its remaining members to the
/// members of its message.
pub(crate) fn model_id<'a>(
    model: Option<Node<'a, '_>>,
    name: &str,
    members: &mut Rest<'a>,
    report: &mut Report,
) -> Option<Text<'a>> {
    let NamedModel { model_id, id, rest } = NamedModel::read(model?, &[], name, report);
    push(members, "model", object(rest));
    model_id.or(id)
}

/// Returns the role of a message.
pub(crate) fn role(role: Node<'_, '_>) -> &'static str {
    if role.is_text("user") { "user" } else { "assistant" }
}

/// Returns the entry of a message.
pub(crate) fn entry<'a>(node: Node<'a, '_>, scope: Scope<'_>, report: &mut Report) -> Entry<'a> {
    let stored = scope.stored;
    let context = MessageContext {
        session: scope.session,
        has_model_id: node.member("modelID").is_some_and(|model| model.kind() == Kind::Text),
        counts_usage: stored.counts_usage,
    };
    let Message { id, parent_id, model_id: name, model, time, cost, tokens, rest: mut extensions } =
        Message::read(node, &MessageEntry::KEYS, context, report);
    let model_id = name.or(model_id(model, "modelID", &mut extensions, report));
    let timestamp = time::read(time, time::CREATED, &mut extensions, report).start;
    let (token_usage, usage) = usage::read(cost, tokens, report);
    let annotations = EntryAnnotations {
        author: stored.notes.author,
        usage,
        ends: stored.notes.end(),
        ..scope.annotations()
    };
    let id = id.unwrap_or_else(|| stored.place_id());
    Entry::Message(MessageEntry {
        model_id,
        parent_id,
        token_usage,
        ..entry::message(speaker(stored), id, timestamp, extensions, &annotations)
    })
}

/// Returns the speaker of a message and its texts.
pub(crate) fn speaker(stored: &StoredObject<'_>) -> MessageEntryType {
    if stored.is_user { MessageEntryType::User } else { MessageEntryType::Assistant }
}
