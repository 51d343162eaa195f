//! The usage of a message.
//!
//! | native key | `token-usage` | `vac.usage` |
//! |---|---|---|
//! | `input_tokens` | `input` | `input` |
//! | `cache_read_input_tokens` | `cached` | `cache-read` |
//! | `cache_creation_input_tokens` | kept | `cache-write` |
//! | `output_tokens` | `output` | `output` |
//! | `output_tokens_details.thinking_tokens` | `reasoning` | `reasoning` |
//! | all others | kept | |

use vac_adapter::members::{object, put, sift};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::{Kind, Node};

/// Returns the canonical numbers, and the others next to them. The API has no total.
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

/// Returns the numbers in buckets that can be added up, as the API counts them.
pub(crate) fn buckets(usage: Node<'_, '_>, canonical: &TokenUsage<'_>) -> Option<Usage<'static>> {
    let found = Usage {
        input: canonical.input,
        cache_read: canonical.cached,
        cache_write: usage.member("cache_creation_input_tokens").and_then(Node::uint),
        output: canonical.output,
        reasoning: canonical.reasoning,
        model: None,
    };
    (found != Usage::default()).then_some(found)
}
