//! Messages, without their parts.

use vac_adapter::cursor::{Cursor, keys};
use vac_record::{Entry, MessageEntry, MessageEntryType, TokenUsage};
use vac_value::{Extensions, Node};

use crate::part::time;
use crate::units::Unit;

/// Who speaks.
pub(crate) fn role(message: Node<'_, '_>) -> &'static str {
    match message.member("role") {
        Some(role) if role.is_text("user") => "user",
        _ => "assistant",
    }
}

/// The entry of a message.
pub(crate) fn entry<'a>(node: Node<'_, 'a>, unit: &Unit, session: &str) -> Option<Entry<'a>> {
    let mut message = Cursor::of(node)?;
    message.said("role", role(node));
    message.said("sessionID", session);
    let id = message.text("id").unwrap_or_else(|| unit.place.id().into());
    let (timestamp, time) = time(&mut message, "created");
    let mut model_id = message.text("modelID");
    let mut model = None;
    if model_id.is_none()
        && let Some(mut asked) = message.object("model")
    {
        model_id = asked.text("modelID");
        model = asked.remainder();
    }
    let token_usage = unit.counts_usage.then(|| usage(&mut message)).flatten();
    let parent_id = message.text("parentID");
    let mut extensions = message.rest(keys::MESSAGE);
    extensions.extend(model.map(|model| ("model".into(), model)));
    extensions.extend(time);
    Some(Entry::Message(MessageEntry {
        r#type: speaker(unit),
        content: None,
        timestamp,
        id: Some(id),
        model_id,
        parent_id,
        token_usage,
        children: None,
        extensions,
    }))
}

/// Whose words a message and its texts are.
pub(crate) fn speaker(unit: &Unit) -> MessageEntryType {
    if unit.is_user { MessageEntryType::User } else { MessageEntryType::Assistant }
}

/// The canonical numbers, and the others beside them.
fn usage<'a>(message: &mut Cursor<'_, 'a>) -> Option<TokenUsage<'a>> {
    let cost = message.number("cost");
    let Some(mut tokens) = message.object("tokens") else {
        return cost.map(|cost| TokenUsage {
            input: None,
            output: None,
            cached: None,
            reasoning: None,
            total: None,
            cost: Some(cost),
            extensions: Extensions::default(),
        });
    };
    let mut cached = None;
    let mut cache = None;
    if let Some(mut of) = tokens.object("cache") {
        cached = of.uint("read");
        cache = of.remainder();
    }
    let input = tokens.uint("input");
    let output = tokens.uint("output");
    let reasoning = tokens.uint("reasoning");
    let total = tokens.uint("total");
    let mut extensions = tokens.rest(keys::TOKEN_USAGE);
    extensions.extend(cache.map(|cache| ("cache".into(), cache)));
    Some(TokenUsage { input, output, cached, reasoning, total, cost, extensions })
}
