//! The usage of a message.

use vac_adapter::members::{object, put, sift};
use vac_record::TokenUsage;
use vac_value::{Kind, Node};

/// The canonical numbers, and the others beside them. The API has no total.
pub(crate) fn token_usage<'a>(usage: Node<'a, '_>) -> TokenUsage<'a> {
    let (mut input, mut output, mut cached, mut reasoning) = (None, None, None, None);
    let mut details = None;
    let mut extensions = sift(usage, &TokenUsage::KEYS, |key, value| match key {
        "input_tokens" => put(&mut input, value.uint()),
        "output_tokens" => put(&mut output, value.uint()),
        "cache_read_input_tokens" => put(&mut cached, value.uint()),
        "output_tokens_details" if value.kind() == Kind::Map => put(&mut details, Some(value)),
        _ => false,
    });
    if let Some(details) = details {
        let left = sift(details, &[], |key, value| {
            key == "thinking_tokens" && put(&mut reasoning, value.uint())
        });
        extensions.extend(object(left).map(|left| ("output_tokens_details".into(), left)));
    }
    TokenUsage { input, output, cached, reasoning, total: None, cost: None, extensions }
}
