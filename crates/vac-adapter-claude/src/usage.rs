//! The usage of a message.

use vac_adapter::cursor::{Cursor, keys};
use vac_record::TokenUsage;

/// The canonical numbers, and the others beside them. The API has no total.
pub(crate) fn token_usage<'a>(mut usage: Cursor<'_, 'a>) -> TokenUsage<'a> {
    let mut reasoning = None;
    let mut left = None;
    if let Some(mut details) = usage.object("output_tokens_details") {
        reasoning = details.uint("thinking_tokens");
        left = details.remainder();
    }
    let input = usage.uint("input_tokens");
    let output = usage.uint("output_tokens");
    let cached = usage.uint("cache_read_input_tokens");
    let mut extensions = usage.rest(keys::TOKEN_USAGE);
    extensions.extend(left.map(|left| ("output_tokens_details".into(), left)));
    TokenUsage { input, output, cached, reasoning, total: None, cost: None, extensions }
}
